//! Cyclic layers: play may stay in them, in games that may go on for ever.
//!
//! Layers are a measure that no step raises, and some steps keep it. In Pig, players throw as often as they like before points are
//! banked: positions with the same points in the bank lead to each other, and are one layer.
//!
//! ```text
//! forwards     rows of layer n --list without leaving the layer--> all rows of layer n, and rows of lower layers
//! backwards    graph of layer n, whose exits are worth what lower layers say --solve--> exact values of layer n
//! ```
//!
//! A layer is in memory while work is on it, and its values come from the solver for play without a last step
//! ([`simple_stochastic_game`]). The number that stands for 1 in a layer is known only when it is solved: then `layers.json` is written
//! again.

use crate::behind::Portions;
use crate::codec::Widths;
use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::kind::Kind;
use crate::listing::note_below;
use crate::manifest::{Expanded, Layers};
use crate::part::LayerPart;
use crate::row_file::RowReader;
use crate::shard::Writer;
use crate::valuing::MISSING_STATE;
use crate::work::{TableProgress, Work};
use limits::{Limits, Publisher, StopReason, Watch};
use num_bigint::BigUint;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::One;
use simple_stochastic_game::Options;
use stochastic_game::{LayerExit, Listing, StochasticGame, Unexplored, explore_layer};
use value::fraction;

/// The values of a layer.
pub struct SolvedLayer {
    /// The number that stands for the value 1.
    pub one: BigUint,
    /// The bytes of a value.
    pub value_bytes: usize,
    /// Keys and values, in order.
    pub records: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<G: StochasticGame> Work<'_, G> {
    /// Lists all states of a layer, of which some rows are there, and writes them instead of these; and what follows in lower layers.
    pub fn list_cyclic(
        &mut self,
        layer: usize,
        rows: RowReader,
    ) -> Result<Expanded, DiskTableError> {
        let explored = self.graph(layer, rows)?;
        let widths = Widths::of(self.game, layer);
        let row = |state: usize| {
            let key = if widths.is_key {
                &[]
            } else {
                explored.key(state)
            };
            [key, explored.words(state)].concat()
        };
        let mut lower: Vec<Vec<u64>> = Vec::new();
        let mut is_exit = vec![false; explored.states()];
        for exit in &explored.exits {
            is_exit[exit.state] = true;
            lower.push([&[(layer - exit.layer) as u64], &row(exit.state)[..]].concat());
        }
        lower.sort_unstable();
        let own = (0..explored.states()).filter(|&state| !is_exit[state]);
        let mut own: Vec<Vec<u64>> = own.map(row).collect();
        own.sort_unstable();
        let mut file = self.row_writer(LayerPart::WHOLE, Kind::Rows, layer)?;
        own.iter().try_for_each(|row| file.write(row))?;
        file.finish()?;
        let mut expanded = Expanded::join([]);
        let mut file = self.row_writer(LayerPart::WHOLE, Kind::Below, layer)?;
        for row in &lower {
            note_below(&mut expanded, layer, row);
            file.write(row)?;
        }
        file.finish()?;
        (self.folder).write_json(&LayerPart::WHOLE.expanded(layer), &expanded)?;
        Ok(expanded)
    }

    /// The graph of a layer, from some of its rows, which come first and in their order.
    fn graph(&mut self, layer: usize, mut rows: RowReader) -> Result<Listing, DiskTableError> {
        let records = rows.rows();
        self.look(TableProgress {
            is_listing: true,
            layer,
            done: 0,
            states: records,
        })?;
        let widths = Widths::of(self.game, layer);
        let mut states = Vec::new();
        let skipped = widths.row() - widths.state;
        while let Some(row) = rows.next()? {
            states.extend_from_slice(&row[skipped..]);
        }
        let limits = self.limits_left();
        let roots = states.chunks_exact(widths.state);
        let found = explore_layer(
            self.game,
            layer,
            roots,
            self.threads,
            &mut Watch::new(&limits),
        );
        let explored = found.map_err(|error| match error {
            Unexplored::Flaw(_) => DiskTableError::Flaw(layer),
            Unexplored::Rise(states) => DiskTableError::Rise { layer, states },
            Unexplored::Graph(_) => DiskTableError::LargeLayer(layer),
            _ => DiskTableError::TooLarge,
        })?;
        match explored.stopped {
            None => Ok(explored),
            Some(StopReason::Memory) => Err(DiskTableError::LargeLayer(layer)),
            Some(reason) => Err(DiskTableError::Stopped(reason)),
        }
    }

    /// The limits that are left by now.
    fn limits_left(&self) -> Limits {
        Limits {
            memory: Some(self.memory),
            ..self.watch.limits().clone()
        }
    }

    /// Finds the values of all rows of a layer; `table` is the folder with those of lower layers.
    pub fn solve_cyclic(
        &mut self,
        layer: usize,
        table: &Folder,
        all: &Layers,
    ) -> Result<SolvedLayer, DiskTableError> {
        let rows = self.rows(layer)?;
        let states = rows.rows() as usize;
        let mut explored = self.graph(layer, rows)?;
        if explored.states() != states + explored.exits.len() {
            return Err(table.wrong(layer, "play leads to more states"));
        }
        for (exit, value) in self.exit_values(&explored, layer, table, all)? {
            explored.set_exit(exit, value);
        }
        let options = Options {
            threads: self.threads,
            ..Options::default()
        };
        let (solution, _) = explored.solve(&options, &self.limits_left(), &Publisher::default());
        match solution.stopped {
            None => {}
            Some(StopReason::Memory) => return Err(DiskTableError::LargeLayer(layer)),
            Some(StopReason::Precision) => return Err(DiskTableError::LongFractions(layer)),
            Some(reason) => return Err(DiskTableError::Stopped(reason)),
        }
        let values: Option<Vec<BigRational>> = (0..states).map(|it| solution.value(it)).collect();
        let values = values.ok_or(DiskTableError::LongFractions(layer))?;
        let denominators = values.iter().map(|value| value.denom().magnitude());
        let one = denominators.fold(BigUint::one(), |one, denominator| one.lcm(denominator));
        let value_bytes = one.bits().div_ceil(8) as usize;
        let widths = Widths::of(self.game, layer);
        let record = |(state, value): (usize, &BigRational)| {
            let mut key = Vec::new();
            widths.write_key(explored.key(state), &mut key);
            let parts = value.numer().magnitude() * (&one / value.denom().magnitude());
            let parts = parts.to_bytes_be();
            let zeros = vec![0; value_bytes - parts.len()];
            (key, [zeros, parts].concat())
        };
        Ok(SolvedLayer {
            records: values.iter().enumerate().map(record).collect(),
            value_bytes,
            one,
        })
    }

    /// Writes the keys and values of a layer, and the number that stands for 1 there.
    pub fn value_cyclic(
        &mut self,
        layer: usize,
        layers: &mut Layers,
    ) -> Result<(), DiskTableError> {
        let folder = self.folder;
        let solved = self.solve_cyclic(layer, folder, layers)?;
        let all = &mut layers.layers;
        let info = all.iter_mut().find(|info| info.layer == layer);
        let info = info.expect("the layer is one of these");
        info.value_bytes = solved.value_bytes;
        info.denominator = solved.one.to_string();
        let [mut keys, mut values] = Writer::create_both(folder, LayerPart::WHOLE, info)?;
        for (key, value) in &solved.records {
            keys.write(key)?;
            values.write(value)?;
        }
        keys.finish()?;
        values.finish()?;
        folder.write_json(Layers::FILE, layers)?;
        folder.remove(Kind::Rows, layer)
    }

    /// The values of the states of lower layers that a layer leads to.
    fn exit_values(
        &self,
        explored: &Listing,
        layer: usize,
        table: &Folder,
        all: &Layers,
    ) -> Result<Vec<(LayerExit, BigRational)>, DiskTableError> {
        let mut wanted: Vec<(usize, &[u64], usize)> = Vec::new();
        for (index, exit) in explored.exits.iter().enumerate() {
            wanted.push((exit.layer, explored.key(exit.state), index));
        }
        wanted.sort_unstable();
        let mut found = Vec::new();
        for same in wanted.chunk_by(|one, other| one.0 == other.0) {
            let missing = || table.wrong(layer, MISSING_STATE);
            let info = all.of(same[0].0).ok_or_else(missing)?;
            let one = info.one().ok_or_else(missing)?;
            let mut portions = Portions::open(table, info)?;
            let mut rest = same;
            while !rest.is_empty() {
                let records = portions.next(self.portion_bytes())?.ok_or_else(missing)?;
                let keys = rest.iter().map(|&(_, key, index)| (key, index));
                let count = records.look_up(keys, |index, value| {
                    let value = BigUint::from_bytes_be(value);
                    found.push((explored.exits[index], fraction(value, one.clone())));
                });
                rest = &rest[count.ok_or_else(missing)?..];
            }
        }
        Ok(found)
    }
}
