//! Reading from and writing to what may block for ever: pipes, devices, terminals.
//!
//! No call of the system for that can be asked to stop. So another thread makes the calls, and this one
//! waits for it no longer than the command may take. Where the system has no room for another thread,
//! this one makes the calls, and only a signal ends them.

use crate::Budget;
use limits::StopReason;
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that are handed over together.
const PIECE: usize = 1 << 18;
/// Pieces that wait to be taken, at most.
const QUEUE: usize = 4;
/// How often is looked whether to wait on.
const PERIOD: Duration = Duration::from_millis(5);
/// Somebody who waits at the other end of a pipe is served even when time is up.
const COURTESY: Duration = Duration::from_millis(100);

/// Why something was not read or written.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The system says so.
    Io(io::Error),
    /// There is more than allowed.
    TooLarge,
    /// A limit came first.
    Stopped(StopReason),
}

/// All there is to read, if it is not longer than a limit in bytes.
pub(super) fn read<R: Read>(
    open: impl Fn() -> io::Result<R> + Clone + Send + 'static,
    most: u64,
    budget: &Budget,
) -> Result<Vec<u8>, Trouble> {
    let (sender, pieces) = sync_channel(QUEUE);
    let mine = open.clone();
    let carry = move || {
        let carried = open().and_then(|mut from| carry_in(&mut from, &sender));
        if let Err(error) = carried {
            // The caller may have stopped listening.
            let _ = sender.send(Err(error));
        }
    };
    let mut bytes = Vec::new();
    if thread::Builder::new().spawn(carry).is_err() {
        let mut from = mine().map_err(Trouble::Io)?.take(most + 1);
        from.read_to_end(&mut bytes).map_err(Trouble::Io)?;
        return Ok(bytes);
    }
    loop {
        match pieces.recv_timeout(PERIOD) {
            Ok(Ok(piece)) => bytes.extend_from_slice(&piece),
            Ok(Err(error)) => return Err(Trouble::Io(error)),
            Err(RecvTimeoutError::Disconnected) => return Ok(bytes),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if bytes.len() as u64 > most {
            return Err(Trouble::TooLarge);
        }
        if let Some(reason) = budget.reached() {
            return Err(Trouble::Stopped(reason));
        }
    }
}

/// Hands over what is read, until there is no more or nobody listens.
fn carry_in(from: &mut impl Read, to: &SyncSender<io::Result<Vec<u8>>>) -> io::Result<()> {
    loop {
        let mut piece = vec![0; PIECE];
        match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                piece.truncate(length);
                if to.send(Ok(piece)).is_err() {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Writes to a pipe or a device.
pub(super) fn write(
    path: &Path,
    budget: &Budget,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Trouble> {
    let (to, pieces) = sync_channel(QUEUE);
    let (said, heard) = sync_channel(1);
    let place = path.to_owned();
    let carry = move || {
        let _ = said.send(carry_out(&place, &pieces));
    };
    if thread::Builder::new().spawn(carry).is_err() {
        let write = || {
            let mut file = BufWriter::new(open(path)?);
            content(&mut file)?;
            file.flush()
        };
        return write().map_err(Trouble::Io);
    }
    let mut sink = Sink {
        to,
        budget,
        patient_until: Instant::now() + COURTESY,
        stopped: None,
    };
    let mut buffer = BufWriter::with_capacity(PIECE, &mut sink);
    let given = content(&mut buffer).and_then(|()| buffer.flush());
    // What is left in it was refused already.
    drop(buffer.into_parts());
    let patient_until = sink.patient_until;
    if let Some(reason) = sink.stopped {
        return Err(Trouble::Stopped(reason));
    }
    drop(sink);
    loop {
        match heard.recv_timeout(PERIOD) {
            Ok(Ok(())) => return given.map_err(Trouble::Io),
            Ok(Err(error)) => return Err(Trouble::Io(error)),
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread says how it ended"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(reason) = budget.reached_after(patient_until) {
            return Err(Trouble::Stopped(reason));
        }
    }
}

fn open(path: &Path) -> io::Result<std::fs::File> {
    OpenOptions::new().write(true).open(path)
}

fn carry_out(path: &Path, pieces: &Receiver<Vec<u8>>) -> io::Result<()> {
    let mut file = open(path)?;
    for piece in pieces {
        file.write_all(&piece)?;
    }
    file.flush()
}

/// Where pieces go on their way to the thread that writes.
struct Sink<'a> {
    to: SyncSender<Vec<u8>>,
    budget: &'a Budget,
    patient_until: Instant,
    /// The limit that came first.
    stopped: Option<StopReason>,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut piece = bytes.to_vec();
        loop {
            piece = match self.to.try_send(piece) {
                Ok(()) => return Ok(bytes.len()),
                Err(TrySendError::Full(piece)) => piece,
                // Why, the thread tells.
                Err(TrySendError::Disconnected(_)) => {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
            };
            self.stopped = self.budget.reached_after(self.patient_until);
            if self.stopped.is_some() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            thread::sleep(PERIOD);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
