//! Planning with answer sets: the horizon grows by one move at a time within one solver.
//!
//! For each number of moves n the solver is asked for a play that ends after exactly n moves with
//! more points than any plan so far; each plan found raises the aim, until there is none; then
//! the next step is grounded. As all smaller numbers were done before, the first plan that reaches its
//! points is a shortest one. Where the rules cannot give the points at this time, clingo's
//! grounder knows, and nothing is searched; then it is asked now and then whether any play lasts so
//! long, since all plays may be over.

use super::board::{Board, Budget};
use super::{FoundBy, Options, Plan, PlanError, Question, replay};
use crate::game::Game;
use crate::gdl::Term;
use crate::ground::{
    BYTES_PER_RULE, GroundError, GroundLimits, MultiShot, Prediction, SearchLimits, Searched,
    predict,
};
use crate::sqasp::split_atom;
use crate::translate::{Names, PlanningProgram, UnreadableTerm, planning_program};
use formula::StopReason;

/// Where no depth is given, so many moves are predicted first, then twice as many, and so on.
const FIRST_PREDICTED: u32 = 16;

/// Looks for plans until the question is answered; tells the limit that came first.
pub(super) fn find(
    game: &Game,
    question: &Question,
    board: &Board,
    budget: &Budget,
    options: &Options,
) -> Result<Option<StopReason>, PlanError> {
    let mut growing = Growing::new(game, question, budget, options.threads)?;
    let mut conflicts = 0;
    for horizon in 0.. {
        growing.grow()?;
        board.report(|progress| progress.horizon = horizon);
        loop {
            if board.look(|known| known.is_answered()) {
                return Ok(None);
            }
            let Some(level) = board.look(|known| known.worth_reaching(horizon)) else {
                break;
            };
            let points = board.look(|known| known.levels()[level]);
            let mut plan = None;
            let searched = growing.search(points, |moves| {
                plan = Some(moves);
                false
            })?;
            conflicts += growing.solver.conflicts().unwrap_or(0);
            board.report(|progress| progress.conflicts = conflicts);
            match (searched, plan) {
                (_, Some(moves)) => {
                    board.found(game, question, moves, FoundBy::Logic)?;
                }
                (Searched::Stopped(reason), None) => return Ok(Some(reason)),
                (Searched::NoneEver, None) => {
                    board.rule_out(level, None);
                    break;
                }
                (Searched::NoMore | Searched::Enough, None) => {
                    board.rule_out(level, Some(horizon));
                    // All plays may be over, which no question about points tells.
                    if horizon.is_power_of_two() && growing.search_any()? == Searched::NoneEver {
                        board.rule_out(level, None);
                    }
                    break;
                }
            }
        }
        if board.look(|known| known.is_answered()) {
            return Ok(None);
        }
        if let Some(reason) = budget.reached() {
            return Ok(Some(reason));
        }
        if question.depth == Some(horizon) {
            break;
        }
    }
    Ok(None)
}

/// All plans of at least so many points with `shortest` to `longest` moves, in the order of their
/// length, given to `visit` until that says `false`. Tells the limit that came first.
///
/// # Errors
/// If the game cannot be grounded for so many moves.
pub fn all_plans(
    game: &Game,
    question: &Question,
    points: u32,
    lengths: std::ops::RangeInclusive<u32>,
    options: &Options,
    mut visit: impl FnMut(Plan) -> bool,
) -> Result<Option<StopReason>, PlanError> {
    let budget = Budget::new(&options.limits);
    let question = Question {
        depth: Some(*lengths.end()),
        ..question.clone()
    };
    let mut growing = Growing::new(game, &question, &budget, options.threads)?;
    for horizon in 0..=*lengths.end() {
        growing.grow()?;
        if !lengths.contains(&horizon) {
            continue;
        }
        let mut refuted = None;
        let searched = growing.search(points, |moves| {
            match replay(game, &question.role, &moves) {
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
            Searched::Enough => break,
            Searched::NoMore | Searched::NoneEver => {}
        }
    }
    Ok(None)
}

/// The program of a planning problem, grounded up to some horizon.
struct Growing<'a> {
    program: PlanningProgram,
    names: Names,
    solver: MultiShot,
    budget: &'a Budget,
    /// The next time to be grounded.
    time: u32,
    /// Up to which time the size was predicted.
    predicted: u32,
}

impl<'a> Growing<'a> {
    fn new(
        game: &Game,
        question: &Question,
        budget: &'a Budget,
        threads: usize,
    ) -> Result<Self, PlanError> {
        let names = Names::of(game);
        let program = planning_program(game, &question.role, &names);
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let depth = question.depth.unwrap_or(FIRST_PREDICTED);
        check_size(&program, depth, budget)?;
        let mut solver = MultiShot::new(&program.text(), ("does", 3), threads)?;
        solver.ground("base", None)?;
        Ok(Growing {
            program,
            names,
            solver,
            budget,
            time: 0,
            predicted: depth,
        })
    }

    /// Grounds one time more: first 0, then 1, and so on.
    fn grow(&mut self) -> Result<(), PlanError> {
        if self.time > self.predicted {
            self.predicted *= 2;
            check_size(&self.program, self.predicted, self.budget)?;
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
        mut visit: impl FnMut(Vec<Term>) -> bool,
    ) -> Result<Searched, PlanError> {
        // The least number of points that rules give and that is enough.
        let Some(&level) = self.program.points.iter().find(|&&level| level >= points) else {
            return Ok(Searched::NoMore);
        };
        let atom = PlanningProgram::ends_with(level, self.time - 1);
        let (names, mut unreadable) = (&self.names, None);
        let limits = search_limits(self.budget);
        let searched = self.solver.search(Some(&atom), &limits, |atoms| {
            match moves_of(atoms, names) {
                Ok(moves) => visit(moves),
                Err(error) => {
                    unreadable = Some(error);
                    false
                }
            }
        })?;
        match unreadable {
            Some(error) => Err(error.into()),
            None => Ok(searched),
        }
    }

    /// Whether some play lasts to the last time that is grounded.
    fn search_any(&mut self) -> Result<Searched, PlanError> {
        let limits = search_limits(self.budget);
        Ok(self.solver.search(None, &limits, |_| false)?)
    }
}

fn search_limits(budget: &Budget) -> SearchLimits {
    SearchLimits {
        deadline: budget.deadline,
        interrupt: budget.interrupt.clone(),
    }
}

/// Refuses a horizon that memory has no room for.
fn check_size(program: &PlanningProgram, depth: u32, budget: &Budget) -> Result<(), PlanError> {
    let Some(allowed) = budget.memory else {
        return Ok(());
    };
    let most = usize::try_from(allowed / BYTES_PER_RULE).unwrap_or(usize::MAX);
    let limits = GroundLimits {
        deadline: budget.deadline,
        rules: Some(most),
        interrupt: budget.interrupt.clone(),
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
