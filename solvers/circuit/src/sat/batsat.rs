//! The incremental satisfiability solver: the crate `batsat`, a port of MiniSat.

use crate::Literal;
use crate::sat::observer::{Observer, observer};
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};

/// MiniSat in Rust. The data that it borrows for its callback lives for `'a`.
pub struct BatSat<'a> {
    solver: Solver<Callback<'a>>,
    /// Memory that is used again for each new clause.
    clause: Vec<Lit>,
}

/// Questions and news of the solver while it works.
struct Callback<'a> {
    stop: Box<dyn Fn() -> bool + 'a>,
    observer: Option<Box<dyn Observer>>,
}

impl Callbacks for Callback<'_> {
    fn stop(&self) -> bool {
        if let Some(observer) = &self.observer {
            observer.wait();
        }
        (self.stop)()
    }

    fn on_new_clause(&mut self, clause: &[Lit], _: ClauseKind) {
        if let Some(observer) = &mut self.observer {
            let clause: Vec<Literal> = clause.iter().map(|&lit| literal(lit)).collect();
            observer.learn(&clause);
        }
    }
}

impl BatSat<'_> {
    pub fn new() -> Self {
        BatSat::with(SolverOpts::default())
    }

    /// Learned clauses are minimized locally, not recursively. Where thousands of literals follow from one,
    /// recursive minimization costs more than it saves.
    pub fn with_long_clauses() -> Self {
        BatSat::with(SolverOpts {
            ccmin_mode: 1,
            ..SolverOpts::default()
        })
    }

    fn with(options: SolverOpts) -> Self {
        let asked = Callback {
            stop: Box::new(|| false),
            observer: observer(),
        };
        BatSat {
            solver: Solver::new(options, asked),
            clause: Vec::new(),
        }
    }
}

impl Default for BatSat<'_> {
    fn default() -> Self {
        BatSat::new()
    }
}

/// The literal as batsat has it.
fn lit(literal: Literal) -> Lit {
    let variable = Var::unsafe_from_idx(literal.node() as u32);
    Lit::new(variable, !literal.is_negated())
}

/// The literal of batsat as we have it.
fn literal(lit: Lit) -> Literal {
    Literal::new(lit.var().idx() as usize).negated_if(!lit.sign())
}

impl<'a> BatSat<'a> {
    /// A literal of a new variable.
    pub fn new_literal(&mut self) -> Literal {
        Literal::new(self.solver.new_var_default().idx() as usize)
    }

    /// The same, which the solver tries with this value first.
    pub fn new_literal_near(&mut self, usual: bool) -> Literal {
        Literal::new(self.solver.new_var(lbool::new(usual), true).idx() as usize)
    }

    /// From now on one of these is true.
    pub fn require(&mut self, clause: &[Literal]) {
        if let Some(observer) = &mut self.solver.cb_mut().observer {
            observer.require(clause);
        }
        self.clause.clear();
        self.clause
            .extend(clause.iter().map(|&literal| lit(literal)));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// Whether all clauses and these literals can be true together; `None` if it was stopped.
    pub fn solve(&mut self, assumptions: &[Literal]) -> Option<bool> {
        let assumed: Vec<Lit> = assumptions.iter().map(|&literal| lit(literal)).collect();
        let answer = self.solver.solve_limited(&assumed);
        if answer == lbool::TRUE {
            Some(true)
        } else if answer == lbool::FALSE {
            if let Some(observer) = &mut self.solver.cb_mut().observer {
                observer.refute(assumptions);
            }
            Some(false)
        } else {
            None
        }
    }

    /// Whether a literal is true in the model that was found last.
    pub fn is_true(&self, literal: Literal) -> bool {
        self.solver.value_lit(lit(literal)) == lbool::TRUE
    }

    /// Whether this assumption was needed to show, by the last call, that there is no model.
    pub fn has_failed(&self, assumption: Literal) -> bool {
        self.solver.unsat_core_contains_var(lit(assumption).var())
    }

    /// Stops solving when this says so; it is asked often.
    pub fn stop_when(&mut self, stop: Box<dyn Fn() -> bool + 'a>) {
        self.solver.cb_mut().stop = stop;
    }
}
