//! Networks from files: what `isready` says, and what evaluates afterwards.

use crate::session::{EVALUATION, Session};
use komaoto::eval::nnue::OwnNetwork;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A network of few weights, all zero but for the last bias, which is the output.
fn constant(output: i32) -> Vec<u8> {
    let text = "Features=K+P[1710->32x2]";
    let mut bytes = 0x7AF3_2F16_u32.to_le_bytes().to_vec();
    bytes.extend([0; 4]);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.bytes());
    let first = 2 * 32 * 1711;
    let hidden = 8 * (4 + 64) + 8 * (4 + 32);
    bytes.extend(vec![0; 4 + first + 4 + hidden]);
    bytes.extend(output.to_le_bytes());
    bytes.extend([0; 32]);
    bytes
}

fn ready(s: &mut Session, option: &str) {
    s.send(&format!("setoption name {option}"));
    s.send("isready");
    s.expect("readyok", 10_000);
}

#[test]
fn every_isready_tells_in_one_line_what_evaluates() {
    let mut s = Session::start();
    for count in 1..=3 {
        ready(&mut s, "MultiPV value 1");
        assert_eq!(s.count("info string"), count);
    }
    let bytes = fs::metadata("src/eval/nnue/komaoto.nn").unwrap().len();
    let told = s
        .said()
        .iter()
        .find(|line| line.starts_with(EVALUATION))
        .cloned();
    let told = told.unwrap();
    let start = format!("{EVALUATION}Komaoto PS_hm 256x2-1, {bytes} bytes, FV_SCALE ");
    assert!(told.starts_with(&start), "{told}");
    assert!(told.ends_with(" kernels, built in"), "{told}");
    s.quit();

    // What cannot be used is told besides.
    let mut s = Session::start();
    ready(&mut s, "EvalFile value /nonexistent");
    assert_eq!((s.count(&told), s.complaints()), (1, 1));
    s.quit();
}

#[test]
fn a_network_is_found_told_and_used() {
    let folder = folder("network_found");
    let path = folder.to_str().unwrap();
    fs::write(folder.join("NN.bin"), constant(4800)).unwrap();
    let mut s = Session::start();
    s.send(&format!("setoption name EvalDir value {path}"));
    s.send("isready");
    let told = s.expect("info string network K+P 32x2-8-8, ", 5000);
    assert!(
        told.contains("FV_SCALE 16") && told.contains("NN.bin"),
        "{told}"
    );
    s.expect("readyok", 10_000);
    s.send("eval");
    s.expect("value for the side to move +300", 1000);

    // Shown in centipawns, of which YaneuraOu's unit makes 90 a pawn.
    s.go("startpos", "depth 1");
    let told = s.expect("info depth 1 ", 5000);
    assert!(told.contains(" score cp -333 "), "{told}");
    s.bestmove(5000);

    ready(&mut s, "FV_SCALE value 48");
    assert_eq!(s.count("info string network"), 2);
    s.send("eval");
    s.expect("value for the side to move +100", 1000);
    s.go("startpos", "depth 1");
    let told = s.expect("info depth 1 ", 5000);
    assert!(told.contains(" score cp -111 "), "{told}");
    s.bestmove(5000);

    // The same again, for whoever reads the log of the next game.
    ready(&mut s, "FV_SCALE value 48");
    assert_eq!((s.count("info string network"), s.complaints()), (3, 0));

    s.send("setoption name EvalDir value <empty>");
    s.send("isready");
    s.expect("info string network Komaoto PS_hm 256x2-1, ", 1000);
    s.expect("readyok", 10_000);
    s.quit();
}

#[test]
fn the_settings_beside_a_network_give_its_scale() {
    let folder = folder("network_settings");
    fs::write(folder.join("my.nnue"), constant(-4800)).unwrap();
    let settings = "option name FV_SCALE type spin default 24 min 1 max 128\n";
    fs::write(folder.join("eval_options.txt"), settings).unwrap();
    let mut s = Session::start();
    s.send(&format!(
        "setoption name EvalDir value {}",
        folder.display()
    ));
    s.send("setoption name EvalFile value my.nnue");
    s.send("isready");
    let told = s.expect("info string network", 5000);
    assert!(told.contains("FV_SCALE 24"), "{told}");
    s.send("eval");
    s.expect("value for the side to move -200", 1000);
}

#[test]
fn a_bad_file_is_told_and_the_last_network_stays() {
    let folder = folder("network_bad");
    let file = folder.join("a.bin");
    fs::write(&file, constant(160)).unwrap();
    let mut s = Session::start();
    ready(&mut s, &format!("EvalFile value {}", file.display()));
    let cut = folder.join("cut.bin");
    fs::write(&cut, &constant(160)[..5000]).unwrap();
    for (path, reason) in [
        (cut, "expected"),
        (folder.clone(), "expected a file nn.bin"),
        (folder.join("none.bin"), "No such file"),
    ] {
        s.send(&format!("setoption name EvalFile value {}", path.display()));
        s.send("isready");
        let told = s.expect("info string failed to load ", 5000);
        let kept = told.ends_with("; keeping K+P 32x2-8-8");
        assert!(kept && (cfg!(windows) || told.contains(reason)), "{told}");
        let told = s.expect("info string network K+P 32x2-8-8, ", 1000);
        assert!(
            told.contains(" FV_SCALE 16, ") && told.contains("a.bin"),
            "{told}"
        );
        s.expect("readyok", 10_000);
    }
    s.send("eval");
    s.expect("value for the side to move +10", 1000);
    s.go("startpos", "depth 3");
    s.bestmove(5000);
}

#[test]
fn a_missing_file_is_told_with_its_folder() {
    let folder = folder("network_missing");
    let mut s = Session::start();
    let path = folder.display();
    s.send(&format!("setoption name EvalDir value {path}"));
    ready(&mut s, "EvalFile value none.bin");
    let told = folder.join("none.bin");
    let told = format!("info string failed to load {}: ", told.display());
    assert_eq!(s.count(&told), 1, "{told}");
}

/// Writes a file and makes it so many minutes old.
fn write_aged(path: &Path, bytes: &[u8], minutes: u64) {
    fs::write(path, bytes).unwrap();
    let time = SystemTime::now() - Duration::from_secs(60 * minutes);
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn a_file_that_has_changed_is_read_again() {
    let folder = folder("network_changed");
    let file = folder.join("nn.bin");
    let option = format!("EvalFile value {}", file.display());
    let mut s = Session::start();
    let mut check = |value: &str, complaints| {
        ready(&mut s, &option);
        s.send("eval");
        s.expect(&format!("value for the side to move {value},"), 1000);
        assert_eq!(s.complaints(), complaints);
    };
    write_aged(&file, &constant(4800), 3);
    check("+300", 0);
    check("+300", 0);
    // Of the same size.
    write_aged(&file, &constant(1600), 2);
    check("+100", 0);
    // Cut short while it is written.
    write_aged(&file, &constant(160)[..5000], 1);
    check("+100", 1);
    write_aged(&file, &constant(160), 1);
    check("+10", 1);
    // What lies beside it counts as well.
    fs::write(folder.join("eval_options.txt"), "FV_SCALE 32").unwrap();
    check("+5", 1);
    fs::remove_file(&file).unwrap();
    check("+5", 2);
}

#[test]
fn a_network_of_our_own_is_read_like_any_other() {
    let folder = folder("network_own");
    let file = folder.join("own.nn");
    let network = OwnNetwork {
        features: 1,
        width: 32,
        scale: 600,
        biases: vec![0; 32],
        weights: vec![0; 32 * OwnNetwork::dimensions(1).unwrap().0],
        weight_unit: 64,
        output_weights: vec![0; 64],
        output_biases: vec![255 * 64 / 4],
    };
    fs::write(&file, network.to_bytes().unwrap()).unwrap();
    let mut s = Session::start();
    s.send(&format!("setoption name EvalFile value {}", file.display()));
    s.send("isready");
    let told = s.expect("info string network Komaoto PS_hm 32x2-1, ", 5000);
    assert!(told.contains("FV_SCALE 27.2,"), "{told}");
    s.expect("readyok", 10_000);
    s.send("eval");
    s.expect("value for the side to move +150", 1000);
    s.go("startpos", "depth 3");
    s.bestmove(5000);
    s.quit();
}
