//! Whether a table is whole: checksums, order and ranges of all files.

use crate::error::DiskTableError;
use crate::kind::Kind;
use crate::shard::Reader;
use crate::table::DiskTable;
use num_bigint::BigUint;

/// What was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Files whose checksums are right.
    pub files: u64,
    /// States, each of whose keys is in order and whose value is at most 1.
    pub states: u64,
}

/// Reads all files of a table.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(table: &DiskTable) -> Result<Checked, DiskTableError> {
    let mut checked = Checked::default();
    let folder = table.folder();
    for info in table.layers() {
        let mut keys = Reader::open(folder, Kind::Keys, info.layer, info.key_bytes)?;
        let mut values = Reader::open(folder, Kind::Values, info.layer, info.value_bytes)?;
        for file in [&keys, &values] {
            if file.records() != info.states {
                let why = format!("it has {} records, not {}", file.records(), info.states);
                return Err(DiskTableError::damaged(file.path(), why));
            }
        }
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
            if one.as_ref().is_none_or(|one| *value > **one) {
                return Err(DiskTableError::damaged(values.path(), "a value exceeds 1"));
            }
            checked.states += 1;
        }
        checked.files += 2;
    }
    Ok(checked)
}
