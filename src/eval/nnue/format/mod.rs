//! Network files: finding, reading and writing them. Builds [`Network`]s, which know nothing of files.
#![forbid(unsafe_code)]

mod classic;
mod detect;
mod error;
pub(super) mod files;
mod komaoto;
mod layer_stacks;
pub(super) mod leb128;
pub(super) mod reader;
mod text;
mod yaneuraou;

pub use classic::{ClassicLayer, ClassicNetwork};
pub use error::NetError;
pub use files::{LoadedNetwork, NetworkFiles};
pub use komaoto::NativeNetwork;

use super::network::Network;
use once_cell::sync::Lazy;
use std::sync::Arc;

/// The file of the embedded network; `komaoto.md` beside it tells where it comes from.
const EMBEDDED: &[u8] = include_bytes!("../komaoto.nn");

/// Bytes of the file of the embedded network.
pub const EMBEDDED_BYTES: u64 = EMBEDDED.len() as u64;

/// The embedded network.
pub fn embedded() -> Arc<Network> {
    static NETWORK: Lazy<Arc<Network>> = Lazy::new(|| {
        let network = NativeNetwork::parse(EMBEDDED).and_then(NativeNetwork::into_network);
        Arc::new(network.expect("the embedded network is sound"))
    });
    Arc::clone(&NETWORK)
}
