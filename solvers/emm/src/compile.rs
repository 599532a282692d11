//! From a step to code that takes many states one step further at once.
//!
//! ```text
//! lanes of states    facts --state block--> what is legal, and what the step needs of the state
//!                      | a lane is copied once for each joint move
//! lanes of moves     facts, moves --body--> next facts; whether they are terminal; payoffs
//! ```
//!
//! What depends on the state only is computed before lanes are copied, so once for all moves. What
//! is terminal and what it is worth is computed for the *next* state, by putting the next facts in
//! place of the facts. So the step that ends a play knows that it does, and terminal states never become
//! states of the search.
//!
//! Facts on which nothing depends, now or later, are left out: what is legal, terminal and paid, and the next
//! facts of those that count. The others make up the *key* of a state.

use crate::afterstates::{Afterstates, Source};
use crate::equal_moves::{self, MoveClass};
use crate::equal_outcomes::{EqualOutcomes, equal_outcomes};
use crate::keys::{Group, Keys, Permutation};
use crate::options::Options;
use crate::plain::pack;
use crate::problem::{Agent, Problem};
use crate::sight::Sight;
use crate::symmetry;
use circuit::{Block, Code, Literal, Signal, Slots};
use num_rational::BigRational;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// A class of moves with equal effects.
#[derive(Clone, Debug)]
pub struct Choice {
    /// For each of them, whether it is legal. Of others than chance, one literal for all.
    pub legal: Vec<Literal>,
    /// The slot of the moves' input, as a place in [`Compiled::move_slots`]; none if the next state
    /// does not depend on it.
    pub input: Option<u32>,
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
    /// All code.
    pub code: Code,
    /// The number of slots.
    pub slots: usize,
    /// The facts that matter, by number; their places in this list are what keys are made from.
    pub facts: Vec<usize>,
    /// How keys are made.
    pub keys: Keys,
    /// Generators of all symmetries, as permutations of the places of facts; keys may know fewer ([`Keys::generators`]).
    pub symmetries: Vec<Permutation>,
    /// What keys see of states, if that is not simply the facts.
    pub sight: Option<Sight>,
    /// The slot of each fact of the key, in lanes of states.
    pub fact_slots: Vec<u32>,
    /// Code for lanes of states.
    pub state_block: Block,
    /// The agents in the order of decision: the maximizer, adversaries, chance.
    pub choosers: Vec<Chooser>,
    /// Which outcomes make no difference under which choice of which other agent, in the order of `choosers`; nothing
    /// if several agents of chance decide.
    pub equal_outcomes: EqualOutcomes,
    /// What afterstates are found in; nothing if they are not asked for.
    source: Option<Source>,
    /// Afterstates, once they were looked for.
    afterstates: OnceLock<Option<Afterstates>>,
    /// For each agent of the problem, its moves by their effects.
    pub classes: Vec<Vec<MoveClass>>,
    /// What is copied from lanes of states to lanes of moves.
    pub carried: Vec<(u32, u32)>,
    /// The slots of inputs for moves.
    pub move_slots: Vec<u32>,
    /// Code for lanes of moves.
    pub body: Block,
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

    /// What players leave to chance, if some states leave the same. They are looked for when they are first asked for.
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
        self.sight.as_ref().map_or(0, Sight::dead_facts)
    }

    /// What the key of a state sees, given its facts; one fact per bit in both.
    pub fn seen(&self, facts: &[u64]) -> Vec<u64> {
        match &self.sight {
            Some(sight) => sight.of(facts),
            None => facts.to_vec(),
        }
    }

    /// The words of the facts of a state.
    pub fn fact_words(&self) -> usize {
        self.facts.len().div_ceil(64).max(1)
    }

    /// The words of a state, given its facts: these, and what keys see of them if that is something else.
    pub fn state(&self, facts: &[u64]) -> Vec<u64> {
        match &self.sight {
            Some(sight) => [facts, &sight.of(facts)].concat(),
            None => facts.to_vec(),
        }
    }
}

/// Compiles a step.
pub fn compile(problem: &Problem, options: &Options) -> Compiled {
    let facts = relevant_facts(problem);
    let symmetries = match options.use_symmetry {
        true => symmetry::generators(problem, &facts, || !options.clock.is_over()),
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
    symmetries: Vec<Permutation>,
    sight: Option<Sight>,
    groups: &[Group],
) -> Compiled {
    let step = &problem.step;
    let keys = Keys::new(facts.len(), groups, &symmetries);
    let mut circuit = match &sight {
        Some(sight) => sight.circuit.clone(),
        None => step.circuit.clone(),
    };
    let next: Vec<Signal> = facts.iter().map(|&fact| step.next[fact]).collect();
    let mut order: Vec<usize> = (0..problem.agents.len()).collect();
    order.sort_by_key(|&agent| problem.agents[agent]);
    let classes: Vec<Vec<MoveClass>> = order
        .iter()
        .map(|&agent| equal_moves::classes(&circuit, &step.moves[agent], &next, options))
        .collect();
    // Of each class one move is made; the inputs of the others are false.
    let mut unused = FxHashMap::default();
    for (&agent, classes) in order.iter().zip(&classes) {
        for class in classes {
            for &other in &class[1..] {
                unused.insert(step.moves[agent][other].node(), Signal::FALSE);
            }
        }
    }
    let cone = circuit.cone(&next);
    let next = circuit.substitute(&next, &cone, &mut unused);
    let inputs = order.iter().zip(&classes).map(|(&agent, classes)| {
        let inputs = classes.iter().map(|class| step.moves[agent][class[0]]);
        (problem.agents[agent], inputs.collect::<Vec<Signal>>())
    });
    let (chance, players): (Vec<_>, Vec<_>) =
        inputs.partition(|(agent, _)| *agent == Agent::Chance);
    let players: Vec<Vec<Signal>> = players.into_iter().map(|(_, moves)| moves).collect();
    let source = (options.share_afterstates && !chance.is_empty()).then(|| Source {
        circuit: circuit.clone(),
        facts: facts.iter().map(|&fact| step.facts[fact]).collect(),
        next: next.clone(),
        players: players.clone(),
        chance_legal: {
            let agents = order
                .iter()
                .filter(|&&agent| problem.agents[agent] == Agent::Chance);
            agents
                .flat_map(|&agent| step.legal[agent].iter().copied())
                .collect()
        },
    });
    let equal_outcomes = match chance.as_slice() {
        [(_, outcomes)] if options.merge_outcomes => {
            equal_outcomes(&circuit, &players, outcomes, &next, &options.clock)
        }
        _ => EqualOutcomes::default(),
    };
    let ends = problem.ends();
    let cone = circuit.cone(&ends);
    let facts_next = facts.iter().zip(&next);
    let mut images = facts_next
        .map(|(&fact, &next)| (step.facts[fact].node(), next))
        .collect();
    let ends = circuit.substitute(&ends, &cone, &mut images);
    let seen = match &sight {
        Some(sight) => {
            let cone = circuit.cone(&sight.facts);
            circuit.substitute(&sight.facts, &cone, &mut images)
        }
        None => Vec::new(),
    };

    let mut slots = Slots::new();
    let mut code = Code::default();
    let fact_slots = facts
        .iter()
        .map(|&fact| slots.add(step.facts[fact]))
        .collect();
    let legal: Vec<Vec<Vec<Signal>>> = order
        .iter()
        .zip(&classes)
        .map(|(&agent, classes)| {
            let legal = &step.legal[agent];
            classes
                .iter()
                .map(|class| {
                    let members = class.iter().map(|&number| legal[number]);
                    match problem.agents[agent] {
                        Agent::Chance => members.collect(),
                        Agent::Maximizer | Agent::Adversary => vec![circuit.or(members)],
                    }
                })
                .collect()
        })
        .collect();
    let results: Vec<Signal> = next.iter().chain(&seen).chain(&ends).copied().collect();
    let boundary = circuit.boundary(&results);
    let wanted = legal.iter().flatten().flatten().copied();
    let wanted = wanted.chain(boundary.iter().map(|&node| circuit.signal(node)));
    let state_block = code.push(&circuit, wanted, &mut slots);

    let mut choosers = Vec::new();
    for (&agent, legal) in order.iter().zip(&legal) {
        let choices = legal.iter().map(|signals| Choice {
            legal: signals.iter().map(|&s| slots.literal(s)).collect(),
            input: None,
        });
        choosers.push(Chooser {
            agent: problem.agents[agent],
            choices: choices.collect(),
        });
    }
    let carried = boundary
        .iter()
        .map(|&node| {
            let from = slots.of_node(node).expect("it was computed");
            (from, slots.add(circuit.signal(node)))
        })
        .collect();
    let used = circuit.cone(&results);
    let mut move_slots = Vec::new();
    for ((&agent, classes), chooser) in order.iter().zip(&classes).zip(&mut choosers) {
        for (class, choice) in classes.iter().zip(&mut chooser.choices) {
            let input = step.moves[agent][class[0]];
            if used.binary_search(&input.node()).is_ok() {
                choice.input = Some(move_slots.len() as u32);
                move_slots.push(slots.add(input));
            }
        }
    }
    let body = code.push(&circuit, results.iter().copied(), &mut slots);
    let mut by_agent = vec![Vec::new(); problem.agents.len()];
    for (&agent, classes) in order.iter().zip(classes) {
        by_agent[agent] = classes;
    }
    let mut literals = results.iter().map(|&signal| slots.literal(signal));
    Compiled {
        threads: options.threads,
        next: literals.by_ref().take(facts.len()).collect(),
        seen: literals.by_ref().take(seen.len()).collect(),
        terminal: literals.next().expect("there is an end"),
        flaw: literals.next().expect("it stands behind the end"),
        payoffs: literals.collect(),
        worths: problem
            .payoff
            .iter()
            .map(|(worth, _)| worth.clone())
            .collect(),
        code,
        slots: slots.len(),
        facts,
        keys,
        symmetries,
        sight,
        fact_slots,
        state_block,
        choosers,
        equal_outcomes,
        source,
        afterstates: OnceLock::new(),
        classes: by_agent,
        carried,
        move_slots,
        body,
    }
}

/// The facts that anything depends on, now or later.
fn relevant_facts(problem: &Problem) -> Vec<usize> {
    let step = &problem.step;
    let legal = step.legal.iter().flatten().copied();
    let roots = problem.ends().into_iter().chain(legal);
    step.circuit.relevant_facts(&step.facts, &step.next, roots)
}
