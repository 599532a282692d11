//! Parts of the work on a layer: the states of each part, and the files that it fills.
//!
//! ```text
//! states of a layer in order    0 ........ a ........ b ........ n
//! part 0 of 3                   [ 0, a )
//! part 1 of 3                              [ a, b )
//! part 2 of 3                                         [ b, n )
//! ```
//!
//! Each part reads the states of its range and writes files of its own, which `merge` joins. A process that works
//! alone does part 0 of 1: its files are those of the layer.

use crate::kind::Kind;
use std::ops::Range;

/// A part of the work on a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayerPart {
    /// The index of the part, from 0 on.
    pub index: usize,
    pub count: usize,
}

impl LayerPart {
    /// All of the work.
    pub const WHOLE: LayerPart = LayerPart { index: 0, count: 1 };

    pub fn all(count: usize) -> impl Iterator<Item = LayerPart> {
        (0..count).map(move |index| LayerPart { index, count })
    }

    /// The range of item indices of this part, of so many items.
    pub fn of(self, items: u64) -> Range<u64> {
        let cut = |index: usize| {
            let cut = u128::from(items) * index as u128 / self.count as u128;
            u64::try_from(cut).expect("it is at most the number of items")
        };
        cut(self.index)..cut(self.index + 1)
    }

    /// The name of the file of this part with records of a layer.
    pub fn shard(self, kind: Kind, layer: usize) -> String {
        let ending = kind.ending();
        match self {
            LayerPart::WHOLE => format!("{layer:05}.0.{ending}"),
            LayerPart { index, count } => format!("{layer:05}.{index}-of-{count}.{ending}"),
        }
    }

    /// The name of the file of this part with the facts about a layer that was expanded.
    pub fn expanded(self, layer: usize) -> String {
        match self {
            LayerPart::WHOLE => format!("{layer:05}.json"),
            LayerPart { index, count } => format!("{layer:05}.{index}-of-{count}.json"),
        }
    }
}

/// Whether this is the name of a file of one part of several.
pub fn is_of_part(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let fields: Vec<&str> = name.split('.').collect();
    let [layer, part, ending] = fields[..] else {
        return false;
    };
    let is_part = |(index, count)| is_number(index) && is_number(count);
    is_number(layer)
        && part.split_once("-of-").is_some_and(is_part)
        && ["json", "rows", "keys", "values"].contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_each_item_once() {
        for items in [0, 1, 7, 1000, u64::MAX] {
            for count in [1, 2, 3, 1024] {
                let mut next = 0;
                for part in LayerPart::all(count) {
                    let range = part.of(items);
                    assert_eq!(range.start, next);
                    next = range.end;
                }
                assert_eq!(next, items);
            }
        }
    }

    #[test]
    fn files_of_parts_are_known_by_their_names() {
        for name in ["00012.3-of-8.rows", "00012.3-of-8.json"] {
            assert!(is_of_part(name), "{name}");
        }
        for name in [
            "00012.0.rows",
            "00012.json",
            "layers.json",
            "my.3-of-8.rows",
            "1.a-of-8.rows",
        ] {
            assert!(!is_of_part(name), "{name}");
        }
    }
}
