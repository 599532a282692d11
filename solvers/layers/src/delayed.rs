//! Delayed rows: those found for later layers, where layers are a measure and a step may lead to any lower one.
//!
//! ```text
//! layer 9 --expand--> 9.below:  rows of layer 8 | rows of layer 6 | rows of layer 2
//! layer 8 --expand--> 8.below:                    rows of layer 6 | rows of layer 5
//!                                                 `--- merged when layer 6 begins ---> 6.rows
//! ```
//!
//! One file for each layer that was expanded has all that follows from it, sorted by how far below it stands; so its rows of
//! one layer stand together. When a layer begins, its rows in all files are merged, each key once: duplicates are found that
//! late, and nothing is looked up (Korf, JACM 2008). A state is in one layer, however play leads to it.

use crate::codec::Widths;
use crate::error::DiskTableError;
use crate::kind::Kind;
use crate::manifest::Expanded;
use crate::part::LayerPart;
use crate::rows::{Source, merge_sources};
use crate::work::Work;
use std::collections::BTreeMap;
use std::ops::Range;
use stochastic_game::StochasticGame;

/// Layers that have not begun, and where their rows are.
#[derive(Default)]
pub struct DelayedRows {
    sections: BTreeMap<usize, Vec<Section>>,
}

/// The rows that one layer found for another.
struct Section {
    /// The layer that was expanded.
    from: usize,
    rows: Range<u64>,
    /// Whether these are the last rows of their file.
    is_last: bool,
}

impl DelayedRows {
    /// Notes what was found behind a layer.
    pub fn add(&mut self, from: usize, expanded: &Expanded) {
        let mut start = 0;
        for (number, &(layer, rows)) in expanded.below.iter().enumerate() {
            let section = Section {
                from,
                rows: start..start + rows,
                is_last: number + 1 == expanded.below.len(),
            };
            start += rows;
            self.sections.entry(layer).or_default().push(section);
        }
    }

    /// The highest layer that has rows.
    pub fn highest(&self) -> Option<usize> {
        self.sections.last_key_value().map(|(&layer, _)| layer)
    }
}

impl<G: StochasticGame> Work<'_, G> {
    /// Writes the rows of a layer, unless they are there, and removes files that are of no use then. All layers that lead to it must be
    /// expanded.
    pub fn begin_layer(
        &self,
        layer: usize,
        delayed: &mut DelayedRows,
    ) -> Result<(), DiskTableError> {
        let folder = self.folder;
        let sections = delayed.sections.remove(&layer).unwrap_or_default();
        if !folder.has(Kind::Rows, layer) {
            let (whole, mut sources) = (LayerPart::WHOLE, Vec::new());
            for section in &sections {
                let mut file = self.row_reader(whole, Kind::Below, section.from)?;
                file.turn_to(section.rows.clone())?;
                sources.push(Source::File(file, 1));
            }
            let mut rows = self.row_writer(whole, Kind::Rows, layer)?;
            let key = Widths::of(self.game, layer).key;
            merge_sources(&mut sources, key, &self.limits, |row| rows.write(row))?;
            rows.finish()?;
        }
        for section in sections.iter().filter(|section| section.is_last) {
            folder.remove(Kind::Below, section.from)?;
        }
        Ok(())
    }
}
