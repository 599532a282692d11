//! Messages between processes that build one table together, and the process that gathers each state.

use crate::error::DiskTableError;

/// Words for a process.
pub type Packet = (usize, Vec<u64>);

/// The processes that work together, as one of them sees it. All make the same calls in the same order.
pub trait Communicator {
    /// The index of this process, from 0 on.
    fn index(&self) -> usize;

    fn count(&self) -> usize;

    /// Checks that all processes are still there.
    fn check(&self) -> Result<(), DiskTableError>;

    /// Sends packets to other processes. Returns some of those that were sent to this one by now; the others come with a later call.
    fn exchange(&mut self, packets: Vec<Packet>) -> Result<Vec<Vec<u64>>, DiskTableError>;

    /// Sends packets, and waits until all processes are here. Returns all packets that were sent to this one before, in any order.
    fn settle(&mut self, packets: Vec<Packet>) -> Result<Vec<Vec<u64>>, DiskTableError>;
}

/// The order that the first process gives the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// To list the successors of a layer, in some rounds.
    List { layer: usize, rounds: u64 },
    /// To value the layers from one on.
    Value { from: usize },
    /// To end.
    End,
}

impl Command {
    pub fn words(self) -> [u64; 3] {
        match self {
            Command::List { layer, rounds } => [1, layer as u64, rounds],
            Command::Value { from } => [2, from as u64, 0],
            Command::End => [3, 0, 0],
        }
    }

    /// The command that was sent.
    pub fn read(words: &[u64]) -> Option<Self> {
        match *words {
            [1, layer, rounds] => {
                let layer = usize::try_from(layer).ok()?;
                Some(Command::List { layer, rounds })
            }
            [2, from, _] => {
                let from = usize::try_from(from).ok()?;
                Some(Command::Value { from })
            }
            [3, ..] => Some(Command::End),
            _ => None,
        }
    }
}

/// The index of the process that gathers a key with this hash.
pub fn gatherer(hash: u64, count: usize) -> usize {
    // The upper bits say where it stands in a table.
    let lower = hash & u64::from(u32::MAX);
    ((lower * count as u64) >> 32) as usize
}
