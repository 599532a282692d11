//! The addresses of the processes.

/// The addresses of all processes, and the index of this one.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// The address of each, as `host:port`.
    pub addresses: Vec<String>,
    /// The index of this process.
    pub process: usize,
}
