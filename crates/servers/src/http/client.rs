//! The client: one question, one answer.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The longest answer, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientFailure {
    /// No server listens there, or the connection broke.
    #[error("{address}: {error}")]
    Connection {
        /// The address of the server.
        address: String,
        /// The error of the connection.
        error: io::Error,
    },
    #[error("{address}: no answer in {seconds} s")]
    TooLate {
        /// The address of the server.
        address: String,
        seconds: f64,
    },
    /// The answer is not one of HTTP, or not the status 200.
    #[error("{address}: {message}")]
    Answer {
        /// The address of the server.
        address: String,
        /// The defect of the answer.
        message: String,
    },
}

/// Sends a body to `HOST:PORT` and gives the body of the answer, which must come in time.
pub fn post(
    address: &str,
    headers: &[(&str, &str)],
    body: &str,
    patience: Duration,
) -> Result<String, ClientFailure> {
    let until = Instant::now() + patience;
    let broken = |error: io::Error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => ClientFailure::TooLate {
            address: address.to_owned(),
            seconds: patience.as_secs_f64(),
        },
        _ => ClientFailure::Connection {
            address: address.to_owned(),
            error,
        },
    };
    let wrong = |message: &str| ClientFailure::Answer {
        address: address.to_owned(),
        message: message.to_owned(),
    };
    let left = || {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            Err(io::Error::from(io::ErrorKind::TimedOut))
        } else {
            Ok(left)
        }
    };
    let exchange = || -> io::Result<Vec<u8>> {
        let mut addresses = address.to_socket_addrs()?;
        let first = addresses.next().ok_or(io::ErrorKind::AddrNotAvailable)?;
        let mut stream = TcpStream::connect_timeout(&first, left()?)?;
        stream.set_nodelay(true)?;
        let mut text = format!("POST / HTTP/1.0\r\nHost: {address}\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.set_write_timeout(Some(left()?))?;
        stream.write_all(text.as_bytes())?;
        let mut answer = Vec::new();
        let mut buffer = [0; 4096];
        while answer.len() < MAX_ANSWER && !is_whole(&answer) {
            stream.set_read_timeout(Some(left()?))?;
            match stream.read(&mut buffer)? {
                0 => break,
                count => answer.extend_from_slice(&buffer[..count]),
            }
        }
        Ok(answer)
    };
    let answer = exchange().map_err(broken)?;
    let (status, start, _) = head(&answer).ok_or_else(|| wrong("this is no answer of HTTP"))?;
    if status != 200 {
        return Err(wrong(&format!("the answer has the status {status}")));
    }
    Ok(String::from_utf8_lossy(&answer[start..]).into_owned())
}

/// The status of an answer, where its body starts, and how long that is if it says so.
fn head(answer: &[u8]) -> Option<(u16, usize, Option<usize>)> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut headers);
    let Ok(httparse::Status::Complete(start)) = response.parse(answer) else {
        return None;
    };
    let mut lengths = response.headers.iter();
    let length = lengths.find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length =
        length.and_then(|header| std::str::from_utf8(header.value).ok()?.trim().parse().ok());
    Some((response.code?, start, length))
}

/// Whether all that was announced is there, so that the end of the stream need not be awaited.
fn is_whole(answer: &[u8]) -> bool {
    matches!(head(answer), Some((_, start, Some(length))) if answer.len() >= start.saturating_add(length))
}
