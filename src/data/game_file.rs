//! Files of games: a [`GameFileHeader`], then one record a game, appended with a single write each.
//!
//! A record is u16 length *n* of the game's bytes, u16 bitwise complement of *n*, u32 CRC-32 of the
//! bytes, and the *n* bytes of the game (see [`super::game`]). A process or machine that dies during a
//! write leaves a truncated last record, or zeros in its place. Reading ends at such a torn record and
//! appending replaces it; any other damage is an error.
#![forbid(unsafe_code)]

use super::error::{DataError, DataProblem};
use super::game::Game;
use super::header::{GameFileHeader, MAX_LENGTH};
use crate::cli::files;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes of a record before the game.
pub(super) const FRAME: usize = 8;
/// Bytes read from the file at a time.
const BUFFER: usize = 1 << 20;

/// Reads the games of a file one after the other, as an iterator. Ends after the first error.
pub struct GameReader {
    input: BufReader<File>,
    path: PathBuf,
    header: GameFileHeader,
    /// Where the next record begins.
    offset: u64,
    torn: bool,
    ended: bool,
    bytes: Vec<u8>,
}

impl GameReader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// When it cannot be read or is no game file.
    pub fn open(path: &Path) -> Result<GameReader, DataError> {
        GameReader::from_file(files::open(path).map_err(DataError::io(path))?, path)
    }

    fn from_file(mut file: File, path: &Path) -> Result<GameReader, DataError> {
        let mut start = Vec::new();
        Read::by_ref(&mut file)
            .take(MAX_LENGTH as u64)
            .read_to_end(&mut start)
            .map_err(DataError::io(path))?;
        let decoded = GameFileHeader::decode(&start);
        let (header, length) = decoded.map_err(|problem| DataError::at(path, 0, problem))?;
        let offset = length as u64;
        file.seek(SeekFrom::Start(offset))
            .map_err(DataError::io(path))?;
        Ok(GameReader {
            input: BufReader::with_capacity(BUFFER, file),
            path: path.to_path_buf(),
            header,
            offset,
            torn: false,
            ended: false,
            bytes: Vec::new(),
        })
    }

    /// What the games are.
    pub fn header(&self) -> &GameFileHeader {
        &self.header
    }

    /// Where the next record begins; after the last game, the end of all whole records.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the file ends with a torn record. Known once the games are read.
    pub fn is_torn(&self) -> bool {
        self.torn
    }

    /// The next game; `None` at the end or at a torn record.
    fn read_game(&mut self) -> Result<Option<Game>, DataProblem> {
        let mut frame = [0; FRAME];
        let length = fill(&mut self.input, &mut frame)?;
        if length < FRAME {
            self.torn = length > 0;
            return Ok(None);
        }
        let [l0, l1, c0, c1, sum @ ..] = frame;
        let length = u16::from_le_bytes([l0, l1]);
        if length != !u16::from_le_bytes([c0, c1]) {
            return self.torn_or("invalid length", &sum);
        }
        self.bytes.resize(usize::from(length), 0);
        if fill(&mut self.input, &mut self.bytes)? < self.bytes.len() {
            self.torn = true;
            return Ok(None);
        }
        if crc32fast::hash(&self.bytes) != u32::from_le_bytes(sum) {
            return self.torn_or("checksum mismatch", &[]);
        }
        let mut game = Game::decode(&self.bytes).map_err(DataProblem::Record)?;
        game.convert_scores(self.header.unit);
        self.offset += (FRAME + self.bytes.len()) as u64;
        Ok(Some(game))
    }

    /// A bad record is torn if `read` and the rest of the file are zeros.
    fn torn_or(&mut self, what: &'static str, read: &[u8]) -> Result<Option<Game>, DataProblem> {
        let mut is_zero = read.iter().all(|&byte| byte == 0);
        let mut chunk = [0; 4096];
        while is_zero {
            let length = fill(&mut self.input, &mut chunk)?;
            if length == 0 {
                self.torn = true;
                return Ok(None);
            }
            is_zero = chunk[..length].iter().all(|&byte| byte == 0);
        }
        Err(DataProblem::Record(what))
    }
}

impl Iterator for GameReader {
    type Item = Result<Game, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read_game();
        self.ended = !matches!(read, Ok(Some(_)));
        read.map_err(|problem| DataError::at(&self.path, self.offset, problem))
            .transpose()
    }
}

/// Reads until the buffer is full or the input ends; returns how many bytes that were.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match input.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Appends games to a file. A game that cannot be written leaves the file as it was before.
pub struct GameWriter {
    file: File,
    path: PathBuf,
    /// End of what is written.
    length: u64,
}

impl GameWriter {
    /// Begins a new file. An empty file counts as missing.
    ///
    /// # Errors
    /// When it cannot be written, is being written, or exists and `force` is not given.
    pub fn create(
        path: &Path,
        header: &GameFileHeader,
        force: bool,
    ) -> Result<GameWriter, DataError> {
        let (mut writer, size) = GameWriter::lock(path)?;
        if size > 0 {
            if !force {
                return Err(DataError::of_file(path, DataProblem::Exists));
            }
            writer.file.set_len(0).map_err(DataError::io(path))?;
        }
        writer.write_all(&header.encode())?;
        Ok(writer)
    }

    /// Continues a file, or begins it when it is missing or empty; `visit` sees the games it has. A torn
    /// last record is removed, and so are side lines whose game was never written: the second result
    /// is how many bytes.
    ///
    /// # Errors
    /// When it cannot be read or written, is being written, is damaged, or has another header.
    pub fn append(
        path: &Path,
        header: &GameFileHeader,
        mut visit: impl FnMut(&Game),
    ) -> Result<(GameWriter, u64), DataError> {
        let (mut writer, size) = GameWriter::lock(path)?;
        if size == 0 {
            writer.write_all(&header.encode())?;
            return Ok((writer, 0));
        }
        let file = writer.file.try_clone().map_err(DataError::io(path))?;
        let mut reader = GameReader::from_file(file, path)?;
        if let Some((found, expected)) = reader.header().difference(header) {
            let problem = DataProblem::OtherHeader { found, expected };
            return Err(DataError::of_file(path, problem));
        }
        writer.length = reader.offset();
        let mut lines = Vec::new();
        while let Some(game) = reader.next().transpose()? {
            lines.push(game);
            if lines.last().is_some_and(|game| !game.is_side_line()) {
                lines.drain(..).for_each(|game| visit(&game));
                writer.length = reader.offset();
            }
        }
        let torn = size.saturating_sub(writer.length);
        if torn > 0 {
            let truncated = writer.file.set_len(writer.length);
            truncated.map_err(DataError::io(path))?;
        }
        let sought = writer.file.seek(SeekFrom::Start(writer.length));
        sought.map_err(DataError::io(path))?;
        Ok((writer, torn))
    }

    /// Opens a file for this writer alone; also returns its size.
    fn lock(path: &Path) -> Result<(GameWriter, u64), DataError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(DataError::io(path))?;
        // Some file systems cannot lock; nothing prevents two writers there.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let problem = DataProblem::File("another process is writing to the file");
            return Err(DataError::of_file(path, problem));
        }
        let size = file.metadata().map_err(DataError::io(path))?.len();
        let writer = GameWriter {
            file,
            path: path.to_path_buf(),
            length: 0,
        };
        Ok((writer, size))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// When it does not fit the format or cannot be written; the file then ends with the game before.
    pub fn write(&mut self, game: &Game) -> Result<(), DataError> {
        let mut bytes = vec![0; FRAME];
        game.encode(&mut bytes);
        let Ok(length) = u16::try_from(bytes.len() - FRAME) else {
            let problem = format!("{} plies do not fit the format", game.moves.len());
            return Err(self.error(game.problem(problem)));
        };
        let sum = crc32fast::hash(&bytes[FRAME..]);
        bytes[..2].copy_from_slice(&length.to_le_bytes());
        bytes[2..4].copy_from_slice(&(!length).to_le_bytes());
        bytes[4..FRAME].copy_from_slice(&sum.to_le_bytes());
        self.write_all(&bytes)
    }

    /// Makes sure that everything is on disk.
    ///
    /// # Errors
    /// When the system reports an error.
    pub fn finish(&mut self) -> Result<(), DataError> {
        match self.file.sync_all() {
            // Pipes and devices have nothing to sync.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result.map_err(|error| self.error(error.into())),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        let changed = |what| Err(DataError::of_file(&self.path, DataProblem::File(what)));
        if is_elsewhere(&self.file, &self.path) {
            return changed("the file was removed or replaced while being written");
        }
        let metadata = self.file.metadata();
        if metadata.is_ok_and(|found| found.is_file() && found.len() != self.length) {
            return changed("the file was changed by another program while being written");
        }
        if let Err(error) = self.file.write_all(bytes) {
            // Removes what was written of the record. If that fails too, reading will find it torn.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(self.error(error.into()));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn error(&self, problem: DataProblem) -> DataError {
        DataError::at(&self.path, self.length, problem)
    }
}

/// Whether an open file is no longer what its path leads to.
#[cfg(unix)]
fn is_elsewhere(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) != identity(named),
        _ => true,
    }
}

/// Whether an open file is no longer what its path leads to.
#[cfg(not(unix))]
fn is_elsewhere(_: &File, path: &Path) -> bool {
    // An open file cannot be removed there.
    !path.exists()
}
