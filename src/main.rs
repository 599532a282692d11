//! The `sqasp` command.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: sqasp::cli::Allocator = sqasp::cli::Allocator;

fn main() -> ExitCode {
    sqasp::cli::run()
}
