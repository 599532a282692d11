//! A connection to another process, which counts the bytes sent and remembers when it broke.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use timely::communication::allocator::zero_copy::stream::Stream;

/// The process that was lost first.
#[derive(Clone)]
pub struct Lost(Arc<AtomicUsize>);

const NONE: usize = usize::MAX;

impl Lost {
    /// None is lost.
    pub fn none() -> Self {
        Lost(Arc::new(AtomicUsize::new(NONE)))
    }

    /// The index of the process that is lost, if one is.
    pub fn which(&self) -> Option<usize> {
        Some(self.0.load(Ordering::SeqCst)).filter(|process| *process != NONE)
    }

    /// Notes one; the first one counts.
    fn note(&self, process: usize) {
        let (old, order) = (NONE, Ordering::SeqCst);
        let _ = self.0.compare_exchange(old, process, order, order);
    }
}

/// A connection to a process.
pub struct Link {
    stream: TcpStream,
    process: usize,
    lost: Lost,
    sent: Arc<AtomicU64>,
}

impl Link {
    /// A connection whose end is noted.
    pub fn new(stream: TcpStream, process: usize, lost: Lost) -> Self {
        Link {
            stream,
            process,
            lost,
            sent: Arc::default(),
        }
    }

    /// The bytes sent so far by this connection and its clones.
    pub fn bytes_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer);
        if !matches!(read, Ok(1..)) {
            self.lost.note(self.process);
        }
        read
    }
}

impl Write for Link {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(buffer);
        match &written {
            Ok(bytes) => {
                self.sent.fetch_add(*bytes as u64, Ordering::Relaxed);
            }
            Err(_) => self.lost.note(self.process),
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        let stream = self.stream.try_clone()?;
        Ok(Link {
            stream,
            process: self.process,
            lost: self.lost.clone(),
            sent: self.sent.clone(),
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.stream.shutdown(how)
    }
}
