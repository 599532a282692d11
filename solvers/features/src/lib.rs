//! One set of features of each package from outside, for all builds. There is no code here.
//!
//! Cargo compiles a package once for each set of features that a build asks for, and then all that depends on it once more. The program, the
//! tests, the Python package, `sqasp-cluster` and `cargo test -p CRATE` would ask for five sets. This crate asks for all that any of them needs,
//! and the two lowest crates depend on it, so each build finds what another one has compiled. `tests/tidy/features.rs` names what is missing here.
