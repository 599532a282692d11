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
//! all scenarios; so there is a *judge*, which looks for values of them. If it finds some, the part of the scenario that they need (`minterm` has
//! more about that) is won, and the refuter must find another one.
//!
//! Few scenarios are often enough, where a search would go through all choices, and count for each.

use crate::defined::DecisionOrder;
use crate::frame::Bounds;
use crate::options::Options;
use crate::search::Search;
use circuit_sat::{BatSat, SatLiteral, SatSolver};
use formula::{Lit, Quantifier, Var};
use limits::Limits;
use preprocess::Problem;
use std::cell::Cell;
use value::Numerator;

/// About as much work of the search as a step of a satisfiability solver.
const WORK_PER_STEP: u64 = 64;

/// Steps between two looks at the limits.
const STEPS_PER_LOOK: u64 = 256;

/// Bytes that a copy takes for each literal and for each variable.
const LITERAL_BYTES: usize = 40;
const VARIABLE_BYTES: usize = 160;

/// The answer to the question whether there is a certain win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Won,
    /// No choice wins for certain, or it cannot be found out here.
    NotWon,
    /// The limit was reached.
    Unknown,
}

impl<N: Numerator> Search<'_, '_, N> {
    /// Looks for a certain win with this much work; the value is 1 if there is one. Says whether no more work is to be spent. Nothing may
    /// be assigned.
    pub(super) fn find_certain_win(&mut self, work: u64) -> bool {
        let problem = self.given();
        let literals = problem.clauses.literal_count();
        let copy = (LITERAL_BYTES * literals + VARIABLE_BYTES * problem.variables()) as u64;
        self.watch.join(&self.team.stop);
        let limits = self.watch.limits().clone();
        let steps = Cell::new(work / WORK_PER_STEP);
        // The refuter and the judge have a copy each.
        let mut taken = 0;
        let mut has_room = || {
            let copies = if taken == 0 { 3 } else { 1 };
            let is_taken = self.watch.take_memory(copies * copy).is_ok();
            taken += if is_taken { copies * copy } else { 0 };
            is_taken
        };
        let verdict = match Duel::new(&problem, &steps, &limits) {
            Some(mut duel) => duel.decide(&mut has_room),
            None => Verdict::NotWon,
        };
        self.watch.give_memory_back(taken);
        if verdict == Verdict::Won {
            let one = self.anytime.known.upper.clone();
            self.anytime.known.narrow(&Bounds::exactly(one));
        }
        verdict != Verdict::Unknown
    }
}

/// A copy of the variables in a solver.
struct Copy(Vec<SatLiteral>);

impl Copy {
    fn new(variables: usize, solver: &mut BatSat<'_>) -> Self {
        Copy((0..variables).map(|_| solver.new_literal()).collect())
    }

    fn of(&self, literal: Lit) -> SatLiteral {
        self.0[literal.var().index()].negated_if(literal.is_negative())
    }
}

/// Proposer, refuter and judge.
struct Duel<'a> {
    problem: &'a Problem,
    steps: &'a Cell<u64>,
    /// The variables of the choice and of the scenario.
    choice: Vec<Var>,
    scenario: Vec<Var>,
    proposer: (BatSat<'a>, Copy),
    refuter: (BatSat<'a>, Copy),
    /// Only if some variables have no definition.
    judge: Option<(BatSat<'a>, Copy)>,
}

impl<'a> Duel<'a> {
    /// Nothing if the prefix has no such question.
    fn new(problem: &'a Problem, steps: &'a Cell<u64>, limits: &'a Limits) -> Option<Self> {
        let occurring = problem.occurring();
        let all = (0..problem.variables()).map(Var::new);
        let all: Vec<Var> = all.filter(|one| occurring[one.index()]).collect();
        let level = |variable: Var| problem.levels[variable.index()];
        let first = all.iter().copied().map(level).min()?;
        let is_ours = |variable: Var| problem.quantifier(variable) == Quantifier::Exists;
        let choice = all.iter().copied();
        let choice = choice.filter(|&one| level(one) == first && is_ours(one));
        let choice: Vec<Var> = choice.collect();
        let scenario: Vec<Var> = all.iter().copied().filter(|&one| !is_ours(one)).collect();
        let last = scenario.iter().copied().map(level).max()?;
        let definitions = DecisionOrder::find(problem, &Options::default()).definitions;
        let mut is_known = vec![false; problem.variables()];
        let known = choice.iter().copied();
        for variable in known.chain(definitions.iter().map(|one| one.literal.var())) {
            is_known[variable.index()] = true;
        }
        let mut open = all.iter().copied();
        let mut open = open.by_ref().filter(|&one| is_ours(one) && !is_known[one.index()]);
        let open: Vec<Var> = open.by_ref().collect();
        if choice.is_empty() || open.iter().any(|&variable| level(variable) < last) {
            return None;
        }
        let solver = || {
            let mut solver = BatSat::new();
            let limits = limits.clone();
            solver.stop_when(Box::new(move || {
                let left = steps.get();
                steps.set(left.saturating_sub(1));
                left == 0 || left % STEPS_PER_LOOK == 0 && limits.look().is_err()
            }));
            solver
        };
        let with_copy = || {
            let mut solver = solver();
            let copy = Copy::new(problem.variables(), &mut solver);
            (solver, copy)
        };
        let mut duel = Duel {
            problem,
            steps,
            choice,
            scenario,
            proposer: with_copy(),
            refuter: with_copy(),
            judge: (!open.is_empty()).then(with_copy),
        };
        if let Some((judge, copy)) = &mut duel.judge {
            for clause in problem.clauses.iter() {
                let clause: Vec<SatLiteral> = clause.iter().map(|&one| copy.of(one)).collect();
                judge.require(&clause);
            }
        }
        duel.refute_clauses(&definitions);
        Some(duel)
    }

    /// Tells the refuter that variables have the values that their definitions say, and that some clause is false.
    fn refute_clauses(&mut self, definitions: &[preprocess::VariableDefinition]) {
        let problem = self.problem;
        let (refuter, copy) = &mut self.refuter;
        // The definition of a literal, by its code, and whether a clause is part of one.
        let mut defined = vec![None; 2 * problem.variables()];
        let mut is_part = vec![false; problem.clauses.len()];
        // A literal that says that all these are false.
        let all_false = |refuter: &mut BatSat<'a>, literals: &[SatLiteral]| match *literals {
            [literal] => !literal,
            _ => {
                let all = refuter.new_literal();
                for &literal in literals {
                    refuter.require(&[!all, !literal]);
                }
                all
            }
        };
        for definition in definitions {
            defined[definition.literal.code()] = Some(definition);
            let literal = copy.of(definition.literal);
            let mut reasons = vec![!literal];
            for &clause in &definition.clauses {
                is_part[clause as usize] = true;
                let others = problem.clauses.get(clause as usize).iter().copied();
                let others = others.filter(|&other| other != definition.literal);
                let mut others: Vec<SatLiteral> = others.map(|other| copy.of(other)).collect();
                reasons.push(all_false(refuter, &others));
                others.push(literal);
                refuter.require(&others);
            }
            refuter.require(&reasons);
        }
        let mut some_false = Vec::new();
        for (clause, literals) in problem.clauses.iter().enumerate() {
            // Where this literal is false, a clause of its definition has false literals only, the negations of which make this one true.
            let holds = |literal: &Lit| {
                defined[(!*literal).code()].is_some_and(|one: &preprocess::VariableDefinition| {
                    one.clauses.iter().all(|&part| {
                        let part = problem.clauses.get(part as usize).iter();
                        part.clone().any(|&other| other != !*literal && literals.contains(&!other))
                    })
                })
            };
            if !is_part[clause] && !literals.iter().any(holds) {
                let literals: Vec<SatLiteral> = literals.iter().map(|&one| copy.of(one)).collect();
                some_false.push(all_false(refuter, &literals));
            }
        }
        refuter.require(&some_false);
    }

    /// Whether there is a certain win, as far as there is room for copies.
    fn decide(&mut self, has_room: &mut dyn FnMut() -> bool) -> Verdict {
        while has_room() {
            match self.proposer.0.solve(&[]) {
                None => return Verdict::Unknown,
                Some(false) => return Verdict::NotWon,
                Some(true) => {}
            }
            let (proposer, copy) = &self.proposer;
            let choice = self.choice.iter().map(|variable| variable.positive());
            let choice: Vec<Lit> = choice
                .map(|one| if proposer.is_true(copy.of(one)) { one } else { !one })
                .collect();
            match self.refute(&choice) {
                None => return Verdict::Unknown,
                Some(None) => return Verdict::Won,
                Some(Some(scenario)) => self.learn(&scenario),
            }
        }
        Verdict::Unknown
    }

    /// A scenario in which a choice loses, if there is one; nothing at the limit.
    fn refute(&mut self, choice: &[Lit]) -> Option<Option<Vec<Lit>>> {
        // Scenarios that are won are excluded for this choice only.
        let is_open = self.refuter.0.new_literal();
        loop {
            let (refuter, copy) = &mut self.refuter;
            let chosen = choice.iter().map(|&literal| copy.of(literal));
            let assumed: Vec<SatLiteral> = chosen.chain([is_open]).collect();
            if !refuter.solve(&assumed)? {
                return Some(None);
            }
            let scenario = self.scenario.iter().map(|variable| variable.positive());
            let scenario: Vec<Lit> = scenario
                .map(|one| if refuter.is_true(copy.of(one)) { one } else { !one })
                .collect();
            let Some((judge, judged)) = &mut self.judge else {
                return Some(Some(scenario));
            };
            let assumed = choice.iter().chain(&scenario);
            let assumed: Vec<SatLiteral> = assumed.map(|&literal| judged.of(literal)).collect();
            if !judge.solve(&assumed)? {
                return Some(Some(scenario));
            }
            let mut needed: Vec<Lit> = Vec::new();
            for clause in self.problem.clauses.iter() {
                let is_true = |literal: &Lit| judge.is_true(judged.of(*literal));
                let is_ours = |one: &Lit| self.problem.quantifier(one.var()) == Quantifier::Exists;
                let mut wins = clause.iter().filter(|&literal| is_true(literal));
                if !wins.clone().any(|literal| is_ours(literal) || needed.contains(literal)) {
                    needed.extend(wins.next());
                }
            }
            let mut excluded: Vec<SatLiteral> = needed.iter().map(|&one| copy.of(!one)).collect();
            excluded.push(!is_open);
            refuter.require(&excluded);
        }
    }

    /// From now on only choices that win in this scenario are proposed.
    fn learn(&mut self, scenario: &[Lit]) {
        let (proposer, shared) = &mut self.proposer;
        let mut copy = Copy::new(0, proposer);
        copy.0.clone_from(&shared.0);
        let mut values = vec![None; self.problem.variables()];
        for literal in scenario {
            values[literal.var().index()] = Some(!literal.is_negative());
        }
        let mut is_shared = vec![false; self.problem.variables()];
        for variable in &self.choice {
            is_shared[variable.index()] = true;
        }
        for variable in 0..self.problem.variables() {
            if !is_shared[variable] && values[variable].is_none() {
                copy.0[variable] = proposer.new_literal();
            }
        }
        let value = |literal: &Lit| values[literal.var().index()].map(|one| literal.holds(one));
        for clause in self.problem.clauses.iter() {
            if !clause.iter().any(|literal| value(literal) == Some(true)) {
                let open = clause.iter().filter(|literal| value(literal).is_none());
                let open: Vec<SatLiteral> = open.map(|&literal| copy.of(literal)).collect();
                proposer.require(&open);
            }
        }
        let literals = self.problem.clauses.literal_count() as u64;
        self.steps.set(self.steps.get().saturating_sub(literals / WORK_PER_STEP));
    }
}
