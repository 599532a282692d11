//! All tests across modules as one program, so that it is linked once. `cargo test --release --test all games::` runs
//! those of one file.

mod cli;
#[cfg(target_os = "linux")]
mod commands;
mod common;
mod conformance_play;
mod decision_trees;
mod encodings;
mod evaluate;
mod explore;
mod export;
mod games;
mod ggp_collection;
mod golden;
mod lenient;
mod library;
mod matches;
mod mixed_tables;
mod oracle;
mod plan;
mod plan_programs;
mod play_checks;
mod play_oracle;
mod prove;
mod state;
mod statistics;
mod step;
mod strategies;
mod tables;
mod tidy;
mod transcripts;
mod validity;
