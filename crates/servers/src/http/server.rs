//! The server: a connection in, one request, one response, and the end of the connection.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const MAX_HEADERS: usize = 64;

/// The longest that writing a response may take.
const WRITING: Duration = Duration::from_secs(30);

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// The longest head, in bytes.
    pub head: usize,
    /// The longest body, in bytes.
    pub body: usize,
    /// How long reading a request may take.
    pub reading: Duration,
    /// The most connections at once.
    pub connections: usize,
    /// The most bytes of all requests that are read or answered at this moment.
    pub held: usize,
    /// Whether a body without a length goes on to the end of the stream, as old clients mean it.
    pub reads_to_end: bool,
}

impl ServerLimits {
    /// For a process that may use this memory, in bytes. The data made of a body can take fifty times its length.
    pub fn within(memory: Option<u64>) -> Self {
        let part = memory.map_or(u64::MAX, |memory| memory / 400);
        let body = part.clamp(1 << 16, 1 << 20) as usize;
        ServerLimits {
            head: 1 << 14,
            body,
            reading: Duration::from_secs(10),
            connections: 128,
            held: 8 * body,
            reads_to_end: false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// The method, such as `GET`.
    pub method: String,
    /// The target of the request, such as `/a?b=c`, as it was sent.
    pub target: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Incoming {
    /// The value of a header, which is named in lower case. A header that comes twice has no value.
    ///
    /// # Errors
    /// If it comes twice.
    pub fn header(&self, name: &str) -> Result<Option<&str>, String> {
        let mut values = self.headers.iter().filter(|(other, _)| other == name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(format!("the header {name} comes twice")),
            (value, None) => Ok(value.map(|(_, value)| value.as_str())),
        }
    }

    /// Whether a browser says that a page of another site made it send this.
    ///
    /// # Errors
    /// If it says so twice.
    pub fn is_foreign(&self) -> Result<bool, String> {
        let site = self.header("sec-fetch-site")?;
        Ok(site.is_some_and(|site| site == "cross-site" || site == "same-site"))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The status, such as 200.
    pub status: u16,
    /// Headers beside the length.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Outgoing {
    /// A response with a body of this type.
    pub fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Outgoing {
            status,
            headers: vec![("Content-Type", kind.to_owned())],
            body: body.into(),
        }
    }

    /// A response of plain text.
    pub fn text(status: u16, text: &str) -> Self {
        Outgoing::new(status, "text/plain; charset=utf-8", text)
    }
}

/// Listens at an address; port 0 is any that is free.
pub fn bind(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    TcpListener::bind(SocketAddr::new(address, port))
}

/// The threads that answer requests.
pub trait Service: Send + Sync + 'static {
    /// The refusal of a request whose body is not read yet, if its head is reason enough.
    fn refusal(&self, head: &Incoming) -> Option<Outgoing>;

    /// The response to a request that was not refused.
    fn answer(&self, incoming: &Incoming) -> Outgoing;
}

/// Answers requests for ever.
pub fn run(listener: &TcpListener, limits: &ServerLimits, service: impl Service) -> io::Error {
    let server = Arc::new(Server {
        limits: limits.clone(),
        service,
        open: AtomicUsize::new(0),
        held: AtomicUsize::new(0),
    });
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            // The client went away, or there are too many open files: nothing to do but go on.
            Err(error) if is_passing(&error) => {
                thread::sleep(Duration::from_millis(10));
                continue;
            }
            Err(error) => return error,
        };
        if server.open.fetch_add(1, Ordering::SeqCst) >= limits.connections {
            server.open.fetch_sub(1, Ordering::SeqCst);
            let _ = stream.set_nonblocking(true);
            // Bytes that have arrived and were not read would reset the connection before the response is seen.
            read_rest(&stream, limits.head);
            let _ = write(&stream, &busy(), false);
            continue;
        }
        let serving = Arc::clone(&server);
        let work = move || {
            let _ = catch_unwind(AssertUnwindSafe(|| serving.converse(&stream)));
            serving.open.fetch_sub(1, Ordering::SeqCst);
        };
        if thread::Builder::new().spawn(work).is_err() {
            server.open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

struct Server<S> {
    limits: ServerLimits,
    service: S,
    /// The number of open connections.
    open: AtomicUsize,
    /// The bytes of the requests that are read or answered.
    held: AtomicUsize,
}

/// Bytes of a request that are counted until this is dropped.
struct Held<'a> {
    bytes: usize,
    of_all: &'a AtomicUsize,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.of_all.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

fn busy() -> Outgoing {
    Outgoing::text(503, "busy: too many requests at once; try again\n")
}

fn is_passing(error: &io::Error) -> bool {
    const TOO_MANY_FILES: [i32; 2] = [23, 24];
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
            | io::ErrorKind::WouldBlock
    ) || error
        .raw_os_error()
        .is_some_and(|code| TOO_MANY_FILES.contains(&code))
}

impl<S: Service> Server<S> {
    fn converse(&self, stream: &TcpStream) {
        let _ = stream.set_nodelay(true);
        let mut held = Held {
            bytes: 0,
            of_all: &self.held,
        };
        let incoming = self.read(stream, &mut held);
        let is_head = matches!(&incoming, Ok(incoming) if incoming.method == "HEAD");
        let outgoing = match incoming {
            Ok(incoming) => catch_unwind(AssertUnwindSafe(|| self.service.answer(&incoming)))
                .unwrap_or_else(|_| {
                    Outgoing::text(500, "this is a mistake in sqasp; please report it\n")
                }),
            Err(Unreadable::Refused(outgoing)) => outgoing,
            Err(Unreadable::Gone) => return,
        };
        drop(held);
        let _ = write(stream, &outgoing, is_head);
        // Bytes that were not read would reset the connection before the response is seen.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
        read_rest(stream, self.limits.body);
    }

    /// Reads a request within the limits.
    fn read(&self, stream: &TcpStream, held: &mut Held<'_>) -> Result<Incoming, Unreadable> {
        let limits = &self.limits;
        let until = Instant::now() + limits.reading;
        let mut bytes = Vec::new();
        let mut read_some = |bytes: &mut Vec<u8>| {
            let before = bytes.len();
            let goes_on = read_some(stream, bytes, until)?;
            let count = bytes.len() - before;
            held.bytes += count;
            if self.held.fetch_add(count, Ordering::SeqCst) + count > limits.held {
                return Err(Unreadable::Refused(busy()));
            }
            Ok(goes_on)
        };
        let (mut incoming, length, start) = loop {
            if let Some(found) = parse(&bytes, limits)? {
                break found;
            }
            if bytes.len() > limits.head {
                return Err(refused(431, "the head of the request is too long"));
            }
            if !read_some(&mut bytes)? {
                return Err(Unreadable::Gone);
            }
        };
        if let Some(outgoing) = self.service.refusal(&incoming) {
            return Err(Unreadable::Refused(outgoing));
        }
        let too_long = || {
            refused(
                413,
                &format!("the body has more than {} bytes", limits.body),
            )
        };
        bytes.drain(..start);
        match length {
            Some(length) if length > limits.body => return Err(too_long()),
            Some(length) => {
                while bytes.len() < length {
                    if !read_some(&mut bytes)? {
                        return Err(refused(400, "the body is shorter than its length says"));
                    }
                }
                bytes.truncate(length);
            }
            None if limits.reads_to_end && incoming.method == "POST" => {
                while read_some(&mut bytes)? {
                    if bytes.len() > limits.body {
                        return Err(too_long());
                    }
                }
            }
            None => bytes.clear(),
        }
        incoming.body = bytes;
        Ok(incoming)
    }
}

/// Reads the rest of a request for a while, up to a limit of bytes: a client may go on sending.
fn read_rest(mut stream: impl Read, most: usize) {
    let until = Instant::now() + Duration::from_millis(500);
    let mut rest = [0; 8192];
    let mut count = 0;
    while count < most && Instant::now() < until {
        match stream.read(&mut rest) {
            Ok(more) if more > 0 => count += more,
            _ => return,
        }
    }
}

/// Why there is no request.
enum Unreadable {
    Refused(Outgoing),
    /// The client is gone.
    Gone,
}

fn refused(status: u16, text: &str) -> Unreadable {
    Unreadable::Refused(Outgoing::text(status, &format!("{text}\n")))
}

/// Reads what is there; false at the end of the stream.
fn read_some(stream: &TcpStream, to: &mut Vec<u8>, until: Instant) -> Result<bool, Unreadable> {
    let slow = || refused(408, "the request took too long to arrive");
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(slow());
    }
    let _ = stream.set_read_timeout(Some(left));
    let mut buffer = [0; 8192];
    match (&mut &*stream).read(&mut buffer) {
        Ok(count) => {
            to.extend_from_slice(&buffer[..count]);
            Ok(count > 0)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ) =>
        {
            Err(slow())
        }
        Err(_) => Err(Unreadable::Gone),
    }
}

/// The head, the length of the body, and where that starts; nothing while the head is not whole.
type Head = (Incoming, Option<usize>, usize);

fn parse(bytes: &[u8], limits: &ServerLimits) -> Result<Option<Head>, Unreadable> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let status = match request.parse(bytes) {
        Ok(status) => status,
        Err(httparse::Error::TooManyHeaders) => return Err(refused(431, "too many headers")),
        Err(error) => return Err(refused(400, &format!("this is no HTTP request: {error}"))),
    };
    let httparse::Status::Complete(start) = status else {
        return Ok(None);
    };
    if start > limits.head {
        return Err(refused(431, "the head of the request is too long"));
    }
    let named = request.headers.iter().map(|header| {
        let value = String::from_utf8_lossy(header.value).trim().to_owned();
        (header.name.to_lowercase(), value)
    });
    let incoming = Incoming {
        method: request.method.unwrap_or("").to_owned(),
        target: request.path.unwrap_or("").to_owned(),
        headers: named.collect(),
        body: Vec::new(),
    };
    if incoming
        .headers
        .iter()
        .any(|(name, _)| name == "transfer-encoding")
    {
        return Err(refused(
            501,
            "a body in chunks is not understood: send its length",
        ));
    }
    let length = incoming
        .header("content-length")
        .map_err(|text| refused(400, &text))?;
    let length = length.map(str::parse::<usize>).transpose();
    let length = length.map_err(|_| refused(400, "Content-Length is not a number"))?;
    Ok(Some((incoming, length, start)))
}

fn write(mut stream: &TcpStream, outgoing: &Outgoing, without_body: bool) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITING))?;
    let reason = match outgoing.status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        503 => "Service Unavailable",
        _ => "Error",
    };
    let mut text = format!("HTTP/1.1 {} {reason}\r\n", outgoing.status);
    for (name, value) in &outgoing.headers {
        text += &format!("{name}: {value}\r\n");
    }
    text += &format!(
        "Content-Length: {}\r\nConnection: close\r\n\r\n",
        outgoing.body.len()
    );
    let mut bytes = text.into_bytes();
    if !without_body {
        bytes.extend_from_slice(&outgoing.body);
    }
    stream.write_all(&bytes)?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that goes on sending, and how much of that is read.
    struct Endless(usize);

    impl Read for &mut Endless {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.0 += to.len();
            Ok(to.len())
        }
    }

    #[test]
    fn a_client_that_goes_on_sending_is_left() {
        let mut client = Endless(0);
        read_rest(&mut client, 20_000);
        assert!((20_000..40_000).contains(&client.0), "{} bytes", client.0);
    }
}
