//! Transposition table of the solver.
//!
//! Entries of one board with different hands share a bucket, for the sake of dominance: a proof
//! holds for every hand of the attacker that has at least as much, a disproof for every hand that
//! has at most as much. (The defender's hand follows from the board and the attacker's hand.) A
//! full bucket replaces the entry that took the least work.
#![forbid(unsafe_code)]

use super::proof_numbers::{DfpnResult, ProofNumbers};
use crate::types::Hand;

/// Entries of a bucket.
const BUCKET: usize = 16;

/// A packed entry. The system can provide a table of integers zeroed.
type Words = [u64; 4];

/// An entry of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MateEntry {
    pub key: u64,
    /// The attacker's hand.
    pub hand: Hand,
    pub result: DfpnResult,
    /// Nodes spent on the position, at least 1.
    pub work: u32,
    /// Whether a disproof of the position is stored under the key of a path.
    pub has_path_entry: bool,
}

impl MateEntry {
    fn pack(&self) -> Words {
        [
            self.key,
            u64::from(self.hand.raw()) | u64::from(self.result.numbers.phi) << 32,
            u64::from(self.work.max(1)) | u64::from(self.result.numbers.delta) << 32,
            u64::from(self.result.mate_length)
                | u64::from(self.result.repetition_depth) << 16
                | u64::from(self.has_path_entry) << 32,
        ]
    }

    /// Unpacks an entry; `None` for an empty slot.
    fn unpack(words: &Words) -> Option<MateEntry> {
        let work = words[2] as u32;
        (work != 0).then(|| MateEntry {
            key: words[0],
            hand: Hand::from_raw(words[1] as u32),
            result: DfpnResult {
                numbers: ProofNumbers {
                    phi: (words[1] >> 32) as u32,
                    delta: (words[2] >> 32) as u32,
                },
                mate_length: words[3] as u16,
                repetition_depth: (words[3] >> 16) as u16,
            },
            work,
            has_path_entry: words[3] >> 32 & 1 != 0,
        })
    }
}

/// The table.
pub(super) struct MateTable {
    words: Vec<Words>,
}

impl MateTable {
    /// A table of at most `bytes`, less if memory is short, but at least one bucket.
    pub(super) fn new(bytes: usize) -> MateTable {
        let mut entries = (bytes / size_of::<Words>() / BUCKET).max(1) * BUCKET;
        while entries > BUCKET && Vec::<Words>::new().try_reserve_exact(entries).is_err() {
            entries = (entries / 2).next_multiple_of(BUCKET);
        }
        MateTable {
            words: vec![[0; 4]; entries],
        }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.words.fill([0; 4]);
    }

    /// Use of the table in permille, by the first thousand entries.
    pub(super) fn hashfull(&self) -> u32 {
        let sample = &self.words[..self.words.len().min(1000)];
        let used = sample
            .iter()
            .filter(|words| MateEntry::unpack(words).is_some());
        (used.count() * 1000 / sample.len()) as u32
    }

    fn bucket(&self, key: u64) -> std::ops::Range<usize> {
        let buckets = (self.words.len() / BUCKET) as u128;
        let start = ((u128::from(key) * buckets) >> 64) as usize * BUCKET;
        start..start + BUCKET
    }

    /// The used entries of a bucket, which come first.
    fn entries(&self, key: u64) -> impl Iterator<Item = MateEntry> {
        let bucket = self.words.get(self.bucket(key)).unwrap_or_default();
        bucket.iter().map_while(MateEntry::unpack)
    }

    /// The entry of this key and hand.
    pub(super) fn probe_exact(&self, key: u64, hand: Hand) -> Option<MateEntry> {
        self.entries(key)
            .find(|entry| entry.key == key && entry.hand == hand)
    }

    /// An entry that solves the position by dominance, the shortest mate if there are several;
    /// otherwise the position's own entry.
    pub(super) fn probe(&self, key: u64, hand: Hand, attacker_to_move: bool) -> Option<MateEntry> {
        let mut own = None;
        let mut mate: Option<MateEntry> = None;
        for entry in self.entries(key).filter(|entry| entry.key == key) {
            let result = &entry.result;
            if result.is_disproven(attacker_to_move) && entry.hand.dominates(hand) {
                return Some(entry);
            }
            if result.is_proven(attacker_to_move)
                && hand.dominates(entry.hand)
                && mate.is_none_or(|mate| result.mate_length < mate.result.mate_length)
            {
                mate = Some(entry);
            }
            if entry.hand == hand {
                own = Some(entry);
            }
        }
        mate.or(own)
    }

    /// Stores an entry: replaces that of its position, else fills an empty slot, else replaces the
    /// entry that took the least work.
    pub(super) fn store(&mut self, entry: MateEntry) {
        let bucket = self.bucket(entry.key);
        let slots = self.words.get_mut(bucket).unwrap_or_default();
        let slot = slots
            .iter_mut()
            .min_by_key(|words| match MateEntry::unpack(words) {
                Some(old) if old.key == entry.key && old.hand == entry.hand => (0, 0),
                Some(old) => (2, old.work),
                None => (1, 0),
            });
        if let Some(slot) = slot {
            *slot = entry.pack();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mate::proof_numbers::{INFINITE, PATH_INDEPENDENT};
    use crate::types::PieceType;

    fn hand(pieces: &[PieceType]) -> Hand {
        let mut hand = Hand::EMPTY;
        pieces.iter().for_each(|&kind| hand.add(kind));
        hand
    }

    fn entry(key: u64, hand: Hand, result: DfpnResult, work: u32) -> MateEntry {
        MateEntry {
            key,
            hand,
            result,
            work,
            has_path_entry: false,
        }
    }

    #[test]
    fn entries_come_back_as_stored() {
        let mut table = MateTable::new(1 << 16);
        let mut result = DfpnResult::unsolved(7, INFINITE);
        result.mate_length = 513;
        result.repetition_depth = 12;
        let mut stored = entry(u64::MAX / 3, hand(&[PieceType::Rook]), result, 99);
        stored.has_path_entry = true;
        table.store(stored);
        assert_eq!(
            table.probe_exact(stored.key, hand(&[PieceType::Rook])),
            Some(stored)
        );
        assert_eq!(table.probe_exact(stored.key, Hand::EMPTY), None);
        assert_eq!(table.probe_exact(0, Hand::EMPTY), None);
    }

    #[test]
    fn proofs_hold_with_more_in_hand_and_disproofs_with_less() {
        use PieceType::*;
        let mut table = MateTable::new(1 << 16);
        table.store(entry(1, hand(&[Gold]), DfpnResult::proven(true, 3), 1));
        table.store(entry(
            1,
            hand(&[Pawn]),
            DfpnResult::disproven(true, PATH_INDEPENDENT),
            1,
        ));
        let found = |pieces: &[PieceType]| table.probe(1, hand(pieces), true).map(|e| e.result);
        assert_eq!(found(&[Gold, Silver]), Some(DfpnResult::proven(true, 3)));
        assert_eq!(
            found(&[]),
            Some(DfpnResult::disproven(true, PATH_INDEPENDENT))
        );
        assert_eq!(found(&[Silver]), None);
        assert_eq!(found(&[Pawn, Pawn]), None);
    }

    #[test]
    fn a_full_bucket_replaces_the_entry_of_least_work() {
        let mut table = MateTable::new(0);
        for key in 0..100 {
            table.store(entry(
                key,
                Hand::EMPTY,
                DfpnResult::unsolved(1, 1),
                1 + key as u32,
            ));
        }
        for key in 0..100 {
            let kept = table.probe_exact(key, Hand::EMPTY).is_some();
            assert_eq!(kept, key >= 100 - BUCKET as u64, "{key}");
        }
        table.store(entry(99, Hand::EMPTY, DfpnResult::unsolved(5, 5), 1));
        let found = table.probe_exact(99, Hand::EMPTY).map(|entry| entry.result);
        assert_eq!(found, Some(DfpnResult::unsolved(5, 5)));
        assert!(table.probe_exact(98, Hand::EMPTY).is_some());
    }
}
