//! Models in UMB files.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = umb::Model::read(bytes);
});
