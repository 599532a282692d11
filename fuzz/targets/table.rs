//! The first two files of a table on disk. Seals keep most inputs from what is behind them; `solvers/layers/tests` damages whole tables.

#![no_main]

use std::fs;

libfuzzer_sys::fuzz_target!(|files: (&[u8], &[u8])| {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("table.json"), files.0).expect("it is written");
    fs::write(folder.path().join("layers.json"), files.1).expect("it is written");
    let _ = layers::DiskTable::open(folder.path());
});
