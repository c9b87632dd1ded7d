//! The board, the hands and the rules: moves and their generation, checks and pins, static exchange
//! evaluation, mate in one, repetition, declaration, SFEN.
//!
//! Invariants, checked by [`Position::validate`] after every move of debug builds: mailbox,
//! bitboards and king squares agree; keys, checkers and pins equal recomputed ones; the side not to move
//! is not in check. `undo_move` restores everything.
//!
//! Kings may be missing, as the attacker's is in mate problems (詰将棋), and a board from a GUI's editor
//! may have two pawns on a file (二歩) or more pieces of a kind than a set: moves keep to the rules from
//! there.
#![forbid(unsafe_code)]

mod checks;
mod declaration;
mod do_move;
mod legality;
mod mate1;
mod movegen;
mod repetition;
mod see;
mod sfen;
mod validate;
pub mod zobrist;

pub use checks::CheckInfo;
pub use declaration::{Declaration, EnteringKingRule};
pub use do_move::DirtyPieces;
pub use movegen::{MoveCount, MoveSink, perft};
pub use repetition::{GameRepetition, Repetition};
pub use see::see_value;
pub(crate) use sfen::HAND_ORDER;
pub use sfen::{STARTPOS_SFEN, SfenError};

use crate::bitboard::Bitboard;
use crate::types::{Color, Hand, Move, Piece, PieceType, Square};
use repetition::RepetitionFilter;

/// The part of a position that `undo_move` restores from a stack because it cannot be recomputed
/// cheaply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    /// Key of board and side to move.
    board_key: u64,
    /// Key of both hands.
    hand_key: u64,
    /// Both hands, by colour.
    hands: [Hand; 2],
    /// Enemy pieces that give check to the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that are pinned to its king.
    pinned: Bitboard,
    /// The piece captured by the last move.
    captured: Piece,
    /// The last move; [`Move::NONE`] at the start, [`Move::NULL`] after a null move.
    last_move: Move,
    /// For each colour, the number of consecutive checks it has given up to now (連続王手).
    continuous_checks: [u16; 2],
    /// Plies since the start position or the last null move.
    plies_from_null: u32,
}

/// A position and the moves that led to it.
#[derive(Clone, PartialEq)]
pub struct Position {
    board: [Piece; Square::COUNT],
    by_kind: [Bitboard; 16],
    by_color: [Bitboard; 2],
    /// Golds and promoted pieces that move like one, both sides.
    golds: Bitboard,
    kings: [Option<Square>; 2],
    side: Color,
    /// Number of the next move, starting from 1.
    game_ply: u32,
    state: State,
    state_stack: Vec<State>,
    repetition_filter: RepetitionFilter,
}

impl Position {
    fn empty() -> Position {
        Position {
            board: [Piece::NONE; Square::COUNT],
            by_kind: [Bitboard::EMPTY; 16],
            by_color: [Bitboard::EMPTY; 2],
            golds: Bitboard::EMPTY,
            kings: [None; 2],
            side: Color::Black,
            game_ply: 1,
            state: State::default(),
            state_stack: Vec::with_capacity(512),
            repetition_filter: RepetitionFilter::new(),
        }
    }

    /// The side to move.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// Number of the next move, starting from 1.
    #[inline(always)]
    pub fn game_ply(&self) -> u32 {
        self.game_ply
    }

    /// The mailbox: the piece on each square.
    #[inline(always)]
    pub fn board(&self) -> &[Piece; Square::COUNT] {
        &self.board
    }

    /// The piece on a square, or [`Piece::NONE`].
    #[inline(always)]
    pub fn piece_on(&self, sq: Square) -> Piece {
        self.board[sq.index()]
    }

    /// The hand of a side.
    #[inline(always)]
    pub fn hand(&self, color: Color) -> Hand {
        self.state.hands[color.index()]
    }

    /// The square of a side's king; `None` if it is missing.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings[color.index()]
    }

    /// All squares with a piece.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The pieces of a side.
    #[inline(always)]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// The pieces of a kind, both sides.
    #[inline(always)]
    pub fn by_kind(&self, kind: PieceType) -> Bitboard {
        self.by_kind[kind.index()]
    }

    /// The pieces of a kind and a side.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.by_color(color) & self.by_kind(kind)
    }

    /// Golds and promoted pawns, lances, knights and silvers, both sides.
    #[inline(always)]
    pub fn golds(&self) -> Bitboard {
        self.golds
    }

    /// Bishops and horses, both sides.
    #[inline(always)]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.by_kind(PieceType::Bishop) | self.by_kind(PieceType::Horse)
    }

    /// Rooks and dragons, both sides.
    #[inline(always)]
    pub fn straight_sliders(&self) -> Bitboard {
        self.by_kind(PieceType::Rook) | self.by_kind(PieceType::Dragon)
    }

    /// Enemy pieces that give check to the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.state.checkers
    }

    /// Whether the side to move is in check (王手).
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.state.checkers.any()
    }

    /// Pieces of the side to move that are pinned to its king.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.state.pinned
    }

    /// Key of board, hands and side to move.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.state.board_key ^ self.state.hand_key
    }

    /// The key after a legal move.
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let (us, to) = (self.side, mv.to());
        let mut board_key = self.state.board_key ^ zobrist::side();
        let mut hand_key = self.state.hand_key;
        board_key ^= zobrist::piece(self.moved_piece_after(mv), to);
        if mv.is_drop() {
            hand_key = hand_key.wrapping_sub(zobrist::hand(us, mv.dropped()));
        } else {
            let from = mv.from();
            board_key ^= zobrist::piece(self.piece_on(from), from);
            let captured = self.piece_on(to);
            if captured.is_some() {
                board_key ^= zobrist::piece(captured, to);
                let kind = captured.kind().demote();
                hand_key = hand_key.wrapping_add(zobrist::hand(us, kind));
            }
        }
        board_key ^ hand_key
    }

    /// Key of board and side to move.
    #[inline(always)]
    pub fn board_key(&self) -> u64 {
        self.state.board_key
    }

    /// Key of both hands.
    #[inline(always)]
    pub fn hand_key(&self) -> u64 {
        self.state.hand_key
    }

    /// The piece captured by the last move, or [`Piece::NONE`].
    #[inline(always)]
    pub fn captured(&self) -> Piece {
        self.state.captured
    }

    /// Keys of all positions from the initial one of the game to the current one.
    pub fn game_keys(&self) -> impl Iterator<Item = u64> {
        self.state_stack
            .iter()
            .chain([&self.state])
            .map(|state| state.board_key ^ state.hand_key)
    }

    /// The piece on the target square after a move, promoted if the move promotes.
    #[inline(always)]
    pub fn moved_piece_after(&self, mv: Move) -> Piece {
        if mv.is_drop() {
            Piece::new(self.side, mv.dropped())
        } else if mv.is_promotion() {
            self.piece_on(mv.from()).promote()
        } else {
            self.piece_on(mv.from())
        }
    }

    /// Whether a move captures.
    #[inline(always)]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.piece_on(mv.to()).is_some()
    }

    /// Kings, horses and dragons, both sides: the pieces with the steps of a king.
    #[inline(always)]
    fn king_step_pieces(&self) -> Bitboard {
        self.by_kind(PieceType::King)
            | self.by_kind(PieceType::Horse)
            | self.by_kind(PieceType::Dragon)
    }

    /// The board key, computed from scratch.
    fn compute_board_key(&self) -> u64 {
        let side = match self.side {
            Color::Black => 0,
            Color::White => zobrist::side(),
        };
        self.occupied()
            .into_iter()
            .fold(side, |key, sq| key ^ zobrist::piece(self.piece_on(sq), sq))
    }

    /// Puts a piece on an empty square, without updating keys.
    #[inline(always)]
    fn put(&mut self, piece: Piece, sq: Square) {
        self.board[sq.index()] = piece;
        self.toggle(piece, sq);
    }

    /// Toggles a piece in the bitboards.
    #[inline(always)]
    fn toggle(&mut self, piece: Piece, sq: Square) {
        let kind = piece.kind();
        self.by_kind[kind.index()].toggle(sq);
        self.by_color[piece.color().index()].toggle(sq);
        if kind.moves_like_gold() {
            self.golds.toggle(sq);
        }
    }
}
