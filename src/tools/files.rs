//! Opening files that users name.
#![forbid(unsafe_code)]

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

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
    use crate::data::testing::Folder;

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
