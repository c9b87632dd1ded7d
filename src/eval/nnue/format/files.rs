//! From a path to a network: folders, names in any case, and the scale that goes with a file.
#![forbid(unsafe_code)]

use super::error::NetError;
use super::komaoto::{self, NativeNetwork};
use super::reader::{NetFile, NetReader};
use super::yaneuraou;
use crate::eval::nnue::network::Network;
use crate::eval::nnue::progress::{GameProgress, WEIGHTS};
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of a network in a folder.
const FILE_NAME: &str = "nn.bin";
/// The file with settings that go with a network.
const SETTINGS_NAME: &str = "eval_options.txt";
/// The file with weights of the progress of the game.
const PROGRESS_NAME: &str = "progress.bin";
/// What an output is divided by unless something else is known.
const DEFAULT_SCALE: i32 = 16;

/// A file as it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    path: PathBuf,
    length: u64,
    /// When it was changed, where the system knows.
    modified: Option<SystemTime>,
}

impl Found {
    fn at(path: PathBuf) -> Result<Found, NetError> {
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(NetError::NoFile);
        }
        Ok(Found {
            path,
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

/// The file of a network and those beside it that go with it, as they were found. What is equal
/// later has not changed, as far as sizes and times tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkFiles {
    network: Found,
    settings: Option<Found>,
    progress: Option<Found>,
}

impl NetworkFiles {
    /// Finds a network at the path of a file, or as the `nn.bin` (in any case) of a folder. Nothing
    /// is read yet.
    ///
    /// # Errors
    /// When there is no file.
    pub fn find(path: &Path) -> Result<NetworkFiles, NetError> {
        let path = if fs::metadata(path)?.is_dir() {
            find(path, FILE_NAME)?.ok_or(NetError::NoFileInFolder)?
        } else {
            path.to_path_buf()
        };
        let network = Found::at(path)?;
        // In a folder that cannot be listed there is nothing to be found.
        let beside = |name| {
            let path = find(network.path.parent()?, name).ok()??;
            Found::at(path).ok()
        };
        Ok(NetworkFiles {
            settings: beside(SETTINGS_NAME),
            progress: beside(PROGRESS_NAME),
            network,
        })
    }

    /// The file of the network.
    pub fn path(&self) -> &Path {
        &self.network.path
    }

    /// Bytes of the file of the network.
    pub fn length(&self) -> u64 {
        self.network.length
    }

    /// Reads the network.
    ///
    /// # Errors
    /// When the files hold no network that can be used.
    pub fn read(self) -> Result<LoadedNetwork, NetError> {
        let file = File::open(self.path())?;
        let progress = |stages| match &self.progress {
            Some(found) => read_progress(&found.path, stages).map(Some),
            None => Ok(None),
        };
        let net = read(file, self.length(), progress)?;
        let scale = net.scale.unwrap_or_else(|| {
            let settings = self.settings.as_ref();
            let beside = settings.and_then(|found| read_scale(&found.path));
            beside.unwrap_or(DEFAULT_SCALE).into()
        });
        Ok(LoadedNetwork {
            network: Network::new(net.parameters, scale),
            files: self,
            is_consistent: net.is_consistent,
        })
    }
}

/// A network, and what there is to tell about it.
pub struct LoadedNetwork {
    /// The network, with the scale that goes with it.
    pub network: Network,
    /// The files it was read from.
    pub files: NetworkFiles,
    /// Whether the hashes in the file are those of its architecture. Some trainers' are not.
    pub is_consistent: bool,
}

impl LoadedNetwork {
    /// Reads a network from a file or a folder, see [`NetworkFiles`].
    ///
    /// # Errors
    /// When there is no file or it holds no network that can be used.
    pub fn read(path: &Path) -> Result<LoadedNetwork, NetError> {
        NetworkFiles::find(path)?.read()
    }
}

/// Reads a network of any format from a file of `length` bytes. `progress` reads the `progress.bin`
/// beside it, if there is one, for a number of stages.
pub fn read(
    file: impl Read + Seek,
    length: u64,
    progress: impl FnOnce(usize) -> Result<Option<GameProgress>, NetError>,
) -> Result<NetFile, NetError> {
    let mut reader = NetReader::new(file, length)?;
    let version = reader.word()?;
    if version.to_le_bytes() != komaoto::MAGIC[..4] {
        return yaneuraou::read(reader, version, progress);
    }
    let mut bytes = version.to_le_bytes().to_vec();
    reader.take(komaoto::MAX_FILE).read_to_end(&mut bytes)?;
    NativeNetwork::parse(&bytes)?.into_file()
}

/// A file of a folder by its name in any case; the exact name first.
fn find(folder: &Path, name: &str) -> io::Result<Option<PathBuf>> {
    let exact = folder.join(name);
    if exact.is_file() {
        return Ok(Some(exact));
    }
    let mut first: Option<PathBuf> = None;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let found = path.file_name();
        let is_named = found.is_some_and(|found| found.eq_ignore_ascii_case(name));
        if is_named && path.is_file() && first.as_ref().is_none_or(|first| path < *first) {
            first = Some(path);
        }
    }
    Ok(first)
}

/// Reads the weights of the progress of the game.
fn read_progress(path: &Path, stages: usize) -> Result<GameProgress, NetError> {
    let bytes = fs::read(path)?;
    let (numbers, rest) = bytes.as_chunks::<8>();
    if numbers.len() != WEIGHTS || !rest.is_empty() {
        let (found, expected) = (bytes.len(), 8 * WEIGHTS);
        let what = format!("progress.bin has {found} bytes, expected {expected}");
        return Err(NetError::Invalid(what));
    }
    let weights = numbers.iter().map(|&bytes| f64::from_le_bytes(bytes));
    let invalid = || NetError::Invalid("weights out of range in progress.bin".into());
    GameProgress::of_file(weights, stages).ok_or_else(invalid)
}

/// Reads the scale from a file of settings.
fn read_scale(path: &Path) -> Option<i32> {
    let settings = fs::read(path).ok()?;
    scale_in(&String::from_utf8_lossy(&settings))
}

/// The scale in lines such as `option name FV_SCALE type spin default 24 min 1 max 128`, or
/// shorter ones: the first number after the name and, if there is one, the word `default` or
/// `value`.
fn scale_in(settings: &str) -> Option<i32> {
    // Editors of Windows put a byte order mark at the start.
    settings
        .trim_start_matches('\u{feff}')
        .lines()
        .find_map(|line| {
            let mut words = line
                .split(|c: char| c.is_whitespace() || c == '=' || c == ':')
                .skip_while(|word| !word.eq_ignore_ascii_case("FV_SCALE"));
            let scale = words.find_map(|word| word.parse().ok())?;
            (1..=128).contains(&scale).then_some(scale)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_listed_is_not_an_empty_one() {
        // A file in its place stands for one that may not be read: the user may be allowed
        // everything.
        let no_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(find(&no_folder, FILE_NAME).is_err());
        let without = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_eq!(find(&without, FILE_NAME).unwrap(), None);
        let with = find(without.parent().unwrap(), "CARGO.toml").unwrap();
        assert_eq!(with.unwrap(), no_folder);
    }

    #[test]
    fn scales_are_found_in_settings() {
        for (text, scale) in [
            (
                "option name FV_SCALE type spin default 24 min 1 max 128",
                Some(24),
            ),
            ("USI_Hash 64\r\nFV_SCALE 36\r\n", Some(36)),
            ("setoption name fv_scale value 20", Some(20)),
            ("FV_SCALE=40", Some(40)),
            ("\u{feff}FV_SCALE 24", Some(24)),
            ("option name FV_SCALE type spin default 999", None),
            ("option name BookFile type string default no_book", None),
            ("", None),
        ] {
            assert_eq!(scale_in(text), scale, "{text}");
        }
    }
}
