//! The command line as a whole: exit codes, what goes to stdout and stderr, and what is left behind.
//!
//! Most of it stands in `tests/commands`, as commands with their output. Here is what needs more than a shell.
//!
//! - `defects`: random games that have no value.
//! - `evaluate`: the conversation of the documentation.
//! - `help`: the examples of `--help` run.
//! - `limits`: time, memory, Ctrl-C, and what the system gives.
//! - `questions`: all that options can put about random games, against the definition.
//! - `reference`: what holds for all commands and options.
//! - `table`, `table_interrupted`: tables asked at random positions, and builds that are killed.

mod defects;
mod evaluate;
mod help;
mod limits;
mod questions;
mod reference;
mod table;
mod table_interrupted;

use crate::common::{bad_manners, files_below, send_signal};
use num_bigint::BigInt;
use num_rational::BigRational;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How late a command may end after its limit or a signal: it takes a second at most on an idle machine, ten times that on a busy or slow one, and
/// minutes if it does not hear of it.
const LATE: Duration = Duration::from_secs(20);

/// A folder for one test, where its commands run.
struct Place(TempDir);

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Self {
        Place(TempDir::new().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a file in a temporary folder");
    }

    /// The command, with arguments separated by blanks.
    fn command(&self, arguments: &str) -> Command {
        self.command_with(arguments.split_whitespace())
    }

    fn command_with<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sqasp"));
        command.args(arguments).current_dir(self.0.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &str) -> Ended {
        end(&mut self.command(arguments))
    }

    /// Sends a signal to a command some time after it listens; how it ends, and how long after the signal.
    fn signalled(&self, arguments: &str, signal: &str, after: Duration) -> (Ended, Duration) {
        let child = self.command(arguments).spawn();
        let child = child.expect("the command starts");
        wait_until_it_listens(child.id());
        sleep(after);
        let sent = Instant::now();
        send_signal(child.id(), signal);
        let ended = Ended::new(child.wait_with_output().expect("it ends"));
        let late = sent.elapsed();
        eprintln!("{signal} {after:?} {arguments}: {late:?} late");
        ended.check_manners(arguments);
        (ended, late)
    }

    /// Every file and folder here.
    fn files(&self) -> BTreeSet<String> {
        let name = |path: PathBuf| {
            let name = path.strip_prefix(self.0.path()).expect("inside the folder");
            name.display().to_string()
        };
        files_below(self.0.path()).into_iter().map(name).collect()
    }

    /// Runs what must be refused: this exit code, a message with this fragment, and nothing else.
    fn refuses(&self, arguments: &str, code: i32, fragment: &str) {
        let before = self.files();
        let ended = self.run(arguments);
        ended.check_refusal(arguments, code, fragment);
        assert_eq!(before, self.files(), "{arguments}");
    }

    /// Runs what must succeed, and gives what it printed.
    fn answers(&self, arguments: &str) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(0), "{arguments}: {ended:?}");
        ended.check_manners(arguments);
        ended.out
    }
}

/// Runs a command to its end.
fn end(command: &mut Command) -> Ended {
    Ended::new(command.output().expect("the command starts"))
}

impl Ended {
    fn new(output: std::process::Output) -> Self {
        Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("output is text"),
            err: String::from_utf8(output.stderr).expect("messages are text"),
        }
    }

    /// Nothing that only the authors of sqasp could understand.
    fn check_manners(&self, arguments: &str) {
        assert_eq!(bad_manners(&self.err), None, "{arguments}: {}", self.err);
    }

    fn check_refusal(&self, arguments: &str, code: i32, fragment: &str) {
        assert_eq!(self.code, Some(code), "{arguments}: {self:?}");
        assert_eq!(self.out, "", "{arguments}: {}", self.err);
        assert!(self.err.contains(fragment), "{arguments}: {}", self.err);
        self.check_manners(arguments);
    }
}

/// A fraction of JSON output.
fn fraction(value: &Value) -> Option<BigRational> {
    let part = |name: &str| value[name].as_str()?.parse::<BigInt>().ok();
    Some(BigRational::new(part("num")?, part("den")?))
}

/// Waits until the process handles SIGINT (signal 2), as far as the system tells.
fn wait_until_it_listens(process: u32) {
    let path = format!("/proc/{process}/status");
    for _ in 0..500 {
        let Ok(status) = std::fs::read_to_string(&path) else {
            break;
        };
        let caught = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if caught.is_some_and(|mask| mask & (1 << (2 - 1)) != 0) {
            return;
        }
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(500));
}

/// A game of the folder `games`, as an argument.
fn game(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("games")
        .join(name);
    assert!(path.is_file(), "{}", path.display());
    path.to_str().expect("a path without blanks").to_owned()
}
