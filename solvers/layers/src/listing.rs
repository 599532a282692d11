//! Forward listing: the successors of the states of a layer, sorted, each state once.

use crate::blocks::packed_rows;
use crate::codec::Widths;
use crate::communicator::{Command, Packet, gatherer};
use crate::error::DiskTableError;
use crate::kind::Kind;
use crate::manifest::Expanded;
use crate::part::LayerPart;
use crate::policy::{STATES_PER_ROOM, buffer_bytes};
use crate::row_file::{PackedRows, RowReader, RowWriter};
use crate::rows::{RowBuffer, buffers, merge};
use crate::shard::Shard;
use crate::work::{TableProgress, Work, in_parallel, refused};
use arena::{Forwards, StochasticGame};
use base::table::hash;
use std::mem;
use std::ops::Range;

impl<G: StochasticGame> Work<'_, G> {
    /// Writes the rows of the first layer: the initial state.
    pub fn list_start(&self, state: &[u64]) -> Result<(), DiskTableError> {
        let widths = Widths::of(self.game, self.depth);
        let mut words = state[..widths.state].to_vec();
        let mut key = vec![0; if widths.is_key { 0 } else { widths.key }];
        self.game.write_key(self.depth, &mut words, &mut key);
        let mut file = self.row_writer(LayerPart::WHOLE, self.depth)?;
        file.write(&[key, words].concat())?;
        file.finish()
    }

    /// The rows of a layer.
    pub fn rows(&self, layer: usize) -> Result<RowReader, DiskTableError> {
        self.row_reader(LayerPart::WHOLE, layer)
    }

    /// The rows in a file of a part of a layer.
    pub fn row_reader(&self, part: LayerPart, layer: usize) -> Result<RowReader, DiskTableError> {
        RowReader::open(self.folder, self.row_shard(part, layer))
    }

    /// A new file for rows of a part of a layer.
    pub fn row_writer(
        &self,
        part: LayerPart,
        layer: usize,
    ) -> Result<RowWriter<'_>, DiskTableError> {
        RowWriter::create(self.folder, self.row_shard(part, layer), self.threads)
    }

    /// The file of rows of a part of a layer.
    fn row_shard(&self, part: LayerPart, layer: usize) -> Shard {
        Shard {
            part,
            kind: Kind::Rows,
            layer,
            record: 8 * self.row_words(layer),
        }
    }

    /// Lists the successors of the rows of a layer, together with other processes if it has enough states. Layer 1 has
    /// nothing behind it, but its chances are noted.
    pub fn list_behind(
        &mut self,
        layer: usize,
        rows: RowReader,
    ) -> Result<Expanded, DiskTableError> {
        let states = rows.rows();
        let Some(part) = self.shared_part(states) else {
            let rounds = self.rounds(layer, self.part.of(states));
            return self.list_part(layer, rows, rounds);
        };
        let rounds = self.rounds(layer, part.of(states));
        self.command(Command::List { layer, rounds })?;
        self.list_part_of_process(layer, rounds)?;
        self.join_listed(layer, part.count)
    }

    /// Lists the part of this process, and waits until all others have listed theirs.
    pub fn list_part_of_process(
        &mut self,
        layer: usize,
        rounds: u64,
    ) -> Result<(), DiskTableError> {
        let rows = self.rows(layer)?;
        self.part = self.shared_part(u64::MAX).unwrap_or(LayerPart::WHOLE);
        let listed = self.list_part(layer, rows, rounds);
        self.part = LayerPart::WHOLE;
        listed?;
        self.settle(Vec::new())?;
        Ok(())
    }

    /// The number of rounds in which some states are expanded.
    fn rounds(&self, layer: usize, states: Range<u64>) -> u64 {
        let at_once = (self.blocks_per_check(layer) * packed_rows(self.row_words(layer))) as u64;
        (states.end - states.start).div_ceil(at_once * self.threads as u64)
    }

    /// Lists the successors of the rows of a layer that this part has, in this many rounds.
    fn list_part(
        &mut self,
        layer: usize,
        mut rows: RowReader,
        rounds: u64,
    ) -> Result<Expanded, DiskTableError> {
        let widths = Widths::of(self.game, layer);
        let next = (layer > 1).then(|| Widths::of(self.game, layer - 1));
        let (row, key) = next.map_or((1, 1), |next| (next.row(), next.key));
        let is_key = next.is_some_and(|next| next.is_key);
        let (game, folder) = (self.game, self.folder);
        let LayerPart { index: own, count } = self.part;
        let buffers = buffers(
            folder,
            row,
            key,
            buffer_bytes(self.memory, self.held.bytes()),
            self.threads,
            &self.limits,
        );
        let mut workers: Vec<Lister<'_, G>> = (buffers.into_iter())
            .map(|buffer| Lister {
                forwards: Forwards::new(game, layer, self.limits.clone()),
                found: FoundRows {
                    buffer,
                    is_key,
                    own,
                    for_others: vec![Vec::new(); count],
                },
                blocks: Vec::new(),
                rows: Vec::new(),
            })
            .collect();
        let range = self.part.of(rows.rows());
        let mut progress = TableProgress {
            is_listing: true,
            layer,
            done: 0,
            states: range.end - range.start,
        };
        let blocks = rows.turn_to(range)?;
        for round in 0..rounds {
            let round = LayerPart {
                index: round as usize,
                count: rounds as usize,
            };
            let here = round.of(blocks);
            let each = ((here.end - here.start) as usize).div_ceil(workers.len());
            for worker in &mut workers {
                for _ in 0..each {
                    let Some(block) = rows.next_block()? else {
                        break;
                    };
                    progress.done += block.rows();
                    worker.blocks.push(block);
                }
            }
            in_parallel(workers.iter_mut(), |worker| {
                worker.rows.clear();
                for block in worker.blocks.drain(..) {
                    block.unpack(&mut worker.rows)?;
                }
                let states = widths.states_of(&worker.rows);
                for states in states.chunks(STATES_PER_ROOM * widths.state) {
                    let found = &mut worker.found;
                    let expanded = worker.forwards.expand(states, |hash, key, state| {
                        found.gather(hash, key, state);
                    });
                    expanded.map_err(|refusal| refused(refusal, layer, folder))?;
                    found.buffer.make_room()?;
                }
                Ok(())
            })?;
            if let Some(communicator) = self.communicator.as_mut().filter(|_| count > 1) {
                let packets = workers.iter_mut().flat_map(Lister::packets).collect();
                gather(&mut workers, communicator.exchange(packets)?)?;
            }
            self.check(progress)?;
        }
        if count > 1 {
            gather(&mut workers, self.settle(Vec::new())?)?;
        }
        let expanded = Expanded::join(workers.iter().map(|worker| {
            let shares = worker.forwards.shares.iter();
            Expanded {
                shares: shares.map(|share| (share.site, share.count)).collect(),
                cuts_off: worker.forwards.cuts_off(),
            }
        }));
        // Before the rows, whose being there says that the layer is expanded.
        (self.folder).write_json(&self.part.expanded(layer), &expanded)?;
        if layer > 1 {
            let buffers = workers.into_iter().map(|worker| worker.found.buffer);
            let mut file = self.row_writer(self.part, layer - 1)?;
            merge(buffers.collect(), |row| file.write(row))?;
            file.finish()?;
        }
        Ok(expanded)
    }
}

/// The working memory of one thread.
struct Lister<'a, G: StochasticGame> {
    forwards: Forwards<'a, G>,
    found: FoundRows<'a>,
    blocks: Vec<PackedRows>,
    /// The rows of the blocks.
    rows: Vec<u64>,
}

impl<G: StochasticGame> Lister<'_, G> {
    /// Takes the rows that other processes gather.
    fn packets(&mut self) -> Vec<Packet> {
        let rows = self.found.for_others.iter_mut().map(mem::take).enumerate();
        rows.filter(|(_, rows)| !rows.is_empty()).collect()
    }
}

/// The rows that one thread found.
struct FoundRows<'a> {
    buffer: RowBuffer<'a>,
    /// Whether a state is its key.
    is_key: bool,
    /// The index of this process, and the rows that other processes gather.
    own: usize,
    for_others: Vec<Vec<u64>>,
}

impl FoundRows<'_> {
    /// Takes a state, with the hash of its key, its key and its words.
    fn gather(&mut self, hash: u64, key: &[u64], state: &[u64]) {
        let process = gatherer(hash, self.for_others.len());
        let state = if self.is_key { &[] } else { state };
        match process == self.own {
            true => self.buffer.add(key, hash, state),
            false => {
                let packet = &mut self.for_others[process];
                packet.extend_from_slice(key);
                packet.extend_from_slice(state);
            }
        }
    }
}

/// Adds rows that other processes sent.
fn gather<G: StochasticGame>(
    workers: &mut [Lister<'_, G>],
    packets: Vec<Vec<u64>>,
) -> Result<(), DiskTableError> {
    let threads = workers.len();
    for (number, packet) in packets.into_iter().enumerate() {
        let buffer = &mut workers[number % threads].found.buffer;
        for row in packet.chunks_exact(buffer.words()) {
            let (key, rest) = row.split_at(buffer.key());
            buffer.add(key, hash(key), rest);
        }
        buffer.make_room()?;
    }
    Ok(())
}
