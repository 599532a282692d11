//! One engine: its compiled problem, its proofs and values, and the questions that it answers.

mod advance;
mod layers;
mod moves;
mod proofs;

pub use layers::{LayeredGame, Layering};

use crate::answer::{Answer, Flaw, QuestionError};
use crate::claims::Proofs;
use crate::compile::{Compiled, compile};
use crate::horizon::{self, Horizons, Length, NoHorizon};
use crate::legal_moves::{LegalMoves, any_combination};
use crate::options::Options;
use crate::plain::{self, Situation};
use crate::policy::{Action, LONG, Purpose, SHARE, State, needs_length, next_action};
use crate::problem::{Agent, Problem, ProblemError};
use crate::reached::ReachableStates;
use arena::Unexplored;
use limits::{Bounds, Limits, Publisher, StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};
use search::{Question, Valuation, Values};

/// Exact expected minimax on one step. It keeps what it finds out from one question to the next.
pub struct Engine {
    problem: Problem,
    options: Options,
    compiled: Compiled,
    values: Values,
    proofs: Proofs,
    horizons: Horizons,
    /// Better keys that are not right for the last question.
    better: Option<Compiled>,
    /// Whether the engine has tried to prove claims that make keys better.
    has_tried_proofs: bool,
    /// The state that keys for tables were made from.
    prepared_from: Option<Vec<bool>>,
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
            better: None,
            has_tried_proofs: false,
            prepared_from: None,
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

    /// The number of joint moves in a state that is not terminal, of those with equal effects one;
    /// `usize::MAX` if there are more.
    ///
    /// # Errors
    /// If there is no such state.
    pub fn joint_moves(&self, state: &[bool]) -> Result<usize, QuestionError> {
        self.check_size(state)?;
        let situation = plain::situation(&self.problem, state);
        let asked = LegalMoves::new(&self.compiled, state, Some(0), &situation);
        let numbers = asked.choices.iter().map(Vec::len);
        Ok(numbers.fold(1, usize::saturating_mul))
    }

    /// The number of states in the tables.
    pub fn states(&self) -> u64 {
        let listed = self
            .horizons
            .reached
            .as_ref()
            .map_or(0, ReachableStates::states);
        self.values.states() + listed
    }

    /// Whether some search so far met the limit of steps: then values may count plays as lost that were not over after the last step.
    pub fn cuts_off(&self) -> bool {
        self.values.cuts_off()
    }

    /// Whether the limit of steps may have changed the value of this state with these steps left, or bounds if it is not known: perhaps only other questions
    /// met it, and a search that was stopped has not seen all plays. Little work is spent on it.
    pub fn may_cut_off(
        &mut self,
        state: &[bool],
        steps: u32,
        is_known: bool,
        limits: &Limits,
    ) -> bool {
        if is_known && !self.values.cuts_off() || !is_open(&plain::situation(&self.problem, state))
        {
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

    /// The value of a state (for each fact, whether it holds) with this number of steps left; all steps count without
    /// a number.
    ///
    /// In a terminal state it is the payoff; with no steps left that of play that is not over; otherwise the maximum over the
    /// maximizer's legal moves of the minimum over the adversaries' of the mean over those of chance of
    /// the value of the next state. If all steps count it is the limit of these values: play that never ends is worth
    /// 0.
    ///
    /// # Errors
    /// If the question makes no sense, or a state has no value.
    pub fn solve(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Answer, QuestionError> {
        self.solve_publishing(state, steps_left, limits, &Publisher::default())
    }

    /// The same, and publishes bounds of the value on the way.
    ///
    /// # Errors
    /// As for [`Engine::solve`].
    pub fn solve_publishing(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
        publisher: &Publisher,
    ) -> Result<Answer, QuestionError> {
        self.check_size(state)?;
        let mut watch = Watch::publishing(limits, publisher);
        let steps = self.steps(state, steps_left, watch.limits())?;
        let cut_off_before = self.values.cuts_off();
        let mut answer = self.answer(state, steps, &mut watch)?;
        let is_known = answer.outcome.value().is_some();
        if let (true, true, Some(steps)) = (cut_off_before || !is_known, answer.cuts_off, steps) {
            let steps = u32::try_from(steps).unwrap_or(u32::MAX);
            answer.cuts_off = self.may_cut_off(state, steps, is_known, watch.limits());
        }
        Ok(answer)
    }

    /// After how many steps every play from a state is over, proved. It may be sooner.
    ///
    /// # Errors
    /// If the question makes no sense, or if no proof is found.
    pub fn horizon(&mut self, state: &[bool], limits: &Limits) -> Result<u32, QuestionError> {
        self.horizon_by(state, limits, SHARE)
    }

    /// The same, by ways that get a `share`-th part of time and memory each.
    fn horizon_by(
        &mut self,
        state: &[bool],
        limits: &Limits,
        share: u32,
    ) -> Result<u32, QuestionError> {
        self.check_size(state)?;
        let situation = plain::situation(&self.problem, state);
        if situation.is_flawed {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        if situation.worth.is_some() {
            return Ok(0);
        }
        self.choose_keys(state);
        let found = self.find_length(state, Purpose::Length, limits, share);
        let reached = self.horizons.reached.as_ref();
        Err(QuestionError::NoHorizon(match found {
            Ok(Length::Steps(steps)) => return Ok(steps),
            Ok(Length::Endless) => NoHorizon::Endless,
            Ok(Length::Unknown) => match reached.and_then(ReachableStates::stopped) {
                Some(reason) => NoHorizon::Stopped(reason),
                None => NoHorizon::Unproved,
            },
            Err(QuestionError::Unlisted(_)) => NoHorizon::Unproved,
            Err(error) => return Err(error),
        }))
    }

    /// After how many steps every play from a state is over, if an earlier question has shown that.
    pub fn known_horizon(&self, state: &[bool]) -> Option<u32> {
        if !is_open(&plain::situation(&self.problem, state)) {
            return Some(0);
        }
        match self
            .horizons
            .known(&self.compiled, &self.compiled.pack(state))
        {
            Length::Steps(steps) => Some(steps),
            Length::Endless | Length::Unknown => None,
        }
    }

    /// Searches for a flaw among all states that play leads to within `steps` steps, nearest first.
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
        match arena::find_flaw(&self.compiled, &words, steps as usize, &mut watch) {
            Ok(None) => Ok(()),
            Ok(Some(trail)) => Err(QuestionError::Flaw(self.follow(state, &trail))),
            Err(reason) => Err(QuestionError::Stopped(reason)),
        }
    }

    /// The agents of a kind, by index.
    fn agents(&self, wanted: Agent) -> Vec<usize> {
        let agents = self.problem.agents.iter().enumerate();
        let found = agents.filter(|(_, agent)| **agent == wanted);
        found.map(|(index, _)| index).collect()
    }

    fn maximizer(&self) -> usize {
        self.agents(Agent::Maximizer)[0]
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

    /// How many steps are to be searched; nothing if all count, and no number is known after which every play is over. A state without a value
    /// is refused, whether steps are counted or not.
    fn steps(
        &mut self,
        state: &[bool],
        steps_left: Option<u32>,
        limits: &Limits,
    ) -> Result<Option<usize>, QuestionError> {
        let situation = plain::situation(&self.problem, state);
        if situation.is_flawed && (steps_left != Some(0) || situation.worth.is_some()) {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        self.choose_keys(state);
        let steps = match steps_left {
            Some(steps) if !needs_length(steps_left) => steps,
            _ if !is_open(&situation) => 0,
            // Tables are kept for each number of steps: not for more than there can be.
            Some(steps) => {
                let (problem, compiled) = (&self.problem, &self.compiled);
                let (horizons, proofs) = (&mut self.horizons, &mut self.proofs);
                horizons.at_most(problem, compiled, proofs, state, steps, limits)
            }
            None => match self.find_length(state, Purpose::Values, limits, SHARE)? {
                Length::Steps(steps) => steps,
                Length::Endless | Length::Unknown if self.problem.unfinished.is_zero() => {
                    return Ok(None);
                }
                // Play that never ends would be better than the worst end.
                Length::Endless => return Err(NoHorizon::Endless.into()),
                Length::Unknown => return Err(NoHorizon::Unproved.into()),
            },
        };
        Ok(Some(steps as usize))
    }

    /// How long plays from a state take that is not terminal, and that keys are right for. Proofs, and listing, get a `share`-th part of the limits each.
    fn find_length(
        &mut self,
        state: &[bool],
        purpose: Purpose,
        limits: &Limits,
        share: u32,
    ) -> Result<Length, QuestionError> {
        let part = || Limits {
            memory: limits.memory.map(|memory| memory / u64::from(share)),
            ..limits.within(limits.time_left().map(|time| time / share))
        };
        let may_have_dead_facts = !self.has_tried_proofs && self.may_have_dead_facts();
        let (problem, compiled) = (&self.problem, &self.compiled);
        let (horizons, proofs) = (&mut self.horizons, &mut self.proofs);
        let limits_of_first = part();
        let use_of_it = (purpose, may_have_dead_facts);
        let found = horizons.find(
            problem,
            compiled,
            proofs,
            state,
            use_of_it,
            &limits_of_first,
        );
        match found {
            Ok(Length::Unknown) => {}
            Ok(known) => return Ok(known),
            Err(unlisted) => return Err(self.unlisted(state, unlisted)),
        }
        let facts = self.compiled.pack(state);
        if !self.has_tried_proofs {
            self.has_tried_proofs = true;
            self.try_proofs(state, &facts, &part());
        }
        let goes_on = |listed| {
            let state = State {
                purpose,
                listed,
                has_tried_proofs: true,
                may_have_dead_facts: false,
            };
            next_action(state) == Action::List
        };
        match (self.horizons).list(&self.compiled, &facts, goes_on, &part()) {
            Ok(()) => Ok(self.horizons.known(&self.compiled, &facts)),
            Err(unlisted) => Err(self.unlisted(state, unlisted)),
        }
    }

    /// The reason why the states that follow from one could not be listed.
    fn unlisted(&self, state: &[bool], why: Unexplored) -> QuestionError {
        match why {
            Unexplored::Flaw(trail) => QuestionError::Flaw(self.follow(state, &trail)),
            other => QuestionError::Unlisted(other),
        }
    }

    /// The value of a state, if all states were listed that can be reached from it, and if all steps count or every play is over
    /// after this number of steps; bounds only if all steps count.
    fn look_up(
        &mut self,
        state: &[bool],
        steps: Option<usize>,
        watch: &Watch<'_>,
    ) -> Option<Valuation> {
        // A key may say too little of a state that play from the others does not lead to.
        self.admit(state);
        let reached = self.horizons.reached.as_mut()?;
        let key = horizon::key(&self.compiled, &self.compiled.pack(state));
        let index = reached.index(&key)?;
        let is_enough = |steps: usize| reached.length(index).is_some_and(|it| it as usize <= steps);
        if !steps.is_none_or(is_enough) {
            return None;
        }
        let found = reached.value(index, &self.options, watch.limits(), watch.publisher());
        (steps.is_none() || found.bounds.stopped.is_none()).then_some(found)
    }

    fn answer(
        &mut self,
        state: &[bool],
        steps: Option<usize>,
        watch: &mut Watch<'_>,
    ) -> Result<Answer, QuestionError> {
        let situation = plain::situation(&self.problem, state);
        let is_over = situation.worth.is_some();
        if situation.is_flawed && (steps != Some(0) || is_over) {
            return Err(QuestionError::Flaw(Flaw::here(state)));
        }
        let known = match situation.worth {
            Some(worth) => Some(worth),
            None if steps == Some(0) => {
                self.values.note_cut_off();
                Some(self.problem.unfinished.clone())
            }
            None => None,
        };
        let found = match known {
            Some(value) => Bounds::known(value).into(),
            None => match (self.look_up(state, steps, watch), steps) {
                (Some(found), _) => found,
                (None, Some(steps)) => self.search_as_far_as_possible(state, steps, watch)?,
                (None, None) => {
                    let reached = self.horizons.reached.as_ref();
                    let reason = reached.and_then(ReachableStates::stopped);
                    Bounds::unknown(reason.unwrap_or(StopReason::Interrupted)).into()
                }
            },
        };
        let mut statistics = vec![
            ("states", self.states()),
            ("expanded", found.expanded),
            ("facts", self.compiled.facts.len() as u64),
            ("dead_facts", self.compiled.dead_facts() as u64),
            ("key_bits", self.compiled.keys.bits() as u64),
            ("images", self.compiled.keys.images() as u64),
            ("value_bits", u64::from(found.value_bits)),
            ("table_bytes", self.values.bytes()),
        ];
        statistics.extend(steps.map(|steps| ("steps", steps as u64)));
        Ok(Answer {
            cuts_off: !is_over
                && steps.is_some()
                && (self.values.cuts_off() || found.bounds.value().is_none()),
            statistics,
            outcome: found.bounds,
        })
    }

    /// Searches from a state that is not terminal. Where there is no memory for all steps, what
    /// fewer of them are worth is a lower bound: more can only add to it, where play that is not over is worth nothing.
    fn search_as_far_as_possible(
        &mut self,
        state: &[bool],
        steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Valuation, QuestionError> {
        let mut found = self.search(state, steps, watch)?;
        let (mut fewer, mut stopped) = (steps / 2, found.bounds.stopped);
        let adds = self.problem.unfinished.is_zero();
        while adds && stopped == Some(StopReason::Memory) && fewer > LONG as usize {
            let mut part = Watch::publishing(watch.limits(), &watch.publisher().of_at_most());
            let shorter = self.search(state, fewer, &mut part)?;
            stopped = shorter.bounds.stopped;
            let at_least = (shorter.bounds.lower, BigRational::one());
            found.bounds = found.bounds.within(Bounds::new(at_least, stopped));
            found.expanded += shorter.expanded;
            fewer /= 2;
        }
        Ok(found)
    }

    /// Searches from a state that is not terminal.
    fn search(
        &mut self,
        state: &[bool],
        steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Valuation, QuestionError> {
        self.admit(state);
        let patience = (!self.has_tried_proofs).then_some(self.options.proofs_after);
        if let Some(found) = self.ask(state, steps, patience, watch)? {
            return Ok(found);
        }
        self.has_tried_proofs = true;
        let facts = self.compiled.pack(state);
        self.try_proofs(state, &facts, watch.limits());
        let found = self.ask(state, steps, None, watch)?;
        Ok(found.expect("patience has no end"))
    }

    /// Asks for the value of a state that is not terminal; nothing if that takes more expansions than
    /// `patience`.
    fn ask(
        &mut self,
        state: &[bool],
        steps: usize,
        patience: Option<u64>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Valuation>, QuestionError> {
        let question = Question {
            game: &self.compiled,
            options: &self.options.search,
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
        for index in 1..=trail.len() {
            let situation = plain::situation(problem, &flaw.state);
            if situation.is_flawed {
                return flaw;
            }
            // The keys are those of the trail; states that differ in facts that do not matter, or by a
            // symmetry, have the same. The state with the flaw is behind the end, and has no key.
            let facts = self.compiled.fact_words();
            let wanted = trail.get(index).map(|state| key(&state[..facts]));
            let choices = LegalMoves::new(&self.compiled, state, Some(0), &situation).choices;
            let agents: Vec<usize> = (0..choices.len()).collect();
            let before = flaw.clone();
            let found =
                any_combination(&choices, &agents, &mut vec![0; agents.len()], |joint, _| {
                    let next = plain::next(problem, &before.state, joint);
                    let found = plain::situation(problem, &next);
                    let is_it = match &wanted {
                        Some(wanted) => {
                            found.worth.is_none() && key(&self.compiled.pack(&next)) == *wanted
                        }
                        None => found.is_flawed,
                    };
                    if is_it {
                        flaw.moves.push(joint.to_vec());
                        flaw.state = next;
                    }
                    Ok(is_it)
                });
            assert_eq!(
                found,
                Ok(true),
                "each state of a trail follows the one before"
            );
        }
        flaw
    }
}

/// Whether play goes on from a state.
fn is_open(situation: &Situation) -> bool {
    situation.worth.is_none() && situation.legal.iter().all(|legal| !legal.is_empty())
}
