//! The knowledge of a role in a position, where the rules say what it sees, by the solution of the whole game.
//!
//! Each question says how long the game may be searched. The best solution so far stays: so the page asks again with more time, and
//! answers about other positions do not wait meanwhile. A question about another role, objective or number of steps ends the work.

use super::mixture::ReplyView;
use crate::evaluator::StepOfRole;
use engines::answer::Worth;
use engines::{Error, Fraction};
use gdl::game::Game;
use gdl::{Term, texts};
use hidden::{HiddenError, HiddenQuestion, HiddenSolution, KnownStep, solve};
use limits::{Interrupt, Limits, StopReason, lock};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

/// The most states that the page gets.
const MAX_STATES: usize = 60;

/// The longest time for one question.
pub(super) const LONGEST: Duration = Duration::from_secs(30);

/// The history of a play with all moves and percepts, and its payoff if it is over.
pub(super) struct History {
    /// For each step the joint move, and what each role saw.
    pub(super) steps: Vec<(Vec<Term>, Vec<Vec<Term>>)>,
    pub(super) payoff: Option<Worth>,
}

impl History {
    /// The steps as these roles know them, which see the same.
    fn known_to(&self, roles: &[usize]) -> Vec<KnownStep> {
        let known = |(made, seen): &(Vec<Term>, Vec<Vec<Term>>)| KnownStep {
            moves: roles.iter().map(|&role| made[role].clone()).collect(),
            sees: roles.first().map_or(Vec::new(), |&role| seen[role].clone()),
        };
        self.steps.iter().map(known).collect()
    }
}

/// A position as a role knows it.
#[derive(Serialize, Default)]
pub(super) struct KnowledgeView {
    /// Bounds of the worth of the position for the role.
    #[serde(flatten)]
    bounds: Option<Worth>,
    /// Its moves so far and what it saw.
    steps: Vec<StepOfRole>,
    moves: Vec<KnownMoveView>,
    /// The facts that hold in all states that it holds possible.
    known: Vec<String>,
    /// The likely states first.
    states: Vec<StateView>,
    /// The number of states that are left out.
    more: usize,
    /// The opponents that choose, and their joint moves in their mixture, by what they know themselves.
    opponents: Vec<String>,
    replies: Vec<ReplyView>,
    /// Bounds of the value of the game.
    game: Option<Worth>,
    /// Why there is not more.
    remark: Option<String>,
    /// Whether more time may help.
    is_open: bool,
}

#[derive(Serialize)]
struct KnownMoveView {
    #[serde(rename = "move")]
    action: String,
    probability: Option<Fraction>,
    #[serde(flatten)]
    bounds: Option<Worth>,
}

/// A state: its facts but for those that hold in all of them.
#[derive(Serialize)]
struct StateView {
    facts: Vec<String>,
    probability: Option<Fraction>,
}

/// The solution that is kept.
#[derive(Default)]
pub(super) struct Solutions {
    kept: Mutex<Option<(HiddenQuestion, Duration, HiddenSolution)>>,
    /// One question works at a time.
    working: Mutex<()>,
    /// The latest question, and what ends the work for it.
    latest: Mutex<(Option<HiddenQuestion>, Interrupt)>,
}

impl Solutions {
    /// The knowledge of the role of a question after a history. `time` is how long the game may be searched.
    pub(super) fn knowledge(
        &self,
        game: &Game,
        question: &HiddenQuestion,
        history: History,
        time: Duration,
        memory: Option<u64>,
    ) -> Result<KnowledgeView, Error> {
        let role = game.role(&question.role)?;
        let steps = history.known_to(&[role]);
        let mut view = KnowledgeView {
            steps: steps.iter().map(StepOfRole::from).collect(),
            ..KnowledgeView::default()
        };
        if let Some(payoff) = history.payoff {
            view.bounds = Some(payoff);
            return Ok(view);
        }
        let time = time.min(LONGEST);
        match self.solve(game, question, time, memory) {
            // More time may help.
            Err(HiddenError::Stopped(reason)) if time < LONGEST => {
                view.remark = Some(reason.to_string());
                view.is_open = true;
                return Ok(view);
            }
            other => other?,
        }
        let kept = lock(&self.kept);
        let kept = kept.as_ref().filter(|(own, ..)| own == question);
        let Some((_, _, solution)) = kept else {
            return Err(HiddenError::Stopped(StopReason::Interrupted).into());
        };
        let coalition: Vec<usize> = solution
            .coalition()
            .map(|name| game.role(name))
            .collect::<Result<_, _>>()?;
        view.opponents = solution.coalition().map(ToString::to_string).collect();
        let replies = solution.replies(&history.known_to(&coalition));
        view.replies = replies.iter().flatten().map(ReplyView::new).collect();
        view.game = Some(Worth::from(&solution.bounds()));
        view.is_open = time < LONGEST && solution.is_unfinished();
        let reason = solution.stopped().map(|reason| reason.to_string());
        view.remark = solution.remark().or(reason);
        match solution.knowledge(&steps, &Limits::default()) {
            Ok(known) => view.add(known),
            // The bounds of the game are reported all the same.
            Err(HiddenError::Stopped(_)) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(view)
    }

    /// Makes sure that there is a solution of a question that was searched for that long, if it is needed.
    fn solve(
        &self,
        game: &Game,
        question: &HiddenQuestion,
        time: Duration,
        memory: Option<u64>,
    ) -> Result<(), HiddenError> {
        let interrupt = {
            let mut latest = lock(&self.latest);
            if latest.0.as_ref() != Some(question) || latest.1.is_raised() {
                latest.1.raise();
                *latest = (Some(question.clone()), Interrupt::default());
            }
            latest.1.clone()
        };
        let is_solved = || {
            lock(&self.kept)
                .as_ref()
                .is_some_and(|(own, spent, solution)| {
                    own == question && (*spent >= time || !solution.is_unfinished())
                })
        };
        if is_solved() {
            return Ok(());
        }
        let _working = lock(&self.working);
        if is_solved() || interrupt.is_raised() {
            return Ok(());
        }
        let limits = Limits {
            memory,
            interrupt: interrupt.clone(),
            ..Limits::default().within(time)
        };
        let solution = solve(game, question, &limits)?;
        let mut kept = lock(&self.kept);
        let is_other = kept.as_ref().is_none_or(|(own, ..)| own != question);
        // Work that was ended may have found less than what is there.
        if is_other || !interrupt.is_raised() {
            *kept = Some((question.clone(), time, solution));
        }
        Ok(())
    }

    pub(super) fn stop(&self) {
        lock(&self.latest).1.raise();
    }
}

impl From<&KnownStep> for StepOfRole {
    fn from(step: &KnownStep) -> Self {
        StepOfRole {
            action: step.moves[0].to_string(),
            sees: texts(&step.sees),
        }
    }
}

impl KnowledgeView {
    fn add(&mut self, known: hidden::RoleKnowledge) {
        let moves = known.moves.iter().map(|each| KnownMoveView {
            action: each.action.to_string(),
            probability: each.share.as_ref().map(Fraction::from),
            bounds: each.bounds.as_ref().map(Worth::from),
        });
        self.moves = moves.collect();
        self.bounds = known.bounds.as_ref().map(Worth::from);
        let (first, rest) = known.states.split_first().expect("some state is possible");
        let mut all: BTreeSet<&Term> = first.0.iter().collect();
        for (facts, _) in rest {
            let facts: BTreeSet<&Term> = facts.iter().collect();
            all.retain(|fact| facts.contains(fact));
        }
        self.known = all.iter().map(ToString::to_string).collect();
        self.more = known.states.len().saturating_sub(MAX_STATES);
        let shown = known.states.iter().take(MAX_STATES);
        let states = shown.map(|(facts, share)| StateView {
            facts: facts
                .iter()
                .filter(|fact| !all.contains(fact))
                .map(Term::to_string)
                .collect(),
            probability: share.as_ref().map(Fraction::from),
        });
        self.states = states.collect();
    }
}
