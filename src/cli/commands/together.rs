//! `table build` by several processes, on the machines of a cluster (`--hosts`).

use crate::cli::args::TogetherArguments;
use crate::cli::{Exit, Failure};
use cluster::{Hosts, connect};
use engines::table::{
    DiskTable, Manifest, TableFailure, TableProgress, TableQuestion, build_among,
};
use gdl::game::Game;
use limits::Limits;
use std::fs;
use std::path::Path;

/// The processes that the arguments name; none if this one is to do all.
pub(super) fn hosts(arguments: &TogetherArguments) -> Result<Option<Hosts>, Failure> {
    let (Some(file), Some(process)) = (&arguments.hosts, arguments.process) else {
        return Ok(None);
    };
    let addresses = read_hosts(file)?;
    Ok(Some(Hosts { addresses, process }))
}

/// Builds a table as one of several processes.
pub(super) fn build(
    hosts: &Hosts,
    game: &Game,
    asked: &TableQuestion<'_>,
    folder: &Path,
    limits: &Limits,
    threads: usize,
    tell: &mut dyn FnMut(TableProgress),
) -> Result<DiskTable, TableFailure> {
    let rest = limits.for_engine();
    let connect = |manifest: &Manifest| connect(hosts, manifest.digest(), &rest);
    let (table, cluster) = build_among(game, asked, folder, connect, limits, threads, tell)?;
    cluster.end();
    Ok(table)
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
