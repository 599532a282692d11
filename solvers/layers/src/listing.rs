//! Forwards: what follows from the states of a layer, sorted, each state once.

use crate::codec::{Widths, words_of, write_row};
use crate::error::DiskTableError;
use crate::kind::Kind;
use crate::manifest::Expanded;
use crate::part::Part;
use crate::rows::{RowBuffer, buffers, merge};
use crate::shard::{Reader, Writer};
use crate::threads::in_parallel;
use crate::work::{TableProgress, Work, refused};
use stochastic_game::{Forwards, StochasticGame};

impl<G: StochasticGame> Work<'_, G> {
    /// Writes the rows of the first layer: the initial state.
    pub fn list_start(&self, state: &[u64]) -> Result<(), DiskTableError> {
        let widths = Widths::of(self.game, self.depth);
        let mut words = state[..widths.state].to_vec();
        let mut key = vec![0; if widths.is_key { 0 } else { widths.key }];
        self.game.write_key(self.depth, &mut words, &mut key);
        let bytes = 8 * widths.row();
        let mut file = Writer::new(self.folder, Part::WHOLE, Kind::Rows, self.depth, bytes)?;
        write_row(&mut file, &[key, words].concat())?;
        file.finish()?;
        Ok(())
    }

    /// The rows of a layer.
    pub fn rows(&self, layer: usize) -> Result<Reader, DiskTableError> {
        let bytes = 8 * Widths::of(self.game, layer).row();
        Reader::open(self.folder, Kind::Rows, layer, bytes)
    }

    /// Lists what follows from the rows of a layer that this part has. Layer 1 has nothing behind it, but its chances are noted.
    pub fn list_behind(
        &mut self,
        layer: usize,
        mut rows: Reader,
    ) -> Result<Expanded, DiskTableError> {
        let widths = Widths::of(self.game, layer);
        let next = match layer {
            1 => None,
            _ => Some(Widths::of(self.game, layer - 1)),
        };
        let (row, key) = next.map_or((1, 1), |next| (next.row(), next.key));
        let is_key = next.is_some_and(|next| next.is_key);
        let (game, folder) = (self.game, self.folder);
        let buffers = buffers(folder, row, key, self.memory / 2, self.threads);
        let mut workers: Vec<(Forwards<'_, G>, RowBuffer<'_>, Vec<u64>)> = (buffers.into_iter())
            .map(|buffer| {
                (
                    Forwards::new(game, layer, self.halt.clone()),
                    buffer,
                    Vec::new(),
                )
            })
            .collect();
        let own = self.part.of(rows.records());
        let mut progress = TableProgress {
            is_listing: true,
            layer,
            done: 0,
            states: own.end - own.start,
        };
        rows.turn_to(own)?;
        let most = self.states_per_look();
        loop {
            let mut read = 0;
            for (_, _, states) in &mut workers {
                read += read_states(&mut rows, widths, most, states)?;
            }
            if read == 0 {
                break;
            }
            in_parallel(workers.iter_mut(), |(forwards, buffer, states)| {
                let expanded = forwards.expand(states, |key, state| {
                    buffer.add(key);
                    if !is_key {
                        buffer.add(state);
                    }
                });
                expanded.map_err(|refusal| refused(refusal, layer, folder))?;
                buffer.make_room()
            })?;
            progress.done += read as u64;
            self.look(progress)?;
        }
        let expanded = Expanded::join(workers.iter().map(|(forwards, ..)| {
            let shares = forwards.shares.iter();
            Expanded {
                shares: shares.map(|share| (share.site, share.count)).collect(),
                cuts_off: forwards.cuts_off,
            }
        }));
        // Before the rows, whose being there says that the layer is expanded.
        (self.folder).write_json(&self.part.expanded(layer), &expanded)?;
        if layer > 1 {
            let mut file = Writer::new(self.folder, self.part, Kind::Rows, layer - 1, 8 * row)?;
            let buffers = workers.into_iter().map(|(_, buffer, _)| buffer).collect();
            merge(buffers, |row| write_row(&mut file, row))?;
            file.finish()?;
        }
        Ok(expanded)
    }
}

/// Reads the states of some rows, at most this many; tells how many.
fn read_states(
    rows: &mut Reader,
    widths: Widths,
    most: usize,
    states: &mut Vec<u64>,
) -> Result<usize, DiskTableError> {
    states.clear();
    let mut read = 0;
    let skipped = 8 * (widths.row() - widths.state);
    while read < most
        && let Some(record) = rows.next()?
    {
        states.extend(words_of(&record[skipped..]));
        read += 1;
    }
    Ok(read)
}
