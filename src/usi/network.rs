//! Loads the network that the options `EvalDir`, `EvalFile` and `FV_SCALE` ask for.

use super::error::UsiError;
use super::options::Settings;
use crate::eval::nnue::{EMBEDDED_BYTES, LoadedNetwork, NetError, Network, NetworkFiles, embedded};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest path in a message, in characters.
const MAX_PATH_SHOWN: usize = 120;

/// The network in use, and where it comes from.
pub struct NetworkLoader {
    /// The network as loaded from files; `None` for the embedded one.
    loaded: Option<LoadedNetwork>,
    /// The option `FV_SCALE` as applied to `network`.
    fv_scale: i32,
    /// The options `EvalDir`, `EvalFile` and `FV_SCALE` as last seen.
    seen: (Vec<u8>, Vec<u8>, i32),
    network: Arc<Network>,
}

impl NetworkLoader {
    /// The embedded network.
    pub fn new() -> NetworkLoader {
        NetworkLoader {
            loaded: None,
            fv_scale: 0,
            seen: Default::default(),
            network: embedded(),
        }
    }

    /// The network in use.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// One line about the network in use: architecture, size, scale, and where it comes from.
    pub fn describe(&self) -> String {
        let (architecture, fv_scale) = (self.network.architecture(), self.network.fv_scale());
        let kernels = self.network.instruction_set();
        let (length, origin) = match &self.loaded {
            None => (EMBEDDED_BYTES, "built in".into()),
            Some(loaded) => {
                let note = match loaded.hashes_match {
                    true => "",
                    false => "header hash mismatch, ",
                };
                let path = shown(loaded.files.path());
                (loaded.files.length(), format!("{note}from {path}"))
            }
        };
        format!(
            "network {architecture}, {length} bytes, FV_SCALE {fv_scale}, {kernels} kernels, {origin}"
        )
    }

    /// Whether the options are those of the last [`NetworkLoader::update`].
    pub fn is_current(&self, settings: &Settings) -> bool {
        self.seen == network_options(settings)
    }

    /// Loads the network that the options name, unless it is in use and its files are unchanged.
    ///
    /// # Errors
    /// When the files cannot be read. The network in use is then kept; the next call tries again.
    pub fn update(&mut self, settings: &Settings) -> Result<(), UsiError> {
        self.seen = network_options(settings);
        let result = self.load(settings);
        if result == Ok(true) || self.fv_scale != settings.fv_scale {
            self.fv_scale = settings.fv_scale;
            let network = match &self.loaded {
                None => embedded(),
                Some(loaded) => Arc::new(loaded.network.clone()),
            };
            self.network = match self.fv_scale {
                0 => network,
                scale => Arc::new(network.with_scale(scale)),
            };
        }
        result.map(|_| ())
    }

    /// Loads the files that the options name if necessary. Returns whether `loaded` has changed.
    fn load(&mut self, settings: &Settings) -> Result<bool, UsiError> {
        let Some(path) = network_path(settings) else {
            return Ok(self.loaded.take().is_some());
        };
        let error = |error: NetError| UsiError::Network {
            path: shown(&path),
            error: error.to_string(),
            kept: self.network.architecture().to_string(),
        };
        let files = NetworkFiles::find(&path).map_err(error)?;
        let loaded = self.loaded.as_ref();
        if loaded.is_some_and(|loaded| loaded.files == files) {
            return Ok(false);
        }
        let loaded = files.read().map_err(error)?;
        self.loaded = Some(loaded);
        Ok(true)
    }
}

fn network_options(settings: &Settings) -> (Vec<u8>, Vec<u8>, i32) {
    let (folder, file) = (&settings.eval_dir, &settings.eval_file);
    (folder.clone(), file.clone(), settings.fv_scale)
}

/// The file or folder that the options name, relative to the working directory or else to the folder of
/// the program; `None` for the embedded network.
fn network_path(settings: &Settings) -> Option<PathBuf> {
    let (folder, file) = (&settings.eval_dir, &settings.eval_file);
    if folder.is_empty() && file.is_empty() {
        return None;
    }
    let (folder, file) = (to_path(folder), to_path(file));
    let path = match file.as_os_str().is_empty() {
        true => folder.clone(),
        false => folder.join(&file),
    };
    // `EvalFile` may also lie outside `EvalDir`, and GUIs differ in the working directory.
    let mut candidates = vec![path.clone()];
    candidates.extend((!file.as_os_str().is_empty()).then_some(file));
    if let Some(program) = env::current_exe().ok().as_deref().and_then(Path::parent) {
        let beside: Vec<PathBuf> = candidates.iter().map(|it| program.join(it)).collect();
        candidates.extend(beside);
    }
    Some(
        candidates
            .into_iter()
            .find(|it| it.exists())
            .unwrap_or(path),
    )
}

/// Turns bytes of input into a path: any bytes on Unix, else UTF-8. Double quotes around it are dropped.
fn to_path(bytes: &[u8]) -> PathBuf {
    let unquoted = bytes
        .strip_prefix(b"\"")
        .and_then(|bytes| bytes.strip_suffix(b"\""));
    let bytes = unquoted.unwrap_or(bytes);
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// A path for a message; of a long path only the end, to leave room for the message.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    let excess = text.chars().count().saturating_sub(MAX_PATH_SHOWN);
    match text.char_indices().nth(excess) {
        Some((start, _)) if excess > 0 => format!("...{}", &text[start..]),
        _ => text,
    }
}
