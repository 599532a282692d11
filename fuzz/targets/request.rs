//! Requests by HTTP: whatever comes, the next one is answered.

#![no_main]

/// The module alone: its crate needs clingo.
#[path = "../../crates/servers/src/http/mod.rs"]
#[allow(dead_code, unused_imports)]
mod http;

use http::{Incoming, Outgoing, ServerLimits, Service};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::thread;

/// A server that sends bodies back.
struct Echo;

impl Service for Echo {
    fn refusal(&self, _: &Incoming) -> Option<Outgoing> {
        None
    }

    fn answer(&self, incoming: &Incoming) -> Outgoing {
        Outgoing::new(200, "text/plain", incoming.body.clone())
    }
}

static SERVER: OnceLock<SocketAddr> = OnceLock::new();

fn server() -> SocketAddr {
    let listener = http::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0).expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || http::run(&listener, &ServerLimits::within(None), Echo));
    address
}

/// The response to these bytes.
fn response(bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(SERVER.get_or_init(server)).expect("the server runs");
    // It may have answered and gone before all is sent.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    response
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    response(bytes);
    let next = response(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    assert!(next.ends_with(b"ok"));
});
