//! Counts what is allocated, when asked to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The system's allocator, as every Rust program has it unless it chooses
/// another. While nothing is counted, which is always so in timed code, it costs a
/// load and a branch that is never taken.
pub struct Counting;

static COUNTING: AtomicBool = AtomicBool::new(false);
static OBJECTS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

#[inline(always)]
fn note(size: usize) {
    if COUNTING.load(Relaxed) {
        count(size);
    }
}

#[cold]
fn count(size: usize) {
    OBJECTS.fetch_add(1, Relaxed);
    BYTES.fetch_add(size as u64, Relaxed);
}

// SAFETY: all is handed to System as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    /// Growing counts as an allocation of the new size: it may copy everything.
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        unsafe { System.dealloc(old, layout) }
    }
}

/// Does the work and returns the allocations and bytes that it took.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, u64, u64) {
    OBJECTS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    COUNTING.store(true, Relaxed);
    let done = work();
    COUNTING.store(false, Relaxed);
    (done, OBJECTS.load(Relaxed), BYTES.load(Relaxed))
}
