//! Ground programs to clauses whose models are the answer sets.
//!
//! The idea is Clark's completion: an atom holds exactly when the body of one of its rules does; a
//! choice rule only allows its heads; a constraint is a clause as it stands.
//!
//! ```text
//! a :- b, not c.    a :- d.        a <-> (b & -c) | d        body b & -c becomes a helper variable
//! {e} :- a.                        e -> a
//! :- e, d.                         -e | -d
//! ```
//!
//! Completion is all there is to do unless atoms can derive each other in a cycle ([`recursion`]
//! finds those). There, atoms that every cycle passes are defined by unfolding
//! ([`unfolding`](crate::unfolding)) or bound by ranks ([`ranking`](crate::ranking)) instead.
//!
//! Callers rely on this: projecting the models of the clauses to the atoms gives exactly the
//! answer sets; every helper but ranks and what is made of them is a
//! function of atoms. Shared bodies share a helper, bodies of one literal need none, and an atom
//! with a single rule is the helper of its own body. The work is close to linear in the program,
//! except for cycles and weight bodies, which have a cost of their own.
//!
//! Janhunen, *Some (in)translatability results for normal logic programs and propositional
//! theories*, 2006; Clark, *Negation as failure*, 1978.
//!
//! [`recursion`]: crate::recursion

use crate::clausified::{Clausified, variable};
use crate::excluded::find_excluded;
use crate::gates::{Gates, Signal};
use crate::recursion::{CyclicComponent, Recursion};
use crate::supports::Supports;
use crate::weights::WeightBody;
use crate::{Atom, Body, GroundProgram, Head, Literal};
use formula::{Lit, Var};
use rustc_hash::FxHashMap;

/// Choices among ways to write the same program as clauses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The most literals that unfolding one cycle may take, unless ranks would take more; none if all cycles get ranks. Helpers of a cycle that is
    /// unfolded are functions of atoms, ranks are not.
    pub unfolding_limit: Option<usize>,
    /// The most literals for which "no two of these" is written as a binary clause for each pair.
    pub pairwise_limit: usize,
    /// Up to how many nodes a weight body becomes a decision diagram rather than adders.
    pub diagram_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            unfolding_limit: Some(200_000),
            pairwise_limit: 128,
            diagram_limit: 20_000,
        }
    }
}

/// A ground program cannot become clauses.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ClausifyError {
    /// DIMACS numbers would run out.
    #[error(
        "the ground program needs more than {} variables; ground it for fewer time steps",
        Var::MAX_INDEX
    )]
    TooManyVariables,
}

/// Writes a ground program as clauses.
pub fn clausify(program: &GroundProgram, options: &Options) -> Result<Clausified, ClausifyError> {
    if program.atom_count() > Var::MAX_INDEX {
        return Err(ClausifyError::TooManyVariables);
    }
    let supports = Supports::new(program);
    let excluded = find_excluded(program, &supports);
    let recursion = Recursion::find(program, &supports);
    let mut clausifier = Clausifier {
        program,
        options,
        supports,
        recursion,
        gates: Gates::new(program.atom_count()),
        shared_bodies: FxHashMap::default(),
    };
    clausifier.complete_atoms(&excluded);
    clausifier.cut_components();
    clausifier.refute_constraints();
    if clausifier.gates.overflowed() {
        return Err(ClausifyError::TooManyVariables);
    }
    Ok(Clausified::new(clausifier.gates))
}

/// The literal of a formula for a literal of a program.
#[inline]
pub(crate) fn lit(literal: Literal) -> Lit {
    variable(literal.atom()).literal(!literal.is_negative())
}

/// A program on its way to clauses.
pub(crate) struct Clausifier<'a> {
    pub(crate) program: &'a GroundProgram,
    pub(crate) options: &'a Options,
    pub(crate) supports: Supports,
    pub(crate) recursion: Recursion,
    pub(crate) gates: Gates,
    /// The literals for the bodies of choices with several heads.
    shared_bodies: FxHashMap<u32, Signal>,
}

/// The derivations of an atom: bodies that force it and bodies that allow it.
#[derive(Default)]
pub(crate) struct Derivations {
    pub(crate) forcing: Vec<Signal>,
    pub(crate) allowing: Vec<Signal>,
}

impl Derivations {
    pub(crate) fn clear(&mut self) {
        self.forcing.clear();
        self.allowing.clear();
    }

    /// Requires the atom to hold when it is forced, and only when it is forced or allowed.
    pub(crate) fn complete(&self, gates: &mut Gates, atom: Atom) {
        let atom = variable(atom).positive();
        if self.allowing.is_empty() {
            gates.define_or(atom, self.forcing.iter().copied());
            return;
        }
        for &signal in &self.forcing {
            gates.clause([atom.into(), !signal]);
        }
        let reasons = self.forcing.iter().chain(&self.allowing).copied();
        gates.clause(std::iter::once((!atom).into()).chain(reasons));
    }
}

impl Clausifier<'_> {
    fn is_unfolded(&self, component: &CyclicComponent) -> bool {
        self.options.unfolding_limit.is_some_and(|limit| {
            // Comparing two ranks takes about this many literals.
            let comparison = 10 * (component.cut.len() + 1).ilog2() as usize;
            let literals = component.size.saturating_mul(component.cut.len());
            component.cut.len() <= comparison || literals <= limit
        })
    }

    fn cut_components(&mut self) {
        for component in 0..self.recursion.components.len() {
            if self.is_unfolded(&self.recursion.components[component]) {
                self.unfold(component);
            } else {
                self.rank(component);
            }
        }
    }

    fn complete_atoms(&mut self, excluded: &[bool]) {
        let mut pending: Vec<bool> = excluded.iter().map(|&excluded| !excluded).collect();
        for component in &self.recursion.components {
            let elsewhere = if self.is_unfolded(component) {
                &[][..]
            } else {
                &component.ordered
            };
            for atom in component.cut.iter().chain(elsewhere) {
                pending[atom.index()] = false;
            }
            // In cycles, excluded atoms are defined like others; constraints exclude them.
            for atom in component.ordered.iter().filter(|_| elsewhere.is_empty()) {
                pending[atom.index()] = true;
            }
        }
        let program = self.program;
        let atoms = (1..=program.atom_count() as u32)
            .map(|number| Atom::new(number).expect("atoms are numbered so"));
        // Atoms that can serve as helpers come first, so that others find them.
        for atom in atoms.clone() {
            if pending[atom.index()]
                && let [index] = *self.supports.of(atom)
                && let rule = program.rule(index as usize)
                && let (Head::Atom(_), Body::All(literals)) = (rule.head, rule.body)
                && literals.len() > 1
            {
                pending[atom.index()] = false;
                let signals = literals.iter().map(|&literal| lit(literal).into());
                self.gates.define_and(variable(atom).positive(), signals);
            }
        }
        let mut derivations = Derivations::default();
        for atom in atoms {
            if pending[atom.index()] {
                self.complete(atom, &mut derivations);
            } else if excluded[atom.index()] && self.recursion.component_of(atom).is_none() {
                self.exclude(atom);
            }
        }
    }

    fn complete(&mut self, atom: Atom, derivations: &mut Derivations) {
        let program = self.program;
        let head = variable(atom);
        if let [index] = *self.supports.of(atom)
            && let rule = program.rule(index as usize)
            && let (Head::Choice([_]), Body::All(literals)) = (rule.head, rule.body)
        {
            // A body that only one atom asks for needs no helper.
            let signals = literals.iter().map(|&literal| lit(literal).into());
            if self.gates.find_and(signals).is_none() {
                for &literal in literals {
                    self.gates
                        .clause([head.negative().into(), lit(literal).into()]);
                }
                return;
            }
        }
        derivations.clear();
        for position in 0..self.supports.of(atom).len() {
            let index = self.supports.of(atom)[position];
            let rule = program.rule(index as usize);
            let reasons = match rule.head {
                Head::Choice(_) => &mut derivations.allowing,
                _ => &mut derivations.forcing,
            };
            if let Head::Choice([_, _, ..]) = rule.head {
                // The body is worked out once, not for every head.
                let signal = match self.shared_bodies.get(&index) {
                    Some(&signal) => signal,
                    None => self.body(rule.body),
                };
                self.shared_bodies.insert(index, signal);
                reasons.push(signal);
                continue;
            }
            let sum = self.weight_body(rule.body);
            match sum.as_ref().and_then(WeightBody::disjuncts) {
                // Any of these literals derives the atom; no helper is needed to say so.
                Some(disjuncts) => reasons.extend(disjuncts),
                None => reasons.push(self.body(rule.body)),
            }
        }
        derivations.complete(&mut self.gates, atom);
    }

    /// Writes that an atom and the bodies that would force it never hold.
    fn exclude(&mut self, atom: Atom) {
        let program = self.program;
        self.gates.clause([variable(atom).negative().into()]);
        for position in 0..self.supports.of(atom).len() {
            let rule = program.rule(self.supports.of(atom)[position] as usize);
            if let Head::Atom(_) = rule.head {
                self.refute(rule.body);
            }
        }
    }

    fn refute_constraints(&mut self) {
        let program = self.program;
        for rule in program.rules() {
            if let Head::Constraint = rule.head {
                self.refute(rule.body);
            }
        }
    }

    fn refute(&mut self, body: Body<'_>) {
        match body {
            Body::All(literals) => {
                let negations = literals.iter().map(|&literal| (!lit(literal)).into());
                self.gates.clause(negations);
            }
            Body::Weighted { .. } => {
                let Options {
                    pairwise_limit,
                    diagram_limit,
                    ..
                } = *self.options;
                let body = self.weight_body(body).expect("this is a weight body");
                body.refute(&mut self.gates, pairwise_limit, diagram_limit);
            }
        }
    }

    fn weight_body(&self, body: Body<'_>) -> Option<WeightBody> {
        let Body::Weighted { bound, literals } = body else {
            return None;
        };
        let weighted = literals
            .iter()
            .map(|&(literal, weight)| (lit(literal).into(), weight));
        Some(WeightBody::new(bound, weighted))
    }

    /// The literal that says whether the body holds.
    pub(crate) fn body(&mut self, body: Body<'_>) -> Signal {
        match body {
            Body::All(literals) => {
                let signals = literals.iter().map(|&literal| lit(literal).into());
                self.gates.and(signals)
            }
            Body::Weighted { bound, literals } => {
                let weighted = literals
                    .iter()
                    .map(|&(literal, w)| (lit(literal).into(), w));
                self.sum(bound, weighted)
            }
        }
    }

    /// The literal that says whether the signals reach the bound by their weights.
    pub(crate) fn sum(
        &mut self,
        bound: u64,
        weighted: impl IntoIterator<Item = (Signal, u64)>,
    ) -> Signal {
        WeightBody::new(bound, weighted).signal(&mut self.gates, self.options.diagram_limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_statements::read_statements;

    fn clauses_of(statements: &str, options: &Options) -> (Vec<Vec<i32>>, Clausified) {
        let clausified = clausify(&read_statements(statements), options).unwrap();
        let numbers = |clause: &[Lit]| clause.iter().map(|lit| lit.to_dimacs()).collect();
        (
            clausified.clauses().iter().map(numbers).collect(),
            clausified,
        )
    }

    /// The clauses as text, in their order; literals are sorted by variable.
    #[track_caller]
    fn check(statements: &str, expected: &str) {
        let (clauses, _) = clauses_of(statements, &Options::default());
        let clauses: Vec<String> = clauses
            .iter()
            .map(|clause| {
                clause
                    .iter()
                    .map(i32::to_string)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert_eq!(clauses.join(", "), expected, "{statements}");
    }

    #[test]
    fn completion() {
        check("1 0 1 1 0 0", "1");
        check("1 0 0 0 2 1 -2", "-1, -2, -1 2");
        check("1 1 1 1 0 0\n1 0 1 2 0 1 -1", "-1 -2, 1 2");
        // An atom with one rule is the helper of its body, also for others.
        check(
            "1 1 3 1 2 3 0 0\n1 0 1 4 0 2 1 2\n1 0 1 5 0 2 1 2\n1 0 1 5 0 1 3",
            "-1 -2 4, 1 -4, 2 -4, 3 4 -5, -3 5, -4 5",
        );
        // Two bodies with two literals need helpers; a choice with a body of its own does not.
        check(
            "1 1 2 1 2 0 0\n1 0 1 3 0 2 1 2\n1 0 1 3 0 2 -1 -2\n1 1 1 4 0 2 1 -3",
            "-1 -2 5, 1 -5, 2 -5, 1 2 6, -1 -6, -2 -6, -3 5 6, 3 -5, 3 -6, 1 -4, -3 -4",
        );
        // Contradictions and tautologies derive nothing.
        check("1 0 1 1 0 2 2 -2\n1 0 1 2 0 2 2 1", "-1, -2");
    }

    #[test]
    fn exactly_one_is_binary_clauses_and_one_wide_clause() {
        // {2; 3; 4} :- 1.  5 :- 1{2;3;4}.  6 :- 2{2;3;4}.  7 :- 5, not 6.  :- 1, not 7.  {1}.
        let (clauses, clausified) = clauses_of(
            "1 1 1 1 0 0\n1 1 3 2 3 4 0 1 1\n1 0 1 5 1 1 3 2 1 3 1 4 1\n\
             1 0 1 6 1 2 3 2 1 3 1 4 1\n1 0 1 7 0 2 5 -6\n1 0 0 0 2 1 -7",
            &Options::default(),
        );
        assert_eq!(clausified.helpers().len(), 0);
        for clause in [
            &[-2, -3][..],
            &[-2, -4],
            &[-3, -4],
            &[-6],
            &[2, 3, 4, -5],
            &[-1, 7],
        ] {
            assert!(
                clauses.contains(&clause.to_vec()),
                "{clause:?} is not in {clauses:?}"
            );
        }
        // Without the condition as well.
        check(
            "1 1 2 1 2 0 0\n1 0 1 3 1 1 2 1 1 2 1\n1 0 1 4 1 2 2 1 1 2 1\n1 0 1 5 0 2 3 -4\n\
             1 0 0 0 1 -5",
            "-3 4 5, 3 -5, -4 -5, 1 2 -3, -1 3, -2 3, -4, -1 -2, 5",
        );
    }

    #[test]
    fn components_are_cut() {
        // 1 :- 2.  2 :- 1.  2 :- 3.  {3}.
        let component = "1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n1 0 1 2 0 1 3\n1 1 1 3 0 0";
        let (clauses, clausified) = clauses_of(component, &Options::default());
        assert_eq!(clausified.helpers().len(), 0, "{clauses:?}");
        let ranking = Options {
            unfolding_limit: None,
            ..Options::default()
        };
        let (_, clausified) = clauses_of(component, &ranking);
        assert!(clausified.helpers().any(|helper| !helper.determined));
    }

    #[test]
    fn long_chains_and_long_cycles_do_not_overflow_the_stack() {
        let atom = |index: usize| Atom::new(index as u32 + 1).unwrap();
        let count = 300_000;
        let mut program = GroundProgram::new();
        program.add_rule(Head::Choice(&[atom(0)]), Body::All(&[]));
        for index in 1..count {
            let body = [
                Literal::positive(atom(index - 1)),
                Literal::negative(atom(count)),
            ];
            program.add_rule(Head::Atom(atom(index)), Body::All(&body));
        }
        let chain = clausify(&program, &Options::default()).unwrap();
        assert_eq!(chain.clauses().len(), 3 * (count - 1) + 1);
        let body = [Literal::positive(atom(count - 1))];
        program.add_rule(Head::Atom(atom(1)), Body::All(&body));
        let component = clausify(&program, &Options::default()).unwrap();
        assert!(component.helpers().all(|helper| helper.determined));
    }
}
