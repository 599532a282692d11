//! Programs that grow while they are solved (*multi-shot solving*), by clingo's solver.
//!
//! A program may have parts with a parameter; they are grounded for one value after the other, and between
//! two groundings the solver is asked, under assumptions. It keeps the clauses that it has learned.
//!
//! ```text
//! {a(0)}. #program step(t). {a(t)} :- a(t-1).         ground base, step for 1, 2, 3; ask for a(3)
//! ```
//!
//! Rules that come later may mention atoms that are there and define new ones; an atom that was there, or
//! that was mentioned and had no rule, stays as it is.
//!
//! clingo works in threads of its own, so that the thread that asks can check limits and stop a
//! search. Its table of symbols is touched only while the lock of this folder is held: when grounding,
//! when a search begins, and when a model is read. While it grounds, an observer counts the rules and
//! checks the limits. Where no rules come, nothing can stop it, and it is left alone ([`OwnThread`]).

use super::context::{Context, Log, Quiet, Shared};
use super::grounder::{CLINGO, GroundError, GroundLimits, STACK, part, refused_by_clingo};
use super::symbols::{SymbolReader, write_symbol};
use clingo::{
    ClingoError, ControlCtx, GenericControl, GroundProgramObserver, Model, ShowType, Signature,
    SolveMode, SolveResult, SolverLiteral, Statistics, SymbolicAtom, WeightedLiteral,
};
use limits::{OwnThread, StopReason, lock};
use lp2sat::Symbol;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time between two checks of a search.
const PERIOD: Duration = Duration::from_millis(5);

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Searched {
    /// The caller wanted no more models.
    Enough,
    /// There are no (more) models under the assumptions.
    NoMore,
    Stopped(StopReason),
}

/// The least size of a piece of a program in bytes: clingo takes some hundredths of a second for it.
const PIECE: usize = 1 << 17;

/// A program in pieces of whole rules; text that follows a `#program` is of another part, and stays together.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let last_cut = text.find("#program").unwrap_or(text.len());
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let piece = rest?;
        let end = (text.len() - piece.len() + PIECE < last_cut)
            .then(|| {
                piece.as_bytes()[PIECE..]
                    .windows(2)
                    .position(|end| end == b".\n")
            })
            .flatten()
            .map(|end| PIECE + end + 2)
            .filter(|end| text.len() - piece.len() + end <= last_cut);
        let (piece, after) = piece.split_at(end.unwrap_or(piece.len()));
        rest = end.map(|_| after);
        Some(piece)
    })
}

/// A program that is grounded part by part and solved in between.
pub struct MultiShot {
    clingo: OwnThread<Option<Control>>,
    limits: GroundLimits,
}

impl MultiShot {
    /// A solver for a program, which may have `#program` parts. Nothing is grounded yet. The limits hold
    /// for all groundings together; models are told by the atoms of the predicate `shown`.
    pub fn new(
        text: &str,
        shown: Option<(&str, usize)>,
        threads: usize,
        limits: &GroundLimits,
    ) -> Result<Self, GroundError> {
        let no_room = |_| GroundError::stopped(StopReason::Memory);
        let mut solver = MultiShot {
            clingo: OwnThread::start(STACK, || None).map_err(no_room)?,
            limits: limits.clone(),
        };
        let show = shown.map_or(String::new(), |(name, arity)| {
            format!("\n#show {name}/{arity}.")
        });
        let text = format!("{text}{show}");
        let limits = limits.clone();
        solver.call(move |control| {
            let mut new = Control::new(threads, limits)?;
            let added = new.add("base", &text);
            *control = Some(new);
            added
        })?;
        Ok(solver)
    }

    fn call<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Option<Control>) -> Result<T, GroundError> + Send + 'static,
    ) -> Result<T, GroundError> {
        let limits = &self.limits;
        let done = self.clingo.call(|| limits.reached(), work);
        done.unwrap_or_else(|reason| Err(GroundError::stopped(reason)))
    }

    /// Adds a part without parameter, which is not grounded yet. Rules end where lines end.
    pub fn add(&mut self, part: &str, text: &str) -> Result<(), GroundError> {
        let (part, text) = (part.to_owned(), text.to_owned());
        self.call(move |control| of(control)?.add(&part, &text))
    }

    /// Grounds a part, with a number for its parameter if it has one.
    ///
    /// # Errors
    /// If a limit is reached. The solver is of no use any more then.
    pub fn ground(&mut self, part: &str, parameter: Option<u32>) -> Result<(), GroundError> {
        let part = part.to_owned();
        self.call(move |control| of(control)?.ground(&part, parameter))
    }

    /// The limits that were given.
    pub(super) fn limits(&self) -> &GroundLimits {
        &self.limits
    }

    /// Hands models in which these atoms hold or not to `visit`, each as its shown atoms, until that
    /// says `false`. `stop` is asked again and again for a reason to stop;
    /// learned clauses are kept for the next search.
    pub fn search(
        &mut self,
        assumed: &[(Symbol, bool)],
        stop: impl Fn() -> Option<StopReason>,
        mut visit: impl FnMut(&[Symbol]) -> bool,
    ) -> Result<Searched, GroundError> {
        let assumed = assumed.to_vec();
        let literals = move |control: &Control| control.literals(&assumed);
        let read = |model: &Model| {
            let mut reader = SymbolReader::default();
            let symbols = model.symbols(ShowType::SHOWN)?.into_iter();
            symbols
                .map(|symbol| reader.read(symbol))
                .collect::<Result<Vec<_>, _>>()
        };
        self.run(literals, stop, read, |atoms| visit(&atoms))
    }

    /// As [`search`](Self::search), with assumptions as clingo's literals, or none where they contradict the rules; `read` takes from
    /// a model the data that `visit` gets.
    pub(super) fn run<T: Send + 'static>(
        &mut self,
        assumptions: impl FnOnce(&Control) -> Result<Option<Vec<SolverLiteral>>, GroundError>
        + Send
        + 'static,
        stop: impl Fn() -> Option<StopReason>,
        read: impl Fn(&Model) -> Result<T, ClingoError> + Send + 'static,
        visit: impl FnMut(T) -> bool,
    ) -> Result<Searched, GroundError> {
        // The thread that asks checks the limits, and tells clingo's thread by this flag.
        let is_late = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_late);
        let why = Cell::new(None);
        let stop = || {
            why.set(why.get().or_else(&stop));
            is_late.store(why.get().is_some(), Ordering::Relaxed);
            why.get()
        };
        stop();
        let work = move |control: &mut Option<Control>, tell: &mut dyn FnMut(T) -> bool| {
            let control = of(control)?;
            match assumptions(control)? {
                Some(assumptions) => control.run(&assumptions, &flag, read, tell),
                None => Ok(Searched::NoMore),
            }
        };
        let searched = self.clingo.converse(stop, work, visit);
        match searched.unwrap_or_else(|reason| Ok(Searched::Stopped(reason)))? {
            Searched::Stopped(reason) => Ok(Searched::Stopped(why.get().unwrap_or(reason))),
            searched => Ok(searched),
        }
    }

    /// The number of conflicts of the search before, if it is told.
    pub fn conflicts(&mut self) -> Option<u64> {
        self.call(|control| of(control)?.conflicts()).ok()
    }

    /// All atoms there are: the name, and the literal unless it holds anyway.
    pub(super) fn atoms(&mut self) -> Result<Vec<(Symbol, Option<SolverLiteral>)>, GroundError> {
        self.call(|control| of(control)?.atoms())
    }
}

/// After an error there is nothing left to ask.
fn of(control: &mut Option<Control>) -> Result<&mut Control, GroundError> {
    control.as_mut().ok_or_else(lost)
}

/// clingo's object for a program, and its listener. It stays in one thread.
pub(super) struct Control {
    /// Always there but while a call of clingo takes it.
    control: Option<GenericControl<Context<Watcher>>>,
    watcher: Shared<Watcher>,
    log: Shared<Log>,
}

impl Control {
    fn new(threads: usize, limits: GroundLimits) -> Result<Self, GroundError> {
        let mut arguments: Vec<String> = ["--warn=none", "--models=0", "--stats=0"]
            .map(str::to_owned)
            .to_vec();
        if threads > 1 {
            arguments.push(format!("--parallel-mode={threads}"));
        }
        let watcher = Shared::new(Watcher {
            limits,
            ..Watcher::default()
        });
        let log = Shared::new(Log::default());
        let context = Context::new(&watcher, &log, false);
        let _running = lock(&CLINGO);
        let control = clingo::control_with_context(arguments, context);
        Ok(Control {
            control: Some(control.map_err(|error| refused_by_clingo(&error, &[], 0, 0))?),
            watcher,
            log,
        })
    }

    fn add(&mut self, part: &str, text: &str) -> Result<(), GroundError> {
        let _running = lock(&CLINGO);
        // clingo parses the text it gets in one go, so it gets the program piece by piece.
        for piece in pieces(text) {
            if let Some(reason) = self.reached() {
                return Err(GroundError::stopped(reason));
            }
            let control = self.control.as_mut().ok_or_else(lost)?;
            let added = control.add(part, &[], piece);
            added.map_err(|error| self.refused(&error))?;
        }
        Ok(())
    }

    fn ground(&mut self, part: &str, parameter: Option<u32>) -> Result<(), GroundError> {
        if let Some(reason) = self.reached() {
            return Err(self.stopped(reason));
        }
        let _running = lock(&CLINGO);
        let control = self.control.as_mut().ok_or_else(lost)?;
        let outcome = self::part(part, parameter).and_then(|part| control.ground(&[part]));
        match self.watcher.with(|watcher| watcher.stopped) {
            Some(reason) => Err(self.stopped(reason)),
            None => outcome.map_err(|error| self.refused(&error)),
        }
    }

    fn reached(&self) -> Option<StopReason> {
        self.watcher.with(|watcher| watcher.limits.reached())
    }

    /// Atoms as clingo's literals; none if one that should hold has no rule.
    fn literals(
        &self,
        assumed: &[(Symbol, bool)],
    ) -> Result<Option<Vec<SolverLiteral>>, GroundError> {
        let _running = lock(&CLINGO);
        let control = self.control.as_ref().ok_or_else(lost)?;
        let mut assumptions = Vec::with_capacity(assumed.len());
        for (atom, holds) in assumed {
            let literal = literal(control, atom).map_err(|error| self.refused(&error))?;
            match (literal, *holds) {
                (Some(literal), true) => assumptions.push(literal),
                (Some(literal), false) => assumptions.push(literal.negate()),
                // No rule has it in its head.
                (None, false) => {}
                (None, true) => return Ok(None),
            }
        }
        Ok(Some(assumptions))
    }

    fn run<T>(
        &mut self,
        assumptions: &[SolverLiteral],
        is_late: &AtomicBool,
        read: impl Fn(&Model) -> Result<T, ClingoError>,
        visit: &mut dyn FnMut(T) -> bool,
    ) -> Result<Searched, GroundError> {
        let running = lock(&CLINGO);
        let control = self.control.take().ok_or_else(lost)?;
        let search = control.solve(SolveMode::ASYNC | SolveMode::YIELD, assumptions);
        drop(running);
        let mut search = search.map_err(|error| self.refused(&error))?;
        let mut found = || loop {
            if is_late.load(Ordering::Relaxed) {
                search.cancel()?;
                return Ok(Searched::Stopped(StopReason::Interrupted));
            }
            if !search.wait(PERIOD) {
                continue;
            }
            let running = lock(&CLINGO);
            let model = search.model()?.map(&read).transpose()?;
            drop(running);
            let Some(model) = model else {
                // Anything else would be a search that was stopped from outside.
                let all = SolveResult::UNSATISFIABLE | SolveResult::EXHAUSTED;
                return Ok(if search.get()?.intersects(all) {
                    Searched::NoMore
                } else {
                    Searched::Stopped(StopReason::Interrupted)
                });
            };
            if !visit(model) {
                search.cancel()?;
                return Ok(Searched::Enough);
            }
            search.resume()?;
        };
        let found = found();
        self.control = Some(search.close().map_err(|error| self.refused(&error))?);
        found.map_err(|error| self.refused(&error))
    }

    fn conflicts(&self) -> Result<u64, GroundError> {
        let statistics = self.control.as_ref().ok_or_else(lost)?.statistics();
        let conflicts = statistics.and_then(conflicts);
        conflicts.map_err(|error| self.refused(&error))
    }

    fn atoms(&self) -> Result<Vec<(Symbol, Option<SolverLiteral>)>, GroundError> {
        let control = self.control.as_ref().ok_or_else(lost)?;
        let mut reader = SymbolReader::default();
        let mut see = |atom: SymbolicAtom<'_>| {
            let literal = if atom.is_fact()? {
                None
            } else {
                Some(atom.literal()?)
            };
            Ok((reader.read(atom.symbol()?)?, literal))
        };
        let _running = lock(&CLINGO);
        control
            .symbolic_atoms()
            .and_then(|atoms| atoms.iter()?.map(&mut see).collect())
            .map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &ClingoError) -> GroundError {
        let messages = self.log.with(|log| log.messages.clone());
        let rules = self.watcher.with(|watcher| watcher.rules);
        refused_by_clingo(error, &messages, rules, self.atom_count())
    }

    fn stopped(&self, reason: StopReason) -> GroundError {
        GroundError::Stopped {
            reason,
            rules: self.watcher.with(|watcher| watcher.rules),
            atoms: self.atom_count(),
        }
    }

    fn atom_count(&self) -> usize {
        let atoms = self.control.as_ref().map(GenericControl::symbolic_atoms);
        atoms.map_or(0, |atoms| atoms.and_then(|atoms| atoms.size()).unwrap_or(0))
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _running = lock(&CLINGO);
        if let Some(control) = self.control.take() {
            // As in `ground`: only then it is freed.
            drop(control.register_control_context(Quiet::default()));
        }
    }
}

/// The literal of an atom; none if no rule has it in its head.
fn literal<C: ControlCtx>(
    control: &GenericControl<C>,
    atom: &Symbol,
) -> Result<Option<SolverLiteral>, ClingoError> {
    let symbol = write_symbol(atom)?;
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

/// After an error there is nothing left to ask.
fn lost() -> GroundError {
    GroundError::Rejected("the solver failed before".to_owned())
}

/// Counts rules and watches the limits while clingo grounds.
#[derive(Default)]
struct Watcher {
    limits: GroundLimits,
    rules: usize,
    stopped: Option<StopReason>,
}

impl Watcher {
    fn count(&mut self) -> bool {
        self.rules += 1;
        if self.limits.rules.is_some_and(|most| self.rules > most) {
            self.stopped = Some(StopReason::Memory);
        } else if self.rules.is_multiple_of(1024) {
            self.stopped = self.limits.reached();
        }
        self.stopped.is_none()
    }
}

impl GroundProgramObserver for Shared<Watcher> {
    fn rule(&mut self, _: bool, _: &[clingo::Atom], _: &[SolverLiteral]) -> bool {
        self.with_mut(Watcher::count)
    }

    fn weight_rule(&mut self, _: bool, _: &[clingo::Atom], _: i32, _: &[WeightedLiteral]) -> bool {
        self.with_mut(Watcher::count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use limits::Limits;
    use std::time::Instant;

    /// A walk on a line of four places, from 0, one step at a time, not back.
    const WALK: &str = "at(0,0).
        #program step(t). {at(X,t); at(X+1,t)} = 1 :- at(X,t-1). :- at(4,t).";

    fn at(place: u32, time: u32) -> Symbol {
        let number = |number: u32| Symbol::number(number.try_into().unwrap());
        Symbol::function("at", [number(place), number(time)])
    }

    fn walks(walk: &mut MultiShot, place: u32, time: u32) -> (Searched, usize) {
        let mut found = 0;
        let atom = at(place, time);
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
    fn programs_are_cut_between_rules_of_one_part() {
        let facts: String = (0..40_000).map(|n| format!("p({n}).\n")).collect();
        let parts = "#program step(t).\nq(t) :- p(t).\n".repeat(200);
        let text = format!("{facts}{parts}");
        let found: Vec<&str> = pieces(&text).collect();
        assert_eq!(found.concat(), text);
        let (last, others) = found.split_last().unwrap();
        assert!(others.len() > 1 && others.iter().all(|piece| piece.ends_with(".\n")));
        assert!(others.iter().all(|piece| !piece.contains("#program")));
        assert!(last.ends_with(&parts));
        assert_eq!(pieces("a.").collect::<Vec<_>>(), ["a."]);
        let mut program = MultiShot::new(&text, None, 1, &GroundLimits::default()).unwrap();
        program.ground("base", None).unwrap();
        program.ground("step", Some(39_999)).unwrap();
        // There is no time for any of it.
        let late = GroundLimits {
            overall: Limits::until(Instant::now()),
            ..GroundLimits::default()
        };
        let stopped = MultiShot::new(&text, None, 1, &late).err();
        assert!(
            matches!(stopped, Some(GroundError::Stopped { .. })),
            "{stopped:?}"
        );
    }

    #[test]
    fn a_program_grows_while_it_is_solved() {
        for threads in [1, 2] {
            let mut walk =
                MultiShot::new(WALK, Some(("at", 2)), threads, &GroundLimits::default()).unwrap();
            walk.ground("base", None).unwrap();
            for time in 1..=5 {
                walk.ground("step", Some(time)).unwrap();
                // As many as there are ways to choose two of `time` steps.
                let ways = (time * (time - 1) / 2) as usize;
                assert_eq!(walks(&mut walk, 2, time), (Searched::NoMore, ways));
                assert_eq!(walks(&mut walk, 4, time), (Searched::NoMore, 0));
                // Away from the places 0 and 1, and no matter where a place is that there is not.
                let away = [0, 1, 7].map(|place| (at(place, time), false));
                let mut found = 0;
                let count = |_: &[Symbol]| {
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
        let mut program =
            MultiShot::new(holes, Some(("in", 2)), 1, &GroundLimits::default()).unwrap();
        program.ground("base", None).unwrap();
        let end = Instant::now() + Duration::from_millis(50);
        let late = || (Instant::now() >= end).then_some(StopReason::Time);
        let stopped = program.search(&[], late, |_| true).unwrap();
        assert_eq!(stopped, Searched::Stopped(StopReason::Time));
        let at_once = || Some(StopReason::Interrupted);
        let stopped = program.search(&[], at_once, |_| true).unwrap();
        assert_eq!(stopped, Searched::Stopped(StopReason::Interrupted));
    }

    #[test]
    fn a_grounding_without_end_is_stopped() {
        // Each step has more rules than are looked at between two checks of the limits.
        let text = "p(0). #program step(t). p(X+1) :- p(X), X < 1000000 + t.";
        // A busy machine gets more time to begin.
        let found = [100, 1_000, 10_000, 100_000].into_iter().find_map(|time| {
            let limits = GroundLimits {
                overall: Limits::until(Instant::now() + Duration::from_millis(time)),
                ..GroundLimits::default()
            };
            let mut program = MultiShot::new(text, None, 1, &limits).ok()?;
            program.ground("base", None).ok()?;
            let stopped = (0..1_000).find_map(|time| program.ground("step", Some(time)).err());
            match stopped {
                Some(GroundError::Stopped { reason, rules, .. }) => {
                    (rules > 1024).then_some(reason)
                }
                other => panic!("{other:?}"),
            }
        });
        assert_eq!(found, Some(StopReason::Time));
    }
}
