//! Transposition table, shared by all threads without locks.
//! <https://www.chessprogramming.org/Transposition_Table>
//!
//! A cluster is half a cache line: three entries of one word each, and a word with their three
//! 21-bit keys. Words are relaxed atomics, so a reader may see an entry of one write and a key of
//! another; the stored key is therefore mixed with its entry, and such a pair fails the comparison
//! (<https://www.chessprogramming.org/Shared_Hash_Table#Xor>). Keys can still collide, so moves are tested
//! for legality.
//!
//! The lowest bit of the cluster index is the side to move, so an entry never serves the wrong
//! side.

use crate::memory::{HUGE_PAGE, Table};
use crate::types::{Color, Depth, Move, Value, value};
use bitflags::bitflags;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

bitflags! {
    /// Bound of a stored value, and whether its node is or was on a principal variation.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct Bound: u8 {
        /// The true value is at most the stored one.
        const UPPER = 1;
        /// The true value is at least the stored one.
        const LOWER = 2;
        /// The value is exact.
        const EXACT = Self::UPPER.bits() | Self::LOWER.bits();
        /// The node is or was on a principal variation.
        const PV = 4;
    }
}

impl Bound {
    /// The bound, with the flag [`Bound::PV`] if `tt_pv`.
    #[inline(always)]
    pub fn with_pv(self, tt_pv: bool) -> Bound {
        if tt_pv { self | Bound::PV } else { self }
    }
}

/// Depth of quiescence entries.
pub const DEPTH_QS: Depth = 0;
/// Depth of entries that hold a static evaluation and nothing else.
pub const DEPTH_EVAL: Depth = -1;
/// Added to a depth so that it fits an unsigned byte and no entry is all zeros.
const DEPTH_OFFSET: Depth = 2;

/// An entry, unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TtEntry {
    /// The best move found, [`Move::NONE`] if there is none.
    pub mv: Move,
    /// Value with mate scores relative to the node, [`value::NONE`] if there is none.
    pub value: Value,
    /// Static evaluation, [`value::NONE`] if there is none.
    pub eval: Value,
    /// Depth searched.
    pub depth: Depth,
    /// Bound of the value.
    pub bound: Bound,
}

impl TtEntry {
    /// Whether the entry has a bound that decides if the node reaches `beta`.
    #[inline(always)]
    pub fn cuts(&self, beta: Value) -> bool {
        let needed = if self.value >= beta {
            Bound::LOWER
        } else {
            Bound::UPPER
        };
        self.value != value::NONE && self.bound.contains(needed)
    }

    /// Whether the node is or was on a principal variation.
    #[inline(always)]
    pub fn is_pv(&self) -> bool {
        self.bound.contains(Bound::PV)
    }
}

const GENERATION_BITS: u32 = 5;
const GENERATION_MASK: u8 = (1 << GENERATION_BITS) - 1;

/// One word: move, value, evaluation, depth, bound and generation.
#[inline(always)]
fn pack(entry: TtEntry, generation: u8) -> u64 {
    let depth = (entry.depth + DEPTH_OFFSET) as u8;
    u64::from(entry.mv.raw())
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(entry.eval as i16 as u16) << 32
        | u64::from(depth) << 48
        | u64::from(entry.bound.bits() | generation << 3) << 56
}

#[inline(always)]
fn unpack(word: u64) -> TtEntry {
    TtEntry {
        mv: Move::from_raw(word as u16).unwrap_or(Move::NONE),
        value: Value::from((word >> 16) as i16),
        eval: Value::from((word >> 32) as i16),
        depth: packed_depth(word) - DEPTH_OFFSET,
        bound: Bound::from_bits_truncate((word >> 56) as u8),
    }
}

#[inline(always)]
fn packed_depth(word: u64) -> Depth {
    Depth::from((word >> 48) as u8)
}

#[inline(always)]
fn packed_generation(word: u64) -> u8 {
    (word >> 59) as u8
}

const ENTRIES: usize = 3;
const KEY_BITS: usize = 21;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;

/// The key as stored beside a word: mixed with it, so that halves of two writes do not match.
#[inline(always)]
fn stored_key(key: u64, word: u64) -> u64 {
    (key ^ word ^ word >> 21 ^ word >> 42) & KEY_MASK
}

/// Words of a cluster: its keys, then its entries.
const CLUSTER: usize = 1 + ENTRIES;

type Cluster = [AtomicU64; CLUSTER];

/// The transposition table.
pub struct TranspositionTable {
    /// An even number of clusters, which depends only on the size in megabytes.
    clusters: Table<Cluster>,
    generation: AtomicU8,
}

impl TranspositionTable {
    /// An empty table of this many megabytes (at least 1), or `None` if the allocation fails.
    pub fn new(megabytes: usize) -> Option<TranspositionTable> {
        let len = megabytes.max(1).checked_mul(1 << 20)? / size_of::<Cluster>();
        let clusters = Table::<Cluster>::try_zeroed(len)?;
        // A huge page is mapped when it is first written to, which is slow: better now than on the
        // clock.
        for cluster in clusters.iter().step_by(HUGE_PAGE / size_of::<Cluster>()) {
            cluster[0].store(0, Relaxed);
        }
        Some(TranspositionTable {
            clusters,
            generation: AtomicU8::new(0),
        })
    }

    /// The smallest possible table, for a thread that is not searching.
    pub fn placeholder() -> TranspositionTable {
        TranspositionTable {
            clusters: Table::zeroed(2),
            generation: AtomicU8::new(0),
        }
    }

    /// Begins a new search: entries of earlier ones age.
    pub fn next_generation(&self) {
        let next = (self.generation.load(Relaxed) + 1) & GENERATION_MASK;
        self.generation.store(next, Relaxed);
    }

    /// Index of the cluster: the high bits of the key, then the side to move.
    #[inline(always)]
    fn index(&self, key: u64, side: Color) -> usize {
        let pairs = self.clusters.len() as u64 / 2;
        let pair = ((u128::from(key) * u128::from(pairs)) >> 64) as usize;
        pair * 2 + side.index()
    }

    /// Prefetches the cluster of a position.
    #[inline(always)]
    pub fn prefetch(&self, key: u64, side: Color) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let cluster: *const Cluster = &self.clusters[self.index(key, side)];
            // SAFETY: a prefetch reads nothing, and the address is that of a live cluster. It
            // needs SSE, which every x86-64 processor has.
            unsafe { _mm_prefetch(cluster.cast(), _MM_HINT_T0) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (key, side);
    }

    /// The entry of a position `ply` plies from the root, if there is one.
    #[inline]
    pub fn probe(&self, key: u64, side: Color, ply: usize) -> Option<TtEntry> {
        let cluster = &self.clusters[self.index(key, side)];
        let keys = cluster[0].load(Relaxed);
        for (i, entry) in cluster[1..].iter().enumerate() {
            let word = entry.load(Relaxed);
            if word != 0 && keys >> (i * KEY_BITS) & KEY_MASK == stored_key(key, word) {
                let mut entry = unpack(word);
                entry.value = shift_mate(entry.value, -(ply as Value));
                return Some(entry);
            }
        }
        None
    }

    /// Stores an entry of a position `ply` plies from the root. An entry without a move keeps the
    /// stored one; a much shallower entry does not replace a deeper one of this generation.
    #[inline]
    pub fn store(&self, key: u64, side: Color, ply: usize, mut entry: TtEntry) {
        entry.value = shift_mate(entry.value, ply as Value);
        let generation = self.generation.load(Relaxed);
        let cluster = &self.clusters[self.index(key, side)];
        let keys = cluster[0].load(Relaxed);

        let mut slot = 0;
        let mut lowest = i32::MAX;
        for i in 0..ENTRIES {
            let word = cluster[1 + i].load(Relaxed);
            if word == 0 {
                slot = i;
                break;
            }
            if keys >> (i * KEY_BITS) & KEY_MASK == stored_key(key, word) {
                let keep = entry.bound & Bound::EXACT != Bound::EXACT
                    && packed_generation(word) == generation
                    && entry.depth
                        + DEPTH_OFFSET
                        + 4
                        + 2 * i32::from(entry.bound.contains(Bound::PV))
                        <= packed_depth(word);
                if entry.mv == Move::NONE {
                    entry.mv = unpack(word).mv;
                }
                if keep {
                    return;
                }
                slot = i;
                break;
            }
            let age = generation.wrapping_sub(packed_generation(word)) & GENERATION_MASK;
            let worth = packed_depth(word) - 8 * Depth::from(age);
            if worth < lowest {
                lowest = worth;
                slot = i;
            }
        }

        let word = pack(entry, generation);
        let shift = slot * KEY_BITS;
        let keys = keys & !(KEY_MASK << shift) | stored_key(key, word) << shift;
        cluster[1 + slot].store(word, Relaxed);
        cluster[0].store(keys, Relaxed);
    }

    /// Empties the table.
    pub fn clear(&self) {
        for word in self.clusters.as_flattened() {
            word.store(0, Relaxed);
        }
        self.generation.store(0, Relaxed);
    }

    /// How many of the entries are of this generation, in permille, from a sample.
    pub fn hashfull(&self) -> u32 {
        const SAMPLE: usize = 1000;
        let generation = self.generation.load(Relaxed);
        let sample = &self.clusters[..self.clusters.len().min(SAMPLE)];
        let used = sample
            .iter()
            .flat_map(|cluster| &cluster[1..])
            .map(|entry| entry.load(Relaxed))
            .filter(|&word| word != 0 && packed_generation(word) == generation)
            .count();
        (used * 1000 / (sample.len() * ENTRIES)) as u32
    }
}

/// Brings a mate score `plies` nearer: entries hold mate scores relative to the node, the search relative
/// to the root.
#[inline(always)]
fn shift_mate(value: Value, plies: Value) -> Value {
    if value == value::NONE {
        value
    } else if value >= value::MATE_IN_MAX_PLY {
        value + plies
    } else if value <= -value::MATE_IN_MAX_PLY {
        value - plies
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;

    fn entry(value: Value, depth: Depth, bound: Bound) -> TtEntry {
        let mv = Move::board(Square::from_index(60), Square::from_index(59));
        TtEntry {
            mv,
            value,
            eval: -12,
            depth,
            bound,
        }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = TranspositionTable::new(1).unwrap();
        let key = 0x0123_4567_89ab_cdef;
        assert_eq!(table.probe(key, Color::Black, 0), None);
        for (value, depth) in [(0, 1), (-345, 0), (30_000, 200), (value::NONE, DEPTH_QS)] {
            let table = TranspositionTable::new(1).unwrap();
            let stored = entry(value, depth, Bound::LOWER | Bound::PV);
            table.store(key, Color::White, 3, stored);
            assert_eq!(table.probe(key, Color::White, 3), Some(stored));
            assert_eq!(
                table.probe(key, Color::Black, 3),
                None,
                "the other side's position"
            );
            assert_eq!(table.probe(key ^ 1, Color::White, 3), None);
        }
    }

    #[test]
    fn the_size_does_not_depend_on_where_the_table_lies() {
        let tables: Vec<_> = (0..8)
            .map(|_| TranspositionTable::new(1).unwrap())
            .collect();
        for table in tables {
            assert_eq!(table.clusters.len(), (1 << 20) / 32);
            assert!(table.clusters.as_ptr().addr().is_multiple_of(64));
        }
    }

    #[test]
    fn mate_scores_move_with_the_node() {
        let table = TranspositionTable::new(1).unwrap();
        for stored_at in 0..120 {
            for (read_at, sign) in (0..120).flat_map(|ply| [(ply, 1), (ply, -1)]) {
                let value = sign * value::mate_in(stored_at + 5);
                table.store(7, Color::Black, stored_at, entry(value, 5, Bound::EXACT));
                let read = table.probe(7, Color::Black, read_at).unwrap().value;
                assert_eq!(read, sign * value::mate_in(read_at + 5));
            }
        }
        // The superior repetition is no mate and does not move.
        table.store(8, Color::Black, 9, entry(value::SUPERIOR, 5, Bound::EXACT));
        assert_eq!(
            table.probe(8, Color::Black, 1).unwrap().value,
            value::SUPERIOR
        );
    }

    #[test]
    fn a_move_survives_an_entry_without_one() {
        let table = TranspositionTable::new(1).unwrap();
        let first = entry(10, 3, Bound::LOWER);
        table.store(9, Color::Black, 0, first);
        table.store(
            9,
            Color::Black,
            0,
            TtEntry {
                mv: Move::NONE,
                ..entry(5, 6, Bound::UPPER)
            },
        );
        assert_eq!(table.probe(9, Color::Black, 0).unwrap().mv, first.mv);
    }

    #[test]
    fn old_and_shallow_entries_go_first() {
        let table = TranspositionTable::new(1).unwrap();
        // All four share a cluster: the index comes from the high bits.
        for (key, depth) in [(1, 9), (2, 4), (3, 7)] {
            table.store(key, Color::Black, 0, entry(0, depth, Bound::LOWER));
        }
        table.store(4, Color::Black, 0, entry(0, 1, Bound::LOWER));
        assert!(table.probe(2, Color::Black, 0).is_none());
        table.next_generation();
        table.store(5, Color::Black, 0, entry(0, 2, Bound::LOWER));
        table.store(6, Color::Black, 0, entry(0, 2, Bound::LOWER));
        table.store(7, Color::Black, 0, entry(0, 2, Bound::LOWER));
        for key in [5, 6, 7] {
            assert!(table.probe(key, Color::Black, 0).is_some());
        }
    }

    #[test]
    fn a_torn_entry_is_not_found() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(11, Color::Black, 0, entry(100, 5, Bound::EXACT));
        let cluster = &table.clusters[table.index(11, Color::Black)];
        cluster[1].store(pack(entry(-900, 8, Bound::LOWER), 0), Relaxed);
        assert_eq!(table.probe(11, Color::Black, 0), None);
    }
}
