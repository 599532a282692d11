//! Access control of the page: requests need the token, and come from this machine and from no page but ours.
//!
//! Any page in the same browser can send requests to 127.0.0.1. So the address has a token that others cannot guess;
//! `Host` must be ours, so that no foreign name leads here; and where the browser tells which page
//! a request comes from, it must be ours.

use crate::http::Incoming;
use std::io;

/// The bytes of a token.
const TOKEN: usize = 16;

/// The port and the token that requests must show.
pub(super) struct AccessControl {
    port: u16,
    token: String,
}

impl AccessControl {
    /// Access with a new token.
    pub(super) fn new(port: u16) -> io::Result<Self> {
        let mut bytes = [0; TOKEN];
        getrandom::fill(&mut bytes)?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(AccessControl { port, token })
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// The path behind the token of a request; or the status and the reason of a refusal.
    pub(super) fn open<'a>(&self, incoming: &'a Incoming) -> Result<&'a str, (u16, &'static str)> {
        let header = |name| {
            incoming
                .header(name)
                .map_err(|_| (400, "a header comes twice"))
        };
        let hosts = ["127.0.0.1", "localhost"].map(|host| match self.port {
            80 => host.to_owned(),
            port => format!("{host}:{port}"),
        });
        if !header("host")?.is_some_and(|host| hosts.iter().any(|own| own == host)) {
            return Err((403, "this server answers for 127.0.0.1 only"));
        }
        let is_ours = |origin: &str| hosts.iter().any(|own| origin == format!("http://{own}"));
        if header("origin")?.is_some_and(|origin| !is_ours(origin)) {
            return Err((403, "this server answers its own page only"));
        }
        let is_foreign = incoming.is_foreign();
        if is_foreign.map_err(|_| (400, "a header comes twice"))? && incoming.method != "GET" {
            return Err((403, "this server answers its own page only"));
        }
        let token = incoming
            .target
            .strip_prefix('/')
            .and_then(|path| path.split_once('/'));
        match token {
            Some((token, path)) if is_equal(token, &self.token) => Ok(path),
            _ => Err((
                403,
                "the token in the address is missing or wrong: use the address that `sqasp explore` printed",
            )),
        }
    }
}

/// Whether two texts are equal, in a time that does not tell where they differ.
fn is_equal(left: &str, right: &str) -> bool {
    let pairs = left.bytes().zip(right.bytes());
    left.len() == right.len() && pairs.fold(0, |different, (a, b)| different | (a ^ b)) == 0
}
