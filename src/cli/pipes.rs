//! Reading from and writing to files that may block for ever: pipes, devices, terminals.
//!
//! No call of the system for that can be asked to stop. So another thread makes the calls, and is left alone where they take longer
//! than the command may. Where the system has no room for another thread, this one makes the calls, and only a signal ends them.

use limits::Limits;
use limits::{OwnThread, StopReason};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::mem::replace;
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes that are written together.
const PIECE: usize = 1 << 18;
/// Bytes of stack of the other thread.
const STACK: usize = 1 << 18;
/// A process that waits at the other end of a pipe is served even when time is up.
const COURTESY: Duration = Duration::from_millis(50);

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
    open: impl FnOnce() -> io::Result<R> + Send + 'static,
    most: u64,
    limits: &Limits,
) -> Result<Vec<u8>, Trouble> {
    let read = move || {
        let mut bytes = Vec::new();
        open()?.take(most + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = match OwnThread::start(STACK, || ()) {
        Ok(mut thread) => {
            let bytes = thread.call(|| limits.reached(), move |()| read());
            bytes.map_err(Trouble::Stopped)?
        }
        Err(_) => read(),
    };
    let bytes = bytes.map_err(Trouble::Io)?;
    if bytes.len() as u64 > most {
        return Err(Trouble::TooLarge);
    }
    Ok(bytes)
}

/// Writes to a pipe or a device.
pub(super) fn write(
    path: &Path,
    limits: &Limits,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Trouble> {
    let place = path.to_owned();
    let Ok(thread) = OwnThread::start(STACK, move || open(&place)) else {
        let write = || {
            let mut file = BufWriter::new(open(path)?);
            content(&mut file)?;
            file.flush()
        };
        return write().map_err(Trouble::Io);
    };
    let mut sink = Sink {
        thread,
        limits,
        patient_until: Instant::now() + COURTESY,
        stopped: None,
    };
    let mut buffer = BufWriter::with_capacity(PIECE, &mut sink);
    let written = content(&mut buffer).and_then(|()| buffer.flush());
    // The pipe has already refused the bytes that are left in the buffer.
    drop(buffer.into_parts());
    match sink.stopped {
        Some(reason) => Err(Trouble::Stopped(reason)),
        None => written.map_err(Trouble::Io),
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// A file that another thread opens and writes to.
struct Sink<'a> {
    thread: OwnThread<io::Result<File>>,
    limits: &'a Limits,
    patient_until: Instant,
    /// The limit that came first.
    stopped: Option<StopReason>,
}

impl Sink<'_> {
    fn call(
        &mut self,
        work: impl FnOnce(&mut File) -> io::Result<()> + Send + 'static,
    ) -> io::Result<()> {
        let is_due = |&reason: &StopReason| {
            reason != StopReason::Time || Instant::now() >= self.patient_until
        };
        let stop = || self.limits.reached().filter(is_due);
        let done = self.thread.call(stop, |file| match file {
            Ok(file) => work(file),
            Err(error) => Err(replace(error, io::ErrorKind::Other.into())),
        });
        done.unwrap_or_else(|reason| {
            self.stopped = Some(reason);
            Err(io::ErrorKind::TimedOut.into())
        })
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = bytes.to_vec();
        self.call(move |file| file.write_all(&piece))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.call(File::flush)
    }
}
