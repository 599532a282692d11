//! Prefetching: the processor is asked for memory before it is needed.

/// Asks the processor to bring the line of something near, without waiting for it.
#[inline]
pub fn prefetch<T>(wanted: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch changes nothing that a program can see, and the address is valid anyway.
    #[allow(unsafe_code)]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(wanted).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(wanted);
}
