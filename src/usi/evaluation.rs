//! Which network evaluates: what was asked for by options, and what came of it.

use super::options::Settings;
use crate::eval::nnue::{LoadedNetwork, NetError, Network, kernels};
use std::path::PathBuf;
use std::sync::Arc;

/// The options that say where a network is, as bytes: folder and file.
type Request = (Vec<u8>, Vec<u8>);

/// The evaluation in use.
#[derive(Default)]
pub struct Evaluation {
    /// Where the evaluation in use was asked to come from; nowhere for the hand-written one.
    request: Request,
    /// Unless it is the hand-written one.
    loaded: Option<LoadedNetwork>,
    /// The option `FV_SCALE` in force.
    scale: i32,
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
        if is_other {
            match read(&request) {
                Ok(loaded) => self.loaded = loaded,
                Err((path, error)) => {
                    let message = format!(
                        "the evaluation file {} cannot be used: {error}; {} stays",
                        path.display(),
                        self.name()
                    );
                    return Some(Change {
                        message,
                        network: None,
                    });
                }
            }
            self.request = request;
        }
        self.scale = settings.fv_scale;
        if self.loaded.is_none() && !is_other {
            return None;
        }
        Some(Change {
            message: self.describe(),
            network: Some(self.network()),
        })
    }

    /// The network in use, with the scale asked for or its own.
    fn network(&self) -> Option<Arc<Network>> {
        let network = &self.loaded.as_ref()?.network;
        Some(Arc::new(match self.scale {
            0 => network.clone(),
            scale => network.with_scale(scale),
        }))
    }

    fn name(&self) -> String {
        match &self.loaded {
            Some(loaded) => format!("the network {}", loaded.network.architecture()),
            None => "the hand-written evaluation".into(),
        }
    }

    fn describe(&self) -> String {
        let (Some(loaded), Some(network)) = (&self.loaded, self.network()) else {
            return format!("{} is used", self.name());
        };
        format!(
            "network {}, {} bytes, FV_SCALE {}, {} kernels, from {}{}",
            network.architecture(),
            loaded.length,
            network.scale(),
            kernels(),
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
fn read(request: &Request) -> Result<Option<LoadedNetwork>, (PathBuf, NetError)> {
    let (folder, file) = request;
    if folder.is_empty() && file.is_empty() {
        return Ok(None);
    }
    let mut path = to_path(folder).join(to_path(file));
    if !file.is_empty() && !path.exists() {
        // A file that is not in the folder may still be somewhere else.
        path = to_path(file);
    }
    match LoadedNetwork::read(&path) {
        Ok(loaded) => Ok(Some(loaded)),
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
