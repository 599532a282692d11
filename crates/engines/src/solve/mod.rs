//! `solve`: a game and a question in, an answer out.
//!
//! The steps are these: a few random plays, which show most defects of a game; an engine is chosen and
//! made ([`crate::engine`]); the number of steps that count is found, if the question does not say it; for engines
//! that do not see states without a value these are looked for ([`validity`]); the engine values the position,
//! and then whatever else is asked: a winning move, the strategies, the proof from both sides.
//!
//! All that is known is kept as an [`Answer`] from the start ([`AnswerRecorder`]), so that a limit leads to proved
//! bounds wherever it comes. Where the length of plays is not found in time, values for more and more steps
//! are lower bounds ([`growing`]).

mod curve;
mod growing;
mod others;
mod program;
mod recorder;
pub mod validity;

pub use curve::curve;
pub use others::{solve_formula, solve_formula_with_strategy, translate};
pub use program::{solve_program, solve_program_with_strategy, translate_program};

use crate::answer::{Answer, Depth, GameSubject, Knowledge, Mixtures, MoveValue, Subject};
use crate::engine::Options;
use crate::engine::choose::choose;
use crate::engine::{
    Ability, ENGINES, Engine, Evaluation, Position, Query, Setting, mixed_summary,
};
use crate::error::{Error, ErrorKind};
use crate::opponents::{Opponents, SideError};
use crate::question::{Play, Question};
use crate::search::SearchError;
use crate::start::{check_facts, legal_moves, reasoner};
use crate::strategy::Extracted;
use gdl::game::{Game, never};
use limits::StopReason;
use limits::memory;
use logic::route::StageTimes;
use num_traits::{One, Zero};
use recorder::AnswerRecorder;
use std::sync::Arc;
use std::time::Instant;
use validity::{check_by_steps, try_playing};
use verify::{AnyStrategy, Heading, fingerprint};

/// The most steps of the plays that are tried where it is not said how many count.
const MAX_TRIED: u32 = 1000;

/// The part of the time in which to find out how long plays are.
const DEPTH_SHARE: u32 = 3;

/// The value that a role of a game can guarantee, and the other answers that the question asks for.
///
/// At a limit the answer has proved bounds, and says which limit it was.
///
/// ```
/// use sqasp_engines::{Options, Question};
///
/// let rules = b"(role guest) (role random) (door a) (door b)
///     (<= (legal ?role (open ?door)) (role ?role) (door ?door))
///     (<= (next won) (does guest (open ?door)) (does random (open ?door)))
///     (<= (next over) (role ?role)) (<= terminal (true over))
///     (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))";
/// let game = sqasp_engines::read("doors", rules)?;
/// let answer = sqasp_engines::solve(&game, &Question::about(&game)?, &Options::default())?;
/// assert_eq!(answer.value(), Some(&"1/2".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the question does not fit the game, the game has no value, or the engine cannot answer.
pub fn solve(game: &Game, question: &Question, options: &Options) -> Result<Answer, Error> {
    let game = &match &question.opponents {
        Opponents::Following(_) | Opponents::Greedy if question.mixed => {
            return Err(SideError::MixedAgainst.into());
        }
        Opponents::Greedy => question
            .clone()
            .opponents(Opponents::Best)
            .game_of_sides(game)?,
        Opponents::Selfish if question.mixed => return Err(SideError::SelfishMixed.into()),
        Opponents::Selfish => game.with_team(&question.role)?,
        Opponents::Following(followed) => followed.game(game, &question.role)?,
        _ => question.game_of_sides(game)?,
    };
    let started = started(game, question, options)?;
    let answer = Session::new(game, &started, question, options)?.answer();
    answer.map_err(|error| match error.part() {
        Some(SearchError::Defect(finding)) => {
            SearchError::Defect(Box::new(validity::as_written(game, finding))).into()
        }
        _ => error,
    })
}

/// The value of each legal first move of a role: [`solve`] with [`Extras::moves`](crate::Extras::moves).
///
/// # Errors
/// See [`solve`].
pub fn moves(game: &Game, question: &Question, options: &Options) -> Result<Answer, Error> {
    let mut options = options.clone();
    options.extras.moves = true;
    solve(game, question, &options)
}

/// The game from where play is to start.
fn started(game: &Game, question: &Question, options: &Options) -> Result<Game, Error> {
    question.check_depth()?;
    let Some(facts) = &question.start else {
        return Ok(game.clone());
    };
    check_facts(game, facts, &mut reasoner(game, &options.limits)?)?;
    Ok(game.starting_from(facts))
}

/// A question on its way to an answer.
struct Session<'a> {
    /// The game as it was written.
    rules: &'a Game,
    /// The same, from the state that play starts from.
    game: &'a Game,
    question: &'a Question,
    options: &'a Options,
    /// The index of the role.
    role: usize,
    play: Play,
    known: AnswerRecorder,
    start: Instant,
}

impl<'a> Session<'a> {
    fn new(
        rules: &'a Game,
        game: &'a Game,
        question: &'a Question,
        options: &'a Options,
    ) -> Result<Self, Error> {
        let role = game.role(&question.role)?;
        let Question {
            role: name,
            objective,
            depth,
            opponents,
            ..
        } = question;
        let play = question.play(game);
        let subject = Subject::Game(GameSubject {
            depth: depth.map_or(Depth::Unknown, Depth::Steps),
            knowledge: Knowledge::in_play(play, game.is_team(name)),
            opponent_count: game.players().count() - 1,
            opponents: opponents.clone(),
            assumes_perfect_information: game.assumes_perfect_information(),
            ..GameSubject::new(
                game.name().to_owned(),
                name.clone(),
                *objective,
                objective.range(game, name, *depth),
            )
        });
        let ability = match objective.payoff() {
            Some(_) => Ability::Play(Play::Open),
            None => Ability::Steps,
        };
        let first = ENGINES.iter().find(|entry| entry.can(&ability));
        let engine = options.engine.or(first).expect("each has an engine").name;
        let answer = Answer::unknown(subject, engine);
        Ok(Session {
            rules,
            game,
            question,
            options,
            role,
            play,
            known: AnswerRecorder::new(answer, Arc::clone(&options.observer)),
            start: Instant::now(),
        })
    }

    /// The answer; where a limit came before the end, as far as it is known.
    fn answer(self) -> Result<Answer, Error> {
        match self.solve() {
            Err(error) => match error.stopped_by() {
                Some(reason) => Ok(self.stopped(reason, &error.to_string())),
                None => Err(error),
            },
            done => done,
        }
    }

    /// The answer as far as it is known when a limit comes.
    fn stopped(&self, reason: StopReason, message: &str) -> Answer {
        self.options.observer.remark(message);
        let mut answer = self.known.answer().cut_short(reason);
        answer.times = StageTimes(vec![("total", self.start.elapsed())]);
        answer.statistics.extend(peak());
        answer
    }

    fn solve(&self) -> Result<Answer, Error> {
        let observer = &self.options.observer;
        let mut times = StageTimes::default();
        observer.stage("playing");
        let tried = self.question.depth.unwrap_or(MAX_TRIED);
        let tried = try_playing(self.game, tried, &self.options.limits)?;
        let opponents = &self.question.opponents;
        let have_strategies = opponents.are_best() || *opponents == Opponents::Selfish;
        if !have_strategies && self.options.extras.strategy.is_some() {
            let message = "a strategy says what both sides do, and is for opponents that play as well as possible";
            return Err(Error::new(ErrorKind::Question, message));
        }
        if let (Some(text), false) = (tried.remark(), self.mixes()) {
            observer.remark(&text);
        }
        tried.slips().for_each(|text| observer.remark(&text));
        let team = tried.team_remark(self.game, &self.question.role, self.play);
        team.iter().for_each(|text| observer.remark(text));
        observer.stage("grounding one step");
        let mut engine = self.engine(&mut times)?;
        let mut depth = match self.depth(engine.as_mut(), &mut times) {
            Ok(depth) => depth,
            Err(error) => return self.without_depth(engine.as_mut(), error, times),
        };
        self.tell_depth(depth);
        let mut cut_off = None;
        if let (false, Some(depth)) = (engine.sees_defects(), depth) {
            observer.stage("looking for states without a value");
            let checked = times.measure("validity", || {
                // A depth that was found is the number of steps after which every play is over.
                let is_longer = self.question.depth.is_none() || tried.is_longer;
                check_by_steps(
                    self.game,
                    self.question,
                    depth,
                    self.options,
                    is_longer,
                    false,
                )
            })?;
            cut_off = Some(self.question.depth.is_some() && checked.cuts_off(depth));
            self.known
                .change(|answer| answer.exact_if = checked.exact_if);
        }
        let mut query = self.query(depth);
        query.moves = self.options.extras.moves;
        let found = self.evaluate(engine.as_mut(), query, &mut times)?;
        if depth.is_none() {
            depth = found.horizon;
            self.tell_depth(depth);
        }
        // Opponents may be worse to the role than they would like where points count, and the role does not get all that there are.
        if self.play == Play::Open
            && self.question.opponents.are_best()
            && team.is_none()
            && self.question.objective.payoff().is_some()
            && found.outcome.bounds().0 < self.known.range().largest()
        {
            let remark = tried.coalition_remark(self.game, &self.question.role);
            remark.iter().for_each(|text| observer.remark(text));
        }
        self.known.settle(found.outcome);
        self.known.change(|answer| {
            answer.moves = self.options.extras.moves.then_some(found.moves);
            answer.cut_off = cut_off.unwrap_or(found.cut_off);
            answer.unreached = found.unreached;
            answer.statistics = found.statistics;
            answer.equilibrium = found.equilibrium;
            answer.endless = found.endless;
        });
        self.add_mixtures(engine.as_mut(), depth)?;
        self.add_winning_move(engine.as_mut(), depth, &mut times)?;
        let strategy = self.strategy(engine.as_mut(), depth, &mut times)?;
        self.add_best_play(engine.as_mut(), depth, &mut times)?;
        let mut answer = self.known.answer();
        if answer.value().is_some_and(Zero::is_zero) {
            let Question {
                role, objective, ..
            } = self.question;
            let payoff = objective.payoff();
            answer.never = payoff.and_then(|objective| never(self.game, role, objective));
        }
        answer.strategy = strategy;
        answer.times = times;
        answer.sizes = engine.sizes();
        answer.statistics.extend(peak());
        Ok(answer)
    }

    /// The engine for the question.
    fn engine(&self, times: &mut StageTimes) -> Result<Box<dyn Engine>, Error> {
        let setting = Setting {
            rules: self.rules,
            game: self.game,
            question: self.question,
            options: self.options,
        };
        let (engine, why) = choose(&setting, self.play, times)?;
        self.known.change(|answer| {
            answer.engine = engine.name();
            answer.why = why;
            if let (Subject::Game(game), false) = (&mut answer.subject, engine.sees_defects()) {
                game.prefix = Some(self.options.prefix);
            }
        });
        Ok(engine)
    }

    /// Whether roles do not know the others' moves of a step, or one of them follows a strategy, and so may choose at random.
    fn mixes(&self) -> bool {
        self.play != Play::Open
    }

    /// The mixtures of the first step, if the question asks for them.
    fn add_mixtures(&self, engine: &mut dyn Engine, depth: Option<u32>) -> Result<(), Error> {
        if self.options.extras.moves && matches!(self.play, Play::Mixed | Play::Hidden) {
            let play = engine.mixtures(&self.query(self.mixed_depth(depth)))?;
            let mixtures = play.as_ref().map(Mixtures::from);
            self.known.change(|answer| answer.mixtures = mixtures);
        }
        Ok(())
    }

    /// The number of steps of the query for the value, whatever was found about the length of plays: mixtures are kept for that.
    fn mixed_depth(&self, depth: Option<u32>) -> Option<u32> {
        depth.filter(|_| self.question.depth.is_some() || !self.mixes())
    }

    /// The query for an engine; without an observer yet.
    fn query(&self, depth: Option<u32>) -> Query {
        Query {
            position: Position::History(Vec::new()),
            role: self.role,
            depth,
            moves: false,
            limits: self.options.limits.for_engine(),
            observer: Arc::clone(&self.options.observer),
        }
    }

    /// How many steps count: as many as the question says, or as many as play can take. Without a number all do, for engines
    /// that value such play.
    fn depth(&self, engine: &mut dyn Engine, times: &mut StageTimes) -> Result<Option<u32>, Error> {
        if self.question.depth.is_some() || engine.counts_all_steps() {
            return Ok(self.question.depth);
        }
        self.options
            .observer
            .stage("finding out how long plays are");
        let mut query = self.query(None);
        let time = query.limits.time_left().map(|time| time / DEPTH_SHARE);
        query.limits = query.limits.within(time);
        times
            .measure("horizon", || engine.horizon(&query))
            .map(Some)
    }

    /// Says in the answer how many steps count.
    fn tell_depth(&self, depth: Option<u32>) {
        self.known.change(|answer| {
            if let Subject::Game(game) = &mut answer.subject {
                game.depth = Depth::or_all(depth);
                game.depth_found = depth.is_some() && self.question.depth.is_none();
            }
        });
    }

    /// Values the start, and keeps what becomes known on the way.
    fn evaluate(
        &self,
        engine: &mut dyn Engine,
        mut query: Query,
        times: &mut StageTimes,
    ) -> Result<Evaluation, Error> {
        self.options.observer.stage("searching");
        if query.moves && query.depth != Some(0) {
            let range = self.known.range();
            let unsolved = |action| MoveValue::unknown(action, &range);
            let legal = legal_moves(self.game, &self.question.role, &self.options.limits)?;
            let moves = legal.into_iter().map(unsolved).collect();
            self.known.change(|answer| answer.moves = Some(moves));
        }
        query.observer = self.known.keeping_moves();
        let start = Instant::now();
        let found = engine.evaluate_publishing(&query, self.known.publisher())?;
        if found.times.0.is_empty() {
            times.0.push(("solve", start.elapsed()))
        } else {
            times.0.extend(found.times.0.iter().copied())
        }
        Ok(found)
    }

    /// A first move that keeps the value 1, if the question asks for one.
    fn add_winning_move(
        &self,
        engine: &mut dyn Engine,
        depth: Option<u32>,
        times: &mut StageTimes,
    ) -> Result<(), Error> {
        let is_payoff = self.question.objective.payoff().is_some();
        let is_sure = is_payoff && self.known.answer().value().is_some_and(One::is_one);
        let is_asked = self.options.extras.winning_move && !self.options.extras.moves;
        if !is_asked || !is_sure || depth == Some(0) || self.game.random_role().is_some() {
            return Ok(());
        }
        // Rules too hard to evaluate must not cost the answer.
        let legal =
            legal_moves(self.game, &self.question.role, &self.options.limits).unwrap_or_default();
        if legal.is_empty() {
            return Ok(());
        }
        let query = self.query(depth);
        let found = times.measure("move", || engine.winning_move(&query, &legal))?;
        self.known.change(|answer| answer.winning_move = found);
        Ok(())
    }

    /// The strategies of both sides, if the question asks for them, and where opponents know the role's move the value is known. They may
    /// be large, so they are not kept on the way.
    fn strategy(
        &self,
        engine: &mut dyn Engine,
        depth: Option<u32>,
        times: &mut StageTimes,
    ) -> Result<Option<Extracted<AnyStrategy>>, Error> {
        let Some(positions) = self.options.extras.strategy else {
            return Ok(None);
        };
        if !self.mixes() && self.known.answer().value().is_none() {
            return Ok(None);
        }
        self.options.observer.stage("writing down the strategy");
        let (heading, query) = (self.heading(depth)?, self.query(self.mixed_depth(depth)));
        let found = times.measure("strategy", || engine.strategy(&query, heading, positions))?;
        Ok(Some(found))
    }

    /// How best play goes, if the question asks for it.
    fn add_best_play(
        &self,
        engine: &mut dyn Engine,
        depth: Option<u32>,
        times: &mut StageTimes,
    ) -> Result<(), Error> {
        if !self.options.extras.statistics || self.known.answer().value().is_none() {
            return Ok(());
        }
        self.options.observer.stage("following best play");
        let found = times.measure("best play", || match self.play {
            Play::Mixed | Play::Hidden => {
                let query = self.query(self.mixed_depth(depth));
                let all = engine.strategy(&query, self.heading(depth)?, usize::MAX)?;
                mixed_summary(self.rules, &all, &query.limits)
            }
            _ => engine.best_play(&self.query(depth)),
        })?;
        self.known.change(|answer| answer.best_play = Some(found));
        Ok(())
    }

    /// The heading of a strategy; its value comes later.
    fn heading(&self, depth: Option<u32>) -> Result<Heading, Error> {
        let mut reasoner = reasoner(self.game, &self.options.limits)?;
        let start = reasoner.initial()?;
        Ok(Heading {
            game: self.rules.name().to_owned(),
            rules: fingerprint(self.rules),
            roles: self.rules.roles().to_vec(),
            role: self.question.role.clone(),
            depth,
            objective: self.question.objective,
            start: reasoner.facts(&start),
            value: Zero::zero(),
        })
    }
}

/// The most memory that was in use, as the system sees it, as a number about a run.
fn peak() -> Option<(&'static str, u64)> {
    memory::peak().map(|bytes| ("memory", bytes))
}
