//! The definition of the value, evaluated state by state, and random options.

#![allow(dead_code, reason = "each user takes a part")]

use crate::random::random_problem;
use circuit::Literal;
use fastrand::Rng;
use generators::signals;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use sqasp_emm::{Agent, Answer, Engine, Options, Problem};
use std::collections::{BTreeMap, HashMap};

/// The definition.
pub struct Definition<'a> {
    pub problem: &'a Problem,
    known: HashMap<(Vec<bool>, u32), BigRational>,
    /// The worth that stands in for states without a value.
    flaws_worth: BigRational,
    /// The value of a state from the means of its successors, for each of the maximizer's moves and each reply.
    pub value_of_matrix: fn(&[Vec<BigRational>]) -> BigRational,
}

/// The best row, to which the adversaries reply.
fn best_row(matrix: &[Vec<BigRational>]) -> BigRational {
    let rows = matrix.iter().map(|row| row.iter().min());
    let best = rows.max().flatten();
    best.expect("there are moves").clone()
}

impl<'a> Definition<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        Definition::with_flaws_worth(problem, BigRational::zero())
    }

    pub fn with_flaws_worth(problem: &'a Problem, flaws_worth: BigRational) -> Self {
        Definition {
            problem,
            known: HashMap::new(),
            flaws_worth,
            value_of_matrix: best_row,
        }
    }

    /// Which signals hold after these moves.
    pub fn signals(&self, state: &[bool], moves: &[usize]) -> impl Fn(Literal) -> bool + use<> {
        signals(&self.problem.step, state, moves)
    }

    /// The payoff where play is over; none where it is not.
    pub fn payoff(&self, state: &[bool]) -> Option<BigRational> {
        let holds = self.signals(state, &[]);
        let payoff = self.problem.payoff.iter();
        let paid = payoff.filter(|(_, signal)| holds(*signal));
        holds(self.problem.step.terminal).then(|| paid.map(|(value, _)| value).sum())
    }

    pub fn legal(&self, state: &[bool]) -> Vec<Vec<usize>> {
        let holds = self.signals(state, &[]);
        let legal = self.problem.step.legal.iter();
        legal
            .map(|legal| {
                let all = 0..legal.len();
                all.filter(|&m| holds(legal[m])).collect()
            })
            .collect()
    }

    /// The state after a joint move.
    pub fn next(&self, state: &[bool], moves: &[usize]) -> Vec<bool> {
        let next = self.problem.step.next.iter().copied();
        next.map(self.signals(state, moves)).collect()
    }

    pub fn value(&mut self, state: &[bool], steps: u32) -> BigRational {
        if let Some(paid) = self.payoff(state) {
            return match self.signals(state, &[])(self.problem.flaw) {
                true => self.flaws_worth.clone(),
                false => paid,
            };
        }
        let legal = self.legal(state);
        if steps == 0 {
            return self.problem.unfinished.clone();
        }
        if legal.iter().any(Vec::is_empty) {
            return self.flaws_worth.clone();
        }
        if let Some(value) = self.known.get(&(state.to_vec(), steps)) {
            return value.clone();
        }
        let maximizer = self.maximizer();
        let moves = legal[maximizer].iter();
        let rows = moves.map(|&m| self.reply_values(state, steps, &legal, m));
        let rows: Vec<Vec<BigRational>> = rows.collect();
        let value = (self.value_of_matrix)(&rows);
        self.known.insert((state.to_vec(), steps), value.clone());
        value
    }

    fn maximizer(&self) -> usize {
        let mut agents = self.problem.agents.iter();
        agents
            .position(|a| *a == Agent::Maximizer)
            .expect("there is one")
    }

    pub fn move_value(
        &mut self,
        state: &[bool],
        steps: u32,
        legal: &[Vec<usize>],
        number: usize,
    ) -> BigRational {
        let replies = self.reply_values(state, steps, legal, number).into_iter();
        replies.min().expect("there is a reply")
    }

    /// The mean of what follows a move and each joint move of the adversaries.
    fn reply_values(
        &mut self,
        state: &[bool],
        steps: u32,
        legal: &[Vec<usize>],
        number: usize,
    ) -> Vec<BigRational> {
        let maximizer = self.maximizer();
        // The sum and the number of values after each joint move of the adversaries.
        let mut sums: BTreeMap<Vec<usize>, (BigRational, i32)> = BTreeMap::new();
        for moves in joint_moves(legal) {
            if moves[maximizer] == number {
                let reply = of_agent(self.problem, Agent::Adversary, &moves);
                let value = self.value(&self.next(state, &moves), steps - 1);
                let sum = sums.entry(reply).or_insert((BigRational::zero(), 0));
                sum.0 += value;
                sum.1 += 1;
            }
        }
        let means = sums
            .into_values()
            .map(|(sum, count)| sum / BigInt::from(count));
        means.collect()
    }
}

/// Joint moves and the states after them, by number.
type Steps = Vec<(Vec<usize>, usize)>;

/// The states that play leads to, each with its joint moves and the states after them, by number; none of states without a move of some
/// agent, and of those in which play is over.
pub fn listed(definition: &Definition<'_>, first: &[bool]) -> Vec<(Vec<bool>, Steps)> {
    let mut numbers = HashMap::from([(first.to_vec(), 0)]);
    let mut listed = vec![(first.to_vec(), Vec::new())];
    let mut index = 0;
    while let Some((state, _)) = listed.get(index).cloned() {
        if definition.payoff(&state).is_none() {
            for moves in joint_moves(&definition.legal(&state)) {
                let next = definition.next(&state, &moves);
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    listed.push((next, Vec::new()));
                    listed.len() - 1
                });
                listed[index].1.push((moves, number));
            }
        }
        index += 1;
    }
    listed
}

/// All joint moves, by number of the move of each agent.
pub fn joint_moves(legal: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for moves in legal {
        let longer = |begun: Vec<usize>| moves.iter().map(move |&it| [&begun[..], &[it]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// The moves of agents of a kind.
pub fn of_agent(problem: &Problem, agent: Agent, moves: &[usize]) -> Vec<usize> {
    let agents = problem.agents.iter().zip(moves);
    let of_agent = agents.filter(|(it, _)| **it == agent);
    of_agent.map(|(_, number)| *number).collect()
}

/// A number that an answer tells about its search.
pub fn number(answer: &Answer, name: &str) -> u64 {
    let mut numbers = answer.statistics.iter();
    let found = numbers.find(|(found, _)| *found == name);
    found.expect("it is told").1
}

/// A random problem, an engine for it with random options, and what goes on drawing.
pub fn random_case(seed: u64) -> (Rng, Problem, Engine) {
    let mut random = Rng::with_seed(seed);
    let problem = random_problem(&mut random);
    let options = random_options(&mut random);
    let engine = Engine::new(problem.clone(), options).expect("a sound problem");
    (random, problem, engine)
}

/// Random mixtures of switches.
pub fn random_options(random: &mut Rng) -> Options {
    let mut options = Options::default();
    options.search.threads = random.usize(1..3);
    options.search.sibling_lanes = [0, 20, 128, 4000][random.usize(..4)];
    options.search.list_after = [0, 10, u64::MAX][random.usize(..3)];
    options.proofs_after = [0, 5, u64::MAX][random.usize(..3)];
    options.fewest_dead_facts = random.usize(..2);
    options.many_outcomes = [1, 1, 64][random.usize(..3)];
    for (name, _) in Options::techniques() {
        if random.usize(0..4) == 0 {
            *options.technique(name).expect("it is on the list") = false;
        }
    }
    options
}
