//! The way to a flaw: from the state asked about to one that has no value.
//!
//! A search that goes from state to state has the way at hand, as its open questions. Where all states are
//! listed it is found here, breadth first, so no way is shorter.

use crate::compile::Compiled;
use crate::expand::{Expander, followers};
use crate::horizon::key;
use crate::units::Units;
use limits::{Halt, StopReason, Watch};
use rustc_hash::FxHashSet;

/// The facts that matter of some states, each of which follows the one before; the last one has a flaw, or
/// one of its successors.
pub type Trail = Vec<Box<[u64]>>;

/// A state that was met: its facts, and which one it follows.
struct Met {
    facts: Box<[u64]>,
    before: Option<usize>,
}

/// Finds a shortest way from a state to a flaw, of at most so many states; none if there is none.
///
/// # Errors
/// If a limit comes first.
pub fn find(
    compiled: &Compiled,
    facts: &[u64],
    steps: usize,
    watch: &mut Watch<'_>,
) -> Result<Option<Trail>, StopReason> {
    let units = Units::<u64>::plain(2);
    let mut arena = compiled.arena();
    let clock = watch.clock().clone();
    let halt = Halt::new(&clock, None);
    let memory = watch.memory_limit();
    let mut expander = Expander::new(compiled, compiled.most_nodes(memory), halt);
    // Each state is kept as facts and as a key.
    let state = (8 * (facts.len() + compiled.keys.words()) + 96) as u64;
    let mut met = vec![Met {
        facts: facts.into(),
        before: None,
    }];
    let mut known = FxHashSet::from_iter([key(compiled, facts)]);
    let mut done = 0;
    for _ in 0..steps {
        let layer = done..met.len();
        done = layer.end;
        for number in layer {
            let taken = met.len() as u64 * state;
            watch.look_and_tell(
                "looking for the way to a flaw",
                number as u64,
                taken,
                || None,
            )?;
            if memory.is_some_and(|most| taken > most) {
                return Err(StopReason::Memory);
            }
            let facts = met[number].facts.clone();
            let found = followers(&mut expander, &mut arena, &units, &facts);
            let Some(found) = found else {
                return Err(clock.look().err().unwrap_or(StopReason::Memory));
            };
            if expander.has_flaw() {
                let mut trail = Vec::new();
                let mut next = Some(number);
                while let Some(number) = next {
                    trail.push(met[number].facts.clone());
                    next = met[number].before;
                }
                trail.reverse();
                return Ok(Some(trail));
            }
            for node in found {
                if arena.nodes[node].is_known() {
                    continue;
                }
                arena.set_key(node, &compiled.keys);
                if known.insert(arena.key(node).into()) {
                    met.push(Met {
                        facts: arena.facts(node).into(),
                        before: Some(number),
                    });
                }
            }
        }
    }
    Ok(None)
}
