//! Strategies for formulas.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = ssat::trace::read(bytes);
});
