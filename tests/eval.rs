//! Consistency of the evaluation: incremental and from scratch, flipped and unflipped.

use komaoto::eval::Evaluator;
use komaoto::eval::nnue::embedded;
use komaoto::position::Position;
use komaoto::types::value::MAX_EVAL;
use komaoto::types::{Move, Value};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// The value of a position by a new evaluator.
fn fresh(position: &Position) -> Value {
    let mut evaluator = Evaluator::new(embedded());
    evaluator.reset(position);
    evaluator.evaluate(position)
}

fn value_of(sfen: &str) -> Value {
    fresh(&Position::from_sfen(sfen).unwrap())
}

/// SFEN of a position rotated by 180 degrees with the colours swapped.
fn flipped(sfen: &str) -> String {
    let swap = |c: char| match c {
        c if c.is_ascii_lowercase() => c.to_ascii_uppercase(),
        c => c.to_ascii_lowercase(),
    };
    let fields: Vec<&str> = sfen.split(' ').collect();
    let ranks = fields[0].rsplit('/').map(|rank| {
        // A plus sign stays before its letter.
        let mut cells: Vec<String> = Vec::new();
        let mut plus = "";
        for c in rank.chars() {
            if c == '+' {
                plus = "+";
            } else {
                cells.push(format!("{plus}{}", swap(c)));
                plus = "";
            }
        }
        cells.reverse();
        cells.concat()
    });
    let ranks: Vec<String> = ranks.collect();
    let side = if fields[1] == "b" { "w" } else { "b" };
    let is_black = |c: &char| c.is_ascii_uppercase();
    let mut hands = [String::new(), String::new()];
    let mut count = String::new();
    for c in fields[2].chars().filter(|&c| c != '-') {
        if c.is_ascii_digit() {
            count.push(c);
        } else {
            let hand = &mut hands[usize::from(is_black(&c))];
            hand.push_str(&count);
            hand.push(swap(c));
            count.clear();
        }
    }
    let hand = match hands.concat() {
        empty if empty.is_empty() => "-".to_string(),
        hand => hand,
    };
    format!("{} {side} {hand} 1", ranks.join("/"))
}

/// A position reached by random moves, and the evaluator that followed them.
struct Walk {
    position: Position,
    evaluator: Evaluator,
    /// `None` for a null move.
    line: Vec<Option<Move>>,
}

impl Walk {
    fn new(position: Position) -> Walk {
        let mut evaluator = Evaluator::new(embedded());
        evaluator.reset(&position);
        Walk {
            position,
            evaluator,
            line: Vec::new(),
        }
    }

    /// Plays a random move or, now and then, a null move; `false` at the end of a game.
    fn advance(&mut self, rng: &mut StdRng) -> bool {
        if !self.position.in_check() && rng.random_ratio(1, 12) {
            self.position.do_null_move();
            self.evaluator.push_null();
            self.line.push(None);
            return true;
        }
        let Some(&mv) = self.position.legal_moves().choose(rng) else {
            return false;
        };
        self.evaluator.push(self.position.do_move(mv));
        self.line.push(Some(mv));
        true
    }

    fn retreat(&mut self) {
        match self.line.pop() {
            Some(Some(mv)) => self.position.undo_move(mv),
            Some(None) => self.position.undo_null_move(),
            None => return,
        }
        self.evaluator.pop();
    }

    fn check(&mut self) {
        let value = self.evaluator.evaluate(&self.position);
        assert_eq!(value, fresh(&self.position), "{:?}", self.position);
        assert_eq!(value, self.evaluator.evaluate(&self.position));
        assert!(value.abs() <= MAX_EVAL);
    }
}

/// Random games with moves taken back; evaluates once in `gap` steps on average.
fn walk(start: &str, seed: u64, gap: u32) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut walk = Walk::new(Position::from_sfen(start).unwrap());
    for _ in 0..400 {
        if rng.random_ratio(1, 10) || !walk.advance(&mut rng) {
            for _ in 0..rng.random_range(1..8) {
                walk.retreat();
            }
        }
        if rng.random_ratio(1, gap) {
            walk.check();
        }
    }
    while !walk.line.is_empty() {
        walk.retreat();
        if rng.random_ratio(1, gap) {
            walk.check();
        }
    }
    walk.check();
}

const STARTS: [&str; 4] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
    "9/4K4/9/3R5/9/9/2+p1B4/4k4/9 w RB4G4S4N4L17P 1",
];

#[test]
fn incremental_updates_equal_a_fresh_evaluation() {
    for (seed, start) in STARTS.into_iter().enumerate() {
        for round in 0..6 {
            walk(start, seed as u64 * 100 + round, 2);
        }
    }
}

#[test]
fn many_moves_may_pass_between_evaluations() {
    for (seed, start) in STARTS.into_iter().enumerate() {
        for round in 0..6 {
            walk(start, 1000 + seed as u64 * 100 + round, 60);
        }
    }
}

#[test]
fn reset_discards_the_line_before() {
    let mut rng = StdRng::seed_from_u64(5);
    let mut walk = Walk::new(Position::startpos());
    for _ in 0..30 {
        walk.advance(&mut rng);
    }
    walk.evaluator.reset(&Position::startpos());
    let value = walk.evaluator.evaluate(&Position::startpos());
    assert_eq!(value, fresh(&Position::startpos()));
}

#[test]
fn flipping_the_board_changes_nothing() {
    let mut rng = StdRng::seed_from_u64(7);
    for start in STARTS {
        for _ in 0..20 {
            let mut walk = Walk::new(Position::from_sfen(start).unwrap());
            for _ in 0..rng.random_range(0..120) {
                walk.advance(&mut rng);
            }
            let sfen = walk.position.to_sfen();
            assert_eq!(value_of(&sfen), value_of(&flipped(&sfen)), "{sfen}");
        }
    }
}

#[test]
fn the_start_position_is_nearly_equal() {
    let value = fresh(&Position::startpos());
    assert!((0..=100).contains(&value), "{value}");
}

#[test]
fn more_material_is_better() {
    let even = value_of(STARTS[0]);
    for handicap in [
        "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    ] {
        assert!(value_of(handicap) > even + 150, "{handicap}");
    }
    for gift in ["P", "L", "N", "S", "B", "R", "G", "2P"] {
        let board = "lnsgk4/9/2ppppppp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL";
        let without = value_of(&format!("{board} b - 1"));
        let with = value_of(&format!("{board} b {gift} 1"));
        assert!(with > without + 50, "{gift}: {with} against {without}");
    }
}

#[test]
fn a_castle_is_worth_having_against_a_full_hand() {
    let hand = "b RBGSNLPrbgsnlp 1";
    let castled = value_of(&format!("4k4/9/9/9/9/9/6PPP/5GSK1/5GSNL {hand}"));
    let exposed = value_of(&format!("4k4/9/9/9/4K4/9/6PPP/5GS2/5GSNL {hand}"));
    assert!(castled > exposed + 200, "{castled} against {exposed}");
}

#[test]
fn absurd_positions_stay_within_bounds() {
    for sfen in [
        "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
        "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 1",
        "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
        "9/9/9/9/9/9/9/9/4K4 w 2r2b4g4s4n4l18p 1",
        "8k/9/+R+R+B+B+N+N+N+N1/+L+L+L+L+S+S+S+S1/9/9/9/9/GGGGK4 b 18P 1",
        "k8/9/9/9/9/9/9/9/8K b - 1",
    ] {
        let value = value_of(sfen);
        assert!(value.abs() <= MAX_EVAL, "{sfen}: {value}");
        assert_eq!(value, value_of(&flipped(sfen)), "{sfen}");
    }
}

#[test]
fn explain_ends_with_the_value() {
    for start in STARTS {
        let position = Position::from_sfen(start).unwrap();
        let text = embedded().explain(&position);
        let last = text.lines().last().unwrap();
        let shown = last.strip_prefix("value for the side to move ").unwrap();
        let shown: Value = shown.split(',').next().unwrap().parse().unwrap();
        let value = embedded().unit().to_centipawns(fresh(&position));
        assert!(
            text.is_ascii() && (shown - value).abs() <= 2 + shown.abs() / 50,
            "{text}"
        );
    }
}
