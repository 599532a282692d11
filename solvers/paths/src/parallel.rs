//! Many moves side by side, as a question about clauses.
//!
//! Where a path makes many moves that have nothing to do with each other, such as filling the cells of a
//! grid, there are countless orders of them, and a search that takes one move after the other
//! drowns in orders. Here the moves of a path are put into a few layers. Moves of one layer are such that they
//! can be made in any order with the same result:
//!
//! - each is legal at the start of the layer;
//! - none makes a fact true that another makes false;
//! - none changes a fact so that another may not be legal any more.
//!
//! ```text
//! 45 cells are empty, and the right digits fit: one layer of 45 moves, instead of 45 steps
//! ```
//!
//! That is a matter of clauses, for which a satisfiability solver looks (the crate `batsat`): for one
//! layer, two, and so on, with a little patience first and then with more. Clocks tell how many moves there
//! must be in all. Whatever is found is tried move by move before it is told, since play may be over
//! within a layer. Nothing is ever ruled out here.
//!
//! The idea is that of parallel plans (Kautz and Selman, *Pushing the envelope: planning, propositional
//! logic, and stochastic search*, 1996; here with the conditions of Rintanen, Heljanko and Niemelä,
//! 2006, for "all orders").

use crate::effects::{Effects, effects};
use crate::{Ended, Method, Problem, Watcher};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use circuit::{May, Signal};
use std::cell::Cell;

/// So many layers are tried.
const LAYERS: [usize; 7] = [1, 2, 3, 4, 6, 8, 12];
/// How many conflicts a question may take at first.
const FIRST_PATIENCE: u64 = 500;
/// The longest paths where clocks run.
const LONGEST: u32 = 400;
/// The most literals that a count is made of, times what is counted to.
const MOST_COUNTED: usize = 4_000_000;

/// Ends a question when patience does, or the watcher says so.
struct Patience<'a> {
    left: Cell<u64>,
    layers: u32,
    watcher: &'a dyn Watcher,
    is_stopped: &'a Cell<bool>,
}

impl Callbacks for Patience<'_> {
    fn stop(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        if left.is_multiple_of(64) && !self.watcher.go_on(0, self.layers) {
            self.is_stopped.set(true);
        }
        left == 0 || self.is_stopped.get()
    }
}

/// A question: so many layers, and so many moves in all if that matters.
#[derive(Clone, Copy)]
struct Question {
    layers: usize,
    length: Option<u32>,
    /// Whether it is known that there is no such path.
    is_settled: bool,
}

/// See [`crate::Paths::side_by_side`].
pub fn search(problem: &Problem<'_>, depth: Option<u32>, watcher: &dyn Watcher) -> Ended {
    let Some(effects) = effects(problem, || watcher.go_on(0, 0)) else {
        return Ended::Complete;
    };
    let Some(top) = problem.levels.len().checked_sub(1) else {
        return Ended::Complete;
    };
    let lengths = lengths(problem, &effects, depth.unwrap_or(LONGEST).min(LONGEST));
    let mut questions: Vec<Question> = LAYERS
        .iter()
        .flat_map(|&layers| {
            lengths.iter().map(move |&length| Question {
                layers,
                length,
                is_settled: false,
            })
        })
        .collect();
    let is_stopped = Cell::new(false);
    let mut patience = FIRST_PATIENCE;
    while questions.iter().any(|question| !question.is_settled) {
        for question in questions.iter_mut().filter(|question| !question.is_settled) {
            // A path to the highest level is all that is looked for.
            if watcher
                .least_useful(u32::MAX)
                .is_none_or(|least| least > top)
            {
                return Ended::Complete;
            }
            let limits = Patience {
                left: Cell::new(patience),
                layers: question.layers as u32,
                watcher,
                is_stopped: &is_stopped,
            };
            let mut layered = Layered::new(problem, &effects, limits);
            match layered.ask(question, problem.levels[top]) {
                Some(path) => {
                    let played = follow(problem, &path);
                    question.is_settled = true;
                    if let Some((moves, end)) = played
                        && watcher
                            .least_useful(moves as u32)
                            .is_some_and(|least| end > least)
                    {
                        watcher.found(&path[..moves], Method::SideBySide);
                        if end > top {
                            return Ended::Complete;
                        }
                    }
                }
                None => question.is_settled = layered.answer == lbool::FALSE,
            }
            if is_stopped.get() || !watcher.go_on(0, question.layers as u32) {
                return Ended::Stopped;
            }
        }
        patience = patience.saturating_mul(2);
    }
    Ended::Complete
}

/// How many moves a path to the highest level may have; any number without clocks.
fn lengths(problem: &Problem<'_>, effects: &Effects, longest: u32) -> Vec<Option<u32>> {
    if effects.clocks.is_empty() {
        return vec![None];
    }
    let step = problem.step;
    let mut lengths = Vec::new();
    for (length, clocks) in (0..=longest).zip(Clocks::new(problem, effects)) {
        let mut values = step.circuit.unknown();
        for (&clock, &holds) in effects.clocks.iter().zip(&clocks) {
            values[step.facts[clock].node()] = May::known(holds);
        }
        step.circuit.propagate(0..values.len(), &mut values);
        let terminal = May::of(&values, step.terminal);
        let level = problem.levels.last().map(|&level| May::of(&values, level));
        if length > 0 && terminal.hold && level.is_some_and(|level| level.hold) {
            lengths.push(Some(length));
        }
        if terminal == May::known(true) {
            break;
        }
    }
    lengths
}

/// The values of the clocks after 0, 1, 2, ... moves.
struct Clocks<'a> {
    problem: &'a Problem<'a>,
    effects: &'a Effects,
    now: Vec<bool>,
    cone: Vec<usize>,
    next: Vec<Signal>,
}

impl<'a> Clocks<'a> {
    fn new(problem: &'a Problem<'a>, effects: &'a Effects) -> Self {
        let step = problem.step;
        let next: Vec<Signal> = effects.clocks.iter().map(|&c| step.next[c]).collect();
        Clocks {
            problem,
            effects,
            now: effects.clocks.iter().map(|&c| step.initial[c]).collect(),
            cone: step.circuit.cone(&next),
            next,
        }
    }
}

impl Iterator for Clocks<'_> {
    type Item = Vec<bool>;

    fn next(&mut self) -> Option<Vec<bool>> {
        let step = self.problem.step;
        let mut values: Vec<May> = vec![May::known(false); step.circuit.node_count()];
        for (fact, &holds) in step.facts.iter().zip(&step.initial) {
            values[fact.node()] = May::known(holds);
        }
        for (&clock, &holds) in self.effects.clocks.iter().zip(&self.now) {
            values[step.facts[clock].node()] = May::known(holds);
        }
        let cone = self.cone.iter().copied();
        step.circuit.propagate(cone, &mut values);
        let next = self.next.iter().map(|&next| May::of(&values, next).hold);
        let next = next.collect();
        Some(std::mem::replace(&mut self.now, next))
    }
}

/// Plays moves one after the other: how many were made when play was over, and the level reached plus 1.
/// None if a move is not legal, or play is not over at the end.
fn follow(problem: &Problem<'_>, path: &[usize]) -> Option<(usize, usize)> {
    let step = problem.step;
    let mut values = vec![May::known(false); step.circuit.node_count()];
    let mut state = step.initial.clone();
    for made in 0..=path.len() {
        for (fact, &holds) in step.facts.iter().zip(&state) {
            values[fact.node()] = May::known(holds);
        }
        let action = path.get(made).map(|&action| step.moves[0][action].node());
        if let Some(input) = action {
            values[input] = May::known(true);
        }
        step.circuit.propagate(0..values.len(), &mut values);
        let holds = |signal: Signal| May::of(&values, signal).hold;
        if holds(step.terminal) {
            let level = problem.levels.iter().rposition(|&level| holds(level));
            return Some((made, level.map_or(0, |level| level + 1)));
        }
        let action = action?;
        if !holds(step.legal[0][path[made]]) {
            return None;
        }
        state = step.next.iter().map(|&next| holds(next)).collect();
        values[action] = May::known(false);
    }
    None
}

/// The clauses of a question.
struct Layered<'a> {
    problem: &'a Problem<'a>,
    effects: &'a Effects,
    solver: Solver<Patience<'a>>,
    truth: Lit,
    answer: lbool,
}

impl<'a> Layered<'a> {
    fn new(problem: &'a Problem<'a>, effects: &'a Effects, limits: Patience<'a>) -> Self {
        let mut solver = Solver::new(SolverOpts::default(), limits);
        let truth = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![truth]);
        Layered {
            problem,
            effects,
            solver,
            truth,
            answer: lbool::UNDEF,
        }
    }

    /// A path that may lead to a level.
    fn ask(&mut self, question: &Question, level: Signal) -> Option<Vec<usize>> {
        let step = self.problem.step;
        let end = step.circuit.cone(&[step.terminal]);
        let is_in_end = |&clock: &usize| end.binary_search(&step.facts[clock].node()).is_ok();
        let ends_by_clock = self.effects.clocks.iter().any(is_in_end);
        let facts = self.effects.facts.iter();
        let mut facts: Vec<Lit> = facts.map(|&f| self.constant(step.initial[f])).collect();
        let mut made: Vec<Vec<Lit>> = Vec::new();
        let legal = |number: usize| step.legal[0][number];
        let now: Vec<Signal> = self.effects.moves.iter().map(|m| legal(m.number)).collect();
        for layer in 0..question.layers {
            let mut roots = now.clone();
            // What clocks say here is not known: layers may have any number of moves.
            let must_go_on = !ends_by_clock && layer > 0;
            if must_go_on {
                roots.push(step.terminal);
            }
            let clocks = self.initial_clocks();
            let values = self.gates(&roots, &facts, &clocks);
            if must_go_on {
                let terminal = literal(&values, step.terminal);
                self.clause(&[!terminal]);
            }
            let moves: Vec<Lit> = now.iter().map(|_| self.new_lit()).collect();
            for (&made, &legal) in moves.iter().zip(&now) {
                self.clause(&[!made, literal(&values, legal)]);
            }
            facts = self.layer(&moves, &facts);
            made.push(moves);
        }
        let mut clocks = self.initial_clocks();
        if let Some(length) = question.length {
            let values = Clocks::new(self.problem, self.effects).nth(length as usize);
            clocks = values.unwrap_or_default();
            let all: Vec<Lit> = made.iter().flatten().copied().collect();
            if all.len() * (length as usize + 2) > MOST_COUNTED {
                return None;
            }
            self.exactly(&all, length as usize);
        }
        let values = self.gates(&[step.terminal, level], &facts, &clocks);
        self.clause(&[literal(&values, step.terminal)]);
        self.clause(&[literal(&values, level)]);
        self.answer = self.solver.solve_limited(&[]);
        if self.answer != lbool::TRUE {
            return None;
        }
        let mut path = Vec::new();
        for moves in &made {
            let chosen = moves.iter().zip(&self.effects.moves);
            let chosen = chosen.filter(|(made, _)| self.solver.value_lit(**made) == lbool::TRUE);
            path.extend(chosen.map(|(_, each)| each.number));
        }
        Some(path)
    }

    /// The facts after a layer of moves that can be made in any order.
    fn layer(&mut self, moves: &[Lit], before: &[Lit]) -> Vec<Lit> {
        let mut makers: Vec<[Vec<Lit>; 2]> = vec![[Vec::new(), Vec::new()]; before.len()];
        for (each, &made) in self.effects.moves.iter().zip(moves) {
            for &(fact, holds) in &each.changes {
                makers[fact][usize::from(holds)].push(made);
            }
        }
        let mut after = Vec::with_capacity(before.len());
        for (makers, &before) in makers.iter().zip(before) {
            let next = match makers.iter().all(Vec::is_empty) {
                true => before,
                false => self.new_lit(),
            };
            after.push(next);
            if next == before {
                continue;
            }
            let [off, on] = makers;
            for &made in on {
                self.clause(&[!made, next]);
            }
            for &made in off {
                self.clause(&[!made, !next]);
            }
            let mut stays = vec![!before, next];
            stays.extend(off);
            self.clause(&stays);
            let mut stays = vec![before, !next];
            stays.extend(on);
            self.clause(&stays);
        }
        let effects = self.effects;
        for (fact, makers) in makers.iter().enumerate() {
            for (to, makers) in [false, true].into_iter().zip(makers) {
                if effects.is_used_up(fact, to) {
                    self.at_most_one(makers);
                }
            }
        }
        for (each, &made) in effects.moves.iter().zip(moves) {
            for &(fact, needed) in &each.needs {
                let is_own = each.changes.binary_search_by_key(&fact, |&(fact, _)| fact);
                let has_makers = !makers[fact][usize::from(!needed)].is_empty();
                if is_own.is_err() && has_makers {
                    let (was, is) = match needed {
                        true => (before[fact], after[fact]),
                        false => (!before[fact], !after[fact]),
                    };
                    self.clause(&[!made, !was, is]);
                }
            }
        }
        after
    }

    fn constant(&self, holds: bool) -> Lit {
        if holds { self.truth } else { !self.truth }
    }

    fn initial_clocks(&self) -> Vec<bool> {
        let clocks = self.effects.clocks.iter();
        clocks.map(|&c| self.problem.step.initial[c]).collect()
    }

    fn new_lit(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn clause(&mut self, lits: &[Lit]) {
        self.solver.add_clause_reuse(&mut lits.to_vec());
    }

    /// The literals of all nodes that some signals depend on, in a state. Other facts are as they are
    /// at the start: they are constant, or do not matter.
    fn gates(&mut self, roots: &[Signal], facts: &[Lit], clocks: &[bool]) -> Vec<Option<Lit>> {
        let step = self.problem.step;
        let mut values = vec![None; step.circuit.node_count()];
        values[0] = Some(!self.truth);
        for (fact, &holds) in step.facts.iter().zip(&step.initial) {
            values[fact.node()] = Some(self.constant(holds));
        }
        for (&clock, &holds) in self.effects.clocks.iter().zip(clocks) {
            values[step.facts[clock].node()] = Some(self.constant(holds));
        }
        for (&fact, &lit) in self.effects.facts.iter().zip(facts) {
            values[step.facts[fact].node()] = Some(lit);
        }
        for node in step.circuit.cone(roots) {
            if values[node].is_some() {
                continue;
            }
            let (truth, mut inputs) = (self.truth, Vec::new());
            for &input in step.circuit.gate(node) {
                inputs.push(literal(&values, input));
            }
            inputs.retain(|&input| input != truth);
            let is_false = inputs.contains(&!truth);
            values[node] = Some(match inputs.as_slice() {
                _ if is_false => !truth,
                [] => truth,
                &[single] => single,
                many => {
                    let output = self.new_lit();
                    let mut long = vec![output];
                    for &input in many {
                        self.clause(&[!output, input]);
                        long.push(!input);
                    }
                    self.clause(&long);
                    output
                }
            });
        }
        values
    }

    /// One after the other, with a literal for "one of those so far".
    fn at_most_one(&mut self, lits: &[Lit]) {
        let mut before: Option<Lit> = None;
        for &lit in lits {
            let so_far = self.new_lit();
            self.clause(&[!lit, so_far]);
            if let Some(before) = before {
                self.clause(&[!before, so_far]);
                self.clause(&[!before, !lit]);
            }
            before = Some(so_far);
        }
    }

    /// Requires that so many hold: counts from the first to the last (Sinz, *Towards an optimal CNF
    /// encoding of Boolean cardinality constraints*, 2005).
    fn exactly(&mut self, lits: &[Lit], count: usize) {
        // Whether at least 0, 1, ... so far hold.
        let mut so_far = vec![!self.truth; count + 2];
        so_far[0] = self.truth;
        for &lit in lits {
            let mut now = so_far.clone();
            for number in 1..count + 2 {
                let (least, fewer) = (so_far[number], so_far[number - 1]);
                if least == !self.truth && fewer == !self.truth {
                    break;
                }
                let next = self.new_lit();
                self.clause(&[!least, next]);
                self.clause(&[!fewer, !lit, next]);
                self.clause(&[least, fewer, !next]);
                self.clause(&[least, lit, !next]);
                now[number] = next;
            }
            so_far = now;
        }
        self.clause(&[so_far[count]]);
        self.clause(&[!so_far[count + 1]]);
    }
}

/// The literal of a signal whose node has one.
fn literal(values: &[Option<Lit>], signal: Signal) -> Lit {
    let lit = values[signal.node()].expect("inputs of gates come first");
    if signal.is_negated() { !lit } else { lit }
}
