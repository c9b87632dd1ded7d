//! Endings by rule: repetition and declaration.

use crate::common::{effort, play, position, records, usi, words};
use komaoto::position::{Declaration, EnteringKingRule, GameRepetition, Position, Repetition};
use komaoto::types::{Color, Hand, PieceType};
use rand::prelude::*;
use std::collections::HashSet;

#[test]
fn game_repetition_cases() {
    for record in records(include_str!("../../positions/repetition.txt")) {
        let [name, sfen, moves, outcome, end] = record[..] else {
            panic!("bad record {record:?}")
        };
        let mut position = position(sfen);
        let mut ended = None;
        for (ply, text) in words(moves).into_iter().enumerate() {
            play(&mut position, text);
            if ended.is_none() && position.game_repetition() != GameRepetition::None {
                ended = Some(ply + 1);
                let lost = match position.game_repetition() {
                    GameRepetition::Loses(color) if color == position.side_to_move() => {
                        Repetition::Loss
                    }
                    GameRepetition::Loses(_) => Repetition::Win,
                    _ => Repetition::Draw,
                };
                // The root of a search sees the fourth occurrence by the same name.
                assert_eq!(position.repetition(0), lost, "{name}");
            }
        }
        assert_eq!(position.game_repetition().to_string(), outcome, "{name}");
        assert_eq!(ended, end.parse().ok(), "{name}");
    }
}

#[test]
fn a_repetition_below_the_root_counts_at_once() {
    let mut position = Position::startpos();
    play(&mut position, "2h3h 8b7b 3h2h 7b8b");
    assert_eq!(position.repetition(5), Repetition::Draw);
    // The root itself and what came before it count only at the fourth occurrence.
    assert_eq!(position.repetition(4), Repetition::None);
    assert_eq!(position.repetition(0), Repetition::None);
    play(&mut position, "2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b");
    assert_eq!(position.repetition(0), Repetition::Draw);
}

#[test]
fn perpetual_check_below_the_root() {
    let mut position = position("k8/9/9/9/9/9/9/1R7/8K b - 1");
    play(&mut position, "8h9h 9a8a 9h8h 8a9a");
    // Black, to move, gave all the checks.
    assert_eq!(position.repetition(5), Repetition::Loss);
    play(&mut position, "8h9h");
    assert_eq!(position.repetition(5), Repetition::Win);
}

#[test]
fn a_pawn_less_on_the_same_board_is_inferior() {
    let mut position = position("4k4/9/9/9/9/9/9/9/4K4 b P 1");
    play(&mut position, "P*5b 5a5b 5i5h 5b4a 5h5i 4a5a");
    assert_eq!(position.repetition(7), Repetition::Inferior);
    // Against the root or the game before it, unequal hands mean nothing.
    assert_eq!(position.repetition(6), Repetition::None);
    assert_eq!(position.game_repetition(), GameRepetition::None);
}

#[test]
fn a_pawn_more_on_the_same_board_is_superior() {
    let mut position = position("4k4/9/9/9/9/9/9/9/4K4 w P 1");
    play(&mut position, "5a4a P*4b 4a4b 5i4i 4b5a 4i5i");
    assert_eq!(position.repetition(7), Repetition::Superior);
    assert_eq!(position.repetition(6), Repetition::None);
}

#[test]
fn a_null_move_ends_the_look_back() {
    let mut position = position("4k4/9/9/9/9/9/9/9/4K4 b - 1");
    play(&mut position, "5i5h 5a5b");
    let key = position.key();
    position.do_null_move();
    position.do_null_move();
    assert_eq!(position.key(), key);
    // The same position again, but not by moves of the game.
    assert_eq!(position.repetition(9), Repetition::None);
    // What is played after that repeats as ever.
    play(&mut position, "5h5i 5b5a 5i5h 5a5b");
    assert_eq!(position.repetition(9), Repetition::Draw);
}

#[test]
fn declaration_cases() {
    let mut results = 0;
    for record in records(include_str!("../../positions/declaration.txt")) {
        let [name, sfen, rules] = record[..] else {
            panic!("bad record {record:?}")
        };
        let position = position(sfen);
        assert_eq!(
            position.declaration_win(EnteringKingRule::NoEnteringKing),
            None
        );
        for entry in words(rules) {
            let (rule, wins) = entry.split_once('=').unwrap();
            let expected = match wins {
                "no" => None,
                "yes" => Some(Declaration::Win),
                mv => Some(Declaration::Try(usi(mv))),
            };
            let found = position.declaration_win(rule.parse().unwrap());
            assert_eq!(found, expected, "{name} under {rule}");
            results += 1;
        }
    }
    assert!(results > 250);
}

/// Board and side to move in SFEN, and both hands.
type Identity = (String, [Hand; 2]);

/// A line of moves as the repetition rule sees it.
struct History {
    positions: Vec<Identity>,
    /// Whether the move to each position gave check.
    checks: Vec<bool>,
}

impl History {
    fn new() -> History {
        History {
            positions: Vec::new(),
            checks: Vec::new(),
        }
    }

    fn enter(&mut self, position: &Position) {
        let sfen = position.to_sfen();
        let board = sfen.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let hands = Color::ALL.map(|color| position.hand(color));
        self.positions.push((board, hands));
        self.checks.push(position.in_check());
    }

    /// [`Position::repetition`] as it is documented.
    fn repetition(&self, position: &Position, ply: usize) -> Repetition {
        let now = self.positions.len() - 1;
        let mut occurrences = 1;
        for earlier in (0..now)
            .rev()
            .filter(|earlier| (now - earlier).is_multiple_of(2))
        {
            let ((board, hands), (board_now, hands_now)) =
                (&self.positions[earlier], &self.positions[now]);
            if board != board_now {
                continue;
            }
            let since_root = now - earlier < ply;
            if hands == hands_now {
                occurrences += 1;
                if since_root || occurrences == 4 {
                    return self.result(earlier, now);
                }
            } else if since_root {
                let us = position.side_to_move().index();
                let more = PieceType::HAND
                    .map(|kind| hands_now[us].count(kind) as i32 - hands[us].count(kind) as i32);
                if more.iter().all(|&n| n >= 0) {
                    return Repetition::Superior;
                }
                if more.iter().all(|&n| n <= 0) {
                    return Repetition::Inferior;
                }
            }
        }
        Repetition::None
    }

    /// The result of repeating an earlier position, for the side to move.
    fn result(&self, earlier: usize, now: usize) -> Repetition {
        let all = |first: usize| (first..=now).step_by(2).all(|i| self.checks[i]);
        // The opponent has just moved; the side to move made the moves before.
        let (enemy, own) = (all(earlier + 2), all(earlier + 1));
        match (own, enemy) {
            (true, false) => Repetition::Loss,
            (false, true) => Repetition::Win,
            _ => Repetition::Draw,
        }
    }
}

/// Few pieces, so that random play repeats positions.
const CRAMPED: [&str; 6] = [
    "4k4/9/9/9/9/9/9/9/4K4 b - 1",
    "k8/9/9/9/9/9/9/1R7/8K b - 1",
    "k8/9/9/9/9/9/9/8L/7LK b Pp 1",
    "k1r6/9/9/9/9/9/9/9/6R1K w - 1",
    "8k/9/9/9/9/9/9/9/9 b RG 1",
    "kl7/lp7/9/9/9/9/9/7PL/7LK b Gg 1",
];

#[test]
fn repetition_follows_its_rule_in_random_play() {
    let mut rng = StdRng::seed_from_u64(9);
    let mut seen = HashSet::new();
    for game in 0..effort(600, 120) {
        let mut position = position(CRAMPED[game % CRAMPED.len()]);
        let mut history = History::new();
        history.enter(&position);
        for _ in 0..120 {
            let moves = position.legal_moves();
            let info = position.check_info();
            let mut checks = moves.clone();
            checks.retain(|&mv| position.gives_check(mv, &info));
            // Going back where a piece came from, or giving check again, repeats positions.
            let mv = if !checks.is_empty() && rng.random_bool(0.9) {
                checks.choose(&mut rng)
            } else {
                let first = &moves[..moves.len().min(3)];
                first.choose(&mut rng)
            };
            let Some(&mv) = mv else { break };
            position.do_move(mv);
            history.enter(&position);
            for ply in [0, 1, 4, 5, 9, 40, 200] {
                let expected = history.repetition(&position, ply);
                assert_eq!(position.repetition(ply), expected, "{position:?} ply {ply}");
                seen.insert(format!("{expected:?}"));
            }
        }
    }
    assert_eq!(seen.len(), 6, "only {seen:?} occurred");
}
