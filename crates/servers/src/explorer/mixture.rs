//! The value of a position where moves of one step are simultaneous, and the best mixtures, by the engine `mixed`.
//!
//! Only the page's questions about a position in which both sides choose come here. They are answered one at a time, within a few
//! seconds or not at all; a new question ends the work on the one before, so that none waits long.

use super::TIME;
use engines::answer::Worth;
use engines::{Engine, Error, Fraction, MixedEngine, Position, Query, SearchOptions, Silent};
use formula::BigRational;
use gdl::Term;
use gdl::game::{Game, Objective};
use limits::{Interrupt, Limits, lock};
use serde::Serialize;
use std::mem::replace;
use std::sync::{Arc, Mutex};

/// The value and the mixtures of both sides.
#[derive(Serialize)]
pub(super) struct MixtureView {
    #[serde(flatten)]
    bounds: Worth,
    /// Whether the mixture gets less than the value, though some come as near as wanted.
    unreached: bool,
    /// The role's moves: their probabilities in its mixture, and what they are worth against that of the opponents.
    moves: Vec<MixedMoveView>,
    /// The opponents' joint moves in their mixture.
    replies: Vec<ReplyView>,
}

#[derive(Serialize)]
struct MixedMoveView {
    #[serde(rename = "move")]
    action: String,
    probability: Fraction,
    #[serde(flatten)]
    bounds: Worth,
}

/// A joint move of the opponents, and its probability.
#[derive(Serialize)]
pub(super) struct ReplyView {
    moves: Vec<String>,
    probability: Fraction,
}

impl ReplyView {
    pub(super) fn new((moves, share): &(Vec<Term>, BigRational)) -> Self {
        ReplyView {
            moves: moves.iter().map(ToString::to_string).collect(),
            probability: Fraction::from(share),
        }
    }
}

/// The engine, made for the first request; another objective replaces it.
#[derive(Default)]
pub(super) struct Mixtures {
    engine: Mutex<Option<(Objective, MixedEngine)>>,
    /// Ends the latest question.
    latest: Mutex<Interrupt>,
}

impl Mixtures {
    /// The value and the mixtures of a position.
    pub(super) fn of(
        &self,
        game: &Game,
        objective: Objective,
        position: Position,
        (role, depth): (usize, Option<u32>),
        memory: Option<u64>,
    ) -> Result<MixtureView, Error> {
        let limits = Limits {
            memory,
            ..Limits::default().within(Some(TIME))
        };
        replace(&mut *lock(&self.latest), limits.interrupt.clone()).raise();
        let mut engine = lock(&self.engine);
        if engine.as_ref().is_none_or(|(own, _)| *own != objective) {
            let mut options = SearchOptions::default();
            options.step.overall = limits.clone();
            *engine = Some((objective, MixedEngine::new(game, objective, &options)?));
        }
        let (_, engine) = engine.as_mut().expect("it was just made");
        let query = Query {
            position,
            role,
            depth,
            moves: false,
            limits,
            observer: Arc::new(Silent),
        };
        let found = engine.evaluate(&query)?;
        let play = engine.mixtures(&query)?;
        let (moves, replies) = play
            .map(|play| (play.moves, play.replies))
            .unwrap_or_default();
        Ok(MixtureView {
            bounds: Worth::from(&found.outcome.bounds()),
            unreached: found.unreached,
            moves: moves
                .iter()
                .map(|each| MixedMoveView {
                    action: each.action.to_string(),
                    probability: Fraction::from(&each.share),
                    bounds: Worth::from(&each.bounds),
                })
                .collect(),
            replies: replies.iter().map(ReplyView::new).collect(),
        })
    }
}
