//! File formats of networks: finding, reading and writing. A [`Network`] does not know where it came from.
#![forbid(unsafe_code)]

mod architecture_string;
mod classic;
mod detect;
mod error;
pub(super) mod files;
mod komaoto;
mod layer_stacks;
pub(super) mod leb128;
pub(super) mod reader;
mod yaneuraou;

pub use classic::{ClassicLayer, ClassicNetwork};
pub use error::NetError;
pub use files::{LoadedNetwork, NetworkFiles};
pub use komaoto::NativeNetwork;

use super::network::Network;
use once_cell::sync::Lazy;
use std::sync::Arc;

/// The embedded network file; `komaoto.md` beside it records how it was trained.
const EMBEDDED: &[u8] = include_bytes!("../komaoto.nn");

/// Size of the embedded network file in bytes.
pub const EMBEDDED_BYTES: u64 = EMBEDDED.len() as u64;

/// The embedded network.
pub fn embedded() -> Arc<Network> {
    static NETWORK: Lazy<Arc<Network>> = Lazy::new(|| {
        let network = NativeNetwork::parse(EMBEDDED).and_then(NativeNetwork::into_network);
        Arc::new(network.expect("the embedded network is valid"))
    });
    Arc::clone(&NETWORK)
}
