//! Lines as they come in, read ahead by a thread of its own, so that a `stop` is seen while an earlier
//! request is being answered.

use super::protocol::{Command, LONGEST_LINE, Request};
use super::stops::Stops;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The number of lines that are read ahead. More would take memory.
const READ_AHEAD: usize = 32;

/// A line of the input.
pub(super) enum Line {
    /// Its bytes.
    Whole(Vec<u8>),
    /// It was longer than [`LONGEST_LINE`], and passed over.
    TooLong,
    /// Reading failed; nothing follows.
    Failed(io::Error),
}

/// The lines of an input with their numbers, from 1, those of blanks left out. The end of the channel
/// is that of the input, or comes after a `quit`.
///
/// # Errors
/// When there can be no thread.
pub(super) fn read_ahead(
    reader: impl BufRead + Send + 'static,
    stops: Stops,
) -> io::Result<Receiver<(u64, Line)>> {
    let (to, lines) = sync_channel(READ_AHEAD);
    let read = move || read_lines(reader, &stops, &to);
    thread::Builder::new().spawn(read)?;
    Ok(lines)
}

fn read_lines(mut reader: impl BufRead, stops: &Stops, to: &SyncSender<(u64, Line)>) {
    let mut number = 0;
    loop {
        let line = match read_line(&mut reader) {
            Ok(None) => return,
            Ok(Some(line)) => line,
            Err(error) => Line::Failed(error),
        };
        let mut is_last = matches!(line, Line::Failed(_));
        number += 1;
        if let Line::Whole(bytes) = &line {
            if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match bare_command(bytes) {
                Some(Command::Stop) => stops.stop_before(number),
                Some(Command::Quit) => is_last = true,
                _ => {}
            }
        }
        // The reader of the lines may be gone.
        if to.send((number, line)).is_err() || is_last {
            return;
        }
    }
}

/// The command of a line that has nothing beside it but an `id`. Lines of positions are long, and need
/// not be read twice.
fn bare_command(line: &[u8]) -> Option<Command> {
    const LONGEST: usize = 200;
    if line.len() > LONGEST {
        return None;
    }
    let request: Request = serde_json::from_slice(line).ok()?;
    request.is_bare().then_some(request.command?)
}

/// The next line; none at the end.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    // One byte more than allowed, and the end of the line.
    let most = LONGEST_LINE as u64 + 2;
    if reader.take(most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let ends = line.last() == Some(&b'\n');
    if line.len() - usize::from(ends) <= LONGEST_LINE {
        return Ok(Some(Line::Whole(line)));
    }
    if !ends {
        skip_line(reader)?;
    }
    Ok(Some(Line::TooLong))
}

/// Passes over the rest of a line without keeping it.
fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let available = reader.fill_buf()?;
        let (used, found) = match available.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (available.len(), available.is_empty()),
        };
        reader.consume(used);
        if found {
            return Ok(());
        }
    }
}
