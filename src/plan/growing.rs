//! The logic program of a planning problem, grounded for more and more times.

use super::{PlanError, Question, Stop};
use crate::game::Game;
use crate::gdl::Term;
use crate::ground::{
    BYTES_PER_RULE, GroundError, GroundLimits, MultiShot, Prediction, Searched, predict,
};
use crate::sqasp::split_atom;
use crate::translate::{Names, PlanningProgram, UnreadableTerm, planning_program};
use formula::StopReason;

/// Where no depth is given, so many moves are predicted first, then twice as many, and so on.
const FIRST_PREDICTED: u32 = 16;

/// How many moves plans may have that are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lengths {
    /// So many.
    Exactly(u32),
    /// From one to so many.
    UpTo(u32),
}

/// The program of a planning problem, grounded up to some horizon.
pub(super) struct Growing<'a> {
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
    /// Grounded for no time yet; it is to grow up to the depth, if that is known.
    pub(super) fn new(
        game: &Game,
        question: &Question,
        threads: usize,
        depth: Option<u32>,
        stop: &'a Stop,
    ) -> Result<Self, PlanError> {
        let names = Names::of(game);
        let program = planning_program(game, &question.role, &names);
        let depth = depth.unwrap_or(FIRST_PREDICTED);
        check_size(&program, depth, stop)?;
        let mut solver = MultiShot::new(&program.text(), ("does", 3), threads)?;
        solver.ground("base", None)?;
        Ok(Growing {
            program,
            names,
            solver,
            stop,
            time: 0,
            predicted: depth,
        })
    }

    /// Grounds what is missing for plans of so many moves.
    fn grow(&mut self, horizon: u32) -> Result<(), PlanError> {
        while self.time <= horizon {
            if self.time > self.predicted {
                self.predicted = self.predicted.saturating_mul(2);
                check_size(&self.program, self.predicted, self.stop)?;
            }
            if let Some(before) = self.time.checked_sub(1) {
                self.solver.ground("step", Some(before))?;
            }
            self.solver.ground("state", Some(self.time))?;
            self.time += 1;
        }
        Ok(())
    }

    /// Plans of these lengths, with at least so many points.
    pub(super) fn search(
        &mut self,
        points: u32,
        lengths: Lengths,
        stop: impl Fn() -> Option<StopReason>,
        mut visit: impl FnMut(Vec<Term>) -> bool,
    ) -> Result<Searched, PlanError> {
        // The least number of points that rules give and that is enough.
        let Some(&level) = self.program.points.iter().find(|&&level| level >= points) else {
            return Ok(Searched::NoMore);
        };
        let assumed = match lengths {
            Lengths::Exactly(moves) => {
                self.grow(moves)?;
                PlanningProgram::ends_with(level, moves)
            }
            Lengths::UpTo(moves) => {
                self.grow(moves.saturating_add(1))?;
                PlanningProgram::ends_by(level, moves)
            }
        };
        let (names, mut unreadable) = (&self.names, None);
        let searched =
            self.solver
                .search(&assumed, stop, |atoms| match moves_of(atoms, names) {
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

    /// Whether some play lasts for so many moves.
    pub(super) fn search_any(
        &mut self,
        horizon: u32,
        stop: impl Fn() -> Option<StopReason>,
    ) -> Result<Searched, PlanError> {
        self.grow(horizon)?;
        let assumed = PlanningProgram::lasts(horizon);
        Ok(self.solver.search(&assumed, stop, |_| false)?)
    }

    /// The number of conflicts of the search before.
    pub(super) fn conflicts(&self) -> u64 {
        self.solver.conflicts().unwrap_or(0)
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
