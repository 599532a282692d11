//! Connections of each process to each other one.
//!
//! Process i listens where its line of the hosts says, waits for those behind it, and calls those before it. Both ends send their number and
//! their table, so that processes of two builds do not mix.

use crate::dataflow::Cluster;
use crate::hosts::Hosts;
use crate::stream::{Link, Lost};
use layers::DiskTableError;
use limits::Limits;
use rustix::net::sockopt;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::Duration;

/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// The longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The bytes that both ends send first.
const GREETING: &[u8; 8] = b"SQASPNET";

/// Connects this process to all others, which may start later. `table` identifies the table that is built; it must be the same
/// everywhere.
///
/// # Errors
/// If it cannot listen at its address, another process builds something else, or a limit is reached.
pub fn connect(hosts: &Hosts, table: [u8; 32], limits: &Limits) -> Result<Cluster, DiskTableError> {
    let own = hosts.process;
    let Some(address) = hosts.addresses.get(own) else {
        let count = hosts.addresses.len();
        return Err(DiskTableError::Network(format!(
            "there is no process {own}: the hosts are {count}, and processes count from 0"
        )));
    };
    let cannot_listen = |error: io::Error| {
        DiskTableError::Network(format!(
            "process {own} cannot listen at {address}: {error}; its line of the hosts must name this machine and a free port"
        ))
    };
    let listener = TcpListener::bind(address).map_err(cannot_listen)?;
    listener.set_nonblocking(true).map_err(cannot_listen)?;
    let mut links: Vec<Option<TcpStream>> = Vec::new();
    let hello = Hello {
        process: own as u64,
        table,
    };
    for (process, address) in hosts.addresses.iter().enumerate().take(own) {
        links.push(Some(call(process, address, &hello, limits)?));
    }
    links.resize_with(hosts.addresses.len(), || None);
    while links[own + 1..].iter().any(Option::is_none) {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Some((process, stream)) = answer(stream, &hello)?
                    && process > own
                    && let Some(link) = links.get_mut(process)
                {
                    *link = Some(stream);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => pause(limits)?,
            Err(error) => return Err(cannot_listen(error)),
        }
    }
    let lost = Lost::none();
    let links = (links.into_iter().enumerate())
        .map(|(process, stream)| stream.map(|stream| Link::new(stream, process, lost.clone())));
    let built = Cluster::new(links.collect(), hosts, lost, limits.clone());
    built.map_err(|error| DiskTableError::Network(format!("no connection: {error}")))
}

/// Waits a moment, if it is not time to end.
fn pause(limits: &Limits) -> Result<(), DiskTableError> {
    limits.check()?;
    sleep(PAUSE);
    Ok(())
}

/// Calls a process until it answers.
fn call(
    process: usize,
    address: &str,
    hello: &Hello,
    limits: &Limits,
) -> Result<TcpStream, DiskTableError> {
    loop {
        let found = TcpStream::connect(address).and_then(|stream| {
            prepare(&stream)?;
            hello.write(&stream)?;
            let found = Hello::read(&stream)?;
            stream.set_read_timeout(None)?;
            Ok((stream, found))
        });
        match found {
            Ok((stream, found)) if found.process == process as u64 => {
                found.check(hello)?;
                return Ok(stream);
            }
            // It may be another program's port, or not be there yet.
            _ => pause(limits)?,
        }
    }
}

/// Answers a call; nothing if it is not from a process of ours.
fn answer(stream: TcpStream, hello: &Hello) -> Result<Option<(usize, TcpStream)>, DiskTableError> {
    let found = stream.set_nonblocking(false).and_then(|()| {
        prepare(&stream)?;
        let found = Hello::read(&stream)?;
        hello.write(&stream)?;
        stream.set_read_timeout(None)?;
        Ok(found)
    });
    let Ok(found) = found else { return Ok(None) };
    found.check(hello)?;
    let process = usize::try_from(found.process).unwrap_or(usize::MAX);
    Ok(Some((process, stream)))
}

/// Messages go at once, and a machine that fell silent is noticed in about a minute.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, Duration::from_secs(30))?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(10))?;
    sockopt::set_tcp_keepcnt(stream, 3)?;
    Ok(())
}

/// The message in which a process introduces itself.
struct Hello {
    process: u64,
    table: [u8; 32],
}

impl Hello {
    fn write(&self, mut to: &TcpStream) -> io::Result<()> {
        let process = self.process.to_le_bytes();
        to.write_all(&[&GREETING[..], &process, &self.table].concat())
    }

    fn read(mut from: &TcpStream) -> io::Result<Self> {
        let (mut greeting, mut process, mut table) = ([0; 8], [0; 8], [0; 32]);
        from.read_exact(&mut greeting)?;
        if greeting != *GREETING {
            return Err(io::ErrorKind::InvalidData.into());
        }
        from.read_exact(&mut process)?;
        from.read_exact(&mut table)?;
        let process = u64::from_le_bytes(process);
        Ok(Hello { process, table })
    }

    fn check(&self, own: &Hello) -> Result<(), DiskTableError> {
        match self.table == own.table {
            true => Ok(()),
            false => Err(DiskTableError::Network(format!(
                "process {} builds another table, or runs another version: start all with the same game and options",
                self.process
            ))),
        }
    }
}
