//! Questions and answers.

use crate::claims::Proofs;
use crate::compile::{Compiled, compile, compile_with};
use crate::dead_facts;
use crate::horizon::{self, Horizons, NoHorizon};
use crate::options::Options;
use crate::packing::Packing;
use crate::plain::{self, Situation};
use crate::problem::{Agent, Problem, ProblemError};
use crate::sight::Sight;
use limits::{Limits, StopReason, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use stochastic_game::{Found, Question, Values};

/// What an answer of the adversaries takes in a list, in bytes, roughly.
const BYTES_PER_REPLY: u64 = 1000;

/// Where more steps than these are asked for, it is worth finding out whether plays are shorter.
const LONG: u32 = 500;

/// How long answers are still looked up in the tables when a limit is reached.
const LOOK_UP: Duration = Duration::from_millis(50);

/// A question that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuestionError {
    /// The state has another number of facts.
    #[error("the state says of {given} facts whether they hold, but there are {facts}")]
    State {
        /// Facts given.
        given: usize,
        /// Facts of the step.
        facts: usize,
    },
    /// There is no such move of the maximizer, or it is not legal.
    #[error("the maximizer has no legal move with number {0} in this state")]
    Move(usize),
    /// It is not known when plays end.
    #[error(transparent)]
    NoHorizon(#[from] NoHorizon),
    /// A limit was reached before all answers of the adversaries were listed.
    #[error("there are more joint moves than could be looked at within the limits")]
    Stopped(StopReason),
    /// A state that was met has no value.
    #[error("a state has no value: its worth has no meaning, or somebody cannot move")]
    Flaw(Flaw),
}

/// A state that has no value, and how play gets there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The joint moves from the state asked about: for each agent the number of its move.
    pub moves: Vec<Vec<usize>>,
    /// For each fact, whether it holds there.
    pub state: Vec<bool>,
}

/// A value, or bounds of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// A proved lower bound.
    pub lower: BigRational,
    /// A proved upper bound; equal to the lower one if the value is known.
    pub upper: BigRational,
    /// Why the search was cut short, if the value is not known.
    pub stopped: Option<StopReason>,
}

impl Outcome {
    /// A value that is known.
    pub fn known(value: BigRational) -> Self {
        Outcome {
            lower: value.clone(),
            upper: value,
            stopped: None,
        }
    }

    /// Nothing is known, for a reason.
    pub fn unknown(reason: StopReason) -> Self {
        Outcome {
            lower: BigRational::zero(),
            upper: BigRational::one(),
            stopped: Some(reason),
        }
    }

    /// The same without a reason if the value is known: a part of the search that was cut short did not
    /// matter.
    fn settled(mut self) -> Self {
        self.stopped = self.stopped.filter(|_| self.lower != self.upper);
        self
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<&BigRational> {
        (self.lower == self.upper).then_some(&self.lower)
    }
}

/// What a question was answered with, and how that was come by.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The value, or bounds of it.
    pub outcome: Outcome,
    /// Whether it may count plays that were not over after the last step, as lost. If not, it is the
    /// value for any larger number of steps too.
    pub cuts_off: bool,
    /// Numbers about the run, by name: `states` (in the tables), `expanded` (states expanded for
    /// this question), `facts` (that matter), `dead_facts` (that may stop to), `key_bits`, `images` (of a state under symmetry), `value_bits`, `steps`, `table_bytes`.
    pub statistics: Vec<(&'static str, u64)>,
}

/// One answer of the adversaries to a move, with what follows from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// A move of each agent of the step; those of the maximizer and of chance have no meaning and
    /// are `None`.
    pub moves: Vec<Option<usize>>,
    /// Its value for the maximizer.
    pub outcome: Outcome,
}

/// A legal move of the maximizer, with what follows from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The number of the move.
    pub number: usize,
    /// Its value.
    pub outcome: Outcome,
    /// Whether no other move is known to be better, by lower bounds; if all values are known,
    /// whether it is a best move.
    pub may_be_best: bool,
}

/// Exact expected minimax on one step. It keeps what it finds out from one question to the next.
pub struct Engine {
    problem: Problem,
    options: Options,
    compiled: Compiled,
    values: Values,
    proofs: Proofs,
    horizons: Horizons,
    /// What keys write as one digit.
    packing: Option<Packing>,
    /// Whether it was tried to prove what makes keys better.
    has_tried_proofs: bool,
}

impl Engine {
    /// Compiles a problem.
    ///
    /// # Errors
    /// If the problem makes no sense.
    pub fn new(problem: Problem, options: Options) -> Result<Self, ProblemError> {
        problem.check()?;
        let compiled = compile(&problem, &options);
        Ok(Engine {
            problem,
            options,
            compiled,
            values: Values::default(),
            proofs: Proofs::default(),
            horizons: Horizons::default(),
            packing: None,
            has_tried_proofs: false,
        })
    }

    /// The problem, as it was given.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The initial state.
    pub fn initial(&self) -> &[bool] {
        &self.problem.step.initial
    }

    /// The number of joint moves in a state that is not terminal, of those with equal effects one; only
    /// as large as fits.
    ///
    /// # Errors
    /// If there is no such state.
    pub fn joint_moves(&self, state: &[bool]) -> Result<usize, QuestionError> {
        self.check_size(state)?;
        let situation = plain::situation(&self.problem, state);
        let asked = Asked::new(&self.compiled, state, 0, &situation);
        let numbers = asked.choices.iter().map(Vec::len);
        Ok(numbers.fold(1, usize::saturating_mul))
    }

    /// The number of states in the tables.
    pub fn states(&self) -> u64 {
        self.values.states()
    }

    /// Whether any value so far may count plays that were not over after the last step, as lost.
    pub fn cuts_off(&self) -> bool {
        self.values.cuts_off()
    }

    /// Whether that may be so of a value of this state with so many steps left: other questions may have
    /// been the ones. Little work is spent on it.
    pub fn may_cut_off(&mut self, state: &[bool], steps: u32, limits: &Limits) -> bool {
        if !self.values.cuts_off() || !is_open(&plain::situation(&self.problem, state)) {
            return false;
        }
        let (problem, compiled) = (&self.problem, &self.compiled);
        let (horizons, proofs) = (&mut self.horizons, &mut self.proofs);
        let longer = steps.saturating_add(1);
        horizons.at_most(problem, compiled, proofs, state, longer, limits) == longer
    }

    /// The memory of the tables, in bytes.
    pub fn bytes(&self) -> u64 {
        self.values.bytes()
    }

    /// Forgets all values; what was compiled and proved stays.
    pub fn forget(&mut self) {
        self.values = Values::default();
        self.horizons = Horizons::default();
    }

    /// The value of a state (for each fact, whether it holds) with so many steps left; `None` for
    /// as long as it takes.
    ///
    /// In a terminal state it is the payoff; with no steps left 0; otherwise the maximum over the
    /// maximizer's legal moves of the minimum over the adversaries' of the mean over those of chance of
    /// the value of the next state.
    ///
    /// # Errors
    /// If the question makes no sense, or a state has no value.
    pub fn solve(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Answer, QuestionError> {
        self.check_size(state)?;
        let mut watch = Watch::new(limits);
        let steps = self.steps(state, steps_left, &watch.left())?;
        let cut_off_before = self.values.cuts_off();
        let mut answer = self.answer(state, steps, &mut watch)?;
        if cut_off_before && answer.cuts_off {
            let steps = u32::try_from(steps).unwrap_or(u32::MAX);
            answer.cuts_off = self.may_cut_off(state, steps, &watch.left());
        }
        Ok(answer)
    }

    /// After how many steps every play from a state is over, proved. It may be sooner.
    ///
    /// # Errors
    /// If the question makes no sense, or if no proof is found.
    pub fn horizon(&mut self, state: &[bool], limits: &Limits) -> Result<u32, QuestionError> {
        self.check_size(state)?;
        if !is_open(&plain::situation(&self.problem, state)) {
            return Ok(0);
        }
        let (problem, compiled) = (&self.problem, &self.compiled);
        let (horizons, proofs) = (&mut self.horizons, &mut self.proofs);
        Ok(horizons.find(problem, compiled, proofs, state, limits)?)
    }

    /// The value of each legal move of the maximizer. Empty if the state is terminal, no steps are
    /// left, or somebody cannot move. All moves get their share of the limits' time, one after the
    /// other.
    ///
    /// # Errors
    /// If the question makes no sense.
    pub fn moves(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Vec<MoveValue>, QuestionError> {
        self.check_size(state)?;
        let mut watch = Watch::new(limits);
        let steps = self.steps(state, steps_left, &watch.left())?;
        let situation = plain::situation(&self.problem, state);
        let is_over = situation.worth.is_some();
        if situation.is_flawed && (steps > 0 || is_over) {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        if is_over || steps == 0 {
            return Ok(Vec::new());
        }
        let mut question = Asked::new(&self.compiled, state, steps, &situation);
        let mut values = Vec::new();
        // Moves with equal effects are worth the same.
        let mut known: FxHashMap<usize, Outcome> = FxHashMap::default();
        for &number in &situation.legal[self.maximizer()] {
            let class = question.class(self.maximizer(), number);
            let outcome = match known.get(&class) {
                Some(outcome) => outcome.clone(),
                None => self.after(&mut question, number, &mut watch)?,
            };
            known.entry(class).or_insert_with(|| outcome.clone());
            values.push(MoveValue {
                number,
                outcome,
                may_be_best: false,
            });
        }
        let best = values.iter().map(|value| value.outcome.lower.clone()).max();
        for value in &mut values {
            value.may_be_best = best
                .as_ref()
                .is_some_and(|best| value.outcome.upper >= *best);
        }
        Ok(values)
    }

    /// What the adversaries may answer to a move of the maximizer, with its values; best for them
    /// first, by what is known. Of answers with equal effects there is one; one entry if there are no
    /// adversaries.
    ///
    /// # Errors
    /// If the question makes no sense, or there are too many answers for the limits.
    pub fn replies(
        &mut self,
        state: &[bool],
        number: usize,
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Vec<Reply>, QuestionError> {
        self.check_size(state)?;
        let mut watch = Watch::new(limits);
        let steps = self.steps(state, steps_left, &watch.left())?;
        let situation = plain::situation(&self.problem, state);
        let is_legal = situation.legal[self.maximizer()].contains(&number);
        if !is_open(&situation) || steps == 0 || !is_legal {
            return Err(QuestionError::Move(number));
        }
        let mut question = Asked::new(&self.compiled, state, steps, &situation);
        let mut replies = Vec::new();
        let most = watch.memory_limit().unwrap_or(u64::MAX) / BYTES_PER_REPLY;
        self.for_each_reply(&mut question, number, &mut watch, |moves, outcome| {
            replies.push(Reply { moves, outcome });
            match replies.len() as u64 > most {
                true => Err(QuestionError::Stopped(StopReason::Memory)),
                false => Ok(()),
            }
        })?;
        replies.sort_by(|one, other| {
            let bounds = |reply: &Reply| (reply.outcome.upper.clone(), reply.outcome.lower.clone());
            bounds(one).cmp(&bounds(other))
        });
        Ok(replies)
    }

    /// Looks for a flaw among all states that play leads to within so many steps, nearest first.
    ///
    /// # Errors
    /// The flaw that was found; or a limit that came first.
    pub fn check(
        &mut self,
        state: &[bool],
        steps: u32,
        limits: &Limits,
    ) -> Result<(), QuestionError> {
        self.check_size(state)?;
        let situation = plain::situation(&self.problem, state);
        if situation.is_flawed && (steps > 0 || situation.worth.is_some()) {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        if situation.worth.is_some() {
            return Ok(());
        }
        let words = self.compiled.state(&self.compiled.pack(state));
        let mut watch = Watch::new(limits);
        match stochastic_game::find_flaw(&self.compiled, &words, steps as usize, &mut watch) {
            Ok(None) => Ok(()),
            Ok(Some(trail)) => Err(QuestionError::Flaw(self.follow(state, &trail))),
            Err(reason) => Err(QuestionError::Stopped(reason)),
        }
    }

    fn maximizer(&self) -> usize {
        let agents = self.problem.agents.iter();
        let mut places = agents.enumerate().filter(|(_, a)| **a == Agent::Maximizer);
        places.next().expect("the problem was checked").0
    }

    fn check_size(&self, state: &[bool]) -> Result<(), QuestionError> {
        let facts = self.problem.step.facts.len();
        if state.len() != facts {
            return Err(QuestionError::State {
                given: state.len(),
                facts,
            });
        }
        Ok(())
    }

    fn steps(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<usize, QuestionError> {
        Ok(match steps_left {
            // Tables are kept for each number of steps: not for more than there can be.
            Some(steps) if steps > LONG => {
                let (problem, compiled) = (&self.problem, &self.compiled);
                let (horizons, proofs) = (&mut self.horizons, &mut self.proofs);
                match is_open(&plain::situation(problem, state)) {
                    true => horizons.at_most(problem, compiled, proofs, state, steps, limits),
                    false => 0,
                }
            }
            Some(steps) => steps,
            None => self.horizon(state, limits)?,
        } as usize)
    }

    fn answer(
        &mut self,
        state: &[bool],
        steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Answer, QuestionError> {
        let situation = plain::situation(&self.problem, state);
        let is_over = situation.worth.is_some();
        if situation.is_flawed && (steps > 0 || is_over) {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        let known = match situation.worth {
            Some(worth) => Some(worth),
            None if steps == 0 => {
                self.values.note_cut_off();
                Some(BigRational::zero())
            }
            None => None,
        };
        let found = match known {
            Some(value) => Found {
                lower: value.clone(),
                upper: value,
                stopped: None,
                expanded: 0,
                value_bits: 0,
            },
            None => self.search_as_far_as_possible(state, steps, watch)?,
        };
        Ok(Answer {
            cuts_off: !is_over && self.values.cuts_off(),
            statistics: vec![
                ("states", self.values.states()),
                ("expanded", found.expanded),
                ("facts", self.compiled.facts.len() as u64),
                ("dead_facts", self.compiled.dead_facts() as u64),
                ("key_bits", u64::from(self.compiled.keys.bits())),
                ("images", self.compiled.keys.images() as u64),
                ("value_bits", u64::from(found.value_bits)),
                ("steps", steps as u64),
                ("table_bytes", self.values.bytes()),
            ],
            outcome: Outcome {
                lower: found.lower,
                upper: found.upper,
                stopped: found.stopped,
            },
        })
    }

    /// Searches from a state that is not terminal. Where there is no memory for so many steps, what
    /// fewer of them are worth is a lower bound: more can only add to it.
    fn search_as_far_as_possible(
        &mut self,
        state: &[bool],
        steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Found, QuestionError> {
        let mut found = self.search(state, steps, watch)?;
        let (mut fewer, mut stopped) = (steps / 2, found.stopped);
        while stopped == Some(StopReason::Memory) && fewer > LONG as usize {
            let shorter = self.search(state, fewer, watch)?;
            found.lower = shorter.lower.max(found.lower);
            found.expanded += shorter.expanded;
            stopped = shorter.stopped;
            fewer /= 2;
        }
        found.stopped = found.stopped.filter(|_| found.lower != found.upper);
        Ok(found)
    }

    /// Searches from a state that is not terminal.
    fn search(
        &mut self,
        state: &[bool],
        steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Found, QuestionError> {
        if !self.admits(state) {
            self.packing = None;
            self.compile(None);
        }
        let patience = (!self.has_tried_proofs).then_some(self.options.proofs_after);
        if let Some(found) = self.ask(state, steps, patience, watch)? {
            return Ok(found);
        }
        self.has_tried_proofs = true;
        let facts = self.compiled.pack(state);
        self.try_proofs(state, &facts, watch);
        let found = self.ask(state, steps, None, watch)?;
        Ok(found.expect("patience has no end"))
    }

    /// Asks for the value of a state that is not terminal; nothing if that takes more than so many
    /// expansions.
    fn ask(
        &mut self,
        state: &[bool],
        steps: usize,
        patience: Option<u64>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Found>, QuestionError> {
        let question = Question {
            game: &self.compiled,
            options: &self.options.search(),
            state: &self.compiled.state(&self.compiled.pack(state)),
            layer: steps,
            patience,
        };
        let found = self.values.solve(question, watch);
        found.map_err(|trail| QuestionError::Flaw(self.follow(state, &trail)))
    }

    /// The joint moves from a state along a trail that begins there, to the flaw behind its end.
    fn follow(&self, state: &[bool], trail: &[Box<[u64]>]) -> Flaw {
        let problem = &self.problem;
        let key = |facts: &[u64]| horizon::key(&self.compiled, facts);
        let mut flaw = Flaw::here(state);
        for place in 1..=trail.len() {
            let situation = plain::situation(problem, &flaw.state);
            if situation.is_flawed {
                return flaw;
            }
            // The keys are those of the trail; states that differ in facts that do not matter, or by a
            // symmetry, have the same. What has the flaw is behind the end, and has no key.
            let facts = self.compiled.fact_words();
            let wanted = trail.get(place).map(|state| key(&state[..facts]));
            let asked = Asked::new(&self.compiled, state, 0, &situation);
            let mut tried = vec![0; asked.choices.len()];
            (flaw.state, flaw.moves) = loop {
                let chosen = asked.choices.iter().zip(&tried);
                let joint: Vec<usize> = chosen.map(|(moves, &tried)| moves[tried].0).collect();
                let next = plain::next(problem, &flaw.state, &joint);
                let found = plain::situation(problem, &next);
                let is_it = match &wanted {
                    Some(wanted) => {
                        found.worth.is_none() && key(&self.compiled.pack(&next)) == *wanted
                    }
                    None => found.is_flawed,
                };
                if is_it {
                    flaw.moves.push(joint);
                    break (next, flaw.moves);
                }
                if !advance(&mut tried, |place| asked.choices[place].len()) {
                    unreachable!("each state of a trail follows the one before");
                }
            };
        }
        flaw
    }

    /// Whether what keys rely on is proved of a state.
    fn admits(&mut self, state: &[bool]) -> bool {
        if self.compiled.sight.is_none() && self.packing.is_none() {
            return true;
        }
        let facts = self.compiled.pack(state);
        let (problem, compiled) = (&self.problem, &self.compiled);
        let claims = self
            .proofs
            .claims(problem, compiled, &facts, &Watch::new(&Limits::default()));
        claims.is_some_and(|claims| claims.lasting.admits(state))
            && self
                .packing
                .as_ref()
                .is_none_or(|packing| packing.admits(&facts))
    }

    /// Looks for facts that no longer matter, and for those that exclude each other where the keys
    /// are long; makes better keys with what is proved.
    fn try_proofs(&mut self, state: &[bool], facts: &[u64], watch: &Watch<'_>) {
        let (problem, compiled) = (&self.problem, &self.compiled);
        let options = &self.options;
        let has_dead_facts =
            options.merge_dead_facts && dead_facts::may_exist(problem, &compiled.facts);
        let has_long_keys = options.pack_groups && compiled.keys.bits() > options.longest_unpacked;
        if !has_dead_facts && !has_long_keys {
            return;
        }
        let claims = self.proofs.claims(problem, compiled, facts, watch);
        let Some(claims) = claims.filter(|claims| claims.lasting.admits(state)) else {
            return;
        };
        let (places, symmetries) = (&compiled.facts, &compiled.symmetries);
        let mut sight = None;
        if has_dead_facts {
            let fewest = options.fewest_dead_facts;
            sight = dead_facts::find(problem, places, claims, symmetries, fewest, watch);
        }
        let mut packing = None;
        if has_long_keys {
            let seen = sight.as_ref();
            packing = Packing::find(problem, places, claims, symmetries, seen, watch);
        }
        self.packing = packing.filter(|packing| packing.admits(facts));
        if sight.is_some() || self.packing.is_some() {
            self.compile(sight);
        }
    }

    /// Makes keys in another way from now on; all that is stored is forgotten.
    fn compile(&mut self, sight: Option<Sight>) {
        let facts = self.compiled.facts.clone();
        let symmetries = self.compiled.symmetries.clone();
        let packing = self.packing.as_ref();
        let groups = packing.map_or(&[][..], |packing| &packing.groups);
        self.compiled = compile_with(
            &self.problem,
            &self.options,
            facts,
            symmetries,
            sight,
            groups,
        );
        self.values.forget();
        self.horizons = Horizons::default();
    }

    /// What a move of the maximizer is worth: the smallest of the values of what the adversaries may
    /// answer.
    ///
    /// # Errors
    /// If a state has no value.
    fn after(
        &mut self,
        asked: &mut Asked<'_>,
        number: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, QuestionError> {
        let mut worst: Option<Outcome> = None;
        let all = self.for_each_reply(asked, number, watch, |_, found| {
            worst = Some(match worst.take() {
                None => found,
                Some(worst) => Outcome {
                    lower: worst.lower.min(found.lower),
                    upper: worst.upper.min(found.upper),
                    stopped: worst.stopped.or(found.stopped),
                },
            });
            Ok(())
        });
        let outcome = match (all, worst) {
            (Ok(()), worst) => worst.expect("there is a reply"),
            // Answers that nobody looked at may be worse.
            (Err(QuestionError::Stopped(reason)), worst) => Outcome {
                upper: worst.map_or_else(BigRational::one, |worst| worst.upper),
                ..Outcome::unknown(reason)
            },
            (Err(error), _) => return Err(error),
        };
        Ok(outcome.settled())
    }

    /// Calls `visit` with what the adversaries may answer to a move, and what that is worth, one after
    /// the other: there can be more than fit into any memory.
    ///
    /// # Errors
    /// The limit that was reached before all were visited, what `visit` says, or a state without a value.
    fn for_each_reply(
        &mut self,
        asked: &mut Asked<'_>,
        number: usize,
        watch: &mut Watch<'_>,
        mut visit: impl FnMut(Vec<Option<usize>>, Outcome) -> Result<(), QuestionError>,
    ) -> Result<(), QuestionError> {
        let places = |wanted: Agent| -> Vec<usize> {
            let agents = self.problem.agents.iter().enumerate();
            let found = agents.filter(|(_, agent)| **agent == wanted);
            found.map(|(place, _)| place).collect()
        };
        let (adversaries, chances) = (places(Agent::Adversary), places(Agent::Chance));
        let choices = asked.choices.clone();
        let all_outcomes: BigInt = chances
            .iter()
            .map(|&agent| choices[agent].iter().map(|(_, weight)| weight).sum::<u32>())
            .product();
        let mut moves = vec![0; self.problem.agents.len()];
        moves[self.maximizer()] = number;
        let mut reply = vec![0; adversaries.len()];
        loop {
            asked.look(watch).map_err(QuestionError::Stopped)?;
            let mut told = vec![None; moves.len()];
            for (&agent, &tried) in adversaries.iter().zip(&reply) {
                moves[agent] = choices[agent][tried].0;
                told[agent] = Some(moves[agent]);
            }
            let mut outcome = Outcome::known(BigRational::zero());
            let mut left = BigRational::one();
            let mut chance = vec![0; chances.len()];
            loop {
                let mut weight = BigInt::one();
                for (&agent, &tried) in chances.iter().zip(&chance) {
                    moves[agent] = choices[agent][tried].0;
                    weight *= choices[agent][tried].1;
                }
                let share = BigRational::new(weight, all_outcomes.clone());
                if let Err(reason) = asked.look(watch) {
                    outcome.upper += &left;
                    outcome.stopped = Some(reason);
                    break;
                }
                let next = plain::next(&self.problem, asked.state, &moves);
                let found = self.answer(&next, asked.steps - 1, watch);
                let found = found.map_err(|error| error.after(&moves))?.outcome;
                outcome.lower += found.lower * &share;
                outcome.upper += found.upper * &share;
                outcome.stopped = outcome.stopped.or(found.stopped);
                left -= share;
                if !advance(&mut chance, |place| choices[chances[place]].len()) {
                    break;
                }
            }
            visit(told, outcome.settled())?;
            if !advance(&mut reply, |place| choices[adversaries[place]].len()) {
                return Ok(());
            }
        }
    }
}

impl Flaw {
    /// The state asked about.
    fn here(state: &[bool]) -> Self {
        Flaw {
            moves: Vec::new(),
            state: state.to_vec(),
        }
    }
}

impl QuestionError {
    /// The same error, of a question about the state before a joint move.
    fn after(mut self, joint_move: &[usize]) -> Self {
        if let QuestionError::Flaw(flaw) = &mut self {
            flaw.moves.insert(0, joint_move.to_vec());
        }
        self
    }
}

/// A question about all moves in a state.
struct Asked<'a> {
    state: &'a [bool],
    /// Steps left.
    steps: usize,
    /// For each agent its legal moves: of those with equal effects the first, and how many they are.
    choices: Vec<Vec<(usize, u32)>>,
    /// For each agent and move the number of its class.
    classes: Vec<Vec<usize>>,
    /// When a limit was reached.
    over_since: Option<Instant>,
}

impl<'a> Asked<'a> {
    fn new(compiled: &Compiled, state: &'a [bool], steps: usize, situation: &Situation) -> Self {
        let (mut choices, mut classes) = (Vec::new(), Vec::new());
        for (legal, all) in situation.legal.iter().zip(&compiled.classes) {
            let mut class_of = vec![0; all.iter().map(Vec::len).sum()];
            for (class, members) in all.iter().enumerate() {
                members.iter().for_each(|&member| class_of[member] = class);
            }
            let mut found: Vec<Option<(usize, u32)>> = vec![None; all.len()];
            for &number in legal {
                found[class_of[number]].get_or_insert((number, 0)).1 += 1;
            }
            choices.push(found.into_iter().flatten().collect());
            classes.push(class_of);
        }
        Asked {
            state,
            steps,
            choices,
            classes,
            over_since: None,
        }
    }

    /// The class of a move.
    fn class(&self, agent: usize, number: usize) -> usize {
        self.classes[agent][number]
    }

    /// Looks at the limits. When one is reached, answers can still be looked up for a moment.
    fn look(&mut self, watch: &Watch<'_>) -> Result<(), StopReason> {
        watch.clock().look().or_else(|reason| {
            let since = self.over_since.get_or_insert_with(Instant::now);
            match since.elapsed() < LOOK_UP {
                true => Ok(()),
                false => Err(reason),
            }
        })
    }
}

/// The next choice of one out of so many at each place, the last place changing fastest; `false` after
/// the last one.
fn advance(tried: &mut [usize], choices: impl Fn(usize) -> usize) -> bool {
    (0..tried.len()).rev().any(|place| {
        tried[place] = (tried[place] + 1) % choices(place);
        tried[place] != 0
    })
}

/// Whether play goes on from a state.
fn is_open(situation: &Situation) -> bool {
    situation.worth.is_none() && situation.legal.iter().all(|legal| !legal.is_empty())
}
