//! A bound on the steps of every play, proved by groups of facts that only move forward.
//!
//! Of many groups of facts at most one holds at a time: the value of a counter, the content of a cell
//! (that was proved before). A step takes such a group from one value to another, or leaves it as it is.
//! The step is asked for possible changes until no new one is found. If the changes that can be
//! reached from the initial value have no cycle, the group moves forward only, and can change no
//! more often than the longest path from its initial value.
//!
//! A group that changes in every step bounds all plays, like a step counter. Or, with several groups:
//! if no step leaves all of them as they are, there are no more steps than all of them can make
//! changes, as with the cells of tic-tac-toe.
//!
//! ```text
//! (cell 1 1 _):  b -> x, b -> o           one change each; nine cells: nine steps
//! (step _):      1 -> 2 -> 3 -> ... -> 9  changes in every step: eight steps
//! ```
//!
//! Where there are no such groups, a sum over facts may do ([`measure`]).

use super::bounds::MAX_PAIRS;
use super::condition::{Atom, Condition};
use super::measure;
use super::property::Property;
use super::prover::Claim;
use super::steps::{Steps, Stop};
use circuit::Literal;
use circuit::invariants::find_one;
use std::collections::{BTreeSet, HashMap};

/// A bound for the number of steps of all plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    pub(super) steps: usize,
    /// The properties that it rests on.
    pub(super) using: Vec<Property>,
    /// How it was found, for people.
    pub(super) method: &'static str,
}

/// Facts of which at most one holds. If none of them may hold, that is a value too, the last.
struct Group {
    facts: Vec<usize>,
    may_be_empty: bool,
}

impl Group {
    fn values(&self) -> usize {
        self.facts.len() + usize::from(self.may_be_empty)
    }

    /// That the group has this value.
    fn is(&self, value: usize) -> Condition {
        match self.facts.get(value) {
            Some(&fact) => Condition::Atom(Atom::True(fact)),
            None => Condition::Count {
                least: 0,
                most: Some(0),
                atoms: self.facts.iter().map(|&fact| Atom::True(fact)).collect(),
            },
        }
    }

    fn initial(&self, initial: &BTreeSet<usize>) -> usize {
        let index = self.facts.iter().position(|fact| initial.contains(fact));
        index.unwrap_or(self.facts.len())
    }
}

/// The groups of the instances, exactly one before at most one; facts in no group alone.
fn groups(instances: &[&Condition], facts: usize) -> Vec<Group> {
    let mut found: Vec<Group> = Vec::new();
    for instance in instances {
        if let Condition::Count {
            least,
            most: Some(1),
            atoms,
        } = instance
        {
            let facts = atoms.iter().map(|atom| match atom {
                Atom::True(fact) => Some(*fact),
                _ => None,
            });
            if let Some(facts) = facts.collect::<Option<Vec<usize>>>() {
                found.push(Group {
                    facts,
                    may_be_empty: *least == 0,
                });
            }
        }
    }
    // Small groups first; a group that is part of others is enough to cover its facts.
    found.sort_by_key(|group| (group.may_be_empty, group.facts.len()));
    let mut covered = vec![false; facts];
    found.retain(|group| {
        let new = group.facts.iter().any(|&fact| !covered[fact]);
        group.facts.iter().for_each(|&fact| covered[fact] = true);
        new
    });
    found.extend((0..facts).filter(|&fact| !covered[fact]).map(|fact| Group {
        facts: vec![fact],
        may_be_empty: true,
    }));
    let mut pairs = 0;
    found.retain(|group| {
        pairs += group.values() * group.values();
        pairs <= MAX_PAIRS
    });
    found
}

/// Searches for a bound, given properties that hold. The plays have one step from any state; `facts` and
/// `moves` (of each role) is how many there are.
pub(super) fn bound(
    steps: &mut dyn Steps,
    known: &[Claim],
    facts: usize,
    moves: &[usize],
    initial: &BTreeSet<usize>,
) -> Result<Option<Bound>, Stop> {
    let mut selectors = Vec::new();
    for claim in known {
        let selector = steps.new_literal();
        for condition in &claim.instances {
            for time in 0..2 {
                let literal = steps.literal(condition, time)?;
                steps.require(&[!selector, literal]);
            }
        }
        selectors.push(selector);
    }
    let instances: Vec<&Condition> = known.iter().flat_map(|claim| &claim.instances).collect();
    let groups = groups(&instances, facts);
    let mut used = BTreeSet::new();
    let mut note = |core: Vec<Literal>| {
        used.extend((0..known.len()).filter(|&number| core.contains(&selectors[number])));
    };
    let mut forward = Vec::new();
    let changes = changes(steps, &groups, &selectors, &mut note)?;
    let mut best: Option<usize> = None;
    for (group, changes) in groups.iter().zip(&changes) {
        let start = group.initial(initial);
        let Some((length, stays)) = longest_path(start, changes) else {
            continue;
        };
        if !stays {
            best = Some(best.map_or(length, |best| best.min(length)));
        }
        if length > 0 {
            forward.push((group, length));
        }
    }
    let together = all_forward(steps, &forward, &selectors, &mut note)?;
    let mut method = "changes that go one way";
    let mut bound = best.into_iter().chain(together).min();
    if bound.is_none() {
        method = "a sum that falls";
        bound = measure::bound(steps, facts, moves, initial, &selectors, &mut note)?;
    }
    Ok(bound.map(|steps| Bound {
        steps,
        method,
        using: used
            .into_iter()
            .map(|number: usize| known[number].property.clone())
            .collect(),
    }))
}

/// For each group the changes of value that some step makes, also those from a value to itself.
fn changes(
    steps: &mut dyn Steps,
    groups: &[Group],
    selectors: &[Literal],
    note: &mut dyn FnMut(Vec<Literal>),
) -> Result<Vec<HashMap<usize, BTreeSet<usize>>>, Stop> {
    let mut now = Vec::new();
    let mut next = Vec::new();
    for group in groups {
        for (time, list) in [(0, &mut now), (1, &mut next)] {
            let literals = (0..group.values()).map(|value| steps.literal(&group.is(value), time));
            list.push(literals.collect::<Result<Vec<Literal>, Stop>>()?);
        }
    }
    // A literal for each pair of values that was not seen yet, which says that it is seen now.
    let mut unseen: HashMap<(usize, usize, usize), Literal> = HashMap::new();
    for (number, (now, next)) in now.iter().zip(&next).enumerate() {
        for (from, &before) in now.iter().enumerate() {
            for (to, &after) in next.iter().enumerate() {
                let pair = steps.new_literal();
                steps.require(&[!pair, before]);
                steps.require(&[!pair, after]);
                unseen.insert((number, from, to), pair);
            }
        }
    }
    let mut changes: Vec<HashMap<usize, BTreeSet<usize>>> = vec![HashMap::new(); groups.len()];
    loop {
        // The value of each group before and after the step that was found.
        let seen = find_one(steps, unseen.values().copied(), selectors, |steps| {
            let value = |literals: &[Literal]| literals.iter().position(|&l| steps.is_true(l));
            let values = now.iter().zip(&next).enumerate();
            let values = values
                .filter_map(|(number, (now, next))| Some((number, value(now)?, value(next)?)));
            values.collect::<Vec<_>>()
        });
        let Some(seen) = seen? else {
            note(steps.core());
            return Ok(changes);
        };
        for (number, from, to) in seen {
            unseen.remove(&(number, from, to));
            changes[number].entry(from).or_default().insert(to);
        }
    }
}

/// The longest path from a value, and whether some value on the way can stay as it is; `None` if there is
/// a cycle.
fn longest_path(start: usize, changes: &HashMap<usize, BTreeSet<usize>>) -> Option<(usize, bool)> {
    let targets = |value: usize| {
        let targets = changes.get(&value).into_iter().flatten().copied();
        targets
            .filter(move |&target| target != value)
            .collect::<Vec<usize>>()
    };
    // Depth first without recursion: a value is finished when all its targets are.
    let mut length: HashMap<usize, Option<usize>> = HashMap::new();
    let mut open = vec![start];
    let mut stays = false;
    while let Some(&value) = open.last() {
        match length.get(&value) {
            Some(Some(_)) => {
                open.pop();
            }
            // All targets have been looked at.
            Some(None) => {
                let longest = targets(value)
                    .into_iter()
                    .map(|target| match length.get(&target) {
                        Some(Some(length)) => Some(length + 1),
                        _ => None,
                    });
                let longest = longest.collect::<Option<Vec<usize>>>()?;
                length.insert(value, Some(longest.into_iter().max().unwrap_or(0)));
                open.pop();
            }
            None => {
                length.insert(value, None);
                stays |= changes
                    .get(&value)
                    .is_some_and(|targets| targets.contains(&value));
                for target in targets(value) {
                    match length.get(&target) {
                        None => open.push(target),
                        // On the present path: a cycle, unless it is only waiting for its turn.
                        Some(None) => return None,
                        Some(Some(_)) => {}
                    }
                }
            }
        }
    }
    length[&start].map(|length| (length, stays))
}

/// The sum of the paths of groups of which every step changes at least one.
fn all_forward(
    steps: &mut dyn Steps,
    forward: &[(&Group, usize)],
    selectors: &[Literal],
    note: &mut dyn FnMut(Vec<Literal>),
) -> Result<Option<usize>, Stop> {
    let mut still = Vec::new();
    for (group, _) in forward {
        let unchanged = steps.new_literal();
        for value in 0..group.values() {
            let now = steps.literal(&group.is(value), 0)?;
            let next = steps.literal(&group.is(value), 1)?;
            steps.require(&[!unchanged, !now, next]);
        }
        still.push(unchanged);
    }
    let assumptions: Vec<Literal> = selectors.iter().chain(&still).copied().collect();
    if steps.can_hold(&assumptions)? {
        return Ok(None);
    }
    let core = steps.core();
    let needed = still.iter().zip(forward);
    let needed = needed.filter(|(literal, _)| core.contains(literal));
    let sum = needed.map(|(_, (_, length))| length).sum();
    note(core);
    Ok(Some(sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_measured_and_circles_noticed() {
        let graph = |edges: &[(usize, usize)]| {
            let mut changes: HashMap<usize, BTreeSet<usize>> = HashMap::new();
            for &(from, to) in edges {
                changes.entry(from).or_default().insert(to);
            }
            changes
        };
        assert_eq!(longest_path(0, &graph(&[])), Some((0, false)));
        let diamond = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (1, 4)];
        assert_eq!(longest_path(0, &graph(&diamond)), Some((3, false)));
        assert_eq!(longest_path(0, &graph(&[(0, 1), (1, 1)])), Some((1, true)));
        assert_eq!(longest_path(0, &graph(&[(0, 1), (1, 2), (2, 1)])), None);
        // A cycle that cannot be reached does not matter.
        assert_eq!(
            longest_path(0, &graph(&[(0, 1), (2, 3), (3, 2)])),
            Some((1, false))
        );
        // A value that waits while another one leads to it is no cycle.
        let waiting = [(0, 1), (0, 2), (2, 1), (1, 3)];
        assert_eq!(longest_path(0, &graph(&waiting)), Some((3, false)));
    }
}
