//! Transposition table of the solver.
//!
//! Entries of one board with different hands share a bucket, for the sake of dominance: a proof
//! holds for every hand of the attacker that has at least as much, a disproof for every hand that
//! has at most as much. (The defender's hand needs no look: both hands and the board make up the
//! set.) A full bucket replaces the entry that took the least work.
#![forbid(unsafe_code)]

use super::proof_numbers::{DfpnResult, ProofNumbers};
use crate::types::{Hand, PieceType};

/// Entries of a bucket.
const BUCKET: usize = 16;

/// An entry as it is stored. Integers let the system hand out the table zeroed.
type Words = [u64; 4];

/// What the table stores of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MateEntry {
    pub key: u64,
    /// [`Hand::raw`] of the attacker's hand.
    pub hand: u32,
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
            u64::from(self.hand) | u64::from(self.result.numbers.phi) << 32,
            u64::from(self.work.max(1)) | u64::from(self.result.numbers.delta) << 32,
            u64::from(self.result.mate_length)
                | u64::from(self.result.repetition_depth) << 16
                | u64::from(self.has_path_entry) << 32,
        ]
    }

    /// Reads an entry back; `None` for one never written.
    fn unpack(words: &Words) -> Option<MateEntry> {
        let work = words[2] as u32;
        (work != 0).then(|| MateEntry {
            key: words[0],
            hand: words[1] as u32,
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
    /// A table of at most this many bytes, less if memory is short; one bucket at least.
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
            .find(|entry| entry.key == key && entry.hand == hand.raw())
    }

    /// What is known of a position: an entry that solves it by dominance, the shortest mate of
    /// several, or else its own.
    pub(super) fn probe(&self, key: u64, hand: Hand, attacker_to_move: bool) -> Option<MateEntry> {
        let mut own = None;
        let mut mate: Option<MateEntry> = None;
        for entry in self.entries(key).filter(|entry| entry.key == key) {
            let result = &entry.result;
            if result.is_disproven(attacker_to_move) && dominates(entry.hand, hand.raw()) {
                return Some(entry);
            }
            if result.is_proven(attacker_to_move)
                && dominates(hand.raw(), entry.hand)
                && mate.is_none_or(|mate| result.mate_length < mate.result.mate_length)
            {
                mate = Some(entry);
            }
            if entry.hand == hand.raw() {
                own = Some(entry);
            }
        }
        mate.or(own)
    }

    /// Stores an entry over that of its position, in an empty slot or over the one of least work.
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

/// The lowest bit of every counter of a [`Hand`].
const ONE_OF_EACH: u32 = {
    let mut hand = Hand::EMPTY;
    let mut kind = 0;
    while kind < PieceType::HAND.len() {
        hand.add(PieceType::HAND[kind]);
        kind += 1;
    }
    hand.raw()
};

/// [`Hand::dominates`] for raw hands: no counter borrows in their difference.
fn dominates(more: u32, less: u32) -> bool {
    let borrows = more ^ less ^ more.wrapping_sub(less);
    more >= less && borrows & ONE_OF_EACH == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mate::proof_numbers::{INFINITE, PATH_INDEPENDENT};

    fn hand(pieces: &[PieceType]) -> Hand {
        let mut hand = Hand::EMPTY;
        pieces.iter().for_each(|&kind| hand.add(kind));
        hand
    }

    fn entry(key: u64, hand: Hand, result: DfpnResult, work: u32) -> MateEntry {
        MateEntry {
            key,
            hand: hand.raw(),
            result,
            work,
            has_path_entry: false,
        }
    }

    #[test]
    fn raw_hands_compare_like_hands() {
        let mut hands = vec![Hand::EMPTY];
        for kind in PieceType::HAND {
            for count in [1, 2, kind.total()] {
                for i in 0..hands.len().min(60) {
                    let mut hand = hands[i];
                    if hand.count(kind) == 0 {
                        (0..count).for_each(|_| hand.add(kind));
                        hands.push(hand);
                    }
                }
            }
        }
        for &a in &hands {
            for &b in &hands {
                assert_eq!(dominates(a.raw(), b.raw()), a.dominates(b), "{a:?} {b:?}");
            }
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
