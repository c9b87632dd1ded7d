//! Self-play games.

use crate::data::{Game, Visited};
use crate::eval::nnue::embedded;
use crate::position::Position;
use crate::search::ScoreBound;
use crate::selfplay::play::{GameRules, MAX_IMBALANCE, OpeningError, Player, hash_megabytes};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn rules() -> GameRules {
    GameRules {
        seed: 1,
        nodes: 60,
        max_moves: 100,
        openings: Arc::default(),
        side_lines: 0,
        visits: 0,
        probes: 0,
        probe_nodes: 100,
        adjudication: 3000,
    }
}

fn player(rules: GameRules) -> Player {
    Player::new(rules, embedded()).unwrap()
}

/// A game with its side lines before it.
fn lines(player: &mut Player, number: u32) -> Vec<Game> {
    player.play(number, &go()).unwrap().unwrap()
}

/// A game without side lines.
fn game(player: &mut Player, number: u32) -> Game {
    let [game] = &lines(player, number)[..] else {
        panic!("side lines");
    };
    game.clone()
}

fn go() -> AtomicBool {
    AtomicBool::new(false)
}

#[test]
fn a_game_depends_on_nothing_played_before() {
    let mut player_of_three = player(rules());
    let games: Vec<_> = (0..3)
        .map(|number| game(&mut player_of_three, number))
        .collect();
    assert_eq!(game(&mut player(rules()), 2), games[2]);
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
        assert!(i32::from(first).abs() <= MAX_IMBALANCE);
    }
}

#[test]
fn a_player_stops_on_request() {
    let game = player(rules()).play(0, &AtomicBool::new(true));
    assert_eq!(game, Ok(None));
}

#[test]
fn treestrap_positions_are_kept() {
    let visits = 5;
    let rules = GameRules {
        nodes: 300,
        visits,
        ..rules()
    };
    let plain = player(GameRules {
        visits: 0,
        ..rules.clone()
    });
    let mut game =
        [plain, player(rules.clone()), player(rules)].map(|mut player| self::game(&mut player, 1));
    assert_eq!(game[1], game[2]);
    let mut found = vec![0; game[1].moves.len()];
    for branch in &game[1].branches {
        found[usize::from(branch.index)] += u32::from(branch.score.is_some());
    }
    let opening = usize::from(game[1].opening);
    assert!(found[..opening].iter().all(|&found| found == 0));
    assert!(found.iter().all(|&found| found <= visits));
    assert!(found[opening..].iter().filter(|&&found| found > 0).count() > found.len() / 2);
    assert!(game[1].replay(|_, _| ()).is_ok());
    // Recording visits does not change the game.
    game[1].branches.clear();
    assert_eq!(game[0], game[1]);
}

#[test]
fn probes_are_quiet_positions_with_exact_scores() {
    let rules = GameRules {
        nodes: 300,
        probes: 4,
        ..rules()
    };
    let [game, again] = [1, 1].map(|number| self::game(&mut player(rules.clone()), number));
    assert_eq!(game, again);
    let scores = || game.branches.iter().filter_map(|branch| branch.score);
    assert!(scores().all(|(_, bound)| bound == ScoreBound::Exact));
    let searches = game.searched();
    assert!((searches / 2..=4 * searches).contains(&scores().count()));
    let replayed = game.replay(|position, visited| {
        assert!(matches!(visited, Visited::Game(_)) || !position.in_check());
    });
    assert!(replayed.is_ok());
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
    let openings = [Position::from_sfen(start).unwrap()].into();
    let mut player = player(GameRules {
        openings,
        ..rules()
    });
    for number in 0..4 {
        let game = game(&mut player, number);
        let expected = (number % 2 == 1).then_some(start);
        assert_eq!(game.start.as_deref(), expected);
        assert!(expected.is_none() || game.opening <= 6);
        assert!(game.replay(|_, _| ()).is_ok());
        assert_eq!(
            game.start_position().unwrap().game_ply() == 31,
            expected.is_some()
        );
    }
}

#[test]
fn unbalanced_openings_are_rejected() {
    let lopsided = "4k4/9/9/9/9/9/9/9/4K4 b 18P4L4N4S4G2B2R 1";
    let openings = [Position::from_sfen(lopsided).unwrap()].into();
    let rules = GameRules {
        nodes: 1,
        ..rules()
    };
    let mut player = player(GameRules { openings, ..rules });
    assert!(player.play(0, &go()).is_ok());
    assert_eq!(player.play(1, &go()), Err(OpeningError(1)));
}

#[test]
fn side_lines_leave_a_game_as_it_is() {
    let rules = GameRules {
        side_lines: 8,
        ..rules()
    };
    let mut player = player(rules);
    let games: Vec<Vec<Game>> = (0..6).map(|number| lines(&mut player, number)).collect();
    let (mut searched, mut aside, mut count) = (0, 0, 0);
    for lines in &games {
        let (game, lines) = lines.split_last().unwrap();
        let opening = usize::from(game.opening);
        assert!(!game.is_side_line());
        assert_eq!(game.searched(), game.moves.len() - opening);
        searched += game.searched();
        for line in lines {
            assert!(line.is_side_line() && line.number == game.number);
            assert!(line.replay(|_, _| ()).is_ok());
            assert!(line.positions().all(|it| it.result.is_none()));
            // Equal to the game up to a random move, searched after it.
            let common = line.moves.len() - line.searched() - 1;
            assert!(common > opening && common < game.moves.len());
            let moves =
                |game: &Game| -> Vec<_> { game.moves[..common].iter().map(|it| it.mv).collect() };
            assert_eq!(moves(line), moves(game));
            assert!(line.moves[..=common].iter().all(|it| it.score.is_none()));
            aside += line.searched();
        }
        count += lines.len();
    }
    assert!((searched / 16..searched / 4).contains(&count), "{count}");
    // Side lines take as many moves on average as lie between them, unless the game ends before.
    assert!((2 * count..12 * count).contains(&aside), "{aside}");
    assert_eq!(
        lines(&mut player, 3),
        games[3],
        "a game is a pure function of its number"
    );
}
