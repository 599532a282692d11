//! Plans of a game's only player.

use crate::report::{PlanReport, Several};
use engines::validity::try_playing;
use engines::{Error, ErrorKind};
use gdl::Term;
use gdl::game::{Game, Points};
use limits::{Limits, StopReason, lock};
use plan::{Blackboard, Engine, Goal, Options, PlanBounds, PlanError, Question};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The most steps of the random plays that look for defects of the game.
const MAX_TRIED: u32 = 1000;

/// A question about plans. The default asks for a shortest plan for the most points.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Planning {
    /// The points that are enough; the most without a number.
    pub goal: Option<Points>,
    /// The most moves.
    pub depth: Option<u32>,
    /// The facts of the state to begin in, if it is not the initial one.
    pub start: Option<Vec<Term>>,
    /// The most plans to list that are as good as the best: of its length, or with a depth all within that.
    pub plans: Option<usize>,
}

/// A shortest plan of a single player, and the bounds that are proved of it.
///
/// ```
/// use sqasp::Report;
///
/// let game = sqasp::read("walk", b"(role x) (init (at 0)) (after 0 1) (after 1 2) (legal x go)
///     (<= (next (at ?n)) (true (at ?m)) (after ?m ?n)) (<= terminal (true (at 2))) (goal x 100)")?;
/// let report = sqasp::plan(&game, &sqasp::Planning::default(), &sqasp::Limits::default())?;
/// assert!(report.text().starts_with("100 points in 2 moves"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the game has several players or chance, has no value, or cannot be played.
pub fn plan(game: &Game, asked: &Planning, limits: &Limits) -> Result<PlanReport, Error> {
    let search = PlanSearch::new(game, asked, limits)?;
    Ok(search.run(0, Engine::All)?.0)
}

/// A search for plans, which can tell at any time what it knows. Clones are the same search.
#[derive(Clone)]
pub(crate) struct PlanSearch {
    game: Arc<Game>,
    question: Question,
    /// The most plans to list, if some are to be.
    plans: Option<usize>,
    limits: Limits,
    /// The bounds and the progress that all methods share.
    pub board: Blackboard,
    nothing: PlanBounds,
    several: Arc<Mutex<Option<Several>>>,
    begin: Instant,
}

impl PlanSearch {
    /// Prepares a search.
    ///
    /// # Errors
    /// If the game has several players or chance, or random plays show that it has no value.
    pub fn new(game: &Game, asked: &Planning, limits: &Limits) -> Result<Self, Error> {
        let begin = Instant::now();
        let question = Question {
            role: plan::check_alone(game).map_err(failed)?.clone(),
            goal: asked.goal.map_or(Goal::Best, Goal::AtLeast),
            depth: asked.depth,
        };
        let game = match &asked.start {
            Some(facts) => game.starting_from(facts),
            None => game.clone(),
        };
        try_playing(&game, question.depth.unwrap_or(MAX_TRIED), limits)?;
        let board = Blackboard::new(&game, &question);
        Ok(PlanSearch {
            game: Arc::new(game),
            plans: asked.plans,
            limits: limits.for_engine(),
            nothing: board.known(),
            board,
            question,
            several: Arc::default(),
            begin,
        })
    }

    /// Looks for plans; then, if several are asked for, for all as good as the best one: those as short as it, or with a depth all
    /// within it. Tells also why methods gave up.
    ///
    /// # Errors
    /// If nothing can be known.
    pub fn run(
        &self,
        threads: usize,
        engine: Engine,
    ) -> Result<(PlanReport, Vec<PlanError>), Error> {
        let options = Options {
            limits: self.limits.clone(),
            threads,
            insist: self.plans.is_some(),
            engine,
        };
        let ending = plan::plan(&self.game, &self.question, &self.board, &options);
        let mut ending = ending.map_err(failed)?;
        if let (Some(most), None) = (self.plans, ending.stopped) {
            match self.find_all(most, &options) {
                Ok(stopped) => ending.stopped = stopped,
                Err(error) => {
                    let reason = error.stopped_by().ok_or_else(|| failed(error.clone()))?;
                    ending.stopped = Some(reason);
                    ending.given_up.push(error);
                }
            }
        }
        let several = lock(&self.several).clone();
        let report = self.report(&self.board.known(), several, ending.stopped);
        Ok((report, ending.given_up))
    }

    /// The report if a limit ends the search now. A thread that holds a lock may hold it for ever.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "only the command asks")
    )]
    pub fn cut_short(&self, reason: StopReason) -> PlanReport {
        let known = self.board.known_if_free();
        let known = known.unwrap_or_else(|| self.nothing.clone());
        let several = self.several.try_lock().ok();
        let several = several.and_then(|several| several.clone());
        self.report(&known, several, Some(reason))
    }

    fn report(
        &self,
        known: &PlanBounds,
        several: Option<Several>,
        stopped: Option<StopReason>,
    ) -> PlanReport {
        let (name, time) = (self.game.name(), self.begin.elapsed());
        PlanReport::new(name, &self.question, known, several, stopped, time)
    }

    /// Lists plans as good as the best.
    fn find_all(&self, most: usize, options: &Options) -> Result<Option<StopReason>, PlanError> {
        let Some((points, length)) = self.target() else {
            return Ok(None);
        };
        *lock(&self.several) = Some(Several {
            plans: Vec::new(),
            is_complete: false,
        });
        let mut is_complete = true;
        let lengths = length..=self.question.depth.unwrap_or(length);
        let stopped = plan::all_plans(
            &self.game,
            &self.question,
            points,
            lengths,
            options,
            |plan| {
                let mut several = lock(&self.several);
                let plans = &mut several.as_mut().expect("it was just set").plans;
                is_complete = plans.len() < most;
                if is_complete {
                    plans.push(plan);
                }
                is_complete
            },
        )?;
        if let Some(several) = lock(&self.several).as_mut() {
            several.is_complete = is_complete && stopped.is_none();
        }
        Ok(stopped)
    }

    /// The number of points that all plans are to reach, and the least length of such plans.
    fn target(&self) -> Option<(Points, u32)> {
        let known = self.board.known();
        let (best, _) = known.best()?;
        let points = match self.question.goal {
            Goal::Best => best.points,
            Goal::AtLeast(points) => points,
        };
        Some((points, best.moves.len() as u32))
    }
}

fn failed(error: PlanError) -> Error {
    let kind = match &error {
        PlanError::Chance | PlanError::SeveralPlayers(..) | PlanError::Role(_) => {
            ErrorKind::Question
        }
        PlanError::TooLarge { .. } | PlanError::Step(_) => ErrorKind::TooLarge,
        PlanError::Ground(_) | PlanError::Term(_) | PlanError::Paths(_) | PlanError::Refuted(_) => {
            ErrorKind::Internal
        }
    };
    Error::from_part(kind, error)
}
