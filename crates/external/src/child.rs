//! Runs a child process within limits and kills all of it when they are reached.
//!
//! The child leads a process group of its own, so that one signal reaches everything it started
//! (many solvers are scripts around other programs). Its output is drained by threads, since a
//! full pipe would block it. That it has ended is noticed without collecting it, because its
//! number, which is the group's, stays reserved until then: the group can be killed without
//! fear of hitting a stranger. So nothing the child started survives it, whatever happens.
//!
//! Memory is limited by the shell's `ulimit`, which needs neither unsafe code between fork and
//! exec nor a further program. The limit holds for each process of the group.

use formula::{Answer, Outcome, SolverError};
use limits::{Limits, Progress, StopReason};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The bytes that are kept of each output of a child. A program with a mistake may print without end.
const MAX_OUTPUT: usize = 64 << 20;

/// The time to wait for the end of the output of a child that has ended. It comes at once, unless
/// a descendant left the process group and still holds the pipe.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// How often progress is reported.
const REPORT: Duration = Duration::from_millis(250);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RunEnd {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that we did not send.
    Killed(i32),
    /// By us, because of a limit.
    Stopped(StopReason),
}

/// A finished run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) ended: RunEnd,
    /// The output of the program.
    pub(crate) output: String,
    /// The error output of the program.
    pub(crate) errors: String,
}

/// Runs a program in a directory until it ends or a limit is reached. The time counts from
/// `start`, since writing the input belongs to it.
pub(crate) fn run(
    program: &Path,
    arguments: &[OsString],
    directory: &Path,
    limits: &Limits,
    start: Instant,
) -> io::Result<Run> {
    if let Some(reason) = limits.interrupt.raised() {
        return Ok(Run {
            ended: RunEnd::Stopped(reason),
            output: String::new(),
            errors: String::new(),
        });
    }
    let mut command = command(program, directory, limits);
    command.args(arguments).stdin(Stdio::null());
    let mut group = Group::default();
    let child = group.spawn(command.stdout(Stdio::piped()))?;
    let output = Drained::start(child.stdout.take());
    let errors = Drained::start(child.stderr.take());

    let stopped = group.wait(limits, start)?;
    let status = group.collect()?.remove(0);
    Ok(Run {
        ended: RunEnd::new(stopped, status),
        output: output.collect(),
        errors: errors.collect(),
    })
}

/// The answer of a solver that reads a formula from a file with this name, its last argument. `write` writes the formula, and `interpret`
/// reads the output of a solver that ended by itself.
pub(crate) fn solve(
    program: &Path,
    mut arguments: Vec<OsString>,
    name: &str,
    limits: &Limits,
    write: impl FnOnce(File) -> Result<(), SolverError>,
    interpret: impl FnOnce(&Run) -> Result<Outcome, SolverError>,
) -> Result<Answer, SolverError> {
    let start = Instant::now();
    let directory = tempfile::tempdir()?;
    let file = directory.path().join(name);
    write(File::create(&file)?)?;
    arguments.push(file.into_os_string());
    let run = run(program, &arguments, directory.path(), limits, start)?;
    let outcome = match run.stop_reason(limits) {
        Some(reason) => Outcome::unknown(reason),
        None => interpret(&run)?,
    };
    Ok(Answer {
        outcome,
        statistics: vec![("milliseconds", start.elapsed().as_millis() as u64)],
    })
}

/// Runs programs side by side in a directory, each reading what the one before it prints, until
/// all have ended or a limit is reached. The first reads a file, the last writes one; what they
/// print as errors comes back, what they print otherwise does not.
pub(crate) fn run_pipeline(
    programs: &[PathBuf],
    directory: &Path,
    input: File,
    output: File,
    limits: &Limits,
    start: Instant,
) -> io::Result<Vec<Run>> {
    let mut group = Group::default();
    let mut errors = Vec::new();
    let mut input = Stdio::from(input);
    let mut output = Some(output);
    for (index, program) in programs.iter().enumerate() {
        let is_last = index + 1 == programs.len();
        let mut command = command(program, directory, limits);
        command.stdin(input);
        let child = match output.take_if(|_| is_last) {
            Some(output) => group.spawn(command.stdout(output))?,
            None => group.spawn(command.stdout(Stdio::piped()))?,
        };
        errors.push(Drained::start(child.stderr.take()));
        // The command keeps our end of the input open until it goes, here.
        input = child.stdout.take().map_or_else(Stdio::null, Stdio::from);
    }
    drop(input);
    let stopped = group.wait(limits, start)?;
    let statuses = group.collect()?;
    let runs = statuses.into_iter().zip(errors);
    Ok(runs
        .map(|(status, errors)| Run {
            ended: RunEnd::new(stopped, status),
            output: String::new(),
            errors: errors.collect(),
        })
        .collect())
}

/// A program that is going to run in a directory, with the limit on memory.
fn command(program: &Path, directory: &Path, limits: &Limits) -> Command {
    let mut command = match limits.memory {
        None => Command::new(program),
        Some(bytes) => {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", r#"ulimit -v "$0" && exec "$@""#]);
            command.arg((bytes / 1024).to_string()).arg(program);
            command
        }
    };
    command.current_dir(directory).stderr(Stdio::piped());
    command
}

impl RunEnd {
    fn new(stopped: Option<StopReason>, status: ExitStatus) -> Self {
        match (stopped, status.code(), status.signal()) {
            (Some(reason), _, _) => RunEnd::Stopped(reason),
            (None, Some(code), _) => RunEnd::Exited(code),
            (None, None, signal) => RunEnd::Killed(signal.unwrap_or(0)),
        }
    }
}

/// Children in a process group of their own, which the first one leads; all go when this goes.
#[derive(Default)]
struct Group {
    /// Not collected as long as they are here, so that the group's number stays reserved.
    children: Vec<Child>,
}

impl Group {
    /// Starts one more child in the group.
    fn spawn(&mut self, command: &mut Command) -> io::Result<&mut Child> {
        // 0 makes a new group.
        let group = self.children.first().map_or(0, |leader| leader.id() as i32);
        let child = command.process_group(group).spawn()?;
        self.children.push(child);
        Ok(self.children.last_mut().expect("it was just added"))
    }

    /// Waits until all children have ended or a limit is reached. They stay uncollected.
    fn wait(&self, limits: &Limits, start: Instant) -> io::Result<Option<StopReason>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let mut running = self.children.iter();
        let mut child = running.next();
        let mut reported = start;
        let mut pause = Duration::from_micros(200);
        while let Some(waited_for) = child {
            if waitid(WaitId::Pid(Pid::from_child(waited_for)), options)?.is_some() {
                child = running.next();
                continue;
            }
            if let Some(reason) = limits.interrupt.raised() {
                return Ok(Some(reason));
            }
            let rest = limits.time_left();
            if rest == Some(Duration::ZERO) {
                return Ok(Some(StopReason::Time));
            }
            if let Some(progress) = &limits.progress
                && reported.elapsed() >= REPORT
            {
                reported = Instant::now();
                progress(&Progress {
                    phase: "waiting for an outside program",
                    ..Progress::default()
                });
            }
            thread::sleep(pause.min(rest.unwrap_or(pause)));
            // Short runs are not delayed, long ones cost nothing to watch.
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        Ok(None)
    }

    /// Kills every process of the group. An error means that none is left.
    fn kill(&self) {
        if let Some(leader) = self.children.first() {
            let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
        }
    }

    /// Kills what is left and tells how each child ended.
    fn collect(&mut self) -> io::Result<Vec<ExitStatus>> {
        self.kill();
        self.children
            .drain(..)
            .map(|mut child| child.wait())
            .collect()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Nothing to do after an orderly end: then there are no children left here.
        let _ = self.collect();
    }
}

/// A pipe that a thread reads to its end.
struct Drained {
    kept: Arc<Mutex<Vec<u8>>>,
    has_ended: Receiver<()>,
}

impl Drained {
    fn start(pipe: Option<impl Read + Send + 'static>) -> Self {
        let (end, has_ended) = channel();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&kept);
        let drain = move || {
            let mut buffer = [0; 1 << 13];
            if let Some(mut pipe) = pipe {
                while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                    let mut kept = shared.lock().expect("no thread panics with this lock");
                    let room = MAX_OUTPUT - kept.len();
                    kept.extend_from_slice(&buffer[..count.min(room)]);
                }
            }
            // The receiver may be gone.
            let _ = end.send(());
        };
        // Where the system has no room for a thread, nothing is kept of what a program says.
        let _ = thread::Builder::new().spawn(drain);
        Drained { kept, has_ended }
    }

    /// The output up to its end, or up to the end of the wait.
    fn collect(&self) -> String {
        let _ = self.has_ended.recv_timeout(LAST_OUTPUT);
        let bytes = self.kept.lock().expect("no thread panics with this lock");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Run {
    /// The limit that ended the run, if one did. A program that fails for lack of memory says so
    /// in its own way; with a limit on memory such words are taken for its doing.
    pub(crate) fn stop_reason(&self, limits: &Limits) -> Option<StopReason> {
        match self.ended {
            RunEnd::Stopped(reason) => Some(reason),
            RunEnd::Exited(0 | 10 | 20) => None,
            _ => {
                let words = ["memory", "bad_alloc", "failed to map segment"];
                let text = self.errors.to_lowercase() + &self.output.to_lowercase();
                let complains = words.iter().any(|word| text.contains(word));
                (limits.memory.is_some() && complains).then_some(StopReason::Memory)
            }
        }
    }

    /// How the run ended, for people.
    pub(crate) fn how_it_ended(&self) -> String {
        match self.ended {
            RunEnd::Exited(code) => format!("it ended with exit code {code}"),
            RunEnd::Killed(9) => {
                "it was killed (signal 9), which the system does when memory runs out".to_owned()
            }
            RunEnd::Killed(signal) => format!("it was killed by signal {signal}"),
            RunEnd::Stopped(_) => "it was stopped".to_owned(),
        }
    }

    /// The reason why there is no answer: it was killed, it said nothing, or it said something else.
    pub(crate) fn no_answer(&self, wanted: &str) -> String {
        let ended = self.how_it_ended();
        let text = if self.errors.trim().is_empty() {
            &self.output
        } else {
            &self.errors
        };
        let lines: Vec<&str> = text.trim().lines().rev().take(5).collect();
        if lines.is_empty() {
            return format!("{ended} and printed nothing at all");
        }
        let lines: Vec<String> = lines
            .into_iter()
            .rev()
            .map(|line| line.chars().take(200).collect())
            .collect();
        let lines = lines.join("\n  ");
        format!("{ended} without a {wanted}; the last it printed is\n  {lines}")
    }
}
