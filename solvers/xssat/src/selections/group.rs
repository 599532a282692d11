//! The search for groups: decisions of the opponent or of chance that only demand something of
//! the existential decision that follows.

use super::facts::{Facts, as_clause};
use crate::program::{AssignmentList, Decision, Item, Program};
use formula::{Lit, Quantifier, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A pair of a run of decisions and the existential decision after it, with all that connects them.
pub struct Group<'p> {
    /// The player who decides the variables that are to disappear.
    pub quantifier: Quantifier,
    /// The variables that are to disappear.
    pub decided: Vec<Var>,
    /// The index of the existential decision in the program.
    pub index: usize,
    /// The existential decision.
    pub choice: &'p Decision,
    pub listed: &'p AssignmentList,
    /// The numbers of the clauses of its legality that read variables that are to disappear.
    pub demands: Vec<usize>,
    /// The other clauses of its legality.
    pub base: Vec<Vec<Lit>>,
    /// Checks that belong there although they read a gate of the choice: their numbers, and the
    /// clauses of the legality to replace them with.
    pub rewritten: Vec<(usize, Vec<Lit>)>,
}

impl<'p> Group<'p> {
    /// Finds what connects variables of a run with the choice at an index. Of these variables,
    /// those that are used in any other way count as known before the choice.
    pub fn find(
        program: &'p Program,
        facts: &Facts<'_>,
        quantifier: Quantifier,
        run: &FxHashSet<Var>,
        index: usize,
    ) -> Option<Self> {
        let Item::Decision(number) = program.items[index] else {
            return None;
        };
        let choice = &program.decisions[number];
        let listed = choice.listed.as_ref()?;
        if choice.quantifier != Quantifier::Exists {
            return None;
        }
        let own: FxHashSet<Var> = choice.variables.iter().copied().collect();
        let is_known =
            |variable: Var| own.contains(&variable) || facts.defined_at(variable) < index;
        let mut group = Group {
            quantifier,
            decided: Vec::new(),
            index,
            choice,
            listed,
            demands: Vec::new(),
            base: Vec::new(),
            rewritten: Vec::new(),
        };
        let mut examined: FxHashMap<Var, bool> = FxHashMap::default();
        for number in listed.legality.clone() {
            let clause = program.clauses.get(number);
            let mut demanding = false;
            for variable in clause.iter().map(|literal| literal.var()) {
                if !run.contains(&variable) {
                    continue;
                }
                demanding |= *examined.entry(variable).or_insert_with(|| {
                    let only_demands = !facts.is_read_by_gate(variable)
                        && facts
                            .clauses_of(variable)
                            .all(|clause| listed.legality.contains(&clause));
                    if only_demands {
                        group.decided.push(variable);
                    }
                    only_demands
                });
            }
            if demanding {
                group.demands.push(number);
            } else {
                group.base.push(clause.to_vec());
            }
        }
        if group.decided.is_empty() {
            return None;
        }
        group.rewrite(program, facts, is_known, &own);
        Some(group)
    }

    /// Finds checks on gates that stand for clauses over the choice.
    fn rewrite(
        &mut self,
        program: &Program,
        facts: &Facts<'_>,
        is_known: impl Fn(Var) -> bool,
        own: &FxHashSet<Var>,
    ) {
        let mut clauses: FxHashMap<Lit, Vec<Lit>> = FxHashMap::default();
        for item in &program.items[self.index + 1..] {
            match *item {
                Item::Gate(number) => {
                    let output = program.gates[number].output;
                    for literal in [output.positive(), output.negative()] {
                        if let Some(clause) = as_clause(program, facts, literal)
                            && clause.iter().all(|literal| is_known(literal.var()))
                            && clause.iter().any(|literal| own.contains(&literal.var()))
                        {
                            clauses.insert(literal, clause);
                        }
                    }
                }
                Item::Check(number) => {
                    let mut rewritten = Vec::new();
                    let mut changed = false;
                    let complete = program.clauses.get(number).iter().all(|&literal| {
                        if is_known(literal.var()) {
                            rewritten.push(literal);
                            return true;
                        }
                        let clause = clauses.get(&literal);
                        rewritten.extend(clause.into_iter().flatten());
                        changed = true;
                        clause.is_some()
                    });
                    rewritten.sort_unstable();
                    rewritten.dedup();
                    let tautology = rewritten.windows(2).any(|pair| pair[0] == !pair[1]);
                    if complete && changed && !tautology {
                        self.base.push(rewritten.clone());
                        self.rewritten.push((number, rewritten));
                    }
                }
                Item::Decision(_) => break,
            }
        }
    }
}
