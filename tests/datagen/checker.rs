//! An independent check of games: the rules implemented again, on positions as text and the legal moves of
//! rsshogi.

use komaoto::data::{Game, GameEnd, GameResult, ScoredMove};
use komaoto::types::Color;
use rsshogi::board::{self, MoveList};
use rsshogi::movegen::generate_legal_all;
use std::collections::HashMap;

/// The settings of the games.
pub struct Terms {
    pub max_moves: usize,
    pub adjudication: i16,
    pub agreement: usize,
}

/// A position as text, its legal moves and whether its side to move is in check.
struct Snapshot {
    /// Without the number of the move.
    text: String,
    moves: Vec<String>,
    in_check: bool,
}

/// Replays a game and checks its end and result by the rules.
pub fn check(game: &Game, terms: &Terms) {
    let mut position = board::position_from_sfen(STARTPOS).unwrap();
    position.init_stack();
    let mut line = vec![look(&position)];
    for (ply, played) in game.moves.iter().enumerate() {
        let over = verdict(&line, terms).or_else(|| agreed(&game.moves[..ply], terms));
        assert_eq!(over, None, "game {} goes on at {ply}", game.number);
        assert_eq!(played.score.is_none(), ply < usize::from(game.opening));
        let text = played.mv.to_string();
        assert!(
            line[ply].moves.contains(&text),
            "{text} in {}",
            line[ply].text
        );
        let mv = rsshogi::types::Move::from_usi(&text).unwrap();
        position.apply_move(mv);
        line.push(look(&position));
    }
    let expected = verdict(&line, terms).or_else(|| agreed(&game.moves, terms));
    assert_eq!(
        Some((game.end, game.result)),
        expected,
        "game {}",
        game.number
    );
}

const STARTPOS: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

fn look(position: &board::Position) -> Snapshot {
    let sfen = position.to_sfen(None);
    let mut list = MoveList::new();
    generate_legal_all(position, &mut list);
    Snapshot {
        text: sfen.rsplit_once(' ').unwrap().0.into(),
        moves: list.as_slice().iter().map(|mv| mv.to_usi()).collect(),
        in_check: position.is_in_check(),
    }
}

/// How the rules end the game at the last position of a line, if they do.
fn verdict(line: &[Snapshot], terms: &Terms) -> Option<(GameEnd, GameResult)> {
    let last = line.last().unwrap();
    let side = side(&last.text);
    if last.moves.is_empty() {
        return Some((GameEnd::Mate, GameResult::Win(!side)));
    }
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, snapshot) in line.iter().enumerate() {
        places.entry(&snapshot.text).or_default().push(index);
    }
    if let [first, _, _, _, ..] = places[last.text.as_str()][..] {
        // A side that moved is the one that is not to move in the position after it.
        let checked = |color: Color| {
            let replies = line[first + 1..].iter();
            replies
                .filter(|snapshot| self::side(&snapshot.text) != color)
                .all(|snapshot| snapshot.in_check)
        };
        return Some(match (checked(Color::Black), checked(Color::White)) {
            (true, false) => (GameEnd::PerpetualCheck, GameResult::Win(Color::White)),
            (false, true) => (GameEnd::PerpetualCheck, GameResult::Win(Color::Black)),
            _ => (GameEnd::Repetition, GameResult::Draw),
        });
    }
    if declares(&last.text, last.in_check) {
        return Some((GameEnd::Declaration, GameResult::Win(side)));
    }
    (line.len() > terms.max_moves).then_some((GameEnd::MaxMoves, GameResult::Draw))
}

fn side(text: &str) -> Color {
    if text.contains(" b ") {
        Color::Black
    } else {
        Color::White
    }
}

/// Whether the side to move may declare a win by 27 points.
fn declares(text: &str, in_check: bool) -> bool {
    let mut fields = text.split(' ');
    let board = fields.next().unwrap();
    let black = fields.next() == Some("b");
    let own = |c: &char| c.is_ascii_alphabetic() && c.is_ascii_uppercase() == black;
    let points = |c: char| if "rRbB".contains(c) { 5 } else { 1 };
    let ranks: Vec<&str> = board.split('/').collect();
    let camp = if black { &ranks[..3] } else { &ranks[6..] };
    let camp: Vec<char> = camp
        .iter()
        .flat_map(|rank| rank.chars())
        .filter(own)
        .collect();
    let entered = camp.iter().any(|c| "kK".contains(*c));
    let others = camp.iter().filter(|c| !"kK".contains(**c));
    let mut total: u32 = others.clone().map(|&c| points(c)).sum();
    let mut count = 0;
    for c in fields.next().unwrap().chars() {
        match c.to_digit(10) {
            Some(digit) => count = count * 10 + digit,
            None => {
                total += if own(&c) { points(c) * count.max(1) } else { 0 };
                count = 0;
            }
        }
    }
    entered && !in_check && others.count() >= 10 && total >= if black { 28 } else { 27 }
}

/// The side that the last searches agree on.
fn agreed(moves: &[ScoredMove], terms: &Terms) -> Option<(GameEnd, GameResult)> {
    let last = moves.len().checked_sub(terms.agreement)?;
    let scores = moves.iter().enumerate().skip(last);
    let scores = scores.map(|(ply, played)| {
        let score = played.score.unwrap_or(0);
        if ply % 2 == 0 { score } else { -score }
    });
    let winner = if scores.clone().all(|score| score >= terms.adjudication) {
        Color::Black
    } else if scores.clone().all(|score| score <= -terms.adjudication) {
        Color::White
    } else {
        return None;
    };
    Some((GameEnd::Adjudication, GameResult::Win(winner)))
}
