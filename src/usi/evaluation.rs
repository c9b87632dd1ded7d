//! Which network evaluates: what was asked for by options, and what came of it.

use super::options::Settings;
use crate::eval::nnue::{EMBEDDED_BYTES, LoadedNetwork, NetError, Network, NetworkFiles, embedded};
use crate::eval::units::ScoreUnit;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The network in use.
#[derive(Default)]
pub struct Evaluation {
    /// The network from a file, if it is not the embedded one.
    loaded: Option<LoadedNetwork>,
    /// The option `FV_SCALE` in force.
    scale: i32,
}

/// What evaluates after a look at the options.
pub struct Update {
    /// Why what was asked for cannot be used, if so.
    pub complaint: Option<String>,
    /// What evaluates.
    pub description: String,
    /// The network to use from now on, if it changed.
    pub network: Option<Arc<Network>>,
}

impl Evaluation {
    /// Does what the options ask for. Files that have changed are read again; what cannot be read
    /// leaves the evaluation as it is, and is tried again the next time.
    pub fn update(&mut self, settings: &Settings) -> Update {
        let mut is_other = self.scale != settings.fv_scale;
        self.scale = settings.fv_scale;
        let mut complaint = None;
        match self.follow(settings) {
            Ok(is_read) => is_other |= is_read,
            Err((path, error)) => {
                complaint = Some(format!(
                    "the evaluation file {} cannot be used: {error}; {} stays",
                    shown(&path),
                    self.name()
                ));
            }
        }
        Update {
            complaint,
            description: self.describe(),
            network: is_other.then(|| self.network()),
        }
    }

    /// Goes where the options point. Whether that is not where the evaluation in use comes from.
    fn follow(&mut self, settings: &Settings) -> Result<bool, (PathBuf, NetError)> {
        let files = files(settings)?;
        if self.loaded.as_ref().map(|loaded| &loaded.files) == files.as_ref() {
            return Ok(false);
        }
        self.loaded = match files {
            None => None,
            Some(files) => {
                let path = files.path().to_path_buf();
                Some(files.read().map_err(|error| (path, error))?)
            }
        };
        Ok(true)
    }

    /// The network in use, with the scale asked for or its own.
    fn network(&self) -> Arc<Network> {
        let network = match &self.loaded {
            None => embedded(),
            Some(loaded) => Arc::new(loaded.network.clone()),
        };
        match self.scale {
            0 => network,
            scale => Arc::new(network.with_scale(scale)),
        }
    }

    /// The unit of the values.
    pub fn unit(&self) -> ScoreUnit {
        self.network().unit()
    }

    fn name(&self) -> String {
        format!("the network {}", self.network().architecture())
    }

    /// What evaluates: architecture, size, scale, and where it comes from.
    fn describe(&self) -> String {
        let network = self.network();
        let (length, note, origin) = match &self.loaded {
            Some(loaded) => {
                let note = if loaded.is_consistent {
                    ""
                } else {
                    "hashes not those of this architecture, "
                };
                let origin = format!("from {}", shown(loaded.files.path()));
                (loaded.files.length(), note, origin)
            }
            None => (EMBEDDED_BYTES, "", "built in".into()),
        };
        format!(
            "network {}, {length} bytes, FV_SCALE {}, {} kernels, {note}{origin}",
            network.architecture(),
            network.fv_scale(),
            network.kernels()
        )
    }
}

/// A path for a message: the end of a long one, so that there is room for what is said about it.
fn shown(path: &Path) -> String {
    const LONGEST: usize = 120;
    let text = path.display().to_string();
    let excess = text.chars().count().saturating_sub(LONGEST);
    match text.char_indices().nth(excess) {
        Some((start, _)) if excess > 0 => format!("...{}", &text[start..]),
        _ => text,
    }
}

/// The files that the options name; `None` for the embedded network.
fn files(settings: &Settings) -> Result<Option<NetworkFiles>, (PathBuf, NetError)> {
    let (folder, file) = (&settings.eval_dir, &settings.eval_file);
    if folder.is_empty() && file.is_empty() {
        return Ok(None);
    }
    let mut path = to_path(folder);
    if !file.is_empty() {
        let file = to_path(file);
        path.push(&file);
        // A file that is not in the folder may still be somewhere else.
        if !path.exists() && file.exists() {
            path = file;
        }
    }
    match NetworkFiles::find(&path) {
        Ok(files) => Ok(Some(files)),
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
