use crate::data::game::{BRANCH_BYTES, MAX_BYTES};
use crate::data::{Branch, Game, GameEnd, GameResult, ScoredMove, Visited};
use crate::position::Position;
use crate::search::ScoreBound;
use crate::types::Move;

fn moves(text: &str) -> Vec<Move> {
    text.split(' ')
        .map(|mv| Move::from_usi(mv).unwrap())
        .collect()
}

/// What a search that chose the second move of [`game`] found out.
const LINES: [(&str, i16, ScoreBound); 4] = [
    ("8c8d 2f2e", -40, ScoreBound::Lower),
    ("3c3d", 20, ScoreBound::Exact),
    ("8c8d 2f2e 8d8e", 7, ScoreBound::Upper),
    ("8c8d 7g7f", 0, ScoreBound::Upper),
];

fn tree(index: u16) -> Vec<Branch> {
    let lines = LINES.map(|(line, score, bound)| (moves(line), score, bound));
    let lines = lines
        .iter()
        .map(|(line, score, bound)| (&**line, *score, *bound));
    Branch::tree(index, lines)
}

fn game() -> Game {
    let played = |mv| ScoredMove {
        mv,
        score: Some(10),
    };
    Game {
        number: 3,
        start: None,
        opening: 0,
        moves: moves("2g2f 8c8d 2f2e").into_iter().map(played).collect(),
        branches: tree(1),
        result: GameResult::Draw,
        end: GameEnd::Repetition,
    }
}

fn encoded(game: &Game) -> Vec<u8> {
    let mut bytes = vec![9; 8];
    game.encode(&mut bytes);
    bytes.split_off(8)
}

#[test]
fn lines_become_a_tree() {
    let tree = tree(1);
    let shape: Vec<(u8, bool)> = tree
        .iter()
        .map(|it| (it.level, it.score.is_some()))
        .collect();
    let expected = [(1, true), (1, false), (2, true), (3, true), (2, true)];
    let mut sorted = [shape.clone(), expected.to_vec()];
    sorted.iter_mut().for_each(|shape| shape.sort());
    assert_eq!(sorted[0], sorted[1], "{tree:?}");
    let long = vec![moves("2g2f")[0]; Branch::MAX_LEVEL + 1];
    assert_eq!(
        Branch::tree(0, [(&*long, 0, ScoreBound::Exact)].into_iter()),
        []
    );
}

#[test]
fn branches_round_trip() {
    let game = game();
    let bytes = encoded(&game);
    assert_eq!(Game::decode(&bytes).as_ref(), Ok(&game));
    // Cut anywhere, changed anywhere: never a panic, and what is read can be played through or not.
    for length in 0..bytes.len() {
        if let Ok(game) = Game::decode(&bytes[..length]) {
            assert!(game.branches.is_empty(), "{length}");
        }
    }
    for at in 0..bytes.len() {
        for change in [1, 0x40, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= change;
            if let Ok(game) = Game::decode(&bytes) {
                let _ = game.replay(|_, _| ());
            }
        }
    }
}

#[test]
fn branches_without_parent_are_rejected() {
    for (level, error) in [
        (0, "branch without parent"),
        (2, "branch without parent"),
        (0xc1, "invalid bound of a branch"),
    ] {
        let mut bytes = encoded(&game());
        let first = bytes.len() - tree(1).len() * BRANCH_BYTES;
        bytes[first] = level;
        assert_eq!(Game::decode(&bytes), Err(error));
    }
    let late = Game {
        branches: tree(3),
        ..game()
    };
    let error = Game::decode(&encoded(&late)).unwrap_err();
    assert_eq!(error, "branches out of order");
}

#[test]
fn what_a_record_has_no_room_for_is_left_out_evenly() {
    let mut game = game();
    game.moves = game.moves.repeat(100);
    game.branches = (0..300).flat_map(|index| tree(index).repeat(20)).collect();
    let bytes = encoded(&game);
    assert!(
        (MAX_BYTES / 2..=MAX_BYTES).contains(&bytes.len()),
        "{}",
        bytes.len()
    );
    let read = Game::decode(&bytes).unwrap();
    assert_eq!(read.moves, game.moves);
    let kept: Vec<Branch> = (0..100)
        .flat_map(|third| tree(3 * third + 2).repeat(20))
        .collect();
    assert!(read.branches == kept);
    // One that is too large alone.
    game.branches = tree(1).repeat(3000);
    assert_eq!(Game::decode(&encoded(&game)).unwrap().branches, []);
}

#[test]
fn replaying_visits_the_branches() {
    let mut found = Vec::new();
    let end = game().replay(|position, seen| {
        if let Visited::TreeStrap { score, bound } = seen {
            found.push((position.to_sfen(), score, bound));
        } else {
            found.push((position.to_sfen(), -1, ScoreBound::Exact));
        }
    });
    let at = |text: &str| {
        let mut position = Position::startpos();
        for mv in text.split_whitespace() {
            position.do_move(Move::from_usi(mv).unwrap());
        }
        position.to_sfen()
    };
    assert_eq!(end.unwrap().to_sfen(), at("2g2f 8c8d 2f2e"));
    let turns = ["", "2g2f", "2g2f 8c8d"].map(|line| (at(line), -1, ScoreBound::Exact));
    let lines = LINES.map(|(line, score, bound)| (at(&format!("2g2f {line}")), score, bound));
    assert_eq!(found.len(), turns.len() + lines.len());
    assert!(turns.iter().chain(&lines).all(|it| found.contains(it)));
    assert_eq!(found[1], turns[1], "a search is seen after its position");
    assert_eq!(found.last(), turns.last());

    let mut wrong = game();
    wrong.branches[0].mv = moves("7g7f")[0];
    let error = wrong.replay(|_, _| ()).unwrap_err();
    let text = "game 3: illegal move 7g7f in the TreeStrap positions of move 2";
    assert_eq!(error.to_string(), text);
}
