//! The network in the program itself, which evaluates unless options say otherwise.
#![forbid(unsafe_code)]

use super::network::Network;
use super::own::OwnNetwork;
use std::sync::{Arc, OnceLock};

/// The bytes of its file; `komaoto.md` beside it tells where it comes from. Without one, `None`, the
/// hand-written evaluation is the default.
const EMBEDDED: Option<&[u8]> = Some(include_bytes!("komaoto.nn"));

/// Bytes of the network in the program.
pub const EMBEDDED_BYTES: u64 = match EMBEDDED {
    Some(bytes) => bytes.len() as u64,
    None => 0,
};

/// The network in the program, if there is one.
pub fn embedded() -> Option<Arc<Network>> {
    static NETWORK: OnceLock<Option<Arc<Network>>> = OnceLock::new();
    let read = || {
        // A test makes sure that it can be read.
        let network = OwnNetwork::parse(EMBEDDED?).ok()?.into_network().ok()?;
        Some(Arc::new(network.normalized()))
    };
    NETWORK.get_or_init(read).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_in_the_program_can_be_read() {
        assert_eq!(embedded().is_some(), EMBEDDED.is_some());
    }
}
