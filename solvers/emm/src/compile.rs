//! Compilation of a step to code that takes many states one step further at once ([`Transition`]).
//!
//! Whether play is over, and the payoff then, are computed for the *next* state, by putting the next facts in
//! place of the facts. So the step that ends a play knows that it does, and terminal states never become
//! states of the search.
//!
//! Facts on which nothing depends, now or later, are left out: what is legal, terminal and paid, and the next
//! facts of those that count. The others make up the *key* of a state.

use crate::abstraction::Abstraction;
use crate::chance::{Chance, Signals, Source};
use crate::flattening::flattened;
use crate::keys::{Keys, Permutation};
use crate::options::Options;
use crate::plain::pack;
use crate::problem::{Agent, Problem};
use crate::symmetry::{self, Symmetry};
use circuit::{Circuit, Literal, Transition};
use limits::Limits;
use num_rational::BigRational;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Moves of one agent with equal effects.
#[derive(Clone, Debug)]
pub struct Choice {
    /// For each of them, whether it is legal. Of others than chance, one literal for all.
    pub legal: Vec<Literal>,
    /// The indices of the inputs in [`Transition::step`] that it makes true.
    pub inputs: Vec<u32>,
}

/// An agent and its choices.
#[derive(Clone, Debug)]
pub struct Chooser {
    /// For whom it moves.
    pub agent: Agent,
    /// Its choices.
    pub choices: Vec<Choice>,
}

/// A step as code.
#[derive(Debug)]
pub struct Compiled {
    /// How many threads list states; 0 for as many as there are cores.
    pub threads: usize,
    /// The step as code. It is asked what is legal.
    pub transition: Transition,
    /// The facts that matter, by number; their places in this list are what keys are made from.
    pub facts: Vec<usize>,
    /// How keys are made.
    pub keys: Keys,
    /// Generators of all symmetries, of the indices of facts; keys may know fewer ([`Keys::generators`]).
    pub symmetries: Vec<Symmetry>,
    /// The abstraction through which keys see states; nothing if they see all facts.
    pub abstraction: Option<Abstraction>,
    /// The agents in the order of decision: the maximizer, adversaries, chance.
    pub choosers: Vec<Chooser>,
    /// The step from which outcomes of chance are compared, if one agent of chance with many moves beside one player or two.
    chance_source: Option<ChanceSource>,
    /// Chance, once it was asked for.
    chance: OnceLock<Option<Chance>>,
    /// Whether outcomes are merged that lead to the same.
    pub merges_outcomes: bool,
    /// Whether successors are listed once for all states and moves that leave the same to chance.
    pub shares_afterstates: bool,
    /// For each agent of the problem its choices: the numbers of their moves. Moves with equal effects are one choice.
    pub classes: Vec<Vec<Vec<usize>>>,
    /// For each fact of the key, whether it holds next.
    pub next: Vec<Literal>,
    /// For each fact of the key, what the key of the next state sees of it; nothing if that is the
    /// fact.
    pub seen: Vec<Literal>,
    /// Whether the next state is terminal.
    pub terminal: Literal,
    /// Whether the worth of the next state has no meaning if it is terminal.
    pub flaw: Literal,
    /// For each payoff, whether it is paid if the next state is terminal.
    pub payoffs: Vec<Literal>,
    /// For each payoff, how much it is; and last the worth of play that is not over.
    pub worths: Vec<BigRational>,
}

impl Compiled {
    /// Whether chance decides anything.
    pub fn has_chance(&self) -> bool {
        let mut choosers = self.choosers.iter();
        choosers.any(|chooser| chooser.agent == Agent::Chance)
    }

    /// What outcomes of chance lead to, if it has many.
    pub fn chance(&self) -> Option<&Chance> {
        let source = self.chance_source.as_ref()?;
        let make = || Chance::new(&source.step, &source.signals, &source.symmetries);
        self.chance.get_or_init(make).as_ref()
    }

    /// The facts of a state that matter, one per bit.
    pub fn pack(&self, state: &[bool]) -> Vec<u64> {
        pack(&self.facts, state)
    }

    /// How many facts there are that may no longer matter.
    pub fn dead_facts(&self) -> usize {
        self.abstraction.as_ref().map_or(0, Abstraction::dead_facts)
    }

    /// The facts that the key of a state sees, given the facts of the state; one fact per bit in both.
    pub fn seen(&self, facts: &[u64]) -> Vec<u64> {
        match &self.abstraction {
            Some(abstraction) => abstraction.of(facts),
            None => facts.to_vec(),
        }
    }

    /// The words of the facts of a state.
    pub fn fact_words(&self) -> usize {
        self.facts.len().div_ceil(64).max(1)
    }

    /// The words of a state, given its facts: these, and the view that keys have of them if that differs.
    pub fn state(&self, facts: &[u64]) -> Vec<u64> {
        match &self.abstraction {
            Some(abstraction) => [facts, &abstraction.of(facts)].concat(),
            None => facts.to_vec(),
        }
    }
}

/// The parts from which [`Chance`] is made.
#[derive(Debug)]
struct ChanceSource {
    step: Source,
    signals: Signals,
    /// Symmetries of facts and choices, agents in the order of decision.
    symmetries: Vec<Symmetry>,
}

/// Compiles a step.
pub fn compile(problem: &Problem, options: &Options) -> Compiled {
    let facts = relevant_facts(problem);
    let symmetries = match options.use_symmetry {
        true => symmetries_of_choices(problem, &facts, &options.limits),
        false => Vec::new(),
    };
    compile_with(problem, options, facts, symmetries, None)
}

/// Compiles a step with known symmetries of the facts that matter.
pub fn compile_with(
    problem: &Problem,
    options: &Options,
    facts: Vec<usize>,
    symmetries: Vec<Symmetry>,
    abstraction: Option<Abstraction>,
) -> Compiled {
    let step = &problem.step;
    let mut circuit = match &abstraction {
        Some(abstraction) => abstraction.circuit.clone(),
        None => step.circuit.clone(),
    };
    let mut order: Vec<usize> = (0..problem.agents.len()).collect();
    order.sort_by_key(|&agent| problem.agents[agent]);
    let mut next: Vec<Literal> = facts.iter().map(|&fact| step.next[fact]).collect();
    let mut signals = Vec::new();
    let mut classes: Vec<Vec<Vec<usize>>> = vec![Vec::new(); step.moves.len()];
    let is_chance = |agent: &usize| problem.agents[*agent] == Agent::Chance;
    for agent in order.iter().copied().filter(is_chance) {
        let found = Signals::put_into(&mut circuit, &step.moves[agent], &mut next);
        classes[agent] = found.classes.clone();
        signals.push(found);
    }
    let mut unmade = FxHashMap::default();
    for agent in order.iter().copied().filter(|agent| !is_chance(agent)) {
        let moves = &step.moves[agent];
        classes[agent] = classes_of_moves(&circuit, moves, &next);
        let others = classes[agent].iter().flat_map(|class| &class[1..]);
        unmade.extend(others.map(|&other| (moves[other].node(), Literal::FALSE)));
    }
    if !unmade.is_empty() {
        let cone = circuit.cone(&next);
        next = circuit.substitute(&next, &cone, &mut unmade);
    }
    let agents: Vec<Classes<'_>> = order
        .iter()
        .map(|&agent| Classes {
            agent: problem.agents[agent],
            moves: &step.moves[agent],
            legal: &step.legal[agent],
            classes: &classes[agent],
        })
        .collect();
    let players = agents.iter().filter(|them| them.agent != Agent::Chance);
    let players: Vec<Vec<Literal>> = players.map(Classes::inputs).collect();
    let chance_source = match signals.as_slice() {
        [one] if players.len() <= 2 && one.rows.len() >= options.many_outcomes => {
            Some(ChanceSource {
                step: Source {
                    circuit: circuit.clone(),
                    facts: facts.iter().map(|&fact| step.facts[fact]).collect(),
                    next: next.clone(),
                    players,
                    signals: one.inputs.clone(),
                    chance_legal: order
                        .iter()
                        .copied()
                        .filter(is_chance)
                        .flat_map(|agent| step.legal[agent].iter().copied())
                        .collect(),
                },
                signals: one.clone(),
                symmetries: of_choices(&symmetries, &agents, &order),
            })
        }
        _ => None,
    };
    let (seen, ends) = of_next_state(&mut circuit, problem, &facts, &next, abstraction.as_ref());
    let legal: Vec<Vec<Vec<Literal>>> = (agents.iter())
        .map(|them| them.legal_choices(&mut circuit))
        .collect();
    let asked: Vec<Literal> = legal.iter().flatten().flatten().copied().collect();
    let results = [&next[..], &seen, &ends].concat();
    let inputs = facts.iter().map(|&fact| step.facts[fact]);
    let (mut moves, mut made) = (Vec::new(), Vec::new());
    let mut signals = signals.iter();
    for them in &agents {
        let first = moves.len();
        let signals = match them.agent {
            Agent::Chance => signals.next(),
            Agent::Maximizer | Agent::Adversary => None,
        };
        match signals {
            Some(signals) => {
                moves.extend(&signals.inputs);
                let index = |&signal: &u32| first + signal as usize;
                made.extend(
                    signals
                        .rows
                        .iter()
                        .map(|row| row.iter().map(index).collect()),
                );
            }
            None => {
                moves.extend(them.inputs());
                made.extend((first..moves.len()).map(|index| vec![index]));
            }
        }
    }
    let transition = Transition::new(&circuit, inputs, &asked, moves, &results);
    let (next, rest) = transition.results.split_at(facts.len());
    let (seen, ends) = rest.split_at(seen.len());
    Compiled {
        threads: options.search.threads,
        next: next.to_vec(),
        seen: seen.to_vec(),
        terminal: ends[0],
        flaw: ends[1],
        payoffs: ends[2..].to_vec(),
        worths: {
            let paid = problem.payoff.iter().map(|paid| &paid.0);
            paid.chain([&problem.unfinished]).cloned().collect()
        },
        choosers: choosers(&agents, &legal, &made, &transition),
        transition,
        keys: {
            let generators = symmetries.iter().map(|symmetry| symmetry.facts.clone());
            Keys::new(facts.len(), &generators.collect::<Vec<_>>())
        },
        facts,
        symmetries,
        abstraction,
        chance_source,
        chance: OnceLock::new(),
        merges_outcomes: options.merge_outcomes,
        shares_afterstates: options.share_afterstates,
        classes,
    }
}

/// An agent and its choices.
struct Classes<'a> {
    agent: Agent,
    moves: &'a [Literal],
    legal: &'a [Literal],
    classes: &'a [Vec<usize>],
}

impl Classes<'_> {
    /// The inputs of the first moves of all choices.
    fn inputs(&self) -> Vec<Literal> {
        let firsts = self.classes.iter().map(|class| self.moves[class[0]]);
        firsts.collect()
    }

    /// For each choice what [`Choice::legal`] says.
    fn legal_choices(&self, circuit: &mut Circuit) -> Vec<Vec<Literal>> {
        let mut legal = |class: &Vec<usize>| {
            let members = class.iter().map(|&number| self.legal[number]);
            match self.agent {
                Agent::Chance => members.collect(),
                Agent::Maximizer | Agent::Adversary => vec![circuit.or(members)],
            }
        };
        self.classes.iter().map(&mut legal).collect()
    }
}

/// Moves of a player that come into a step through the same signals, and so always lead to the same next state.
fn classes_of_moves(circuit: &Circuit, moves: &[Literal], next: &[Literal]) -> Vec<Vec<usize>> {
    let (mut circuit, mut results) = (circuit.clone(), next.to_vec());
    Signals::put_into(&mut circuit, moves, &mut results).classes
}

/// Symmetries with agents in the order of decision, and players' moves as choices. Those that do not map choices to choices are left out.
fn of_choices(symmetries: &[Symmetry], agents: &[Classes<'_>], order: &[usize]) -> Vec<Symmetry> {
    let one = |symmetry: &Symmetry| {
        let moves = agents.iter().zip(order).map(|(them, &agent)| {
            let moves = &symmetry.moves[agent];
            match them.agent {
                Agent::Chance => Some(moves.clone()),
                Agent::Maximizer | Agent::Adversary => images_of_classes(them.classes, moves),
            }
        });
        Some(Symmetry {
            facts: symmetry.facts.clone(),
            moves: moves.collect::<Option<_>>()?,
        })
    };
    symmetries.iter().filter_map(one).collect()
}

/// Symmetries as permutations of facts, of players' moves and of the choices of chance.
///
/// Where all moves of chance are always legal, signals take their place: thousands of moves would take long to compare. A
/// permutation of signals is a symmetry if it maps rows to rows.
fn symmetries_of_choices(problem: &Problem, facts: &[usize], limits: &Limits) -> Vec<Symmetry> {
    let generators = |problem: &Problem| {
        let flat = flattened(problem, facts);
        symmetry::generators(flat.as_ref().unwrap_or(problem), facts, || {
            !limits.is_over()
        })
    };
    let mut reduced = problem.clone();
    let step = &mut reduced.step;
    let mut next: Vec<Literal> = facts.iter().map(|&fact| step.next[fact]).collect();
    let mut signals: Vec<(usize, Signals)> = Vec::new();
    for (agent, _) in problem
        .agents
        .iter()
        .enumerate()
        .filter(|(_, it)| **it == Agent::Chance)
    {
        let found = Signals::put_into(&mut step.circuit, &step.moves[agent], &mut next);
        step.legal[agent] = vec![Literal::TRUE; found.inputs.len()];
        step.moves[agent] = found.inputs.clone();
        signals.push((agent, found));
    }
    facts
        .iter()
        .zip(next)
        .for_each(|(&fact, next)| step.next[fact] = next);
    let is_always_legal = |(agent, _): &(usize, Signals)| {
        problem.step.legal[*agent]
            .iter()
            .all(|&legal| legal == Literal::TRUE)
    };
    if signals.iter().all(is_always_legal) {
        let image = |mut symmetry: Symmetry| {
            for (agent, signals) in &signals {
                symmetry.moves[*agent] = signals.images(&symmetry.moves[*agent])?;
            }
            Some(symmetry)
        };
        let found: Option<Vec<Symmetry>> = generators(&reduced).into_iter().map(image).collect();
        if let Some(found) = found {
            return found;
        }
    }
    let image = |mut symmetry: Symmetry| {
        for (agent, signals) in &signals {
            symmetry.moves[*agent] = images_of_classes(&signals.classes, &symmetry.moves[*agent])?;
        }
        Some(symmetry)
    };
    generators(problem).into_iter().filter_map(image).collect()
}

/// Where a permutation of moves maps classes of moves; nothing if it does not map classes to classes.
fn images_of_classes(classes: &[Vec<usize>], map: &[u32]) -> Option<Permutation> {
    let mut class_of = vec![0; map.len()];
    for (class, number) in classes.iter().zip(0u32..) {
        class.iter().for_each(|&member| class_of[member] = number);
    }
    let image = |class: &Vec<usize>| {
        let images = || class.iter().map(|&member| class_of[map[member] as usize]);
        let first = images().next()?;
        let is_whole = classes[first as usize].len() == class.len();
        (is_whole && images().all(|image| image == first)).then_some(first)
    };
    classes.iter().map(image).collect()
}

/// The signals of the next state that keys are made of, if these are not its facts; and the conditions under which play may be over
/// ([`Problem::ends`]).
fn of_next_state(
    circuit: &mut Circuit,
    problem: &Problem,
    facts: &[usize],
    next: &[Literal],
    abstraction: Option<&Abstraction>,
) -> (Vec<Literal>, Vec<Literal>) {
    let pairs = facts.iter().zip(next);
    let mut images: FxHashMap<usize, Literal> = pairs
        .map(|(&fact, &next)| (problem.step.facts[fact].node(), next))
        .collect();
    let mut image = |signals: &[Literal]| {
        let cone = circuit.cone(signals);
        circuit.substitute(signals, &cone, &mut images)
    };
    let ends = image(&problem.ends());
    let seen = abstraction.map_or_else(Vec::new, |abstraction| image(&abstraction.facts));
    (seen, ends)
}

/// The agents with their choices in code; `legal` are the signals of these, `made` says for all choices which of the moves of the
/// transition each makes.
fn choosers(
    agents: &[Classes<'_>],
    legal: &[Vec<Vec<Literal>>],
    made: &[Vec<usize>],
    transition: &Transition,
) -> Vec<Chooser> {
    let mut literals = transition.asked.iter().copied();
    let mut made = made.iter();
    let mut choice = |signals: &Vec<Literal>| {
        let made = made.next().into_iter().flatten();
        Choice {
            legal: literals.by_ref().take(signals.len()).collect(),
            inputs: made.filter_map(|&index| transition.inputs[index]).collect(),
        }
    };
    let choosers = agents.iter().zip(legal).map(|(them, legal)| Chooser {
        agent: them.agent,
        choices: legal.iter().map(&mut choice).collect(),
    });
    choosers.collect()
}

/// The facts that anything depends on, now or later.
fn relevant_facts(problem: &Problem) -> Vec<usize> {
    let step = &problem.step;
    let legal = step.legal.iter().flatten().copied();
    let roots = problem.ends().into_iter().chain(legal);
    step.circuit.relevant_facts(&step.facts, &step.next, roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_with_equal_effects_are_one_choice() {
        let mut circuit = Circuit::new();
        let fact = circuit.input(0);
        let moves: Vec<Literal> = (0..5).map(|_| circuit.input(1)).collect();
        let keeps = circuit.or([moves[0], moves[2], moves[3]]);
        let next = circuit.and([fact, keeps]);
        let classes = classes_of_moves(&circuit, &moves, &[next]);
        assert_eq!(classes, [vec![0, 2, 3], vec![1, 4]]);
        let [first, second] = [moves[0], moves[1]].map(|made| circuit.and([fact, made]));
        let classes = classes_of_moves(&circuit, &moves, &[first, second]);
        assert_eq!(classes, [vec![0], vec![1], vec![2, 3, 4]]);
    }
}
