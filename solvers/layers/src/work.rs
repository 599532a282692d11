//! Work on a table: the game, the folder of working files, limits and progress, for listing and valuing.

use crate::behind::HeldLayer;
use crate::blocks::packed_rows;
use crate::codec::Widths;
use crate::communicator::{Command, Communicator, Packet};
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::manifest::{Expanded, Layers};
use crate::part::LayerPart;
use crate::policy::{MIN_SHARED, STATES_PER_CHECK, held_bytes, working_memory};
use arena::{Denominators, NewShare, Refusal, StochasticGame};
use limits::{Limits, StopReason, Watch, share_out, thread_count};
use num_bigint::BigUint;
use std::{fmt, iter};

/// The progress of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableProgress {
    /// Whether states are listed; else they are valued.
    pub is_listing: bool,
    /// The layer: steps left.
    pub layer: usize,
    /// The states of the layer that are done.
    pub done: u64,
    /// The states of the layer.
    pub states: u64,
}

impl fmt::Display for TableProgress {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.is_listing {
            true => "listing the successors of",
            false => "valuing",
        };
        let (layer, done, states) = (self.layer, self.done, self.states);
        write!(to, "{what} layer {layer}: {done} of {states} states")
    }
}

/// The reason why a state of a layer was not expanded.
pub fn refused(refusal: Refusal, layer: usize, folder: &Folder) -> DiskTableError {
    match refusal {
        Refusal::Flaw(_) => DiskTableError::Flaw(layer),
        Refusal::TooLarge => DiskTableError::TooLarge,
        Refusal::Stopped(reason) => DiskTableError::Stopped(reason),
        Refusal::NewShare(share) => {
            let why = format!("chance has {} outcomes, which was not noted", share.count);
            folder.wrong(layer, &why)
        }
    }
}

/// Calls `work` on each item, each in a thread. Returns the first error when all have ended.
pub fn in_parallel<T: Send>(
    items: impl ExactSizeIterator<Item = T> + Send,
    work: impl Fn(T) -> Result<(), DiskTableError> + Sync,
) -> Result<(), DiskTableError> {
    let seats = 0..items.len().max(1);
    let ended = share_out(seats, items, |_, item| work(item));
    ended.into_iter().collect()
}

/// Work on the layers of a game.
pub struct Work<'a, G> {
    pub game: &'a G,
    /// The folder of working files.
    pub folder: &'a Folder,
    /// The part of the work on each layer that this process does.
    pub part: LayerPart,
    /// The processes that work together with this one.
    pub communicator: Option<&'a mut dyn Communicator>,
    /// The layer of the initial state.
    pub depth: usize,
    /// The bytes that rows, chunks and layers may take.
    pub memory: u64,
    /// A layer with values.
    pub held: HeldLayer,
    /// The number of threads, at least 1.
    pub threads: usize,
    pub limits: Limits,
    /// The limits of the work.
    pub watch: Watch<'a>,
    report: &'a mut dyn FnMut(TableProgress),
}

impl<'a, G: StochasticGame> Work<'a, G> {
    /// All of the work within limits. `report` is called with its progress.
    pub fn new(
        game: &'a G,
        folder: &'a Folder,
        limits: &'a Limits,
        threads: usize,
        report: &'a mut dyn FnMut(TableProgress),
    ) -> Self {
        let threads = thread_count(threads);
        let memory = working_memory(limits.memory, threads);
        Work {
            game,
            folder,
            part: LayerPart::WHOLE,
            communicator: None,
            depth: folder.manifest.depth,
            memory,
            held: HeldLayer::new(held_bytes(memory)),
            threads,
            limits: limits.clone(),
            watch: Watch::new(limits),
            report,
        }
    }

    /// The layer that states of a layer are valued in. Values of matrix games are fractions, so where steps are alike in all layers but the last,
    /// denominators of two layers serve all.
    pub fn scale_layer(&self, layer: usize) -> usize {
        match self.folder.manifest.mixed && self.game.is_stationary() {
            true => layer.min(2),
            false => layer,
        }
    }

    /// The words of the rows of a layer.
    pub fn row_words(&self, layer: usize) -> usize {
        Widths::of(self.game, layer).row()
    }

    /// The number of blocks of rows of a layer that a thread expands between two checks of the limits.
    pub fn blocks_per_check(&self, layer: usize) -> usize {
        STATES_PER_CHECK.div_ceil(packed_rows(self.row_words(layer)))
    }

    /// Reports the progress, and checks the limits and that all processes are there.
    pub fn check(&mut self, progress: TableProgress) -> Result<(), DiskTableError> {
        (self.report)(progress);
        self.limits.check()?;
        self.communicator
            .as_ref()
            .map_or(Ok(()), |communicator| communicator.check())
    }

    /// The reason why the work was stopped.
    pub fn stopped(&self) -> DiskTableError {
        let reached = self.limits.reached();
        DiskTableError::Stopped(reached.unwrap_or(StopReason::Interrupted))
    }

    /// The shares of chance that occur in some layers, as a folder says.
    pub fn shares(
        &self,
        folder: &Folder,
        layers: impl Iterator<Item = usize>,
    ) -> Result<Denominators, DiskTableError> {
        let mut denominators = Denominators::default();
        denominators.grow(self.game, self.scale_layer(self.depth));
        for layer in layers {
            let name = LayerPart::WHOLE.expanded(layer);
            let expanded: Expanded = folder.read_needed(&name)?;
            for (site, count) in expanded.shares {
                if site >= self.game.sites(layer).len() {
                    let path = folder.path().join(name);
                    return Err(DiskTableError::damaged(&path, "chance decides less often"));
                }
                let layer = self.scale_layer(layer);
                denominators.add(NewShare { layer, site, count });
            }
        }
        Ok(denominators)
    }

    /// The number that stands for 1 in each layer from one on; 1 where values are fractions.
    pub fn ones<'d>(
        &'d self,
        denominators: &'d Denominators,
        first: usize,
    ) -> Box<dyn Iterator<Item = BigUint> + 'd> {
        match self.folder.manifest.mixed {
            true => Box::new(iter::repeat(1u8.into())),
            false => Box::new(denominators.ones(self.game).skip(first)),
        }
    }

    /// The shares of chance of a table that is listed; they must give its denominators.
    pub fn denominators(
        &self,
        folder: &Folder,
        layers: &Layers,
    ) -> Result<Denominators, DiskTableError> {
        let numbers = layers.layers.iter().map(|info| info.layer);
        let denominators = self.shares(folder, numbers)?;
        let first = layers.layers.first().map_or(0, |info| info.layer);
        let mut pairs = layers.layers.iter().zip(self.ones(&denominators, first));
        let are_right = pairs.all(|(info, one)| info.one() == Some(one));
        drop(pairs);
        match are_right {
            true => Ok(denominators),
            false => {
                let path = folder.path().join(Layers::FILE);
                Err(DiskTableError::damaged(&path, "a denominator is wrong"))
            }
        }
    }
}

impl<G: StochasticGame> Work<'_, G> {
    /// This process's part of the work on a layer with this many states, if others have theirs.
    pub fn shared_part(&self, states: u64) -> Option<LayerPart> {
        let communicator = self
            .communicator
            .as_ref()
            .filter(|_| states >= MIN_SHARED)?;
        let (index, count) = (communicator.index(), communicator.count());
        Some(LayerPart { index, count })
    }

    /// Whether this process works alone, or commands the others.
    pub fn leads(&self) -> bool {
        self.communicator
            .as_ref()
            .is_none_or(|communicator| communicator.index() == 0)
    }

    /// Sends packets, and waits until all processes are here.
    pub fn settle(&mut self, packets: Vec<Packet>) -> Result<Vec<Vec<u64>>, DiskTableError> {
        match &mut self.communicator {
            Some(communicator) => communicator.settle(packets),
            None => Ok(Vec::new()),
        }
    }

    /// Commands the other processes, if there are any.
    pub fn command(&mut self, command: Command) -> Result<(), DiskTableError> {
        let count = self
            .communicator
            .as_ref()
            .map_or(1, |communicator| communicator.count());
        let packets = (1..count).map(|index| (index, command.words().to_vec()));
        self.settle(packets.collect())?;
        Ok(())
    }
}
