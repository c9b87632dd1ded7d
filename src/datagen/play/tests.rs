use super::*;

fn rules() -> Rules {
    Rules {
        seed: 1,
        nodes: 60,
        max_moves: 100,
        opening: 4..=14,
        book: Arc::default(),
        explore: 0,
        balance: 700,
        adjudication: 3000,
        agreement: 4,
    }
}

fn player(rules: Rules) -> Player {
    Player::new(rules, None).unwrap()
}

fn go() -> AtomicBool {
    AtomicBool::new(false)
}

#[test]
fn a_game_depends_on_nothing_played_before() {
    let mut player_of_three = player(rules());
    let games: Vec<_> = (0..3)
        .map(|number| player_of_three.play(number, &go()).unwrap().unwrap())
        .collect();
    assert_eq!(
        player(rules()).play(2, &go()).unwrap().as_ref(),
        Some(&games[2])
    );
    assert_ne!(games[1].moves, games[2].moves);
    for game in &games {
        assert!((4..=14).contains(&game.opening));
        let unsearched = game
            .moves
            .iter()
            .take_while(|played| played.score.is_none());
        assert_eq!(unsearched.count(), usize::from(game.opening));
        assert_eq!(
            game.searched(),
            game.moves.len() - usize::from(game.opening)
        );
        let first = game.moves[usize::from(game.opening)].score.unwrap();
        assert!(first.abs() <= 700);
    }
}

#[test]
fn a_player_stops_when_told_to() {
    let game = player(rules()).play(0, &AtomicBool::new(true));
    assert_eq!(game, Ok(None));
}

#[test]
fn the_hash_table_grows_with_the_nodes() {
    assert_eq!(
        [1, 500, 1000, 3000, u64::MAX].map(hash_megabytes),
        [1, 1, 2, 8, 16]
    );
}

#[test]
fn every_other_game_starts_from_the_book() {
    let start = "4k4/9/9/9/9/9/PPPPPPPPP/9/4K4 b RBrb 31";
    let book = [Position::from_sfen(start).unwrap()].into();
    let mut player = player(Rules { book, ..rules() });
    for number in 0..4 {
        let game = player.play(number, &go()).unwrap().unwrap();
        let expected = (number % 2 == 1).then_some(start);
        assert_eq!(game.start.as_deref(), expected);
        assert!(expected.is_none() || game.opening <= 6);
        assert!(game.replay(|_, _| ()).is_ok());
        assert_eq!(
            game.start_position().unwrap().ply() == 31,
            expected.is_some()
        );
    }
}

#[test]
fn openings_without_balance_are_given_up() {
    let lopsided = "4k4/9/9/9/9/9/9/9/4K4 b 18P4L4N4S4G2B2R 1";
    let book = [Position::from_sfen(lopsided).unwrap()].into();
    let rules = Rules {
        nodes: 1,
        ..rules()
    };
    let mut player = player(Rules { book, ..rules });
    assert!(player.play(0, &go()).is_ok());
    let error = player.play(1, &go()).unwrap_err();
    assert_eq!((error.number, error.balance), (1, 700));
}

#[test]
fn random_moves_come_between_searched_ones() {
    let mut player = player(Rules {
        explore: 10,
        ..rules()
    });
    let games: Vec<Game> = (0..6)
        .map(|number| player.play(number, &go()).unwrap().unwrap())
        .collect();
    let (mut random, mut plies) = (0, 0);
    for game in &games {
        assert!(game.replay(|_, _| ()).is_ok());
        let played = &game.moves[usize::from(game.opening)..];
        assert!(played[0].score.is_some());
        random += played.iter().filter(|it| it.score.is_none()).count();
        plies += played.len();
    }
    assert!(
        (plies / 20..plies / 5).contains(&random),
        "{random} of {plies}"
    );
    assert_eq!(
        player.play(3, &go()).unwrap().as_ref(),
        games.get(3),
        "a game is a pure function of its number"
    );
}
