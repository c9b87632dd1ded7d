//! The files that a run writes: nothing else may be lost by it, and no other run may write them at the
//! same time.
#![forbid(unsafe_code)]

use super::error::TrainError;
use super::settings::Settings;
use crate::cli::files;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// Says to other processes that a run is under way, as long as it lives.
pub struct Claim {
    path: PathBuf,
    _lock: File,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Somebody else's file of that name is not ours to remove.
        if fs::metadata(&self.path).is_ok_and(|found| found.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Makes sure that nothing is written over by mistake, and that the network can be written when it
/// has been trained.
///
/// # Errors
/// When an output is there already, is needed as an input, or another run writes it.
pub fn claim(settings: &Settings) -> Result<Claim, TrainError> {
    let [checkpoint, csv, svg, parts, lock] =
        ["checkpoint", "csv", "svg", "parts", "lock"].map(|ending| settings.beside(ending));
    let files = [&settings.out, &checkpoint, &csv, &svg].map(PathBuf::clone);
    let mut passing: Vec<PathBuf> = files.iter().map(|path| new_name(path)).collect();
    passing.push(parts);
    let output = |path: &PathBuf, what| {
        let path = path.clone();
        Err(TrainError::Output { path, what })
    };
    for path in &files {
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            return output(path, "something else");
        }
    }
    for path in files.iter().chain(&passing).chain([&lock]) {
        if settings.data.iter().any(|data| is_same(data, path)) {
            return output(path, "a file to learn from");
        }
    }
    // What it starts from may be replaced in the end, but has to be there until then.
    for path in passing.iter().chain([&lock]) {
        if settings
            .init
            .as_ref()
            .is_some_and(|init| is_same(init, path))
        {
            return output(path, "the network to start from");
        }
    }
    // A run that is not finished has written no network.
    if settings.resume && !settings.force && settings.out.exists() {
        return Err(TrainError::Exists(settings.out.clone()));
    }
    let is_new = !(settings.force || settings.resume);
    if is_new && let Some(path) = files.iter().chain(&passing).find(|path| path.exists()) {
        let path = path.clone();
        return Err(if path == checkpoint {
            TrainError::Begun(path)
        } else {
            TrainError::Exists(path)
        });
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock)
        .map_err(TrainError::file(&lock))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(TrainError::Locked(settings.out.clone()));
    }
    Ok(Claim {
        path: lock,
        _lock: file,
    })
}

/// Writes a file whole or not at all.
///
/// # Errors
/// When the system cannot.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let new = new_name(path);
    if let Err(error) = fs::write(&new, bytes) {
        // What is cut short only fills the disk.
        let _ = fs::remove_file(&new);
        return Err(TrainError::file(&new)(error));
    }
    fs::rename(&new, path).map_err(TrainError::file(path))
}

/// The name of a file while it is written.
fn new_name(path: &Path) -> PathBuf {
    files::beside(path, "new")
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(fs::canonicalize);
    one.is_ok_and(|one| other.is_ok_and(|other| one == other))
}
