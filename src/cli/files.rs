//! Files named on the command line.
#![forbid(unsafe_code)]

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

/// Opens a file for reading. Pipes and devices are rejected: opening them may block for ever.
///
/// # Errors
/// When it is not a regular file or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// Reads a whole file, see [`open`].
///
/// # Errors
/// When it is not a regular file or cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    check(path)?;
    fs::read(path)
}

fn check(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    let what = "expected a regular file, found something else";
    Err(io::Error::new(ErrorKind::InvalidInput, what))
}

/// The path with a dot and a suffix appended: `a.nn` and `csv` give `a.nn.csv`.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// A file that is written under a temporary name and renamed when complete. If dropped before that, it is
/// removed.
pub struct AtomicFile {
    path: PathBuf,
    partial: PathBuf,
}

impl AtomicFile {
    /// Creates the file under its temporary name, beside `path` and for this process alone.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let partial = with_suffix(path, &format!("{}.partial", process::id()));
        File::create_new(&partial)?;
        Ok(AtomicFile {
            path: path.to_path_buf(),
            partial,
        })
    }

    /// The temporary name.
    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// Renames the file to `path`. Without `replace` an existing file is kept; a hard link, where the file
    /// system has them, leaves no gap between the test and the renaming.
    ///
    /// # Errors
    /// Of kind [`ErrorKind::AlreadyExists`] when the name is taken and `replace` is not set, or what
    /// the system says.
    pub fn commit(self, replace: bool) -> io::Result<()> {
        let AtomicFile { path, partial } = &self;
        if replace {
            return fs::rename(partial, path);
        }
        match fs::hard_link(partial, path) {
            // The temporary name is removed on drop.
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            Err(_) if fs::symlink_metadata(path).is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(partial, path),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After a rename there is nothing to remove.
        let _ = fs::remove_file(&self.partial);
    }
}

/// Writes a whole file, replacing an existing one; on failure an existing file is untouched.
///
/// # Errors
/// When it cannot be written.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = AtomicFile::create(path)?;
    File::create(file.partial())?.write_all(bytes)?;
    file.commit(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Folder;

    #[test]
    fn suffixes_are_added_to_the_whole_name() {
        let path = with_suffix(Path::new("a/b.nn"), "csv");
        assert_eq!(path, Path::new("a/b.nn.csv"));
    }

    #[test]
    fn files_take_their_name_when_complete() {
        let folder = Folder::new("atomic");
        let path = folder.file("a");
        let names = || fs::read_dir(folder.file("")).unwrap().count();
        let write = |text: &str| {
            let file = AtomicFile::create(&path).unwrap();
            fs::write(file.partial(), text).unwrap();
            file
        };
        drop(write("never"));
        assert_eq!(names(), 0);
        let first = write("first");
        assert!(AtomicFile::create(&path).is_err() && !path.exists());
        first.commit(false).unwrap();
        let error = write("second").commit(false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        write("third").commit(true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
        write_atomically(&path, b"fourth").unwrap();
        assert_eq!((fs::read(&path).unwrap(), names()), (b"fourth".to_vec(), 1));
        assert!(write_atomically(&folder.file("missing/a"), b"").is_err());
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = Folder::new("files");
        let path = folder.file("a");
        assert_eq!(open(&path).unwrap_err().kind(), ErrorKind::NotFound);
        fs::write(&path, b"text").unwrap();
        assert!(open(&path).is_ok());
        assert_eq!(read(&path).unwrap(), b"text");
        let folder = folder.file("");
        assert_eq!(read(&folder).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
