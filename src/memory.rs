//! Large memory: taken from the system without touching it, in huge pages where the system offers
//! them, and seen as bytes where its values are nothing but bytes.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::AtomicU64;

/// Size of a huge page, in bytes.
pub const HUGE_PAGE: usize = 2 << 20;

/// Types for which memory full of zero bytes is a valid value.
///
/// # Safety
/// An implementor must be valid when all of its bytes are zero.
pub unsafe trait Zeroable {}

// SAFETY: an atomic integer of zero bytes is zero.
unsafe impl Zeroable for AtomicU64 {}

/// Types of which every byte counts and any bytes are a value.
///
/// # Safety
/// An implementor must have no padding and no invalid values.
pub unsafe trait Plain: Zeroable {}

/// The bytes of some values, in the order of the machine.
#[inline(always)]
pub fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: the values are live and borrowed, and all of their bytes are initialised.
    unsafe { slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The same, to be written to.
pub fn bytes_of_mut<T: Plain>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as above; and whatever is written, the values are valid.
    unsafe { slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// A slice of `len` zeroed values, or `None` if the memory is not to be had.
///
/// The system hands out zeroed pages that cost nothing until they are used, so who asks decides
/// when to pay for them.
pub fn zeroed_slice<T: Zeroable>(len: usize) -> Option<Box<[T]>> {
    let layout = Layout::array::<T>(len).ok()?;
    if layout.size() == 0 {
        return Some(Box::new([]));
    }
    // SAFETY: the layout has a size. `T` is `Zeroable`, so the memory holds `len` valid values,
    // and `Box` frees it with the layout it was allocated with.
    let slice = unsafe {
        let start = alloc_zeroed(layout).cast::<T>();
        if start.is_null() {
            return None;
        }
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len))
    };
    ask_for_huge_pages(&slice);
    Some(slice)
}

/// A slice in memory of its own that starts where its values, and huge pages if it is as large,
/// are best placed.
pub struct Table<T> {
    start: NonNull<T>,
    len: usize,
    /// What was taken from the system.
    memory: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a table owns its values.
unsafe impl<T: Send> Send for Table<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Table<T> {}

impl<T: Zeroable> Table<T> {
    /// A table of `len` zeroed values. What is untouched has cost nothing yet.
    pub fn zeroed(len: usize) -> Table<T> {
        let slice = Layout::array::<T>(len).expect("a table that fits the address space");
        let alignment = if slice.size() >= HUGE_PAGE {
            HUGE_PAGE
        } else {
            slice.align()
        };
        // Large memory comes from the system zeroed already, but only if no alignment is asked
        // for; hence some more of it.
        let layout = Layout::array::<u8>(slice.size() + alignment)
            .expect("a table that fits the address space");
        // SAFETY: an alignment is at least one, so the layout has a size.
        let Some(memory) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
            handle_alloc_error(layout);
        };
        let skip = memory.as_ptr().addr().next_multiple_of(alignment) - memory.as_ptr().addr();
        let table = Table {
            // SAFETY: less than an alignment is skipped, which is room enough.
            start: unsafe { memory.add(skip) }.cast(),
            len,
            memory,
            layout,
        };
        ask_for_huge_pages(&table);
        table
    }
}

impl<T: Zeroable + Copy> FromIterator<T> for Table<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Table<T> {
        let values: Vec<T> = values.into_iter().collect();
        let mut table = Table::zeroed(values.len());
        table.copy_from_slice(&values);
        table
    }
}

impl<T> Deref for Table<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: there are as many valid values, zeroed at first, aligned, and owned by the table.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Table<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        const { assert!(!std::mem::needs_drop::<T>()) };
        // SAFETY: allocated with this layout, and nothing uses it any more.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) }
    }
}

/// Asks for huge pages behind a slice: random reads of a large table miss the translation buffer
/// nearly every time with small ones.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages<T>(slice: &[T]) {
    let bytes = size_of_val(slice);
    let start = slice.as_ptr().cast::<u8>();
    let skip = start.align_offset(HUGE_PAGE);
    if bytes < skip + HUGE_PAGE {
        return;
    }
    let length = (bytes - skip) / HUGE_PAGE * HUGE_PAGE;
    // SAFETY: the range is a page-aligned part of the live slice, and the advice changes how it
    // is backed, never what it holds. A refusal changes nothing.
    unsafe {
        libc::madvise(
            start.add(skip).cast_mut().cast(),
            length,
            libc::MADV_HUGEPAGE,
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages<T>(_: &[T]) {}

/// Whether this many megabytes are more than the machine has. A system that promises memory it
/// does not have would only notice in the middle of a game.
pub fn exceeds_memory(megabytes: usize) -> bool {
    physical_megabytes().is_some_and(|physical| megabytes > physical)
}

/// Memory of the machine, where the system tells.
fn physical_megabytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn tables_are_zeroed_and_aligned() {
        for len in [0, 1, 1000, HUGE_PAGE / 8 - 1, HUGE_PAGE / 8, HUGE_PAGE + 3] {
            let table = Table::<AtomicU64>::zeroed(len);
            assert_eq!(table.len(), len);
            assert!(table.iter().all(|word| word.load(Relaxed) == 0));
            let large = size_of_val(&*table) >= HUGE_PAGE;
            let alignment = if large { HUGE_PAGE } else { 8 };
            assert_eq!(table.as_ptr().addr() % alignment, 0);
            // Every word is writable, and one of its own.
            for (i, word) in table.iter().enumerate() {
                word.store(i as u64, Relaxed);
            }
            let words = table.iter().enumerate();
            assert!(
                words
                    .into_iter()
                    .all(|(i, word)| word.load(Relaxed) == i as u64)
            );
        }
    }
}
