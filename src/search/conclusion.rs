//! The first thread's part of a search: what the rules say at the root, when to answer, and the
//! choice between the results of the threads.
#![forbid(unsafe_code)]

use super::iterate::RootMove;
use super::report::{Answer, Info, ScoreBound};
use super::tt::TranspositionTable;
use super::worker::{MainDuties, Worker};
use crate::position::Declaration;
use crate::types::{Depth, Move, Value, value};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// What a thread found, for the vote.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    best: RootMove,
    score: Value,
    depth: Depth,
}

/// What the first thread needs beside its job.
pub(super) struct MainWork {
    pub(super) duties: MainDuties,
    pub(super) helpers: usize,
    pub(super) findings: Receiver<Finding>,
    pub(super) infinite: bool,
    pub(super) declaration: Option<Declaration>,
    /// Dropped when the answer is out.
    pub(super) done: Sender<()>,
}

impl Worker {
    pub(super) fn finding(&self) -> Finding {
        Finding {
            best: self.root_moves[0].clone(),
            score: self.best_score(),
            depth: self.completed_depth,
        }
    }

    /// Lets go of what the threads share, so that a new table need not wait for this thread.
    pub(super) fn release(&mut self) {
        self.tt = Arc::new(TranspositionTable::placeholder());
    }

    /// The first thread's search: from the rules at the root to the answer.
    pub(super) fn run_main(&mut self, work: MainWork) {
        let MainWork {
            duties,
            helpers,
            findings,
            infinite,
            declaration,
            done,
        } = work;
        self.main = Some(duties);
        let answer = match declaration {
            Some(Declaration::Win) => self.answer_without_search(Answer::Win, value::mate_in(1)),
            _ if self.root_moves.is_empty() => {
                self.answer_without_search(Answer::Resign, value::mated_in(1))
            }
            Some(Declaration::Try(mv)) => {
                let play = Answer::Play { mv, ponder: None };
                self.answer_without_search(play, value::mate_in(1))
            }
            None => {
                self.iterate();
                if infinite || self.control.is_pondering() {
                    self.report_before_waiting();
                }
                None
            }
        };
        // Nothing may be answered while the opponent thinks or in an infinite search.
        self.control.halt();
        self.control.wait_for_release(infinite);
        let answer = answer.unwrap_or_else(|| {
            let others: Vec<Finding> = findings.iter().take(helpers).collect();
            self.conclude(&others)
        });
        let control = Arc::clone(&self.control);
        let main = self.main.take();
        self.release();
        // Whoever has read the answer finds the searcher idle.
        control.finish();
        if let Some(mut main) = main {
            main.report.answer(answer);
        }
        drop(done);
    }

    /// A search that has ended before it may be answered shows what it has found.
    fn report_before_waiting(&mut self) {
        if self.completed_depth > 0 && self.reported_nodes != Some(self.nodes) {
            let lines = self.options.multi_pv.clamp(1, self.root_moves.len());
            self.report_lines(self.completed_depth, lines);
        }
    }

    /// Reports a root at which there is nothing to search.
    fn answer_without_search(&mut self, answer: Answer, score: Value) -> Option<Answer> {
        let pv = match answer {
            Answer::Play { mv, .. } => vec![mv],
            _ => Vec::new(),
        };
        let info = Info {
            depth: 1,
            seldepth: 1,
            multi_pv: 1,
            lines: 1,
            score,
            bound: ScoreBound::Exact,
            nodes: 0,
            time_ms: self.main.as_ref().map_or(0, |main| main.time.elapsed_ms()),
            hashfull: 0,
            pv,
        };
        if let Some(main) = &mut self.main {
            main.report.info(&info);
        }
        Some(answer)
    }

    /// Chooses between the threads, reports the last line, and makes the answer of it.
    fn conclude(&mut self, others: &[Finding]) -> Answer {
        let mut depth = self.completed_depth.max(1);
        if self.options.multi_pv == 1 {
            let own = self.finding();
            let chosen = vote(&own, others);
            depth = chosen.depth.max(1);
            let (best, score) = (chosen.best.clone(), chosen.score);
            self.root_moves[0] = RootMove { score, ..best };
        }
        // What the last iteration reported may still be the last word.
        if self.reported_nodes != Some(self.nodes) || !others.is_empty() {
            let lines = self.options.multi_pv.clamp(1, self.root_moves.len());
            self.report_lines(depth, lines);
        }
        let best = &self.root_moves[0];
        // Before the first iteration is finished most moves have not been looked at.
        if self.completed_depth > 0 && self.best_score() <= -self.options.resign_value {
            return Answer::Resign;
        }
        let mv = best.mv;
        Answer::Play {
            mv,
            ponder: self.ponder_move(mv, best.pv.get(1).copied()),
        }
    }

    /// The reply expected to the move chosen: from its line, else from the hash table.
    fn ponder_move(&self, mv: Move, from_line: Option<Move>) -> Option<Move> {
        let mut position = self.position.clone();
        position.do_move(mv);
        let (key, side) = (position.key(), position.side_to_move());
        from_line
            .or_else(|| self.tt.probe(key, side, 1).map(|entry| entry.mv))
            .filter(|&reply| position.is_legal(reply))
    }
}

/// The finding that most threads, the deeper and the better ones counting more, agree on. A proven
/// win is taken at once, the shortest of several.
fn vote<'a>(own: &'a Finding, others: &'a [Finding]) -> &'a Finding {
    let all = || std::iter::once(own).chain(others);
    let lowest = all().map(|finding| finding.score).min().unwrap_or(0);
    let weight = |finding: &Finding| {
        i64::from(finding.score - lowest + 14) * i64::from(finding.depth.max(1))
    };
    let votes = |mv: Move| -> i64 {
        all()
            .filter(|finding| finding.best.mv == mv)
            .map(weight)
            .sum()
    };
    let mut chosen = own;
    for finding in others {
        let better = if value::is_win(chosen.score) || value::is_win(finding.score) {
            finding.score > chosen.score
        } else {
            votes(finding.best.mv) > votes(chosen.best.mv)
                || finding.best.mv == chosen.best.mv && weight(finding) > weight(chosen)
        };
        if better && finding.depth > 0 {
            chosen = finding;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(mv: &str, score: Value, depth: Depth) -> Finding {
        let best = RootMove::new(Move::from_usi(mv).unwrap());
        Finding { best, score, depth }
    }

    fn winner(findings: &[Finding]) -> String {
        vote(&findings[0], &findings[1..]).best.mv.to_string()
    }

    #[test]
    fn the_majority_wins() {
        let findings = [
            finding("7g7f", 50, 10),
            finding("2g2f", 48, 10),
            finding("2g2f", 47, 10),
        ];
        assert_eq!(winner(&findings), "2g2f");
    }

    #[test]
    fn the_shortest_mate_wins() {
        let mate = |ply| value::mate_in(ply);
        let findings = [
            finding("7g7f", 50, 12),
            finding("2g2f", mate(7), 10),
            finding("1g1f", mate(5), 9),
        ];
        assert_eq!(winner(&findings), "1g1f");
    }

    #[test]
    fn a_thread_that_finished_nothing_has_no_say() {
        let findings = [finding("7g7f", 5, 3), finding("2g2f", 900, 0)];
        assert_eq!(winner(&findings), "7g7f");
    }
}
