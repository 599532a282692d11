//! The addresses of the processes.

/// Where all processes are, and which one this is.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// The address of each, as `host:port`.
    pub addresses: Vec<String>,
    /// Which one is this process.
    pub process: usize,
}
