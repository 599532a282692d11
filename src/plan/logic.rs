//! Planning with answer sets: the horizon grows by one move at a time within one solver.
//!
//! For each number of moves n the solver is asked for a play that ends after exactly n moves with
//! as many points as the rules can give; then the next step is grounded. As all smaller numbers were done
//! before, the first plan is a shortest one. Where the rules cannot give the points at this time,
//! clingo's grounder knows, and nothing is searched; then it is asked now and then whether any play
//! lasts so long, since all plays may be over.
//!
//! In between, for a short while, it is asked for a better plan than the best so far, so that there is
//! one when time is up. If the most points turn out to be out of reach, the next lower number is aimed
//! at, from the start.

use super::turns::Turn;
use super::{Board, FoundBy, Plan, PlanError, Question, Stop, replay};
use crate::game::Game;
use crate::gdl::Term;
use crate::ground::{
    BYTES_PER_RULE, GroundError, GroundLimits, MultiShot, Prediction, Searched, predict,
};
use crate::sqasp::split_atom;
use crate::translate::{Names, PlanningProgram, UnreadableTerm, planning_program};
use formula::StopReason;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// Where no depth is given, so many moves are predicted first, then twice as many, and so on.
const FIRST_PREDICTED: u32 = 16;

/// The search for a better plan on the way takes at most this time, or a tenth of the time so far.
const ASIDE: Duration = Duration::from_millis(30);

/// The logic program of a question, and who uses it.
pub(super) struct Logic<'a> {
    pub(super) game: &'a Game,
    pub(super) question: &'a Question,
    pub(super) stop: &'a Stop,
    pub(super) threads: usize,
}

impl Logic<'_> {
    /// Looks for plans until the question is answered or there is a reason to stop.
    pub(super) fn find(&self, board: &Board, turn: &Turn) -> Result<(), PlanError> {
        turn.take();
        let begin = Instant::now();
        let mut conflicts = 0;
        while let Some((level, most)) = board.look(|known| known.aim()) {
            let mut growing = Growing::new(self, most)?;
            let points = board.look(|known| known.levels()[level]);
            let still = || board.look(|known| known.aim().is_some_and(|(aim, _)| aim == level));
            let mut horizon = 0;
            while still() && most.is_none_or(|most| horizon <= most) {
                turn.take();
                if self.stop.reached().is_some() {
                    return Ok(());
                }
                growing.grow()?;
                board.report(|progress| progress.horizon = horizon);
                let is_open = || still() && !board.look(|known| known.is_ruled_out(level, horizon));
                while is_open() {
                    let stop = || match is_open() {
                        true => self.pause(turn),
                        false => Some(StopReason::Interrupted),
                    };
                    let searched = self.ask(board, &mut growing, points, stop, &mut conflicts)?;
                    if self.stop.reached().is_some() {
                        return Ok(());
                    }
                    turn.take();
                    match searched {
                        Searched::Stopped(_) => {}
                        Searched::Enough => break,
                        Searched::NoneEver => {
                            growing.note_end(board, level, horizon);
                            break;
                        }
                        Searched::NoMore => {
                            board.note(|known| known.rule_out_length(level, horizon));
                            break;
                        }
                    }
                }
                self.improve(board, &mut growing, level, turn, begin, &mut conflicts)?;
                // All plays may be over, which no question about points tells.
                if horizon.is_power_of_two() && still() {
                    self.look_for_end(board, &mut growing, turn, &still)?;
                }
                horizon += 1;
            }
            if self.stop.reached().is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A reason to leave off for now.
    fn pause(&self, turn: &Turn) -> Option<StopReason> {
        let over = || turn.is_over().then_some(StopReason::Time);
        self.stop.reached().or_else(over)
    }

    /// Asks for one plan and takes note of it.
    fn ask(
        &self,
        board: &Board,
        growing: &mut Growing<'_>,
        points: u32,
        stop: impl Fn() -> Option<StopReason>,
        conflicts: &mut u64,
    ) -> Result<Searched, PlanError> {
        let mut plan = None;
        let searched = growing.search(points, stop, |moves| {
            plan = Some(moves);
            false
        })?;
        *conflicts += growing.solver.conflicts().unwrap_or(0);
        board.report(|progress| progress.conflicts = *conflicts);
        if let Some(moves) = plan {
            board.found(self.game, self.question, moves, FoundBy::Logic)?;
            return Ok(Searched::Enough);
        }
        Ok(searched)
    }

    /// Asks for better plans than the best so far, below the level that is aimed at.
    fn improve(
        &self,
        board: &Board,
        growing: &mut Growing<'_>,
        aim: usize,
        turn: &Turn,
        begin: Instant,
        conflicts: &mut u64,
    ) -> Result<(), PlanError> {
        let horizon = growing.time - 1;
        let end = Instant::now() + ASIDE.max(begin.elapsed() / 10);
        let late = || (Instant::now() >= end).then_some(StopReason::Time);
        loop {
            let level = board.look(|known| known.worth_reaching(horizon));
            let Some(level) = level.filter(|&level| level < aim) else {
                return Ok(());
            };
            let points = board.look(|known| known.levels()[level]);
            let stop = || self.pause(turn).or_else(late);
            match self.ask(board, growing, points, stop, conflicts)? {
                Searched::Enough => {}
                Searched::NoMore => {
                    return Ok(board.note(|known| known.rule_out_length(level, horizon)));
                }
                Searched::NoneEver => {
                    growing.note_end(board, level, horizon);
                    return Ok(());
                }
                Searched::Stopped(_) => return Ok(()),
            }
        }
    }

    /// Asks whether any play lasts so long.
    fn look_for_end(
        &self,
        board: &Board,
        growing: &mut Growing<'_>,
        turn: &Turn,
        still: &dyn Fn() -> bool,
    ) -> Result<(), PlanError> {
        loop {
            turn.take();
            let stop = || match still() {
                true => self.pause(turn),
                false => Some(StopReason::Interrupted),
            };
            let searched = growing.solver.search(None, stop, |_| false)?;
            match searched {
                Searched::NoneEver => {
                    let horizon = growing.time - 1;
                    return Ok(board.note(|known| known.bound_plays(horizon - 1)));
                }
                Searched::Stopped(_) if still() && self.stop.reached().is_none() => {}
                _ => return Ok(()),
            }
        }
    }

    /// All plans of at least so many points and so many moves; see [`all_plans`].
    fn all(
        &self,
        points: u32,
        lengths: RangeInclusive<u32>,
        mut visit: impl FnMut(Plan) -> bool,
    ) -> Result<Option<StopReason>, PlanError> {
        let mut growing = Growing::new(self, Some(*lengths.end()))?;
        for horizon in 0..=*lengths.end() {
            growing.grow()?;
            if !lengths.contains(&horizon) {
                continue;
            }
            let mut refuted = None;
            let stop = || self.stop.reached();
            let searched = growing.search(points, stop, |moves| {
                match replay(self.game, &self.question.role, &moves) {
                    Ok(points) => visit(Plan { moves, points }),
                    Err(error) => {
                        refuted = Some(error);
                        false
                    }
                }
            })?;
            if let Some(error) = refuted {
                return Err(error.into());
            }
            match searched {
                Searched::Stopped(reason) => return Ok(Some(reason)),
                Searched::Enough | Searched::NoneEver => break,
                Searched::NoMore => {}
            }
        }
        Ok(None)
    }
}

/// All plans of at least so many points with so many moves, in the order of their length, given to
/// `visit` until that says `false`. Tells the limit that came first.
///
/// # Errors
/// If the game cannot be grounded for so many moves.
pub fn all_plans(
    game: &Game,
    question: &Question,
    points: u32,
    lengths: RangeInclusive<u32>,
    options: &super::Options,
    visit: impl FnMut(Plan) -> bool,
) -> Result<Option<StopReason>, PlanError> {
    let stop = Stop {
        interrupt: options.limits.interrupt.clone(),
        ..Stop::new(&options.limits)
    };
    let logic = Logic {
        game,
        question,
        stop: &stop,
        threads: options.thread_count(),
    };
    logic.all(points, lengths, visit)
}

/// The program of a planning problem, grounded up to some horizon.
struct Growing<'a> {
    program: PlanningProgram,
    names: Names,
    solver: MultiShot,
    stop: &'a Stop,
    /// The next time to be grounded.
    time: u32,
    /// Up to which time the size was predicted.
    predicted: u32,
}

impl<'a> Growing<'a> {
    fn new(logic: &Logic<'a>, depth: Option<u32>) -> Result<Self, PlanError> {
        let names = Names::of(logic.game);
        let program = planning_program(logic.game, &logic.question.role, &names);
        let depth = depth.unwrap_or(FIRST_PREDICTED);
        check_size(&program, depth, logic.stop)?;
        let mut solver = MultiShot::new(&program.text(), ("does", 3), logic.threads)?;
        solver.ground("base", None)?;
        Ok(Growing {
            program,
            names,
            solver,
            stop: logic.stop,
            time: 0,
            predicted: depth,
        })
    }

    /// Grounds one time more: first 0, then 1, and so on.
    fn grow(&mut self) -> Result<(), PlanError> {
        if self.time > self.predicted {
            self.predicted *= 2;
            check_size(&self.program, self.predicted, self.stop)?;
        }
        if let Some(before) = self.time.checked_sub(1) {
            self.solver.ground("step", Some(before))?;
        }
        self.solver.ground("state", Some(self.time))?;
        self.time += 1;
        Ok(())
    }

    /// Plans that end at the last time that is grounded, with at least so many points.
    fn search(
        &mut self,
        points: u32,
        stop: impl Fn() -> Option<StopReason>,
        mut visit: impl FnMut(Vec<Term>) -> bool,
    ) -> Result<Searched, PlanError> {
        // The least number of points that rules give and that is enough.
        let Some(&level) = self.program.points.iter().find(|&&level| level >= points) else {
            return Ok(Searched::NoMore);
        };
        let atom = PlanningProgram::ends_with(level, self.time - 1);
        let (names, mut unreadable) = (&self.names, None);
        let searched =
            self.solver
                .search(Some(&atom), stop, |atoms| match moves_of(atoms, names) {
                    Ok(moves) => visit(moves),
                    Err(error) => {
                        unreadable = Some(error);
                        false
                    }
                })?;
        match unreadable {
            Some(error) => Err(error.into()),
            None => Ok(searched),
        }
    }

    /// Takes note that no play lasts as long as the horizon.
    fn note_end(&self, board: &Board, level: usize, horizon: u32) {
        board.note(|known| {
            known.rule_out_length(level, horizon);
            known.bound_plays(horizon.saturating_sub(1));
        });
    }
}

/// Refuses a horizon that memory has no room for.
fn check_size(program: &PlanningProgram, depth: u32, stop: &Stop) -> Result<(), PlanError> {
    let Some(allowed) = stop.memory else {
        return Ok(());
    };
    let most = usize::try_from(allowed / BYTES_PER_RULE).unwrap_or(usize::MAX);
    let limits = GroundLimits {
        deadline: stop.deadline,
        rules: Some(most),
        interrupt: stop.interrupt.clone(),
        progress: None,
    };
    let too_large = |depth, predicted| Err(PlanError::TooLarge { depth, predicted });
    match predict(|depth| program.text_at(depth), depth, &limits) {
        Ok(predicted) if predicted.bytes() > allowed => too_large(depth, predicted),
        Ok(_) => Ok(()),
        // Not even the first steps fit.
        Err(GroundError::Stopped {
            reason: StopReason::Memory,
            rules,
            atoms,
        }) => {
            let (rules, atoms) = (rules as u64, atoms as u64);
            too_large(depth.min(4), Prediction { atoms, rules })
        }
        Err(error) => Err(error.into()),
    }
}

/// The moves of a plan, from the atoms `does(role,move,time)`.
fn moves_of(atoms: &[String], names: &Names) -> Result<Vec<Term>, UnreadableTerm> {
    let mut moves = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let unreadable = || UnreadableTerm(atom.clone());
        let Some(("does", arguments)) = split_atom(atom) else {
            return Err(unreadable());
        };
        let [_, action, time] = arguments[..] else {
            return Err(unreadable());
        };
        let time: u32 = time.parse().map_err(|_| unreadable())?;
        moves.push((time, names.read_term(action)?));
    }
    moves.sort_unstable_by_key(|(time, _)| *time);
    Ok(moves.into_iter().map(|(_, action)| action).collect())
}
