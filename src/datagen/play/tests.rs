use super::*;
use crate::types::Move;

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

/// A player in the middle of a game, and its position.
fn after(sfen: &str, moves: &str) -> (Player, Position) {
    let mut player = player(rules());
    let mut position = Position::from_sfen(sfen).unwrap();
    player.keys.push(position.key());
    for text in moves.split_whitespace() {
        position.do_move(Move::from_usi(text).unwrap());
        player.keys.push(position.key());
    }
    (player, position)
}

fn ended(sfen: &str, moves: &str) -> Option<(End, GameResult)> {
    let (player, position) = after(sfen, moves);
    player.ended(&position)
}

#[test]
fn games_end_by_the_rules() {
    let bare = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
    let shuffle = "5i5h 5a5b 5h5i 5b5a ";
    assert_eq!(ended(bare, &shuffle.repeat(2)), None);
    let draw = Some((End::Repetition, GameResult::Draw));
    assert_eq!(ended(bare, &shuffle.repeat(3)), draw);

    let checks = "lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1";
    let white = GameResult::Win(Color::White);
    assert_eq!(
        ended(checks, &"4f5f 5d4d 5f4f 4d5d ".repeat(3)),
        Some((End::PerpetualCheck, white))
    );
    assert_eq!(
        ended("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"),
        Some((End::Mate, GameResult::Win(Color::Black)))
    );
    assert_eq!(
        ended(
            "4K4/9/9/9/9/9/9/4k3+p/+p+p+p+p+p+b+b+r+r w 4G4S4N4L10P2p 40",
            ""
        ),
        Some((End::Declaration, white))
    );
}

#[test]
fn the_last_move_allowed_may_still_mate() {
    let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 100";
    assert_eq!(ended(mate, "").map(|end| end.0), None);
    assert_eq!(ended(mate, "G*5b").map(|end| end.0), Some(End::Mate));
    assert_eq!(ended(mate, "G*6b").map(|end| end.0), Some(End::MaxMoves));
}

#[test]
fn agreement_must_last() {
    let (mut player, position) = after("4k4/9/9/9/9/9/9/9/4K4 b - 1", "");
    let mut note = |score: Value, side: Color| {
        let mv = Move::NONE;
        player.note(
            Found {
                mv,
                score,
                depth: 1,
                nodes: 1,
            },
            side,
        );
        player.ended(&position).map(|(_, result)| result)
    };
    for _ in 0..2 {
        // Scores are those of the side to move; one that falls short breaks the row.
        for (score, side) in [
            (3000, Color::Black),
            (-3000, Color::White),
            (31_999, Color::Black),
        ] {
            assert_eq!(note(score, side), None);
        }
        assert_eq!(note(-2999, Color::White), None);
    }
    for (score, side) in [
        (-9000, Color::Black),
        (3000, Color::White),
        (-3000, Color::Black),
    ] {
        assert_eq!(note(score, side), None);
    }
    assert_eq!(
        note(3000, Color::White),
        Some(GameResult::Win(Color::White))
    );
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
