//! Formulas in DIMACS and its relatives.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = formula::read(bytes);
});
