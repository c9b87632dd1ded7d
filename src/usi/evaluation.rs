//! Which network evaluates: what was asked for by options, and what came of it.

use super::options::Settings;
use crate::eval::nnue::{EMBEDDED_BYTES, LoadedNetwork, NetError, Network, embedded};
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

/// What evaluates after a look at the options.
pub struct Update {
    /// Why what was asked for cannot be used, if so.
    pub complaint: Option<String>,
    /// What evaluates.
    pub description: String,
    /// The evaluation to use from now on, if it changed: a network or the hand-written one.
    pub network: Option<Option<Arc<Network>>>,
}

impl Evaluation {
    /// Does what the options ask for. What cannot be read leaves the evaluation as it is, and is
    /// tried again the next time.
    pub fn update(&mut self, settings: &Settings) -> Update {
        let request = (settings.eval_dir.clone(), settings.eval_file.clone());
        let mut is_other = self.scale != settings.fv_scale;
        self.scale = settings.fv_scale;
        let mut complaint = None;
        if request != self.request {
            match read(&request) {
                Ok(source) => {
                    (self.source, self.request) = (source, request);
                    is_other = true;
                }
                Err((path, error)) => {
                    complaint = Some(format!(
                        "the evaluation file {} cannot be used: {error}; {} stays",
                        path.display(),
                        self.name()
                    ));
                }
            }
        }
        Update {
            complaint,
            description: self.describe(),
            network: is_other.then(|| self.network()),
        }
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

    /// What evaluates: architecture, size, scale, and where it comes from.
    fn describe(&self) -> String {
        let Some(network) = self.network() else {
            return format!("{} is used", self.name());
        };
        let (length, note, origin) = match &self.source {
            Source::File(loaded) => {
                let note = if loaded.is_consistent {
                    ""
                } else {
                    "hashes not those of this architecture, "
                };
                let origin = format!("from {}", loaded.path.display());
                (loaded.length, note, origin)
            }
            Source::Default | Source::HandWritten => (EMBEDDED_BYTES, "", "built in".into()),
        };
        format!(
            "network {}, {length} bytes, FV_SCALE {}, {} kernels, {note}{origin}",
            network.architecture(),
            network.scale(),
            network.kernels()
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
