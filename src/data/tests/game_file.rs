use crate::cli::testing::Folder;
use crate::data::game_file::FRAME;
use crate::data::{
    DataProblem, Game, GameEnd, GameFileHeader, GameReader, GameResult, GameWriter, ScoredMove,
};
use crate::eval::units::ScoreUnit;
use crate::types::{Color, Move};
use std::fs;
use std::path::Path;

fn header() -> GameFileHeader {
    GameFileHeader {
        engine: "Komaoto 0.1.0".into(),
        evaluation: "network".into(),
        evaluation_hash: 0,
        unit: ScoreUnit::CENTIPAWNS,
        settings: vec![("seed".into(), "1".into())],
    }
}

fn game(number: u32, moves: &str, start: Option<&str>) -> Game {
    let played = |(index, text): (usize, &str)| ScoredMove {
        mv: Move::from_usi(text).unwrap(),
        score: (index > 0).then_some(31_990 - 7000 * index as i16),
    };
    Game {
        number,
        start: start.map(String::from),
        opening: 1,
        moves: moves.split(' ').enumerate().map(played).collect(),
        branches: Vec::new(),
        result: GameResult::Win(Color::White),
        end: GameEnd::Adjudication,
    }
}

fn games() -> Vec<Game> {
    let drop = Some("4k4/9/9/9/9/9/9/9/4K4 b G 7");
    let draw = Game {
        moves: Vec::new(),
        result: GameResult::Draw,
        end: GameEnd::Unknown,
        ..game(9, "7g7f", None)
    };
    vec![
        game(0, "7g7f 3c3d 8h2b+ 3a2b B*4e", None),
        game(4, "G*5b", drop),
        draw,
        game(2, "2g2f", None),
    ]
}

fn write(path: &Path) -> Vec<Game> {
    let mut writer = GameWriter::create(path, &header(), false).unwrap();
    for game in &games() {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
    games()
}

fn read(path: &Path) -> (Vec<Game>, GameReader) {
    let mut reader = GameReader::open(path).unwrap();
    let games = reader.by_ref().map(Result::unwrap).collect();
    (games, reader)
}

#[test]
fn games_round_trip() {
    let folder = Folder::new("round-trip");
    let written = write(&folder.file("games.koma"));
    let (games, reader) = read(&folder.file("games.koma"));
    assert_eq!(games, written);
    assert_eq!(reader.header(), &header());
    assert!(!reader.is_torn());
    assert_eq!(
        reader.offset(),
        fs::metadata(folder.file("games.koma")).unwrap().len()
    );
}

#[test]
fn a_file_cut_anywhere_in_its_last_record_is_continued() {
    let folder = Folder::new("torn");
    let path = folder.file("games.koma");
    let written = write(&path);
    let whole = fs::read(&path).unwrap();
    let mut last = Vec::new();
    written[3].encode(&mut last);
    let start = whole.len() - last.len() - FRAME;
    for zeros in [0, 3, 5000] {
        for length in start..whole.len() {
            let mut cut = whole[..length].to_vec();
            cut.resize(length + zeros, 0);
            // Zeros may happen to be what was to be written.
            if whole.starts_with(&cut) || cut.starts_with(&whole) {
                continue;
            }
            fs::write(&path, &cut).unwrap();
            let (games, reader) = read(&path);
            assert_eq!(games, written[..3], "{length}");
            assert_eq!(reader.is_torn(), cut.len() > start);
            let mut seen = 0;
            let continued = GameWriter::append(&path, &header(), |_| seen += 1);
            let (mut writer, torn) = continued.unwrap();
            assert_eq!((seen, torn), (3, (cut.len() - start) as u64));
            writer.write(&written[3]).unwrap();
            assert_eq!(fs::read(&path).unwrap(), whole, "{length}");
        }
    }
}

#[test]
fn damage_before_the_end_is_an_error_and_nothing_is_removed() {
    let folder = Folder::new("damage");
    let path = folder.file("games.koma");
    let written = write(&path);
    let whole = fs::read(&path).unwrap();
    let mut last = Vec::new();
    written[3].encode(&mut last);
    let header_length = header().encode().len();
    for index in header_length..whole.len() - last.len() - FRAME {
        let mut damaged = whole.clone();
        damaged[index] ^= 0x10;
        fs::write(&path, &damaged).unwrap();
        let results: Vec<_> = GameReader::open(&path).unwrap().collect();
        let Some(Err(error)) = results.last() else {
            panic!("byte {index} was changed unnoticed");
        };
        assert!(matches!(error.problem, DataProblem::Record(_)), "{error}");
        assert!(error.to_string().contains("games.koma"));
        let place = error.offset.map(|offset| offset as usize);
        assert!(place.is_some_and(|offset| offset <= index), "{error}");
        assert!(GameWriter::append(&path, &header(), |_| {}).is_err());
        assert_eq!(fs::read(&path).unwrap(), damaged);
    }
}

#[test]
fn other_files_are_rejected_and_kept() {
    let folder = Folder::new("foreign");
    let path = folder.file("games.koma");
    fs::write(&path, "P-00KI").unwrap();
    let continued = GameWriter::append(&path, &header(), |_| {});
    let text = continued.err().unwrap().to_string();
    assert!(text.ends_with("byte 0: expected a Komaoto game file, found something else"));
    let created = GameWriter::create(&path, &header(), false);
    assert!(matches!(
        created.err().unwrap().problem,
        DataProblem::Exists
    ));
    assert_eq!(fs::read(&path).unwrap(), b"P-00KI");

    drop(GameWriter::create(&path, &header(), true).unwrap());
    let mut other = header();
    other.settings[0].1 = "2".into();
    let continued = GameWriter::append(&path, &other, |_| {});
    let text = continued.err().unwrap().to_string();
    assert!(
        text.contains("`seed 1`") && text.contains("`seed 2`"),
        "{text}"
    );
    let mut shorter = header();
    let (name, value) = shorter.settings.pop().unwrap();
    let continued = GameWriter::append(&path, &shorter, |_| {});
    let text = continued.err().unwrap().to_string();
    assert!(
        text.contains(&format!("`{name} {value}`")) && text.contains(&format!("`no {name}`")),
        "{text}"
    );
    let empty = folder.file("empty.koma");
    fs::write(&empty, "").unwrap();
    let read = GameReader::open(&empty).map(|_| ());
    assert!(read.unwrap_err().to_string().ends_with("empty file"));
}

#[test]
fn one_file_has_one_writer() {
    let folder = Folder::new("locked");
    let first = GameWriter::create(&folder.file("games.koma"), &header(), false).unwrap();
    let second = GameWriter::append(&folder.file("games.koma"), &header(), |_| {});
    let text = second.err().unwrap().to_string();
    assert!(text.ends_with("another process is writing to the file"));
    drop(first);
    assert!(GameWriter::append(&folder.file("games.koma"), &header(), |_| {}).is_ok());
}

#[test]
fn a_file_truncated_by_another_program_is_noticed() {
    let folder = Folder::new("changed");
    let path = folder.file("games.koma");
    let mut writer = GameWriter::create(&path, &header(), false).unwrap();
    writer.write(&games()[0]).unwrap();
    fs::write(&path, b"").unwrap();
    let text = writer.write(&games()[0]).unwrap_err().to_string();
    assert!(text.contains("changed by another program"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_is_noticed() {
    let folder = Folder::new("vanished");
    let mut writer = GameWriter::create(&folder.file("games.koma"), &header(), false).unwrap();
    fs::remove_dir_all(&folder.0).unwrap();
    let text = writer.write(&games()[0]).unwrap_err().to_string();
    assert!(text.contains("removed or replaced"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let error = GameWriter::create(Path::new("/dev/full"), &header(), false);
    let text = error.err().unwrap().to_string();
    assert!(
        text.starts_with("/dev/full, byte 0: No space left"),
        "{text}"
    );
}

#[test]
fn games_that_cannot_be_written_or_replayed_are_reported() {
    let folder = Folder::new("illegal");
    let mut writer = GameWriter::create(&folder.file("games.koma"), &header(), false).unwrap();
    let long = Game {
        moves: game(0, "7g7f", None).moves.repeat(20_000),
        ..game(0, "7g7f", None)
    };
    let text = writer.write(&long).unwrap_err().to_string();
    assert!(text.ends_with("game 0: 20000 plies do not fit the format"));
    writer.write(&games()[0]).unwrap();
    let (read, _) = read(&folder.file("games.koma"));
    assert_eq!(read, games()[..1]);

    let error = game(0, "7g7f 7g7f", None).replay(|_, _| ()).unwrap_err();
    assert_eq!(error.to_string(), "game 0: illegal move 2, 7g7f");
    let error = game(0, "7g7f", Some("x")).replay(|_, _| ()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("game 0: invalid start position `x`: SFEN"),
        "{text}"
    );
}
