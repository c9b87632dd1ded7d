use super::*;

fn rules() -> Rules {
    Rules {
        seed: 1,
        nodes: 60,
        max_moves: 100,
        opening: 4..=14,
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
        .map(|number| player_of_three.play(number, &go()).unwrap())
        .collect();
    assert_eq!(player(rules()).play(2, &go()).as_ref(), Some(&games[2]));
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
    assert_eq!(game, None);
}

#[test]
fn the_hash_table_grows_with_the_nodes() {
    assert_eq!(
        [1, 500, 1000, 3000, u64::MAX].map(hash_megabytes),
        [1, 1, 2, 8, 16]
    );
}
