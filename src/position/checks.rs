//! Attackers of a square, checks and pins, and which moves give check.
#![forbid(unsafe_code)]

use super::Position;
use crate::bitboard::{Bitboard, attacks, lines};
use crate::types::{Color, Move, PieceType, Square};

/// The sliders of one side that attack a square, or would but for a single blocker.
pub(super) struct SliderAttacks {
    pub attackers: Bitboard,
    /// Pieces of either side that are the only blocker of a slider.
    pub blockers: Bitboard,
    /// Sliders with a single blocker.
    pub pinners: Bitboard,
}

/// Which moves of the side to move give check, see [`Position::check_info`].
#[derive(Clone, Debug)]
pub struct CheckInfo {
    squares: [Bitboard; 16],
    /// Pieces of the side to move that discover check (開き王手) when they leave their line to the
    /// enemy king.
    pub discovered_checkers: Bitboard,
    pub(super) enemy_king: Option<Square>,
}

impl CheckInfo {
    /// Squares from which a piece of this kind gives check.
    #[inline(always)]
    pub fn squares(&self, kind: PieceType) -> Bitboard {
        self.squares[kind.index()]
    }

    /// Squares to which a move gives check, discovered checks included, by a piece that comes from
    /// `from` (`None` for a drop) and is of this kind after the move.
    #[inline(always)]
    pub fn squares_from(&self, from: Option<Square>, kind: PieceType) -> Bitboard {
        match (from, self.enemy_king) {
            (Some(from), Some(king)) if self.discovered_checkers.contains(from) => {
                self.squares(kind) | !lines::ray_through(king, from)
            }
            _ => self.squares(kind),
        }
    }
}

impl Position {
    /// Pieces of `color` that attack a square on a board with this occupancy.
    #[inline]
    pub fn attackers_to(&self, color: Color, sq: Square, occupied: Bitboard) -> Bitboard {
        let mut attackers = self.step_attackers(color, sq);
        for slider in self.snipers(color, sq) {
            if !lines::between(sq, slider).intersects(occupied) {
                attackers |= Bitboard::of(slider);
            }
        }
        attackers
    }

    /// Non-sliders, horses and dragons of `color` that attack a square by a step.
    #[inline(always)]
    fn step_attackers(&self, color: Color, sq: Square) -> Bitboard {
        (attacks::pawn(!color, sq) & self.by_kind(PieceType::Pawn)
            | attacks::knight(!color, sq) & self.by_kind(PieceType::Knight)
            | attacks::silver(!color, sq) & self.by_kind(PieceType::Silver)
            | attacks::gold(!color, sq) & self.golds()
            | attacks::king(sq) & self.king_step_pieces())
            & self.by_color(color)
    }

    /// Sliders of `color` that attack a square on an empty board.
    #[inline(always)]
    fn snipers(&self, color: Color, sq: Square) -> Bitboard {
        (attacks::lance_ray(!color, sq) & self.by_kind(PieceType::Lance)
            | attacks::bishop_rays(sq) & self.diagonal_sliders()
            | attacks::rook_rays(sq) & self.straight_sliders())
            & self.by_color(color)
    }

    /// The sliders of `color` around a square.
    #[inline(always)]
    pub(super) fn slider_attacks(&self, color: Color, sq: Square) -> SliderAttacks {
        let mut found = SliderAttacks {
            attackers: Bitboard::EMPTY,
            blockers: Bitboard::EMPTY,
            pinners: Bitboard::EMPTY,
        };
        for sniper in self.snipers(color, sq) {
            let between = lines::between(sq, sniper) & self.occupied();
            if between.is_empty() {
                found.attackers |= Bitboard::of(sniper);
            } else if !between.more_than_one() {
                found.blockers |= between;
                found.pinners |= Bitboard::of(sniper);
            }
        }
        found
    }

    /// Recomputes checkers and pins of the side to move.
    #[inline]
    pub(super) fn update_checks(&mut self) {
        let us = self.side;
        let Some(king) = self.king(us) else {
            self.state.checkers = Bitboard::EMPTY;
            self.state.pinned = Bitboard::EMPTY;
            return;
        };
        let sliders = self.slider_attacks(!us, king);
        self.state.checkers = sliders.attackers | self.step_attackers(!us, king);
        self.state.pinned = sliders.blockers & self.by_color(us);
    }

    /// Squares around the king of `us` that the enemy attacks once that king has left its square.
    /// For squares farther away, the set is not meaningful.
    #[inline(always)]
    pub(super) fn king_danger(&self, us: Color, king: Square) -> Bitboard {
        let occupied = self.occupied() ^ Bitboard::of(king);
        self.king_danger_with(us, king, occupied, self.by_color(!us))
    }

    /// [`Position::king_danger`] with another occupancy, which must not include the king, and by
    /// some of the enemy's pieces only.
    #[inline(always)]
    pub(super) fn king_danger_with(
        &self,
        us: Color,
        king: Square,
        occupied: Bitboard,
        enemies: Bitboard,
    ) -> Bitboard {
        let them = !us;
        let origins = attacks::king_attack_origins(king);
        let mut danger = Bitboard::EMPTY;

        let near = enemies & origins.steppers;
        if near.any() {
            danger |= (near & self.by_kind(PieceType::Pawn)).forward(them);
            for sq in near & self.by_kind(PieceType::Silver) {
                danger |= attacks::silver(them, sq);
            }
            for sq in near & self.golds() {
                danger |= attacks::gold(them, sq);
            }
            for sq in near & self.king_step_pieces() {
                danger |= attacks::king(sq);
            }
        }
        for sq in enemies & origins.knights[them.index()] & self.by_kind(PieceType::Knight) {
            danger |= attacks::knight(them, sq);
        }
        for sq in enemies & origins.lances[them.index()] & self.by_kind(PieceType::Lance) {
            danger |= attacks::lance(them, sq, occupied);
        }
        for sq in enemies & origins.bishops & self.diagonal_sliders() {
            danger |= attacks::bishop(sq, occupied);
        }
        for sq in enemies & origins.rooks & self.straight_sliders() {
            danger |= attacks::rook(sq, occupied);
        }
        danger
    }

    /// Which moves of the side to move give check. Compute it once per node.
    pub fn check_info(&self) -> CheckInfo {
        let us = self.side;
        let them = !us;
        let none = Bitboard::EMPTY;
        let Some(king) = self.king(them) else {
            return CheckInfo {
                squares: [none; 16],
                discovered_checkers: none,
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
        CheckInfo {
            // In the order of `PieceType`; a king never gives check itself.
            squares: [
                none, pawn, lance, knight, silver, bishop, rook, gold, none, gold, gold, gold,
                gold, horse, dragon, none,
            ],
            discovered_checkers: self.slider_attacks(us, king).blockers & self.by_color(us),
            enemy_king: Some(king),
        }
    }

    /// Whether a legal move gives check.
    #[inline(always)]
    pub fn gives_check(&self, mv: Move, info: &CheckInfo) -> bool {
        let from = (!mv.is_drop()).then(|| mv.from());
        let kind = self.moved_piece_after(mv).kind();
        info.squares_from(from, kind).contains(mv.to())
    }
}
