//! Principal variation search: negamax alpha-beta that searches the first move with the full
//! window and the others with an empty one, and again only if they turn out better.
//! <https://www.chessprogramming.org/Principal_Variation_Search>
//!
//! A *PV node* has an open window. All other nodes have the window (alpha, alpha + 1) and are
//! expected either to fail high after a move or two (*cut nodes*) or to try every move in vain
//! (*all nodes*); children of cut nodes are all nodes and the other way round.
//!
//! Values are fail-soft: a value outside the window is a bound on the true one. The exclusions of
//! pruning are the same everywhere: never in check, never near mate, and moves that give check or
//! capture have rules of their own.
#![forbid(unsafe_code)]

use super::history;
use super::node::{NodeType, NonPv};
use super::params;
use super::prune;
use super::technique::Technique;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::types::{Depth, MAX_PLY, Move, Value, value};

/// How much deeper than its node a mate in one is stored: enough to cut later visits, not so much
/// that it would never be replaced.
const MATE_DEPTH: Depth = 6;

/// Facts about a node, settled before its moves are searched.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) ply: usize,
    pub(super) depth: Depth,
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    /// The hash move, legal or [`Move::NONE`].
    pub(super) tt_move: Move,
    /// The hash entry.
    pub(super) entry: Option<Entry>,
    /// Whether the hash move captures.
    pub(super) tt_capture: bool,
    /// On a principal variation now or when the position was met before.
    pub(super) tt_pv: bool,
    /// Static evaluation as the evaluator gave it, [`value::NONE`] in check.
    pub(super) raw_eval: Value,
    /// Corrected by experience and by the value of the hash entry.
    pub(super) eval: Value,
    /// Whether the static evaluation is better than two plies before.
    pub(super) improving: bool,
}

impl Worker {
    /// Searches a node to a depth and returns its value for the side to move.
    pub(super) fn pvs<N: NodeType>(
        &mut self,
        ply: usize,
        mut alpha: Value,
        mut beta: Value,
        mut depth: Depth,
        cut_node: bool,
    ) -> Value {
        debug_assert!(-value::INFINITE <= alpha && alpha < beta && beta <= value::INFINITE);
        debug_assert!(N::PV || alpha + 1 == beta);

        // Step 1. Leave the leaves to quiescence search.
        if depth <= 0 {
            return self.quiescence::<N>(ply, alpha, beta);
        }
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.poll() {
            return value::DRAW;
        }

        if !N::ROOT {
            // Step 2. The rules may have ended the game.
            if let Some(value) = self.terminal_value(ply) {
                return value;
            }
            // Step 3. Mate distance pruning: no line can beat a shorter mate already found.
            // <https://www.chessprogramming.org/Mate_Distance_Pruning>
            alpha = alpha.max(value::mated_in(ply));
            beta = beta.min(value::mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 4. Transposition table. PV nodes do not cut, which keeps their lines whole.
        let (key, side) = (self.position.key(), self.position.side_to_move());
        let entry = self.tt.probe(key, side, ply);
        let tt_move = self.hash_move::<N>(entry.as_ref());
        // A search without one of the moves asks another question than the table answers.
        let excluded = self.stack.at(ply).excluded;
        if !N::PV
            && excluded == Move::NONE
            && let Some(entry) = &entry
            && entry.depth >= depth
            && entry.cuts(beta)
            && self.uses(Technique::TABLE_CUTOFF)
        {
            if entry.value >= beta && tt_move.is_some() && !self.position.is_capture(tt_move) {
                self.reward_quiet(ply, tt_move, history::bonus(depth));
            }
            return entry.value;
        }

        // Step 5. A win by declaration (入玉宣言).
        if !N::ROOT
            && (N::PV || !tt_move.is_some())
            && self
                .position
                .declaration_win(self.options.entering_king_rule)
                .is_some()
        {
            return value::mate_in(ply + 1);
        }

        // Step 6. Mate in one. The table had its say if the position was met before.
        if !N::ROOT
            && entry.is_none()
            && excluded == Move::NONE
            && let Some(value) = self.mate_in_one::<N>(ply, depth + MATE_DEPTH)
        {
            return value;
        }

        // Step 7. Static evaluation.
        let node = self.evaluate_node::<N>(ply, depth, cut_node, entry.as_ref(), tt_move);
        if !N::ROOT {
            self.stack.at_mut(ply + 1).cutoffs = 0;
        }

        // Steps 8 to 10. Prune the whole node.
        if !N::PV
            && !node.in_check
            && excluded == Move::NONE
            && let Some(value) = self.prune_node(&node, alpha, beta)
        {
            return value;
        }
        if self.stopped {
            return value::DRAW;
        }

        // Step 11. Internal iterative reduction: without a hash move the node is not worth its
        // depth yet; the next iteration will know one.
        if (N::PV || cut_node)
            && depth >= params::iir_depth()
            && !tt_move.is_some()
            && self.uses(Technique::ITERATIVE_REDUCTION)
        {
            depth -= 1;
        }

        let node = Node { depth, ..node };
        self.search_moves::<N>(&node, alpha, beta)
    }

    /// The move to try first: at the root that of the line being searched, elsewhere the stored
    /// one, if it is legal here.
    #[inline(always)]
    fn hash_move<N: NodeType>(&self, entry: Option<&Entry>) -> Move {
        if N::ROOT {
            return self.root_moves[self.pv_index].mv;
        }
        match entry {
            Some(entry) if self.position.is_legal(entry.mv) => entry.mv,
            _ => Move::NONE,
        }
    }

    /// Step 6, and the like in quiescence search: looks for a move that mates at once, and keeps
    /// it in the table as searched to `depth`.
    #[inline(always)]
    pub(super) fn mate_in_one<N: NodeType>(&mut self, ply: usize, depth: Depth) -> Option<Value> {
        if self.position.in_check() || !self.uses(Technique::MATE_IN_ONE) {
            return None;
        }
        let mv = self.position.mate_in_one()?;
        let value = value::mate_in(ply + 1);
        if N::PV {
            self.pv.set(ply, mv);
        }
        let bound = if N::PV { Bound::EXACT | Bound::PV } else { Bound::EXACT };
        let entry = Entry {
            mv,
            value,
            eval: value::NONE,
            depth: depth.min(MAX_PLY as Depth - 1),
            bound,
        };
        let (key, side) = (self.position.key(), self.position.side_to_move());
        self.tt.store(key, side, ply, entry);
        Some(value)
    }

    /// Step 7: evaluates the node and leaves the evaluation in its frame.
    #[inline(always)]
    fn evaluate_node<N: NodeType>(
        &mut self,
        ply: usize,
        depth: Depth,
        cut_node: bool,
        entry: Option<&Entry>,
        tt_move: Move,
    ) -> Node {
        let in_check = self.position.in_check();
        let (raw_eval, static_eval, eval) = if in_check {
            // No evaluation is to be trusted in check; that of two plies before stands in.
            (
                value::NONE,
                self.stack.before(ply, 2).static_eval,
                value::NONE,
            )
        } else {
            let evaluation = self.evaluate(entry);
            (evaluation.raw, evaluation.corrected, evaluation.refined)
        };
        self.stack.at_mut(ply).static_eval = static_eval;
        let earlier = self.stack.before(ply, 2).static_eval;
        let improving = !in_check
            && if earlier != value::NONE {
                static_eval > earlier
            } else {
                let earlier = self.stack.before(ply, 4).static_eval;
                earlier == value::NONE || static_eval > earlier
            };
        Node {
            ply,
            depth,
            cut_node,
            in_check,
            tt_move,
            entry: entry.copied(),
            tt_capture: tt_move.is_some() && self.position.is_capture(tt_move),
            tt_pv: N::PV || entry.is_some_and(Entry::is_pv),
            raw_eval,
            eval,
            improving,
        }
    }

    /// Steps 8 to 10: decides nodes that are far outside the window without searching their moves.
    #[inline(always)]
    fn prune_node(&mut self, node: &Node, alpha: Value, beta: Value) -> Option<Value> {
        let (depth, eval) = (node.depth, node.eval);

        // Step 8. Razoring: hopeless nodes go straight to quiescence search.
        if depth <= params::razor_depth()
            && !value::is_decisive(alpha)
            && eval < alpha - prune::razor_margin(depth)
            && self.uses(Technique::RAZORING)
        {
            let value = self.quiescence::<NonPv>(node.ply, alpha, alpha + 1);
            if value <= alpha && !value::is_loss(value) || self.stopped {
                return Some(value);
            }
        }

        // Step 9. Child futility pruning: so far above beta that no answer brings it back.
        if !node.tt_pv
            && depth <= params::child_futility_depth()
            && (!node.tt_move.is_some() || node.tt_capture)
            && !value::is_decisive(beta)
            && !value::is_win(eval)
            && eval - prune::child_futility_margin(depth, node.improving) >= beta
            && self.uses(Technique::CHILD_FUTILITY)
        {
            return Some((2 * beta + eval) / 3);
        }

        // Step 10. Null move: if passing holds beta, a move will.
        let static_eval = self.stack.at(node.ply).static_eval;
        if node.ply > 0
            && node.cut_node
            && depth >= params::null_depth()
            && self.stack.before(node.ply, 1).mv != Move::NULL
            && eval >= beta
            && static_eval >= beta + prune::null_static_margin(depth)
            && !value::is_loss(beta)
            && self.uses(Technique::NULL_MOVE)
        {
            let reduction = prune::null_reduction(depth, eval - beta);
            self.do_null_move(node.ply);
            let value = -self.pvs::<NonPv>(node.ply + 1, -beta, 1 - beta, depth - reduction, false);
            self.undo_null_move();
            if self.stopped {
                return Some(value::DRAW);
            }
            if value >= beta {
                // A mate found after a pass proves nothing.
                return Some(if value::is_win(value) { beta } else { value });
            }
        }
        None
    }
}
