//! Legal move generation.
//!
//! One generator serves captures, quiet moves, checks and plain counting: a [`Targets`] says
//! which squares each piece may go to, a [`MoveSink`] takes the sets found. Pins and checks are
//! masks, king steps are tested against [`Position::king_danger`], and the one square on which a
//! pawn drop could mate (打ち歩詰め) is tested by [`Position::is_drop_pawn_mate`], so whatever
//! comes out is legal.
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, MAX_MOVES, Move, PieceType, Square};

/// What takes generated moves. Moves come as sets of target squares, so that one generator serves
/// lists of moves, counting and the scored lists of the search.
pub trait MoveSink {
    /// Moves of one piece: to `plain` without, to `promoting` with promotion.
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

/// Which squares are asked for.
trait Targets {
    /// Targets of a piece that stands on `from` and will be of this kind when it arrives.
    fn board(&self, from: Square, kind: PieceType) -> Bitboard;
    /// Targets of a set of pawns of one side that arrive as this kind, taken together.
    fn pawns(&self, pawns: Bitboard, us: Color, kind: PieceType) -> Bitboard;
    /// Targets of drops of a kind.
    fn drops(&self, kind: PieceType) -> Bitboard;
    /// Whether any drop is asked for.
    const DROPS: bool;
}

/// The same squares for every piece.
struct AllTargets<const DROPS: bool>(Bitboard);

impl<const DROPS: bool> Targets for AllTargets<DROPS> {
    #[inline(always)]
    fn board(&self, _: Square, _: PieceType) -> Bitboard {
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
    const DROPS: bool = DROPS;
}

/// From where pieces of the side to move give check, and which of them uncover one.
/// Worked out once a node by [`Position::check_info`].
#[derive(Clone, Debug)]
pub struct CheckInfo {
    squares: [Bitboard; 16],
    /// Own pieces that uncover a check when they leave the line to the enemy king.
    pub discovered_checkers: Bitboard,
    enemy_king: Option<Square>,
}

impl CheckInfo {
    /// Squares from which a piece of this kind gives check.
    #[inline(always)]
    pub fn squares(&self, kind: PieceType) -> Bitboard {
        self.squares[kind.index()]
    }

    /// Squares on which a piece gives check that goes there from `from`, or is dropped, and is
    /// then of this kind.
    #[inline(always)]
    pub fn squares_from(&self, from: Option<Square>, kind: PieceType) -> Bitboard {
        match from {
            Some(from) => self.squares(kind) | self.discovered(from),
            None => self.squares(kind),
        }
    }

    /// Whether a piece of `kind` that goes from `from` to `to` gives check.
    #[inline(always)]
    fn gives_check(&self, from: Square, to: Square, kind: PieceType) -> bool {
        self.squares(kind).contains(to)
            || self.discovered_checkers.contains(from)
                && self
                    .enemy_king
                    .is_some_and(|king| !lines::same_ray(king, from, to))
    }

    /// Squares off the line on which a discoverer stands.
    #[inline(always)]
    fn discovered(&self, from: Square) -> Bitboard {
        match self.enemy_king {
            Some(king) if self.discovered_checkers.contains(from) => {
                !lines::ray_through(king, from)
            }
            _ => Bitboard::EMPTY,
        }
    }
}

/// Only moves that give check, to the squares of a mask.
struct Checking<'a> {
    info: &'a CheckInfo,
    mask: Bitboard,
}

impl Targets for Checking<'_> {
    #[inline(always)]
    fn board(&self, from: Square, kind: PieceType) -> Bitboard {
        self.info.squares_from(Some(from), kind) & self.mask
    }
    #[inline(always)]
    fn pawns(&self, pawns: Bitboard, us: Color, kind: PieceType) -> Bitboard {
        let mut uncovering = pawns & self.info.discovered_checkers;
        if let Some(king) = self.info.enemy_king {
            uncovering = uncovering.without(Bitboard::file(king.file()));
        }
        (pawns.forward(us) & self.info.squares(kind) | uncovering.forward(us)) & self.mask
    }
    #[inline(always)]
    fn drops(&self, kind: PieceType) -> Bitboard {
        self.info.squares(kind)
    }
    const DROPS: bool = true;
}

impl Position {
    /// All legal moves. `ALL` asks for every one; without it the promotions of pawn, bishop,
    /// rook and of a lance to the second rank are not accompanied by the same move unpromoted,
    /// which is hardly ever better.
    pub fn generate_legal<const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let targets = AllTargets::<true>(!self.by_color(self.side));
        self.generate::<ALL, _>(&targets, sink);
    }

    /// Legal captures.
    pub fn generate_captures<const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let targets = AllTargets::<false>(self.by_color(!self.side));
        self.generate::<ALL, _>(&targets, sink);
    }

    /// Legal moves that do not capture, drops among them.
    pub fn generate_quiets<const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let targets = AllTargets::<true>(!self.occupied());
        self.generate::<ALL, _>(&targets, sink);
    }

    /// Legal moves that do not capture and put no piece on the board: without the drops.
    pub fn generate_quiet_board_moves<const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let targets = AllTargets::<false>(!self.occupied());
        self.generate::<ALL, _>(&targets, sink);
    }

    /// Legal moves that give check.
    pub fn generate_checks<const ALL: bool>(&self, info: &CheckInfo, sink: &mut impl MoveSink) {
        let targets = Checking {
            info,
            mask: !self.by_color(self.side),
        };
        self.generate::<ALL, _>(&targets, sink);
    }

    /// All legal moves, needless non-promotions included.
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

    /// Works out which moves of the side to move give check.
    pub fn check_info(&self) -> CheckInfo {
        let us = self.side;
        let them = !us;
        let Some(king) = self.king(them) else {
            let nowhere = Bitboard::EMPTY;
            return CheckInfo {
                squares: [nowhere; 16],
                discovered_checkers: nowhere,
                enemy_king: None,
            };
        };
        let occupied = self.occupied();
        let pawn = attacks::pawn(them, king);
        let knight = attacks::knight(them, king);
        let silver = attacks::silver(them, king);
        let gold = attacks::gold(them, king);
        let bishop = attacks::bishop(king, occupied);
        let rook = attacks::rook(king, occupied);
        let lance = rook & attacks::lance_ray(them, king);
        let horse = bishop | attacks::king(king);
        let dragon = rook | attacks::king(king);
        let none = Bitboard::EMPTY;
        // In the order of `PieceType`; a king never gives check itself.
        let squares = [
            none, pawn, lance, knight, silver, bishop, rook, gold, none, gold, gold, gold, gold,
            horse, dragon, none,
        ];
        let mut discovered_checkers = Bitboard::EMPTY;
        for sniper in self.snipers(them, king) {
            let shield = lines::between(king, sniper) & occupied;
            if !shield.more_than_one() {
                discovered_checkers |= shield;
            }
        }
        discovered_checkers &= self.by_color(us);
        CheckInfo {
            squares,
            discovered_checkers,
            enemy_king: Some(king),
        }
    }

    /// Whether a legal move gives check.
    #[inline(always)]
    pub fn gives_check(&self, mv: Move, info: &CheckInfo) -> bool {
        let to = mv.to();
        if mv.is_drop() {
            return info.squares(mv.dropped()).contains(to);
        }
        let from = mv.from();
        let mut kind = self.piece_on(from).kind();
        if mv.is_promotion() {
            kind = kind.promote();
        }
        // A promoting or capturing move along its own line can uncover nothing new on that line,
        // but a slider that moves away from the king along a ray still checks behind itself only
        // through squares, which `squares` of the old occupancy already covers.
        info.gives_check(from, to, kind)
    }

    // One body for both colours: a search generates for them in turn, and two copies of what is
    // the largest function of it would drive each other out of the instruction cache.
    #[inline(always)]
    fn generate<const ALL: bool, T: Targets>(&self, targets: &T, sink: &mut impl MoveSink) {
        let us = self.side;
        let king = self.king(us);
        if let Some(king) = king {
            let steps = (attacks::king(king) & targets.board(king, PieceType::King))
                .without(self.by_color(us));
            if steps.any() {
                sink.piece_moves(
                    king,
                    steps.without(self.king_danger(us, king)),
                    Bitboard::EMPTY,
                );
            }
        }

        // In check, other pieces must take the checker or step between.
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
        let stay = if ALL {
            !Bitboard::far_ranks(us, 1)
        } else {
            !zone
        };
        let plain = targets.pawns(pawns, us, PieceType::Pawn) & allowed & stay;
        let promoting = targets.pawns(pawns, us, PieceType::ProPawn) & allowed & zone;
        let step = match us {
            Color::Black => -1,
            Color::White => 1,
        };
        sink.pawn_moves(step, plain, promoting);
    }

    #[inline(always)]
    fn generate_pieces<const ALL: bool, T: Targets>(
        &self,
        us: Color,
        allowed: Bitboard,
        targets: &T,
        sink: &mut impl MoveSink,
    ) {
        let own = self.by_color(us);
        let occupied = self.occupied();
        let zone = Bitboard::promotion_zone(us);
        // What a piece may reach: check and pin permitting.
        let reach = |from: Square, attacks: Bitboard| {
            let mut reach = attacks & allowed;
            if self.pinned().contains(from)
                && let Some(king) = self.king(us)
            {
                reach &= lines::ray_through(king, from);
            }
            reach
        };

        for from in self.by_kind(PieceType::Lance) & own {
            let reach = reach(from, attacks::lance(us, from, occupied));
            let stay = !Bitboard::far_ranks(us, if ALL { 1 } else { 2 });
            let plain = reach & stay & targets.board(from, PieceType::Lance);
            sink.piece_moves(
                from,
                plain,
                reach & zone & targets.board(from, PieceType::ProLance),
            );
        }
        for from in self.by_kind(PieceType::Knight) & own {
            let reach = reach(from, attacks::knight(us, from));
            let stay = !Bitboard::far_ranks(us, 2);
            let plain = reach & stay & targets.board(from, PieceType::Knight);
            sink.piece_moves(
                from,
                plain,
                reach & zone & targets.board(from, PieceType::ProKnight),
            );
        }
        for from in self.by_kind(PieceType::Silver) & own {
            let reach = reach(from, attacks::silver(us, from));
            let zone = if zone.contains(from) {
                Bitboard::ALL
            } else {
                zone
            };
            let plain = reach & targets.board(from, PieceType::Silver);
            sink.piece_moves(
                from,
                plain,
                reach & zone & targets.board(from, PieceType::ProSilver),
            );
        }
        for from in self.golds() & own {
            let reach = reach(from, attacks::gold(us, from));
            sink.piece_moves(
                from,
                reach & targets.board(from, PieceType::Gold),
                Bitboard::EMPTY,
            );
        }
        for from in self.by_kind(PieceType::Bishop) & own {
            let reach = reach(from, attacks::bishop(from, occupied));
            let zone = if zone.contains(from) {
                Bitboard::ALL
            } else {
                zone
            };
            let stay = if ALL { Bitboard::ALL } else { !zone };
            let plain = reach & stay & targets.board(from, PieceType::Bishop);
            sink.piece_moves(
                from,
                plain,
                reach & zone & targets.board(from, PieceType::Horse),
            );
        }
        for from in self.by_kind(PieceType::Rook) & own {
            let reach = reach(from, attacks::rook(from, occupied));
            let zone = if zone.contains(from) {
                Bitboard::ALL
            } else {
                zone
            };
            let stay = if ALL { Bitboard::ALL } else { !zone };
            let plain = reach & stay & targets.board(from, PieceType::Rook);
            sink.piece_moves(
                from,
                plain,
                reach & zone & targets.board(from, PieceType::Dragon),
            );
        }
        for from in self.by_kind(PieceType::Horse) & own {
            let reach = reach(from, attacks::horse(from, occupied));
            sink.piece_moves(
                from,
                reach & targets.board(from, PieceType::Horse),
                Bitboard::EMPTY,
            );
        }
        for from in self.by_kind(PieceType::Dragon) & own {
            let reach = reach(from, attacks::dragon(from, occupied));
            sink.piece_moves(
                from,
                reach & targets.board(from, PieceType::Dragon),
                Bitboard::EMPTY,
            );
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
        let hand = self.hand(us);
        if hand.has(PieceType::Pawn) {
            let squares = empty & targets.drops(PieceType::Pawn) & self.pawn_drop_squares(us);
            sink.drops(PieceType::Pawn, self.without_pawn_mate(us, squares));
        }
        for kind in [
            PieceType::Lance,
            PieceType::Knight,
            PieceType::Silver,
            PieceType::Bishop,
            PieceType::Rook,
            PieceType::Gold,
        ] {
            if hand.has(kind) {
                let dead = Bitboard::far_ranks(us, kind.dead_ranks());
                sink.drops(kind, (empty & targets.drops(kind)).without(dead));
            }
        }
    }

    /// Squares on which nifu and the last rank allow a pawn drop, occupied ones among them.
    #[inline(always)]
    pub(super) fn pawn_drop_squares(&self, us: Color) -> Bitboard {
        self.pieces(us, PieceType::Pawn)
            .empty_files()
            .without(Bitboard::far_ranks(us, 1))
    }

    /// Takes the square before the enemy king out of a set if a pawn dropped there would mate.
    #[inline(always)]
    fn without_pawn_mate(&self, us: Color, squares: Bitboard) -> Bitboard {
        if let Some(king) = self.king(!us)
            && let head = attacks::pawn(!us, king)
            && head.intersects(squares)
            && let Some(to) = head.first()
            && self.is_drop_pawn_mate(to)
        {
            return squares.without(head);
        }
        squares
    }
}
