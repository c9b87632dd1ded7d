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

use super::history::{self, ContinuationIndex};
use super::movepick::MovePicker;
use super::node::{NodeType, NonPv, Pv};
use super::params;
use super::prune;
use super::report::ScoreBound;
use super::root::RootMove;
use super::technique::Technique;
use super::tried::TriedMoves;
use super::tt::{Bound, Entry};
use super::worker::Worker;
use crate::types::{Depth, Move, Value, value};

/// Facts about a node, settled before its moves are searched.
#[derive(Clone, Copy)]
struct Node {
    ply: usize,
    depth: Depth,
    cut_node: bool,
    in_check: bool,
    /// The hash move, legal or [`Move::NONE`].
    tt_move: Move,
    /// The hash entry.
    entry: Option<Entry>,
    /// Whether the hash move captures.
    tt_capture: bool,
    /// On a principal variation now or when the position was met before.
    tt_pv: bool,
    /// Static evaluation, corrected by the value of the hash entry where that is a better guess.
    eval: Value,
    /// Whether the static evaluation is better than two plies before.
    improving: bool,
}

/// One move of a node.
#[derive(Clone, Copy)]
struct Candidate {
    mv: Move,
    /// Its number in the order of search, from 1.
    number: usize,
    capture: bool,
    gives_check: bool,
    /// What histories say about it.
    history: i32,
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

        // Step 6. Static evaluation.
        let node = self.evaluate_node::<N>(ply, depth, cut_node, entry.as_ref(), tt_move);
        if !N::ROOT {
            self.stack.at_mut(ply + 1).cutoffs = 0;
        }

        // Steps 7 to 9. Prune the whole node.
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

        // Step 10. Internal iterative reduction: without a hash move the node is not worth its
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

    /// Step 6: evaluates the node and leaves the evaluation in its frame.
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
        let (static_eval, eval) = if in_check {
            // No evaluation is to be trusted in check; that of two plies before stands in.
            (self.stack.before(ply, 2).static_eval, value::NONE)
        } else {
            let static_eval = match entry {
                Some(entry) if entry.eval != value::NONE => entry.eval,
                _ => self.evaluator.evaluate(&self.position),
            };
            // A bound on the right side of the evaluation is a better guess than itself.
            let eval = match entry {
                Some(entry) if !value::is_decisive(entry.value) && entry.cuts(static_eval + 1) => {
                    entry.value
                }
                _ => static_eval,
            };
            (static_eval, eval)
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
            eval,
            improving,
        }
    }

    /// Steps 7 to 9: decides nodes that are far outside the window without searching their moves.
    #[inline(always)]
    fn prune_node(&mut self, node: &Node, alpha: Value, beta: Value) -> Option<Value> {
        let (depth, eval) = (node.depth, node.eval);

        // Step 7. Razoring: hopeless nodes go straight to quiescence search.
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

        // Step 8. Child futility pruning: so far above beta that no answer brings it back.
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

        // Step 9. Null move: if passing holds beta, a move will.
        let static_eval = self.stack.at(node.ply).static_eval;
        if node.ply > 0
            && node.cut_node
            && depth >= params::null_depth()
            && self.stack.before(node.ply, 1).mv != Move::NULL
            && eval >= beta
            && static_eval >= beta - 20 * depth + 200
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

    /// Steps 11 to 17: searches the moves of a node.
    fn search_moves<N: NodeType>(&mut self, node: &Node, mut alpha: Value, beta: Value) -> Value {
        let ply = node.ply;
        let side = self.position.side_to_move();
        let checks = self.position.check_info();
        let mut picker = MovePicker::new(node.tt_move, &self.position, &self.arena);
        let mut quiets = TriedMoves::new();
        let mut captures = TriedMoves::new();
        let mut best_value = -value::INFINITE;
        let mut best_move = Move::NONE;
        let mut number = 0;
        let old_alpha = alpha;
        let excluded = self.stack.at(ply).excluded;

        // Step 11. One move after the other, the best guess first.
        loop {
            let next = if N::ROOT {
                self.root_moves
                    .get(self.pv_index + number)
                    .map(|root_move| root_move.mv)
            } else {
                self.next_move(&mut picker, &checks, ply)
            };
            let Some(mv) = next else { break };
            if mv == excluded {
                continue;
            }
            number += 1;
            self.stack.at_mut(ply).move_count = number;
            let capture = self.position.is_capture(mv);
            let candidate = Candidate {
                mv,
                number,
                capture,
                gives_check: self.position.gives_check(mv, &checks),
                history: self.move_history(ply, mv, capture),
            };

            // Step 12. Skip moves that promise nothing.
            if !N::ROOT && !value::is_loss(best_value) {
                match self.prune_move(node, &candidate, alpha) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                    Verdict::Futile(bound) => {
                        best_value = best_value.max(bound);
                        continue;
                    }
                }
            }

            // Step 13. Search deeper what deserves it.
            let nodes_before = self.nodes;
            let extension = match self.extension::<N>(node, &candidate, beta) {
                Extension::By(plies) => plies,
                Extension::Cut(value) => return value,
            };
            if self.stopped {
                return value::DRAW;
            }
            self.stack.at_mut(ply).move_count = number;

            // Steps 14 and 15. Play, reduce, search.
            let value = self.search_move::<N>(node, &candidate, extension, alpha, beta);
            if self.stopped {
                return value::DRAW;
            }
            debug_assert!(-value::INFINITE < value && value < value::INFINITE);

            // Step 16. Keep what is better.
            if N::ROOT {
                let spent = self.nodes - nodes_before;
                self.record_root_move(mv, value, alpha, beta, number, spent);
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    if N::PV && !N::ROOT {
                        self.pv.update(ply, mv);
                    }
                    if value >= beta {
                        self.stack.at_mut(ply).cutoffs += 1;
                        break;
                    }
                    alpha = value;
                }
            }
            if mv != best_move {
                let tried = if capture { &mut captures } else { &mut quiets };
                tried.push(mv);
            }
        }

        // Step 17. No move is a loss (詰み), in check or not.
        if number == 0 {
            return if excluded == Move::NONE {
                value::mated_in(ply)
            } else {
                alpha
            };
        }
        if best_value >= beta && !value::is_decisive(best_value) && !value::is_decisive(beta) {
            // The deeper the search, the more its exact value is to be trusted.
            best_value = (best_value * node.depth + beta) / (node.depth + 1);
        }
        if best_move.is_some() {
            self.update_histories(node, best_move, &quiets, &captures);
        }
        if excluded == Move::NONE && !(N::ROOT && self.pv_index > 0) {
            let bound = if best_value >= beta {
                Bound::LOWER
            } else if N::PV && best_value > old_alpha {
                Bound::EXACT
            } else {
                Bound::UPPER
            };
            let bound = if node.tt_pv { bound | Bound::PV } else { bound };
            let eval = if node.in_check {
                value::NONE
            } else {
                self.stack.at(ply).static_eval
            };
            let entry = Entry {
                mv: best_move,
                value: best_value,
                eval,
                depth: node.depth,
                bound,
            };
            self.tt.store(self.position.key(), side, ply, entry);
        }
        best_value
    }

    /// What histories say about a move.
    #[inline(always)]
    fn move_history(&self, ply: usize, mv: Move, capture: bool) -> i32 {
        let (piece, to) = (self.position.moved_piece_after(mv), mv.to());
        if capture {
            return self.history.capture(piece, to, self.position.piece_on(to));
        }
        let continuation = |back: usize| {
            let index = self.stack.before(ply, back).continuation;
            self.history.continuation(index)[piece.index()][to.index()].get()
        };
        self.history.butterfly(self.position.side_to_move(), mv) + continuation(1) + continuation(2)
    }

    /// Step 12: whether a move is worth searching at all.
    #[inline(always)]
    fn prune_move(&self, node: &Node, mv: &Candidate, alpha: Value) -> Verdict {
        let depth = node.depth;
        if mv.capture || mv.gives_check {
            // Static exchange pruning: no captures and checks that lose too much.
            let keep = !self.uses(Technique::EXCHANGE_PRUNING)
                || self.position.see_ge(mv.mv, prune::capture_see_limit(depth));
            return if keep { Verdict::Search } else { Verdict::Skip };
        }
        // Late move pruning: good moves would have come earlier.
        if depth <= params::late_depth()
            && mv.number >= prune::late_move_limit(depth, node.improving)
            && self.uses(Technique::LATE_MOVE_PRUNING)
        {
            return Verdict::SkipQuiets;
        }
        let reduction = prune::base_reduction(depth, mv.number) / 1024;
        let reduced_depth = (depth - 1 - reduction).max(0);
        // History pruning: it was never any good.
        if reduced_depth <= params::history_depth()
            && mv.history < prune::history_limit(depth)
            && self.uses(Technique::HISTORY_PRUNING)
        {
            return Verdict::Skip;
        }
        // Parent futility pruning: a quiet move cannot lift the node to alpha.
        if !node.in_check
            && reduced_depth <= params::futility_depth()
            && self.uses(Technique::PARENT_FUTILITY)
        {
            let bound = node.eval + prune::parent_futility_margin(reduced_depth, mv.history);
            if bound <= alpha && !value::is_decisive(alpha) {
                return Verdict::Futile(bound);
            }
        }
        // Static exchange pruning: it puts a piece where it is lost.
        if self.uses(Technique::EXCHANGE_PRUNING)
            && !self
                .position
                .see_ge(mv.mv, prune::quiet_see_limit(reduced_depth))
        {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    /// Steps 14 and 15: plays a move, searches it as deep and wide as it deserves, takes it back.
    #[inline(always)]
    fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        mv: &Candidate,
        extension: Depth,
        alpha: Value,
        beta: Value,
    ) -> Value {
        let ply = node.ply;
        let new_depth = node.depth - 1 + extension;
        self.do_move(ply, mv.mv);

        let mut value = -value::INFINITE;
        // Step 14. Late move reduction: late moves are searched shallower first.
        let late = node.depth >= 2
            && mv.number > 1 + usize::from(N::ROOT)
            && self.uses(Technique::LATE_MOVE_REDUCTION);
        if late {
            let reduction = self.reduction::<N>(node, mv);
            let longest = new_depth + Depth::from(N::PV);
            let reduced = (new_depth - reduction).clamp(1, longest.max(1));
            value = -self.pvs::<NonPv>(ply + 1, -alpha - 1, -alpha, reduced, true);
            if value > alpha && reduced < new_depth && !self.stopped {
                let deeper = value > alpha + params::lmr_deeper() + 2 * new_depth;
                let again = new_depth + Depth::from(deeper);
                value = -self.pvs::<NonPv>(ply + 1, -alpha - 1, -alpha, again, !node.cut_node);
            }
        } else if !N::PV || mv.number > 1 {
            value = -self.pvs::<NonPv>(ply + 1, -alpha - 1, -alpha, new_depth, !node.cut_node);
        }
        // Step 15. Open window for the first move of a PV node and for those that beat it.
        if N::PV && (mv.number == 1 || value > alpha) && !self.stopped {
            value = -self.pvs::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
        }
        self.undo_move(mv.mv);
        value
    }

    /// Step 13: by how many plies to extend a move. A cap on the whole line keeps every iteration
    /// finite.
    #[inline(always)]
    fn extension<N: NodeType>(&mut self, node: &Node, mv: &Candidate, beta: Value) -> Extension {
        if N::ROOT || node.ply >= 2 * self.root_depth as usize {
            return Extension::By(0);
        }
        if let Some(entry) = node.entry
            && mv.mv == node.tt_move
            && self.stack.at(node.ply).excluded == Move::NONE
            && node.depth >= params::singular_depth() + Depth::from(node.tt_pv)
            && entry.depth >= node.depth - 3
            && entry.bound.contains(Bound::LOWER)
            && entry.value != value::NONE
            && !value::is_decisive(entry.value)
            && self.uses(Technique::SINGULAR)
        {
            return self.singular::<N>(node, mv, entry.value, beta);
        }
        // Check extension, for checks that lose nothing.
        let extend = mv.gives_check
            && self.uses(Technique::CHECK_EXTENSION)
            && self.position.see_ge(mv.mv, 0);
        Extension::By(Depth::from(extend))
    }

    /// Singular extension: a hash move that all others fall far short of is searched deeper. If
    /// they do not fall short, there are several good moves, and the node is cut (multi-cut) or the
    /// move searched less deep.
    fn singular<N: NodeType>(
        &mut self,
        node: &Node,
        mv: &Candidate,
        tt_value: Value,
        beta: Value,
    ) -> Extension {
        let bound = tt_value - prune::singular_margin(node.depth);
        let depth = (node.depth - 1) / 2;
        self.stack.at_mut(node.ply).excluded = mv.mv;
        let value = self.pvs::<NonPv>(node.ply, bound - 1, bound, depth, node.cut_node);
        self.stack.at_mut(node.ply).excluded = Move::NONE;
        if value < bound {
            // A capture is followed by drops, which would go on and on at twice the depth.
            let double = !N::PV && !mv.capture && value < bound - params::singular_double();
            Extension::By(1 + Depth::from(double))
        } else if value >= beta && !N::PV && !value::is_decisive(value) {
            Extension::Cut(value)
        } else if tt_value >= beta {
            Extension::By(-2)
        } else if node.cut_node {
            Extension::By(-1)
        } else {
            Extension::By(0)
        }
    }

    /// Step 14: by how many plies to reduce a late move.
    #[inline(always)]
    fn reduction<N: NodeType>(&self, node: &Node, mv: &Candidate) -> Depth {
        let mut reduction = prune::base_reduction(node.depth, mv.number);
        if node.cut_node {
            reduction += params::lmr_cut_node();
        }
        if !node.improving {
            reduction += params::lmr_not_improving();
        }
        if node.tt_capture {
            reduction += params::lmr_tt_capture();
        }
        if node.tt_pv {
            reduction -= params::lmr_tt_pv();
        }
        if N::PV {
            reduction -= params::lmr_pv();
        }
        if mv.gives_check {
            reduction -= params::lmr_check();
        }
        if self.stack.at(node.ply + 1).cutoffs > 2 {
            reduction += 1024;
        }
        reduction -= mv.history * 1024 / params::lmr_history();
        reduction.max(0) / 1024
    }

    /// Step 16 at the root: keeps the score and line of a move that is the first or better than
    /// alpha; of any other move nothing is known but that.
    fn record_root_move(
        &mut self,
        mv: Move,
        value: Value,
        alpha: Value,
        beta: Value,
        number: usize,
        nodes: u64,
    ) {
        let (seldepth, index) = (self.seldepth, self.pv_index + number - 1);
        let root_move: &mut RootMove = &mut self.root_moves[index];
        debug_assert_eq!(root_move.mv, mv);
        root_move.nodes += nodes;
        let known = root_move.average_score;
        root_move.average_score = if known == -value::INFINITE {
            value
        } else {
            (value + known) / 2
        };
        if number > 1 && value <= alpha {
            root_move.score = -value::INFINITE;
            return;
        }
        root_move.seldepth = seldepth;
        (root_move.score, root_move.bound) = if value >= beta {
            (value, ScoreBound::Lower)
        } else if value <= alpha {
            (value, ScoreBound::Upper)
        } else {
            (value, ScoreBound::Exact)
        };
        root_move.pv.truncate(1);
        root_move.pv.extend_from_slice(self.pv.line(1));
        if number > 1 && self.pv_index == 0 {
            self.best_move_changes += 1.0;
        }
    }

    /// Rewards a quiet move.
    #[inline]
    fn reward_quiet(&mut self, ply: usize, mv: Move, bonus: i32) {
        let (side, piece) = (
            self.position.side_to_move(),
            self.position.moved_piece_after(mv),
        );
        self.history
            .update_quiet(side, mv, piece, self.stack.line(ply), bonus);
    }

    /// Step 17: rewards the best move and punishes those tried before it.
    fn update_histories(
        &mut self,
        node: &Node,
        best: Move,
        quiets: &TriedMoves,
        captures: &TriedMoves,
    ) {
        let (bonus, malus) = (history::bonus(node.depth), history::malus(node.depth));
        if self.position.is_capture(best) {
            self.update_capture(best, bonus);
        } else {
            self.reward_quiet(node.ply, best, bonus);
            for &mv in quiets.iter() {
                self.reward_quiet(node.ply, mv, -malus);
            }
        }
        for &mv in captures.iter() {
            self.update_capture(mv, -malus);
        }
        // A quiet move of the opponent that is refuted at once was no good sequel either.
        let previous = *self.stack.before(node.ply, 1);
        if previous.move_count == 1
            && !previous.capture
            && previous.continuation != ContinuationIndex::NONE
        {
            let (piece, to) = (self.position.piece_on(previous.mv.to()), previous.mv.to());
            let line = self.stack.line(node.ply - 1);
            self.history.update_continuation(piece, to, line, -malus);
        }
    }

    #[inline]
    fn update_capture(&mut self, mv: Move, bonus: i32) {
        let victim = self.position.piece_on(mv.to());
        self.history
            .update_capture(self.position.moved_piece_after(mv), mv.to(), victim, bonus);
    }
}

/// How deep to search a move.
enum Extension {
    /// By so many plies more, or less.
    By(Depth),
    /// Not at all: the node has this value.
    Cut(Value),
}

/// What to do with a move.
enum Verdict {
    Search,
    Skip,
    /// Skip it, and do not ask for further quiet moves.
    SkipQuiets,
    /// Skip it: its value is at most this.
    Futile(Value),
}
