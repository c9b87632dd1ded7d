//! Large tables in huge pages, and values seen as their bytes.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::AtomicU64;

/// Size of a huge page in bytes.
pub const HUGE_PAGE: usize = 2 << 20;

/// Size of a cache line in bytes.
const CACHE_LINE: usize = 64;

/// Types for which memory full of zero bytes is a valid value.
///
/// # Safety
/// An implementor must be valid when all of its bytes are zero.
pub unsafe trait Zeroable {}

// SAFETY: an atomic integer of zero bytes is zero.
unsafe impl Zeroable for AtomicU64 {}
// SAFETY: an array is valid if its values are.
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}

/// Types without padding for which any bytes are a valid value.
///
/// # Safety
/// An implementor must have no padding and no invalid values.
pub unsafe trait Plain: Zeroable {}

/// The bytes of some values, in native byte order.
#[inline(always)]
pub fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: the values are live and borrowed, and all of their bytes are initialised.
    unsafe { slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of some values for writing, in native byte order.
pub fn bytes_of_mut<T: Plain>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: the values are live and borrowed mutably, all of their bytes are initialised, and any
    // bytes written are valid values.
    unsafe { slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// A boxed slice that starts at a cache line, and at a huge page if it is as large as one.
pub struct Table<T> {
    start: NonNull<T>,
    len: usize,
    /// The allocation, which begins before `start`.
    memory: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a table owns its values.
unsafe impl<T: Send> Send for Table<T> {}
// SAFETY: a table owns its values.
unsafe impl<T: Sync> Sync for Table<T> {}

impl<T> Table<T> {
    /// A table of `len` values whose bytes are zero; `None` if the allocation fails. The system
    /// provides zeroed pages lazily, so untouched ones take no memory.
    ///
    /// # Safety
    /// The values must not be read before they are valid.
    unsafe fn allocate(len: usize) -> Option<Table<T>> {
        let slice = Layout::array::<T>(len).ok()?;
        let alignment = if slice.size() >= HUGE_PAGE {
            HUGE_PAGE
        } else {
            CACHE_LINE.max(slice.align())
        };
        // Aligned by hand: `alloc_zeroed` with a large alignment clears the memory by writing to
        // it.
        let layout = Layout::array::<u8>(slice.size().checked_add(alignment)?).ok()?;
        // SAFETY: an alignment is at least one, so the layout has a size.
        let memory = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skip = memory.as_ptr().addr().next_multiple_of(alignment) - memory.as_ptr().addr();
        advise_huge_pages(memory, layout.size());
        Some(Table {
            // SAFETY: the allocation exceeds the values by `alignment` bytes, and `skip` is less.
            start: unsafe { memory.add(skip) }.cast(),
            len,
            memory,
            layout,
        })
    }

    /// Aborts like any failed allocation.
    fn out_of_memory(len: usize) -> ! {
        handle_alloc_error(Layout::array::<T>(len).unwrap_or(Layout::new::<T>()))
    }
}

impl<T: Zeroable> Table<T> {
    /// A table of `len` zeroed values, or `None` if the allocation fails.
    pub fn try_zeroed(len: usize) -> Option<Table<T>> {
        // SAFETY: zeroed values are valid.
        unsafe { Table::allocate(len) }
    }

    /// A table of `len` zeroed values.
    pub fn zeroed(len: usize) -> Table<T> {
        Table::try_zeroed(len).unwrap_or_else(|| Table::<T>::out_of_memory(len))
    }
}

impl<T: Copy> Table<T> {
    /// A table of `len` copies of a value.
    pub fn filled(len: usize, value: T) -> Table<T> {
        // SAFETY: the values are written below before anything reads them.
        let table = unsafe { Table::<T>::allocate(len) };
        let table = table.unwrap_or_else(|| Table::<T>::out_of_memory(len));
        for i in 0..len {
            // SAFETY: there is room for `len` values.
            unsafe { table.start.add(i).write(value) };
        }
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
        // SAFETY: the table owns `len` valid and aligned values.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Table<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the table owns `len` valid and aligned values.
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

/// Asks for huge pages: with small pages, nearly every random read of a large table is a TLB miss.
#[cfg(target_os = "linux")]
fn advise_huge_pages(memory: NonNull<u8>, size: usize) {
    let skip = memory.as_ptr().align_offset(HUGE_PAGE);
    if size < skip + HUGE_PAGE {
        return;
    }
    let length = (size - skip) / HUGE_PAGE * HUGE_PAGE;
    // SAFETY: the range is a page-aligned part of a live allocation, and the advice does not change
    // its contents. A failure is harmless.
    unsafe {
        libc::madvise(
            memory.add(skip).as_ptr().cast(),
            length,
            libc::MADV_HUGEPAGE,
        )
    };
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_: NonNull<u8>, _: usize) {}

/// Whether this many megabytes exceed the physical memory. A system that overcommits would run out
/// only in the middle of a game.
pub fn exceeds_memory(megabytes: usize) -> bool {
    physical_megabytes().is_some_and(|physical| megabytes > physical)
}

/// Physical memory, where the system tells.
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
            let alignment = if large { HUGE_PAGE } else { CACHE_LINE };
            assert_eq!(table.as_ptr().addr() % alignment, 0);
            for (i, word) in table.iter().enumerate() {
                word.store(i as u64, Relaxed);
            }
            let mut words = table.iter().enumerate();
            assert!(words.all(|(i, word)| word.load(Relaxed) == i as u64));
        }
        assert!(Table::<AtomicU64>::try_zeroed(usize::MAX / 16).is_none());
    }

    #[test]
    fn filled_tables_hold_copies() {
        assert_eq!(*Table::filled(3, [1, 2]), [[1, 2]; 3]);
        assert!(
            Table::filled(HUGE_PAGE, 7_u16)
                .iter()
                .all(|&value| value == 7)
        );
    }
}
