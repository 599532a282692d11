//! Counting heuristic: a lower bound of the moves of a path, from the facts that have to change.
//!
//! Some facts have another value at the end of every path to the highest level than in the initial state, such as
//! "this cell is empty" where all cells have to be filled. If each move can change only a few of them, many
//! moves are needed:
//!
//! ```text
//! 45 cells are empty, and a move fills one: 45 moves at least
//! ```
//!
//! Where a move can change several of them, each counts for a part of it: 1/n of a move, if n is the most that a
//! move which changes the fact can change. (Counting goals with costs divided among them: M. Katz and C.
//! Domshlak, *Optimal additive composition of abstraction-based admissible heuristics*, 2008.)

use super::bounds::{COUNTING_CONFLICTS, MAX_COLLAPSED_GATES};
use super::clauses::Clauses;
use super::effects::{CollapsedStep, known};
use super::{Problem, Watcher};
use circuit::invariants::{Claim, constant_facts, houdini};
use circuit::{Literal, May};
use std::cell::Cell;

/// One move, in the parts that facts count for.
const MOVE: u64 = 1 << 32;

/// Rules out the numbers of moves that are too small for the highest level.
pub fn rule_out(problem: &Problem<'_>, watcher: &dyn Watcher) {
    let Some(top) = problem.levels.len().checked_sub(1) else {
        return;
    };
    let constant = constant_facts(problem.step);
    let changing = must_change(problem, &constant, problem.levels[top], watcher);
    if let Some(moves) = moves_needed(problem, &constant, &changing, watcher)
        && moves > 0
    {
        watcher.rule_out(top, Some(moves - 1));
    }
}

/// The facts that differ from the initial state in every terminal state of a level.
fn must_change(
    problem: &Problem<'_>,
    constant: &[bool],
    level: Literal,
    watcher: &dyn Watcher,
) -> Vec<usize> {
    let step = problem.step;
    let is_stopped = Cell::new(false);
    let mut clauses = Clauses::new(problem, COUNTING_CONFLICTS, 0, watcher, &is_stopped);
    // A terminal state close to the initial one shows of many facts at once that they need not change.
    let facts = clauses.any_state(constant);
    for lit in clauses.signals(&[step.terminal, level], &facts) {
        clauses.gates.require(&[lit]);
    }
    let may_change: Vec<usize> = (0..facts.len()).filter(|&fact| !constant[fact]).collect();
    let claim = |&fact: &usize| Claim {
        before: Vec::new(),
        after: vec![facts[fact].negated_if(step.initial[fact])],
    };
    let claims: Vec<Claim> = may_change.iter().map(claim).collect();
    let proved = houdini(&mut clauses.gates, &claims, 1, |_, _| ());
    let proved = proved.unwrap_or_default().into_iter();
    proved.map(|number| may_change[number]).collect()
}

/// How many moves change all these facts at least; none if that cannot be proved.
fn moves_needed(
    problem: &Problem<'_>,
    constant: &[bool],
    changing: &[usize],
    watcher: &dyn Watcher,
) -> Option<u32> {
    let step = problem.step;
    let base = known(step, constant);
    let mut collapsed = CollapsedStep::new(step, &base, changing);
    // The count of each fact: the least part of a move that can change it.
    let mut parts = vec![MOVE; changing.len()];
    let mut work = 0;
    for (number, &legal) in step.legal[0].iter().enumerate() {
        if !May::of(&base, legal).hold {
            continue;
        }
        work += collapsed.cone.len() + changing.len();
        if work > MAX_COLLAPSED_GATES || !watcher.go_on(0, 0) {
            return None;
        }
        collapsed.make(number);
        let may_change = |index: &usize| {
            let fact = changing[*index];
            let as_before = Literal::FALSE.negated_if(step.initial[fact]);
            let next = collapsed.next(fact);
            next.is_none_or(|next| next != step.facts[fact] && next != as_before)
        };
        let changed: Vec<usize> = (0..changing.len()).filter(may_change).collect();
        for &index in &changed {
            parts[index] = parts[index].min(MOVE / changed.len() as u64);
        }
    }
    // Parts are rounded down, and moves are whole.
    u32::try_from(parts.iter().sum::<u64>().div_ceil(MOVE)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use circuit::{Circuit, Step};

    struct NoWatcher;
    impl Watcher for NoWatcher {
        fn go_on(&self, _states: u64, _depth: u32) -> bool {
            true
        }
        fn least_useful(&self, _moves: u32) -> Option<usize> {
            None
        }
        fn found(&self, _moves: &[usize], _by: crate::paths::Method) {}
        fn rule_out(&self, _level: usize, _moves: Option<u32>) {}
        fn bound(&self, _moves: u32) {}
    }

    #[test]
    fn moves_that_change_several_facts_count_for_all_of_them() {
        // Five lamps to be put on: two by one move, one by a move of its own, and the last two by either of
        // two moves, one of which puts on the first as well.
        let mut circuit = Circuit::new();
        let facts: Vec<Literal> = (0..6).map(|_| circuit.input(0)).collect();
        let moves: Vec<Literal> = (0..4).map(|_| circuit.input(1)).collect();
        let switches = [&[0, 3][..], &[0], &[1], &[2, 3], &[2, 3], &[]];
        let next = switches.iter().enumerate().map(|(lamp, switches)| {
            let switches = switches.iter().map(|&each: &usize| moves[each]);
            circuit.or(switches.chain([facts[lamp]]).collect::<Vec<_>>())
        });
        let next: Vec<Literal> = next.collect();
        let terminal = circuit.and(facts[..5].to_vec());
        let step = Step {
            initial: vec![false; 6],
            legal: vec![vec![Literal::TRUE; 4]],
            goals: vec![vec![]],
            moves: vec![moves],
            facts,
            terminal,
            next,
            circuit,
        };
        let levels = [terminal];
        let problem = Problem {
            step: &step,
            levels: &levels,
        };
        let constant = constant_facts(&step);
        let changing = must_change(&problem, &constant, terminal, &NoWatcher);
        assert_eq!(changing, [0, 1, 2, 3, 4]);
        // 1/3, 1/2, 1, 1/3 and 1/3.
        assert_eq!(
            moves_needed(&problem, &constant, &changing, &NoWatcher),
            Some(3)
        );
    }
}
