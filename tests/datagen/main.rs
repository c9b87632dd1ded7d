//! `komaoto datagen` and `komaoto data` as a user runs them.

mod checker;

use checker::{Terms, check};
use komaoto::data::{Game, GameFileHeader, GameReader};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs, process};

/// A folder of its own for each test, removed with everything in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("komaoto-datagen-{name}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn komaoto(arguments: &str, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_komaoto"));
    for word in arguments.split(' ') {
        match word {
            "FILE" => command.arg(file),
            word => command.arg(word),
        };
    }
    command.stderr(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn run(arguments: &str, file: &Path) -> Output {
    komaoto(arguments, file).output().unwrap()
}

fn succeed(arguments: &str, file: &Path) -> String {
    let output = run(arguments, file);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap() + &errors
}

fn fail(arguments: &str, file: &Path) -> String {
    let output = run(arguments, file);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments}: {errors}");
    errors
}

fn read(path: &Path) -> (GameFileHeader, Vec<Game>) {
    let mut reader = GameReader::open(path).unwrap();
    let games = reader.by_ref().map(Result::unwrap).collect();
    (reader.header().clone(), games)
}

/// The games by number.
fn sorted(path: &Path) -> Vec<Game> {
    let mut games = read(path).1;
    games.sort_by_key(|game| game.number);
    games
}

#[test]
fn every_move_is_legal_and_every_result_correct() {
    let folder = Folder::new("check");
    let mut ends = HashSet::new();
    for (nodes, max_moves) in [(30, 90), (150, 320)] {
        let file = folder.file(&format!("{nodes}.koma"));
        let options = "datagen --out FILE --games 12 --threads 2 --seed 3";
        succeed(
            &format!("{options} --nodes {nodes} --max-moves {max_moves}"),
            &file,
        );
        let (header, games) = read(&file);
        assert_eq!(games.len(), 12);
        let setting = |name| header.setting(name).unwrap().parse().unwrap();
        let terms = Terms {
            max_moves,
            adjudication: setting("adjudication-score"),
            agreement: setting("adjudication-plies").try_into().unwrap(),
        };
        for game in &games {
            check(game, &terms);
            ends.insert(game.end as u8);
        }
    }
    assert!(ends.len() >= 3, "{ends:?}");
}

#[test]
fn one_thread_and_a_seed_are_reproducible() {
    let folder = Folder::new("repeat");
    let [one, other, many] = ["1", "2", "3"].map(|name| folder.file(name));
    let options = "datagen --out FILE --nodes 50 --positions 500";
    for file in [&one, &other] {
        succeed(&format!("{options} --seed 5 --threads 1"), file);
    }
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    let games = read(&one).1;
    let total: usize = games.iter().map(Game::searched).sum();
    assert!((500..1000).contains(&total));
    succeed(&format!("{options} --seed 5 --threads 3"), &many);
    let common = sorted(&many);
    assert_eq!(common[..games.len().min(3)], games[..games.len().min(3)]);
    // Without --seed every file gets a random seed.
    let [mine, yours] = ["4", "5"].map(|name| folder.file(name));
    for file in [&mine, &yours] {
        succeed(options, file);
    }
    assert_ne!(read(&mine).1[0].moves, read(&yours).1[0].moves);
}

fn start(arguments: &str, file: &Path) -> Child {
    let child = komaoto(arguments, file).spawn().unwrap();
    let begun = Instant::now();
    while fs::metadata(file).map_or(0, |metadata| metadata.len()) < 2000 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "nothing is written"
        );
        sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_killed_run_continues_with_the_same_games() {
    let folder = Folder::new("kill");
    let [killed, whole] = ["killed", "whole"].map(|name| folder.file(name));
    let options = "datagen --out FILE --nodes 40 --seed 9 --threads 2 \
                   --side-lines 20";
    let mut child = start(options, &killed);
    child.kill().unwrap();
    child.wait().unwrap();
    // As if it had died in the middle of a write.
    let length = fs::metadata(&killed).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(&killed).unwrap();
    file.set_len(length - 5).unwrap();
    let mut before = read(&killed).1;
    // Side lines without their game go as well.
    let whole_games = before.iter().rposition(|game| !game.is_side_line());
    before.truncate(whole_games.map_or(0, |last| last + 1));
    let games = |games: &[Game]| games.iter().filter(|game| !game.is_side_line()).count();
    let goal = games(&before) + 6;
    // Seed and nodes are those of the file.
    let options = format!("datagen --out FILE --threads 2 --games {goal}");
    let said = succeed(&options, &killed);
    assert!(said.contains("truncated"), "{said}");
    let after = read(&killed).1;
    assert_eq!(games(&after), goal);
    assert!(after.len() > goal, "no side lines");
    assert_eq!(after[..before.len()], before);
    succeed(
        &format!("{options} --nodes 40 --seed 9 --side-lines 20"),
        &whole,
    );
    assert_eq!(sorted(&killed), sorted(&whole));
    let said = succeed(&options, &killed);
    assert!(said.contains("0 positions in"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_with_everything_written() {
    let folder = Folder::new("interrupt");
    for signal in ["-INT", "-TERM"] {
        let file = folder.file(signal);
        let child = start("datagen --out FILE --nodes 100", &file);
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("nodes/search"), "{said}");
        let mut reader = GameReader::open(&file).unwrap();
        assert!(reader.by_ref().all(|game| game.is_ok()) && !reader.is_torn());
    }
}

#[test]
fn invalid_requests_are_rejected() {
    let folder = Folder::new("errors");
    let (file, foreign) = (folder.file("games.koma"), folder.file("foreign"));
    fs::write(&foreign, "neither games nor a network").unwrap();
    let games = |more: &str| fail(&format!("datagen --out FILE {more}"), &file);
    assert!(games("--games 0").contains("--games: expected a whole number from 1"));
    assert!(games("--games 1 --positions 1").contains("cannot be used together"));
    assert!(games("--gmaes 1").contains("unknown option --gmaes"));
    assert!(games("--games 1 --net /nonexistent").contains("/nonexistent"));
    assert!(!file.exists());
    assert!(fail("datagen --games 1", &file).contains("--out FILE is missing"));
    let text = fail("datagen --games 1 --out FILE", &foreign);
    assert!(
        text.contains("foreign, byte 0: expected a Komaoto game file"),
        "{text}"
    );
    let text = fail(
        "datagen --games 1 --out FILE",
        &folder.file("no/games.koma"),
    );
    assert!(text.contains("games.koma: "), "{text}");
    assert_eq!(fs::read(&foreign).unwrap(), b"neither games nor a network");

    succeed("datagen --out FILE --games 1 --nodes 20 --seed 1", &file);
    let before = fs::read(&file).unwrap();
    let text = fail("datagen --out FILE --games 2 --seed 2", &file);
    assert!(
        text.contains("`seed 1`") && text.contains("`seed 2`"),
        "{text}"
    );
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run() {
    let text = fail("datagen --out FILE --games 1", Path::new("/dev/full"));
    assert!(text.contains("/dev/full, byte 0: No space left"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_written_before_the_disk_was_full_stays_whole() {
    let folder = Folder::new("limit");
    let file = folder.file("games.koma");
    // A limit on the size of files stands in for a full disk: a write is cut short, then fails.
    let limit = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limit, env!("CARGO_BIN_EXE_komaoto")])
        .args("datagen --nodes 20 --out".split(' '))
        .arg(&file)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("File too large"), "{errors}");
    let length = fs::metadata(&file).unwrap().len();
    let place = format!("games.koma, byte {length}:");
    assert!(errors.contains(&place), "{errors}, {length} bytes");
    let mut reader = GameReader::open(&file).unwrap();
    let games = reader.by_ref().map(Result::unwrap).count();
    assert!(games > 0 && !reader.is_torn());
}

#[test]
fn a_file_in_use_is_rejected() {
    let folder = Folder::new("locked");
    let file = folder.file("games.koma");
    let mut child = start("datagen --out FILE --nodes 100", &file);
    let text = fail("datagen --out FILE", &file);
    assert!(text.contains("another process"), "{text}");
    child.kill().unwrap();
    child.wait().unwrap();
    let more = read(&file).1.len() + 1;
    succeed(&format!("datagen --out FILE --games {more}"), &file);
}

#[test]
fn files_are_described_and_converted() {
    let folder = Folder::new("data");
    let file = folder.file("games.koma");
    succeed("datagen --out FILE --games 5 --nodes 20", &file);
    let positions: usize = read(&file).1.iter().map(Game::searched).sum();
    let report = succeed("data info FILE", &file);
    for part in [
        "games 5\n",
        "nodes 20\n",
        "ended by",
        "duplicates",
        "score",
        "move",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert!(report.contains(&format!("positions {positions} with a score")));
    for (name, length) in [("a.psv", 40), ("a.hcpe", 38)] {
        let other = folder.file(name);
        let convert = format!("data convert FILE {}", other.display());
        succeed(&convert, &file);
        assert_eq!(
            fs::metadata(&other).unwrap().len(),
            (positions * length) as u64
        );
        let exists = format!("{name}: file exists; --force overwrites it");
        assert!(fail(&convert, &file).contains(&exists));
        succeed(&format!("{convert} --force"), &file);
        let report = succeed("data info FILE", &other);
        assert!(
            report.contains(&format!("positions {positions} with a score")),
            "{report}"
        );
    }
    assert!(fail("data FILE", &file).contains("expected info or convert"));
    assert!(succeed("data --help", &file).contains("convert IN OUT"));
    assert!(succeed("datagen --help", &file).contains("--positions"));
}
