//! Which network evaluates: what was asked for by options, and what came of it.

use super::options::Settings;
use crate::eval::nnue::{LoadedNetwork, NetError, Network, embedded};
use crate::types::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// The options that say where a network is, as bytes: folder and file.
type Request = (Vec<u8>, Vec<u8>);

/// The name of a file that stands for the hand-written evaluation.
const HAND_WRITTEN: &[u8] = b"handwritten";

/// The evaluation in use.
#[derive(Default)]
pub struct Evaluation {
    /// Where the evaluation in use was asked to come from; nowhere for the default one.
    request: Request,
    source: Source,
    /// The option `FV_SCALE` in force.
    scale: i32,
}

/// Where an evaluation comes from.
#[derive(Default)]
enum Source {
    /// The network in the program, or the hand-written evaluation if there is none.
    #[default]
    Default,
    HandWritten,
    File(LoadedNetwork),
}

/// What came of the wish for another evaluation.
pub struct Change {
    /// What to tell.
    pub message: String,
    /// The evaluation to use from now on, if it changed: a network or the hand-written one.
    pub network: Option<Option<Arc<Network>>>,
}

impl Evaluation {
    /// Does what the options ask for. `None` when nothing changes. What cannot be read leaves the
    /// evaluation as it is, and is tried again the next time.
    pub fn update(&mut self, settings: &Settings) -> Option<Change> {
        let request = (settings.eval_dir.clone(), settings.eval_file.clone());
        let is_other = request != self.request;
        if !is_other && self.scale == settings.fv_scale {
            return None;
        }
        let rescaled = std::mem::replace(&mut self.scale, settings.fv_scale) != self.scale;
        if is_other {
            match read(&request) {
                Ok(source) => self.source = source,
                Err((path, error)) => {
                    let message = format!(
                        "the evaluation file {} cannot be used: {error}; {} stays",
                        path.display(),
                        if rescaled && self.unscaled().is_some() {
                            self.describe()
                        } else {
                            self.name()
                        }
                    );
                    return Some(Change {
                        message,
                        network: rescaled.then(|| self.network()),
                    });
                }
            }
            self.request = request;
        }
        if self.unscaled().is_none() && !is_other {
            return None;
        }
        Some(Change {
            message: self.describe(),
            network: Some(self.network()),
        })
    }

    /// The network in use with its own scale, unless the hand-written evaluation is.
    fn unscaled(&self) -> Option<Network> {
        match &self.source {
            Source::Default => embedded().map(|network| (*network).clone()),
            Source::HandWritten => None,
            Source::File(loaded) => Some(loaded.network.clone()),
        }
    }

    /// The network in use, with the scale asked for or its own.
    fn network(&self) -> Option<Arc<Network>> {
        let network = self.unscaled()?;
        Some(Arc::new(match self.scale {
            0 => network,
            scale => network.with_scale(scale),
        }))
    }

    /// What a pawn is worth in the unit of the values.
    pub fn pawn(&self) -> Value {
        self.network().map_or(100, |network| network.pawn().into())
    }

    fn name(&self) -> String {
        match self.unscaled() {
            Some(network) => format!("the network {}", network.architecture()),
            None => "the hand-written evaluation".into(),
        }
    }

    fn describe(&self) -> String {
        let Some(network) = self.network() else {
            return format!("{} is used", self.name());
        };
        let (architecture, scale, kernels) =
            (network.architecture(), network.scale(), network.kernels());
        let Source::File(loaded) = &self.source else {
            return format!(
                "network {architecture}, FV_SCALE {scale}, {kernels} kernels, built in"
            );
        };
        format!(
            "network {architecture}, {} bytes, FV_SCALE {scale}, {kernels} kernels, from {}{}",
            loaded.length,
            loaded.path.display(),
            if loaded.is_consistent {
                ""
            } else {
                "; its hashes are not those of this architecture"
            }
        )
    }
}

/// Reads the network asked for, if one is.
fn read(request: &Request) -> Result<Source, (PathBuf, NetError)> {
    let (folder, file) = request;
    if folder.is_empty() && file.is_empty() {
        return Ok(Source::Default);
    }
    if file == HAND_WRITTEN {
        return Ok(Source::HandWritten);
    }
    let mut path = to_path(folder).join(to_path(file));
    if !file.is_empty() && !path.exists() {
        // A file that is not in the folder may still be somewhere else.
        path = to_path(file);
    }
    match LoadedNetwork::read(&path) {
        Ok(loaded) => Ok(Source::File(loaded)),
        Err(error) => Err((path, error)),
    }
}

/// The path that some bytes of input name: as they are where paths are bytes, as UTF-8 elsewhere.
fn to_path(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
