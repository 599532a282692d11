//! Telling one set of rules from another.

use gdl::game::Game;
use sha2::{Digest, Sha256};

/// The SHA-256 of the rules' canonical text, in lower-case hexadecimal: every rule in normal form as
/// canonical KIF text, in the order of the file, joined by newlines. Comments, layout, capitals and
/// the two ways of writing do not count; the order of rules and names of variables do.
pub fn fingerprint(game: &Game) -> String {
    let mut hash = Sha256::new();
    for (index, rule) in game.rules().iter().enumerate() {
        if index > 0 {
            hash.update(b"\n");
        }
        hash.update(rule.to_string().as_bytes());
    }
    let digest = hash.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
