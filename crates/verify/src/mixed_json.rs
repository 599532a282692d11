//! Mixed strategies as JSON text: one object, with one position on each line (`docs/mixed.md`).

use super::mixed::{MixedStrategy, Mixing};
use super::read::{ReadError, Reader, Wrong, parsed};
use super::shape::{Text, WrittenBounds, WrittenChoice};
use super::table::TermTable;
use super::write::{fraction, state, texts, write_sides};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The text in the field `format`.
pub(super) const MIXED_FORMAT: &str = "sqasp-mixed-strategy";

#[derive(Serialize, Deserialize)]
struct WrittenMixing<'a> {
    #[serde(borrow)]
    state: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u32>,
    #[serde(borrow)]
    mixture: Vec<WrittenChoice<'a>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    value: Option<Text<'a>>,
}

pub(super) fn read_mixed(text: &[u8]) -> Result<MixedStrategy, ReadError> {
    let written: WrittenBounds<'_, WrittenMixing<'_>> = parsed(text)?;
    let mut reader = Reader::default();
    let heading = reader.heading(&written.heading)?;
    let upper = reader.value(&written.upper.0)?;
    let player = reader.side("player", &written.player, mixing_of)?;
    let opponents = reader.side("opponents", &written.opponents, mixing_of)?;
    Ok(MixedStrategy {
        heading,
        upper,
        terms: reader.terms,
        player,
        opponents,
    })
}

fn mixing_of(reader: &mut Reader, written: &WrittenMixing<'_>) -> Result<Mixing, Wrong> {
    let mut choices = Vec::with_capacity(written.mixture.len());
    for choice in &written.mixture {
        let share = reader.share(&choice.probability)?;
        choices.push((reader.facts("moves", &choice.moves)?, share));
    }
    Ok(Mixing {
        position: reader.position(&written.state, written.steps)?,
        choices,
        value: reader.claim(written.value.as_ref())?,
    })
}

/// Writes a mixed strategy as JSON.
pub fn write_mixed(strategy: &MixedStrategy, to: &mut dyn Write) -> io::Result<()> {
    let more = format!(",\"upper\":\"{}\"", strategy.upper);
    let mixing = |mixing| written_mixing(&strategy.terms, mixing);
    write_sides(
        MIXED_FORMAT,
        &strategy.heading,
        &more,
        strategy.player.iter().map(mixing),
        strategy.opponents.iter().map(mixing),
        to,
    )
}

fn written_mixing<'a>(terms: &'a TermTable, mixing: &Mixing) -> WrittenMixing<'a> {
    let share = |(moves, share): &(Box<[u32]>, _)| WrittenChoice {
        moves: texts(terms, moves),
        probability: fraction(share),
        next: Vec::new(),
    };
    WrittenMixing {
        state: state(terms, &mixing.position.facts),
        steps: mixing.position.steps,
        mixture: mixing.choices.iter().map(share).collect(),
        value: mixing.value.as_ref().map(fraction),
    }
}
