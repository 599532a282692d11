//! `table build` by several processes: here (`--workers`), or on the machines of a cluster (`--hosts`).
//!
//! With `--workers` the command is process 0 and starts the others: itself, with `--hosts` and `--process`. If one is lost, all end, because
//! each notices.

use crate::Budget;
use crate::cli::args::{ThreadArguments, TogetherArguments};
use crate::cli::{Exit, Failure};
use crate::game::Game;
use crate::table::{
    DiskTable, DiskTableError, Manifest, TableFailure, TableProgress, TableQuestion, build_among,
};
use cluster::{Hosts, connect};
use std::fs;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread::available_parallelism;
use tempfile::NamedTempFile;

/// The processes that build a table together, as one of them sees it.
pub(super) struct Together {
    hosts: Hosts,
    /// On this machine, if all are.
    started: Option<Started>,
}

/// Processes that were started here.
struct Started {
    count: usize,
    /// Named in the commands of the others.
    hosts: NamedTempFile,
}

impl Together {
    /// What the arguments say; nothing if one process is to do all.
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
        let made = free_addresses(count).and_then(|addresses| {
            let mut hosts = NamedTempFile::new()?;
            hosts.write_all((addresses.join("\n") + "\n").as_bytes())?;
            Ok((addresses, hosts))
        });
        let (addresses, hosts) = made.map_err(|error| {
            let message = format!("cannot prepare processes on this machine: {error}");
            Failure::new(Exit::Unwritable, message)
        })?;
        let process = 0;
        Ok(Some(Together {
            hosts: Hosts { addresses, process },
            started: Some(Started { count, hosts }),
        }))
    }

    /// This process's share of what may be used.
    pub(super) fn share(&self, budget: Budget) -> Budget {
        let processes = self.started.as_ref().map_or(1, |started| started.count);
        Budget {
            memory: budget.memory.map(|memory| memory / processes as u64),
            ..budget
        }
    }

    /// The number of threads of this process: its share of the cores, if it was not told.
    pub(super) fn threads(&self, arguments: &ThreadArguments) -> usize {
        let processes = self.started.as_ref().map_or(1, |started| started.count);
        let cores = available_parallelism().map_or(1, usize::from);
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
        budget: &Budget,
        threads: usize,
        tell: &mut dyn FnMut(TableProgress),
    ) -> Result<DiskTable, TableFailure> {
        let mut others = match &self.started {
            Some(started) => start(started, budget, threads)?,
            None => Vec::new(),
        };
        let limits = budget.left();
        let connect = |manifest: &Manifest| {
            let mut look = || match others.iter_mut().find_map(ended) {
                None => Ok(()),
                Some(how) => Err(DiskTableError::Network(format!(
                    "a process on this machine ended at once: {how}"
                ))),
            };
            connect(&self.hosts, manifest.digest(), &limits, &mut look)
        };
        let built = build_among(game, asked, folder, connect, budget, threads, tell);
        let table = built.map(|(table, cluster)| {
            cluster.end();
            table
        });
        for mut other in others {
            // They end when the work is done, or when they have lost this process. Before they are connected they would wait.
            if table.is_err() {
                let _ = other.kill();
            }
            let _ = other.wait();
        }
        table
    }
}

/// How a process has ended, if it has.
fn ended(process: &mut Child) -> Option<ExitStatus> {
    process.try_wait().ok().flatten()
}

/// The lines of a file of hosts.
fn read_hosts(file: &Path) -> Result<Vec<String>, Failure> {
    let text = fs::read_to_string(file).map_err(|error| {
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

/// Starts the other processes: this command, with other options.
fn start(started: &Started, budget: &Budget, threads: usize) -> Result<Vec<Child>, DiskTableError> {
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
    // Said last, so that they count.
    let memory = budget.memory.map(|memory| format!("--memory={memory}"));
    let start = |process: usize| {
        let mut command = Command::new(&program);
        command.args(&arguments);
        command.arg("--hosts").arg(started.hosts.path());
        command.arg(format!("--process={process}"));
        command.arg(format!("--threads={threads}"));
        command.args(memory.iter()).arg("--quiet");
        command.spawn().map_err(failed)
    };
    (1..started.count).map(start).collect()
}
