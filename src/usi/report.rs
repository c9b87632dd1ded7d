//! The text of `info`, `bestmove` and `checkmate`.
//!
//! Fields are in an order that every client can read: depth first, a bound right after its score but
//! never right before the PV, the PV last.

use super::output::Output;
use crate::eval::units::ScoreUnit;
use crate::mate::{MateOutcome, MateProgress};
use crate::search::{BestMove, Info, Progress, Report, ScoreBound};
use crate::types::value::{MATE, MATE_IN_MAX_PLY};
use crate::types::{Move, Value};
use std::fmt::Write;

/// Largest score shown, in centipawns: larger ones would flatten the graphs that GUIs draw.
const MAX_SHOWN: Value = 20_000;

/// Prints the output of a search.
pub struct UsiReport {
    output: Output,
    /// The unit of the scores.
    unit: ScoreUnit,
}

impl UsiReport {
    /// Prints to an output; the scores of the search are in `unit`.
    pub fn new(output: Output, unit: ScoreUnit) -> UsiReport {
        UsiReport { output, unit }
    }
}

impl Report for UsiReport {
    fn info(&mut self, info: &Info) {
        self.output.line(&info_line(info, self.unit));
    }

    fn progress(&mut self, progress: &Progress) {
        let mut line = String::from("info");
        push_progress(&mut line, progress);
        self.output.line(&line);
    }

    fn best_move(&mut self, best_move: BestMove) {
        self.output.line(&bestmove_line(best_move));
    }
}

/// The `info` line of a principal variation.
fn info_line(info: &Info, unit: ScoreUnit) -> String {
    let mut line = format!("info depth {} seldepth {}", info.depth, info.seldepth);
    if info.lines > 1 {
        let _ = write!(line, " multipv {}", info.multi_pv);
    }
    let _ = write!(line, " score {}", score(info.score, unit));
    line.push_str(match info.bound {
        ScoreBound::Exact => "",
        ScoreBound::Lower => " lowerbound",
        ScoreBound::Upper => " upperbound",
    });
    push_progress(&mut line, &info.progress);
    if !info.pv.is_empty() {
        line.push_str(" pv");
        push_moves(&mut line, &info.pv);
    }
    line
}

fn push_progress(line: &mut String, progress: &Progress) {
    let &Progress {
        nodes,
        time_ms,
        hashfull,
    } = progress;
    let nps = nodes_per_second(nodes, time_ms);
    let _ = write!(
        line,
        " nodes {nodes} nps {nps} hashfull {hashfull} time {time_ms}"
    );
}

/// Nodes per second; less than a millisecond counts as a millisecond.
pub fn nodes_per_second(nodes: u64, time_ms: u64) -> u64 {
    nodes.saturating_mul(1000) / time_ms.max(1)
}

/// A score: centipawns, or signed plies to mate. A side that is already mated gets `mate -1`,
/// because GUIs disagree about the meaning of `mate 0`.
fn score(value: Value, unit: ScoreUnit) -> String {
    let plies = (MATE - value.abs()).max(1);
    if value >= MATE_IN_MAX_PLY {
        format!("mate {plies}")
    } else if value <= -MATE_IN_MAX_PLY {
        format!("mate -{plies}")
    } else {
        let centipawns = unit.to_centipawns(value);
        format!("cp {}", centipawns.clamp(-MAX_SHOWN, MAX_SHOWN))
    }
}

fn push_moves(line: &mut String, moves: &[Move]) {
    for mv in moves {
        let _ = write!(line, " {mv}");
    }
}

/// The `bestmove` line.
pub fn bestmove_line(best_move: BestMove) -> String {
    match best_move {
        BestMove::Play {
            mv,
            ponder: Some(ponder),
        } => format!("bestmove {mv} ponder {ponder}"),
        BestMove::Play { mv, ponder: None } => format!("bestmove {mv}"),
        BestMove::Win => "bestmove win".into(),
        BestMove::Resign => "bestmove resign".into(),
    }
}

/// The `info` line of a mate search.
pub fn mate_info_line(progress: &MateProgress) -> String {
    let MateProgress {
        time,
        nodes,
        hashfull,
        line: mate,
    } = *progress;
    let mut line = String::from("info");
    let plies = mate.len();
    if plies > 0 {
        let _ = write!(line, " depth {plies} seldepth {plies} score mate {plies}");
    }
    let progress = Progress {
        nodes,
        time_ms: time.as_millis() as u64,
        hashfull,
    };
    push_progress(&mut line, &progress);
    if plies > 0 {
        line.push_str(" pv");
        push_moves(&mut line, mate);
    }
    line
}

/// The `checkmate` line of a mate search.
pub fn checkmate_line(outcome: &MateOutcome) -> String {
    let mut line = String::from("checkmate");
    match outcome {
        MateOutcome::Mate(moves) => push_moves(&mut line, moves),
        MateOutcome::NoMate => line.push_str(" nomate"),
        MateOutcome::Timeout => line.push_str(" timeout"),
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::value::{SUPERIOR, mate_in, mated_in};

    const CENTIPAWNS: ScoreUnit = ScoreUnit::CENTIPAWNS;
    const YANEURAOU: ScoreUnit = ScoreUnit::YANEURAOU;

    fn mv(text: &str) -> Move {
        Move::from_usi(text).unwrap()
    }

    fn example() -> Info {
        Info {
            depth: 9,
            seldepth: 14,
            multi_pv: 2,
            lines: 1,
            score: -35,
            bound: ScoreBound::Exact,
            progress: Progress {
                nodes: 12_345,
                time_ms: 100,
                hashfull: 7,
            },
            pv: vec![mv("7g7f"), mv("3c3d")],
        }
    }

    #[test]
    fn info_has_its_fields_in_order() {
        assert_eq!(
            info_line(&example(), CENTIPAWNS),
            "info depth 9 seldepth 14 score cp -35 nodes 12345 nps 123450 hashfull 7 time 100 \
             pv 7g7f 3c3d"
        );
        let bounded = Info {
            lines: 3,
            bound: ScoreBound::Lower,
            progress: Progress {
                time_ms: 0,
                ..example().progress
            },
            pv: Vec::new(),
            ..example()
        };
        assert_eq!(
            info_line(&bounded, CENTIPAWNS),
            "info depth 9 seldepth 14 multipv 2 score cp -35 lowerbound nodes 12345 nps 12345000 \
             hashfull 7 time 0"
        );
    }

    #[test]
    fn scores_are_centipawns_or_signed_plies() {
        assert_eq!(score(0, CENTIPAWNS), "cp 0");
        assert_eq!(score(SUPERIOR, CENTIPAWNS), "cp 20000");
        assert_eq!(score(-SUPERIOR, CENTIPAWNS), "cp -20000");
        assert_eq!(score(mate_in(1), CENTIPAWNS), "mate 1");
        assert_eq!(score(mate_in(3), CENTIPAWNS), "mate 3");
        assert_eq!(score(mated_in(2), CENTIPAWNS), "mate -2");
        assert_eq!(score(mated_in(0), CENTIPAWNS), "mate -1");
        // Mates are the same in every unit.
        assert_eq!(score(89, YANEURAOU), "cp 99");
        assert_eq!(score(-89, YANEURAOU), "cp -99");
        assert_eq!(score(31_751, YANEURAOU), "cp 20000");
        assert_eq!(score(mate_in(3), YANEURAOU), "mate 3");
    }

    #[test]
    fn every_kind_of_answer_has_its_line() {
        let play = |ponder| BestMove::Play {
            mv: mv("P*5e"),
            ponder,
        };
        assert_eq!(bestmove_line(play(None)), "bestmove P*5e");
        assert_eq!(
            bestmove_line(play(Some(mv("8h2b+")))),
            "bestmove P*5e ponder 8h2b+"
        );
        assert_eq!(bestmove_line(BestMove::Win), "bestmove win");
        assert_eq!(bestmove_line(BestMove::Resign), "bestmove resign");
        let mate = MateOutcome::Mate(vec![mv("G*5b")]);
        assert_eq!(checkmate_line(&mate), "checkmate G*5b");
        assert_eq!(checkmate_line(&MateOutcome::NoMate), "checkmate nomate");
        assert_eq!(checkmate_line(&MateOutcome::Timeout), "checkmate timeout");
    }
}
