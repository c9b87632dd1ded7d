//! What tests of several modules share.

use std::path::PathBuf;
use std::{env, fs, process};

/// A folder of its own for each test, removed with everything in it.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Makes a folder; the name has to be one that no other test uses.
    pub fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("komaoto-{name}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A path in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
