//! The files of all parts of a layer, merged into the files that one process alone would have written.
//!
//! Forwards a state may be in several parts: sorted rows are merged, each key once. Backwards the parts are ranges of one
//! order, so keys and values stand one part behind the other.

use crate::codec::Widths;
use crate::error::DiskTableError;
use crate::folder::remove;
use crate::kind::Kind;
use crate::manifest::{Expanded, LayerInfo};
use crate::part::LayerPart;
use crate::rows::{Source, merge_sources};
use crate::shard::{Reader, Shard, Writer};
use crate::work::Work;
use arena::StochasticGame;

impl<G: StochasticGame> Work<'_, G> {
    /// Joins what all parts found behind a layer.
    pub fn join_listed(&self, layer: usize, count: usize) -> Result<Expanded, DiskTableError> {
        let folder = self.folder;
        let mut expanded = Vec::new();
        for part in LayerPart::all(count) {
            expanded.push(folder.read_needed(&part.expanded(layer))?);
        }
        let expanded = Expanded::join(expanded);
        folder.write_json(&LayerPart::WHOLE.expanded(layer), &expanded)?;
        let next = layer - 1;
        if next > 0 {
            let key = Widths::of(self.game, next).key;
            let open = |part| Ok(Source::File(self.row_reader(part, next)?));
            let mut parts = LayerPart::all(count)
                .map(open)
                .collect::<Result<Vec<_>, DiskTableError>>()?;
            let mut file = self.row_writer(LayerPart::WHOLE, next)?;
            merge_sources(&mut parts, key, &self.limits, |row| file.write(row))?;
            file.finish()?;
        }
        for part in LayerPart::all(count) {
            remove(&folder.shard_of(part, Kind::Rows, next))?;
            remove(&folder.path().join(part.expanded(layer)))?;
        }
        Ok(expanded)
    }

    /// Joins the keys and values of all parts of a layer.
    pub fn join_valued(&self, info: &LayerInfo, count: usize) -> Result<(), DiskTableError> {
        let folder = self.folder;
        let shards = Shard::of_states(LayerPart::WHOLE, info);
        for shard in shards {
            let mut file = Writer::create(folder, shard)?;
            for part in LayerPart::all(count) {
                let mut records = Reader::open(folder, Shard { part, ..shard })?;
                while let Some(record) = records.next()? {
                    file.write(record)?;
                }
            }
            file.finish()?;
        }
        for part in LayerPart::all(count) {
            let mut parts = shards.iter().map(|&shard| Shard { part, ..shard });
            parts.try_for_each(|shard| remove(&shard.path(folder)))?;
        }
        folder.remove(Kind::Rows, info.layer)
    }
}
