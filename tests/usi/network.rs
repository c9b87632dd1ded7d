//! Networks from files: what `isready` reports, and which network is then used.

use crate::session::{NETWORK, Session};
use komaoto::eval::nnue::NativeNetwork;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A small network whose weights are zero except for the last bias, which is its output.
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
    s.expect("readyok");
}

#[test]
fn every_isready_names_the_network_in_one_line() {
    let mut s = Session::start_small();
    for count in 1..=3 {
        ready(&mut s, "MultiPV value 1");
        assert_eq!(s.count("info string"), count);
    }
    let bytes = fs::metadata("src/eval/nnue/komaoto.nn").unwrap().len();
    let line = s
        .output()
        .iter()
        .find(|line| line.starts_with(NETWORK))
        .cloned();
    let line = line.unwrap();
    let start = format!("{NETWORK}Komaoto PS_hm 256x2-1, {bytes} bytes, FV_SCALE ");
    assert!(line.starts_with(&start), "{line}");
    assert!(line.ends_with(" kernels, built in"), "{line}");
    s.quit();

    // An error is another line.
    let mut s = Session::start_small();
    ready(&mut s, "EvalFile value /nonexistent");
    assert_eq!((s.count(&line), s.errors()), (1, 1));
    s.quit();
}

#[test]
fn a_network_is_found_named_and_used() {
    let folder = folder("network_found");
    let path = folder.to_str().unwrap();
    fs::write(folder.join("NN.bin"), constant(4800)).unwrap();
    let mut s = Session::start_small();
    s.send(&format!("setoption name EvalDir value {path}"));
    s.send("isready");
    let line = s.expect("info string network K+P 32x2-8-8, ");
    assert!(
        line.contains("FV_SCALE 16") && line.contains("NN.bin"),
        "{line}"
    );
    s.expect("readyok");
    s.send("eval");
    s.expect("value for the side to move +300");

    // Shown in centipawns: 90 units of YaneuraOu are a pawn.
    s.go("startpos", "depth 1");
    let line = s.expect("info depth 1 ");
    assert!(line.contains(" score cp -333 "), "{line}");
    s.bestmove();

    ready(&mut s, "FV_SCALE value 48");
    assert_eq!(s.count("info string network"), 2);
    s.send("eval");
    s.expect("value for the side to move +100");
    s.go("startpos", "depth 1");
    let line = s.expect("info depth 1 ");
    assert!(line.contains(" score cp -111 "), "{line}");
    s.bestmove();

    // Once more, for the log of the next game.
    ready(&mut s, "FV_SCALE value 48");
    assert_eq!((s.count("info string network"), s.errors()), (3, 0));

    s.send("setoption name EvalDir value <empty>");
    s.send("isready");
    s.expect("info string network Komaoto PS_hm 256x2-1, ");
    s.expect("readyok");
    s.quit();
}

#[test]
fn the_options_file_beside_a_network_gives_its_scale() {
    let folder = folder("network_settings");
    fs::write(folder.join("my.nnue"), constant(-4800)).unwrap();
    let settings = "option name FV_SCALE type spin default 24 min 1 max 128\n";
    fs::write(folder.join("eval_options.txt"), settings).unwrap();
    let mut s = Session::start_small();
    s.send(&format!(
        "setoption name EvalDir value {}",
        folder.display()
    ));
    s.send("setoption name EvalFile value my.nnue");
    s.send("isready");
    let line = s.expect("info string network");
    assert!(line.contains("FV_SCALE 24"), "{line}");
    s.send("eval");
    s.expect("value for the side to move -200");
}

#[test]
fn a_bad_file_is_reported_and_the_last_network_kept() {
    let folder = folder("network_bad");
    let file = folder.join("a.bin");
    fs::write(&file, constant(160)).unwrap();
    let mut s = Session::start_small();
    ready(&mut s, &format!("EvalFile value {}", file.display()));
    let cut = folder.join("cut.bin");
    fs::write(&cut, &constant(160)[..5000]).unwrap();
    for (path, reason) in [
        (cut, "4956 bytes of weights"),
        (folder.clone(), "no nn.bin in this folder"),
        (folder.join("none.bin"), "No such file"),
    ] {
        s.send(&format!("setoption name EvalFile value {}", path.display()));
        s.send("isready");
        let line = s.expect("info string failed to load ");
        let kept = line.ends_with("; keeping K+P 32x2-8-8");
        assert!(kept && (cfg!(windows) || line.contains(reason)), "{line}");
        let line = s.expect("info string network K+P 32x2-8-8, ");
        assert!(
            line.contains(" FV_SCALE 16, ") && line.contains("a.bin"),
            "{line}"
        );
        s.expect("readyok");
    }
    s.send("eval");
    s.expect("value for the side to move +10");
    s.go("startpos", "depth 3");
    s.bestmove();
}

#[test]
fn a_missing_file_is_reported_with_its_folder() {
    let folder = folder("network_missing");
    let mut s = Session::start_small();
    let path = folder.display();
    s.send(&format!("setoption name EvalDir value {path}"));
    ready(&mut s, "EvalFile value none.bin");
    let line = folder.join("none.bin");
    let line = format!("info string failed to load {}: ", line.display());
    assert_eq!(s.count(&line), 1, "{line}");
}

/// Writes a file with a certain modification time.
fn write_at(path: &Path, bytes: &[u8], time: SystemTime) {
    fs::write(path, bytes).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn a_file_that_has_changed_is_read_again() {
    let folder = folder("network_changed");
    let file = folder.join("nn.bin");
    let option = format!("EvalFile value {}", file.display());
    let mut s = Session::start_small();
    let mut check = |value: &str, errors| {
        ready(&mut s, &option);
        s.send("eval");
        s.expect(&format!("value for the side to move {value},"));
        assert_eq!(s.errors(), errors);
    };
    let time = SystemTime::now() - Duration::from_secs(100);
    write_at(&file, &constant(4800), time);
    check("+300", 0);
    check("+300", 0);
    // Changed, with the same size and time.
    write_at(&file, &constant(1600), time);
    check("+100", 0);
    // Truncated, as while it is being written.
    write_at(&file, &constant(160)[..5000], time);
    check("+100", 1);
    write_at(&file, &constant(160), time);
    check("+10", 1);
    // The files beside it count as well.
    fs::write(folder.join("eval_options.txt"), "FV_SCALE 32").unwrap();
    check("+5", 1);
    fs::remove_file(&file).unwrap();
    check("+5", 2);
}

#[test]
fn a_go_confirms_or_refuses_a_network_as_well() {
    let file = folder("network_go").join("constant.bin");
    fs::write(&file, constant(4800)).unwrap();
    let mut s = Session::ready();
    for (value, expected) in [
        (format!("\"{}\"", file.display()), NETWORK),
        (
            "/nonexistent".into(),
            "info string failed to load /nonexistent: ",
        ),
    ] {
        s.send(&format!("setoption name EvalFile value {value}"));
        s.go("startpos", "depth 2");
        s.expect(expected);
        s.bestmove();
        s.send("eval");
        s.expect("value for the side to move +300,");
        let lines = s.count("info string");
        s.go("startpos", "depth 2");
        s.bestmove();
        assert_eq!(s.count("info string"), lines, "once only");
    }
}

#[test]
fn a_relative_path_may_lie_beside_the_program() {
    let program = Path::new(env!("CARGO_BIN_EXE_komaoto")).parent().unwrap();
    let name = "network_beside_the_program.bin";
    fs::write(program.join(name), constant(4800)).unwrap();
    let mut s = Session::start_small();
    ready(&mut s, &format!("EvalFile value {name}"));
    s.send("eval");
    s.expect("value for the side to move +300,");
    fs::remove_file(program.join(name)).unwrap();
}

#[test]
fn a_japanese_path_is_shown_as_it_is() {
    let mut s = Session::start_small();
    s.send("setoption name EvalFile value 評価関数.bin");
    s.send("isready");
    s.expect("info string failed to load 評価関数.bin: ");
    s.expect("readyok");
}

#[test]
fn a_native_network_is_read_like_any_other() {
    let folder = folder("network_own");
    let file = folder.join("own.nn");
    let network = NativeNetwork {
        features: 1,
        width: 32,
        scale: 600,
        biases: vec![0; 32],
        weights: vec![0; 32 * NativeNetwork::dimensions(1).unwrap().0],
        weight_unit: 64,
        output_weights: vec![0; 64],
        output_biases: vec![255 * 64 / 4],
    };
    fs::write(&file, network.to_bytes().unwrap()).unwrap();
    let mut s = Session::start_small();
    s.send(&format!("setoption name EvalFile value {}", file.display()));
    s.send("isready");
    let line = s.expect("info string network Komaoto PS_hm 32x2-1, ");
    assert!(line.contains("FV_SCALE 27.2,"), "{line}");
    s.expect("readyok");
    s.send("eval");
    s.expect("value for the side to move +150");
    s.go("startpos", "depth 3");
    s.bestmove();
    s.quit();
}
