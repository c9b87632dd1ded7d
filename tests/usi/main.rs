//! Scripted USI sessions with the real binary: what GUIs, match runners and people send, and what has
//! to come back.

mod checks;
mod clock;
mod debug;
mod handshake;
mod lifecycle;
mod mate;
mod network;
mod options;
mod output;
mod positions;
mod robustness;
mod rules;
mod session;
