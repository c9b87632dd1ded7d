//! An exhaustive solver to compare with. It finds short mates by brute force. Otherwise it builds the graph
//! of all positions that checks and defences lead to and does retrograde analysis from the mates, so
//! it shares neither proof numbers nor path dependence with the df-pn solver.

use komaoto::position::Position;
use komaoto::types::Move;
use std::collections::HashMap;

/// Whether a position is mate, and how soon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// Mate in this many plies, both sides playing best.
    Mate(usize),
    /// No mate by checks.
    NoMate,
}

/// All positions that checks and defences lead to.
struct Graph {
    /// For each position whether the attacker moves, and where its moves lead.
    nodes: Vec<(bool, Vec<usize>)>,
    numbers: HashMap<u64, usize>,
}

/// The longest mates, in plies, that are found by brute force.
const LONGEST_TRIED: usize = 5;

/// The truth, or `None` if the graph has more than `limit` positions.
pub fn truth(position: &Position, limit: usize) -> Option<Truth> {
    let mut tried = position.clone();
    if let Some(plies) = (1..=LONGEST_TRIED)
        .step_by(2)
        .find(|&n| mates(&mut tried, n))
    {
        return Some(Truth::Mate(plies));
    }
    let graph = Graph::explore(position, limit)?;
    let mut mate_in: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    for plies in 0.. {
        let known = mate_in.clone();
        let mut changed = plies == 0;
        for (number, (attacks, next)) in graph.nodes.iter().enumerate() {
            let mated = |&child: &usize| known[child].is_some();
            let is_mate = if *attacks {
                next.iter().any(mated)
            } else {
                next.iter().all(mated)
            };
            if mate_in[number].is_none() && is_mate {
                mate_in[number] = Some(plies);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    Some(mate_in[0].map_or(Truth::NoMate, Truth::Mate))
}

/// Whether the attacker mates within an odd number of plies.
fn mates(position: &mut Position, plies: usize) -> bool {
    allowed_moves(position, true).into_iter().any(|check| {
        position.do_move(check);
        let answers = allowed_moves(position, false);
        let mated = answers.is_empty()
            || plies > 1
                && answers.into_iter().all(|answer| {
                    position.do_move(answer);
                    let mated = mates(position, plies - 2);
                    position.undo_move(answer);
                    mated
                });
        position.undo_move(check);
        mated
    })
}

/// The moves of a mate problem: checks for the attacker, all moves for the defender.
pub fn allowed_moves(position: &mut Position, attacks: bool) -> Vec<Move> {
    let mut moves = position.legal_moves().to_vec();
    if attacks {
        moves.retain(|&mv| {
            position.do_move(mv);
            let checks = position.in_check();
            position.undo_move(mv);
            checks
        });
    }
    moves
}

impl Graph {
    fn explore(position: &Position, limit: usize) -> Option<Graph> {
        let mut graph = Graph {
            nodes: Vec::new(),
            numbers: HashMap::new(),
        };
        let mut todo = Vec::new();
        graph.number(position, true, &mut todo);
        while let Some((number, mut position, attacks)) = todo.pop() {
            for mv in allowed_moves(&mut position, attacks) {
                position.do_move(mv);
                let next = graph.number(&position, !attacks, &mut todo);
                position.undo_move(mv);
                graph.nodes[number].1.push(next);
            }
            if graph.nodes.len() > limit {
                return None;
            }
        }
        Some(graph)
    }

    /// The number of a position, which goes on the list to expand if it is new.
    fn number(
        &mut self,
        position: &Position,
        attacks: bool,
        todo: &mut Vec<(usize, Position, bool)>,
    ) -> usize {
        if let Some(&number) = self.numbers.get(&position.key()) {
            return number;
        }
        let number = self.nodes.len();
        self.numbers.insert(position.key(), number);
        self.nodes.push((attacks, Vec::new()));
        todo.push((number, position.clone(), attacks));
        number
    }
}
