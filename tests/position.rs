//! Positions of random play against plain, slow statements of what must hold.

mod common;

use common::{effort, position, records, rollouts, sorted, words};
use komaoto::bitboard::{Bitboard, lines};
use komaoto::position::{Position, Repetition, see_value};
use komaoto::types::{Color, Move, PieceType, Square, Value};
use rand::prelude::*;
use std::collections::HashSet;

fn set(moves: &[Move]) -> HashSet<Move> {
    let set: HashSet<Move> = moves.iter().copied().collect();
    assert_eq!(set.len(), moves.len(), "a move came out twice");
    set
}

fn generated(write: impl FnOnce(&mut Vec<Move>)) -> HashSet<Move> {
    let mut moves = Vec::new();
    write(&mut moves);
    set(&moves)
}

/// Whether the side to move could capture the other side's king.
fn leaves_king_hanging(position: &Position) -> bool {
    let us = position.side_to_move();
    position
        .king(!us)
        .is_some_and(|king| position.attackers_to(us, king, position.occupied()).any())
}

/// Whether a move does not promote although it could and would hardly ever lose by it.
fn is_needless_non_promotion(position: &Position, mv: Move) -> bool {
    if mv.is_drop() || mv.is_promotion() {
        return false;
    }
    let us = position.side_to_move();
    let kind = position.piece_on(mv.from()).kind();
    let (from, to) = (mv.from().relative_rank(us), mv.to().relative_rank(us));
    match kind {
        PieceType::Pawn => to < 3,
        PieceType::Lance => to == 1,
        PieceType::Bishop | PieceType::Rook => from < 3 || to < 3,
        _ => false,
    }
}

#[test]
fn every_move_is_judged_as_it_is_generated() {
    rollouts(1, effort(64, 16), 120, |position, rng| {
        if !rng.random_bool(0.1) {
            return;
        }
        let legal = set(&position.legal_moves());
        for raw in 0..=u16::MAX {
            let Some(mv) = Move::from_raw(raw) else {
                continue;
            };
            assert_eq!(
                position.is_legal(mv),
                legal.contains(&mv),
                "{mv} in {position:?}"
            );
            assert!(
                !legal.contains(&mv) || position.is_pseudo_legal(mv),
                "{mv} in {position:?}"
            );
        }
        assert!(!position.is_legal(Move::NONE) && !position.is_legal(Move::NULL));
    });
}

/// All moves that keep to how pieces move, worked out from the squares alone.
fn pseudo_legal_by_walking(position: &Position) -> HashSet<Move> {
    let us = position.side_to_move();
    let forward = |rank: i8| if us == Color::Black { rank } else { -rank };
    let square = |file: i8, rank: i8| {
        ((0..9).contains(&file) && (0..9).contains(&rank))
            .then(|| Square::new(file as u8, rank as u8))
    };
    let mut moves = HashSet::new();
    for from in position.by_color(us) {
        let kind = position.piece_on(from).kind();
        let (steps, slides) = movement(kind);
        let mut targets = Vec::new();
        for &(file, rank) in steps {
            targets.extend(square(
                from.file() as i8 + file,
                from.rank() as i8 + forward(rank),
            ));
        }
        for &(file, rank) in slides {
            for distance in 1..9 {
                let Some(to) = square(
                    from.file() as i8 + file * distance,
                    from.rank() as i8 + forward(rank) * distance,
                ) else {
                    break;
                };
                targets.push(to);
                if position.piece_on(to).is_some() {
                    break;
                }
            }
        }
        for to in targets {
            if position.piece_on(to).is_color(us) {
                continue;
            }
            let (near, far) = (from.relative_rank(us), to.relative_rank(us));
            if kind.can_promote() && near.min(far) < 3 {
                moves.insert(Move::promotion(from, to));
            }
            if far >= kind.dead_ranks() {
                moves.insert(Move::board(from, to));
            }
        }
    }
    for kind in PieceType::HAND {
        for to in Square::all().filter(|_| position.hand(us).has(kind)) {
            let nifu = kind == PieceType::Pawn
                && position
                    .pieces(us, PieceType::Pawn)
                    .intersects(Bitboard::file(to.file()));
            if position.piece_on(to).is_none() && to.relative_rank(us) >= kind.dead_ranks() && !nifu
            {
                moves.insert(Move::drop(kind, to));
            }
        }
    }
    moves
}

type Steps = &'static [(i8, i8)];

/// Steps and slides of a kind as file and rank steps of Black.
fn movement(kind: PieceType) -> (Steps, Steps) {
    const GOLD: Steps = &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
    const STRAIGHT: Steps = &[(0, -1), (0, 1), (-1, 0), (1, 0)];
    const DIAGONAL: Steps = &[(-1, -1), (1, -1), (-1, 1), (1, 1)];
    match kind {
        PieceType::Pawn => (&[(0, -1)], &[]),
        PieceType::Lance => (&[], &[(0, -1)]),
        PieceType::Knight => (&[(-1, -2), (1, -2)], &[]),
        PieceType::Silver => (&[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)], &[]),
        PieceType::Bishop => (&[], DIAGONAL),
        PieceType::Rook => (&[], STRAIGHT),
        PieceType::Horse => (STRAIGHT, DIAGONAL),
        PieceType::Dragon => (DIAGONAL, STRAIGHT),
        PieceType::King => (
            &[
                (0, -1),
                (0, 1),
                (-1, 0),
                (1, 0),
                (-1, -1),
                (1, -1),
                (-1, 1),
                (1, 1),
            ],
            &[],
        ),
        _ => (GOLD, &[]),
    }
}

#[test]
fn pseudo_legality_is_how_pieces_move() {
    rollouts(2, effort(64, 16), 120, |position, rng| {
        if !rng.random_bool(0.1) {
            return;
        }
        let expected = pseudo_legal_by_walking(position);
        let found: HashSet<Move> = (0..=u16::MAX)
            .filter_map(Move::from_raw)
            .filter(|&mv| position.is_pseudo_legal(mv))
            .collect();
        assert_eq!(found, expected, "{position:?}");
    });
}

#[test]
fn generators_divide_the_legal_moves() {
    rollouts(3, effort(400, 60), 160, |position, _| {
        let all = set(&position.legal_moves());
        let captures = generated(|sink| position.generate_captures::<true>(sink));
        let quiets = generated(|sink| position.generate_quiets::<true>(sink));
        assert!(captures.is_disjoint(&quiets), "{position:?}");
        assert_eq!(&captures | &quiets, all, "{position:?}");
        assert!(captures.iter().all(|&mv| position.is_capture(mv)));

        assert_eq!(position.count_legal_moves(), all.len() as u64);
        assert_eq!(position.has_legal_move(), !all.is_empty());

        let needed: HashSet<Move> = all
            .iter()
            .copied()
            .filter(|&mv| !is_needless_non_promotion(position, mv))
            .collect();
        let searched = generated(|sink| position.generate_legal::<false>(sink));
        assert_eq!(searched, needed, "{position:?}");
        let captures = generated(|sink| position.generate_captures::<false>(sink));
        let quiets = generated(|sink| position.generate_quiets::<false>(sink));
        assert_eq!(&captures | &quiets, needed, "{position:?}");
    });
}

#[test]
fn moves_are_taken_back_exactly() {
    rollouts(4, effort(100, 24), 120, |position, _| {
        let before = position.clone();
        for &mv in position.legal_moves().iter() {
            let key = position.key_after(mv);
            let dirty = position.do_move(mv);
            assert_eq!(position.key(), key, "{mv} in {before:?}");
            assert!(!leaves_king_hanging(position), "{mv} in {before:?}");
            assert_eq!(position.piece_on(mv.to()), dirty.after);
            assert_eq!(dirty.after, before.moved_piece_after(mv));
            assert_eq!(dirty.captured, before.piece_on(mv.to()));
            position.undo_move(mv);
            assert!(*position == before, "{mv} in {before:?}");
        }
    });
}

#[test]
fn keys_and_caches_equal_those_from_scratch() {
    rollouts(5, effort(400, 60), 160, |position, _| {
        assert_eq!(position.validate(), Ok(()), "{position:?}");
        let read = common::position(&position.to_sfen());
        assert_eq!(position.key(), read.key(), "{position:?}");
        assert_eq!(position.board_key(), read.board_key());
        assert_eq!(position.hand_key(), read.hand_key());
        assert_eq!(position.checkers(), read.checkers());
        assert_eq!(position.pinned(), read.pinned());
        assert_eq!(position.to_sfen(), read.to_sfen());
    });
}

#[test]
fn checks_are_foreseen() {
    rollouts(6, effort(200, 40), 160, |position, _| {
        let info = position.check_info();
        let mut checks = HashSet::new();
        for &mv in position.legal_moves().iter() {
            let foreseen = position.gives_check(mv, &info);
            position.do_move(mv);
            let given = position.in_check();
            position.undo_move(mv);
            assert_eq!(foreseen, given, "{mv} in {position:?}");
            if given {
                checks.insert(mv);
            }
        }
        let found = generated(|sink| position.generate_checks::<true>(&info, sink));
        assert_eq!(found, checks, "{position:?}");
        checks.retain(|&mv| !is_needless_non_promotion(position, mv));
        let found = generated(|sink| position.generate_checks::<false>(&info, sink));
        assert_eq!(found, checks, "{position:?}");
    });
}

#[test]
fn a_null_move_passes_the_turn() {
    rollouts(7, effort(100, 24), 160, |position, _| {
        if position.in_check() {
            return;
        }
        let before = position.clone();
        position.do_null_move();
        assert_eq!(position.side_to_move(), !before.side_to_move());
        assert_eq!(position.validate(), Ok(()), "{before:?}");
        let read = common::position(&position.to_sfen());
        assert_eq!(position.key(), read.key());
        assert_eq!(position.repetition(50), Repetition::None);
        position.undo_null_move();
        assert!(*position == before, "{before:?}");
    });
}

#[test]
fn mates_in_one_are_mates_and_most_are_found() {
    let (mut mates, mut found) = (0, 0);
    rollouts(8, effort(600, 100), 200, |position, _| {
        if position.in_check() {
            return;
        }
        let mate = |position: &mut Position, mv: Move| {
            position.do_move(mv);
            let mated = position.in_check() && position.legal_moves().is_empty();
            position.undo_move(mv);
            mated
        };
        let moves = position.legal_moves();
        let mating = moves.iter().filter(|&&mv| mate(position, mv)).count();
        if let Some(mv) = position.mate_in_one() {
            assert!(position.is_legal(mv), "{mv} in {position:?}");
            assert!(mate(position, mv), "{mv} in {position:?}");
            found += 1;
        }
        mates += usize::from(mating > 0);
    });
    assert!(mates > 20, "only {mates} mates seen");
    assert!(found * 10 > mates * 8, "{found} of {mates} mates found");
}

/// Board and side, then both hands.
type Identity = (String, [u32; 2]);

/// The whole line of play as the repetition rule sees it.
struct History {
    positions: Vec<Identity>,
    /// Whether the move to each position gave check.
    checks: Vec<bool>,
}

impl History {
    fn new() -> History {
        History {
            positions: Vec::new(),
            checks: Vec::new(),
        }
    }

    fn enter(&mut self, position: &Position) {
        let sfen = position.to_sfen();
        let board = sfen.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let hands = Color::ALL.map(|color| position.hand(color).raw());
        self.positions.push((board, hands));
        self.checks.push(position.in_check());
    }

    /// [`Position::repetition`] by the words of its documentation.
    fn repetition(&self, position: &Position, ply: usize) -> Repetition {
        let now = self.positions.len() - 1;
        let mut occurrences = 1;
        for earlier in (0..now)
            .rev()
            .filter(|earlier| (now - earlier).is_multiple_of(2))
        {
            let ((board, hands), (board_now, hands_now)) =
                (&self.positions[earlier], &self.positions[now]);
            if board != board_now {
                continue;
            }
            let since_root = now - earlier < ply;
            if hands == hands_now {
                occurrences += 1;
                if since_root || occurrences == 4 {
                    return self.result(earlier, now);
                }
            } else if since_root {
                let us = position.side_to_move();
                let more = PieceType::HAND.map(|kind| {
                    i64::from(count(hands_now[us.index()], kind))
                        - i64::from(count(hands[us.index()], kind))
                });
                if more.iter().all(|&n| n >= 0) {
                    return Repetition::Superior;
                }
                if more.iter().all(|&n| n <= 0) {
                    return Repetition::Inferior;
                }
            }
        }
        Repetition::None
    }

    /// The result of the repetition of one position in another, for the side to move.
    fn result(&self, earlier: usize, now: usize) -> Repetition {
        let all = |first: usize| (first..=now).step_by(2).all(|i| self.checks[i]);
        // The opponent has just moved; the side to move made the moves before.
        let (enemy, own) = (all(earlier + 2), all(earlier + 1));
        match (own, enemy) {
            (true, false) => Repetition::Loss,
            (false, true) => Repetition::Win,
            _ => Repetition::Draw,
        }
    }
}

/// Reads a counter of [`komaoto::types::Hand::raw`] through its documented layout.
fn count(raw: u32, kind: PieceType) -> u32 {
    let (shift, mask) = match kind {
        PieceType::Pawn => (0, 31),
        PieceType::Lance => (6, 7),
        PieceType::Knight => (10, 7),
        PieceType::Silver => (14, 7),
        PieceType::Bishop => (18, 3),
        PieceType::Rook => (21, 3),
        _ => (24, 7),
    };
    raw >> shift & mask
}

/// Few pieces, so that random play comes back to where it was.
const CRAMPED: [&str; 6] = [
    "4k4/9/9/9/9/9/9/9/4K4 b - 1",
    "k8/9/9/9/9/9/9/1R7/8K b - 1",
    "k8/9/9/9/9/9/9/8L/7LK b Pp 1",
    "k1r6/9/9/9/9/9/9/9/6R1K w - 1",
    "8k/9/9/9/9/9/9/9/9 b RG 1",
    "kl7/lp7/9/9/9/9/9/7PL/7LK b Gg 1",
];

#[test]
fn repetition_equals_the_plain_rule() {
    let mut rng = StdRng::seed_from_u64(9);
    let mut seen = HashSet::new();
    for game in 0..effort(600, 120) {
        let mut position = position(CRAMPED[game % CRAMPED.len()]);
        let mut history = History::new();
        history.enter(&position);
        for _ in 0..120 {
            let moves = position.legal_moves();
            let info = position.check_info();
            let checks: Vec<Move> = moves
                .iter()
                .copied()
                .filter(|&mv| position.gives_check(mv, &info))
                .collect();
            // Going back where a piece came from, or giving check again, repeats positions.
            let mv = if !checks.is_empty() && rng.random_bool(0.9) {
                checks.choose(&mut rng)
            } else {
                let first = &moves[..moves.len().min(3)];
                first.choose(&mut rng)
            };
            let Some(&mv) = mv else { break };
            position.do_move(mv);
            history.enter(&position);
            for ply in [0, 1, 4, 5, 9, 40, 200] {
                let expected = history.repetition(&position, ply);
                assert_eq!(position.repetition(ply), expected, "{position:?} ply {ply}");
                seen.insert(format!("{expected:?}"));
            }
        }
    }
    assert_eq!(seen.len(), 6, "only {seen:?} occurred");
}

/// Kinds in capturing order with the exchange value that goes with it.
fn exchange_rank(kind: PieceType) -> usize {
    const ORDER: [PieceType; 10] = [
        PieceType::Pawn,
        PieceType::Lance,
        PieceType::Knight,
        PieceType::Silver,
        PieceType::Gold,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Horse,
        PieceType::Dragon,
        PieceType::King,
    ];
    let kind = if kind.moves_like_gold() {
        PieceType::Gold
    } else {
        kind
    };
    ORDER.iter().position(|&other| other == kind).unwrap()
}

/// An exchange on one square, played out recursively.
struct Exchange<'a> {
    position: &'a Position,
    to: Square,
}

impl Exchange<'_> {
    /// Whether a piece shields its king from a slider that stood and pinned it at the root, still
    /// stands, and would reach the king if the piece went to the square.
    fn is_held(&self, from: Square, color: Color, occupied: Bitboard) -> bool {
        let Some(king) = self.position.king(color) else {
            return false;
        };
        if king == from || lines::same_ray(king, from, self.to) {
            return false;
        }
        let root = self.position.occupied();
        let without = root ^ Bitboard::of(from);
        let checks = self.position.attackers_to(!color, king, root);
        self.position
            .attackers_to(!color, king, without)
            .without(checks)
            .intersects(occupied)
    }

    /// What the side that moves next gains at most by capturing a piece of this value.
    fn gain(&self, side: Color, value: Value, occupied: Bitboard) -> Value {
        let attackers =
            |color: Color| self.position.attackers_to(color, self.to, occupied) & occupied;
        let next = attackers(side)
            .into_iter()
            .filter(|&from| !self.is_held(from, side, occupied))
            .min_by_key(|&from| {
                let kind = self.position.piece_on(from).kind();
                (exchange_rank(kind), from.index())
            });
        let Some(from) = next else { return 0 };
        let piece = self.position.piece_on(from);
        if piece.kind() == PieceType::King && attackers(!side).any() {
            return 0;
        }
        let left = occupied.without(Bitboard::of(from));
        (value - self.gain(!side, see_value(piece), left)).max(0)
    }

    /// What a move to the square gains: its capture less what the opponent can make of it.
    fn of(position: &Position, mv: Move) -> Value {
        let to = mv.to();
        let exchange = Exchange { position, to };
        let us = position.side_to_move();
        let mut occupied = position.occupied() | Bitboard::of(to);
        let moved = if mv.is_drop() {
            position.moved_piece_after(mv)
        } else {
            occupied = occupied.without(Bitboard::of(mv.from()));
            position.piece_on(mv.from())
        };
        see_value(position.piece_on(to)) - exchange.gain(!us, see_value(moved), occupied)
    }
}

#[test]
fn see_equals_the_exchange_played_out() {
    let mut exchanges = 0;
    rollouts(10, effort(200, 60), 160, |position, _| {
        for &mv in position.legal_moves().iter() {
            let value = Exchange::of(position, mv);
            for threshold in [value - 1, value, value + 1] {
                assert_eq!(
                    position.see_ge(mv, threshold),
                    value >= threshold,
                    "{mv} is worth {value}, asked for {threshold} in {position:?}"
                );
            }
            exchanges += usize::from(value != 0);
        }
    });
    assert!(exchanges > 1000);
}

#[test]
fn recorded_games_play_through() {
    for record in records(include_str!("../positions/games.txt")) {
        let [start, moves, end] = record[..] else {
            panic!("bad record {record:?}")
        };
        let mut position = position(start);
        let before = position.clone();
        common::play(&mut position, moves);
        assert_eq!(position.to_sfen(), end);
        assert_eq!(position.validate(), Ok(()));
        for text in words(moves).into_iter().rev() {
            position.undo_move(Move::from_usi(text).unwrap());
        }
        assert!(position == before, "{end}");
    }
}

#[test]
fn position_files_are_well_formed() {
    for text in [
        include_str!("../positions/bench.sfen"),
        include_str!("../positions/openings.sfen"),
    ] {
        assert!(text.starts_with('#'));
        let mut sfens = HashSet::new();
        for record in records(text) {
            assert_eq!(position(record[0]).to_sfen(), record[0]);
            assert!(sfens.insert(record[0]), "twice: {}", record[0]);
        }
        assert!(sfens.len() >= 45);
    }
}

#[test]
fn no_text_breaks_the_sfen_reader() {
    let mut rng = StdRng::seed_from_u64(11);
    let seeds: Vec<&str> = records(include_str!("../positions/movegen.txt"))
        .map(|record| record[0])
        .collect();
    const PIECES: &[char] = &[
        '/', '+', '-', ' ', '0', '1', '9', 'P', 'p', 'K', 'k', 'L', 'n', 'R', 'b', 'w', 'x', '歩',
        '\0', '\u{feff}',
    ];
    let mut good = 0;
    for _ in 0..effort(200_000, 40_000) {
        let mut text: Vec<char> = seeds.choose(&mut rng).unwrap().chars().collect();
        for _ in 0..rng.random_range(1..6) {
            let at = rng.random_range(0..=text.len());
            match rng.random_range(0..4) {
                0 => text.insert(at, *PIECES.choose(&mut rng).unwrap()),
                1 if at < text.len() => drop(text.remove(at)),
                2 if at < text.len() => text[at] = *PIECES.choose(&mut rng).unwrap(),
                _ => text.truncate(at.max(text.len() / 2)),
            }
        }
        let text: String = text.into_iter().collect();
        match Position::from_sfen(&text) {
            Ok(position) => {
                good += 1;
                assert_eq!(position.validate(), Ok(()), "{text}");
                assert!(sorted(&position.legal_moves()).len() <= komaoto::types::MAX_MOVES);
                assert_eq!(common::position(&position.to_sfen()).key(), position.key());
            }
            Err(error) => assert!(error.to_string().starts_with("SFEN"), "{error}"),
        }
    }
    assert!(good > 500, "only {good} mutations were readable");
}
