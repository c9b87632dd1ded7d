//! Legal moves: recorded cases, the rules one by one, another implementation, and random play against
//! a naive move generator.

use crate::common::{effort, position, records, rollouts, sorted, usi, words};
use komaoto::bitboard::Bitboard;
use komaoto::position::Position;
use komaoto::types::{Color, Move, PieceType, Square};
use rand::Rng;
use rsshogi::board::{self, MoveList};
use rsshogi::movegen::generate_legal_all;
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

/// Whether a move does not promote a pawn, bishop, rook, or lance on the second rank though it could.
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

/// Whether a legal move mates.
fn is_mate(position: &mut Position, mv: Move) -> bool {
    position.do_move(mv);
    let mated = position.in_check() && position.legal_moves().is_empty();
    position.undo_move(mv);
    mated
}

#[test]
fn legal_moves_checks_and_pawn_drop_mates() {
    let mut mates = 0;
    let mut rows = 0;
    for record in records(include_str!("../../positions/movegen.txt")) {
        let [sfen, legal, checks, uchifuzume] = record[..] else {
            panic!("bad record {record:?}")
        };
        let mut position = position(sfen);
        assert_eq!(sorted(&position.legal_moves()), words(legal), "{sfen}");

        let info = position.check_info();
        let mut checking = Vec::new();
        position.generate_checks::<true>(&info, &mut checking);
        assert_eq!(sorted(&checking), words(checks), "{sfen}");
        let mut told = position.legal_moves();
        told.retain(|&mv| position.gives_check(mv, &info));
        assert_eq!(sorted(&told), words(checks), "{sfen}");

        for text in words(uchifuzume) {
            let mv = usi(text);
            assert!(position.is_pseudo_legal(mv), "{text} in {sfen}");
            assert!(position.is_drop_pawn_mate(mv.to()), "{text} in {sfen}");
            assert!(!position.is_legal(mv), "{text} in {sfen}");
            mates += 1;
        }
        if !position.in_check()
            && let Some(mv) = position.mate_in_one()
        {
            assert!(is_mate(&mut position, mv), "{mv} in {sfen}");
        }
        rows += 1;
    }
    assert!(rows > 100 && mates > 30);
}

#[test]
fn nifu() {
    let own_pawn = position("4k4/9/9/9/9/9/4P4/9/4K4 b P 1");
    assert!(!own_pawn.is_legal(usi("P*5e")));
    assert!(own_pawn.is_legal(usi("P*4e")));
    // A promoted pawn is no pawn, and the opponent's pawn does not count.
    let tokin = position("4k4/9/9/4p4/9/9/4+P4/9/4K4 b P 1");
    assert!(tokin.is_legal(usi("P*5e")));
}

#[test]
fn dead_squares() {
    let hands = position("4k4/9/9/9/9/9/9/9/4K4 b NLP 1");
    for bad in ["P*1a", "L*1a", "N*1a", "N*1b"] {
        assert!(!hands.is_legal(usi(bad)), "{bad}");
    }
    for good in ["P*1b", "L*1b", "N*1c"] {
        assert!(hands.is_legal(usi(good)), "{good}");
    }
    let board = position("4k4/P7L/9/7N1/9/9/9/9/4K4 b - 1");
    for (plain, promoting) in [("9b9a", "9b9a+"), ("1b1a", "1b1a+"), ("2d3b", "2d3b+")] {
        assert!(!board.is_legal(usi(plain)), "{plain}");
        assert!(board.is_legal(usi(promoting)), "{promoting}");
    }
}

#[test]
fn needless_non_promotions_are_legal() {
    let zone = position("4k4/9/LP5RB/9/9/9/9/9/4K4 b - 1");
    for mv in ["9c9b", "8c8b", "2c2b", "1c2b"] {
        assert!(zone.is_legal(usi(mv)), "{mv}");
        let searched = generated(|sink| zone.generate_legal::<false>(sink));
        assert!(!searched.contains(&usi(mv)), "{mv}");
    }
    // On the third rank a lance may have reason to stay as it is.
    let third = position("4k4/9/9/L8/9/9/9/9/4K4 b - 1");
    let searched = generated(|sink| third.generate_legal::<false>(sink));
    assert!(searched.contains(&usi("9d9c")));
}

#[test]
fn pawn_drop_mate_and_its_legal_twins() {
    // The gold guards pawn and flight square, so the drop mates and is illegal ...
    let mate = position("7nk/9/7G1/9/9/9/9/9/4K4 b P 1");
    assert!(mate.is_drop_pawn_mate(usi("P*1b").to()));
    assert!(!mate.is_legal(usi("P*1b")));
    // ... while the step of a pawn may mate ...
    let mut step = position("7nk/9/7GP/9/9/9/9/9/4K4 b - 1");
    assert!(step.is_legal(usi("1c1b")));
    step.do_move(usi("1c1b"));
    assert!(step.in_check() && !step.has_legal_move());
    // ... and so may a dropped gold ...
    let mut gold = position("7nk/9/7G1/9/9/9/9/9/4K4 b G 1");
    gold.do_move(usi("G*1b"));
    assert!(gold.in_check() && !gold.has_legal_move());
    // ... and the drop is legal when the pawn can be taken.
    let guarded = position("7nk/r8/7G1/9/9/9/9/9/4K4 b P 1");
    assert!(guarded.is_legal(usi("P*1b")));
}

/// Legal moves and checks of another implementation, as sorted USI text.
fn independent(sfen: &str) -> [Vec<String>; 2] {
    let mut position = board::position_from_sfen(sfen).unwrap();
    position.init_stack();
    let mut list = MoveList::new();
    generate_legal_all(&position, &mut list);
    let texts = |wanted: &dyn Fn(rsshogi::types::Move) -> bool| {
        let moves = list.as_slice().iter().filter(|&&mv| wanted(mv));
        let mut texts: Vec<String> = moves.map(|mv| mv.to_usi()).collect();
        texts.sort();
        texts
    };
    [texts(&|_| true), texts(&|mv| position.gives_check_move(mv))]
}

#[test]
fn another_implementation_generates_the_same_moves() {
    let mut positions = 0;
    rollouts(12, effort(400, 48), 200, |position, _| {
        let [legal, checks] = independent(&position.to_sfen());
        assert_eq!(sorted(&position.legal_moves()), legal, "{position:?}");
        let mut found = Vec::new();
        position.generate_checks::<true>(&position.check_info(), &mut found);
        assert_eq!(sorted(&found), checks, "{position:?}");
        positions += 1;
    });
    assert!(positions > effort(20_000, 3_000), "{positions}");
}

#[test]
fn a_move_is_legal_exactly_if_it_is_generated() {
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

/// All pseudo-legal moves, square by square from the way pieces move.
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

/// Steps and sliding directions of Black's pieces, as file and rank steps.
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
fn pseudo_legal_moves_are_those_of_the_pieces() {
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
fn captures_and_quiets_are_all_legal_moves() {
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
fn gives_check_tells_what_the_move_does() {
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
fn mates_in_one_are_mates_and_most_are_found() {
    let (mut there, mut found) = (0, 0);
    rollouts(8, effort(600, 100), 200, |position, _| {
        if position.in_check() {
            return;
        }
        let moves = position.legal_moves();
        let has_mate = moves.into_iter().any(|mv| is_mate(position, mv));
        if let Some(mv) = position.mate_in_one() {
            assert!(position.is_legal(mv), "{mv} in {position:?}");
            assert!(is_mate(position, mv), "{mv} in {position:?}");
            found += 1;
        }
        there += usize::from(has_mate);
    });
    assert!(there > 20, "only {there} mates seen");
    assert!(found * 10 > there * 8, "{found} of {there} mates found");
}
