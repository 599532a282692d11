//! The `sqasp` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    sqasp::cli::run()
}
