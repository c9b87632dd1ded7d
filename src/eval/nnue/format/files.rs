//! Finds a network by the path of a file or folder, with the files beside it, and reads it.
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

/// The network file of a folder.
const FILE_NAME: &str = "nn.bin";
/// Engine options that suit the network, `FV_SCALE` among them.
const SETTINGS_NAME: &str = "eval_options.txt";
/// Weights of the game progress (進行度).
const PROGRESS_NAME: &str = "progress.bin";
/// `FV_SCALE` when neither the network file nor [`SETTINGS_NAME`] gives it.
const DEFAULT_FV_SCALE: i32 = 16;

/// Bytes of a file that are compared: far more than any network has.
const MAX_CHECKSUMMED: u64 = 4 << 30;

/// Path and contents of a file, to notice when it changes: another of the same size may be put in its
/// place within the resolution of modification times.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FileStamp {
    path: PathBuf,
    length: u64,
    checksum: u32,
}

impl FileStamp {
    fn at(path: PathBuf) -> Result<FileStamp, NetError> {
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(NetError::NotAFile);
        }
        Ok(FileStamp {
            length: metadata.len(),
            checksum: checksum(&path)?,
            path,
        })
    }
}

fn checksum(path: &Path) -> io::Result<u32> {
    let mut file = File::open(path)?.take(MAX_CHECKSUMMED);
    let mut buffer = vec![0; 1 << 16];
    let mut hasher = crc32fast::Hasher::new();
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize()),
            length => hasher.update(&buffer[..length]),
        }
    }
}

/// A network file and the files beside it that belong to it. Compares equal as long as neither paths nor
/// contents change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkFiles {
    network: FileStamp,
    settings: Option<FileStamp>,
    progress: Option<FileStamp>,
}

impl NetworkFiles {
    /// Finds the network at the path of a file, or the `nn.bin` (in any case) of a folder.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn find(path: &Path) -> Result<NetworkFiles, NetError> {
        let path = if fs::metadata(path)?.is_dir() {
            find_ignoring_case(path, FILE_NAME)?.ok_or(NetError::NoNetworkInFolder)?
        } else {
            path.to_path_buf()
        };
        let network = FileStamp::at(path)?;
        // A folder that cannot be listed counts as empty.
        let beside = |name| {
            let path = find_ignoring_case(network.path.parent()?, name).ok()??;
            FileStamp::at(path).ok()
        };
        Ok(NetworkFiles {
            settings: beside(SETTINGS_NAME),
            progress: beside(PROGRESS_NAME),
            network,
        })
    }

    /// The path of the network file.
    pub fn path(&self) -> &Path {
        &self.network.path
    }

    /// Size of the network file in bytes.
    pub fn length(&self) -> u64 {
        self.network.length
    }

    /// Reads the network.
    ///
    /// # Errors
    /// If the file is not a network that can be used.
    pub fn read(self) -> Result<LoadedNetwork, NetError> {
        let file = File::open(self.path())?;
        let progress = |stages| match &self.progress {
            Some(found) => read_progress(&found.path, stages).map(Some),
            None => Ok(None),
        };
        let net = read(file, self.length(), progress)?;
        let fv_scale = net.fv_scale.unwrap_or_else(|| {
            let settings = self.settings.as_ref();
            let beside = settings.and_then(|found| read_fv_scale(&found.path));
            beside.unwrap_or(DEFAULT_FV_SCALE).into()
        });
        Ok(LoadedNetwork {
            network: Network::new(net.parameters, fv_scale),
            files: self,
            hashes_match: net.hashes_match,
        })
    }
}

/// A network and the files it was read from.
pub struct LoadedNetwork {
    /// The network with its `FV_SCALE`.
    pub network: Network,
    /// The files it was read from.
    pub files: NetworkFiles,
    /// Whether the hashes in the file are those of its architecture. Some trainers write other hashes.
    pub hashes_match: bool,
}

impl LoadedNetwork {
    /// Reads a network from a file or a folder, see [`NetworkFiles`].
    ///
    /// # Errors
    /// If there is no such file, or it is not a network that can be used.
    pub fn read(path: &Path) -> Result<LoadedNetwork, NetError> {
        NetworkFiles::find(path)?.read()
    }
}

/// Reads a network of any format from a file of `length` bytes. `progress` reads the `progress.bin`
/// beside it, if there is one, given the number of game stages.
pub fn read(
    file: impl Read + Seek,
    length: u64,
    progress: impl FnOnce(usize) -> Result<Option<GameProgress>, NetError>,
) -> Result<NetFile, NetError> {
    let mut reader = NetReader::new(file, length)?;
    let version = reader.read_u32()?;
    if version.to_le_bytes() != komaoto::MAGIC[..4] {
        return yaneuraou::read(reader, version, progress);
    }
    let mut bytes = version.to_le_bytes().to_vec();
    reader.take(komaoto::MAX_FILE).read_to_end(&mut bytes)?;
    NativeNetwork::parse(&bytes)?.into_file()
}

/// The file of this name in a folder, ignoring case; an exact match comes first.
fn find_ignoring_case(folder: &Path, name: &str) -> io::Result<Option<PathBuf>> {
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

/// Reads `progress.bin`: a 64-bit float for each feature of HalfKP.
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
    GameProgress::from_file(weights, stages).ok_or_else(invalid)
}

/// Reads `FV_SCALE` from an `eval_options.txt`.
fn read_fv_scale(path: &Path) -> Option<i32> {
    let settings = fs::read(path).ok()?;
    parse_fv_scale(&String::from_utf8_lossy(&settings))
}

/// `FV_SCALE` in a line such as `option name FV_SCALE type spin default 24 min 1 max 128` or
/// `FV_SCALE=24`: the first number after the name.
fn parse_fv_scale(settings: &str) -> Option<i32> {
    // Windows editors write a byte order mark.
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
        // A file cannot be listed, not even by root, who may list every folder.
        let no_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(find_ignoring_case(&no_folder, FILE_NAME).is_err());
        let without = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_eq!(find_ignoring_case(&without, FILE_NAME).unwrap(), None);
        let with = find_ignoring_case(without.parent().unwrap(), "CARGO.toml").unwrap();
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
            assert_eq!(parse_fv_scale(text), scale, "{text}");
        }
    }
}
