//! From a path to a network: folders, names in any case, and the scale that goes with a file.
#![forbid(unsafe_code)]

use super::error::NetError;
use super::file;
use super::network::Network;
use super::progress::{Progress, WEIGHTS};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The name of a network in a folder.
const FILE_NAME: &str = "nn.bin";
/// The file with settings that go with a network.
const SETTINGS_NAME: &str = "eval_options.txt";
/// The file with weights of the progress of the game.
const PROGRESS_NAME: &str = "progress.bin";
/// What an output is divided by unless something else is known.
const DEFAULT_SCALE: i32 = 16;

/// A network, and what there is to tell about it.
pub struct LoadedNetwork {
    /// The network, with the scale that goes with it.
    pub network: Network,
    /// The file it was read from.
    pub path: PathBuf,
    /// Bytes of the file.
    pub length: u64,
    /// Whether the hashes in the file are those of its architecture. Some trainers' are not.
    pub is_consistent: bool,
}

impl LoadedNetwork {
    /// Reads a network from a file, or from the `nn.bin` (in any case) of a folder.
    ///
    /// # Errors
    /// When there is no file or it holds no network that can be used.
    pub fn read(path: &Path) -> Result<LoadedNetwork, NetError> {
        let path = if fs::metadata(path)?.is_dir() {
            find(path, FILE_NAME).ok_or(NetError::NoFileInFolder)?
        } else {
            path.to_path_buf()
        };
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(NetError::NoFile);
        }
        let net = file::read(File::open(&path)?, metadata.len(), |stages| {
            progress_beside(&path, stages)
        })?;
        let beside = || scale_beside(&path).unwrap_or(DEFAULT_SCALE).into();
        let scale = net.scale.unwrap_or_else(beside);
        Ok(LoadedNetwork {
            network: Network::new(net.parameters, scale).normalized(),
            path,
            length: metadata.len(),
            is_consistent: net.is_consistent,
        })
    }
}

/// A file of a folder by its name in any case; the exact name first.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let exact = folder.join(name);
    if exact.is_file() {
        return Some(exact);
    }
    let mut names: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.is_file()
                && path
                    .file_name()
                    .is_some_and(|found| found.eq_ignore_ascii_case(name))
        })
        .collect();
    names.sort();
    names.into_iter().next()
}

/// The weights of the progress of the game beside a network, if there are any.
fn progress_beside(path: &Path, stages: usize) -> Result<Option<Progress>, NetError> {
    let Some(path) = path.parent().and_then(|folder| find(folder, PROGRESS_NAME)) else {
        return Ok(None);
    };
    let bytes = fs::read(path)?;
    let (numbers, rest) = bytes.as_chunks::<8>();
    if numbers.len() != WEIGHTS || !rest.is_empty() {
        return Err(NetError::ProgressFile {
            expected: 8 * WEIGHTS,
            found: bytes.len(),
        });
    }
    let weights = numbers.iter().map(|&bytes| f64::from_le_bytes(bytes));
    let progress = Progress::of_file(weights, stages).ok_or(NetError::ProgressNumbers)?;
    Ok(Some(progress))
}

/// The scale in the settings beside a network.
fn scale_beside(path: &Path) -> Option<i32> {
    let settings = fs::read(find(path.parent()?, SETTINGS_NAME)?).ok()?;
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
