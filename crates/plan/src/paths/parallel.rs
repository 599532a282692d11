//! Parallel plans: many moves side by side, as a question about clauses.
//!
//! Where a path makes many independent moves, such as filling the cells of a grid, they have a huge number of
//! orders, and a search that takes one move after the other tries them all. Here the moves of a path are put
//! into a few layers. Each move of a layer is legal at its start, and none makes a fact true that another makes
//! false. Beyond that there are two kinds of layers:
//!
//! - of moves that can be made in *any order* with the same result: none changes a fact so that another may
//!   not be legal any more;
//! - of moves for which *some order* is likely: each would be legal after all the others too.
//!
//! ```text
//! 45 cells are empty, and the right digits fit: one layer of 45 moves in any order, instead of 45 steps
//! n may be put down where n-1 is not on the board yet, or next to it: some order
//! ```
//!
//! Of several layers the last one has one move only, so that play is not over in the midst of it.
//!
//! A satisfiability solver is given the clauses for one layer, two, and so on, with a low limit of conflicts
//! first and then with higher ones. Clocks show how many moves there must be in all. A solution is played
//! move by move before it is reported, since play may be over within a layer. Nothing is ruled out here.
//!
//! The idea is that of parallel plans (Kautz and Selman, *Pushing the envelope: planning, propositional
//! logic, and stochastic search*, 1996; here with the conditions of Rintanen, Heljanko and Niemelä,
//! 2006, for "all orders"; for "some order" theirs are stronger, so that solutions need not be played).

use super::bounds::{FIRST_CONFLICTS, LAYERS, MAX_CLOCKED_MOVES, MAX_COUNTED, MAX_LEGALITY_NODES};
use super::clauses::Clauses;
use super::effects::{Effects, effects};
use super::{Method, Problem, SearchEnd, Watcher};
use circuit::{Literal, May};
use std::cell::Cell;

/// In which orders the moves of a layer can be made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Orders {
    /// In any.
    Any,
    /// Probably in some.
    Some,
}

/// A question: the number of layers, and the number of moves in all if there are clocks.
#[derive(Clone, Copy)]
struct Question {
    layers: usize,
    orders: Orders,
    length: Option<u32>,
    /// Whether it is known that there is no such path.
    is_settled: bool,
}

/// See [`super::Paths::side_by_side`].
pub fn search(problem: &Problem<'_>, depth: Option<u32>, watcher: &dyn Watcher) -> SearchEnd {
    let Some(effects) = effects(problem, || watcher.go_on(0, 0)) else {
        return SearchEnd::Complete;
    };
    let Some(top) = problem.levels.len().checked_sub(1) else {
        return SearchEnd::Complete;
    };
    let lengths = lengths(
        problem,
        &effects,
        depth.unwrap_or(MAX_CLOCKED_MOVES).min(MAX_CLOCKED_MOVES),
    );
    let mut questions: Vec<Question> = LAYERS
        .iter()
        .flat_map(|&layers| [Orders::Any, Orders::Some].map(|orders| (layers, orders)))
        .flat_map(|(layers, orders)| {
            lengths.iter().map(move |&length| Question {
                layers,
                orders,
                length,
                is_settled: false,
            })
        })
        .collect();
    let is_stopped = Cell::new(false);
    let mut patience = FIRST_CONFLICTS;
    while questions.iter().any(|question| !question.is_settled) {
        for question in questions.iter_mut().filter(|question| !question.is_settled) {
            // A path to the highest level is all that is searched for.
            if watcher
                .least_useful(u32::MAX)
                .is_none_or(|least| least > top)
            {
                return SearchEnd::Complete;
            }
            let layers = question.layers as u32;
            let clauses = Clauses::new(problem, patience, layers, watcher, &is_stopped);
            let mut layered = Layered {
                problem,
                effects: &effects,
                clauses,
                is_settled: false,
            };
            match layered.ask(question, problem.levels[top]) {
                Some(made) => {
                    question.is_settled = true;
                    if let Some((path, end)) = follow(problem, &made)
                        && watcher
                            .least_useful(path.len() as u32)
                            .is_some_and(|least| end > least)
                    {
                        watcher.found(&path, Method::SideBySide);
                        if end > top {
                            return SearchEnd::Complete;
                        }
                    }
                }
                None => question.is_settled = layered.is_settled,
            }
            if is_stopped.get() || !watcher.go_on(0, question.layers as u32) {
                return SearchEnd::Stopped;
            }
        }
        patience = patience.saturating_mul(2);
    }
    SearchEnd::Complete
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
        for (&limits, &holds) in effects.clocks.iter().zip(&clocks) {
            values[step.facts[limits].node()] = May::known(holds);
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
    next: Vec<Literal>,
}

impl<'a> Clocks<'a> {
    fn new(problem: &'a Problem<'a>, effects: &'a Effects) -> Self {
        let step = problem.step;
        let next: Vec<Literal> = effects.clocks.iter().map(|&c| step.next[c]).collect();
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
        for (&limits, &holds) in self.effects.clocks.iter().zip(&self.now) {
            values[step.facts[limits].node()] = May::known(holds);
        }
        let cone = self.cone.iter().copied();
        step.circuit.propagate(cone, &mut values);
        let next = self.next.iter().map(|&next| May::of(&values, next).hold);
        let next = next.collect();
        Some(std::mem::replace(&mut self.now, next))
    }
}

/// Plays the moves of one layer after the other, of each layer always the first that is legal: the path until
/// play was over, and the level reached plus 1. None if no move is legal, or play is not over at the end.
fn follow(problem: &Problem<'_>, layers: &[Vec<usize>]) -> Option<(Vec<usize>, usize)> {
    let step = problem.step;
    let mut values = vec![May::known(false); step.circuit.node_count()];
    let mut state = step.initial.clone();
    let mut path = Vec::new();
    let mut layers = layers.iter();
    let mut left: Vec<usize> = Vec::new();
    loop {
        for (fact, &holds) in step.facts.iter().zip(&state) {
            values[fact.node()] = May::known(holds);
        }
        step.circuit.propagate(0..values.len(), &mut values);
        let holds = |values: &[May], signal: Literal| May::of(values, signal).hold;
        if holds(&values, step.terminal) {
            let reached = |&level: &Literal| holds(&values, level);
            let level = problem.levels.iter().rposition(reached);
            return Some((path, level.map_or(0, |level| level + 1)));
        }
        while left.is_empty() {
            left = layers.next()?.clone();
        }
        let is_legal = |&action: &usize| holds(&values, step.legal[0][action]);
        let action = left.remove(left.iter().position(is_legal)?);
        let input = step.moves[0][action].node();
        values[input] = May::known(true);
        step.circuit.propagate(0..values.len(), &mut values);
        state = step.next.iter().map(|&next| holds(&values, next)).collect();
        values[input] = May::known(false);
        path.push(action);
    }
}

/// The clauses of a question.
struct Layered<'a> {
    problem: &'a Problem<'a>,
    effects: &'a Effects,
    clauses: Clauses<'a>,
    /// Whether it is known that there is no such path.
    is_settled: bool,
}

impl Layered<'_> {
    /// The moves of each layer of a path that may lead to a level.
    fn ask(&mut self, question: &Question, level: Literal) -> Option<Vec<Vec<usize>>> {
        let (step, effects) = (self.problem.step, self.effects);
        let end = step.circuit.cone(&[step.terminal]);
        let is_in_end = |&limits: &usize| end.binary_search(&step.facts[limits].node()).is_ok();
        let ends_by_clock = effects.clocks.iter().any(is_in_end);
        let initial = step.initial.iter();
        let mut facts: Vec<Literal> = initial
            .map(|&holds| self.clauses.gates.constant(holds))
            .collect();
        let legal = effects.moves.iter().map(|each| step.legal[0][each.number]);
        let now: Vec<Literal> = legal.chain([step.terminal]).collect();
        let mut made: Vec<Vec<Literal>> = Vec::new();
        for layer in 0..question.layers {
            let mut legal = self.clauses.signals(&now, &facts);
            let terminal = legal.pop().expect("it was asked for");
            // The values of clocks are not known here: layers may have any number of moves.
            if !ends_by_clock && layer > 0 {
                self.clauses.gates.require(&[!terminal]);
            }
            let moves: Vec<Literal> = legal
                .iter()
                .map(|_| self.clauses.gates.new_literal())
                .collect();
            for (&made, legal) in moves.iter().zip(legal) {
                self.clauses.gates.require(&[!made, legal]);
            }
            if layer > 0 && layer + 1 == question.layers {
                self.clauses.gates.at_most_one(&moves);
            }
            let before = std::mem::take(&mut facts);
            facts = self.layer(&moves, &before);
            match question.orders {
                Orders::Any => self.keep_needs(&moves, &before, &facts),
                Orders::Some => self.stay_legal(&moves, &before, &facts)?,
            }
            made.push(moves);
        }
        if let Some(length) = question.length {
            let clocks = Clocks::new(self.problem, effects).nth(length as usize);
            for (&limits, holds) in effects.clocks.iter().zip(clocks?) {
                facts[limits] = self.clauses.gates.constant(holds);
            }
            let all: Vec<Literal> = made.iter().flatten().copied().collect();
            if all.len() * (length as usize + 2) > MAX_COUNTED {
                return None;
            }
            self.clauses.gates.exactly(&all, length as usize);
        }
        for lit in self.clauses.signals(&[step.terminal, level], &facts) {
            self.clauses.gates.require(&[lit]);
        }
        let answer = self.clauses.gates.solve(&[]);
        self.is_settled = answer == Some(false);
        if answer != Some(true) {
            return None;
        }
        let numbers = |layer: &Vec<Literal>| -> Vec<usize> {
            let moves = layer.iter().zip(&effects.moves);
            let made = moves.filter(|(made, _)| self.clauses.gates.is_true(**made));
            made.map(|(_, each)| each.number).collect()
        };
        Some(made.iter().map(numbers).collect())
    }

    /// The facts after a layer of moves of which no two contradict each other.
    fn layer(&mut self, moves: &[Literal], before: &[Literal]) -> Vec<Literal> {
        let (effects, clauses) = (self.effects, &mut self.clauses.gates);
        let mut makers: Vec<[Vec<Literal>; 2]> = vec![Default::default(); effects.facts.len()];
        for (each, &made) in effects.moves.iter().zip(moves) {
            for &(fact, holds) in &each.changes {
                makers[fact][usize::from(holds)].push(made);
            }
        }
        let mut after = before.to_vec();
        for (index, [off, on]) in makers.iter().enumerate() {
            if off.is_empty() && on.is_empty() {
                continue;
            }
            let (before, next) = (before[effects.facts[index]], clauses.new_literal());
            after[effects.facts[index]] = next;
            // A move makes it true or false, and it changes by no other reason.
            for (makers, to, was) in [(on, next, before), (off, !next, !before)] {
                for &made in makers {
                    clauses.require(&[!made, to]);
                }
                let reasons: Vec<Literal> = makers.iter().copied().chain([was, !to]).collect();
                clauses.require(&reasons);
            }
            for (to, makers) in [(false, off), (true, on)] {
                if effects.is_used_up(index, to) {
                    clauses.at_most_one(makers);
                }
            }
        }
        after
    }

    /// No move changes what another one may need.
    fn keep_needs(&mut self, moves: &[Literal], before: &[Literal], after: &[Literal]) {
        let (effects, clauses) = (self.effects, &mut self.clauses.gates);
        for (each, &made) in effects.moves.iter().zip(moves) {
            for &(index, needed) in &each.needs {
                let is_own = each.changes.iter().any(|&(fact, _)| fact == index);
                let number = effects.facts[index];
                if !is_own && before[number] != after[number] {
                    let (was, is) = match needed {
                        true => (before[number], after[number]),
                        false => (!before[number], !after[number]),
                    };
                    clauses.require(&[!made, !was, is]);
                }
            }
        }
    }

    /// Each move is legal after the layer too, but for what it changes itself. None if that takes too many
    /// clauses.
    fn stay_legal(
        &mut self,
        moves: &[Literal],
        before: &[Literal],
        after: &[Literal],
    ) -> Option<()> {
        let (step, effects) = (self.problem.step, self.effects);
        let all = effects.moves.iter();
        let all: Vec<Literal> = all.map(|each| step.legal[0][each.number]).collect();
        let shared = self.clauses.values(&all, after);
        let mut nodes = 0;
        for ((each, &made), legal) in effects.moves.iter().zip(moves).zip(all) {
            let own = each.changes.iter().map(|&(index, _)| effects.facts[index]);
            let own = own.map(|fact| (step.facts[fact].node(), before[fact]));
            let gates = &mut self.clauses.gates;
            let (legal, depends_on) = shared.literal_but_for(gates, &step.circuit, legal, own);
            self.clauses.gates.require(&[!made, legal]);
            nodes += depends_on;
            if nodes > MAX_LEGALITY_NODES {
                return None;
            }
        }
        Some(())
    }
}
