//! The SFEN reader against damaged text, and the position files.

use crate::common::{effort, position, records};
use komaoto::position::Position;
use komaoto::types::MAX_MOVES;
use rand::prelude::*;
use std::collections::HashSet;

#[test]
fn position_files_are_well_formed() {
    for text in [
        include_str!("../../positions/bench.sfen"),
        include_str!("../../positions/openings.sfen"),
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
    let seeds: Vec<&str> = records(include_str!("../../positions/movegen.txt"))
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
            Ok(read) => {
                good += 1;
                assert_eq!(read.validate(), Ok(()), "{text}");
                assert!(read.legal_moves().len() <= MAX_MOVES);
                assert_eq!(position(&read.to_sfen()), read);
            }
            Err(error) => assert!(error.to_string().starts_with("SFEN"), "{error}"),
        }
    }
    assert!(good > 500, "only {good} mutations were readable");
}
