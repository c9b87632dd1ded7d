//! The files that a run writes: none is overwritten by mistake, and no two runs write to one.
#![forbid(unsafe_code)]

use super::TrainError;
use super::settings::TrainSettings;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The lock of a run on its outputs, removed with it.
pub struct OutputLock {
    path: PathBuf,
    _file: File,
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // Somebody else's file of that name is not ours to remove.
        if fs::metadata(&self.path).is_ok_and(|found| found.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Locks the outputs of a run, and makes sure that the network can be written once it is trained.
///
/// # Errors
/// When an output exists and may not be overwritten, is an input too, or another run writes it.
pub fn lock(settings: &TrainSettings) -> Result<OutputLock, TrainError> {
    let [checkpoint, csv, svg, parts, lock] =
        ["checkpoint", "csv", "svg", "parts", "lock"].map(|suffix| settings.output(suffix));
    let outputs = [&settings.out, &checkpoint, &csv, &svg];
    let refuse = |path: &Path, why: &str| Err(TrainError::file(path)(why));
    for path in outputs {
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            return refuse(path, "cannot write here: it is not a regular file");
        }
        if settings.games.iter().any(|games| is_same(games, path)) {
            let why = "cannot write here: it is a file of games to train on";
            return refuse(path, why);
        }
    }
    let exists = "file exists; --force overwrites it";
    // A run that is not finished has written no network.
    if settings.out.exists() && !settings.force {
        return refuse(&settings.out, exists);
    }
    let may_overwrite = settings.force || settings.resume;
    if checkpoint.exists() && !may_overwrite {
        let why = "file exists; --resume continues from it, --force overwrites it";
        return refuse(&checkpoint, why);
    }
    if let Some(path) = [csv, svg, parts].into_iter().find(|path| path.exists())
        && !may_overwrite
    {
        return refuse(&path, exists);
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock)
        .map_err(TrainError::file(&lock))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return refuse(&settings.out, "another process is training this network");
    }
    Ok(OutputLock {
        path: lock,
        _file: file,
    })
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(fs::canonicalize);
    one.is_ok_and(|one| other.is_ok_and(|other| one == other))
}
