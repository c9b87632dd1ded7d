//! Symmetries: rotating the board and swapping the colours must not change outputs, nor must mirroring with
//! mirrored feature sets.

use super::output;
use super::synthetic::{Stacked, network};
use super::{GOLDEN, POSITIONS, games, position, synthetic};
use crate::eval::nnue::backend::available;
use crate::eval::nnue::network::Network;
use crate::position::Position;
use crate::types::Color;

/// The rows of an SFEN board as pieces and counts of empty squares.
fn rows(board: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for row in board.split('/') {
        let mut cells: Vec<String> = Vec::new();
        for c in row.chars() {
            match cells.last_mut() {
                Some(cell) if cell == "+" => cell.push(c),
                _ => cells.push(c.into()),
            }
        }
        rows.push(cells);
    }
    rows
}

fn join(rows: &[Vec<String>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| row.concat()).collect();
    rows.join("/")
}

fn swap_case(text: &str) -> String {
    let swap = |c: char| match c.is_ascii_uppercase() {
        true => c.to_ascii_lowercase(),
        false => c.to_ascii_uppercase(),
    };
    text.chars().map(swap).collect()
}

/// The position rotated by 180 degrees, with the colours swapped.
fn rotated(it: &Position) -> Position {
    let sfen = it.to_sfen();
    let fields: Vec<&str> = sfen.split(' ').collect();
    let mut rows = rows(fields[0]);
    rows.reverse();
    rows.iter_mut().for_each(|row| row.reverse());
    let side = if fields[1] == "b" { "w" } else { "b" };
    let board = swap_case(&join(&rows));
    // Black's pieces in hand come first.
    let hands = swap_case(fields[2]);
    let pieces = hands.split_inclusive(|c: char| c.is_ascii_alphabetic());
    let (black, white): (Vec<&str>, Vec<&str>) =
        pieces.partition(|piece| piece.ends_with(|c: char| c.is_ascii_uppercase()));
    let hands = [black, white].concat().concat();
    position(&format!("{board} {side} {hands} {}", fields[3]))
}

/// The position with left and right swapped.
fn mirrored(it: &Position) -> Position {
    let sfen = it.to_sfen();
    let (board, rest) = sfen.split_once(' ').unwrap();
    let mut rows = rows(board);
    rows.iter_mut().for_each(|row| row.reverse());
    position(&format!("{} {rest}", join(&rows)))
}

/// [`POSITIONS`], and positions of games.
fn some_positions() -> Vec<Position> {
    let known = POSITIONS.into_iter().map(position);
    let played = games().step_by(5).flat_map(|(mut position, moves)| {
        let positions = moves.into_iter().map(move |mv| {
            position.do_move(mv);
            position.clone()
        });
        positions.step_by(7)
    });
    known.chain(played).collect()
}

fn value(network: &Network, position: &Position) -> i32 {
    output(network, available()[0], position, None)
}

/// Checks that rotation changes no output, and with `mirrors` that mirroring changes none either unless a king
/// is missing or on the middle file. Some outputs of the remaining positions have to change.
fn check(network: &Network, mirrors: bool) {
    let mut differing = 0;
    for position in some_positions() {
        let expected = value(network, &position);
        assert_eq!(
            value(network, &rotated(&position)),
            expected,
            "{position:?}"
        );
        let on_middle_file = |color| position.king(color).is_none_or(|king| king.file() == 4);
        let middle = Color::ALL.into_iter().any(on_middle_file);
        let mirror = value(network, &mirrored(&position));
        if mirrors && !middle {
            assert_eq!(mirror, expected, "{position:?}");
        } else if mirror != expected {
            differing += 1;
        }
    }
    assert!(differing > 0);
}

#[test]
fn rotation_and_mirroring_in_classic_networks() {
    for (name, _) in GOLDEN {
        let mirrors = name.contains("_vm") || name.contains("_hm");
        check(&synthetic(name), mirrors);
    }
}

#[test]
fn rotation_and_mirroring_in_networks_with_layer_stacks() {
    let net =
        |features, hidden, buckets| network(&Stacked::new(features, 64, hidden, buckets).file());
    check(&net("HalfKA_hm2(Friend)", [15, 32], "k3k3"), true);
    check(&net("HalfKA_hm1(Friend)", [8, 32], "hand16_k9k9"), true);
    check(&net("HalfKA_hm2(Friend)", [7, 32], "k9k9z"), false);
    check(&net("K+P", [7, 64], "hand4_k3k3_progress4"), false);
}
