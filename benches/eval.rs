//! Cost of the evaluation: from scratch, and following a search.

use criterion::{Criterion, criterion_group, criterion_main};
use komaoto::eval::Evaluator;
use komaoto::eval::nnue::embedded;
use komaoto::position::Position;
use komaoto::types::Move;
use std::hint::black_box;

const MIDDLE_GAME: &str = "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1";

/// Plays each move, evaluates and takes it back.
fn visit(
    position: &mut Position,
    evaluator: &mut Evaluator,
    moves: &[Move],
    evaluate: bool,
) -> i32 {
    let mut sum = 0;
    for &mv in moves {
        evaluator.push(position.do_move(mv));
        if evaluate {
            sum += evaluator.evaluate(position);
        }
        evaluator.pop();
        position.undo_move(mv);
    }
    sum
}

fn evaluation(c: &mut Criterion) {
    let mut position = Position::from_sfen(MIDDLE_GAME).expect("a sound position");
    let mut evaluator = Evaluator::new(embedded());
    evaluator.reset(&position);
    c.bench_function("reset", |b| {
        b.iter(|| evaluator.reset(black_box(&position)))
    });
    c.bench_function("evaluate, sums known", |b| {
        b.iter(|| evaluator.evaluate(black_box(&position)))
    });

    let king =
        |mv: &Move| !mv.is_drop() && Some(mv.from()) == position.king(position.side_to_move());
    let moves = position.legal_moves();
    let (king, other): (Vec<Move>, Vec<Move>) = moves.iter().partition(|mv| king(mv));
    for (name, moves) in [("moves", other), ("king moves", king)] {
        for (what, evaluate) in [("played only", false), ("played and evaluated", true)] {
            c.bench_function(&format!("{} {name} {what}", moves.len()), |b| {
                b.iter(|| visit(&mut position, &mut evaluator, black_box(&moves), evaluate))
            });
        }
    }
}

criterion_group!(benches, evaluation);
criterion_main!(benches);
