//! Answer sets of a program that is asked again and again, looked at atom by atom.
//!
//! [`ground`](super::ground) keeps the rules away from clingo's solver, because the formula routes do
//! not need it. Here it gets them: for questions that *are* answer set programs, such as the base
//! case and the induction step of a proof.
//!
//! A [`AspSolver`] grounds a program, can be given more rules, and is asked for an answer set under
//! assumptions as often as one likes. Below it is [`MultiShot`]; here every atom has a number and keeps
//! its value in the last answer set, so that questions need no names.
//!
//! ```
//! use sqasp_logic::ground::{AspAnswer, GroundLimits, AspSolver};
//!
//! let mut solver = AspSolver::new("{ a ; b }. c :- a, b.", &GroundLimits::default())?;
//! let c = solver.atom(&"c".into()).expect("it has a rule");
//! assert!(matches!(solver.solve(&[(c, true)])?, AspAnswer::Model));
//! assert_eq!(solver.is_true(&"a".into()), true);
//! solver.extend(":- c.")?;
//! assert!(matches!(solver.solve(&[(c, true)])?, AspAnswer::None));
//! assert!(matches!(solver.solve(&[])?, AspAnswer::Model));
//! # Ok::<(), sqasp_logic::ground::GroundError>(())
//! ```

use super::grounder::{GroundError, GroundLimits};
use super::multishot::{MultiShot, Searched};
use super::scan::scan;
use clingo::{Model, SolverLiteral};
use limits::{Limits, StopReason};
use lp2sat::Symbol;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An atom of the program that may hold or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SolverAtom(usize);

/// The answer of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AspAnswer {
    /// There is an answer set; it can be looked at until the next search.
    Model,
    None,
    /// A limit was reached before that was known.
    Stopped(StopReason),
}

/// A program in clingo's solver.
pub struct AspSolver {
    program: MultiShot,
    /// The number of parts that were added later.
    parts: usize,
    /// Atoms by name; none for those that hold anyway.
    atoms: FxHashMap<Symbol, Option<SolverAtom>>,
    literals: Arc<Vec<SolverLiteral>>,
    /// The last answer set.
    model: Vec<bool>,
}

impl AspSolver {
    /// Grounds a program in clingo's input language. The deadline and the interrupt of the limits hold
    /// for everything that is asked later as well.
    pub fn new(text: &str, limits: &GroundLimits) -> Result<Self, GroundError> {
        scan(text, &limits.overall)?;
        let mut solver = AspSolver {
            program: MultiShot::new(text, None, 1, limits)?,
            parts: 0,
            atoms: FxHashMap::default(),
            literals: Arc::default(),
            model: Vec::new(),
        };
        solver.ground("base")?;
        Ok(solver)
    }

    /// Adds rules.
    ///
    /// # Errors
    /// If the text is not a program, or a limit is reached. The solver is of no use any more then.
    pub fn extend(&mut self, text: &str) -> Result<(), GroundError> {
        scan(text, self.limits())?;
        self.parts += 1;
        let part = format!("part_{}", self.parts);
        self.program.add(&part, text)?;
        self.ground(&part)
    }

    /// When work ends.
    pub fn limits(&self) -> &Limits {
        &self.program.limits().overall
    }

    /// Grounds a part and takes note of the atoms that are new.
    fn ground(&mut self, part: &str) -> Result<(), GroundError> {
        self.program.ground(part, None)?;
        let literals = Arc::make_mut(&mut self.literals);
        for (name, literal) in self.program.atoms()? {
            self.atoms.entry(name).or_insert_with(|| {
                literals.push(literal?);
                Some(SolverAtom(literals.len() - 1))
            });
        }
        Ok(())
    }

    /// The atom with this name; `None` if it holds in every answer set or in none.
    pub fn atom(&self, name: &Symbol) -> Option<SolverAtom> {
        self.atoms.get(name).copied().flatten()
    }

    /// Whether the atom with this name holds in every answer set, as far as grounding tells.
    pub fn is_fact(&self, name: &Symbol) -> bool {
        matches!(self.atoms.get(name), Some(None))
    }

    /// Searches for an answer set in which these atoms have these values.
    pub fn solve(&mut self, assumptions: &[(SolverAtom, bool)]) -> Result<AspAnswer, GroundError> {
        let AspSolver {
            program,
            literals,
            model,
            ..
        } = self;
        let assumptions: Vec<SolverLiteral> = assumptions
            .iter()
            .map(|&(atom, value)| {
                if value {
                    literals[atom.0]
                } else {
                    literals[atom.0].negate()
                }
            })
            .collect();
        let limits = program.limits().clone();
        let literals = Arc::clone(literals);
        let values = move |model: &Model| {
            let values = literals.iter().map(|&literal| model.is_true(literal));
            values.collect::<Result<Vec<bool>, _>>()
        };
        let searched = program.run(
            move |_| Ok(Some(assumptions)),
            || limits.reached(),
            values,
            |values| {
                *model = values;
                false
            },
        )?;
        Ok(match searched {
            Searched::Enough => AspAnswer::Model,
            Searched::NoMore => AspAnswer::None,
            Searched::Stopped(reason) => AspAnswer::Stopped(reason),
        })
    }

    /// Whether the atom with this name holds in the answer set found last. Atoms that came later do not.
    pub fn is_true(&self, name: &Symbol) -> bool {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use limits::Limits;
    use std::time::{Duration, Instant};

    fn of(predicate: &str, number: i32) -> Symbol {
        Symbol::function(predicate, [Symbol::number(number)])
    }

    #[test]
    fn rules_come_later_and_what_was_assumed_is_forgotten() {
        let limits = GroundLimits::default();
        let mut solver = AspSolver::new("p(1..3). { q(X) : p(X) } = 1.", &limits).unwrap();
        assert!(solver.is_fact(&of("p", 2)) && solver.atom(&of("p", 2)).is_none());
        let q = |solver: &AspSolver, n| solver.atom(&of("q", n)).unwrap();
        let (first, second) = (q(&solver, 1), q(&solver, 2));
        assert_eq!(solver.solve(&[(second, true)]), Ok(AspAnswer::Model));
        assert!(
            solver.holds(second) && !solver.is_true(&of("q", 1)) && solver.is_true(&of("p", 3))
        );
        assert_eq!(
            solver.solve(&[(first, true), (second, true)]),
            Ok(AspAnswer::None)
        );
        solver
            .extend("r :- q(1). r :- q(2). :- q(1). s(X) :- q(X), X > 2.")
            .unwrap();
        let r = solver.atom(&"r".into()).unwrap();
        assert_eq!(solver.solve(&[(r, true)]), Ok(AspAnswer::Model));
        assert!(solver.is_true(&of("q", 2)) && !solver.is_true(&of("s", 3)));
        assert_eq!(solver.solve(&[(r, false)]), Ok(AspAnswer::Model));
        assert!(solver.is_true(&of("s", 3)));
        assert_eq!(
            solver.solve(&[(r, false), (second, true)]),
            Ok(AspAnswer::None)
        );
    }

    #[test]
    fn limits_hold_for_grounding_and_for_search() {
        let rules = GroundLimits {
            rules: Some(1000),
            ..GroundLimits::default()
        };
        assert!(matches!(
            AspSolver::new("p(0). p(X+1) :- p(X).", &rules).err(),
            Some(GroundError::Stopped {
                reason: StopReason::Memory,
                ..
            })
        ));
        // Pigeons in too few holes keep every such solver busy.
        let pigeons = "{ in(P,H) : H = 1..13 } = 1 :- P = 1..14. :- in(P,H), in(Q,H), P < Q.";
        let limits = GroundLimits {
            overall: Limits::until(Instant::now() + Duration::from_millis(300)),
            ..GroundLimits::default()
        };
        let mut solver = AspSolver::new(pigeons, &limits).unwrap();
        assert_eq!(solver.solve(&[]), Ok(AspAnswer::Stopped(StopReason::Time)));
        let limits = GroundLimits::default();
        let mut solver = AspSolver::new(pigeons, &limits).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                limits.overall.interrupt.raise();
            });
            assert_eq!(
                solver.solve(&[]),
                Ok(AspAnswer::Stopped(StopReason::Interrupted))
            );
        });
    }

    #[test]
    fn what_clingo_cannot_read_is_refused() {
        let limits = GroundLimits::default();
        let Some(GroundError::Rejected(message)) =
            AspSolver::new("q(X) :- not p(X).", &limits).err()
        else {
            panic!("unsafe rules are refused");
        };
        assert!(message.contains("unsafe"), "{message}");
        let mut solver = AspSolver::new("a.", &limits).unwrap();
        assert!(solver.extend("b :- ").is_err());
    }
}
