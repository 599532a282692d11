//! The command line: what was typed (`args`), what it means (`request`), and what is printed.
//! The only folder that prints, and the only one that knows exit codes.
//!
//! stdout is for the answer; stderr is for people. Each subcommand is a file under `commands`; it
//! returns an [`Exit`] or a [`Failure`], and [`run`] turns that into the process's exit code.

mod args;
mod commands;
mod files;
mod json;
mod memory;
mod output;
mod report;
mod request;
mod watch;

use clap::Parser;
use std::process::ExitCode;

/// How a command ended, as an exit code (those of `sysexits` where there is one).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// An exact answer.
    Answered = 0,
    /// The command line makes no sense.
    Usage = 2,
    /// The input is not valid.
    InvalidInput = 65,
    /// A file cannot be read.
    Unreadable = 66,
    /// An outside program is missing.
    ProgramMissing = 69,
    /// Something went wrong inside.
    Internal = 70,
    /// A file cannot be written.
    Unwritable = 73,
    /// A limit was reached; bounds were printed.
    Limit = 75,
    /// Interrupted; bounds were printed.
    Interrupted = 130,
}

/// A command that failed, and what to tell the person who ran it.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    /// A failure with this message.
    fn new(exit: Exit, message: impl ToString) -> Self {
        Failure {
            exit,
            message: message.to_string(),
        }
    }
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let arguments = args::Arguments::parse();
    let exit = match commands::run(arguments) {
        Ok(exit) => exit,
        Err(failure) => {
            let message = failure.message.trim_end();
            // Drawn diagnostics bring their own heading.
            let heading = if message.starts_with("Error") {
                ""
            } else {
                "sqasp: "
            };
            eprintln!("{heading}{message}");
            failure.exit
        }
    };
    ExitCode::from(exit as u8)
}
