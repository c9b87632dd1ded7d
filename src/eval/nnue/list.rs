//! A short list of feature indices that never leaves the stack.
#![forbid(unsafe_code)]

/// At most `N` feature indices.
pub(super) struct List<const N: usize> {
    items: [u32; N],
    len: usize,
}

impl<const N: usize> List<N> {
    /// An empty list.
    #[inline(always)]
    pub fn new() -> List<N> {
        List {
            items: [0; N],
            len: 0,
        }
    }

    /// Adds an index at the end.
    #[inline(always)]
    pub fn push(&mut self, item: u32) {
        self.items[self.len] = item;
        self.len += 1;
    }

    /// The indices.
    #[inline(always)]
    pub fn as_slice(&self) -> &[u32] {
        &self.items[..self.len]
    }
}

impl<const N: usize> Default for List<N> {
    #[inline(always)]
    fn default() -> List<N> {
        List::new()
    }
}
