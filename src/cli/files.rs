//! Files that users name, and those that lie beside them.
#![forbid(unsafe_code)]

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Opens a file to read. Pipes and devices are refused: opening them may never end.
///
/// # Errors
/// When it is none, or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    check(path)?;
    File::open(path)
}

/// Reads a file whole, see [`open`].
///
/// # Errors
/// When it is none, or cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    check(path)?;
    fs::read(path)
}

/// A path with a dot and an ending added to its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Gives a file another name, unless something has that name already; that is settled by the file
/// system where it knows links, so that nothing made in the meantime is lost.
///
/// # Errors
/// Of kind [`ErrorKind::AlreadyExists`] when the name is taken, or what kept it from being given.
pub fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        Err(_) if fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}

fn check(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    let what = "expected a file, found something else";
    Err(io::Error::new(ErrorKind::InvalidInput, what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Folder;

    #[test]
    fn endings_are_added_to_the_whole_name() {
        assert_eq!(beside(Path::new("a/b.nn"), "csv"), Path::new("a/b.nn.csv"));
    }

    #[test]
    fn a_name_that_is_taken_is_not_given() {
        let folder = Folder::new("names");
        let [from, to] = ["from", "to"].map(|name| folder.file(name));
        fs::write(&from, b"new").unwrap();
        rename_to_new(&from, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"new");
        assert!(!from.exists());
        fs::write(&from, b"newer").unwrap();
        let error = rename_to_new(&from, &to).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&to).unwrap(), b"new");
        assert_eq!(fs::read(&from).unwrap(), b"newer");
    }

    #[test]
    fn only_files_are_opened() {
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
