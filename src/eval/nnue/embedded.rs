//! The network in the program itself, which evaluates unless options say otherwise.
#![forbid(unsafe_code)]

use super::network::Network;
use super::own::OwnNetwork;
use once_cell::sync::Lazy;
use std::sync::Arc;

/// The bytes of its file; `komaoto.md` beside it tells where it comes from.
const EMBEDDED: &[u8] = include_bytes!("komaoto.nn");

/// Bytes of the network in the program.
pub const EMBEDDED_BYTES: u64 = EMBEDDED.len() as u64;

/// The network in the program.
pub fn embedded() -> Arc<Network> {
    static NETWORK: Lazy<Arc<Network>> = Lazy::new(|| {
        let network = OwnNetwork::parse(EMBEDDED).and_then(OwnNetwork::into_network);
        Arc::new(network.expect("the embedded network is sound"))
    });
    Arc::clone(&NETWORK)
}
