//! Unsatisfiable cores and counterexamples: for each property the others that its proof needs, or a step that shows it is not
//! inductive.
//!
//! Every property of the set gets a literal that switches it on in the states before the last. A property
//! follows from those that the solver needed to refute a violation in the last state.

use super::houdini::Pool;
use super::prover::Claim;
use super::steps::{Play, Steps, Stop};
use super::verdict::Verdict;
use circuit::Literal;

/// A candidate on its way to a verdict.
pub(super) struct Candidate {
    pub(super) claim: Claim,
    /// Its instances in the pool.
    pub(super) numbers: Vec<usize>,
    pub(super) verdict: Option<Verdict>,
}

impl Candidate {
    pub(super) fn is_refuted(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Refuted(_)))
    }

    pub(super) fn is_proved(&self) -> bool {
        self.verdict.as_ref().is_some_and(Verdict::is_proved)
    }
}

/// Plays in which properties can be switched on.
pub(super) struct Reasons<'a> {
    steps: Box<dyn Steps + 'a>,
    last: usize,
    /// For each candidate of which some instances are left: its number, its switch, its name.
    switches: Vec<(usize, Literal, String)>,
}

impl<'a> Reasons<'a> {
    /// For the instances that are left in the pool. The plays have `last` steps from any state.
    pub(super) fn new(
        mut steps: Box<dyn Steps + 'a>,
        last: usize,
        pool: &Pool,
        candidates: &[Candidate],
    ) -> Result<Self, Stop> {
        let mut switches = Vec::new();
        for (number, candidate) in candidates.iter().enumerate() {
            let all = &candidate.numbers;
            let left: Vec<usize> = all.iter().copied().filter(|&n| pool.alive[n]).collect();
            if left.is_empty() {
                continue;
            }
            let switch = steps.new_literal();
            for &instance in &left {
                for time in 0..last {
                    let literal = steps.literal(&pool.conditions[instance], time)?;
                    steps.require(&[!switch, literal]);
                }
            }
            let mut name = candidate.claim.property.to_string();
            if left.len() < all.len() {
                name.push_str(&format!(" (for {} of {} instances)", left.len(), all.len()));
            }
            switches.push((number, switch, name));
        }
        Ok(Reasons {
            steps,
            last,
            switches,
        })
    }

    /// A literal that makes the candidate be violated in the last state.
    fn violation(&mut self, candidate: &Candidate) -> Result<Literal, Stop> {
        let goal = self.steps.new_literal();
        let mut clause = vec![!goal];
        for condition in &candidate.claim.instances {
            clause.push(!self.steps.literal(condition, self.last)?);
        }
        self.steps.require(&clause);
        Ok(goal)
    }

    /// The names of the others that a candidate of the set needs.
    pub(super) fn needed(
        &mut self,
        number: usize,
        candidates: &[Candidate],
    ) -> Result<Vec<String>, Stop> {
        let goal = self.violation(&candidates[number])?;
        let own = self.switches.iter().find(|(other, ..)| *other == number);
        let own: Vec<Literal> = own.map(|(_, switch, _)| *switch).into_iter().collect();
        let mut assumptions = own.clone();
        assumptions.push(goal);
        let mut found = self.steps.can_hold(&assumptions);
        if found == Ok(true) {
            let others = self.switches.iter().map(|(_, switch, _)| *switch);
            assumptions.extend(others.filter(|switch| !own.contains(switch)));
            found = self.steps.can_hold(&assumptions);
        }
        let needed = match found {
            Ok(false) => self.steps.core(),
            // The limit came in between; all of them are enough.
            _ => assumptions,
        };
        self.steps.require(&[!goal]);
        let others = self.switches.iter();
        let others =
            others.filter(|(other, switch, _)| *other != number && needed.contains(switch));
        Ok(others.map(|(.., name)| name.clone()).collect())
    }

    /// A step from a state in which everything left and the candidate hold to one where it does not.
    pub(super) fn counterexample(
        &mut self,
        number: usize,
        candidates: &[Candidate],
    ) -> Result<Option<Play>, Stop> {
        let goal = self.violation(&candidates[number])?;
        let mut assumptions = vec![goal];
        assumptions.extend(self.switches.iter().map(|(_, switch, _)| *switch));
        for condition in &candidates[number].claim.instances {
            for time in 0..self.last {
                assumptions.push(self.steps.literal(condition, time)?);
            }
        }
        let found = self.steps.can_hold(&assumptions);
        let found = found.map(|is_found| is_found.then(|| self.steps.play()));
        self.steps.require(&[!goal]);
        found
    }
}
