//! Programs with variables to answer sets, by clingo's solver, in several shots.
//!
//! [`ground`](super::ground) keeps the rules away from clingo's solver, because the formula routes do
//! not need it. Here it gets them: for questions that *are* answer set programs, such as the base
//! case and the induction step of a proof, or a plan.
//!
//! A [`Solver`] grounds a program, can be given more rules, and is asked for an answer set under
//! assumptions as often as one likes. What it learnt stays between questions. Rules that come later may
//! mention atoms that are there and define new ones; an atom that was there, or that was
//! mentioned and had no rule, stays as it is (this is what clingo calls multi-shot solving).
//!
//! ```
//! use sqasp::ground::{Answer, GroundLimits, Solver};
//!
//! let mut solver = Solver::new("{ a ; b }. c :- a, b.", &GroundLimits::default())?;
//! let c = solver.atom("c").expect("it has a rule");
//! assert!(matches!(solver.solve(&[(c, true)])?, Answer::Model));
//! assert_eq!(solver.is_true("a"), true);
//! solver.extend(":- c.")?;
//! assert!(matches!(solver.solve(&[(c, true)])?, Answer::None));
//! assert!(matches!(solver.solve(&[])?, Answer::Model));
//! # Ok::<(), sqasp::ground::GroundError>(())
//! ```

use super::grounder::{
    CLINGO, Context, GroundError, GroundLimits, Log, Quiet, Shared, check_text, refused_by_clingo,
};
use clingo::{
    ClingoError, GenericControl, GroundProgramObserver, Part, SolveMode, SolveResult,
    SolverLiteral, WeightedLiteral,
};
use formula::StopReason;
use rustc_hash::FxHashMap;
use std::sync::PoisonError;
use std::time::Duration;

/// How long clingo searches before the limits are looked at.
const PERIOD: Duration = Duration::from_millis(5);

/// An atom of the program that may hold or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SolverAtom(usize);

/// What a search came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is an answer set; it can be looked at until the next search.
    Model,
    /// There is none.
    None,
    /// A limit was reached before that was known.
    Stopped(StopReason),
}

/// A program in clingo's solver.
pub struct Solver {
    /// There but while clingo has it.
    control: Option<GenericControl<Context<Watcher>>>,
    watcher: Shared<Watcher>,
    log: Shared<Log>,
    /// The number of parts that were grounded.
    parts: usize,
    /// Atoms by name; none for those that hold anyway.
    atoms: FxHashMap<String, Option<SolverAtom>>,
    literals: Vec<SolverLiteral>,
    /// The last answer set.
    model: Vec<bool>,
}

impl Solver {
    /// Grounds a program in clingo's input language. The deadline and the interrupt of the limits hold
    /// for everything that is asked later as well.
    ///
    /// # Errors
    /// If the text is not a program, or a limit is reached while it is grounded.
    pub fn new(text: &str, limits: &GroundLimits) -> Result<Self, GroundError> {
        let watcher = Shared::new(Watcher {
            limits: limits.clone(),
            ..Watcher::default()
        });
        let log = Shared::new(Log::default());
        let context = Context::new(&watcher, &log, false);
        let arguments = vec!["--warn=none".to_owned()];
        let running = CLINGO.lock().unwrap_or_else(PoisonError::into_inner);
        let control = clingo::control_with_context(arguments, context);
        drop(running);
        let control = control.map_err(|error| refused_by_clingo(&error, &[], 0, 0))?;
        let mut solver = Solver {
            control: Some(control),
            watcher,
            log,
            parts: 0,
            atoms: FxHashMap::default(),
            literals: Vec::new(),
            model: Vec::new(),
        };
        solver.extend(text)?;
        Ok(solver)
    }

    /// Adds rules.
    ///
    /// # Errors
    /// If the text is not a program, or a limit is reached. The solver is of no use any more then.
    pub fn extend(&mut self, text: &str) -> Result<(), GroundError> {
        check_text(text)?;
        let _running = CLINGO.lock().unwrap_or_else(PoisonError::into_inner);
        let control = self.control.as_mut().expect("clingo gave it back");
        let name = format!("part_{}", self.parts);
        let outcome = control
            .add(&name, &[], text)
            .and_then(|()| Part::new(&name, Vec::new()))
            .and_then(|part| control.ground(&[part]));
        self.parts += 1;
        if let Some(reason) = self.watcher.with(|watcher| watcher.stopped) {
            return Err(GroundError::Stopped {
                reason,
                rules: self.watcher.with(|watcher| watcher.rules),
                atoms: self.literals.len(),
            });
        }
        outcome
            .and_then(|()| self.read_atoms())
            .map_err(|error| self.refused(&error))
    }

    /// The atom with this name; `None` if it holds in every answer set or in none. Names are written as
    /// clingo writes them, without spaces.
    pub fn atom(&self, name: &str) -> Option<SolverAtom> {
        self.atoms.get(name).copied().flatten()
    }

    /// Whether the atom with this name holds in every answer set, as far as grounding tells.
    pub fn is_fact(&self, name: &str) -> bool {
        matches!(self.atoms.get(name), Some(None))
    }

    /// The names of all atoms that hold in some answer set, as far as grounding tells.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.atoms.keys().map(String::as_str)
    }

    /// Searches for an answer set in which these atoms have these values.
    ///
    /// # Errors
    /// If clingo fails, as when there is no memory left.
    pub fn solve(&mut self, assumptions: &[(SolverAtom, bool)]) -> Result<Answer, GroundError> {
        if let Some(reason) = self.watcher.with(|watcher| watcher.limits.reached()) {
            return Ok(Answer::Stopped(reason));
        }
        let assumptions: Vec<SolverLiteral> = assumptions
            .iter()
            .map(|&(atom, value)| {
                let literal = self.literals[atom.0];
                if value { literal } else { literal.negate() }
            })
            .collect();
        let running = CLINGO.lock().unwrap_or_else(PoisonError::into_inner);
        let control = self.control.take().expect("clingo gave it back");
        let answer = self.search(control, &assumptions);
        drop(running);
        answer.map_err(|error| self.refused(&error))
    }

    fn search(
        &mut self,
        control: GenericControl<Context<Watcher>>,
        assumptions: &[SolverLiteral],
    ) -> Result<Answer, ClingoError> {
        let mut search = control.solve(SolveMode::ASYNC | SolveMode::YIELD, assumptions)?;
        let stopped = loop {
            if search.wait(PERIOD) {
                break None;
            }
            if let Some(reason) = self.watcher.with(|watcher| watcher.limits.reached()) {
                search.cancel()?;
                break Some(reason);
            }
        };
        let answer = match stopped {
            Some(reason) => Answer::Stopped(reason),
            None if search.get()?.contains(SolveResult::UNSATISFIABLE) => Answer::None,
            None => match search.model()? {
                Some(model) => {
                    let values = self.literals.iter().map(|&literal| model.is_true(literal));
                    self.model = values.collect::<Result<_, _>>()?;
                    Answer::Model
                }
                None => Answer::Stopped(StopReason::Interrupted),
            },
        };
        self.control = Some(search.close()?);
        Ok(answer)
    }

    /// Whether the atom with this name holds in the answer set found last. Atoms that came later do not.
    pub fn is_true(&self, name: &str) -> bool {
        match self.atoms.get(name) {
            None => false,
            Some(None) => true,
            Some(Some(atom)) => self.holds(*atom),
        }
    }

    /// Whether the atom holds in the answer set found last. Atoms that came later do not.
    pub fn holds(&self, atom: SolverAtom) -> bool {
        self.model.get(atom.0).copied().unwrap_or(false)
    }

    /// Takes note of the atoms that are new.
    fn read_atoms(&mut self) -> Result<(), ClingoError> {
        let control = self.control.as_ref().expect("clingo gave it back");
        for atom in control.symbolic_atoms()?.iter()? {
            let name = atom.symbol()?.to_string();
            if self.atoms.contains_key(&name) {
                continue;
            }
            let number = if atom.is_fact()? {
                None
            } else {
                self.literals.push(atom.literal()?);
                Some(SolverAtom(self.literals.len() - 1))
            };
            self.atoms.insert(name, number);
        }
        Ok(())
    }

    fn refused(&self, error: &ClingoError) -> GroundError {
        let messages = self.log.with(|log| log.messages.clone());
        let rules = self.watcher.with(|watcher| watcher.rules);
        refused_by_clingo(error, &messages, rules, self.literals.len())
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        let _running = CLINGO.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(control) = self.control.take() {
            // As in `ground`: only then it is freed.
            drop(control.register_control_context(Quiet::default()));
        }
    }
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
    use formula::Interrupt;
    use std::time::Instant;

    #[test]
    fn rules_come_later_and_what_was_assumed_is_forgotten() {
        let limits = GroundLimits::default();
        let mut solver = Solver::new("p(1..3). { q(X) : p(X) } = 1.", &limits).unwrap();
        assert!(solver.is_fact("p(2)") && solver.atom("p(2)").is_none());
        let q = |solver: &Solver, n: u32| solver.atom(&format!("q({n})")).unwrap();
        let (first, second) = (q(&solver, 1), q(&solver, 2));
        assert_eq!(solver.solve(&[(second, true)]), Ok(Answer::Model));
        assert!(solver.holds(second) && !solver.is_true("q(1)") && solver.is_true("p(3)"));
        assert_eq!(
            solver.solve(&[(first, true), (second, true)]),
            Ok(Answer::None)
        );
        solver
            .extend("r :- q(1). r :- q(2). :- q(1). s(X) :- q(X), X > 2.")
            .unwrap();
        let r = solver.atom("r").unwrap();
        assert_eq!(solver.solve(&[(r, true)]), Ok(Answer::Model));
        assert!(solver.is_true("q(2)") && !solver.is_true("s(3)"));
        assert_eq!(solver.solve(&[(r, false)]), Ok(Answer::Model));
        assert!(solver.is_true("s(3)"));
        assert_eq!(
            solver.solve(&[(r, false), (second, true)]),
            Ok(Answer::None)
        );
    }

    #[test]
    fn limits_hold_for_grounding_and_for_search() {
        let rules = GroundLimits {
            rules: Some(1000),
            ..GroundLimits::default()
        };
        assert!(matches!(
            Solver::new("p(0). p(X+1) :- p(X).", &rules).err(),
            Some(GroundError::Stopped {
                reason: StopReason::Memory,
                ..
            })
        ));
        // Pigeons in too few holes keep every such solver busy.
        let pigeons = "{ in(P,H) : H = 1..13 } = 1 :- P = 1..14. :- in(P,H), in(Q,H), P < Q.";
        let limits = GroundLimits {
            deadline: Some(Instant::now() + Duration::from_millis(300)),
            ..GroundLimits::default()
        };
        let mut solver = Solver::new(pigeons, &limits).unwrap();
        assert_eq!(solver.solve(&[]), Ok(Answer::Stopped(StopReason::Time)));
        let interrupt = Interrupt::default();
        let limits = GroundLimits {
            interrupt: interrupt.clone(),
            ..GroundLimits::default()
        };
        let mut solver = Solver::new(pigeons, &limits).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                interrupt.raise();
            });
            assert_eq!(
                solver.solve(&[]),
                Ok(Answer::Stopped(StopReason::Interrupted))
            );
        });
    }

    #[test]
    fn what_clingo_cannot_read_is_refused() {
        let limits = GroundLimits::default();
        let Some(GroundError::Rejected(message)) = Solver::new("q(X) :- not p(X).", &limits).err()
        else {
            panic!("unsafe rules are refused");
        };
        assert!(message.contains("unsafe"), "{message}");
        let mut solver = Solver::new("a.", &limits).unwrap();
        assert!(solver.extend("b :- ").is_err());
    }
}
