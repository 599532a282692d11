//! Keys and values of the layer behind, held in memory while they are looked up.
//!
//! A layer that fits is held: it was just valued, or is read once. One that does not fit is read in portions. All
//! threads look up their keys in the same portion.

use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::manifest::LayerInfo;
use crate::shard::Reader;
use std::cmp::Ordering;

/// Records of a layer that stand behind each other: keys, in order, and their values.
pub struct Records {
    key_bytes: usize,
    value_bytes: usize,
    keys: Vec<u8>,
    values: Vec<u8>,
}

impl Records {
    /// None yet.
    pub fn new(info: &LayerInfo) -> Self {
        Records {
            key_bytes: info.key_bytes,
            value_bytes: info.value_bytes,
            keys: Vec::new(),
            values: Vec::new(),
        }
    }

    /// None yet, with room for all of a layer.
    pub fn with_room(info: &LayerInfo) -> Self {
        let mut records = Records::new(info);
        let states = usize::try_from(info.states).unwrap_or(usize::MAX);
        records.keys.reserve_exact(states * info.key_bytes);
        records.values.reserve_exact(states * info.value_bytes);
        records
    }

    /// Adds the keys of the next records.
    pub fn add_keys(&mut self, keys: &[u8]) {
        self.keys.extend_from_slice(keys);
    }

    /// Adds the values of the next records.
    pub fn add_values(&mut self, values: &[u8]) {
        self.values.extend_from_slice(values);
    }

    fn len(&self) -> usize {
        self.keys.len() / self.key_bytes
    }

    fn bytes(&self) -> u64 {
        (self.keys.capacity() + self.values.capacity()) as u64
    }

    /// Compares the key of a record with the words of a key.
    fn compare(&self, record: usize, key: &[u64]) -> Ordering {
        let start = record * self.key_bytes;
        for (number, word) in key.iter().enumerate() {
            let from = start + 8 * number;
            let bytes = (self.key_bytes - 8 * number).min(8);
            // One load of eight bytes is faster than a loop. The last key has fewer bytes behind it.
            let here = match self.keys.get(from..from + 8) {
                Some(eight) => {
                    u64::from_be_bytes(eight.try_into().expect("eight")) >> (64 - 8 * bytes)
                }
                None => {
                    let rest = self.keys[from..from + bytes].iter();
                    rest.fold(0, |all, &byte| all << 8 | u64::from(byte))
                }
            };
            match here.cmp(word) {
                Ordering::Equal => {}
                order => return order,
            }
        }
        Ordering::Equal
    }

    /// The first record, from one on, whose key is not below a key: by steps that double, and then by halves.
    fn find(&self, key: &[u64], from: usize) -> usize {
        let is_below = |record: usize| self.compare(record, key) == Ordering::Less;
        let (mut start, mut step) = (from, 1);
        while start + step <= self.len() && is_below(start + step - 1) {
            start += step;
            step *= 2;
        }
        let mut end = (start + step - 1).min(self.len());
        while start < end {
            let middle = start + (end - start) / 2;
            match is_below(middle) {
                true => start = middle + 1,
                false => end = middle,
            }
        }
        start
    }

    /// Finds keys, in order, each with a number, up to the last of these records; `found` gets the number and the bytes of the value of each. Returns
    /// the number of keys that were found; nothing if one is missing.
    pub fn find_all<'k>(
        &self,
        keys: impl Iterator<Item = (&'k [u64], usize)>,
        mut found: impl FnMut(usize, &[u8]),
    ) -> Option<usize> {
        let (mut record, mut count) = (0, 0);
        for (key, number) in keys {
            record = self.find(key, record);
            if record == self.len() {
                break;
            }
            if self.compare(record, key) != Ordering::Equal {
                return None;
            }
            let value = &self.values[record * self.value_bytes..][..self.value_bytes];
            found(number, value);
            count += 1;
        }
        Some(count)
    }
}

/// Reads a layer in portions.
pub struct Portions<'a> {
    info: &'a LayerInfo,
    files: [Reader; 2],
}

impl<'a> Portions<'a> {
    /// Opens the files of a layer.
    pub fn open(folder: &Folder, info: &'a LayerInfo) -> Result<Self, DiskTableError> {
        let files = Reader::open_both(folder, info)?;
        Ok(Portions { info, files })
    }

    /// The next records, with about this many bytes; nothing at the end.
    pub fn next(&mut self, bytes: u64) -> Result<Option<Records>, DiskTableError> {
        let mut portion = Records::new(self.info);
        let [keys, values] = &mut self.files;
        let count = (bytes / record_bytes(self.info)).max(1);
        let count = usize::try_from(count.min(self.info.states)).unwrap_or(usize::MAX);
        read(keys, count, self.info.key_bytes, &mut portion.keys)?;
        read(values, count, self.info.value_bytes, &mut portion.values)?;
        Ok((portion.len() > 0).then_some(portion))
    }
}

/// Reads the next records of a file.
fn read(
    file: &mut Reader,
    mut records: usize,
    bytes: usize,
    to: &mut Vec<u8>,
) -> Result<(), DiskTableError> {
    to.reserve_exact(records * bytes);
    while records > 0 {
        let here = file.next_some(records)?;
        if here.is_empty() {
            break;
        }
        records -= here.len() / bytes;
        to.extend_from_slice(here);
    }
    Ok(())
}

/// The bytes of a record in memory.
fn record_bytes(info: &LayerInfo) -> u64 {
    (info.key_bytes + info.value_bytes) as u64
}

/// The bytes of a layer in memory.
fn layer_bytes(info: &LayerInfo) -> u64 {
    info.states.saturating_mul(record_bytes(info))
}

/// The layer that is held in memory, if one is.
pub struct HeldLayer {
    /// The bytes that it may take, and those of the layer that is valued beside it.
    room: u64,
    held: Option<(usize, Records)>,
}

impl HeldLayer {
    /// None yet.
    pub fn new(room: u64) -> Self {
        HeldLayer { room, held: None }
    }

    /// Whether there is room for another layer beside the one that is held.
    pub fn has_room(&self, info: &LayerInfo) -> bool {
        self.bytes().saturating_add(layer_bytes(info)) <= self.room
    }

    /// The bytes of the layer that is held.
    pub fn bytes(&self) -> u64 {
        let held = self.held.as_ref();
        held.map_or(0, |(_, records)| records.bytes())
    }

    /// A layer, if it is held.
    pub fn get(&self, layer: usize) -> Option<&Records> {
        let held = self.held.as_ref().filter(|(held, _)| *held == layer);
        held.map(|(_, records)| records)
    }

    /// Holds no layer any more.
    pub fn clear(&mut self) {
        self.held = None;
    }

    /// Holds a layer in place of the one before.
    pub fn insert(&mut self, layer: usize, records: Records) {
        self.held = Some((layer, records));
    }

    /// Holds a layer in place of the one before, if it fits: it is read, unless it is there.
    pub fn read(&mut self, folder: &Folder, info: &LayerInfo) -> Result<(), DiskTableError> {
        if self.get(info.layer).is_none() {
            self.clear();
            if self.has_room(info) {
                let all = Portions::open(folder, info)?.next(u64::MAX)?;
                self.insert(info.layer, all.unwrap_or_else(|| Records::new(info)));
            }
        }
        Ok(())
    }
}
