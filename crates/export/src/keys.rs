//! Keys of nodes: the words of the facts, and a last word for all else.

/// The last word of the key of the last node.
pub(crate) const OVER: u64 = u64::MAX;

/// The last word of the key of another node: the steps left, and the role's move plus 1 if it is made.
pub(crate) fn last_word(steps: u32, made: Option<u32>) -> u64 {
    u64::from(steps) << 32 | u64::from(made.map_or(0, |index| index + 1))
}

/// The steps left and the move made, of a last word.
pub(crate) fn parts(word: u64) -> (u32, Option<u32>) {
    ((word >> 32) as u32, (word as u32).checked_sub(1))
}
