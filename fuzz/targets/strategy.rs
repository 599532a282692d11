//! Strategies for games.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = verify::read(bytes);
});
