//! Forwards: what follows from the states of a layer, sorted, each state once.

use crate::codec::{Widths, words_of, write_row};
use crate::communicator::{Command, Packet, gatherer};
use crate::error::DiskTableError;
use crate::kind::Kind;
use crate::manifest::Expanded;
use crate::part::LayerPart;
use crate::rows::{RowBuffer, buffers, merge};
use crate::shard::{Reader, Writer};
use crate::work::{TableProgress, Work, in_parallel, refused};
use std::mem;
use std::ops::Range;
use stochastic_game::{Forwards, StochasticGame};

impl<G: StochasticGame> Work<'_, G> {
    /// Writes the rows of the first layer: the initial state.
    pub fn list_start(&self, state: &[u64]) -> Result<(), DiskTableError> {
        let widths = Widths::of(self.game, self.depth);
        let mut words = state[..widths.state].to_vec();
        let mut key = vec![0; if widths.is_key { 0 } else { widths.key }];
        self.game.write_key(self.depth, &mut words, &mut key);
        let bytes = 8 * widths.row();
        let mut file = Writer::new(self.folder, LayerPart::WHOLE, Kind::Rows, self.depth, bytes)?;
        write_row(&mut file, &[key, words].concat())?;
        file.finish()?;
        Ok(())
    }

    /// The rows of a layer.
    pub fn rows(&self, layer: usize) -> Result<Reader, DiskTableError> {
        let bytes = 8 * Widths::of(self.game, layer).row();
        Reader::open(self.folder, Kind::Rows, layer, bytes)
    }

    /// Lists what follows from the rows of a layer, together with other processes if that is worth it. Layer 1 has nothing behind
    /// it, but its chances are noted.
    pub fn list_behind(&mut self, layer: usize, rows: Reader) -> Result<Expanded, DiskTableError> {
        let states = rows.records();
        let Some(part) = self.shared_part(states) else {
            let rounds = self.rounds(self.part.of(states));
            return self.list_part(layer, rows, rounds);
        };
        let rounds = self.rounds(part.of(states));
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

    /// In how many rounds some states are expanded.
    fn rounds(&self, states: Range<u64>) -> u64 {
        let at_once = (self.states_per_look() * self.threads) as u64;
        (states.end - states.start).div_ceil(at_once)
    }

    /// Lists what follows from the rows of a layer that this part has, in this many rounds.
    fn list_part(
        &mut self,
        layer: usize,
        mut rows: Reader,
        rounds: u64,
    ) -> Result<Expanded, DiskTableError> {
        let widths = Widths::of(self.game, layer);
        let prefix = self.prefix();
        let next = match (prefix, layer) {
            (0, 1) => None,
            (0, _) => Some(Widths::of(self.game, layer - 1)),
            // Rows of all layers look alike.
            _ => Some(widths),
        };
        let (row, key) = next.map_or((1, 1), |next| (prefix + next.row(), prefix + next.key));
        let is_key = next.is_some_and(|next| next.is_key);
        let (game, folder) = (self.game, self.folder);
        let LayerPart { index: own, count } = self.part;
        let buffers = buffers(folder, row, key, self.memory / 2, self.threads, &self.halt);
        let mut workers: Vec<Lister<'_, G>> = (buffers.into_iter())
            .map(|buffer| Lister {
                forwards: Forwards::new(game, layer, self.halt.clone()),
                buffer,
                states: Vec::new(),
                for_others: vec![Vec::new(); count],
            })
            .collect();
        let range = self.part.of(rows.records());
        let mut progress = TableProgress {
            is_listing: true,
            layer,
            done: 0,
            states: range.end - range.start,
        };
        rows.turn_to(range)?;
        for round in 0..rounds {
            let round = LayerPart {
                index: round as usize,
                count: rounds as usize,
            };
            let here = round.of(progress.states);
            let here = (here.end - here.start) as usize;
            let each = here.div_ceil(workers.len());
            for worker in &mut workers {
                read_states(&mut rows, widths, each, &mut worker.states)?;
            }
            in_parallel(workers.iter_mut(), |worker| {
                let Lister {
                    forwards,
                    buffer,
                    states,
                    for_others,
                } = worker;
                let expanded = forwards.expand(states, |below, key, state| {
                    let state = if is_key { &[] } else { state };
                    let below = &[below][..prefix];
                    match gatherer(key, count) {
                        process if process == own => {
                            for words in [below, key, state] {
                                buffer.add(words);
                            }
                        }
                        process => {
                            let packet = &mut for_others[process];
                            for words in [below, key, state] {
                                packet.extend_from_slice(words);
                            }
                        }
                    }
                });
                expanded.map_err(|refusal| refused(refusal, layer, folder))?;
                buffer.make_room()
            })?;
            if let Some(communicator) = self.communicator.as_mut().filter(|_| count > 1) {
                let packets = workers.iter_mut().flat_map(Lister::packets).collect();
                gather(&mut workers, communicator.exchange(packets)?)?;
            }
            progress.done += here as u64;
            self.look(progress)?;
        }
        if count > 1 {
            gather(&mut workers, self.settle(Vec::new())?)?;
        }
        let mut expanded = Expanded::join(workers.iter().map(|worker| {
            let shares = worker.forwards.shares.iter();
            Expanded {
                shares: shares.map(|share| (share.site, share.count)).collect(),
                cuts_off: worker.forwards.cuts_off(),
                below: Vec::new(),
            }
        }));
        let buffers = workers.into_iter().map(|worker| worker.buffer).collect();
        if prefix > 0 {
            let kind = Kind::Below;
            let mut file = Writer::new(self.folder, self.part, kind, layer, 8 * row)?;
            merge(buffers, |row| {
                note_below(&mut expanded, layer, row);
                write_row(&mut file, row)
            })?;
            file.finish()?;
            // Behind the rows: it says that the layer is expanded.
            (self.folder).write_json(&self.part.expanded(layer), &expanded)?;
            return Ok(expanded);
        }
        // Before the rows, whose being there says that the layer is expanded.
        (self.folder).write_json(&self.part.expanded(layer), &expanded)?;
        if layer > 1 {
            let mut file = Writer::new(self.folder, self.part, Kind::Rows, layer - 1, 8 * row)?;
            merge(buffers, |row| write_row(&mut file, row))?;
            file.finish()?;
        }
        Ok(expanded)
    }
}

/// Counts a row that was found below a layer; rows come in the order in which they are written.
pub fn note_below(expanded: &mut Expanded, layer: usize, row: &[u64]) {
    let lower = layer - row[0] as usize;
    match expanded.below.last_mut() {
        Some((last, rows)) if *last == lower => *rows += 1,
        _ => expanded.below.push((lower, 1)),
    }
}

/// What one thread works with.
struct Lister<'a, G: StochasticGame> {
    forwards: Forwards<'a, G>,
    buffer: RowBuffer<'a>,
    states: Vec<u64>,
    /// Rows that other processes gather.
    for_others: Vec<Vec<u64>>,
}

impl<G: StochasticGame> Lister<'_, G> {
    /// Takes the rows that other processes gather.
    fn packets(&mut self) -> Vec<Packet> {
        let rows = self.for_others.iter_mut().map(mem::take).enumerate();
        rows.filter(|(_, rows)| !rows.is_empty()).collect()
    }
}

/// Adds rows that other processes sent.
fn gather<G: StochasticGame>(
    workers: &mut [Lister<'_, G>],
    packets: Vec<Vec<u64>>,
) -> Result<(), DiskTableError> {
    let threads = workers.len();
    for (number, packet) in packets.into_iter().enumerate() {
        let buffer = &mut workers[number % threads].buffer;
        buffer.add(&packet);
        buffer.make_room()?;
    }
    Ok(())
}

/// Reads the states of some rows, at most this many.
fn read_states(
    rows: &mut Reader,
    widths: Widths,
    most: usize,
    states: &mut Vec<u64>,
) -> Result<(), DiskTableError> {
    states.clear();
    let mut read = 0;
    let skipped = 8 * (widths.row() - widths.state);
    while read < most
        && let Some(record) = rows.next()?
    {
        states.extend(words_of(&record[skipped..]));
        read += 1;
    }
    Ok(())
}
