//! Tables that wait in a temporary file until their size is known.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// The bytes that are gathered before they go to the file.
const BUFFER: usize = 1 << 18;

/// A temporary file without a name, which is written and then read once.
#[derive(Debug)]
pub struct Spool {
    file: BufWriter<File>,
    bytes: u64,
}

impl Spool {
    /// An empty one.
    pub fn new() -> io::Result<Self> {
        Ok(Spool {
            file: BufWriter::with_capacity(BUFFER, tempfile::tempfile()?),
            bytes: 0,
        })
    }

    /// The number of bytes in it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its bytes, from the first one on.
    pub fn into_reader(self) -> io::Result<impl Read> {
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }

    /// Copies all bytes.
    pub fn copy_to(self, to: &mut dyn Write) -> io::Result<()> {
        io::copy(&mut self.into_reader()?, to).map(drop)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
