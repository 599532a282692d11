//! Moves with fixed effects: their preconditions and the facts that they change.
//!
//! In many systems a move makes some facts true and others false wherever it is legal, and changes no others.
//! The circuit of a step has one formula for each next fact instead. But when one move is made and no other,
//! most of these formulas collapse to a constant or to the fact itself.
//!
//! ```text
//! next b = move_b or (b and not move_c)       move_b: b becomes true; move_c: b becomes false; others: b
//! ```
//!
//! Facts of which the next value depends on no move are *clocks*, such as counters of steps. Moves with
//! any other effect are left out.

use super::Problem;
use super::bounds::MAX_COLLAPSED_GATES;
use circuit::invariants::constant_facts;
use circuit::{Circuit, Literal, May, Step};
use rustc_hash::FxHashSet;

/// A move that has the same effect wherever it is legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Its number in the step.
    pub number: usize,
    /// The facts that it makes true or false, by place in [`Effects::facts`], in ascending order.
    pub changes: Vec<(usize, bool)>,
    /// Facts that it may need to be true or false to be legal.
    pub needs: Vec<(usize, bool)>,
}

/// The effects of all moves.
#[derive(Debug)]
pub struct Effects {
    /// The facts that matter, that some move changes, and that are no clocks: numbers in the step.
    pub facts: Vec<usize>,
    /// The facts that change by themselves: numbers in the step.
    pub clocks: Vec<usize>,
    pub moves: Vec<Move>,
    /// See [`Effects::is_used_up`].
    used_up: FxHashSet<(usize, bool)>,
}

/// The effects of moves; none if no two moves were found that can be made side by side.
pub fn effects(problem: &Problem<'_>, mut go_on: impl FnMut() -> bool) -> Option<Effects> {
    let step = problem.step;
    let circuit = &step.circuit;
    let constant = constant_facts(step);
    let base = known(step, &constant);
    let roots = problem.levels.iter().chain(&step.legal[0]);
    let roots = roots.copied().chain([step.terminal]);
    let relevant = circuit.relevant_facts(&step.facts, &step.next, roots);
    let relevant: Vec<usize> = relevant.into_iter().filter(|&f| !constant[f]).collect();
    let is_clock = |&fact: &usize| {
        let next = step.next[fact];
        circuit.level(next) == 0 && next != step.facts[fact]
    };
    let (clocks, facts): (Vec<usize>, Vec<usize>) = relevant.iter().partition(|f| is_clock(f));
    let mut indices = vec![None; circuit.node_count()];
    for (index, &fact) in facts.iter().enumerate() {
        indices[step.facts[fact].node()] = Some(index);
    }
    // Clocks may depend on clocks only.
    let next: Vec<Literal> = clocks.iter().map(|&clock| step.next[clock]).collect();
    let support = circuit.cone(&next);
    if support.iter().any(|&node| indices[node].is_some()) {
        return None;
    }
    let mut is_of_clock = vec![false; circuit.node_count()];
    for &clock in &clocks {
        is_of_clock[step.facts[clock].node()] = true;
    }

    let mut work = 0;
    let mut collapsed = CollapsedStep::new(step, &base, &facts);
    let mut moves = Vec::new();
    for (number, &legal) in step.legal[0].iter().enumerate() {
        if !May::of(&base, legal).hold {
            continue;
        }
        work += collapsed.cone.len();
        if work > MAX_COLLAPSED_GATES || !go_on() {
            return None;
        }
        collapsed.make(number);
        let changes = changes(&facts, &collapsed);
        let needs = needs(circuit, legal, &base, &indices, &is_of_clock, &mut work);
        if let (Some(changes), Some(needs)) = (changes, needs)
            && !changes.is_empty()
        {
            moves.push(Move {
                number,
                changes,
                needs,
            });
        }
    }
    let effects = Effects {
        used_up: moves.iter().flat_map(Move::used_up).collect(),
        facts,
        clocks,
        moves,
    };
    (effects.moves.len() > 1 && !effects.is_serial()).then_some(effects)
}

impl Move {
    /// The facts that it changes so that it would not be legal any more.
    fn used_up(&self) -> impl Iterator<Item = (usize, bool)> {
        let is_needed = |&(fact, to): &(usize, bool)| self.needs.contains(&(fact, !to));
        self.changes.iter().copied().filter(is_needed)
    }
}

impl Effects {
    /// Whether a move that changes this fact to this value needs it to be as it was: then no two can do
    /// so in any order.
    pub fn is_used_up(&self, fact: usize, to: bool) -> bool {
        self.used_up.contains(&(fact, to))
    }

    /// Whether some fact is used up by every move.
    fn is_serial(&self) -> bool {
        let is_of_all = |change| self.moves.iter().all(|each| each.changes.contains(change));
        self.used_up.iter().any(is_of_all)
    }
}

/// The possible values of all nodes where only the facts that never change are known.
pub fn known(step: &Step, constant: &[bool]) -> Vec<May> {
    let mut base = step.circuit.unknown();
    for (number, fact) in step.facts.iter().enumerate() {
        if constant[number] {
            base[fact.node()] = May::known(step.initial[number]);
        }
    }
    step.circuit.propagate(0..base.len(), &mut base);
    base
}

/// The next values of some facts when one move is made and no other.
pub struct CollapsedStep<'a> {
    step: &'a Step,
    /// The move that is made.
    made: Option<usize>,
    /// The nodes that they depend on and that depend on moves.
    pub cone: Vec<usize>,
    /// The form of each node after the move: a constant, another signal, or (none) neither.
    aliases: Vec<Option<Literal>>,
}

impl<'a> CollapsedStep<'a> {
    /// Before any move is made.
    pub fn new(step: &'a Step, base: &[May], facts: &[usize]) -> Self {
        let circuit = &step.circuit;
        let next: Vec<Literal> = facts.iter().map(|&fact| step.next[fact]).collect();
        let of_moves = |node: &usize| circuit.level(circuit.signal(*node)) > 0;
        let nodes = 0..circuit.node_count();
        let mut aliases: Vec<Option<Literal>> =
            nodes.map(|node| Some(alias(circuit, base, node))).collect();
        for input in &step.moves[0] {
            aliases[input.node()] = Some(Literal::FALSE);
        }
        CollapsedStep {
            step,
            made: None,
            cone: circuit.cone(&next).into_iter().filter(of_moves).collect(),
            aliases,
        }
    }

    /// Makes a move, and no other.
    pub fn make(&mut self, number: usize) {
        if let Some(last) = self.made.replace(number) {
            self.aliases[self.step.moves[0][last].node()] = Some(Literal::FALSE);
        }
        self.aliases[self.step.moves[0][number].node()] = Some(Literal::TRUE);
        collapse(&self.step.circuit, &self.cone, &mut self.aliases);
    }

    /// The next value of a fact: a constant, a signal, or (none) something else.
    pub fn next(&self, fact: usize) -> Option<Literal> {
        let next = self.step.next[fact];
        Some(self.aliases[next.node()]?.negated_if(next.is_negated()))
    }
}

/// The signal that a node stands for which depends on facts only.
fn alias(circuit: &Circuit, base: &[May], node: usize) -> Literal {
    match base[node] {
        May { hold: false, .. } => Literal::FALSE,
        May { fail: false, .. } => Literal::TRUE,
        _ => circuit.signal(node),
    }
}

/// Finds the form of each node of a cone: a constant, another signal, or (none) neither.
fn collapse(circuit: &Circuit, cone: &[usize], aliases: &mut [Option<Literal>]) {
    for &node in cone {
        let gate = circuit.gate(node);
        if gate.is_empty() {
            continue;
        }
        let image = |input: &Literal| Some(aliases[input.node()]?.negated_if(input.is_negated()));
        let mut result = Some(Literal::TRUE);
        for input in gate {
            result = match (result, image(input)) {
                (_, Some(Literal::FALSE)) => {
                    result = Some(Literal::FALSE);
                    break;
                }
                (so_far, Some(Literal::TRUE)) => so_far,
                (Some(Literal::TRUE), image) => image,
                (Some(so_far), Some(image)) if so_far == image => Some(so_far),
                _ => None,
            };
        }
        aliases[node] = result;
    }
}

/// The facts that change, if it is clear how.
fn changes(facts: &[usize], collapsed: &CollapsedStep<'_>) -> Option<Vec<(usize, bool)>> {
    let mut changes = Vec::new();
    for (index, &fact) in facts.iter().enumerate() {
        match collapsed.next(fact)? {
            Literal::TRUE => changes.push((index, true)),
            Literal::FALSE => changes.push((index, false)),
            image if image == collapsed.step.facts[fact] => {}
            _ => return None,
        }
    }
    Some(changes)
}

/// The facts, by place, that a signal may need to be true or false; none if it depends on clocks.
fn needs(
    circuit: &Circuit,
    legal: Literal,
    base: &[May],
    indices: &[Option<usize>],
    is_of_clock: &[bool],
    work: &mut usize,
) -> Option<Vec<(usize, bool)>> {
    let mut needs = Vec::new();
    let mut open = vec![legal];
    let mut seen = FxHashSet::default();
    while let Some(signal) = open.pop() {
        let is_constant = base[signal.node()] != May::EITHER;
        if is_constant || !seen.insert(signal) {
            continue;
        }
        *work += 1;
        if is_of_clock[signal.node()] {
            return None;
        }
        if let Some(index) = indices[signal.node()] {
            needs.push((index, !signal.is_negated()));
        }
        let gate = circuit.gate(signal.node()).iter();
        open.extend(gate.map(|input| input.negated_if(signal.is_negated())));
    }
    needs.sort_unstable();
    Some(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_read_off_the_formulas_of_facts() {
        // Two lamps that are put on, or both off; a counter of one bit.
        let mut circuit = Circuit::new();
        let facts: Vec<Literal> = (0..3).map(|_| circuit.input(0)).collect();
        let moves: Vec<Literal> = (0..3).map(|_| circuit.input(1)).collect();
        let (a, b, odd) = (facts[0], facts[1], facts[2]);
        let kept_a = circuit.and([a, !moves[2]]);
        let kept_b = circuit.and([b, !moves[2]]);
        let next = vec![
            circuit.or([moves[0], kept_a]),
            circuit.or([moves[1], kept_b]),
            !odd,
        ];
        let both = circuit.and([a, b]);
        let terminal = circuit.and([both, odd]);
        let step = Step {
            initial: vec![false; 3],
            legal: vec![vec![!a, !b, both]],
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
        let found = effects(&problem, || true).expect("the lamps are apart");
        assert_eq!(
            (found.facts.as_slice(), found.clocks.as_slice()),
            (&[0, 1][..], &[2][..])
        );
        let each = |number, changes: &[(usize, bool)], needs: &[(usize, bool)]| Move {
            number,
            changes: changes.to_vec(),
            needs: needs.to_vec(),
        };
        let expected = [
            each(0, &[(0, true)], &[(0, false)]),
            each(1, &[(1, true)], &[(1, false)]),
            each(2, &[(0, false), (1, false)], &[(0, true), (1, true)]),
        ];
        assert_eq!(found.moves, expected);
    }
}
