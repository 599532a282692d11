//! Planning with answer sets: horizons one after the other within one solver, and several at a time.
//!
//! For each number of moves n the solver is asked for a play that ends after exactly n moves with
//! as many points as the rules can give. When all smaller numbers are ruled out, the first plan is a
//! shortest one. To rule out a number that is a little too small can be far harder than to find a
//! plan of the right length, so no number is waited for: those that are open take turns, and each gets
//! a fifth less time than the one before (algorithm B of Rintanen, Heljanko and Niemelä, *Planning as
//! satisfiability: parallel plans and algorithms for plan search*, 2006). Where the rules cannot give
//! the points after that number of moves, clingo's grounder knows it, and nothing is searched.
//!
//! Where the right number is far away, as in puzzles that fill a board, that does not help: so for
//! another share of time a second solver is asked for plans of up to 16 moves, up to 32, and so on.
//!
//! It is asked now and then whether any play has that many moves, since all plays may be over; and for a short
//! while at each number for a better plan than the best so far, so that there is one when time is up.
//! If the most points turn out to be out of reach, the next lower number is aimed at, from the start.

use super::growing::{Growing, Lengths, Planning};
use super::turns::Turn;
use super::{Blackboard, FoundBy, PlanError, Question};
use gdl::game::{Game, Points};
use limits::{Limits, StopReason};
use logic::ground::Searched;
use std::thread;
use std::time::{Duration, Instant};

/// The time for the first open horizon in the first round.
const FIRST_SHARE: Duration = Duration::from_millis(250);
const LONGEST_SHARE: Duration = Duration::from_secs(3600);
/// How often to look again when there is nothing to ask.
const IDLE: Duration = Duration::from_millis(10);
/// The least share: shorter ones are not given.
const LEAST_SHARE: Duration = Duration::from_millis(30);
/// The time for a search for a plan of fewer points.
const ASIDE: Duration = Duration::from_millis(30);
/// The first horizon far away, and the last.
const FAR: (u32, u32) = (16, 1024);

/// A question about a game, with the board and the limits.
pub(super) struct Logic<'a> {
    pub(super) game: &'a Game,
    pub(super) question: &'a Question,
    pub(super) board: &'a Blackboard,
    pub(super) limits: &'a Limits,
    pub(super) turn: &'a Turn,
    pub(super) threads: usize,
}

/// The way to one number of points.
struct Target<'a> {
    logic: &'a Logic<'a>,
    planning: &'a Planning<'a>,
    growing: Growing<'a>,
    level: usize,
    points: Points,
    /// The most moves that matter.
    most: Option<u32>,
    /// The horizons that are neither ruled out nor beyond those that were looked at.
    open: Vec<u32>,
    /// The first horizon that was not looked at.
    next: u32,
}

impl Logic<'_> {
    /// Looks for plans until the question is answered or there is a reason to stop.
    pub(super) fn find(&self) -> Result<(), PlanError> {
        self.turn.take();
        let depth = self.question.depth;
        let planning = Planning::new(self.game, self.question, depth, self.limits)?;
        while let Some((level, most)) = self.board.read(|known| known.target()) {
            let mut target = Target {
                logic: self,
                planning: &planning,
                growing: Growing::new(&planning, self.threads)?,
                level,
                points: self.board.read(|known| known.levels()[level]),
                most,
                open: Vec::new(),
                next: 0,
            };
            let mut far: Option<(Growing<'_>, u32)> = None;
            let mut share = FIRST_SHARE;
            while target.is_open() && self.limits.reached().is_none() {
                target.round(share)?;
                target.look_far(&mut far, 2 * share)?;
                share = (share + share / 2).min(LONGEST_SHARE);
                if target.open.is_empty() && target.next > target.most() {
                    // It is for others to settle the rest.
                    thread::sleep(IDLE);
                }
            }
            if self.limits.reached().is_some() {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl<'a> Target<'a> {
    /// Whether there is something to find out on the way to this level.
    fn is_open(&self) -> bool {
        let target = self.logic.board.read(|known| known.target());
        target.is_some_and(|(level, _)| level == self.level)
    }

    /// The most moves that matter now: plans may have been found meanwhile.
    fn most(&self) -> u32 {
        let target = self.logic.board.read(|known| known.target());
        let now = target.and_then(|(_, most)| most);
        self.most.into_iter().chain(now).min().unwrap_or(u32::MAX)
    }

    /// Gives each open horizon its share, and opens new ones as long as there is something left.
    fn round(&mut self, mut share: Duration) -> Result<(), PlanError> {
        let mut index = 0;
        while share >= LEAST_SHARE && self.is_open() && self.logic.limits.reached().is_none() {
            let horizon = match self.open.get(index) {
                Some(&horizon) => horizon,
                None => {
                    if self.next > self.most() {
                        return Ok(());
                    }
                    self.open.push(self.next);
                    self.next += 1;
                    self.next - 1
                }
            };
            if self.ask(horizon, share)? {
                self.open.remove(index);
                if index == 0 {
                    self.note_settled();
                }
            } else {
                index += 1;
                share -= share / 5;
            }
            if horizon + 1 == self.next {
                self.improve(horizon)?;
                if horizon.is_power_of_two() {
                    self.look_for_end(horizon, share)?;
                }
            }
        }
        Ok(())
    }

    /// Asks for a plan of `horizon` moves; whether that is settled.
    fn ask(&mut self, horizon: u32, share: Duration) -> Result<bool, PlanError> {
        let Logic { board, turn, .. } = self.logic;
        turn.take();
        board.report(|progress| progress.horizon = horizon);
        let (level, most) = (self.level, self.most());
        let is_ruled_out = || board.read(|known| known.is_ruled_out(level, horizon));
        if horizon > most || is_ruled_out() {
            return Ok(true);
        }
        let is_open = || {
            let target = board.read(|known| known.target());
            target.is_some_and(|(target, _)| target == level) && !is_ruled_out()
        };
        let end = Instant::now() + share;
        let stop = || {
            if is_open() && Instant::now() < end {
                self.logic.pause()
            } else {
                Some(StopReason::Time)
            }
        };
        let searched = self.logic.ask(
            &mut self.growing,
            self.points,
            Lengths::Exactly(horizon),
            stop,
        )?;
        Ok(!matches!(searched, Searched::Stopped(_)))
    }

    /// Takes note that all numbers below the first open one are settled: by this solver, by others, or
    /// since a plan was found, after which only smaller numbers matter.
    fn note_settled(&self) {
        let open = self.open.first().copied().unwrap_or(self.next);
        let (level, settled) = (self.level, open - 1);
        self.logic.board.note(|known| {
            if let Some((_, most)) = known.target().filter(|(target, _)| *target == level) {
                known.rule_out(level, Some(most.map_or(settled, |most| most.min(settled))));
            }
        });
    }

    /// Asks for better plans than the best so far, below the level that is aimed at.
    fn improve(&mut self, horizon: u32) -> Result<(), PlanError> {
        let logic = self.logic;
        let end = Instant::now() + ASIDE;
        let late = || (Instant::now() >= end).then_some(StopReason::Time);
        loop {
            let level = logic.board.read(|known| known.worth_reaching(horizon));
            let Some(level) = level.filter(|&level| level < self.level) else {
                return Ok(());
            };
            let points = logic.board.read(|known| known.levels()[level]);
            let stop = || logic.pause().or_else(late);
            match logic.ask(&mut self.growing, points, Lengths::Exactly(horizon), stop)? {
                Searched::Enough => {}
                Searched::NoMore => {
                    logic
                        .board
                        .note(|known| known.rule_out_length(level, horizon));
                    return Ok(());
                }
                Searched::Stopped(_) => return Ok(()),
            }
        }
    }

    /// Asks a solver of its own for plans of up to many moves.
    fn look_far(
        &mut self,
        far: &mut Option<(Growing<'a>, u32)>,
        share: Duration,
    ) -> Result<(), PlanError> {
        let logic = self.logic;
        let (first, last) = FAR;
        let has_plan = logic.board.read(|known| {
            let best = known.best().map(|(best, _)| best.points);
            best.is_some_and(|points| points >= self.points)
        });
        let most = self.most().min(last);
        if has_plan || self.next > most {
            return Ok(());
        }
        let (mut growing, before) = match far.take() {
            Some(far) => far,
            None => {
                let growing = Growing::new(self.planning, logic.threads)?;
                (growing, self.next.max(first) / 2)
            }
        };
        let horizon = (2 * before).min(most);
        let end = Instant::now() + share;
        let stop = || {
            if self.is_open() && Instant::now() < end {
                logic.limits.reached()
            } else {
                Some(StopReason::Time)
            }
        };
        logic.turn.take();
        logic.ask(&mut growing, self.points, Lengths::UpTo(horizon), stop)?;
        *far = Some((growing, horizon));
        Ok(())
    }

    /// Asks whether any play has `horizon` moves.
    fn look_for_end(&mut self, horizon: u32, share: Duration) -> Result<(), PlanError> {
        let end = Instant::now() + share;
        let late = || (Instant::now() >= end).then_some(StopReason::Time);
        let stop = || self.logic.pause().or_else(late);
        if self.growing.search_any(horizon, stop)? == Searched::NoMore {
            let board = self.logic.board;
            board.note(|known| known.bound_plays(horizon - 1));
        }
        Ok(())
    }
}

impl Logic<'_> {
    /// A reason to leave off for now.
    fn pause(&self) -> Option<StopReason> {
        let over = || self.turn.is_over().then_some(StopReason::Time);
        self.limits.reached().or_else(over)
    }

    /// Asks for one plan and takes note of it.
    fn ask(
        &self,
        growing: &mut Growing<'_>,
        points: Points,
        lengths: Lengths,
        stop: impl Fn() -> Option<StopReason>,
    ) -> Result<Searched, PlanError> {
        let mut plan = None;
        let searched = growing.search(points, lengths, stop, |moves| {
            plan = Some(moves);
            false
        })?;
        let conflicts = growing.conflicts();
        self.board
            .report(|progress| progress.conflicts += conflicts);
        if let Some(moves) = plan {
            self.board
                .found(self.game, self.question, moves, FoundBy::Logic)?;
            return Ok(Searched::Enough);
        }
        Ok(searched)
    }
}
