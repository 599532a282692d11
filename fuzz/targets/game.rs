//! Rules of games.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = gdl::game::read("fuzz", bytes, &gdl::Options::default());
});
