//! Accounting of memory, which is asked for before it is used. Where there is no more, the older half of the cache goes.

use super::Search;
use crate::cache::Cache;
use crate::component::Component;
use crate::derive::Derivations;
use crate::frame::{Bounds, Frame};
use crate::recorder::Recorder;
use base::value::Numerator;
use limits::StopReason;
use std::ops::Range;

/// Memory asked for, for what is neither in the cache nor learned.
#[derive(Default)]
pub struct Memory {
    /// For lists.
    lists: u64,
    /// For the lists of other threads.
    pub lent: u64,
}

impl<N: Numerator> Search<'_, '_, N> {
    /// Asks for memory; makes room in the cache if there is none.
    fn take_memory(&mut self, bytes: u64) -> Result<(), StopReason> {
        while let Err(reason) = self.watch.take_memory(bytes) {
            self.make_room().ok_or(reason)?;
        }
        Ok(())
    }

    /// Stores the bounds of a component, whose key stands here; they become better if those that were stored are.
    pub(crate) fn store(&mut self, key: Range<usize>, bounds: &mut Bounds<N>, mark: Option<u8>) {
        let cost = Cache::cost(&self.stack.keys[key.clone()], bounds);
        // If there is no room even in an empty cache, the search goes on without.
        if self.take_memory(cost).is_ok() {
            let key = &self.stack.keys[key];
            let freed = self.team.cache.set(key, bounds, mark);
            self.watch.give_memory_back(freed);
            self.deduction.counts.stored += 1;
        }
    }

    /// Asks for the memory of what was learned, and of what a component further down may need.
    pub(crate) fn pay(&mut self, component: &Component<N>) -> Result<(), StopReason> {
        while let Err(reason) = self.deduction.pay(self.watch) {
            self.make_room().ok_or(reason)?;
        }
        // Vectors grow by doubling.
        let elements = self.splitter.elements.len() + component.size();
        let numbers = 8 * component.one.heap_bytes();
        let frame = size_of::<Frame<N>>() + size_of::<Component<N>>() + numbers;
        let lists = 2
            * (elements * size_of::<u32>()
                + (self.stack.frames.len() + 1) * frame
                + self.stack.keys.len()) as u64;
        let trace = self.trace.as_ref();
        if trace.is_some_and(Recorder::is_full) {
            return Err(StopReason::Memory);
        }
        let derivations = self.deduction.derivations.as_deref();
        let bytes =
            lists + trace.map_or(0, Recorder::bytes) + derivations.map_or(0, Derivations::bytes);
        if bytes > self.memory.lists {
            self.take_memory(bytes - self.memory.lists)?;
            self.memory.lists = bytes;
        }
        Ok(())
    }

    pub(crate) fn make_room(&mut self) -> Option<()> {
        let freed = self.team.cache.drop_half();
        self.watch.give_memory_back(freed);
        (freed > 0).then_some(())
    }

    /// Gives back all that was asked for, but for the cache.
    pub(crate) fn give_memory_back(&mut self) {
        let bytes = self.memory.lists + self.memory.lent + self.deduction.paid + self.certain.taken;
        self.watch.give_memory_back(bytes);
    }
}
