//! Principal variation search: negamax alpha-beta that searches the first move of a node with the
//! full window and the others with a null window, re-searching only those that beat alpha.
//! <https://www.chessprogramming.org/Principal_Variation_Search>
//!
//! A *PV node* has an open window. Every other node has the null window (alpha, alpha + 1) and is
//! expected either to fail high after a move or two (*cut node*) or to fail low after all moves (*all
//! node*); children of cut nodes are all nodes and vice versa.
//!
//! The steps of a node are numbered in the order in which they happen: [`Worker::pvs`] has steps 1
//! to 8, `prune_node` 9 to 14, `search_moves` and the functions below it 15 to 20, `finish_node`
//! 21.
//!
//! Values are fail-soft: a value outside the window is a bound on the true one. Techniques that rely on
//! the static evaluation are off in check, nothing is pruned near mate scores, and captures and checks
//! have their own rules.
#![forbid(unsafe_code)]

use super::history::TriedMoves;
use super::iterate::RootMove;
use super::movepick::MovePicker;
use super::params;
use super::report::ScoreBound;
use super::tt::{Bound, DEPTH_EVAL, TtEntry};
use super::worker::Worker;
use crate::position::see_value;
use crate::types::{Depth, MAX_PLY, Move, Value, value};

/// The type of a node, known at compile time.
pub(super) trait NodeType {
    /// Whether the window may be open; the principal variation is then recorded.
    const PV: bool;
    /// Whether it is the root.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A PV node below the root.
pub(super) struct Pv;
/// A node with a null window.
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// Added to the depth of the TT entry of a mate in one, in plies: enough to cut later visits, but not so
/// much that the entry is never replaced.
const MATE_IN_ONE_DEPTH: Depth = 6;

/// What is known about a node before its moves are searched.
pub(super) struct Node {
    pub(super) ply: usize,
    pub(super) depth: Depth,
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    /// The move excluded by a singular search, or [`Move::NONE`].
    pub(super) excluded: Move,
    pub(super) tt_entry: Option<TtEntry>,
    /// The move of the TT entry if it is legal, or [`Move::NONE`].
    pub(super) tt_move: Move,
    tt_capture: bool,
    /// On a principal variation now or when the TT entry was stored.
    tt_pv: bool,
    /// Static evaluation as the network gave it, [`value::NONE`] in check.
    raw_eval: Value,
    /// Adjusted by correction history; in check, that of two plies ago.
    pub(super) static_eval: Value,
    /// Adjusted by correction history, or the value of the TT entry if that is a better bound.
    eval: Value,
    /// By how much correction history adjusted the evaluation, cp; 0 in check.
    correction: Value,
    /// Whether the static evaluation is better than two plies ago.
    improving: bool,
    /// Whether the static evaluation is better than before the opponent's last move.
    opponent_worsening: bool,
}

/// A move and what is known about it before it is played.
struct Candidate {
    mv: Move,
    /// Its number in search order, from 1.
    move_count: usize,
    /// Depth of the node when it comes to this move: extensions and a raised alpha change it.
    depth: Depth,
    /// The reduction by depth, move count and window, in 1024ths of a ply.
    base_reduction: i32,
    capture: bool,
    gives_check: bool,
    /// Exchange value of the captured piece, cp.
    victim: Value,
    /// Capture history, or butterfly and continuation history of a quiet move.
    history: i32,
    /// Continuation and pawn history of a quiet move, 0 for captures.
    continuation: i32,
}

/// Whether to search a move.
enum MovePruning {
    Search,
    Skip,
    /// Skip it; its value is at most this.
    Futile(Value),
}

/// How much deeper to search a move.
enum Extension {
    /// By this many plies, which may be negative.
    Plies(Depth),
    /// By this many plies, and all later moves of the node by one.
    Singular(Depth),
    /// Multi-cut: the node has this value.
    Cutoff(Value),
}

impl Worker {
    /// Searches a node to a depth and returns its value for the side to move.
    pub(super) fn pvs<N: NodeType>(
        &mut self,
        ply: usize,
        mut alpha: Value,
        mut beta: Value,
        depth: Depth,
        cut_node: bool,
    ) -> Value {
        debug_assert!(-value::INFINITE <= alpha && alpha < beta && beta <= value::INFINITE);
        debug_assert!(N::PV || alpha + 1 == beta);
        debug_assert!(!(N::PV && cut_node));

        // Step 1. Drop into quiescence search at the horizon.
        if depth <= 0 {
            return self.quiescence::<N>(ply, alpha, beta);
        }
        let depth = depth.min(MAX_PLY as Depth - 1);
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply + 1);
        }

        // Step 2. Stop if the search or the game is over.
        if self.poll() {
            return value::DRAW;
        }
        if !N::ROOT {
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

        // Step 4. Transposition table. PV nodes are not cut, which keeps their lines whole. A
        // cutoff must agree with the expected kind of node; near the leaves that matters less.
        if !self.position.in_check() {
            self.evaluator.prepare(&self.position);
        }
        let excluded = self.stack.at(ply).excluded;
        let tt_entry = self.tt_probe(ply);
        let tt_move = if N::ROOT {
            self.root_moves[self.pv_index].mv
        } else {
            self.legal_tt_move(tt_entry.as_ref())
        };
        if !N::PV
            && excluded == Move::NONE
            && let Some(tt) = &tt_entry
            && tt.depth >= depth + Depth::from(tt.value >= beta)
            && tt.cuts(beta)
            && (cut_node == (tt.value >= beta) || depth > params::tt_cutoff_depth())
            && self.uses_tt()
        {
            if tt.value >= beta && tt_move.is_some() && !self.position.is_capture(tt_move) {
                self.update_on_tt_cutoff(ply, tt_move, depth);
            }
            return tt.value;
        }

        // Step 5. Win by declaration (入玉宣言).
        if !N::ROOT
            && (N::PV || !tt_move.is_some())
            && self
                .position
                .declaration_win(self.options.entering_king_rule)
                .is_some()
        {
            return value::mate_in(ply + 1);
        }

        // Step 6. Mate in one. A node with a TT entry has been tested before.
        if !N::ROOT
            && tt_entry.is_none()
            && excluded == Move::NONE
            && let Some(value) = self.mate_in_one::<N>(ply, depth + MATE_IN_ONE_DEPTH)
        {
            return value;
        }

        // Step 7. Static evaluation.
        let mut node = self.evaluate_node::<N>(ply, depth, cut_node, tt_entry, tt_move);
        // Cutoffs two plies below are counted for all children of this node together.
        self.stack.at_mut(ply + 2).cutoffs = 0;

        // Step 8. Hindsight: the static evaluation shows whether the last move was rightly reduced.
        if !N::ROOT && excluded == Move::NONE && !node.in_check && self.is_selective() {
            self.update_on_static_eval(&node);
            let previous = self.stack.before(ply, 1);
            if previous.static_eval != value::NONE {
                if previous.reduction >= 3 && !node.opponent_worsening {
                    node.depth += 1;
                } else if previous.reduction >= 2
                    && depth >= 2
                    && node.static_eval + previous.static_eval > params::hindsight_margin()
                {
                    node.depth -= 1;
                }
            }
        }

        if self.is_selective()
            && let Some(value) = self.prune_node::<N>(&mut node, alpha, beta)
        {
            return value;
        }
        self.search_moves::<N>(&mut node, alpha, beta)
    }

    /// The move of a TT entry if it is legal here, else [`Move::NONE`].
    #[inline(always)]
    pub(super) fn legal_tt_move(&self, tt_entry: Option<&TtEntry>) -> Move {
        match tt_entry {
            Some(tt) if self.position.is_legal(tt.mv) && self.uses_tt() => tt.mv,
            _ => Move::NONE,
        }
    }

    /// Looks for a mate in one; stores it with `depth`.
    #[inline(always)]
    pub(super) fn mate_in_one<N: NodeType>(&mut self, ply: usize, depth: Depth) -> Option<Value> {
        if self.position.in_check() || !self.is_selective() {
            return None;
        }
        let mv = self.position.mate_in_one()?;
        let value = value::mate_in(ply + 1);
        if N::PV {
            self.pv.set(ply, &[mv]);
        }
        let entry = TtEntry {
            mv,
            value,
            eval: value::NONE,
            depth: depth.min(MAX_PLY as Depth - 1),
            bound: Bound::EXACT.with_pv(N::PV),
        };
        self.tt_store(ply, entry);
        Some(value)
    }

    /// Step 7. Evaluates the node and fills its frame in the search stack.
    #[inline(always)]
    fn evaluate_node<N: NodeType>(
        &mut self,
        ply: usize,
        depth: Depth,
        cut_node: bool,
        tt_entry: Option<TtEntry>,
        tt_move: Move,
    ) -> Node {
        let in_check = self.position.in_check();
        let two_plies_ago = self.stack.before(ply, 2).static_eval;
        let tt_pv = N::PV || tt_entry.is_some_and(|tt| tt.is_pv());
        let (raw_eval, static_eval, eval) = if in_check {
            // A static evaluation in check is meaningless; that of two plies ago stands in.
            (value::NONE, two_plies_ago, value::NONE)
        } else {
            self.evaluate(ply, tt_entry.as_ref())
        };
        if tt_entry.is_none() && !in_check {
            // Saves the next visit the evaluation.
            let entry = TtEntry {
                mv: Move::NONE,
                value: value::NONE,
                eval: raw_eval,
                depth: DEPTH_EVAL,
                bound: Bound::empty().with_pv(tt_pv),
            };
            self.tt_store(ply, entry);
        }
        let previous = *self.stack.before(ply, 1);
        let follows_pv = N::ROOT
            || N::PV
                && previous.follows_pv
                && self.root_moves[self.pv_index].pv.get(ply - 1) == Some(&previous.mv);
        let pawns = super::history::PawnIndex::of(&self.position);
        let frame = self.stack.at_mut(ply);
        frame.tt_hit = tt_entry.is_some();
        frame.pawns = pawns;
        frame.follows_pv = follows_pv;
        frame.static_eval = static_eval;
        frame.in_check = in_check;
        if frame.excluded == Move::NONE {
            frame.tt_pv = tt_pv;
        }
        Node {
            ply,
            depth,
            cut_node,
            in_check,
            excluded: frame.excluded,
            tt_entry,
            tt_move,
            tt_capture: tt_move.is_some() && self.position.is_capture(tt_move),
            tt_pv: frame.tt_pv,
            raw_eval,
            static_eval,
            eval,
            correction: if in_check { 0 } else { static_eval - raw_eval },
            improving: !in_check && (two_plies_ago == value::NONE || static_eval > two_plies_ago),
            opponent_worsening: !in_check
                && previous.static_eval != value::NONE
                && static_eval > -previous.static_eval,
        }
    }

    /// Steps 9 to 14. Returns a value if the node is so far outside the window that its moves need no
    /// full search.
    #[inline(always)]
    fn prune_node<N: NodeType>(
        &mut self,
        node: &mut Node,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        let (ply, depth, eval) = (node.ply, node.depth, node.eval);
        if !N::PV && !node.in_check && node.excluded == Move::NONE {
            // Step 9. Razoring: quiescence search decides hopeless nodes.
            // <https://www.chessprogramming.org/Razoring>
            let margin = params::razor_base() + params::razor_scale() * depth * depth;
            if eval < alpha - margin && !value::is_decisive(alpha) {
                return Some(self.quiescence::<NonPv>(ply, alpha, beta));
            }

            // Step 10. Reverse futility pruning: so far above beta that no reply falls below it.
            // <https://www.chessprogramming.org/Reverse_Futility_Pruning>
            let mut scale = params::rfp_scale();
            if node.tt_entry.is_none() {
                scale -= params::rfp_tt_miss();
            }
            let discount = params::rfp_improving() * i32::from(node.improving)
                + params::rfp_opponent_worsening() * i32::from(node.opponent_worsening);
            let margin = scale * depth - discount * scale / 1024
                + node.correction.abs() * params::rfp_correction() / 128;
            if !node.tt_pv
                && depth <= params::rfp_depth()
                && (!node.tt_move.is_some() || node.tt_capture)
                && !value::is_loss(beta)
                && !value::is_win(eval)
                && eval - margin >= beta
            {
                return Some((2 * beta + eval) / 3);
            }

            // Step 11. Null move pruning: if passing holds beta, a move will. A verification search
            // lost strength in tests: zugzwang hardly exists in shogi.
            // <https://www.chessprogramming.org/Null_Move_Pruning>
            let margin = params::nmp_margin_base()
                - params::nmp_margin_depth() * depth
                - params::nmp_margin_improving() * i32::from(node.improving);
            if node.cut_node
                && node.static_eval >= beta + margin
                && eval >= beta
                && self.stack.before(ply, 1).mv != Move::NULL
                && !value::is_loss(beta)
            {
                let reduction = params::nmp_reduction() + depth / params::nmp_reduction_divisor();
                self.do_null_move(ply);
                let value = -self.pvs::<NonPv>(ply + 1, -beta, 1 - beta, depth - reduction, false);
                self.undo_null_move();
                if self.stopped {
                    return Some(value::DRAW);
                }
                if value >= beta {
                    // A mate found after a null move is not proven.
                    return Some(if value::is_win(value) { beta } else { value });
                }
            }
            // Above beta, a node counts as improving.
            node.improving |= node.static_eval >= beta;
        }

        // Step 12. Internal iterative reduction: without a TT move the node is not worth its full
        // depth yet; the next iteration will have a TT move.
        // <https://www.chessprogramming.org/Internal_Iterative_Reductions>
        if (N::PV || node.cut_node)
            && !node.in_check
            && !node.tt_move.is_some()
            && !self.stack.at(ply).follows_pv
            && depth >= params::iir_depth()
            && self.stack.before(ply, 1).reduction <= 3
        {
            node.depth -= 1;
        }

        if N::ROOT || node.excluded != Move::NONE {
            return None;
        }
        self.probcut(node, beta)
    }

    /// Steps 13 and 14.
    fn probcut(&mut self, node: &Node, beta: Value) -> Option<Value> {
        // Step 13. ProbCut: a capture that is far above beta in a shallower search would be above
        // beta in a full one. <https://www.chessprogramming.org/ProbCut>
        let ply = node.ply;
        // `value::NONE` is above every value, so without a TT entry ProbCut is tried.
        let tt_value = node.tt_entry.map_or(value::NONE, |tt| tt.value);
        let margin =
            params::probcut_margin() - params::probcut_improving() * i32::from(node.improving);
        let probcut_beta = beta + margin;
        if !node.in_check
            && node.depth >= params::probcut_depth()
            && !value::is_decisive(beta)
            && !value::is_decisive(probcut_beta)
            && tt_value >= probcut_beta
        {
            let depth = (node.depth - 4).max(0);
            let checks = self.position.check_info();
            let mut picker = MovePicker::quiescence(node.tt_move, &self.position, &self.arena);
            while let Some(mv) = self.next_move::<NonPv>(&mut picker, &checks, ply) {
                self.prefetch(mv);
                if !self.position.see_ge(mv, probcut_beta - node.static_eval) {
                    continue;
                }
                self.do_move(ply, mv);
                let (low, high) = (-probcut_beta, 1 - probcut_beta);
                let mut value = -self.quiescence::<NonPv>(ply + 1, low, high);
                if value >= probcut_beta && depth > 0 && !self.stopped {
                    value = -self.pvs::<NonPv>(ply + 1, low, high, depth, !node.cut_node);
                }
                self.undo_move(mv);
                if self.stopped {
                    return Some(value::DRAW);
                }
                if value >= probcut_beta {
                    let entry = TtEntry {
                        mv,
                        value,
                        eval: node.raw_eval,
                        depth: depth + 1,
                        bound: Bound::LOWER.with_pv(node.tt_pv),
                    };
                    self.tt_store(ply, entry);
                    let is_decisive = value::is_decisive(value);
                    return Some(if is_decisive { value } else { value - margin });
                }
            }
        }

        // Step 14. Small ProbCut: the entry is far above beta at nearly this depth.
        let probcut_beta = beta + params::small_probcut_margin();
        let tt = node.tt_entry?;
        (tt.bound.contains(Bound::LOWER)
            && tt.depth >= node.depth - 4
            && tt.value >= probcut_beta
            && tt.value != value::NONE
            && !value::is_decisive(tt.value)
            && !value::is_decisive(beta))
        .then_some(probcut_beta)
    }

    /// Steps 15 to 20: searches the moves of a node.
    fn search_moves<N: NodeType>(
        &mut self,
        node: &mut Node,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        let (ply, initial_alpha) = (node.ply, alpha);
        let checks = self.position.check_info();
        let mut picker = MovePicker::new(node.tt_move, &self.position, &self.arena);
        let mut quiets = TriedMoves::new();
        let mut captures = TriedMoves::new();
        let (mut best_value, mut best_move) = (-value::INFINITE, Move::NONE);
        let (mut depth, mut move_count) = (node.depth, 0);

        // Step 15. Loop over the moves, most promising first.
        while let Some(mv) = self.next_move::<N>(&mut picker, &checks, ply) {
            if mv == node.excluded || N::ROOT && self.root_move_index(mv).is_none() {
                continue;
            }
            self.prefetch(mv);
            move_count += 1;
            self.stack.at_mut(ply).move_count = move_count;
            let gives_check = self.position.gives_check(mv, &checks);
            let base = self.base_reduction(node, depth, move_count, beta - alpha);
            let candidate = self.candidate(ply, mv, move_count, depth, base, gives_check);

            // Step 16. Prune unpromising moves before they are played.
            if !N::ROOT && !value::is_loss(best_value) && self.is_selective() {
                // Late move pruning: good quiet moves would have come earlier. In check every
                // evasion counts.
                // <https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning>
                let lmp_threshold =
                    (params::lmp_base() + depth * depth) / if node.improving { 1 } else { 2 };
                if !node.in_check && move_count >= lmp_threshold as usize {
                    picker.skip_quiets();
                }
                match self.prune_move(node, &candidate, alpha, best_move) {
                    MovePruning::Search => {}
                    MovePruning::Skip => continue,
                    MovePruning::Futile(bound) => {
                        best_value = best_value.max(bound);
                        continue;
                    }
                }
            }

            // Step 17. Extensions.
            let nodes_before = self.nodes;
            let extension = match self.extension::<N>(node, &candidate, alpha, beta) {
                Extension::Plies(plies) => plies,
                Extension::Singular(plies) => {
                    depth += 1;
                    plies
                }
                Extension::Cutoff(value) => return value,
            };
            if self.stopped {
                return value::DRAW;
            }
            // The singular search used the same frame.
            self.stack.at_mut(ply).move_count = move_count;

            // Steps 18 and 19. Search the move, unless it is known to mate.
            let value = match self.root_mate_value::<N>(mv) {
                Some(value) => value,
                None => self.search_move::<N>(node, &candidate, extension, alpha, beta, best_value),
            };
            if self.stopped {
                return value::DRAW;
            }
            debug_assert!(-value::INFINITE < value && value < value::INFINITE);

            // Step 20. Update the best move.
            if N::ROOT {
                let spent = self.nodes - nodes_before;
                self.update_root_move(mv, value, alpha, beta, move_count, spent);
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = mv;
                    if N::PV && !N::ROOT {
                        self.pv.update(ply, mv);
                    }
                    if value >= beta {
                        if extension < 2 || N::PV {
                            self.stack.at_mut(ply).cutoffs += 1;
                        }
                        break;
                    }
                    alpha = value;
                    // With alpha raised, the remaining moves deserve less depth.
                    if (3..14).contains(&depth) && !value::is_decisive(value) && self.is_selective()
                    {
                        depth -= params::alpha_raised_reduction();
                    }
                }
            }
            if mv != best_move {
                let tried = if candidate.capture {
                    &mut captures
                } else {
                    &mut quiets
                };
                tried.push(mv);
            }
        }

        // No legal move is a loss (詰み), in check or not.
        if move_count == 0 {
            return if node.excluded == Move::NONE {
                value::mated_in(ply)
            } else {
                alpha
            };
        }
        let is_decisive = value::is_decisive(best_value) || value::is_decisive(beta);
        if best_value >= beta && !is_decisive {
            // The deeper the search, the more a value above beta can be trusted.
            best_value = (best_value * node.depth + beta) / (node.depth + 1);
        }
        if best_move.is_some() {
            self.update_histories(node, best_move, &quiets, &captures);
        } else {
            self.update_on_fail_low(node, best_value);
        }
        self.finish_node::<N>(node, initial_alpha, beta, best_value, best_move);
        best_value
    }

    /// Looks up what the pruning and the reduction of a move need.
    #[inline(always)]
    fn candidate(
        &self,
        ply: usize,
        mv: Move,
        move_count: usize,
        depth: Depth,
        base_reduction: i32,
        gives_check: bool,
    ) -> Candidate {
        let (piece, to) = (self.position.moved_piece_after(mv), mv.to());
        let victim = self.position.piece_on(to);
        let capture = victim.is_some();
        let (history, continuation) = if capture {
            (self.history.capture(piece, to, victim), 0)
        } else {
            let continuation = |back: usize| {
                let index = self.stack.before(ply, back).continuation;
                self.history.continuation(index)[piece.index()][to.index()].get()
            };
            let continuations = continuation(1) + continuation(2);
            let pawns = self.history.pawn_row(self.stack.at(ply).pawns);
            let side = self.position.side_to_move();
            (
                2 * self.history.butterfly(side, mv) + continuations,
                continuations + pawns[piece.index()][to.index()].get(),
            )
        };
        Candidate {
            mv,
            move_count,
            depth,
            base_reduction,
            capture,
            gives_check,
            victim: see_value(victim),
            history,
            continuation,
        }
    }

    /// Step 16. Whether a move is worth searching at all.
    #[inline(always)]
    fn prune_move(
        &self,
        node: &Node,
        candidate: &Candidate,
        alpha: Value,
        best_move: Move,
    ) -> MovePruning {
        let &Candidate {
            mv, depth, history, ..
        } = candidate;
        // The depth that late move reductions would leave.
        let mut lmr_depth = depth
            - 1
            - (candidate.base_reduction + params::lmr_depth_tt_pv() * i32::from(node.tt_pv)) / 1024;

        if candidate.capture || candidate.gives_check {
            // Futility pruning of captures: even with the victim the node stays below alpha.
            if !candidate.gives_check
                && node.static_eval != value::NONE
                && lmr_depth < params::capture_futility_depth()
            {
                let margin = params::capture_futility_base()
                    + params::capture_futility_scale() * lmr_depth
                    + candidate.victim
                    + params::capture_futility_history() * history / 1024;
                if node.static_eval + margin <= alpha {
                    return MovePruning::Skip;
                }
            }
            // SEE pruning of captures and checks that lose too much, unless the side to move is worse
            // anyway.
            // <https://www.chessprogramming.org/Static_Exchange_Evaluation>
            let capture_history = if candidate.capture { history } else { 0 };
            let margin = params::see_pruning_capture() * depth
                + params::see_pruning_capture_history() * capture_history / 1024;
            if alpha >= value::DRAW && !self.position.see_ge(mv, -margin.max(0)) {
                return MovePruning::Skip;
            }
            return MovePruning::Search;
        }
        // On the principal variation of the last iteration every quiet move is searched.
        if self.stack.at(node.ply).follows_pv {
            return MovePruning::Search;
        }
        // History pruning: as a reply to the last moves it has done badly.
        // <https://www.chessprogramming.org/History_Leaf_Pruning>
        if candidate.continuation < -params::history_pruning_scale() * depth {
            return MovePruning::Skip;
        }
        lmr_depth += history / params::lmr_depth_history();
        // Futility pruning: a quiet move cannot lift the node to alpha.
        // <https://www.chessprogramming.org/Futility_Pruning>
        if !node.in_check && lmr_depth < params::futility_depth() {
            let mut margin = params::futility_base() + params::futility_scale() * lmr_depth;
            if !best_move.is_some() {
                margin += params::futility_no_best_move();
            }
            if node.static_eval > alpha {
                margin += params::futility_above_alpha();
            }
            let bound = node.static_eval + margin;
            if bound <= alpha && !value::is_decisive(bound) {
                return MovePruning::Futile(bound);
            }
        }
        // SEE pruning of quiet moves that leave the piece en prise.
        let lmr_depth = lmr_depth.max(0);
        if !self
            .position
            .see_ge(mv, -params::see_pruning_quiet() * lmr_depth * lmr_depth)
        {
            return MovePruning::Skip;
        }
        MovePruning::Search
    }

    /// Step 17. How much deeper to search a move. A limit on the ply keeps every iteration finite.
    #[inline(always)]
    fn extension<N: NodeType>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        alpha: Value,
        beta: Value,
    ) -> Extension {
        let depth = candidate.depth;
        if !N::ROOT
            && node.ply < 2 * self.root_depth as usize
            && let Some(tt) = node.tt_entry
            && candidate.mv == node.tt_move
            && node.excluded == Move::NONE
            && tt.bound.contains(Bound::LOWER)
            && tt.value != value::NONE
            && !value::is_decisive(tt.value)
            && self.is_selective()
        {
            if depth >= params::singular_depth() + Depth::from(node.tt_pv) {
                if tt.depth >= depth - 3 {
                    return self.singular_extension::<N>(node, candidate, tt.value, beta);
                }
            } else if depth <= params::shallow_singular_depth()
                && !node.in_check
                && node.static_eval <= alpha - params::shallow_singular_margin()
            {
                // Too shallow for a singular search: a TT move that beats a static evaluation below
                // alpha is taken for singular.
                return Extension::Plies(1);
            }
        }
        Extension::Plies(0)
    }

    /// Singular extension: a TT move that is far better than all others is searched deeper. If it is
    /// not, there are several good moves: the node is cut (multi-cut) or the TT move searched less
    /// deep (negative extension).
    /// <https://www.chessprogramming.org/Singular_Extensions>
    fn singular_extension<N: NodeType>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        tt_value: Value,
        beta: Value,
    ) -> Extension {
        let depth = candidate.depth;
        let scale = params::singular_margin()
            + params::singular_margin_was_pv() * i32::from(node.tt_pv && !N::PV);
        let singular_beta = tt_value - scale * depth / 64;
        self.stack.at_mut(node.ply).excluded = candidate.mv;
        let value = self.pvs::<NonPv>(
            node.ply,
            singular_beta - 1,
            singular_beta,
            (depth - 1) / 2,
            node.cut_node,
        );
        self.stack.at_mut(node.ply).excluded = Move::NONE;
        if value < singular_beta {
            // Drops of the captured piece could be extended without end.
            let double_margin = params::double_extension_margin()
                + params::double_extension_pv() * i32::from(N::PV)
                + params::double_extension_capture() * i32::from(candidate.capture);
            let triple_margin = params::triple_extension_margin()
                + params::triple_extension_pv() * i32::from(N::PV)
                + params::triple_extension_tt_pv() * i32::from(node.tt_pv);
            let double = value < singular_beta - double_margin;
            let triple = double && value < singular_beta - triple_margin;
            Extension::Singular(1 + Depth::from(double) + Depth::from(triple))
        } else if value >= beta && !N::PV && !value::is_decisive(value) {
            Extension::Cutoff(value)
        } else if tt_value >= beta {
            Extension::Plies(-params::negative_extension_beta())
        } else if node.cut_node {
            Extension::Plies(-params::negative_extension_cut_node())
        } else {
            Extension::Plies(0)
        }
    }

    /// The reduction of a move by depth, move count and window, in 1024ths of a ply.
    #[inline(always)]
    fn base_reduction(&self, node: &Node, depth: Depth, move_count: usize, delta: Value) -> i32 {
        let log_product = (LOG[(depth as usize).min(255)] * LOG[move_count.min(255)]) >> 10;
        let scale = (params::lmr_scale() * log_product) >> 10;
        let mut reduction = params::lmr_base() + scale;
        reduction -= params::lmr_window() * delta / self.root_delta.max(1);
        if !node.improving {
            reduction += scale * params::lmr_not_improving() / 1024;
        }
        reduction
    }

    /// The reduction of a move that has been played, in 1024ths of a ply.
    #[inline(always)]
    fn reduction<N: NodeType>(&self, node: &Node, candidate: &Candidate, alpha: Value) -> i32 {
        // A position may have hundreds of moves: later ones count as the 32nd.
        let move_count = candidate.move_count.min(32) as i32;
        let mut reduction = candidate.base_reduction + params::lmr_offset();
        reduction -= params::lmr_move_count() * move_count;
        reduction -= params::lmr_correction() * node.correction.abs();
        if node.tt_pv {
            reduction -= params::lmr_tt_pv();
            if N::PV {
                reduction -= params::lmr_tt_pv_pv_node();
            }
            if let Some(tt) = &node.tt_entry {
                if tt.value != value::NONE && tt.value > alpha {
                    reduction -= params::lmr_tt_pv_value();
                }
                if tt.depth >= candidate.depth {
                    reduction -= params::lmr_tt_pv_depth();
                    if node.cut_node {
                        reduction -= params::lmr_tt_pv_depth_cut_node();
                    }
                }
            }
        }
        if node.cut_node {
            reduction += params::lmr_cut_node();
            if !node.tt_move.is_some() {
                reduction += params::lmr_cut_node_no_tt_move();
            }
        }
        if node.tt_capture {
            reduction += params::lmr_tt_capture();
        }
        let all_node = !N::PV && !node.cut_node;
        let cutoffs = self.stack.at(node.ply + 1).cutoffs;
        if cutoffs > 1 {
            reduction += params::lmr_cutoffs();
            if cutoffs > 2 {
                reduction += params::lmr_many_cutoffs();
            }
            if all_node {
                reduction += params::lmr_cutoffs_all_node();
            }
        }
        if candidate.mv == node.tt_move {
            reduction -= params::lmr_tt_move();
        }
        reduction -= candidate.history * params::lmr_history() / 4096;
        reduction -= candidate.victim * params::lmr_victim() / 1024;
        if all_node {
            reduction += reduction * params::lmr_all_node() / (256 * candidate.depth + 260);
        }
        reduction
    }

    /// Steps 18 and 19. Plays a move, searches it, and takes it back.
    #[inline(always)]
    fn search_move<N: NodeType>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        extension: Depth,
        alpha: Value,
        beta: Value,
        best_value: Value,
    ) -> Value {
        let (ply, mv, move_count) = (node.ply, candidate.mv, candidate.move_count);
        let mut new_depth = candidate.depth - 1 + extension;
        self.do_move(ply, mv);
        self.stack.at_mut(ply).history = candidate.history;
        let mut reduction = self.reduction::<N>(node, candidate, alpha);
        let null_window = |worker: &mut Worker, depth: Depth, cut_node: bool| {
            -worker.pvs::<NonPv>(ply + 1, -alpha - 1, -alpha, depth, cut_node)
        };
        let mut value = -value::INFINITE;

        // Step 18. Late move reductions: late moves are searched shallower first.
        // <https://www.chessprogramming.org/Late_Move_Reductions>
        if candidate.depth >= 2 && move_count > 1 && self.is_selective() {
            // A negative reduction only in the first half of a line, or the line might never end.
            let most = (new_depth + if ply < self.root_depth as usize { 2 } else { 0 }).max(1);
            let depth = (new_depth - reduction / 1024).clamp(1, most) + Depth::from(N::PV);
            self.stack.at_mut(ply).reduction = new_depth - depth;
            value = null_window(self, depth, true);
            self.stack.at_mut(ply).reduction = 0;
            if value > alpha && !self.stopped {
                // The value decides the depth of the re-search.
                let deeper = depth < new_depth && value > best_value + params::lmr_deeper();
                let shallower = value < best_value + params::lmr_shallower();
                new_depth += Depth::from(deeper) - Depth::from(shallower);
                if new_depth > depth {
                    value = null_window(self, new_depth, !node.cut_node);
                }
                if !self.stopped {
                    self.update_on_research(ply, mv);
                }
            }
        } else if !N::PV || move_count > 1 {
            if !node.tt_move.is_some() {
                reduction += params::full_depth_no_tt_move();
            }
            let mut depth = new_depth;
            if self.is_selective() && reduction > params::full_depth_reduction() {
                depth -= 1;
            }
            if self.is_selective() && reduction > params::full_depth_reduction_two() {
                depth -= Depth::from(new_depth > 2);
            }
            value = null_window(self, depth, !node.cut_node);
        }

        // Step 19. Full window for the first move of a PV node and for moves that beat alpha.
        if N::PV && (move_count == 1 || value > alpha) && !self.stopped {
            // A TT move searched deeper than quiescence before must not drop into it now.
            if mv == node.tt_move
                && self.root_depth > 8
                && node.tt_entry.is_some_and(|tt| tt.depth > 1)
            {
                new_depth = new_depth.max(1);
            }
            value = -self.pvs::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
        }
        self.undo_move(mv);
        value
    }

    /// At the root, the value of a move that the mate solver has proved to mate; its PV becomes the
    /// line of the mate.
    #[inline(always)]
    fn root_mate_value<N: NodeType>(&mut self, mv: Move) -> Option<Value> {
        if !N::ROOT {
            return None;
        }
        let (value, line) = self.mate.known(mv)?;
        self.pv.set(1, line);
        self.seldepth = self.seldepth.max(line.len() + 1);
        Some(value)
    }

    /// Index of a move among the root moves of this and later lines (MultiPV).
    fn root_move_index(&self, mv: Move) -> Option<usize> {
        let left = &self.root_moves[self.pv_index..];
        let index = left.iter().position(|root_move| root_move.mv == mv)?;
        Some(self.pv_index + index)
    }

    /// Step 20 at the root: keeps score and PV of the first move and of moves that beat alpha; the
    /// others are only known to be no better.
    fn update_root_move(
        &mut self,
        mv: Move,
        value: Value,
        alpha: Value,
        beta: Value,
        move_count: usize,
        nodes: u64,
    ) {
        let (seldepth, root_depth) = (self.seldepth, self.root_depth);
        let Some(index) = self.root_move_index(mv) else {
            return;
        };
        let root_move: &mut RootMove = &mut self.root_moves[index];
        root_move.nodes += nodes;
        let average = root_move.average_score;
        root_move.average_score = if average == -value::INFINITE {
            value
        } else {
            (value + average) / 2
        };
        if move_count > 1 && value <= alpha {
            root_move.score = -value::INFINITE;
            return;
        }
        root_move.seldepth = seldepth;
        root_move.score = value;
        root_move.depth = root_depth;
        root_move.bound = if value >= beta {
            ScoreBound::Lower
        } else if value <= alpha {
            ScoreBound::Upper
        } else {
            ScoreBound::Exact
        };
        root_move.pv.truncate(1);
        root_move.pv.extend_from_slice(self.pv.line(1));
        if move_count > 1 && self.pv_index == 0 {
            self.best_move_changes += 1.0;
        }
    }

    /// Step 21. Stores the node and updates the correction history.
    fn finish_node<N: NodeType>(
        &mut self,
        node: &mut Node,
        initial_alpha: Value,
        beta: Value,
        best_value: Value,
        best_move: Move,
    ) {
        let ply = node.ply;
        if best_value <= initial_alpha && ply > 0 {
            // The move to this node is probably good: the node joins the PV of its parent.
            node.tt_pv |= self.stack.before(ply, 1).tt_pv;
            self.stack.at_mut(ply).tt_pv = node.tt_pv;
        }
        if node.excluded != Move::NONE {
            return;
        }
        let bound = if best_value >= beta {
            Bound::LOWER
        } else if N::PV && best_move.is_some() {
            Bound::EXACT
        } else {
            Bound::UPPER
        };
        if !(N::ROOT && self.pv_index > 0) {
            let entry = TtEntry {
                mv: best_move,
                value: best_value,
                eval: node.raw_eval,
                depth: node.depth,
                bound: bound.with_pv(node.tt_pv),
            };
            self.tt_store(ply, entry);
        }
        let is_quiet = best_move == Move::NONE || !self.position.is_capture(best_move);
        if !node.in_check && is_quiet {
            self.update_correction(node, best_value, bound);
        }
        self.record_visit(node, best_move, best_value, bound);
    }
}

/// Natural logarithms of 0..256 in 1024ths, 0 for 0.
static LOG: [i32; 256] = {
    let mut table = [0; 256];
    let mut ln = 0.0;
    let mut n = 2;
    while n < 256 {
        // ln(n) - ln(n - 1) = 2 artanh(1 / (2n - 1))
        let x = 1.0 / (2 * n - 1) as f64;
        let (mut power, mut k) = (x, 1);
        while k < 30 {
            ln += 2.0 * power / k as f64;
            power *= x * x;
            k += 2;
        }
        table[n] = (ln * 1024.0) as i32;
        n += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for (n, &ln) in LOG.iter().enumerate().skip(1) {
            let exact = (n as f64).ln() * 1024.0;
            assert!((f64::from(ln) - exact).abs() <= 1.0, "ln({n})");
        }
    }
}
