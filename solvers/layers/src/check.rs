//! The check that a table is whole: checksums of all files, the order of keys, and the range of values.

use crate::codec::read_fraction;
use crate::error::DiskTableError;
use crate::kind::Kind;
use crate::manifest::{Expanded, Layers, Manifest};
use crate::part::LayerPart;
use crate::shard::Reader;
use crate::table::{DiskTable, NO_FRACTION};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::One;
use serde::Serialize;
use std::collections::BTreeSet;

/// The counts of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct CheckedFiles {
    /// The number of files, whose checksums are right.
    pub files: u64,
    /// States, each of whose keys is in order and whose value is at most 1.
    pub states: u64,
    /// The names of files in the folder that are no part of the table, in order.
    pub others: Vec<String>,
}

/// Reads all files of a table.
pub fn check(table: &DiskTable) -> Result<CheckedFiles, DiskTableError> {
    let folder = table.folder();
    // These two were read when it was opened.
    let mut files: BTreeSet<String> = [Manifest::FILE, Layers::FILE].map(str::to_owned).into();
    let mut states = 0;
    for info in table.layers() {
        let expanded = LayerPart::WHOLE.expanded(info.layer);
        folder.read_needed::<Expanded>(&expanded)?;
        let [mut keys, mut values] = Reader::open_both(folder, info)?;
        let mut last: Option<Vec<u8>> = None;
        while let Some(key) = keys.next()? {
            if last.as_ref().is_some_and(|last| **last >= *key) {
                return Err(DiskTableError::damaged(
                    keys.path(),
                    "keys are not in order",
                ));
            }
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(key);
        }
        let one: Option<Vec<u8>> = info.one().as_ref().map(BigUint::to_bytes_be);
        let one = one.filter(|one| one.len() == info.value_bytes);
        while let Some(value) = values.next()? {
            if folder.manifest.mixed {
                let value = read_fraction(value).filter(|value| *value <= BigRational::one());
                value.ok_or_else(|| DiskTableError::damaged(values.path(), NO_FRACTION))?;
            } else if one.as_ref().is_none_or(|one| *value > **one) {
                return Err(DiskTableError::damaged(values.path(), "a value exceeds 1"));
            }
            states += 1;
        }
        files.insert(expanded);
        files.extend(
            [Kind::Keys, Kind::Values].map(|kind| LayerPart::WHOLE.shard(kind, info.layer)),
        );
    }
    let mut others = folder.names()?;
    others.retain(|name| !files.contains(name));
    others.sort();
    let files = files.len() as u64;
    Ok(CheckedFiles {
        files,
        states,
        others,
    })
}
