//! Whole runs of training.

use super::*;
use crate::eval::nnue::LoadedNetwork;

/// A folder with a file of games, and the settings to learn from it.
fn prepared(name: &str, options: &str) -> (Folder, TrainSettings) {
    let folder = Folder::new(name);
    let path = folder.file("a.koma");
    let games: Vec<Game> = (0..200)
        .map(|number| random_game(number, number as i16))
        .collect();
    write(&path, ScoreUnit::CENTIPAWNS, &games);
    let mut arguments: Vec<OsString> = vec![path.into(), "--out".into()];
    arguments.push(folder.file("net.nn").into());
    let defaults = "--width 64 --batch-size 100 --epochs 3 --threads 1";
    let words = defaults.split(' ').chain(options.split_whitespace());
    arguments.extend(words.map(OsString::from));
    let settings = TrainSettings::read(arguments).unwrap();
    (folder, settings)
}

#[test]
fn runs_repeat_themselves_and_go_on_after_a_break() {
    let (folder, settings) = prepared("train-run", "");
    run(&settings).unwrap();
    let files = ["net.nn", "net.nn.checkpoint", "net.nn.csv"];
    let contents = || files.map(|name| fs::read(folder.file(name)).unwrap());
    let [first, checkpoint, curve] = contents();
    NativeNetwork::parse(&first).unwrap();
    assert!(
        fs::read(folder.file("net.nn.svg"))
            .unwrap()
            .ends_with(b"</svg>\n")
    );
    let rows = String::from_utf8(curve.clone()).unwrap();
    let loss = |row: &str| row.split(',').nth(4).unwrap().parse::<f64>().unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    assert!(loss(rows.last().unwrap()) < loss(rows[1]));

    // Nothing is written over unless asked to.
    let text = run(&settings).unwrap_err().to_string();
    assert!(text.contains("net.nn: file exists; --force"), "{text}");
    assert_eq!(contents()[0], first);
    let again = TrainSettings {
        force: true,
        ..settings.clone()
    };
    run(&again).unwrap();
    assert_eq!(
        contents(),
        [first.clone(), checkpoint.clone(), curve.clone()]
    );

    // After a break in the middle of the second epoch.
    let steps = TrainState::load(&folder.file(files[1])).unwrap().0.step;
    let broken = run_until(&again, &|step| step == steps / 2);
    assert!(matches!(broken, Err(TrainError::Interrupted(_))));
    let (state, _) = TrainState::load(&folder.file(files[1])).unwrap();
    assert!(state.step == steps / 2 && state.recent.1 + state.step > 0);
    let resumed = TrainSettings {
        resume: true,
        ..settings
    };
    // What is there by now may be somebody's.
    let refused = run(&resumed).unwrap_err();
    let text = refused.to_string();
    assert!(
        text.ends_with("net.nn: file exists; --force overwrites it"),
        "{text}"
    );
    let resumed = TrainSettings {
        force: true,
        ..resumed
    };
    run(&resumed).unwrap();
    assert_eq!(contents(), [first, checkpoint, curve]);

    let other = TrainSettings {
        lambda: 0.5,
        ..resumed
    };
    let text = run(&other).unwrap_err().to_string();
    let expected = "begun with `lambda 1`, this run has `lambda 0.5`";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn samples_on_disk_train_a_network_too() {
    let (folder, settings) = prepared("train-disk", "");
    let small = TrainSettings {
        memory: 100_000,
        threads: 2,
        ..settings
    };
    run(&small).unwrap();
    let first = fs::read(&small.out).unwrap();
    assert!(!folder.file("net.nn.parts").exists());
    let again = TrainSettings {
        force: true,
        ..small
    };
    let broken = run_until(&again, &|step| step == 17);
    assert!(matches!(broken, Err(TrainError::Interrupted(_))));
    let resumed = TrainSettings {
        resume: true,
        ..again
    };
    run(&resumed).unwrap();
    assert_eq!(fs::read(&resumed.out).unwrap(), first);
}

#[test]
fn a_diverging_loss_names_its_step() {
    let (folder, settings) = prepared("train-nan", "");
    let mut model = Model::random(settings.shape, 1);
    model.head_mut()[1][0] = f32::NAN;
    let state = TrainState::new(model);
    let path = folder.file("nan.checkpoint");
    state.save(&path, &settings.fingerprint(0, 0)).unwrap();
    let settings = TrainSettings {
        init: Some(path),
        ..settings
    };
    let text = run(&settings).unwrap_err().to_string();
    assert_eq!(text, "the loss at step 1 is NaN: try a lower --lr");
    assert!(!settings.out.exists());
}

#[test]
fn training_starts_from_networks_and_checkpoints() {
    let (folder, settings) = prepared("train-init", "--output-scale 404");
    run(&settings).unwrap();
    let trained = fs::read(&settings.out).unwrap();
    let start = |init: &str, out: &str| TrainSettings {
        init: Some(folder.file(init)),
        out: folder.file(out),
        epochs: 0,
        ..settings.clone()
    };
    for (init, out) in [("net.nn", "a.nn"), ("net.nn.checkpoint", "b.nn")] {
        let settings = start(init, out);
        run(&settings).unwrap();
        assert_eq!(fs::read(&settings.out).unwrap(), trained);
    }
    let wider = TrainSettings {
        shape: ModelShape {
            width: 128,
            ..settings.shape
        },
        ..start("net.nn", "c.nn")
    };
    let text = run(&wider).unwrap_err().to_string();
    assert!(
        text.contains("expected width 128, found width 64"),
        "{text}"
    );
    let text = run(&start("a.koma", "c.nn")).unwrap_err().to_string();
    assert!(text.contains("a.koma: "), "{text}");
    assert!(!folder.file("c.nn").exists());
}

#[test]
fn classic_networks_are_trained_for_yaneuraou() {
    let (folder, settings) = prepared("train-classic", "--hidden 8-32");
    run(&settings).unwrap();
    let trained = fs::read(&settings.out).unwrap();
    let loaded = LoadedNetwork::read(&settings.out).unwrap();
    let network = &loaded.network;
    assert_eq!(network.architecture().to_string(), "K+P 64x2-8-32");
    assert_eq!(network.fv_scale(), 16.into());
    assert!(loaded.hashes_match);

    let again = TrainSettings {
        force: true,
        ..settings.clone()
    };
    let broken = run_until(&again, &|step| step == 5);
    assert!(matches!(broken, Err(TrainError::Interrupted(_))));
    assert_eq!(fs::read(&settings.out).unwrap(), trained);
    let resumed = TrainSettings {
        resume: true,
        ..again
    };
    run(&resumed).unwrap();
    assert_eq!(fs::read(&settings.out).unwrap(), trained);

    for init in ["net.nn", "net.nn.checkpoint"] {
        let start = TrainSettings {
            init: Some(folder.file(init)),
            out: folder.file("again.bin"),
            epochs: 0,
            force: true,
            ..settings.clone()
        };
        run(&start).unwrap();
        assert_eq!(fs::read(&start.out).unwrap(), trained);
        let other = TrainSettings {
            shape: ModelShape {
                head: Head::Hidden([32, 32]),
                ..start.shape
            },
            ..start
        };
        let text = run(&other).unwrap_err().to_string();
        let expected = "expected kp, width 64, hidden 32-32, found kp, width 64, hidden 8-32";
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn damaged_checkpoints_are_rejected() {
    let (folder, settings) = prepared("train-checkpoint", "");
    run(&settings).unwrap();
    let path = folder.file("net.nn.checkpoint");
    let good = fs::read(&path).unwrap();
    let mut rng = StdRng::seed_from_u64(1);
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let text = TrainState::load(&path).unwrap_err().to_string();
        assert!(text.contains("net.nn.checkpoint: "), "{text}");
        text
    };
    for _ in 0..50 {
        let cut = &good[..rng.random_range(0..good.len())];
        refused(cut);
        let mut changed = good.clone();
        let end = *[400, good.len()].choose(&mut rng).unwrap();
        let at = rng.random_range(0..end);
        changed[at] ^= 1 << rng.random_range(0..8);
        refused(&changed);
    }
    assert!(refused(&good[..good.len() - 1]).contains("checksum mismatch"));
    assert!(refused(&[&good[..], b"!"].concat()).contains("checksum mismatch"));
    assert!(refused(b"no").contains("expected a checkpoint"));
    // Whatever stands there with the right checksum does no harm.
    for at in 0..good.len().min(2000) {
        let mut bytes = good[..good.len() - 4].to_vec();
        bytes[at] ^= 0x41;
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        fs::write(&path, bytes).unwrap();
        let _ = TrainState::load(&path);
    }
}

#[test]
fn no_training_data_is_an_error() {
    let (folder, settings) = prepared("train-nothing", "");
    let decided: Vec<Game> = (0..200).map(|number| random_game(number, 5000)).collect();
    write(&settings.games[0], ScoreUnit::CENTIPAWNS, &decided);
    let text = run(&settings).unwrap_err().to_string();
    assert!(
        text.contains("no positions to train on: 2000 read, 2000 filtered out"),
        "{text}"
    );
    let gone = TrainSettings {
        games: vec![folder.file("gone.koma")],
        ..settings
    };
    assert!(run(&gone).unwrap_err().to_string().contains("gone.koma: "));
}

#[test]
fn settings_make_sense() {
    let read = |text: &str| {
        let words = text.split_whitespace().map(OsString::from);
        TrainSettings::read(words.collect()).map_err(|error| error.to_string())
    };
    let settings = read("a b --out c --width=512 --lr 5e-4 --memory 1").unwrap();
    assert_eq!(settings.games.len(), 2);
    assert_eq!(settings.shape, ModelShape::squared(512));
    assert_eq!((settings.learning_rate, settings.memory), (5e-4, 1 << 20));
    let hidden = |text: &str| read(text).unwrap().shape;
    let shape = hidden("a --out c --hidden 8-96");
    assert_eq!((shape.features, shape.head), (1, Head::Hidden([8, 96])));
    let shape = hidden("a --out c --hidden 32-32 --features halfkahm2 --width 128");
    assert_eq!((shape.features, shape.width), (2, 128));
    for (text, expected) in [
        (
            "a --out c --hidden 32",
            "--hidden: expected two multiples of 8 up to 256, such as 32-32, found `32`",
        ),
        ("a --out c --hidden 32-30", "found `32-30`"),
        ("a --out c --hidden 264-8", "found `264-8`"),
        ("a --out c --hidden 0-8", "found `0-8`"),
        (
            "a --out c --hidden 8-8 --features 1",
            "--features: expected kp or halfkahm2, found `1`",
        ),
        (
            "a --out c --features kp",
            "--hidden, which --features needs, is missing",
        ),
        ("a", "--out FILE is missing"),
        ("--out c", "a file of games is missing"),
        (
            "a --out c --width 96",
            "--width: expected a multiple of 64 up to 2048, found `96`",
        ),
        (
            "a --out c --lambda 2",
            "--lambda: expected a number from 0 to 1",
        ),
        ("a --out c --lamda 1", "unknown option --lamda"),
        (
            "a --out c --hidden 8-8 --output-scale 404",
            "--hidden and --output-scale cannot be used together",
        ),
        (
            "a --out c --resume --init b",
            "--resume and --init cannot be used together",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn outputs_that_cannot_be_written_are_reported_before_training() {
    let (folder, settings) = prepared("train-outputs", "--force");
    let error = |out: &Path| {
        let out = out.to_path_buf();
        let text = run_until(
            &TrainSettings {
                out,
                ..settings.clone()
            },
            &|_| unreachable!(),
        );
        text.unwrap_err().to_string()
    };
    let games = &settings.games[0];
    let before = fs::read(games).unwrap();
    assert!(error(games).ends_with("it is a file of games to train on"));
    assert_eq!(fs::read(games).unwrap(), before);
    assert!(error(&folder.file("")).ends_with("it is not a regular file"));
    assert!(error(&folder.file("missing/net.nn")).contains("net.nn.lock: "));
}

#[test]
fn what_is_read_is_not_replaced_by_what_is_written() {
    let (folder, settings) = prepared("train-inputs", "--force");
    let games = &settings.games[0];
    let before = fs::read(games).unwrap();
    for name in ["b", "b.csv", "b.svg", "b.checkpoint"] {
        let path = folder.file(name);
        fs::copy(games, &path).unwrap();
        for resume in [false, true] {
            let clumsy = TrainSettings {
                games: vec![path.clone()],
                out: folder.file("b"),
                force: !resume,
                resume,
                ..settings.clone()
            };
            let text = run(&clumsy).unwrap_err().to_string();
            assert!(
                text.ends_with("it is a file of games to train on"),
                "{text}"
            );
        }
        assert_eq!(fs::read(&path).unwrap(), before);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn runs_do_not_get_in_each_others_way() {
    let (folder, settings) = prepared("train-lock", "--force");
    let lock = crate::train::run::lock(&settings).unwrap();
    let text = run(&settings).unwrap_err().to_string();
    assert!(
        text.ends_with("another process is training this network"),
        "{text}"
    );
    drop(lock);
    assert!(!folder.file("net.nn.lock").exists());
    // What a run left that was ended is not to be thrown away by mistake.
    fs::write(folder.file("net.nn.checkpoint"), b"mine").unwrap();
    let again = TrainSettings {
        force: false,
        ..settings.clone()
    };
    let text = run(&again).unwrap_err().to_string();
    assert!(text.contains("--resume continues from it"), "{text}");
    fs::remove_file(folder.file("net.nn.checkpoint")).unwrap();
}
