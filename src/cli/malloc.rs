//! The settings of the C library's allocator, which has our memory.
#![allow(unsafe_code)]

/// Makes the system's allocator give freed memory back at once, if it is more than a little. Else it keeps some of it for each thread that
/// asked for some, so that what a process takes depends on which thread did what when.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::c_int;
        // Of the C library: `M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD`, in bytes.
        const OPTIONS: [(c_int, c_int); 2] = [(-1, 1 << 20), (-3, 1 << 20)];
        unsafe extern "C" {
            fn mallopt(option: c_int, value: c_int) -> c_int;
        }
        for (option, value) in OPTIONS {
            // SAFETY: it takes any numbers, and changes where blocks come from that are allocated later.
            unsafe { mallopt(option, value) };
        }
    }
}
