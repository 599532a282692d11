//! Listening to clingo: rules become a [`GroundProgram`] the moment they are made.

use super::context::Shared;
use super::grounder::{GroundError, GroundLimits};
use super::symbols::SymbolReader;
use clingo::{
    ClingoError, ExternalType, GroundProgramObserver, SolverLiteral, SymbolicAtom, WeightedLiteral,
};
use limits::StopReason;
use lp2sat::{Atom, Body, GroundProgram, Head, Literal};
use std::collections::BTreeMap;

/// Collects the ground program and watches the limits.
#[derive(Default)]
pub(super) struct Listener {
    pub(super) program: GroundProgram,
    limits: GroundLimits,
    symbols: SymbolReader,
    /// Whether the program says which answer sets are best, which a quantified program cannot.
    pub(super) minimizes: bool,
    /// Why clingo was told to stop.
    pub(super) refusal: Option<GroundError>,
    /// The head of the first rule that has several atoms in it.
    disjunction: Option<Vec<Atom>>,
    /// Atoms that something outside of the program decides, unless rules do.
    externals: Vec<(Atom, ExternalType)>,
    heads: Vec<Atom>,
    literals: Vec<Literal>,
    weighted: Vec<(Literal, u64)>,
}

impl Listener {
    pub(super) fn new(limits: GroundLimits) -> Self {
        Listener {
            limits,
            ..Listener::default()
        }
    }

    /// Gives an atom its name. `#show` hides names from the output of clingo, but not here.
    pub(super) fn name(
        &mut self,
        number: usize,
        atom: &SymbolicAtom<'_>,
    ) -> Result<(), ClingoError> {
        if self.refusal.is_some() || number.is_multiple_of(1024) && !self.has_time() {
            return Ok(());
        }
        if atom.is_fact()? {
            self.program.add_fact(self.symbols.read(atom.symbol()?)?);
        } else if let Some(number) = Atom::new(atom.literal()?.get_integer().unsigned_abs()) {
            let name = self.symbols.read(atom.symbol()?)?;
            self.program.set_name(number, name);
        }
        // An atom without a number is in no rule.
        Ok(())
    }

    /// The program, when all of it is known.
    pub(super) fn finish(mut self) -> Result<GroundProgram, GroundError> {
        if let Some(atoms) = self.disjunction {
            // clingo turns some aggregates into disjunctions of atoms of its own.
            let mut names = atoms.iter().map(|atom| self.program.name(*atom));
            return Err(if names.all(|name| name.is_some()) {
                unsupported("a disjunction in a rule head")
            } else {
                GroundError::Unsupported {
                    what:
                        "an aggregate with negative weights or `!=` over atoms that depend on it, \
                           or a disjunction with conditions in a rule head"
                            .to_owned(),
                    advice: "stochastic quantified programs cannot have it; write the aggregate \
                             without recursion, or with positive weights and `>=`",
                }
            });
        }
        // The last word about an atom counts.
        let mut externals: BTreeMap<Atom, ExternalType> = self.externals.drain(..).collect();
        if !externals.is_empty() {
            for rule in self.program.rules() {
                let headed = match &rule.head {
                    Head::Constraint => &[][..],
                    Head::Atom(atom) => std::slice::from_ref(atom),
                    Head::Choice(atoms) => atoms,
                };
                externals.retain(|atom, _| !headed.contains(atom));
            }
        }
        for (atom, kind) in externals {
            match kind {
                ExternalType::Free => self.program.add_rule(Head::Choice(&[atom]), Body::All(&[])),
                ExternalType::True => self.program.add_rule(Head::Atom(atom), Body::All(&[])),
                ExternalType::False | ExternalType::Release => {}
            }
        }
        Ok(self.program)
    }

    /// Remembers why to stop; `false` makes clingo stop.
    fn refuse(&mut self, refusal: GroundError) -> bool {
        self.refusal.get_or_insert(refusal);
        false
    }

    fn has_time(&mut self) -> bool {
        match self.limits.reached() {
            None => true,
            Some(reason) => self.stop(reason),
        }
    }

    fn stop(&mut self, reason: StopReason) -> bool {
        let (rules, atoms) = (self.program.rule_count(), self.program.atom_count());
        self.refuse(GroundError::Stopped {
            reason,
            rules,
            atoms,
        })
    }

    fn within_limits(&mut self) -> bool {
        let rules = self.program.rule_count();
        if let Some(progress) = &self.limits.progress
            && rules.is_multiple_of(16_384)
        {
            progress.0(rules);
        }
        if self.limits.rules.is_some_and(|most| rules > most) {
            self.stop(StopReason::Memory)
        } else {
            !rules.is_multiple_of(1024) || self.has_time()
        }
    }

    /// Adds the rule whose body was collected in `literals` or, with a bound, in `weighted`.
    fn add(&mut self, choice: bool, head: &[clingo::Atom], bound: Option<u64>) -> bool {
        self.heads.clear();
        self.heads.extend(head.iter().map(|atom| atom_of(*atom)));
        let head = match (choice, self.heads.as_slice()) {
            (true, atoms) => Head::Choice(atoms),
            (false, []) => Head::Constraint,
            (false, [atom]) => Head::Atom(*atom),
            (false, atoms) => {
                self.disjunction.get_or_insert_with(|| atoms.to_vec());
                return self.within_limits();
            }
        };
        let body = match bound {
            None => Body::All(&self.literals),
            Some(bound) => Body::Weighted {
                bound,
                literals: &self.weighted,
            },
        };
        self.program.add_rule(head, body);
        self.within_limits()
    }
}

pub(super) fn unsupported(what: &str) -> GroundError {
    GroundError::Unsupported {
        what: what.to_owned(),
        advice: "stochastic quantified programs cannot have it; remove it",
    }
}

fn atom_of(atom: clingo::Atom) -> Atom {
    let number = SolverLiteral::from(atom).get_integer().unsigned_abs();
    Atom::new(number).expect("clingo numbers atoms from 1")
}

fn literal_of(literal: SolverLiteral) -> Literal {
    Literal::from_aspif(literal.get_integer()).expect("clingo's literals are not 0")
}

impl GroundProgramObserver for Shared<Listener> {
    fn rule(&mut self, choice: bool, head: &[clingo::Atom], body: &[SolverLiteral]) -> bool {
        self.with_mut(|listener| {
            listener.literals.clear();
            let literals = body.iter().map(|literal| literal_of(*literal));
            listener.literals.extend(literals);
            listener.add(choice, head, None)
        })
    }

    fn weight_rule(
        &mut self,
        choice: bool,
        head: &[clingo::Atom],
        lower_bound: i32,
        body: &[WeightedLiteral],
    ) -> bool {
        self.with_mut(|listener| {
            listener.weighted.clear();
            let weighted = body.iter().map(|literal| {
                // Grounding makes all weights positive.
                let weight = u64::try_from(literal.weight()).expect("weights are positive");
                (literal_of(literal.literal()), weight)
            });
            listener.weighted.extend(weighted);
            listener.add(choice, head, Some(u64::try_from(lower_bound).unwrap_or(0)))
        })
    }

    fn minimize(&mut self, _priority: i32, _literals: &[WeightedLiteral]) -> bool {
        self.with_mut(|listener| listener.minimizes = true);
        true
    }

    fn external(&mut self, atom: clingo::Atom, kind: ExternalType) -> bool {
        self.with_mut(|listener| listener.externals.push((atom_of(atom), kind)));
        true
    }

    fn assume(&mut self, _literals: &[SolverLiteral]) -> bool {
        self.with_mut(|listener| listener.refuse(unsupported("assumptions")))
    }

    fn acyc_edge(&mut self, _from: i32, _to: i32, _condition: &[SolverLiteral]) -> bool {
        self.with_mut(|listener| listener.refuse(unsupported("#edge statements")))
    }

    fn theory_atom(&mut self, _: clingo::Id, _: clingo::Id, _: &[clingo::Id]) -> bool {
        self.with_mut(|listener| listener.refuse(unsupported("theory atoms")))
    }

    fn theory_atom_with_guard(
        &mut self,
        atom_or_zero: clingo::Id,
        term: clingo::Id,
        elements: &[clingo::Id],
        _operator: clingo::Id,
        _right: clingo::Id,
    ) -> bool {
        self.theory_atom(atom_or_zero, term, elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::grounder::{Grounded, ground};
    use lp2sat::Symbol;

    fn ground_text(text: &str) -> Result<Grounded, GroundError> {
        ground(text, &GroundLimits::default())
    }

    /// The texts of symbols, in order.
    fn texts<'a>(symbols: impl Iterator<Item = &'a Symbol>) -> Vec<String> {
        let mut texts: Vec<String> = symbols.map(ToString::to_string).collect();
        texts.sort();
        texts
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(
            ground_text("a ; b.").unwrap_err(),
            unsupported("a disjunction in a rule head")
        );
        for aggregate in [
            "{a; b}. q :- #sum{-1 : q; 2 : a; 1 : b} >= 1.",
            "{a; b}. q :- #count{1 : q; 2 : a; 3 : b} != 1.",
        ] {
            let message = ground_text(aggregate).unwrap_err().to_string();
            assert!(message.contains("uses an aggregate"), "{message}");
        }
        let theory = "#theory t { x { - : 1, unary }; &p/0 : x, {<=}, x, any }.";
        for atom in [":- &p{}.", ":- &p{} <= 1."] {
            let message = ground_text(&format!("{theory} {atom}")).unwrap_err();
            assert!(message.to_string().contains("theory atoms"), "{message}");
        }
        let grounded = ground_text("{a}. #minimize{1 : a}.").unwrap();
        assert_eq!(grounded.warnings.len(), 1);
    }

    #[test]
    fn what_is_external_is_decided_outside_only_without_a_rule() {
        for (text, rules) in [
            ("#external a. {b}. c :- a, b.", 2),
            ("#external a. [true] {b}. c :- a, b.", 3),
            ("#external a. [free] {b}. c :- a, b.", 3),
            ("#external a. [true] {a}. c :- a.", 2),
        ] {
            let program = ground_text(text).unwrap().program;
            assert_eq!(program.rule_count(), rules, "{text}");
        }
    }

    #[test]
    fn every_atom_has_its_name_whatever_is_shown() {
        for show in [
            "",
            "#show.",
            "#show q/1. #show x : r. #show r : q(1).",
            "%* %* *% \" *% #show r/0. %*",
        ] {
            let text = format!("p(1). {{q(1..2)}}. r :- q(1), not q(2). {show}\n *% ");
            let text = text.strip_suffix(if show.ends_with('*') { "" } else { "\n *% " });
            let program = ground_text(text.unwrap()).unwrap().program;
            let names = program.names().into_iter().map(|(_, name)| name);
            assert_eq!(texts(names), ["q(1)", "q(2)", "r"], "{show}");
            assert_eq!(texts(program.facts()), ["p(1)"], "{show}");
        }
    }

    #[test]
    fn rules_names_and_facts_arrive() {
        let program = ground_text("p(1..2). {q(X)} :- p(X). r :- q(1), not q(2). :- r, q(1).")
            .unwrap()
            .program;
        assert_eq!(texts(program.facts()), ["p(1)", "p(2)"]);
        let names = program.names().into_iter().map(|(_, name)| name);
        assert_eq!(texts(names), ["q(1)", "q(2)", "r"]);
        assert!(program.rules().any(|rule| rule.head == Head::Constraint));
    }
}
