//! `table build` by several processes: here (`--workers`), or on the machines of a cluster (`--hosts`).
//!
//! With `--workers` the command is process 0 and starts the others: itself, with `--hosts -` and `--process`. They read the hosts from their
//! standard input, which stays open as long as process 0 lives: so none outlives it, however it ends. If another one is lost, all end,
//! because each notices.

use super::load::is_standard_input;
use crate::cli::args::{ThreadArguments, TogetherArguments};
use crate::cli::{Exit, Failure};
use cluster::{Hosts, connect};
use engines::table::{
    DiskTable, DiskTableError, Manifest, TableFailure, TableProgress, TableQuestion, build_among,
};
use gdl::game::Game;
use limits::Limits;
use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;

/// The processes that build a table together, as one of them sees it.
pub(super) struct Together {
    hosts: Hosts,
    /// How many are on this machine, if this one starts the others.
    started: Option<usize>,
}

/// A process that was started here.
struct Worker {
    process: usize,
    child: Child,
    /// While this is open, it goes on.
    _input: Option<ChildStdin>,
}

impl Together {
    /// The processes that the arguments name; nothing if one process is to do all.
    pub(super) fn of(arguments: &TogetherArguments) -> Result<Option<Self>, Failure> {
        if let (Some(file), Some(process)) = (&arguments.hosts, arguments.process) {
            return Ok(Some(Together {
                hosts: Hosts {
                    addresses: read_hosts(file)?,
                    process,
                },
                started: None,
            }));
        }
        let count = arguments.workers.map_or(1, usize::from);
        if count < 2 {
            return Ok(None);
        }
        let addresses = free_addresses(count).map_err(|error| {
            let message = format!("cannot prepare processes on this machine: {error}");
            Failure::new(Exit::Unwritable, message)
        })?;
        let process = 0;
        Ok(Some(Together {
            hosts: Hosts { addresses, process },
            started: Some(count),
        }))
    }

    /// This process's share of the limits.
    pub(super) fn share(&self, limits: Limits) -> Limits {
        let processes = self.started.unwrap_or(1);
        Limits {
            memory: limits.memory.map(|memory| memory / processes as u64),
            ..limits
        }
    }

    /// The number of threads of this process: its share of the cores, if it was not told.
    pub(super) fn threads(&self, arguments: &ThreadArguments) -> usize {
        let processes = self.started.unwrap_or(1);
        let cores = limits::thread_count(0);
        let share = (cores / processes).max(1);
        arguments.count.map_or(share, usize::from)
    }

    /// Whether this is the process that tells the answer.
    pub(super) fn tells(&self) -> bool {
        self.hosts.process == 0
    }

    /// Builds the table.
    pub(super) fn build(
        &self,
        game: &Game,
        asked: &TableQuestion<'_>,
        folder: &Path,
        limits: &Limits,
        threads: usize,
        tell: &mut dyn FnMut(TableProgress),
    ) -> Result<DiskTable, TableFailure> {
        let mut others = match self.started {
            Some(count) => self.start(count, limits, threads)?,
            None => Vec::new(),
        };
        let of_engine = limits.for_engine();
        let connect = |manifest: &Manifest| {
            let mut look = || match others.iter_mut().find_map(Worker::ended) {
                None => Ok(()),
                Some(index) => Err(DiskTableError::Lost {
                    index,
                    address: self.hosts.addresses[index].clone(),
                }),
            };
            connect(&self.hosts, manifest.digest(), &of_engine, &mut look)
        };
        let built = build_among(game, asked, folder, connect, limits, threads, tell);
        let table = built.map(|(table, cluster)| {
            cluster.end();
            table
        });
        for other in &mut others {
            // They end when the work is done, or when they have lost this process. Before they are connected they would wait.
            if table.is_err() {
                let _ = other.child.kill();
            }
            let _ = other.child.wait();
        }
        table
    }

    /// Starts the other processes: this command, with other options.
    fn start(
        &self,
        count: usize,
        limits: &Limits,
        threads: usize,
    ) -> Result<Vec<Worker>, DiskTableError> {
        let failed = |error: io::Error| {
            DiskTableError::Network(format!("cannot start a process on this machine: {error}"))
        };
        let program = std::env::current_exe().map_err(failed)?;
        let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
        arguments.retain(|argument| !argument.as_encoded_bytes().starts_with(b"--workers="));
        if let Some(place) = arguments
            .iter()
            .position(|argument| argument == "--workers")
        {
            arguments.drain(place..place + 2);
        }
        if arguments.iter().any(|it| it == "-" || it == "--from=-") {
            let message = "standard input can be read once: with --workers, name a file";
            return Err(DiskTableError::Network(message.to_owned()));
        }
        // Said last, so that they count.
        let memory = limits.memory.map(|memory| format!("--memory={memory}"));
        let start = |process: usize| {
            let mut command = Command::new(&program);
            command.args(&arguments);
            command.arg("--hosts=-").arg(format!("--process={process}"));
            command.arg(format!("--threads={threads}"));
            command.args(memory.iter()).arg("--quiet");
            let mut child = command.stdin(Stdio::piped()).spawn().map_err(failed)?;
            let mut input = child.stdin.take();
            let hosts = self.hosts.addresses.join("\n") + END_OF_HOSTS;
            // If it is gone, that is noticed soon.
            let _ = (input.iter_mut()).try_for_each(|input| input.write_all(hosts.as_bytes()));
            Ok(Worker {
                process,
                child,
                _input: input,
            })
        };
        (1..count).map(start).collect()
    }
}

impl Worker {
    /// The process that it was, if it has ended.
    fn ended(&mut self) -> Option<usize> {
        let ended = self.child.try_wait().ok().flatten();
        ended.map(|_| self.process)
    }
}

/// The line behind the hosts on standard input.
const END_OF_HOSTS: &str = "\n\n";

/// The hosts that the process says on standard input that started this one. If that process ends, this one does, at once.
fn told_hosts() -> io::Result<String> {
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(END_OF_HOSTS.as_bytes()) {
        io::stdin().read_exact(&mut byte)?;
        text.extend_from_slice(&byte);
    }
    thread::Builder::new().spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        signal_hook::low_level::exit(Exit::ProgramMissing as i32)
    })?;
    String::from_utf8(text).map_err(io::Error::other)
}

/// The lines of a file of hosts.
fn read_hosts(file: &Path) -> Result<Vec<String>, Failure> {
    let text = if is_standard_input(file) {
        told_hosts()
    } else {
        fs::read_to_string(file)
    };
    let text = text.map_err(|error| {
        let message = format!("{}: cannot read: {error}", file.display());
        Failure::new(Exit::Unreadable, message)
    })?;
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let addresses: Vec<String> = lines.map(str::to_owned).collect();
    match addresses.iter().find(|address| !address.contains(':')) {
        None => Ok(addresses),
        Some(wrong) => {
            let file = file.display();
            let message = format!(
                "{file}: `{wrong}` has no port; a line is `host:port`, such as `node1:4500`"
            );
            Err(Failure::new(Exit::InvalidInput, message))
        }
    }
}

/// Addresses on this machine at which nobody listens.
fn free_addresses(count: usize) -> io::Result<Vec<String>> {
    let listeners = (0..count).map(|_| TcpListener::bind("127.0.0.1:0"));
    let listeners = listeners.collect::<io::Result<Vec<_>>>()?;
    let addresses = listeners.iter().map(TcpListener::local_addr);
    addresses.map(|address| Ok(address?.to_string())).collect()
}
