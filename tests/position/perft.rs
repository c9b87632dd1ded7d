//! Perft counts of `positions/perft.txt`. With debug assertions only those below a node budget.

use crate::common::{position, records, words};
use komaoto::position::{Position, perft};

/// Rows of a count above this are left to release builds.
const NODE_BUDGET: Option<u64> = if cfg!(debug_assertions) {
    Some(100_000)
} else {
    None
};

/// Name, position, and nodes by depth.
type Record = (String, Position, Vec<(u32, u64)>);

/// All records of the file.
fn table() -> Vec<Record> {
    records(include_str!("../../positions/perft.txt"))
        .map(|record| {
            let [name, sfen, counts] = record[..] else {
                panic!("bad record {record:?}")
            };
            let counts = words(counts).into_iter().map(|entry| {
                let (depth, nodes) = entry.split_once('=').unwrap();
                (depth.parse().unwrap(), nodes.parse().unwrap())
            });
            (name.to_owned(), position(sfen), counts.collect())
        })
        .collect()
}

#[test]
fn counts_are_right() {
    let table = table();
    assert!(table.len() > 190);
    for (name, mut position, counts) in table {
        let before = position.clone();
        for (depth, nodes) in counts {
            if NODE_BUDGET.is_none_or(|most| nodes <= most) {
                assert_eq!(perft(&mut position, depth), nodes, "{name} depth {depth}");
            }
        }
        assert!(position == before, "{name} was changed");
    }
}

#[test]
fn depth_zero_is_one_node() {
    let mut position = Position::startpos();
    assert_eq!(perft(&mut position, 0), 1);
}
