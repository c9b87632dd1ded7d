//! Large memory: taken from the system without touching it, in huge pages where the system offers
//! them, and seen as bytes where its values are nothing but bytes.

use std::alloc::{Layout, alloc_zeroed};
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
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
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
