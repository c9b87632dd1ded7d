//! The table of positions the solver has seen.
//!
//! Positions are found by their board; those that differ in the hands share a bucket, so that a
//! proof with fewer pieces in the attacker's hand serves with more, and a refutation with more
//! serves with fewer. (What one side holds less the other holds more: the same set, the same
//! board.) A full bucket gives up the position that took the least work.
#![forbid(unsafe_code)]

use super::numbers::{Numbers, Value};
use crate::types::{Hand, PieceType};

/// Entries of a bucket.
const BUCKET: usize = 16;

/// An entry as it is stored. Plain words, so that the system hands the table out zeroed.
type Words = [u64; 4];

/// A position in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub key: u64,
    /// [`Hand::raw`] of the attacker's hand.
    pub hand: u32,
    pub value: Value,
    /// Nodes spent below the position, at least 1.
    pub work: u32,
    /// Whether a refutation of the position is stored under the path it holds for.
    pub has_path_entry: bool,
}

impl Entry {
    fn pack(&self) -> Words {
        [
            self.key,
            u64::from(self.hand) | u64::from(self.value.numbers.phi) << 32,
            u64::from(self.work.max(1)) | u64::from(self.value.numbers.delta) << 32,
            u64::from(self.value.length)
                | u64::from(self.value.rests_on) << 16
                | u64::from(self.has_path_entry) << 32,
        ]
    }

    /// Reads an entry back; `None` for one never written.
    fn unpack(words: &Words) -> Option<Entry> {
        let work = words[2] as u32;
        (work != 0).then(|| Entry {
            key: words[0],
            hand: words[1] as u32,
            value: Value {
                numbers: Numbers {
                    phi: (words[1] >> 32) as u32,
                    delta: (words[2] >> 32) as u32,
                },
                length: words[3] as u16,
                rests_on: (words[3] >> 16) as u16,
            },
            work,
            has_path_entry: words[3] >> 32 & 1 != 0,
        })
    }
}

/// The table.
pub(super) struct Table {
    words: Vec<Words>,
}

impl Table {
    /// A table of this many bytes, less when they are not to be had, one bucket at least.
    pub(super) fn new(bytes: usize) -> Table {
        let mut entries = (bytes / size_of::<Words>() / BUCKET).max(1) * BUCKET;
        while entries > BUCKET && Vec::<Words>::new().try_reserve_exact(entries).is_err() {
            entries = (entries / 2).next_multiple_of(BUCKET);
        }
        Table {
            words: vec![[0; 4]; entries],
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.words.fill([0; 4]);
    }

    fn bucket(&self, key: u64) -> std::ops::Range<usize> {
        let buckets = (self.words.len() / BUCKET) as u128;
        let start = ((u128::from(key) * buckets) >> 64) as usize * BUCKET;
        start..start + BUCKET
    }

    /// The entries of a bucket in use; they come first.
    fn entries(&self, key: u64) -> impl Iterator<Item = Entry> {
        let bucket = self.words.get(self.bucket(key)).unwrap_or_default();
        bucket.iter().map_while(Entry::unpack)
    }

    /// The entry of exactly this key and hand.
    pub(super) fn get(&self, key: u64, hand: Hand) -> Option<Entry> {
        self.entries(key)
            .find(|entry| entry.key == key && entry.hand == hand.raw())
    }

    /// What is known of a position: the entry of its own, or one of the same board with other
    /// hands that decides it, the shortest mate of several.
    pub(super) fn find(&self, key: u64, hand: Hand, attacker_to_move: bool) -> Option<Entry> {
        let mut own = None;
        let mut mate: Option<Entry> = None;
        for entry in self.entries(key).filter(|entry| entry.key == key) {
            let value = &entry.value;
            if value.is_refuted(attacker_to_move) && dominates(entry.hand, hand.raw()) {
                return Some(entry);
            }
            if value.is_mate(attacker_to_move)
                && dominates(hand.raw(), entry.hand)
                && mate.is_none_or(|mate| value.length < mate.value.length)
            {
                mate = Some(entry);
            }
            if entry.hand == hand.raw() {
                own = Some(entry);
            }
        }
        mate.or(own)
    }

    /// Writes an entry, over the one of the same position or over the cheapest.
    pub(super) fn put(&mut self, entry: Entry) {
        let bucket = self.bucket(entry.key);
        let slots = self.words.get_mut(bucket).unwrap_or_default();
        let slot = slots
            .iter_mut()
            .min_by_key(|words| match Entry::unpack(words) {
                Some(old) if old.key == entry.key && old.hand == entry.hand => (0, 0),
                Some(old) => (2, old.work),
                None => (1, 0),
            });
        if let Some(slot) = slot {
            *slot = entry.pack();
        }
    }
}

/// One piece of every kind in hand: the lowest bit of every counter.
const ONE_OF_EACH: u32 = {
    let mut hand = Hand::EMPTY;
    let mut kind = 0;
    while kind < PieceType::HAND.len() {
        hand.add(PieceType::HAND[kind]);
        kind += 1;
    }
    hand.raw()
};

/// [`Hand::dominates`] for packed hands: their difference borrows from no counter.
fn dominates(more: u32, less: u32) -> bool {
    let borrows = more ^ less ^ more.wrapping_sub(less);
    more >= less && borrows & ONE_OF_EACH == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mate::numbers::{INDEPENDENT, INFINITE};

    fn hand(pieces: &[PieceType]) -> Hand {
        let mut hand = Hand::EMPTY;
        pieces.iter().for_each(|&kind| hand.add(kind));
        hand
    }

    fn entry(key: u64, hand: Hand, value: Value, work: u32) -> Entry {
        Entry {
            key,
            hand: hand.raw(),
            value,
            work,
            has_path_entry: false,
        }
    }

    #[test]
    fn packed_hands_compare_like_hands() {
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
        let mut table = Table::new(1 << 16);
        let mut value = Value::open(7, INFINITE);
        value.length = 513;
        value.rests_on = 12;
        let mut stored = entry(u64::MAX / 3, hand(&[PieceType::Rook]), value, 99);
        stored.has_path_entry = true;
        table.put(stored);
        assert_eq!(
            table.get(stored.key, hand(&[PieceType::Rook])),
            Some(stored)
        );
        assert_eq!(table.get(stored.key, Hand::EMPTY), None);
        assert_eq!(table.get(0, Hand::EMPTY), None);
    }

    #[test]
    fn more_in_hand_inherits_proofs_and_less_refutations() {
        use PieceType::*;
        let mut table = Table::new(1 << 16);
        table.put(entry(1, hand(&[Gold]), Value::mate(true, 3), 1));
        table.put(entry(
            1,
            hand(&[Pawn]),
            Value::refuted(true, INDEPENDENT),
            1,
        ));
        let found = |pieces: &[PieceType]| table.find(1, hand(pieces), true).map(|e| e.value);
        assert_eq!(found(&[Gold, Silver]), Some(Value::mate(true, 3)));
        assert_eq!(found(&[]), Some(Value::refuted(true, INDEPENDENT)));
        assert_eq!(found(&[Silver]), None);
        assert_eq!(found(&[Pawn, Pawn]), None);
    }

    #[test]
    fn a_full_bucket_gives_up_what_took_least_work() {
        let mut table = Table::new(0);
        for key in 0..100 {
            table.put(entry(key, Hand::EMPTY, Value::open(1, 1), 1 + key as u32));
        }
        for key in 0..100 {
            let kept = table.get(key, Hand::EMPTY).is_some();
            assert_eq!(kept, key >= 100 - BUCKET as u64, "{key}");
        }
        table.put(entry(99, Hand::EMPTY, Value::open(5, 5), 1));
        let found = table.get(99, Hand::EMPTY).map(|entry| entry.value);
        assert_eq!(found, Some(Value::open(5, 5)));
        assert!(table.get(98, Hand::EMPTY).is_some());
    }
}
