//! Compilation of a step to code that takes many states one step further at once ([`Transition`]).
//!
//! Whether play is over, and the payoff then, are computed for the *next* state, by putting the next facts in
//! place of the facts. So the step that ends a play knows that it does, and terminal states never become
//! states of the search.
//!
//! Facts on which nothing depends, now or later, are left out: what is legal, terminal and paid, and the next
//! facts of those that count. The others make up the *key* of a state.

use crate::abstraction::Abstraction;
use crate::afterstates::{Afterstates, Source};
use crate::bounds::MANY_OUTCOMES;
use crate::chance_signals::ChanceSignals;
use crate::equal_moves::{self, MoveClass};
use crate::equal_outcomes::{EqualOutcomes, equal_outcomes};
use crate::flattening::flattened;
use crate::keys::{Group, Keys, Permutation};
use crate::live_signals::LiveSignals;
use crate::options::Options;
use crate::plain::pack;
use crate::problem::{Agent, Problem};
use crate::symmetry::{self, Symmetry};
use circuit::{Circuit, Literal, Transition};
use num_rational::BigRational;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// A class of moves with equal effects.
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
    /// The classes of its moves.
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
    /// The outcomes that make no difference under each choice of another agent, in the order of `choosers`; nothing
    /// if several agents of chance decide.
    pub equal_outcomes: EqualOutcomes,
    /// The signals of chance from which outcomes that make no difference in a state are found; nothing if chance has few moves.
    pub live_signals: Option<LiveSignals>,
    /// The signals from which afterstates are computed; nothing if they are not asked for.
    source: Option<Source>,
    /// Afterstates, once they were looked for.
    afterstates: OnceLock<Option<Afterstates>>,
    /// For each agent of the problem, its moves by their effects.
    pub classes: Vec<Vec<MoveClass>>,
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
    /// For each payoff, how much it is.
    pub worths: Vec<BigRational>,
}

impl Compiled {
    /// Whether chance decides anything.
    pub fn has_chance(&self) -> bool {
        let mut choosers = self.choosers.iter();
        choosers.any(|chooser| chooser.agent == Agent::Chance)
    }

    /// The afterstates, if several states and moves share one. They are looked for at the first call.
    pub fn afterstates(&self) -> Option<&Afterstates> {
        let found = self
            .afterstates
            .get_or_init(|| self.source.as_ref().and_then(Afterstates::find));
        found.as_ref()
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

/// Compiles a step.
pub fn compile(problem: &Problem, options: &Options) -> Compiled {
    let facts = relevant_facts(problem);
    let symmetries = match options.use_symmetry {
        true => {
            let flat = flattened(problem, &facts);
            let problem = flat.as_ref().unwrap_or(problem);
            symmetry::generators(problem, &facts, || !options.limits.is_over())
        }
        false => Vec::new(),
    };
    compile_with(problem, options, facts, symmetries, None, &[])
}

/// Compiles a step with known symmetries of the facts that matter, and groups that each symmetry maps
/// to groups.
pub fn compile_with(
    problem: &Problem,
    options: &Options,
    facts: Vec<usize>,
    symmetries: Vec<Symmetry>,
    abstraction: Option<Abstraction>,
    groups: &[Group],
) -> Compiled {
    let step = &problem.step;
    let mut circuit = match &abstraction {
        Some(abstraction) => abstraction.circuit.clone(),
        None => step.circuit.clone(),
    };
    let mut order: Vec<usize> = (0..problem.agents.len()).collect();
    order.sort_by_key(|&agent| problem.agents[agent]);
    let next: Vec<Literal> = facts.iter().map(|&fact| step.next[fact]).collect();
    let mut classes = vec![Vec::new(); order.len()];
    for &agent in &order {
        classes[agent] = equal_moves::classes(&circuit, &step.moves[agent], &next, options);
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
    let of_choices = symmetries_of_choices(&agents, &order, &symmetries);
    let next = with_one_move_each(&mut circuit, &agents, &next);
    let (chance, players): (Vec<_>, Vec<_>) =
        (agents.iter()).partition(|them| them.agent == Agent::Chance);
    let players: Vec<Vec<Literal>> = players.into_iter().map(Classes::inputs).collect();
    let equal_outcomes = match chance.as_slice() {
        [them] if options.merge_outcomes => {
            equal_outcomes(&circuit, &players, &them.inputs(), &next, &options.limits)
        }
        _ => EqualOutcomes::default(),
    };
    let (seen, ends) = of_next_state(&mut circuit, problem, &facts, &next, abstraction.as_ref());
    let legal: Vec<Vec<Vec<Literal>>> = (agents.iter())
        .map(|them| them.legal_choices(&mut circuit))
        .collect();
    let asked: Vec<Literal> = legal.iter().flatten().flatten().copied().collect();
    let mut results = [&next[..], &seen, &ends].concat();
    let mut signals = None;
    let mut live_signals = None;
    if let [them] = chance.as_slice() {
        let (mut reduced, mut of_signals) = (circuit.clone(), results.clone());
        let found = ChanceSignals::put_into(&mut reduced, &them.inputs(), &mut of_signals);
        if options.merge_outcomes
            && them.classes.len() >= MANY_OUTCOMES
            && (1..=2).contains(&players.len())
        {
            let facts = facts.iter().map(|&fact| step.facts[fact]).collect();
            let next = &of_signals[..next.len()];
            live_signals = LiveSignals::new(&reduced, facts, next, &players, &found);
        }
        if found.save_work {
            (circuit, results) = (reduced, of_signals);
            signals = Some(found);
        }
    }
    let source = (options.share_afterstates && !chance.is_empty()).then(|| Source {
        circuit: circuit.clone(),
        facts: facts.iter().map(|&fact| step.facts[fact]).collect(),
        next: results[..facts.len()].to_vec(),
        symmetries: match (players.len(), chance.len()) {
            (1..=2, 1) => of_choices,
            _ => Vec::new(),
        },
        players,
        chance_legal: {
            let mut legal: Vec<Literal> =
                chance.iter().flat_map(|them| them.legal).copied().collect();
            legal.sort_unstable();
            legal.dedup();
            legal
        },
    });
    let inputs = facts.iter().map(|&fact| step.facts[fact]);
    let (mut moves, mut made) = (Vec::new(), Vec::new());
    for them in &agents {
        let first = moves.len();
        match signals.as_ref().filter(|_| them.agent == Agent::Chance) {
            Some(signals) => {
                moves.extend(&signals.inputs);
                let of_move = signals.of_move.iter();
                made.extend(of_move.map(|made| made.iter().map(|index| first + index).collect()));
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
        threads: options.threads,
        next: next.to_vec(),
        seen: seen.to_vec(),
        terminal: ends[0],
        flaw: ends[1],
        payoffs: ends[2..].to_vec(),
        worths: problem.payoff.iter().map(|paid| paid.0.clone()).collect(),
        choosers: choosers(&agents, &legal, &made, &transition),
        transition,
        keys: {
            let generators = symmetries.iter().map(|symmetry| symmetry.facts.clone());
            Keys::new(facts.len(), groups, &generators.collect::<Vec<_>>())
        },
        facts,
        symmetries,
        abstraction,
        equal_outcomes,
        live_signals,
        source,
        afterstates: OnceLock::new(),
        classes,
    }
}

/// An agent and the classes of its moves.
struct Classes<'a> {
    agent: Agent,
    moves: &'a [Literal],
    legal: &'a [Literal],
    classes: &'a [MoveClass],
}

impl Classes<'_> {
    /// The inputs of the first moves of all classes.
    fn inputs(&self) -> Vec<Literal> {
        let firsts = self.classes.iter().map(|class| self.moves[class[0]]);
        firsts.collect()
    }

    /// For each class what [`Choice::legal`] says.
    fn legal_choices(&self, circuit: &mut Circuit) -> Vec<Vec<Literal>> {
        let mut legal = |class: &MoveClass| {
            let members = class.iter().map(|&number| self.legal[number]);
            match self.agent {
                Agent::Chance => members.collect(),
                Agent::Maximizer | Agent::Adversary => vec![circuit.or(members)],
            }
        };
        self.classes.iter().map(&mut legal).collect()
    }
}

/// Symmetries as permutations of facts and of the classes of moves of each agent in the order of decision. Those that do not map
/// classes to classes are left out: moves were not all compared.
fn symmetries_of_choices(
    agents: &[Classes<'_>],
    order: &[usize],
    symmetries: &[Symmetry],
) -> Vec<Symmetry> {
    let classes_of = |them: &Classes<'_>| {
        let mut classes = vec![0; them.moves.len()];
        for (class, number) in them.classes.iter().zip(0u32..) {
            class.iter().for_each(|&member| classes[member] = number);
        }
        classes
    };
    let classes: Vec<Vec<u32>> = agents.iter().map(classes_of).collect();
    let image = |symmetry: &Symmetry| -> Option<Symmetry> {
        let mut moves = Vec::new();
        for ((them, &agent), class_of) in agents.iter().zip(order).zip(&classes) {
            let map = &symmetry.moves[agent];
            let image = |class: &MoveClass| {
                let image = class_of[map[class[0]] as usize];
                let is_whole = class.len() == them.classes[image as usize].len()
                    && class
                        .iter()
                        .all(|&member| class_of[map[member] as usize] == image);
                is_whole.then_some(image)
            };
            moves.push(
                them.classes
                    .iter()
                    .map(image)
                    .collect::<Option<Permutation>>()?,
            );
        }
        let facts = symmetry.facts.clone();
        Some(Symmetry { facts, moves })
    };
    symmetries.iter().filter_map(image).collect()
}

/// The next facts where only the first move of each class is made: the inputs of the others are false.
fn with_one_move_each(
    circuit: &mut Circuit,
    agents: &[Classes<'_>],
    next: &[Literal],
) -> Vec<Literal> {
    let others = agents.iter().flat_map(|them| {
        let others = them.classes.iter().flat_map(|class| &class[1..]);
        others.map(|&other| (them.moves[other].node(), Literal::FALSE))
    });
    let mut images = others.collect();
    let cone = circuit.cone(next);
    circuit.substitute(next, &cone, &mut images)
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
