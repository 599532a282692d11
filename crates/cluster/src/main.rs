//! `sqasp-cluster`: one of several processes that finish a table on disk together.
//!
//! `sqasp table build` begins the table, and its folder says which game and question it is about. All processes see the folder and read
//! one file of hosts; process `i` listens at line `i`. Process 0 prints the size of the table.

use clap::Parser;
use engines::table::finish_among;
use limits::Limits;
use sqasp_cluster::{Hosts, connect};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Finish a table that `sqasp table build` began, as one of several processes that see its folder.
#[derive(Parser)]
#[command(name = "sqasp-cluster", version)]
struct Arguments {
    /// The folder of the table.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A file with a line `host:port` for each process.
    #[arg(long, value_name = "FILE")]
    hosts: PathBuf,
    /// The line of this process among the hosts, from 0 on.
    #[arg(long, value_name = "I")]
    process: usize,
    /// The number of threads.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// The memory that this process may use, in megabytes.
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
}

fn main() -> ExitCode {
    match finish(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sqasp-cluster: {error}");
            ExitCode::FAILURE
        }
    }
}

fn finish(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let hosts = Hosts {
        addresses: read_hosts(&arguments.hosts)?,
        process: arguments.process,
    };
    let limits = Limits {
        memory: arguments.memory.map(|megabytes| megabytes * 1_000_000),
        ..Limits::default()
    };
    let (table, cluster) = finish_among(
        &arguments.folder,
        |manifest| connect(&hosts, manifest.digest(), &limits),
        &limits,
        arguments.threads.max(1),
        &mut |_| {},
    )?;
    if arguments.process == 0 {
        println!(
            "{} states in {} layers; process 0 sent {} bytes",
            table.states(),
            table.layers().len(),
            cluster.bytes_sent()
        );
    }
    cluster.end();
    Ok(())
}

/// The addresses in a file of hosts: a line each, without empty lines and comments.
fn read_hosts(file: &Path) -> Result<Vec<String>, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| format!("{name}: cannot read: {error}"))?;
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let addresses: Vec<String> = lines.map(str::to_owned).collect();
    match addresses.iter().find(|address| !address.contains(':')) {
        None => Ok(addresses),
        Some(wrong) => Err(format!(
            "{name}: `{wrong}` has no port; a line is `host:port`, such as `node1:4500`"
        )),
    }
}
