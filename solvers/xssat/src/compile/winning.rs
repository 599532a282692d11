//! Winning literals: literals that alone make every later check true, found backwards over the
//! cuts. In games, "the game has ended" is one: nothing is asked of moves after the end. A state
//! with such a literal has value 1 and is not looked at further; in all other states the literal is
//! false, so it need not be part of the key.
//!
//! To test a literal, the segment is executed with three values: the literal is true, everything
//! else known at the cut is unknown, chance and universal variables are unknown, and existential
//! variables take the first assignment under which the checks of their stage are certainly true.
//! After a selection, what all assignments that may be allowed agree on is known, if at least one
//! is certainly allowed.
//! If all checks hold and a winning literal of the next cut comes out true (or there is none to
//! come), the literal wins: the assignments found are a strategy that works in all cases.

use super::code::{Code, UNKNOWN, three_valued};
use super::segment::{Choice, Segment, Stage};
use formula::Quantifier;

/// Whether this slot with this value wins. `values` is as long as all slots and is overwritten
/// in `slots`, those of the segment; `last` says that no segment follows.
pub fn wins(
    code: &Code,
    segment: &Segment,
    values: &mut [u8],
    slots: std::ops::Range<usize>,
    slot: u32,
    value: bool,
    last: bool,
) -> bool {
    values[slots].fill(UNKNOWN);
    values[slot as usize] = u8::from(value);
    let passes = segment
        .stages
        .iter()
        .all(|stage| passes(code, stage, values, slot));
    passes
        && (last
            || segment.winning.iter().any(|&literal| {
                let value = values[(literal >> 1) as usize];
                value != UNKNOWN && value != (literal & 1) as u8
            }))
}

/// Executes one stage; says whether all its checks are certainly true.
fn passes(code: &Code, stage: &Stage, values: &mut [u8], pinned: u32) -> bool {
    let execute = |values: &mut [u8]| {
        !code.may_be_violated(&stage.early, values) && {
            code.execute_three_valued(stage.operations.clone(), values, pinned);
            !code.may_be_violated(&stage.late, values)
        }
    };
    match &stage.choice {
        Some(choice) if is_selected(choice, values) => {
            select(code, choice, values) && execute(values)
        }
        Some(choice) if choice.quantifier == Quantifier::Exists || choice.selection.is_some() => {
            let allowed = choice.demands.as_ref();
            let allowed =
                allowed.map_or(u64::MAX, |demands| demands.certainly_allowed(code, values));
            choice.patterns.iter().enumerate().any(|(number, pattern)| {
                if allowed >> number & 1 == 0 {
                    return false;
                }
                for &slot in &choice.slots {
                    values[slot as usize] = 0;
                }
                for &slot in pattern {
                    values[slot as usize] = 1;
                }
                execute(values)
            })
        }
        _ => execute(values),
    }
}

/// Whether an assignment may be selected by somebody other than the maximising player.
fn is_selected(choice: &Choice, values: &[u8]) -> bool {
    match choice.selection {
        None => false,
        Some(None) => true,
        Some(Some(unless)) => three_valued(values, unless) != 1,
    }
}

/// Sets the variables of a selection to what is known of them whoever selects; says whether some
/// assignment is certainly allowed.
fn select(code: &Code, choice: &Choice, values: &mut [u8]) -> bool {
    let demands = choice.demands.as_ref().expect("selections are listed");
    let possible = demands.possibly_allowed(code, values);
    let certain = demands.certainly_allowed(code, values) != 0;
    let numbered = choice.patterns.iter().enumerate();
    let possible: Vec<&Vec<u32>> = numbered
        .filter(|(number, _)| possible >> number & 1 == 1)
        .map(|(_, pattern)| pattern)
        .collect();
    for slot in &choice.slots {
        let count = possible.iter().filter(|p| p.contains(slot)).count();
        values[*slot as usize] = match count {
            0 => 0,
            count if count == possible.len() => 1,
            _ => UNKNOWN,
        };
    }
    certain
}
