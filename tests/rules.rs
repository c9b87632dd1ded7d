//! The rules by recorded cases: legal moves, checks, pawn-drop mate, repetition, declaration.

mod common;

use common::{play, position, records, sorted, words};
use komaoto::position::{Declaration, EnteringKingRule, GameRepetition, Position, Repetition};
use komaoto::types::Move;

#[test]
fn legal_moves_checks_and_pawn_drop_mates() {
    let mut mates = 0;
    let mut rows = 0;
    for record in records(include_str!("../positions/movegen.txt")) {
        let [sfen, legal, checks, uchifuzume] = record[..] else {
            panic!("bad record {record:?}")
        };
        let mut position = position(sfen);
        assert_eq!(sorted(&position.legal_moves()), words(legal), "{sfen}");

        let info = position.check_info();
        let mut checking = Vec::new();
        position.generate_checks::<true>(&info, &mut checking);
        assert_eq!(sorted(&checking), words(checks), "{sfen}");
        let told: Vec<Move> = position
            .legal_moves()
            .iter()
            .copied()
            .filter(|&mv| position.gives_check(mv, &info))
            .collect();
        assert_eq!(sorted(&told), words(checks), "{sfen}");

        for text in words(uchifuzume) {
            let mv = Move::from_usi(text).unwrap();
            assert!(position.is_pseudo_legal(mv), "{text} in {sfen}");
            assert!(position.is_drop_pawn_mate(mv.to()), "{text} in {sfen}");
            assert!(!position.is_legal(mv), "{text} in {sfen}");
            mates += 1;
        }
        if !position.in_check() && position.mate_in_one().is_some() {
            assert!(has_mate(&mut position), "{sfen}");
        }
        rows += 1;
    }
    assert!(rows > 100 && mates > 30);
}

/// Whether some legal move leaves the opponent without an answer, in check.
fn has_mate(position: &mut Position) -> bool {
    position.legal_moves().iter().any(|&mv| {
        position.do_move(mv);
        let mated = position.in_check() && position.legal_moves().is_empty();
        position.undo_move(mv);
        mated
    })
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
        let mut searched = Vec::<Move>::new();
        zone.generate_legal::<false>(&mut searched);
        assert!(!searched.contains(&usi(mv)), "{mv}");
    }
    // On the third rank a lance may have reason to stay as it is.
    let third = position("4k4/9/9/L8/9/9/9/9/4K4 b - 1");
    let mut searched = Vec::<Move>::new();
    third.generate_legal::<false>(&mut searched);
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

#[test]
fn game_repetition_cases() {
    for record in records(include_str!("../positions/repetition.txt")) {
        let [name, sfen, moves, outcome, end] = record[..] else {
            panic!("bad record {record:?}")
        };
        let mut position = position(sfen);
        let mut ended = None;
        for (ply, text) in words(moves).into_iter().enumerate() {
            play(&mut position, text);
            if ended.is_none() && position.game_repetition() != GameRepetition::None {
                ended = Some(ply + 1);
                let lost = match position.game_repetition() {
                    GameRepetition::Loses(color) if color == position.side_to_move() => {
                        Repetition::Loss
                    }
                    GameRepetition::Loses(_) => Repetition::Win,
                    _ => Repetition::Draw,
                };
                // The root of a search sees the fourth occurrence by the same name.
                assert_eq!(position.repetition(0), lost, "{name}");
            }
        }
        assert_eq!(position.game_repetition().to_string(), outcome, "{name}");
        assert_eq!(ended, end.parse().ok(), "{name}");
    }
}

#[test]
fn a_repetition_below_the_root_counts_at_once() {
    let mut position = Position::startpos();
    play(&mut position, "2h3h 8b7b 3h2h 7b8b");
    assert_eq!(position.repetition(5), Repetition::Draw);
    // The root itself and what came before it count only at the fourth occurrence.
    assert_eq!(position.repetition(4), Repetition::None);
    assert_eq!(position.repetition(0), Repetition::None);
    play(&mut position, "2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b");
    assert_eq!(position.repetition(0), Repetition::Draw);
}

#[test]
fn perpetual_check_below_the_root() {
    let mut position = position("k8/9/9/9/9/9/9/1R7/8K b - 1");
    play(&mut position, "8h9h 9a8a 9h8h 8a9a");
    // Black, to move, gave all the checks.
    assert_eq!(position.repetition(5), Repetition::Loss);
    play(&mut position, "8h9h");
    assert_eq!(position.repetition(5), Repetition::Win);
}

#[test]
fn a_pawn_less_on_the_same_board_is_inferior() {
    let mut position = position("4k4/9/9/9/9/9/9/9/4K4 b P 1");
    play(&mut position, "P*5b 5a5b 5i5h 5b4a 5h5i 4a5a");
    assert_eq!(position.repetition(7), Repetition::Inferior);
    // Against the root or the game before it, unequal hands mean nothing.
    assert_eq!(position.repetition(6), Repetition::None);
    assert_eq!(position.game_repetition(), GameRepetition::None);
}

#[test]
fn a_pawn_more_on_the_same_board_is_superior() {
    let mut position = position("4k4/9/9/9/9/9/9/9/4K4 w P 1");
    play(&mut position, "5a4a P*4b 4a4b 5i4i 4b5a 4i5i");
    assert_eq!(position.repetition(7), Repetition::Superior);
    assert_eq!(position.repetition(6), Repetition::None);
}

#[test]
fn a_null_move_ends_the_look_back() {
    let mut position = position("4k4/9/9/9/9/9/9/9/4K4 b - 1");
    play(&mut position, "5i5h 5a5b");
    let key = position.key();
    position.do_null_move();
    position.do_null_move();
    assert_eq!(position.key(), key);
    // The same position again, but not by moves of the game.
    assert_eq!(position.repetition(9), Repetition::None);
    // What is played after that repeats as ever.
    play(&mut position, "5h5i 5b5a 5i5h 5a5b");
    assert_eq!(position.repetition(9), Repetition::Draw);
}

#[test]
fn declaration_cases() {
    let mut results = 0;
    for record in records(include_str!("../positions/declaration.txt")) {
        let [name, sfen, rules] = record[..] else {
            panic!("bad record {record:?}")
        };
        let position = position(sfen);
        assert_eq!(
            position.declaration_win(EnteringKingRule::NoEnteringKing),
            None
        );
        for entry in words(rules) {
            let (rule, wins) = entry.split_once('=').unwrap();
            let expected = match wins {
                "no" => None,
                "yes" => Some(Declaration::Win),
                mv => Some(Declaration::Try(usi(mv))),
            };
            let found = position.declaration_win(rule.parse().unwrap());
            assert_eq!(found, expected, "{name} under {rule}");
            results += 1;
        }
    }
    assert!(results > 250);
}

fn usi(text: &str) -> Move {
    Move::from_usi(text).unwrap()
}
