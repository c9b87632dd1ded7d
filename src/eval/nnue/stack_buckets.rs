//! Selection of the layer stack for a position: by the squares of the kings, the pieces in hand and the
//! game progress (進行度). Each way to classify kings or hands is a row of data.
#![forbid(unsafe_code)]

use crate::position::Position;
use crate::types::{Hand, PieceType, Square};
use std::fmt;

/// A division of the board into classes for a king.
#[derive(Debug)]
struct KingClasses {
    /// Its name in files, then longer forms of it.
    names: &'static [&'static str],
    /// The first class of each rank, from the enemy's back rank to the king's own.
    ranks: [u8; 9],
    /// The first rank on which the class also depends on the file.
    files_from: usize,
    /// Files per class on these ranks.
    files_per_class: usize,
}

const fn king(
    names: &'static [&'static str],
    ranks: [u8; 9],
    files_from: usize,
    files_per_class: usize,
) -> KingClasses {
    KingClasses {
        names,
        ranks,
        files_from,
        files_per_class,
    }
}

/// Every way to classify kings.
#[rustfmt::skip]
static KINGS: [KingClasses; 7] = [
    king(&["", "none"], [0; 9], 9, 9),
    king(&["k3k3", "king3_by_king3"], [0, 0, 0, 1, 1, 1, 2, 2, 2], 9, 9),
    king(&["k9k9", "king9_by_king9"], [0, 1, 2, 3, 4, 5, 6, 7, 8], 9, 9),
    king(&["k9k9z", "king9z_by_king9z", "king9zone_by_king9zone"],
        [0, 0, 0, 1, 1, 1, 2, 3, 6], 7, 3),
    king(&["k13k13z", "king13z_by_king13z", "king13zone_by_king13zone"],
        [0, 1, 2, 3, 4, 5, 6, 7, 10], 7, 3),
    king(&["k21k21", "king21_by_king21"], [0, 0, 0, 1, 1, 1, 2, 3, 12], 7, 1),
    king(&["k29k29", "king29_by_king29"], [0, 0, 0, 1, 1, 1, 2, 11, 20], 6, 1),
];

impl KingClasses {
    /// Number of classes of one king.
    fn count(&self) -> usize {
        self.class(Square::new(8, 8)) + 1
    }

    /// The class of a king on a square, seen from its own side.
    #[inline(always)]
    fn class(&self, sq: Square) -> usize {
        let rank = usize::from(sq.rank());
        let file = if rank >= self.files_from {
            usize::from(sq.file()) / self.files_per_class
        } else {
            0
        };
        usize::from(self.ranks[rank]) + file
    }
}

/// A division of hands into classes.
#[derive(Debug)]
struct HandClasses {
    /// Its name in files.
    name: &'static str,
    rule: HandRule,
}

/// How a hand is classified.
#[derive(Debug)]
enum HandRule {
    /// One bit per group of piece types, set if the hand holds a piece of the group.
    Held(&'static [&'static [PieceType]]),
    /// By the total of [`POINTS`], in eight classes.
    Points,
}

use PieceType::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};

/// Every way to classify hands.
#[rustfmt::skip]
static HANDS: [HandClasses; 7] = [
    HandClasses { name: "", rule: HandRule::Held(&[]) },
    HandClasses { name: "hand4", rule: HandRule::Held(&[&[Bishop]]) },
    HandClasses { name: "hand16", rule: HandRule::Held(&[&[Pawn], &[Bishop]]) },
    HandClasses { name: "hand64", rule: HandRule::Held(
        &[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]]) },
    HandClasses { name: "hand64z", rule: HandRule::Points },
    HandClasses { name: "hand256", rule: HandRule::Held(
        &[&[Pawn, Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]]) },
    HandClasses { name: "hand1024", rule: HandRule::Held(
        &[&[Pawn], &[Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]]) },
];

/// Points of each piece in hand.
#[rustfmt::skip]
const POINTS: [(PieceType, u32); 7] =
    [(Pawn, 1), (Lance, 2), (Knight, 2), (Silver, 3), (Gold, 3), (Bishop, 5), (Rook, 5)];

impl HandClasses {
    /// Number of classes of one hand.
    fn count(&self) -> usize {
        match self.rule {
            HandRule::Held(groups) => 1 << groups.len(),
            HandRule::Points => 8,
        }
    }

    #[inline(always)]
    fn class(&self, hand: Hand) -> usize {
        match self.rule {
            HandRule::Held(groups) => groups.iter().enumerate().fold(0, |class, (bit, kinds)| {
                let holds = kinds.iter().any(|&kind| hand.has(kind));
                class | usize::from(holds) << bit
            }),
            HandRule::Points => {
                let points = POINTS.map(|(kind, points)| points * hand.count(kind));
                points.iter().sum::<u32>().div_ceil(4).min(7) as usize
            }
        }
    }
}

/// Possible numbers of game stages.
const STAGES: [usize; 6] = [2, 3, 4, 8, 16, 32];

/// How the layer stack is selected: by the classes of both hands, then of both kings, side to move first,
/// then by the game stage.
#[derive(Clone, Copy, Debug)]
pub struct StackBuckets {
    hand: &'static HandClasses,
    king: &'static KingClasses,
    /// Number of game stages; 1 if the stage does not matter.
    pub stages: usize,
}

impl StackBuckets {
    /// One bucket for every position.
    pub fn single() -> StackBuckets {
        StackBuckets {
            hand: &HANDS[0],
            king: &KINGS[0],
            stages: 1,
        }
    }

    /// `k3k3`: by the ranks of the kings, three classes each.
    pub fn king_ranks() -> StackBuckets {
        StackBuckets {
            king: &KINGS[1],
            ..StackBuckets::single()
        }
    }

    /// By the game stage alone.
    pub fn by_stage(stages: usize) -> StackBuckets {
        StackBuckets {
            stages,
            ..StackBuckets::single()
        }
    }

    /// Parses a name such as `hand64_k3k3_progress8`, ignoring case. The error is the unknown part.
    pub fn parse(name: &str) -> Result<StackBuckets, String> {
        let mut name = name.to_ascii_lowercase();
        for row in &KINGS {
            for long in &row.names[1..] {
                name = name.replace(long, row.names[0]);
            }
        }
        let mut buckets = StackBuckets::single();
        for part in name.split('_').filter(|part| !part.is_empty()) {
            let stages = part.strip_prefix("progress").and_then(|n| n.parse().ok());
            if let Some(row) = KINGS.iter().find(|row| row.names[0] == part) {
                buckets.king = row;
            } else if let Some(row) = HANDS.iter().find(|row| row.name == part) {
                buckets.hand = row;
            } else if let Some(stages) = stages.filter(|stages| STAGES.contains(stages)) {
                buckets.stages = stages;
            } else {
                return Err(part.to_string());
            }
        }
        Ok(buckets)
    }

    /// The stack buckets with this number of buckets, if just one way of classifying hands or kings, not
    /// both, has it.
    pub fn with_count(count: usize, has_stages: bool) -> Option<StackBuckets> {
        let stages = if has_stages { &STAGES[..] } else { &[1] };
        let pairs = HANDS.iter().map(|hand| (hand, &KINGS[0]));
        let pairs = pairs.chain(KINGS[1..].iter().map(|king| (&HANDS[0], king)));
        let mut fitting = pairs
            .flat_map(|(hand, king)| stages.iter().map(move |&stages| (hand, king, stages)))
            .map(|(hand, king, stages)| StackBuckets { hand, king, stages })
            .filter(|buckets| buckets.count() == count);
        fitting.next().filter(|_| fitting.next().is_none())
    }

    /// Number of buckets.
    pub fn count(&self) -> usize {
        (self.hand.count() * self.king.count()).pow(2) * self.stages
    }

    /// The bucket of a position at a game stage. A missing king is taken to stand on the first square.
    #[inline]
    pub fn bucket(&self, position: &Position, stage: usize) -> usize {
        let us = position.side_to_move();
        let hands = [us, !us].map(|color| self.hand.class(position.hand(color)));
        let kings = [us, !us].map(|color| {
            let sq = position.king(color).unwrap_or(Square::new(0, 0));
            self.king.class(sq.relative(color))
        });
        let hand = hands[0] * self.hand.count() + hands[1];
        let king = kings[0] * self.king.count() + kings[1];
        (hand * self.king.count().pow(2) + king) * self.stages + stage
    }
}

impl fmt::Display for StackBuckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = match self.stages {
            1 => String::new(),
            stages => format!("progress{stages}"),
        };
        let parts = [self.hand.name, self.king.names[0], &stages];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        match parts[..] {
            [] => f.write_str("none"),
            _ => f.write_str(&parts.join("_")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes as YaneuraOu defines them.
    fn described(name: &str, r: usize, f: usize) -> usize {
        match name {
            "" => 0,
            "k3k3" => r / 3,
            "k9k9" => r,
            "k9k9z" if r < 6 => r / 3,
            "k9k9z" if r == 6 => 2,
            "k9k9z" => 3 + 3 * (r - 7) + f / 3,
            "k13k13z" if r < 7 => r,
            "k13k13z" => 7 + 3 * (r - 7) + f / 3,
            "k21k21" if r < 6 => r / 3,
            "k21k21" if r == 6 => 2,
            "k21k21" => 3 + 9 * (r - 7) + f,
            "k29k29" if r < 6 => r / 3,
            _ => 2 + 9 * (r - 6) + f,
        }
    }

    #[test]
    fn kings_are_classified_as_described() {
        let counts = [1, 3, 9, 9, 13, 21, 29];
        for (row, count) in KINGS.iter().zip(counts) {
            assert_eq!(row.count(), count, "{}", row.names[0]);
            for sq in Square::all() {
                let (r, f) = (usize::from(sq.rank()), usize::from(sq.file()));
                assert_eq!(row.class(sq), described(row.names[0], r, f), "{sq}");
                assert!(row.class(sq) < count);
            }
        }
    }

    #[test]
    fn buckets_are_read_and_named() {
        for (name, stacks, canonical) in [
            ("", 1, "none"),
            ("NONE", 1, "none"),
            ("K3K3", 9, "k3k3"),
            ("KING9ZONE_BY_KING9ZONE", 81, "k9k9z"),
            ("HAND64_K3K3_PROGRESS8", 4608, "hand64_k3k3_progress8"),
            ("hand64z_k9k9z", 5184, "hand64z_k9k9z"),
            ("k13k13z", 169, "k13k13z"),
            ("k21k21", 441, "k21k21"),
            ("king29_by_king29", 841, "k29k29"),
            ("hand4", 4, "hand4"),
            ("hand16", 16, "hand16"),
            ("hand256", 256, "hand256"),
            ("hand1024_progress32", 32_768, "hand1024_progress32"),
        ] {
            let buckets = StackBuckets::parse(name).unwrap();
            assert_eq!(buckets.count(), stacks, "{name}");
            assert_eq!(buckets.to_string(), canonical);
        }
        for bad in [
            "k4k4",
            "progress5",
            "hand",
            "k3k3_ls9",
            "progress99999999999999999999",
        ] {
            assert!(StackBuckets::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn buckets_are_guessed_where_only_one_fits() {
        let guess = |count, stages| StackBuckets::with_count(count, stages).map(|s| s.to_string());
        assert_eq!(guess(1, false).unwrap(), "none");
        assert_eq!(guess(9, false).unwrap(), "k3k3");
        assert_eq!(guess(81, false), None);
        assert_eq!(guess(64, false), None);
        assert_eq!(guess(8, false), None);
        assert_eq!(guess(72, true).unwrap(), "k3k3_progress8");
    }

    #[test]
    fn buckets_of_known_positions() {
        let positions = super::super::tests::POSITIONS;
        let check = |name: &str, known: [usize; 7]| {
            let buckets = StackBuckets::parse(name).unwrap();
            for (sfen, known) in positions.into_iter().zip(known) {
                let position = Position::from_sfen(sfen).unwrap();
                assert_eq!(buckets.bucket(&position, 0), known, "{name} {sfen}");
            }
        };
        check("k3k3", [8, 8, 8, 5, 8, 8, 8]);
        check("k9k9z", [70, 70, 70, 14, 67, 51, 69]);
        check("hand64", [0, 0, 36, 39, 27, 26, 63]);
        check("hand64z", [0, 0, 18, 21, 34, 34, 61]);
    }
}
