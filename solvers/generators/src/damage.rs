//! Damage to texts and other files, for readers that must refuse it or make sense of it.

use fastrand::Rng;

/// Changes a file in a few places: bytes become others, these pieces are put in, parts are left out, repeated and swapped, and sometimes
/// the rest is cut off. Something is left.
///
/// # Panics
/// If there are no pieces.
pub fn damage(rng: &mut Rng, bytes: &mut Vec<u8>, pieces: &[&str]) {
    for _ in 0..rng.usize(1..=5).min(rng.usize(1..=5)) {
        let at = rng.usize(..bytes.len().max(1)).min(bytes.len());
        let most = [1, 12, 40, bytes.len()][rng.usize(..4)];
        let end = bytes.len().min(at + rng.usize(..=most));
        let to = rng.usize(..=bytes.len());
        match rng.u8(..8) {
            0 if at < bytes.len() => bytes[at] = rng.u8(..),
            1 if at < bytes.len() => bytes[at] = rng.u8(b'0'..=b'9'),
            2 => bytes.insert(at, rng.u8(..)),
            3 => drop(bytes.drain(at..end)),
            4 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            5 if rng.u8(..3) == 0 => bytes.truncate(at),
            5 if at < to && to < bytes.len() => bytes.swap(at, to),
            _ => {
                let piece = pieces[rng.usize(..pieces.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
}
