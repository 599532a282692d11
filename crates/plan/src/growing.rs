//! The logic program of a planning problem, grounded for more and more times.

use super::{PlanError, Question};
use gdl::Term;
use gdl::game::{Game, Points};
use limits::{Limits, StopReason};
use logic::asp::Symbol;
use logic::ground::{
    BYTES_PER_RULE, GroundError, GroundLimits, MultiShot, Prediction, Searched, measure, predict,
};
use logic::translate::{Names, PlanningProgram, UnreadableTerm, planning_program};

/// The number of moves that are grounded first, to see how large the program gets.
const PROBED: u32 = 2;

/// How many moves plans may have that are searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lengths {
    Exactly(u32),
    /// From one to this number.
    UpTo(u32),
}

/// The program of a planning problem, and how large it is.
pub(super) struct Planning<'a> {
    program: PlanningProgram,
    names: Names,
    limits: &'a Limits,
    /// The size at a horizon of [`PROBED`] moves.
    probed: Prediction,
}

impl<'a> Planning<'a> {
    /// The program of a question; it is to be grounded up to a depth, if that is known.
    pub(super) fn new(
        game: &Game,
        question: &Question,
        depth: Option<u32>,
        limits: &'a Limits,
    ) -> Result<Self, PlanError> {
        let names = Names::of(game);
        let nothing = Prediction { atoms: 0, rules: 0 };
        let mut planning = Planning {
            program: planning_program(game, &question.role, &names),
            names,
            limits,
            probed: nothing,
        };
        planning.probed = planning.predict(PROBED)?;
        planning.check_size(depth.unwrap_or(PROBED))?;
        Ok(planning)
    }

    /// Refuses a horizon that memory has no room for.
    fn check_size(&self, depth: u32) -> Result<(), PlanError> {
        let allowed = self.limits.memory.unwrap_or(u64::MAX);
        // Steps may grow, but rarely to this size.
        let roughly = self
            .probed
            .bytes()
            .saturating_mul(u64::from(depth) * 4 / u64::from(PROBED));
        if roughly <= allowed {
            return Ok(());
        }
        let predicted = self.predict(depth)?;
        if predicted.bytes() > allowed {
            Err(PlanError::TooLarge { depth, predicted })
        } else {
            Ok(())
        }
    }

    fn limits(&self) -> GroundLimits {
        let most = self.limits.memory.map(|memory| memory / BYTES_PER_RULE);
        GroundLimits {
            overall: self.limits.clone(),
            rules: most.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
            progress: None,
        }
    }

    /// The program for clingo.
    fn text(&self) -> Result<String, GroundError> {
        let text = self.program.program.text(self.limits);
        text.map_err(GroundError::stopped)
    }

    fn predict(&self, depth: u32) -> Result<Prediction, PlanError> {
        let text = self.text()?;
        let size_at = |depth| {
            let parts: Vec<_> = (0..=depth).flat_map(PlanningProgram::parts).collect();
            measure(&text, &parts, &self.limits())
        };
        match predict(size_at, depth) {
            // Not even the first steps fit.
            Err(GroundError::Stopped {
                reason: StopReason::Memory,
                rules,
                atoms,
            }) => Err(PlanError::TooLarge {
                depth: depth.min(PROBED),
                predicted: Prediction {
                    atoms: atoms as u64,
                    rules: rules as u64,
                },
            }),
            predicted => Ok(predicted?),
        }
    }
}

/// The program of a planning problem, grounded up to some horizon.
pub(super) struct Growing<'a> {
    planning: &'a Planning<'a>,
    solver: MultiShot,
    /// The next time to be grounded.
    time: u32,
    /// Up to which horizon the size was looked at.
    checked: u32,
}

impl<'a> Growing<'a> {
    /// Grounded for no time yet.
    pub(super) fn new(planning: &'a Planning<'a>, threads: usize) -> Result<Self, PlanError> {
        let (text, limits) = (planning.text()?, planning.limits());
        Ok(Growing {
            planning,
            solver: MultiShot::new(&text, Some(("does", 3)), threads, &limits)?,
            time: 0,
            checked: PROBED,
        })
    }

    /// Grounds the parts that are missing for plans of `horizon` moves.
    fn grow(&mut self, horizon: u32) -> Result<(), PlanError> {
        while self.time <= horizon {
            if self.time > self.checked {
                self.checked = self.checked.saturating_mul(2).max(horizon);
                self.planning.check_size(self.checked)?;
            }
            for (part, time) in PlanningProgram::parts(self.time) {
                self.solver.ground(part, time)?;
            }
            self.time += 1;
        }
        Ok(())
    }

    /// Plans of these lengths, with at least `points` points.
    pub(super) fn search(
        &mut self,
        points: Points,
        lengths: Lengths,
        stop: impl Fn() -> Option<StopReason>,
        mut visit: impl FnMut(Vec<Term>) -> bool,
    ) -> Result<Searched, PlanError> {
        // The least number of points that rules give and that is enough.
        let Some(&level) = self
            .planning
            .program
            .points
            .iter()
            .find(|&&level| level >= points)
        else {
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
        let (names, mut unreadable) = (&self.planning.names, None);
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

    /// Whether some play has `horizon` moves.
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
    pub(super) fn conflicts(&mut self) -> u64 {
        self.solver.conflicts().unwrap_or(0)
    }
}

/// The moves of a plan, from the atoms `does(role,move,time)`.
fn moves_of(atoms: &[Symbol], names: &Names) -> Result<Vec<Term>, UnreadableTerm> {
    let mut moves = Vec::with_capacity(atoms.len());
    for atom in atoms {
        let unreadable = || UnreadableTerm(atom.to_string());
        let Some(("does", [_, action, time])) = atom.call() else {
            return Err(unreadable());
        };
        let time = time.to_u32().ok_or_else(unreadable)?;
        moves.push((time, names.read_term(action)?));
    }
    moves.sort_unstable_by_key(|(time, _)| *time);
    Ok(moves.into_iter().map(|(_, action)| action).collect())
}
