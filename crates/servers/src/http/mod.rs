//! Just enough HTTP: a server for a few people on one machine, and a client that asks one question.
//!
//! One request for each connection, in plain blocking threads; the head is read by the crate `httparse`. Heads, bodies,
//! the bytes of all requests at once, time and the number of connections have limits, so that no client can make the process use
//! much of anything. A [`Service`] may refuse a request before its body is read. The caller gives requests their meaning.
//!
//! Left out, because no part of sqasp needs them: connections that stay open, chunked bodies, encryption.

mod client;
mod server;

pub use client::{ClientFailure, post};
pub use server::{Incoming, Outgoing, ServerLimits, Service, bind, run};
