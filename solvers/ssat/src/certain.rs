//! Certain wins: a choice of the maximizer, before all others, that wins whatever they do. Then the value is 1.
//!
//! Candidates are found by counterexamples (CEGIS, counterexample-guided inductive synthesis). A *scenario* is one value for each variable of chance and of the
//! opponent. A *proposer* finds a choice that wins in all scenarios known so far: one copy of the clauses for each, which share the
//! first block. A *refuter* finds a scenario in which that choice loses. If there is none, it wins for certain. If there is no
//! choice, the value is less than 1.
//!
//! ```text
//! e 1 2, r 3 4, e 5:    proposed: 1 -2     it loses with 3 -4, and all choices that win there have 2
//!                       proposed: 1 2      no scenario in which it loses: value 1
//! ```
//!
//! The refuter has the *circuit* of defined variables (`defined`): with the values of the choice and the scenario, they have one value each
//! with which the clauses can be true. A choice loses if some clause is false then. Other existential variables stand after
//! all scenarios; so there is a *judge*, which searches for values of them. If it finds some, the part of the scenario that they need is won, and the refuter must
//! find another one.
//!
//! Few scenarios are often enough, where a search would go through all choices, and count for each.
//!
//! If no choice wins in all scenarios that were found, the last of these is left out, as are later ones with which there would be no choice. The refuter
//! finds likely scenarios first. So choices become good ones. Each turn makes the last choice the known model, so the turn in which the maximizer
//! is fixed to it (`anytime`) counts its value: a lower bound.

use crate::defined::DecisionOrder;
use crate::options::Options;
use crate::policy::MOST_LEFT_OUT;
use circuit::Literal;
use circuit::sat::BatSat;
use formula::preprocess::{Problem, VariableDefinition};
use formula::{BigRational, Lit, Probability, Quantifier, Var};
use limits::Limits;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

/// Steps of satisfiability solvers that each turn may take in any case, and those between two checks of the clock.
const LEAST_STEPS: u64 = 1024;
const STEPS_PER_CHECK: u64 = 16;

/// Bytes that a copy of the clauses takes for each literal and for each variable.
pub const LITERAL_BYTES: usize = 40;
pub const VARIABLE_BYTES: usize = 160;

/// The search for a certain win, which goes on from turn to turn.
#[derive(Default)]
pub struct CertainWin {
    pub duel: Option<Duel>,
    /// The last choice that is not the model of the search yet, as values of all variables; else nothing.
    pub choice: Vec<bool>,
    /// Memory taken for copies of the clauses.
    pub taken: u64,
}

/// The end of a step.
pub enum Step {
    /// A scenario was learned.
    Learned,
    /// The present choice wins for certain.
    Won,
    /// No choice does, or that cannot be found out here.
    NotWon,
    /// The turn is over.
    Stopped,
}

/// The end of a turn that several solvers share.
pub struct Turn {
    steps: Cell<u64>,
    end: Cell<Instant>,
    is_over: Cell<bool>,
}

impl Turn {
    pub fn begin(&self, end: Instant) {
        self.steps.set(0);
        self.end.set(end);
        self.is_over.set(false);
    }

    /// Takes a step; whether the turn is over. Then it stays so, because solvers ask more than once.
    fn step(&self, limits: &Limits) -> bool {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() >= LEAST_STEPS && self.steps.get().is_multiple_of(STEPS_PER_CHECK) {
            let is_late = Instant::now() >= self.end.get() || limits.check().is_err();
            self.is_over.set(self.is_over.get() || is_late);
        }
        self.is_over.get()
    }
}

/// A copy of the variables in a solver.
#[derive(Clone)]
struct Copy(Vec<Literal>);

impl Copy {
    fn of(&self, literal: Lit) -> Literal {
        self.0[literal.var().index()].negated_if(literal.is_negative())
    }

    /// The true ones of the literals of these variables, in the last model.
    fn values(&self, solver: &BatSat<'_>, variables: &[Var]) -> Vec<Lit> {
        let is_true = |one: &Var| solver.is_true(self.of(one.positive()));
        let values = variables.iter().map(|one| one.literal(is_true(one)));
        values.collect()
    }
}

/// Proposer, refuter and judge.
pub struct Duel {
    problem: Problem,
    pub turn: Rc<Turn>,
    /// The variables of the choice and of the scenario.
    choice: Vec<Var>,
    scenario: Vec<Var>,
    proposer: (BatSat<'static>, Copy),
    refuter: (BatSat<'static>, Copy),
    /// Only if some variables have no definition.
    judge: Option<(BatSat<'static>, Copy)>,
    scenes: Vec<Scene>,
    /// How many scenarios are left out; if there are any, no choice wins for certain.
    left_out: u32,
    /// The last choice, with what follows it in the last scenario.
    pub model: Vec<bool>,
}

/// A scenario in which the choice is to win.
struct Scene {
    /// Makes the clauses of the copy count.
    counts: Literal,
    copy: Copy,
    scenario: Vec<Lit>,
}

impl Duel {
    /// Nothing if the prefix has no such question.
    pub fn new(problem: Problem, limits: &Limits) -> Option<Self> {
        let occurring = problem.occurring();
        let all = (0..problem.variables()).map(Var::new);
        let all = all.filter(|one| occurring[one.index()]);
        let (ours, scenario): (Vec<Var>, Vec<Var>) =
            all.partition(|&one| problem.quantifier(one) == Quantifier::Exists);
        let level = |variable: &Var| problem.levels[variable.index()];
        let last = scenario.iter().map(level).max()?;
        let first = ours.iter().chain(&scenario).map(level).min()?;
        let (choice, later): (Vec<Var>, Vec<Var>) = ours
            .into_iter()
            .partition(|variable| level(variable) == first);
        let decisions = DecisionOrder::find(&problem, &Options::default());
        if decisions.refuted.is_some() {
            return None;
        }
        let definitions = decisions.definitions;
        let mut is_defined = vec![false; problem.variables()];
        for definition in &definitions {
            is_defined[definition.literal.var().index()] = true;
        }
        let mut open = later
            .iter()
            .filter(|variable| !is_defined[variable.index()]);
        let has_open = open.clone().next().is_some();
        if choice.is_empty() || open.any(|variable| level(variable) < last) {
            return None;
        }
        let turn = Rc::new(Turn {
            steps: Cell::new(0),
            end: Cell::new(Instant::now()),
            is_over: Cell::new(false),
        });
        let with_copy = || {
            let mut solver = BatSat::new();
            let likely = |chance: &Option<Probability>| {
                let half = BigRational::new(1.into(), 2.into());
                chance.as_ref().is_some_and(|one| *one.as_rational() > half)
            };
            let chances = problem.chances.iter();
            let copy = chances.map(|chance| solver.new_literal_near(likely(chance)));
            let copy = Copy(copy.collect());
            let (turn, limits) = (Rc::clone(&turn), limits.clone());
            solver.stop_when(Box::new(move || turn.step(&limits)));
            (solver, copy)
        };
        let (proposer, refuter) = (with_copy(), with_copy());
        let judge = has_open.then(with_copy);
        let mut duel = Duel {
            problem,
            turn,
            choice,
            scenario,
            proposer,
            refuter,
            judge,
            scenes: Vec::new(),
            left_out: 0,
            model: Vec::new(),
        };
        if let Some((judge, copy)) = &mut duel.judge {
            for clause in duel.problem.clauses.iter() {
                let clause: Vec<Literal> = clause.iter().map(|&one| copy.of(one)).collect();
                judge.require(&clause);
            }
        }
        duel.make_refuter(&definitions);
        Some(duel)
    }

    /// Gives the refuter the clauses that variables have the values that their definitions say, and that some clause is false.
    fn make_refuter(&mut self, definitions: &[VariableDefinition]) {
        let problem = &self.problem;
        let (refuter, copy) = &mut self.refuter;
        // A literal that says that all these are false.
        let all_false = |refuter: &mut BatSat<'_>, literals: &[Literal]| match *literals {
            [literal] => !literal,
            _ => {
                let all = refuter.new_literal();
                for &literal in literals {
                    refuter.require(&[!all, !literal]);
                }
                all
            }
        };
        // The definition of a literal, by its code, and whether a clause is part of one.
        let mut defined: Vec<&[u32]> = vec![&[]; 2 * problem.variables()];
        let mut is_part = vec![false; problem.clauses.len()];
        for VariableDefinition {
            literal, clauses, ..
        } in definitions
        {
            defined[literal.code()] = clauses;
            let mut reasons = vec![!copy.of(*literal)];
            for &clause in clauses {
                is_part[clause as usize] = true;
                let others = problem.clauses.get(clause as usize).iter();
                let others = others.filter(|other| *other != literal);
                let mut others: Vec<Literal> = others.map(|&other| copy.of(other)).collect();
                reasons.push(all_false(refuter, &others));
                others.push(copy.of(*literal));
                refuter.require(&others);
            }
            refuter.require(&reasons);
        }
        let mut some_false = Vec::new();
        for (index, clause) in problem.clauses.iter().enumerate() {
            // If this literal is false, some clause of its definition has no other true literal. If the negation of one of those is here,
            // whichever clause it is, this clause is true.
            let holds = |&literal: &Lit| {
                let parts = defined[(!literal).code()];
                let meets = |&part: &u32| {
                    let mut others = problem.clauses.get(part as usize).iter();
                    others.any(|&other| other != !literal && clause.contains(&!other))
                };
                !parts.is_empty() && parts.iter().all(meets)
            };
            if !is_part[index] && !clause.iter().any(holds) {
                let clause: Vec<Literal> = clause.iter().map(|&one| copy.of(one)).collect();
                some_false.push(all_false(refuter, &clause));
            }
        }
        refuter.require(&some_false);
    }

    /// Proposes a choice, and learns a scenario in which it loses.
    pub fn step(&mut self) -> Step {
        let (proposer, copy) = &mut self.proposer;
        let assumed: Vec<Literal> = self.scenes.iter().map(|scene| scene.counts).collect();
        match proposer.solve(&assumed) {
            None => return Step::Stopped,
            Some(true) => {}
            Some(false) => {
                // Without the last scenario there is one.
                self.left_out += 1;
                return match self.scenes.pop() {
                    Some(Scene { counts, .. }) if self.left_out <= MOST_LEFT_OUT => {
                        proposer.require(&[!counts]);
                        Step::Learned
                    }
                    _ => Step::NotWon,
                };
            }
        }
        let choice = copy.values(proposer, &self.choice);
        if let Some(scene) = self.scenes.last() {
            let names = scene.copy.0.iter();
            self.model = names.map(|&one| proposer.is_true(one)).collect();
            for literal in &scene.scenario {
                self.model[literal.var().index()] = !literal.is_negative();
            }
        }
        match self.refute(&choice) {
            None => Step::Stopped,
            Some(None) if self.left_out > 0 => Step::NotWon,
            Some(None) => Step::Won,
            Some(Some(scenario)) => {
                self.learn(scenario);
                Step::Learned
            }
        }
    }

    /// A scenario in which a choice loses, if there is one; nothing at the end of the turn.
    fn refute(&mut self, choice: &[Lit]) -> Option<Option<Vec<Lit>>> {
        let (refuter, copy) = &mut self.refuter;
        // Scenarios that are won are excluded for this choice only.
        let excludes = refuter.new_literal();
        let chosen = choice.iter().map(|&literal| copy.of(literal));
        let assumed: Vec<Literal> = chosen.chain([excludes]).collect();
        while refuter.solve(&assumed)? {
            let scenario = copy.values(refuter, &self.scenario);
            let Some((judge, judged)) = &mut self.judge else {
                return Some(Some(scenario));
            };
            let all = choice.iter().chain(&scenario);
            let all: Vec<Literal> = all.map(|&literal| judged.of(literal)).collect();
            if !judge.solve(&all)? {
                return Some(Some(scenario));
            }
            let mut needed: Vec<Lit> = Vec::new();
            let mut is_needed = vec![false; 2 * self.problem.variables()];
            for clause in self.problem.clauses.iter() {
                let is_true = |literal: &&Lit| judge.is_true(judged.of(**literal));
                let is_ours = |one: &Lit| self.problem.quantifier(one.var()) == Quantifier::Exists;
                let mut helpers = clause.iter().filter(is_true);
                if !helpers
                    .clone()
                    .any(|one| is_ours(one) || is_needed[one.code()])
                    && let Some(&first) = helpers.next()
                {
                    is_needed[first.code()] = true;
                    needed.push(first);
                }
            }
            let mut excluded: Vec<Literal> = needed.iter().map(|&one| copy.of(!one)).collect();
            excluded.push(!excludes);
            refuter.require(&excluded);
        }
        Some(None)
    }

    /// From now on only choices that win in this scenario are proposed.
    fn learn(&mut self, scenario: Vec<Lit>) {
        if self.left_out > 0 {
            // Perhaps no choice wins in it, and then it would be found again.
            let (refuter, names) = &mut self.refuter;
            let other: Vec<Literal> = scenario.iter().map(|&one| names.of(!one)).collect();
            refuter.require(&other);
        }
        let (proposer, shared) = &mut self.proposer;
        let mut values = vec![None; self.problem.variables()];
        for literal in &scenario {
            values[literal.var().index()] = Some(!literal.is_negative());
        }
        let mut copy = shared.clone();
        for (variable, name) in copy.0.iter_mut().enumerate() {
            let variable = Var::new(variable);
            if values[variable.index()].is_none() && self.choice.binary_search(&variable).is_err() {
                *name = proposer.new_literal();
            }
        }
        let counts = proposer.new_literal();
        let value = |literal: &Lit| values[literal.var().index()].map(|one| literal.holds(one));
        for clause in self.problem.clauses.iter() {
            if !clause.iter().any(|literal| value(literal) == Some(true)) {
                let open = clause.iter().filter(|literal| value(literal).is_none());
                let open = open.map(|&literal| copy.of(literal)).chain([!counts]);
                proposer.require(&open.collect::<Vec<Literal>>());
            }
        }
        self.scenes.push(Scene {
            counts,
            copy,
            scenario,
        });
    }
}
