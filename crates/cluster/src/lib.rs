//! Processes that finish one table together, here or on the machines of a cluster. The program `sqasp-cluster` is one of them.
//!
//! ```text
//! connect    each process to each other one, which must build the same table
//! Cluster    packets between them, as layers::Communicator wants: a dataflow of timely, one epoch a round
//! ```
//!
//! The dataflow is input --exchange by process--> inbox --> probe. An epoch ends everywhere when all packets of it have arrived, so
//! the probe says when a layer is listed. Timely panics when a process is lost, by design. Here that becomes an error which says which one.
//!
//! Messages are not encrypted, and no password is asked for: use a network that you trust.

mod connect;
mod dataflow;
mod hosts;
mod stream;

pub use connect::connect;
pub use dataflow::Cluster;
pub use hosts::Hosts;
