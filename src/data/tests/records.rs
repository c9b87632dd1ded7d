use crate::cli::testing::Folder;
use crate::data::RecordFormat::{Hcpe, Psv};
use crate::data::command::convert;
use crate::data::records::{decode_apery_move, encode_apery_move};
use crate::data::{
    DataProblem, Game, GameEnd, GameFileHeader, GameReader, GameResult, GameWriter, ScoredMove,
};
use crate::eval::units::ScoreUnit;
use crate::position::Position;
use crate::types::{Color, Move};
use std::fs;
use std::path::{Path, PathBuf};

/// A position, a move, and the move as other programs write it in PSV.
const GOLDEN: [(&str, &str, u16); 4] = [
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "7g7f",
        0x1E3B,
    ),
    (
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "2g2f",
        0x078E,
    ),
    ("4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5c", 0x43A6),
    ("4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*4h", 0x40A2),
];

#[test]
fn psv_records_are_those_of_other_programs() {
    for (sfen, text, raw) in GOLDEN {
        let position = Position::from_sfen(sfen).unwrap();
        let played = ScoredMove {
            mv: Move::from_usi(text).unwrap(),
            score: Some(-100),
        };
        let (mut bytes, result) = (Vec::new(), GameResult::Win(Color::White));
        Psv.encode(&mut bytes, &position, played, result).unwrap();
        let [low, high] = raw.to_le_bytes();
        assert_eq!(bytes[32..], [0xA6, 0xFF, low, high, 1, 0, 0xFF, 0]);
        let record = Psv.decode(&bytes).unwrap();
        assert_eq!(record.position, position);
        assert_eq!((record.played, record.result), (played, result));
    }
}

#[test]
fn hcpe_moves_are_those_of_other_programs() {
    let encode = |text| encode_apery_move(Move::from_usi(text).unwrap());
    assert_eq!([encode("G*5c"), encode("P*4h")], [0x2BA6, 0x28A2]);
    let mut moves = (0..=u16::MAX).filter_map(Move::from_raw);
    let read = (0..=u16::MAX).filter_map(decode_apery_move);
    assert_eq!(read.count(), moves.clone().count());
    assert!(moves.all(|mv| decode_apery_move(encode_apery_move(mv)) == Some(mv)));
}

#[test]
fn hcpe_records_round_trip() {
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let position = Position::from_sfen(sfen).unwrap();
    let mv = position.legal_moves()[0];
    let played = ScoredMove {
        mv,
        score: Some(300),
    };
    for result in [GameResult::Draw, GameResult::Win(Color::White)] {
        let mut bytes = Vec::new();
        Hcpe.encode(&mut bytes, &position, played, result).unwrap();
        let [low, high] = encode_apery_move(mv).to_le_bytes();
        let code = if result == GameResult::Draw { 0 } else { 2 };
        assert_eq!(bytes[32..], [44, 1, low, high, code, 0]);
        let record = Hcpe.decode(&bytes).unwrap();
        assert_eq!(record.position, position);
        assert_eq!((record.played, record.result), (played, result));
        bytes[36] = 3;
        assert_eq!(Hcpe.decode(&bytes).err(), Some("invalid result"));
    }
}

#[test]
fn invalid_records_are_rejected() {
    let mut record = Vec::new();
    let played = ScoredMove {
        mv: Move::from_usi("7g7f").unwrap(),
        score: Some(0),
    };
    let start = Position::startpos();
    Psv.encode(&mut record, &start, played, GameResult::Draw)
        .unwrap();
    let changed = |index: usize, byte: u8| {
        let mut record = record.clone();
        record[index] = byte;
        Psv.decode(&record).err()
    };
    assert_eq!(changed(0, record[0]), None);
    assert_eq!(changed(38, 2), Some("invalid result"));
    assert_eq!(changed(34, 0x7F), Some("invalid move"));
    assert_eq!(changed(34, 0x3A), Some("illegal move"));
    assert_eq!(changed(0, 0xFE), Some("missing king"));
    assert_eq!(Psv.decode(&record[..39]).err(), Some("truncated"));
}

fn header() -> GameFileHeader {
    GameFileHeader {
        engine: "engine".into(),
        evaluation: "evaluation".into(),
        evaluation_hash: 5,
        unit: ScoreUnit::CENTIPAWNS,
        settings: Vec::new(),
    }
}

fn game(number: u32, opening: u8, moves: &str, start: Option<&str>) -> Game {
    let played = |(index, text): (usize, &str)| ScoredMove {
        mv: Move::from_usi(text).unwrap(),
        score: (index >= usize::from(opening)).then_some(100 * index as i16 - 50),
    };
    Game {
        number,
        start: start.map(String::from),
        opening,
        moves: moves.split(' ').enumerate().map(played).collect(),
        branches: Vec::new(),
        result: GameResult::Win(Color::White),
        end: GameEnd::Mate,
    }
}

/// Writes three games to a file of our own format.
fn write(folder: &Folder) -> PathBuf {
    let path = folder.file("games.koma");
    let mut writer = GameWriter::create(&path, &header(), false).unwrap();
    let games = [
        game(0, 2, "7g7f 3c3d 8h2b+ 3a2b B*4e", None),
        game(1, 0, "7g7f 3c3d", None),
        game(
            2,
            0,
            "G*6b 5a4a 6b5b",
            Some("4k4/9/4P4/9/9/9/9/9/4K4 b G 31"),
        ),
    ];
    for game in &games {
        writer.write(game).unwrap();
    }
    path
}

#[test]
fn positions_before_a_random_move_have_no_result_to_write() {
    let folder = Folder::new("records-undecided");
    let path = folder.file("games.koma");
    let mut explored = game(0, 2, "7g7f 3c3d 8h2b+ 3a2b B*4e 9c9d", None);
    explored.moves[3].score = None;
    let mut writer = GameWriter::create(&path, &header(), false).unwrap();
    writer.write(&explored).unwrap();
    drop(writer);
    for name in ["games.psv", "games.hcpe"] {
        let converted = convert(&path, &folder.file(name), false).unwrap();
        assert_eq!((converted.positions, converted.undecided), (2, 1), "{name}");
    }
    let converted = convert(&path, &folder.file("copy.koma"), false).unwrap();
    assert_eq!((converted.positions, converted.undecided), (3, 0));
}

fn read(path: &Path) -> Vec<Game> {
    GameReader::open(path)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

#[test]
fn games_are_put_together_again() {
    let folder = Folder::new("records");
    let games = write(&folder);
    for name in ["a.psv", "a.hcpe", "A.BIN"] {
        let records = folder.file(name);
        let converted = convert(&games, &records, false).unwrap();
        assert_eq!((converted.games, converted.positions), (3, 8));
        let back = folder.file("back.koma");
        convert(&records, &back, true).unwrap();
        let found = read(&back);
        assert_eq!(found.len(), 3);
        for (found, original) in found.iter().zip(read(&games)) {
            let moves: Vec<Move> = found.moves.iter().map(|played| played.mv).collect();
            let opening = usize::from(original.opening);
            let searched: Vec<Move> = original.moves[opening..]
                .iter()
                .map(|played| played.mv)
                .collect();
            assert_eq!(moves, searched);
            assert_eq!(found.result, original.result);
        }
        assert_eq!(found[1].start, None);
        if name != "a.hcpe" {
            assert!(found[0].start.as_ref().unwrap().ends_with(" 3"));
            assert_eq!(found[2].start, read(&games)[2].start);
        }
        let again = folder.file(&format!("again-{name}"));
        convert(&back, &again, false).unwrap();
        assert_eq!(fs::read(again).unwrap(), fs::read(records).unwrap());
    }
}

#[test]
fn scores_are_in_the_unit_of_the_format() {
    let folder = Folder::new("units");
    let psv = folder.file("a.psv");
    convert(&write(&folder), &psv, false).unwrap();
    let bytes = fs::read(&psv).unwrap();
    // 150 centipawns at the first position searched, White to move and winning or not.
    assert_eq!(i16::from_le_bytes([bytes[32], bytes[33]]), 135);
    assert_eq!([bytes[36], bytes[38]], [3, 0xFF]);
    assert_eq!([bytes[76], bytes[78]], [4, 1]);
}

#[test]
fn errors_in_records_name_their_byte() {
    let folder = Folder::new("bad-records");
    let (games, psv, out) = (
        write(&folder),
        folder.file("a.psv"),
        folder.file("out.koma"),
    );
    convert(&games, &psv, false).unwrap();
    let good = fs::read(&psv).unwrap();
    let failure = |bytes: &[u8]| {
        fs::write(&psv, bytes).unwrap();
        let text = convert(&psv, &out, false).unwrap_err().to_string();
        assert!(!out.exists() && text.contains("a.psv"), "{text}");
        text
    };
    let cut = failure(&good[..100]);
    assert!(cut.ends_with("byte 80: damaged record: truncated"), "{cut}");
    let mut illegal = good.clone();
    illegal[74] ^= 1;
    let illegal = failure(&illegal);
    assert!(illegal.ends_with("byte 40: damaged record: illegal move"));
    let foreign = failure(b"[Event \"Example\"]\n[Site \"Nowhere\"]\n[Date \"2026\"]\n");
    assert!(foreign.contains("byte 0: damaged record"));
}

#[test]
fn nothing_is_overwritten_unasked_and_failure_keeps_what_there_was() {
    let folder = Folder::new("overwrite");
    let (games, out) = (write(&folder), folder.file("out.psv"));
    fs::write(&out, "precious").unwrap();
    let problem = convert(&games, &out, false).unwrap_err().problem;
    assert!(matches!(problem, DataProblem::Exists));
    let unknown = convert(&games, &folder.file("out.txt"), true).unwrap_err();
    assert!(unknown.to_string().contains("unknown file extension"));

    let bad = folder.file("bad.koma");
    let mut writer = GameWriter::create(&bad, &header(), false).unwrap();
    writer.write(&game(7, 0, "7g7f 7g7f", None)).unwrap();
    let error = convert(&bad, &out, true).unwrap_err();
    assert!(error.to_string().ends_with("game 7: illegal move 2, 7g7f"));
    assert_eq!(fs::read(&out).unwrap(), b"precious");
    let left = fs::read_dir(&folder.0).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name());
    assert!(
        names
            .into_iter()
            .all(|name| !name.to_string_lossy().contains("partial"))
    );
    // A file of such a name is somebody's.
    fs::write(folder.file("out.psv.partial"), b"mine").unwrap();
    convert(&games, &out, true).unwrap();
    assert_eq!(fs::read(folder.file("out.psv.partial")).unwrap(), b"mine");
    assert_eq!(fs::read(&out).unwrap().len(), 8 * Psv.length());
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    let folder = Folder::new("links");
    let games = write(&folder);
    let [link, target] = ["link.psv", "target.psv"].map(|name| folder.file(name));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let text = convert(&games, &link, true).unwrap_err().to_string();
    assert!(text.ends_with("broken symbolic link"), "{text}");
    assert!(link.is_symlink() && !target.exists());
    fs::write(&target, b"old").unwrap();
    convert(&games, &link, true).unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&target).unwrap().len(), 8 * Psv.length());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let folder = Folder::new("full-records");
    let games = write(&folder);
    for name in ["full.psv", "full.koma"] {
        let full = folder.file(name);
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let text = convert(&games, &full, true).unwrap_err().to_string();
        assert!(text.contains("No space left"), "{text}");
        assert!(full.exists());
    }
}
