//! The command line: the arguments as typed (`args`), their meaning (`request`), and the printed output.
//! The only folder that prints, and the only one that knows exit codes.
//!
//! stdout is for the answer; stderr is for people. Each subcommand is a file under `commands`; it
//! returns an [`Exit`] or a [`Failure`], and `run` turns that into the process's exit code.

mod args;
mod commands;
mod depths;
mod files;
mod malloc;
mod pipes;
pub mod progress;
mod request;
mod run;
mod start;
mod trace;
mod watchdog;

use clap::CommandFactory;
use limits::StopReason;
use std::io::{self, Write as _};
use std::panic::catch_unwind;
use std::process::ExitCode;

/// How a command ended, as an exit code (those of `sysexits` where there is one).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// An exact answer.
    Answered = 0,
    /// The command line makes no sense.
    Usage = 2,
    /// The value is 1, where that has a code of its own (`--format sat`).
    Satisfiable = 10,
    /// The value is 0, where that has a code of its own (`--format sat`).
    Unsatisfiable = 20,
    /// The input is not valid.
    InvalidInput = 65,
    /// A file cannot be read.
    Unreadable = 66,
    /// An outside program is missing, or another process is lost.
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

/// All commands with their options, as tests want them.
pub fn command() -> clap::Command {
    args::Arguments::command()
}

/// Whether a command line, with the name of the program first, makes sense; else the reason.
pub fn check_usage<T: Into<std::ffi::OsString> + Clone>(
    line: impl IntoIterator<Item = T>,
) -> Result<(), clap::Error> {
    args::Arguments::read(line).map(drop)
}

impl Exit {
    /// The code of a run that was stopped.
    fn for_stop(reason: StopReason) -> Self {
        match reason {
            StopReason::Time | StopReason::Memory => Exit::Limit,
            StopReason::Interrupted => Exit::Interrupted,
            StopReason::Precision | StopReason::Ties => Exit::Answered,
        }
    }
}

/// A command that failed, and its message.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
    /// Drawn lines that are told behind the message, as they are.
    drawn: String,
}

impl From<crate::Error> for Failure {
    fn from(error: crate::Error) -> Self {
        use crate::ErrorKind;
        let exit = match error.kind() {
            ErrorKind::Question | ErrorKind::Depth => Exit::Usage,
            ErrorKind::Position | ErrorKind::Game | ErrorKind::Table => Exit::InvalidInput,
            ErrorKind::TooLarge => Exit::Limit,
            ErrorKind::Stopped(reason) => Exit::for_stop(reason),
            ErrorKind::Missing => Exit::ProgramMissing,
            _ => Exit::Internal,
        };
        let hint = match (error.remedy(), error.kind()) {
            (Some(remedy), _) => format!("; {}", option_for(remedy)),
            (None, ErrorKind::Depth) => " (--depth)".to_owned(),
            (None, _) => String::new(),
        };
        Failure::new(exit, format!("{error}{hint}"))
    }
}

/// The way out of an error, by the options of the command.
fn option_for(remedy: crate::Remedy) -> String {
    use crate::Remedy;
    match remedy {
        Remedy::Engine(name) => format!("use --engine {name}"),
        Remedy::Rules => "with --engine rules the rules are evaluated".to_owned(),
        Remedy::Depth => "say with --depth how many steps count".to_owned(),
        Remedy::DepthOrTime => {
            "say with --depth how many steps count, or with --time how long to look for bounds"
                .to_owned()
        }
        Remedy::MoreStates => {
            "allow more with --max-states, or count fewer steps with --depth".to_owned()
        }
        other => other.to_string(),
    }
}

impl Failure {
    /// A failure with this message.
    fn new(exit: Exit, message: impl ToString) -> Self {
        Failure {
            exit,
            message: message.to_string(),
            drawn: String::new(),
        }
    }

    /// The failure with drawn lines behind its message, which may have colours.
    fn with_drawn(self, drawn: String) -> Self {
        Failure { drawn, ..self }
    }

    /// Says what is wrong, and gives the exit code.
    fn tell(&self) -> Exit {
        files::tell(&format!("sqasp: {}", self.message.trim_end()));
        files::tell_drawn(self.drawn.trim_end());
        self.exit
    }
}

/// Says what is wrong with a command line, or the help that it asks for.
fn tell_usage(said: &clap::Error) -> Exit {
    let printed = said.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if !said.use_stderr() && error.kind() != std::io::ErrorKind::BrokenPipe => {
            files::unprintable(&error).tell()
        }
        _ if said.use_stderr() => Exit::Usage,
        _ => Exit::Answered,
    }
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    ExitCode::from(run_with(std::env::args_os()) as u8)
}

/// Runs a command line, with the name of the program first. Gives the exit code, or ends the process if a thread was left alone.
pub fn run_with<T: Into<std::ffi::OsString> + Clone>(
    arguments: impl IntoIterator<Item = T>,
) -> i32 {
    let arguments = match args::Arguments::read(arguments) {
        Ok(arguments) => arguments,
        Err(said) => return tell_usage(&said) as i32,
    };
    // Nothing outlives a panic here, so nothing can be seen in a broken state.
    let outcome = catch_unwind(std::panic::AssertUnwindSafe(|| commands::run(arguments)));
    let exit = match outcome {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => failure.tell(),
        Err(_) => {
            files::tell(
                "sqasp: this is a mistake in sqasp itself; please report it with the lines above, \
                 the command and its input",
            );
            Exit::Internal
        }
    };
    if limits::is_thread_left() {
        // The thread may be in code of clingo, whose tables the usual way out destroys.
        let _ = io::stdout().flush();
        signal_hook::low_level::exit(exit as i32);
    }
    exit as i32
}
