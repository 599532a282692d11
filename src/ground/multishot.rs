//! Programs that grow while they are solved (*multi-shot solving*).
//!
//! A program has parts with a parameter; they are grounded for one value after the other, and between two
//! groundings clingo's solver is asked, under assumptions. It keeps what it has learned.
//!
//! ```text
//! {a(0)}. #program step(t). {a(t)} :- a(t-1).         ground base, step for 1, 2, 3; ask for a(3)
//! ```
//!
//! clingo searches in threads of its own, so that the thread that asks can look at limits and stop
//! it. Its table of symbols is touched only while the lock of this folder is held: when grounding,
//! when a search begins, and when a model is read. Grounding itself cannot be stopped here; what is
//! to be grounded should have been predicted ([`super::predict`]).

use super::grounder::{CLINGO, GroundError};
use clingo::{
    ClingoError, Control, ErrorCode, Part, ShowType, Signature, SolveMode, SolverLiteral,
    Statistics, Symbol,
};
use formula::StopReason;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

/// How often a search is looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Searched {
    /// The one who got the models wanted no more.
    Enough,
    /// There are no (more) models under the assumptions.
    NoMore,
    /// A limit came first.
    Stopped(StopReason),
}

/// A program that is grounded part by part and solved in between.
pub struct MultiShot {
    /// Always there but while a call of clingo takes it.
    control: Option<Control>,
}

impl MultiShot {
    /// A solver for a program with `#program` parts, which must be known to be right: clingo's
    /// messages about it go to standard error. Only atoms of the shown predicate are given back from models.
    ///
    /// # Errors
    /// If clingo does not take the program.
    pub fn new(text: &str, shown: (&str, usize), threads: usize) -> Result<Self, GroundError> {
        let mut arguments = vec![
            "--warn=none".to_owned(),
            "--models=0".to_owned(),
            "--stats=0".to_owned(),
        ];
        if threads > 1 {
            arguments.push(format!("--parallel-mode={threads}"));
        }
        let _running = lock();
        let control = clingo::control(arguments).and_then(|mut control| {
            let (name, arity) = shown;
            control.add("base", &[], &format!("{text}\n#show {name}/{arity}."))?;
            Ok(control)
        });
        Ok(MultiShot {
            control: Some(control.map_err(failed)?),
        })
    }

    /// Grounds a part, with a number for its parameter if it has one.
    ///
    /// # Errors
    /// If there is no memory left.
    pub fn ground(&mut self, part: &str, parameter: Option<u32>) -> Result<(), GroundError> {
        let _running = lock();
        let control = self.control.as_mut().ok_or_else(lost)?;
        let number = parameter.map(|number| i32::try_from(number).unwrap_or(i32::MAX));
        let arguments = number.map(Symbol::create_number).into_iter().collect();
        Part::new(part, arguments)
            .and_then(|part| control.ground(&[part]))
            .map_err(failed)
    }

    /// Gives models, each as its shown atoms, in which these atoms hold or not, to `visit`, until that
    /// says `false`. `stop` is asked again and again for a reason to stop;
    /// what was learned until then is kept for the next search.
    ///
    /// # Errors
    /// If clingo fails.
    pub fn search(
        &mut self,
        assumed: &[(String, bool)],
        stop: impl Fn() -> Option<StopReason>,
        mut visit: impl FnMut(&[String]) -> bool,
    ) -> Result<Searched, GroundError> {
        let running = lock();
        let control = self.control.take().ok_or_else(lost)?;
        let mut assumptions = Vec::with_capacity(assumed.len());
        for (atom, holds) in assumed {
            match (literal(&control, atom).map_err(failed)?, *holds) {
                (Some(literal), true) => assumptions.push(literal),
                (Some(literal), false) => assumptions.push(literal.negate()),
                // No rule has it in its head.
                (None, false) => {}
                (None, true) => {
                    self.control = Some(control);
                    return Ok(Searched::NoMore);
                }
            }
        }
        let mode = SolveMode::ASYNC | SolveMode::YIELD;
        let mut handle = control.solve(mode, &assumptions).map_err(failed)?;
        drop(running);
        let found = loop {
            if let Some(reason) = stop() {
                handle.cancel().map_err(failed)?;
                break Searched::Stopped(reason);
            }
            if !handle.wait(PERIOD) {
                continue;
            }
            let running = lock();
            let model = handle.model().map_err(failed)?;
            let Some(model) = model else {
                break Searched::NoMore;
            };
            let symbols = model.symbols(ShowType::SHOWN).map_err(failed)?;
            let atoms: Vec<String> = symbols.iter().map(Symbol::to_string).collect();
            drop(running);
            if !visit(&atoms) {
                handle.cancel().map_err(failed)?;
                break Searched::Enough;
            }
            handle.resume().map_err(failed)?;
        };
        self.control = Some(handle.close().map_err(failed)?);
        Ok(found)
    }

    /// The number of conflicts of the search before, if it is told.
    pub fn conflicts(&self) -> Option<u64> {
        let statistics = self.control.as_ref()?.statistics().ok()?;
        conflicts(statistics).ok()
    }
}

impl Drop for MultiShot {
    fn drop(&mut self) {
        let _running = lock();
        self.control = None;
    }
}

/// The literal of an atom; none if no rule has it in its head.
fn literal(control: &Control, atom: &str) -> Result<Option<SolverLiteral>, ClingoError> {
    let symbol = clingo::parse_term(atom)?;
    let signature = Signature::new(symbol.name()?, symbol.arguments()?.len() as u32, true)?;
    let mut atoms = control.symbolic_atoms()?.iter_with_signature(signature)?;
    let Some(found) = atoms.find(|each| each.symbol().ok() == Some(symbol)) else {
        return Ok(None);
    };
    Ok(Some(found.literal()?))
}

fn conflicts(statistics: &Statistics) -> Result<u64, ClingoError> {
    let mut key = statistics.root()?;
    for name in ["solving", "solvers", "conflicts"] {
        key = statistics.map_at(key, name)?;
    }
    Ok(statistics.value_get(key)? as u64)
}

fn lock() -> MutexGuard<'static, ()> {
    CLINGO.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error of clingo as ours.
fn failed(error: ClingoError) -> GroundError {
    match error {
        ClingoError::InternalError {
            code: ErrorCode::BadAlloc,
            ..
        } => GroundError::Stopped {
            reason: StopReason::Memory,
            rules: 0,
            atoms: 0,
        },
        error => GroundError::Rejected(error.to_string()),
    }
}

/// After an error there is nothing left to ask.
fn lost() -> GroundError {
    GroundError::Rejected("the solver failed before".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// A walk on a line of four places, from 0, one step at a time, not back.
    const WALK: &str = "at(0,0).
        #program step(t). {at(X,t); at(X+1,t)} = 1 :- at(X,t-1). :- at(4,t).";

    fn walks(walk: &mut MultiShot, place: u32, time: u32) -> (Searched, usize) {
        let mut found = 0;
        let atom = format!("at({place},{time})");
        let assumed = [(atom.clone(), true)];
        let searched = walk.search(
            &assumed,
            || None,
            |atoms| {
                assert!(atoms.contains(&atom), "{atoms:?}");
                found += 1;
                true
            },
        );
        (searched.unwrap(), found)
    }

    #[test]
    fn a_program_grows_while_it_is_solved() {
        for threads in [1, 2] {
            let mut walk = MultiShot::new(WALK, ("at", 2), threads).unwrap();
            walk.ground("base", None).unwrap();
            for time in 1..=5 {
                walk.ground("step", Some(time)).unwrap();
                // As many as there are ways to choose two of so many steps.
                let ways = (time * (time - 1) / 2) as usize;
                assert_eq!(walks(&mut walk, 2, time), (Searched::NoMore, ways));
                assert_eq!(walks(&mut walk, 4, time), (Searched::NoMore, 0));
                // Away from the places 0 and 1, and no matter where a place is that there is not.
                let away = [0, 1, 7].map(|place| (format!("at({place},{time})"), false));
                let mut found = 0;
                let count = |_: &[String]| {
                    found += 1;
                    true
                };
                let searched = walk.search(&away, || None, count).unwrap();
                let three = ways * (time as usize).saturating_sub(2) / 3;
                assert_eq!((searched, found), (Searched::NoMore, ways + three));
                assert!(walk.conflicts().is_some());
            }
        }
    }

    #[test]
    fn a_search_without_end_is_stopped() {
        let holes = "1 {in(P,H) : H = 1..11} 1 :- P = 1..12. :- in(P,H), in(Q,H), P < Q.";
        let mut program = MultiShot::new(holes, ("in", 2), 1).unwrap();
        program.ground("base", None).unwrap();
        let end = Instant::now() + Duration::from_millis(50);
        let late = || (Instant::now() >= end).then_some(StopReason::Time);
        let stopped = program.search(&[], late, |_| true).unwrap();
        assert_eq!(stopped, Searched::Stopped(StopReason::Time));
        let at_once = || Some(StopReason::Interrupted);
        let stopped = program.search(&[], at_once, |_| true).unwrap();
        assert_eq!(stopped, Searched::Stopped(StopReason::Interrupted));
    }
}
