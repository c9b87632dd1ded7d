//! From game files to samples.

use super::*;

#[test]
fn samples_are_the_same_after_a_stay_on_disk() {
    let folder = Folder::new("train-parts");
    let samples = samples(&SHAPE, 500, 7);
    let collect = |memory: u64| {
        let mut builder = DatasetBuilder::new(folder.file("parts"), memory, 500, 1);
        for (i, sample) in samples.iter().enumerate() {
            match i % 10 {
                0 => builder.add_validation([*sample]),
                _ => builder.add(*sample).unwrap(),
            }
        }
        builder.finish().unwrap()
    };
    let in_memory = collect(1 << 20);
    assert_eq!(in_memory.lengths(), [450]);
    let key = |sample: &Sample| (sample.features, sample.score, sample.result);
    let mut expected = in_memory.part(0).unwrap().to_vec();
    let on_disk = collect(100 * size_of::<Sample>() as u64);
    assert_eq!(on_disk.lengths().len(), 5);
    assert!(on_disk.lengths().iter().all(|&length| length > 40));
    let parts = (0..5).flat_map(|part| on_disk.part(part).unwrap().into_owned());
    let mut found: Vec<Sample> = parts.collect();
    assert_ne!(found, expected);
    found.sort_by_key(key);
    expected.sort_by_key(key);
    assert!(found == expected && on_disk.validation == in_memory.validation);
    // A damaged part is an error.
    fs::write(folder.file("parts/3.part"), b"short").unwrap();
    let error = on_disk.part(3).unwrap_err().to_string();
    assert!(error.contains("3.part"), "{error}");
    drop(on_disk);
    assert!(!folder.file("parts").exists());
    // What else lies there stays.
    let on_disk = collect(100 * size_of::<Sample>() as u64);
    for name in ["parts/notes.txt", "parts/9.part"] {
        fs::write(folder.file(name), b"mine").unwrap();
    }
    drop(on_disk);
    let left = fs::read_dir(folder.file("parts")).unwrap().count();
    assert_eq!(left, 2);
}

const QUIET: SampleFilter = SampleFilter {
    eval_scale: Some(600),
    max_score: 3000,
    td_lambda: 0.0,
};

/// The samples of a file.
fn read(path: &Path, filter: SampleFilter) -> Result<(Vec<Sample>, SampleCounts), TrainError> {
    let (dataset, counts) = read_dataset(path, filter)?;
    let samples = [&dataset.part(0)?, &dataset.validation[..]].concat();
    Ok((samples, counts))
}

/// The samples of a file, those for validation apart.
fn read_dataset(path: &Path, filter: SampleFilter) -> Result<(Dataset, SampleCounts), TrainError> {
    let mut builder = DatasetBuilder::new("unused".into(), 1 << 30, 0, 1);
    let mut reader = SampleReader {
        filter,
        shape: SHAPE,
        seed: 1,
        counts: SampleCounts::default(),
        seen: HashSet::new(),
        dataset: &mut builder,
    };
    reader.read(path)?;
    let counts = reader.counts;
    Ok((builder.finish()?, counts))
}

#[test]
fn quiet_positions_are_taken_with_their_labels() {
    let folder = Folder::new("train-filter");
    let path = folder.file("a.koma");
    write(&path, ScoreUnit::YANEURAOU, &[game(0, MOVES, 180)]);
    let (samples, counts) = read(&path, QUIET).unwrap();
    // Left out: 8h2b+, 3a2b, 5e7c+, 8a7c.
    assert_eq!((counts.games, counts.read, counts.filtered), (1, 10, 4));
    let labels: Vec<_> = samples.iter().map(|it| (it.score, it.result)).collect();
    let (black, white) = ((200, -1), (-200, 1));
    assert_eq!(labels, [black, white, black, white, black, white]);
    let mut position = Position::startpos();
    position.do_move(Move::from_usi("7g7f").unwrap());
    position.do_move(Move::from_usi("3c3d").unwrap());
    let features = SHAPE.active(&position).unwrap();
    assert_eq!(samples[0].features, features);

    let count = |filter| read(&path, filter).unwrap().0.len();
    assert_eq!(
        count(SampleFilter {
            max_score: 199,
            ..QUIET
        }),
        0
    );
    // A quiet move out of check is left out as well.
    let checks = "7g7f 3c3d 8h3c+ 5a6b 3c2b 3a2b 9g9f";
    write(&path, ScoreUnit::CENTIPAWNS, &[game(0, checks, 0)]);
    let (_, counts) = read(&path, QUIET).unwrap();
    assert_eq!((counts.read, counts.filtered), (5, 4));
}

#[test]
fn treestrap_positions_are_trained_on() {
    let folder = Folder::new("train-branches");
    let path = folder.file("a.koma");
    let way: Vec<Move> = ["8c8d", "2f2e", "8d8e"]
        .map(|mv| Move::from_usi(mv).unwrap())
        .into();
    let ways = [
        (&way[..1], 90, ScoreBound::Exact),
        (&way[..2], -180, ScoreBound::Lower),
        (&way[..3], 3000, ScoreBound::Upper),
    ];
    let branches = [1, 3].map(|index| Branch::tree(index, ways.into_iter()));
    let played = game(0, "2g2f 8c8d 2f2e 8d8e", 180);
    let mut games = [played.clone(), played];
    // The same positions again in another game; a game that does not get to them; all in time.
    games[0].branches = branches[0].clone();
    games[1].branches = branches[0].clone();
    write(&path, ScoreUnit::YANEURAOU, &games);
    let (samples, counts) = read(&path, QUIET).unwrap();
    assert_eq!((counts.read, counts.treestrap), (10, 6));
    // 3000 of 90 a pawn is beyond the limit, and the second game tells nothing new.
    assert_eq!((counts.filtered, counts.duplicates), (2, 4));
    let visited: Vec<_> = samples
        .iter()
        .filter(|it| it.result == NO_RESULT)
        .map(|it| (it.score, it.bound))
        .collect();
    assert_eq!(
        visited,
        [(100, ScoreBound::Exact), (-200, ScoreBound::Lower)]
    );
    assert_eq!(samples.len(), 4);
    // Illegal moves are errors.
    games[0].branches = branches[1].clone();
    write(&path, ScoreUnit::YANEURAOU, &games);
    let error = read(&path, QUIET).unwrap_err().to_string();
    assert!(
        error.contains("illegal move 8c8d in the TreeStrap positions of move 4"),
        "{error}"
    );
}

#[test]
fn whole_games_are_for_validation() {
    let folder = Folder::new("train-validation");
    let path = folder.file("a.koma");
    let games: Vec<Game> = (0..400)
        .map(|number| random_game(number, number as i16))
        .collect();
    write(&path, ScoreUnit::CENTIPAWNS, &games);
    let split = |path: &Path| {
        let (dataset, _) = read_dataset(path, QUIET).unwrap();
        [&dataset.part(0).unwrap(), &dataset.validation[..]].map(|samples| {
            let mut scores: Vec<_> = samples.iter().map(|it| it.score.abs()).collect();
            scores.dedup();
            scores
        })
    };
    let [training, validation] = split(&path);
    assert_eq!(training.len() + validation.len(), 400);
    assert!((8..40).contains(&validation.len()), "{}", validation.len());
    // The same ones in whatever company.
    let others = folder.file("b.koma");
    write(&others, ScoreUnit::CENTIPAWNS, &games[200..]);
    let [_, again] = split(&others);
    let expected = validation.into_iter().filter(|&number| number >= 200);
    assert_eq!(again, expected.collect::<Vec<_>>());
}

#[test]
fn errors_in_files_name_their_byte() {
    let folder = Folder::new("train-bad");
    let path = folder.file("a.koma");
    let error = |path: &Path| read(path, QUIET).unwrap_err().to_string();
    write(
        &path,
        ScoreUnit::CENTIPAWNS,
        &[game(0, MOVES, 0), game(1, "7g7f 7g7f", 0)],
    );
    let text = error(&path);
    assert!(
        text.contains("a.koma, byte ") && text.contains("game 1: illegal move 2, 7g7f"),
        "{text}"
    );
    let bytes = fs::read(&path).unwrap();
    let damaged = folder.file("damaged.koma");
    let mut changed = bytes.clone();
    let at = changed.len() - 40;
    changed[at] ^= 1;
    fs::write(&damaged, &changed).unwrap();
    assert!(
        error(&damaged).contains("damaged.koma, byte "),
        "{}",
        error(&damaged)
    );
    fs::write(&damaged, b"something else entirely").unwrap();
    assert!(error(&damaged).contains("byte 0: expected a Komaoto game file"));
    // A crash while the last game was written is no reason to stop.
    fs::write(&damaged, &bytes[..bytes.len() - 5]).unwrap();
    assert_eq!(read(&damaged, QUIET).unwrap().1.games, 1);
    let psv = folder.file("a.psv");
    fs::write(&psv, [0xFF; 100]).unwrap();
    assert!(error(&psv).contains("a.psv, byte 0"), "{}", error(&psv));
}

/// The labels of a game with these scores, none for the first move.
fn td(scores: &[Option<i16>], td_lambda: f32) -> Vec<Option<(i32, i16)>> {
    let mut game = game(0, MOVES, 0);
    game.moves.truncate(scores.len());
    for (played, &score) in game.moves.iter_mut().zip(scores) {
        played.score = score;
    }
    td_labels(&game, td_lambda, i32::from)
}

#[test]
fn td_lambda_mixes_later_scores_into_earlier_ones() {
    let scores = [None, Some(100), Some(-300), None, Some(500)];
    let own = |score| Some((score, score as i16));
    let plain = [None, own(100), own(-300), None, own(500)];
    assert_eq!(td(&scores, 0.0), plain);
    // Nothing is known after the last score and after the gap.
    let half = td(&scores, 0.5);
    assert_eq!(half[2..], plain[2..]);
    // Half of what 100 promises, half of what 300 for the same side does.
    let chance = (sigmoid(100.0 / PONANZA) + sigmoid(300.0 / PONANZA)) / 2.0;
    let (score, label) = half[1].unwrap();
    assert_eq!(score, 100);
    assert!(
        (sigmoid(f32::from(label) / PONANZA) - chance).abs() < 1e-3,
        "{label}"
    );
    // All of it: the last score, for either side.
    assert_eq!(td(&scores, 1.0)[1], Some((100, 300)));
    // Mates stay within the numbers of a sample.
    let mates = td(&[Some(i16::MAX), Some(-i16::MAX)], 0.9);
    assert!(mates[0].unwrap().1 > 5000);
}

#[test]
fn duplicates_are_trained_on_once() {
    let folder = Folder::new("train-repeated");
    let path = folder.file("a.koma");
    write(
        &path,
        ScoreUnit::CENTIPAWNS,
        &[game(0, MOVES, 180), game(1, MOVES, 90)],
    );
    let (samples, counts) = read(&path, QUIET).unwrap();
    assert_eq!(
        (counts.read, counts.filtered, counts.duplicates),
        (20, 8, 6)
    );
    assert!(samples.len() == 6 && samples.iter().all(|it| it.score.abs() == 180));
}

#[test]
fn results_say_nothing_of_what_came_before_a_random_move() {
    let folder = Folder::new("train-explore");
    let path = folder.file("a.koma");
    let mut random = game(0, MOVES, 180);
    random.moves[8].score = None;
    write(&path, ScoreUnit::YANEURAOU, &[random]);
    let (samples, counts) = read(&path, QUIET).unwrap();
    assert_eq!(counts.read, 9);
    let results: Vec<_> = samples.iter().map(Sample::by_result).collect();
    assert_eq!(results, [None, None, None, None, Some(0.0), Some(1.0)]);
    assert_eq!(samples[0].target(0.5), samples[0].by_score());
}

#[test]
fn each_file_has_a_scale_of_its_own() {
    let folder = Folder::new("train-scale");
    let scores = |score: i16| {
        let path = folder.file("a.koma");
        // White wins three games of four in which it sees this score.
        let games: Vec<Game> = (0..400)
            .map(|number| Game {
                result: GameResult::Win(if number % 4 == 0 {
                    Color::Black
                } else {
                    Color::White
                }),
                ..game(number, MOVES, -score)
            })
            .collect();
        write(&path, ScoreUnit::CENTIPAWNS, &games);
        let eval_scale = None;
        let fitted = SampleFilter {
            eval_scale,
            ..QUIET
        };
        read(&path, fitted).unwrap().0[0].score
    };
    let (low, high) = (scores(210), scores(830));
    // A little more than 73 %, whatever the files call it.
    for score in [low, high] {
        assert!((-700..=-600).contains(&score), "{low} {high}");
    }
}
