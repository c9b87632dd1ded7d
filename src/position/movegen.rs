//! Legal move generation.
//!
//! One generator serves captures, quiet moves, checks and counting: [`Targets`] gives the squares
//! to which each piece may move, a [`MoveSink`] takes the resulting sets. Pins and checks are
//! masks, king moves are tested against [`Position::king_danger`], and the one square on which a
//! pawn drop could mate (打ち歩詰め) by [`Position::is_drop_pawn_mate`], so every generated move is
//! legal.
#![forbid(unsafe_code)]

use super::{CheckInfo, Position};
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, MAX_MOVES, Move, PieceType, Square};

/// Consumer of generated moves. Takes sets of target squares, so that one generator serves move
/// lists, the scored lists of the search and counting.
pub trait MoveSink {
    /// Moves of one piece: to `plain` without promotion, to `promoting` with promotion.
    fn piece_moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard);
    /// Pawn moves of one side; `to - from == step` for each of them.
    fn pawn_moves(&mut self, step: i8, plain: Bitboard, promoting: Bitboard);
    /// Drops of one kind.
    fn drops(&mut self, kind: PieceType, targets: Bitboard);
}

/// Counts moves without writing them.
#[derive(Default)]
pub struct MoveCount(pub u64);

impl MoveSink for MoveCount {
    #[inline(always)]
    fn piece_moves(&mut self, _: Square, plain: Bitboard, promoting: Bitboard) {
        self.0 += u64::from(plain.len() + promoting.len());
    }
    #[inline(always)]
    fn pawn_moves(&mut self, _: i8, plain: Bitboard, promoting: Bitboard) {
        self.0 += u64::from(plain.len() + promoting.len());
    }
    #[inline(always)]
    fn drops(&mut self, _: PieceType, targets: Bitboard) {
        self.0 += u64::from(targets.len());
    }
}

impl MoveSink for Vec<Move> {
    #[inline(always)]
    fn piece_moves(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        for to in promoting {
            self.push(Move::promotion(from, to));
        }
        for to in plain {
            self.push(Move::board(from, to));
        }
    }
    #[inline(always)]
    fn pawn_moves(&mut self, step: i8, plain: Bitboard, promoting: Bitboard) {
        let from = |to: Square| Square::from_index((to.index() as isize - step as isize) as usize);
        for to in promoting {
            self.push(Move::promotion(from(to), to));
        }
        for to in plain {
            self.push(Move::board(from(to), to));
        }
    }
    #[inline(always)]
    fn drops(&mut self, kind: PieceType, targets: Bitboard) {
        for to in targets {
            self.push(Move::drop(kind, to));
        }
    }
}

/// The target squares to generate moves for.
trait Targets {
    /// Whether to generate drops.
    const DROPS: bool;
    /// Targets of a piece on `from` that is of this kind after the move.
    fn piece(&self, from: Square, kind: PieceType) -> Bitboard;
    /// Targets of all pawns of a side that are of this kind after the move.
    fn pawns(&self, pawns: Bitboard, us: Color, kind: PieceType) -> Bitboard;
    /// Targets of drops of a kind.
    fn drops(&self, kind: PieceType) -> Bitboard;
}

/// The same targets for all pieces.
struct AllTargets<const DROPS: bool>(Bitboard);

impl<const DROPS: bool> Targets for AllTargets<DROPS> {
    const DROPS: bool = DROPS;
    #[inline(always)]
    fn piece(&self, _: Square, _: PieceType) -> Bitboard {
        self.0
    }
    #[inline(always)]
    fn pawns(&self, pawns: Bitboard, us: Color, _: PieceType) -> Bitboard {
        pawns.forward(us) & self.0
    }
    #[inline(always)]
    fn drops(&self, _: PieceType) -> Bitboard {
        Bitboard::ALL
    }
}

/// Targets on which a move gives check, within a mask.
struct CheckTargets<'a> {
    info: &'a CheckInfo,
    mask: Bitboard,
}

impl Targets for CheckTargets<'_> {
    const DROPS: bool = true;
    #[inline(always)]
    fn piece(&self, from: Square, kind: PieceType) -> Bitboard {
        self.info.squares_from(Some(from), kind) & self.mask
    }
    #[inline(always)]
    fn pawns(&self, pawns: Bitboard, us: Color, kind: PieceType) -> Bitboard {
        let mut discovering = pawns & self.info.discovered_checkers;
        if let Some(king) = self.info.enemy_king {
            discovering = discovering.without(Bitboard::file(king.file()));
        }
        (pawns.forward(us) & self.info.squares(kind) | discovering.forward(us)) & self.mask
    }
    #[inline(always)]
    fn drops(&self, kind: PieceType) -> Bitboard {
        self.info.squares(kind)
    }
}

impl Position {
    /// Legal moves; all of them with `ALL`. Without it, non-promotions that are hardly ever better
    /// are left out: those of pawns, bishops and rooks, and of lances to the last two ranks.
    pub fn generate_legal<const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let targets = AllTargets::<true>(!self.by_color(self.side));
        self.generate::<ALL, _>(&targets, sink);
    }

    /// Legal captures.
    pub fn generate_captures<const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let targets = AllTargets::<false>(self.by_color(!self.side));
        self.generate::<ALL, _>(&targets, sink);
    }

    /// Legal moves that do not capture, drops included.
    pub fn generate_quiets<const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let targets = AllTargets::<true>(!self.occupied());
        self.generate::<ALL, _>(&targets, sink);
    }

    /// Legal moves that give check.
    pub fn generate_checks<const ALL: bool>(&self, info: &CheckInfo, sink: &mut impl MoveSink) {
        let mask = !self.by_color(self.side);
        self.generate::<ALL, _>(&CheckTargets { info, mask }, sink);
    }

    /// All legal moves.
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(MAX_MOVES);
        self.generate_legal::<true>(&mut moves);
        moves
    }

    /// Number of legal moves.
    pub fn count_legal_moves(&self) -> u64 {
        let mut count = MoveCount::default();
        self.generate_legal::<true>(&mut count);
        count.0
    }

    /// Whether there is a legal move. Having none is a loss, in check or not.
    pub fn has_legal_move(&self) -> bool {
        if let Some(king) = self.king(self.side) {
            let steps = attacks::king(king).without(self.by_color(self.side));
            if !steps.without(self.king_danger(self.side, king)).is_empty() {
                return true;
            }
        }
        self.count_legal_moves() != 0
    }

    // Not generic over the colour: a search alternates between colours, and two copies of its
    // largest function would compete for the instruction cache.
    #[inline(always)]
    fn generate<const ALL: bool, T: Targets>(&self, targets: &T, sink: &mut impl MoveSink) {
        let us = self.side;
        let king = self.king(us);
        if let Some(king) = king {
            let steps = (attacks::king(king) & targets.piece(king, PieceType::King))
                .without(self.by_color(us));
            if steps.any() {
                let safe = steps.without(self.king_danger(us, king));
                sink.piece_moves(king, safe, Bitboard::EMPTY);
            }
        }

        // In check, other pieces must capture the checker or interpose.
        let mut allowed = Bitboard::ALL;
        let checkers = self.checkers();
        if let (Some(king), Some(checker)) = (king, checkers.first()) {
            if checkers.more_than_one() {
                return;
            }
            allowed = checkers | lines::between(king, checker);
        }

        self.generate_pawns::<ALL, T>(us, allowed, targets, sink);
        self.generate_pieces::<ALL, T>(us, allowed, targets, sink);
        if T::DROPS && !self.hand(us).is_empty() {
            self.generate_drops(us, allowed.without(self.occupied()), targets, sink);
        }
    }

    #[inline(always)]
    fn generate_pawns<const ALL: bool, T: Targets>(
        &self,
        us: Color,
        allowed: Bitboard,
        targets: &T,
        sink: &mut impl MoveSink,
    ) {
        let mut pawns = self.pieces(us, PieceType::Pawn);
        if let Some(king) = self.king(us) {
            // A pinned pawn may only advance if the pin runs along its file.
            pawns = pawns.without(self.pinned().without(Bitboard::file(king.file())));
        }
        let zone = Bitboard::promotion_zone(us);
        let must_promote = if ALL {
            Bitboard::far_ranks(us, 1)
        } else {
            zone
        };
        let plain = targets.pawns(pawns, us, PieceType::Pawn) & allowed;
        let promoting = targets.pawns(pawns, us, PieceType::ProPawn) & allowed & zone;
        let step = match us {
            Color::Black => -1,
            Color::White => 1,
        };
        sink.pawn_moves(step, plain.without(must_promote), promoting);
    }

    #[inline(always)]
    fn generate_pieces<const ALL: bool, T: Targets>(
        &self,
        us: Color,
        allowed: Bitboard,
        targets: &T,
        sink: &mut impl MoveSink,
    ) {
        use PieceType::*;
        let own = self.by_color(us);
        let occupied = self.occupied();
        let zone = Bitboard::promotion_zone(us);
        // The attacks that checks and pins allow.
        let reach = |from: Square, attacks: Bitboard| {
            let mut reach = attacks & allowed;
            if self.pinned().contains(from)
                && let Some(king) = self.king(us)
            {
                reach &= lines::ray_through(king, from);
            }
            reach
        };
        // Squares to which a move may promote: all if it starts in the promotion zone.
        let promotion = |from: Square| {
            if zone.contains(from) {
                Bitboard::ALL
            } else {
                zone
            }
        };

        for from in self.by_kind(Lance) & own {
            let reach = reach(from, attacks::lance(us, from, occupied));
            let must_promote = Bitboard::far_ranks(us, if ALL { 1 } else { 2 });
            let plain = reach.without(must_promote) & targets.piece(from, Lance);
            sink.piece_moves(from, plain, reach & zone & targets.piece(from, ProLance));
        }
        for from in self.by_kind(Knight) & own {
            let reach = reach(from, attacks::knight(us, from));
            let must_promote = Bitboard::far_ranks(us, 2);
            let plain = reach.without(must_promote) & targets.piece(from, Knight);
            sink.piece_moves(from, plain, reach & zone & targets.piece(from, ProKnight));
        }
        for from in self.by_kind(Silver) & own {
            let reach = reach(from, attacks::silver(us, from));
            let promoting = reach & promotion(from) & targets.piece(from, ProSilver);
            sink.piece_moves(from, reach & targets.piece(from, Silver), promoting);
        }
        for from in self.golds() & own {
            let reach = reach(from, attacks::gold(us, from));
            sink.piece_moves(from, reach & targets.piece(from, Gold), Bitboard::EMPTY);
        }
        for (kind, attacks) in [
            (Bishop, attacks::bishop as fn(Square, Bitboard) -> Bitboard),
            (Rook, attacks::rook),
        ] {
            for from in self.by_kind(kind) & own {
                let reach = reach(from, attacks(from, occupied));
                let promotion = promotion(from);
                let plain = if ALL { reach } else { reach.without(promotion) };
                let promoting = reach & promotion & targets.piece(from, kind.promote());
                sink.piece_moves(from, plain & targets.piece(from, kind), promoting);
            }
        }
        for (kind, attacks) in [
            (Horse, attacks::horse as fn(Square, Bitboard) -> Bitboard),
            (Dragon, attacks::dragon),
        ] {
            for from in self.by_kind(kind) & own {
                let reach = reach(from, attacks(from, occupied));
                sink.piece_moves(from, reach & targets.piece(from, kind), Bitboard::EMPTY);
            }
        }
    }

    #[inline(always)]
    fn generate_drops<T: Targets>(
        &self,
        us: Color,
        empty: Bitboard,
        targets: &T,
        sink: &mut impl MoveSink,
    ) {
        use PieceType::*;
        let hand = self.hand(us);
        if hand.has(Pawn) {
            let mut squares = empty & targets.drops(Pawn) & self.pawn_drop_squares(us);
            if let Some(king) = self.king(!us)
                && let head = attacks::pawn(!us, king)
                && head.intersects(squares)
                && let Some(to) = head.first()
                && self.is_drop_pawn_mate(to)
            {
                squares = squares.without(head);
            }
            sink.drops(Pawn, squares);
        }
        for kind in [Lance, Knight, Silver, Bishop, Rook, Gold] {
            if hand.has(kind) {
                let dead = Bitboard::far_ranks(us, kind.dead_ranks());
                sink.drops(kind, (empty & targets.drops(kind)).without(dead));
            }
        }
    }

    /// Squares for pawn drops by nifu (二歩) and the last rank, occupied squares included.
    #[inline(always)]
    pub(super) fn pawn_drop_squares(&self, us: Color) -> Bitboard {
        self.pieces(us, PieceType::Pawn)
            .empty_files()
            .without(Bitboard::far_ranks(us, 1))
    }
}

/// Perft: the leaf nodes of the game tree at `depth` plies, to test move generation and its speed.
/// <https://www.chessprogramming.org/Perft>
///
/// Moves of the last ply are counted in bulk, not played.
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(),
        _ => {
            let mut moves: Vec<Move> = Vec::with_capacity(64);
            position.generate_legal::<true>(&mut moves);
            let mut nodes = 0;
            for mv in moves {
                position.do_move(mv);
                nodes += perft(position, depth - 1);
                position.undo_move(mv);
            }
            nodes
        }
    }
}
