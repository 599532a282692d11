//! Selections: the move of an opponent or of chance as one decision, instead of the bits that
//! encode it and the forced choice that decodes them.
//!
//! A clause can only say what the maximizer must do. So encodings of games let the opponent
//! decide bits, and make the maximizer carry the move out: the clauses say "if the bits are
//! the number of this move, and it is legal, then it is the one that is made". Chance is encoded
//! likewise, with a chain of variables of which the last true one counts:
//!
//! ```text
//! chance: third (1/3), second (1/2)
//! exists exactly one of: a, b, c                 mean over a, b, c
//! check: not third or c                   ==>    (c only where it is legal, if the checks
//! check: third or not second or b                 say so)
//! check: third or second or a
//! ```
//!
//! On the left there are six assignments of which some are the same, and a player who has no
//! choice. On the right there is one decision with three outcomes, and nothing of the order in
//! which the moves were numbered is left, so that symmetries of the game show.
//!
//! [`Group::find`] finds the left side: a run of decisions of the opponent or of chance whose
//! variables nothing reads but checks that demand something of the existential decision after them.
//! Then [`prove`] shows, by evaluation in all cases, that the pair is a selection; the circuits that
//! count legal moves are evaluated, not recognised. A pair for which that does not succeed stays as
//! it is, and so no formula gets another value. The same pair returns in each step of a game, so
//! what was proved is remembered.
//!
//! The search leaves out: groups with more inputs (legal moves, mostly) than can be evaluated in all
//! combinations; encodings in which moves are not equally likely; choices that were split into
//! several decisions; and moves that lose at once, if the formula says so by a check that reads like
//! one of legality: such a move is not to be left out of the minimum or of the mean.

mod case;
mod cone;
mod facts;
mod group;
mod proof;

use crate::options::Options;
use crate::policy::MAX_SELECTION_EFFORT;
use crate::program::{Decision, Item, Program};
use case::{NumberedCase, case};
use facts::Facts;
use formula::{Lit, Probability, Quantifier, Var};
use group::Group;
use proof::{Case, Proof, prove};
use rustc_hash::{FxHashMap, FxHashSet};

/// Replaces what is proved to be a selection by one.
pub fn lift(program: Program, options: &Options) -> Program {
    if !options.lift_selections {
        return program;
    }
    let mut lifting = Lifting::new(&program);
    let mut index = 0;
    while index < program.items.len() {
        index = match lifting.run(index) {
            Some((quantifier, decided, end)) => {
                lifting.lift_run(quantifier, decided, end);
                end
            }
            None => index + 1,
        };
    }
    if lifting.selections.is_empty() {
        program
    } else {
        lifting.rebuild()
    }
}

/// A selection in place of a decision of the maximizer.
struct Selection {
    quantifier: Quantifier,
    /// Where the maximizer chooses after all.
    unless: Option<Lit>,
    /// The clauses that are added to the legality.
    legality: Vec<Vec<Lit>>,
}

/// The changes to make in a program.
struct Lifting<'p> {
    program: &'p Program,
    /// The probabilities of chance variables.
    chances: Vec<Option<Probability>>,
    facts: Facts<'p>,
    proofs: FxHashMap<Case, Option<Proof>>,
    effort: u64,
    /// The selections, by the index of the decision.
    selections: FxHashMap<usize, Selection>,
    dropped_variables: FxHashSet<Var>,
    dropped_clauses: FxHashSet<usize>,
}

impl<'p> Lifting<'p> {
    fn new(program: &'p Program) -> Self {
        Lifting {
            program,
            chances: program.chances(),
            facts: Facts::new(program),
            proofs: FxHashMap::default(),
            effort: MAX_SELECTION_EFFORT,
            selections: FxHashMap::default(),
            dropped_variables: FxHashSet::default(),
            dropped_clauses: FxHashSet::default(),
        }
    }

    /// The run of decisions of one player other than the maximizer that starts at an index:
    /// whose it is, the variables that matter, and where it ends.
    fn run(&self, start: usize) -> Option<(Quantifier, FxHashSet<Var>, usize)> {
        let mut player = None;
        let mut variables = FxHashSet::default();
        let mut end = start;
        while let Some(&Item::Decision(number)) = self.program.items.get(end) {
            let decision = &self.program.decisions[number];
            if decision.listed.is_some()
                || player.is_some_and(|player| player != decision.quantifier)
            {
                break;
            }
            player = Some(decision.quantifier);
            let matters = |variable: &Var| {
                self.facts.is_read_by_gate(*variable) || self.facts.clauses_of(*variable).len() > 0
            };
            variables.extend(decision.variables.iter().copied().filter(matters));
            end += 1;
        }
        player.map(|player| (player, variables, end))
    }

    /// Lifts the variables of a run together with the existential decisions that follow. (There are
    /// several if there are several opponents.) Decisions of one player may change places with one
    /// another, so what is left of the run may stand behind a selection as well as before it,
    /// unless the maximizer chooses there now and then.
    fn lift_run(&mut self, player: Quantifier, mut run: FxHashSet<Var>, end: usize) {
        let mut start = end;
        while !run.is_empty() {
            let mut items = self.program.items[start..].iter();
            let Some(distance) = items.position(|item| matches!(item, Item::Decision(_))) else {
                return;
            };
            let index = start + distance;
            let Some(group) = Group::find(self.program, &self.facts, player, &run, index) else {
                return;
            };
            let Some(unless) = self.prove(&group) else {
                return;
            };
            for variable in &group.decided {
                run.remove(variable);
            }
            self.replace(&group, unless);
            if unless.is_some() {
                return;
            }
            start = index + 1;
        }
    }

    /// The literal under which the maximizer is free, if a group is a selection.
    fn prove(&mut self, group: &Group<'_>) -> Option<Option<Lit>> {
        let chances = &self.chances;
        let numbered = case(self.program, &self.facts, chances, group, &mut self.effort)?;
        let NumberedCase { case, variables } = numbered;
        let proved = match self.proofs.get(&case) {
            Some(proved) => *proved,
            None => {
                let proved = prove(&case, &mut self.effort);
                self.proofs.insert(case, proved);
                proved
            }
        };
        let literal = |literal: u32| variables[(literal >> 1) as usize].literal(literal & 1 == 0);
        proved.map(|proved| proved.unless.map(literal))
    }

    fn replace(&mut self, group: &Group<'_>, unless: Option<Lit>) {
        self.dropped_variables.extend(&group.decided);
        self.dropped_clauses.extend(&group.demands);
        let (checks, legality): (Vec<usize>, _) = group.rewritten.iter().cloned().unzip();
        self.dropped_clauses.extend(checks);
        let selection = Selection {
            quantifier: group.quantifier,
            unless,
            legality,
        };
        self.selections.insert(group.index, selection);
    }

    fn rebuild(self) -> Program {
        let program = self.program;
        let mut lifted = program.emptied();
        for (index, item) in program.items.iter().enumerate() {
            match *item {
                Item::Gate(number) => {
                    let gate = &program.gates[number];
                    let conjuncts = program.conjuncts(gate);
                    let conjuncts = conjuncts.map(|clause| clause.iter().copied());
                    lifted.push_gate(gate.output, gate.inverted, conjuncts);
                }
                Item::Check(number) => {
                    if !self.dropped_clauses.contains(&number) {
                        lifted.push_check(program.clauses.get(number));
                    }
                }
                Item::Decision(number) => {
                    let decision = &program.decisions[number];
                    let selection = self.selections.get(&index);
                    let decision = match selection {
                        Some(selection) => select(decision, selection),
                        None => self.rest(decision),
                    };
                    if decision.listed.is_none() && decision.variables.is_empty() {
                        continue;
                    }
                    lifted.push_decision(decision);
                    for clause in selection.iter().flat_map(|selection| &selection.legality) {
                        lifted.push_legal(clause);
                    }
                    for clause in program.decisions[number].legality() {
                        if !self.dropped_clauses.contains(&clause) {
                            lifted.push_legal(program.clauses.get(clause));
                        }
                    }
                }
            }
        }
        lifted
    }

    /// A decision without the variables that disappear, which are those of open ones.
    fn rest(&self, decision: &Decision) -> Decision {
        if decision.listed.is_some() {
            return decision.clone();
        }
        let is_left = |variable: &Var| !self.dropped_variables.contains(variable);
        let pairs = decision.variables.iter().zip(&decision.probabilities);
        let probabilities = pairs.filter(|(variable, _)| is_left(variable));
        let variables = decision.variables.iter().copied();
        Decision::open(
            decision.quantifier,
            variables.filter(is_left).collect(),
            probabilities.map(|(_, chance)| chance.clone()).collect(),
        )
    }
}

/// The same assignments, chosen by another agent.
fn select(decision: &Decision, selection: &Selection) -> Decision {
    let mut decision = decision.clone();
    decision.quantifier = selection.quantifier;
    if let Some(listed) = &mut decision.listed {
        listed.unless = selection.unless;
    }
    decision
}

#[cfg(test)]
mod tests;
