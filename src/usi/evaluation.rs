//! Which network evaluates: what was asked for by options, and what came of it.

use super::options::Settings;
use crate::eval::nnue::{EMBEDDED_BYTES, LoadedNetwork, NetError, Network, NetworkFiles, embedded};
use crate::types::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of a file that stands for the hand-written evaluation.
const HAND_WRITTEN: &[u8] = b"handwritten";

/// The evaluation in use.
#[derive(Default)]
pub struct Evaluation {
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

/// Where an evaluation is to come from.
enum Place {
    Default,
    HandWritten,
    Files(NetworkFiles),
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
        let place = Place::of(settings)?;
        if self.source.is_from(&place) {
            return Ok(false);
        }
        self.source = place.read()?;
        Ok(true)
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
                let origin = format!("from {}", shown(loaded.files.path()));
                (loaded.files.length(), note, origin)
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

impl Source {
    /// Whether it comes from a place as that is now.
    fn is_from(&self, place: &Place) -> bool {
        match (self, place) {
            (Source::Default, Place::Default) | (Source::HandWritten, Place::HandWritten) => true,
            (Source::File(loaded), Place::Files(files)) => loaded.files == *files,
            _ => false,
        }
    }
}

impl Place {
    /// The place that the options name.
    fn of(settings: &Settings) -> Result<Place, (PathBuf, NetError)> {
        let (folder, file) = (&settings.eval_dir, &settings.eval_file);
        if folder.is_empty() && file.is_empty() {
            return Ok(Place::Default);
        }
        if file == HAND_WRITTEN {
            return Ok(Place::HandWritten);
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
            Ok(files) => Ok(Place::Files(files)),
            Err(error) => Err((path, error)),
        }
    }

    /// Reads what is there.
    fn read(self) -> Result<Source, (PathBuf, NetError)> {
        match self {
            Place::Default => Ok(Source::Default),
            Place::HandWritten => Ok(Source::HandWritten),
            Place::Files(files) => {
                let path = files.path().to_path_buf();
                let loaded = files.read().map_err(|error| (path, error))?;
                Ok(Source::File(loaded))
            }
        }
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
