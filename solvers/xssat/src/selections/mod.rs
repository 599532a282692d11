//! Selections: the move of an opponent or of chance as one decision, instead of the bits that
//! encode it and the forced choice that decodes them.
//!
//! A clause can only say what the maximising player must do. So encodings of games let the opponent
//! decide bits, and make the maximising player carry the move out: the clauses say "if the bits are
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
//! [`Group::find`] looks for the left side: a run of decisions of the opponent or of chance whose
//! variables nothing reads but checks that demand something of the existential decision after them.
//! Then [`prove`] shows, by evaluation in all cases, that the pair is a selection; the circuits that
//! count legal moves are evaluated, not recognised. A pair for which that does not succeed stays as
//! it is, and so no formula gets another value. The same pair returns in each step of a game, so
//! what was proved is remembered.
//!
//! What is left out: groups with more inputs (legal moves, mostly) than can be evaluated in all
//! combinations; encodings in which moves are not equally likely; choices that were split into
//! several decisions; and moves that lose at once, if the formula says so by a check that reads like
//! one of legality: such a move is not to be left out of the minimum or of the mean.

mod case;
mod cone;
mod facts;
mod group;
mod proof;

use crate::options::Options;
use crate::order::{Item, Program, Selection};
use crate::problem::Problem;
use case::{Numbered, case};
use facts::Facts;
use formula::{Lit, Quantifier, Var};
use group::Group;
use proof::{Case, Proved, prove};
use rustc_hash::{FxHashMap, FxHashSet};

/// All proofs together visit at most this many words: a fraction of a second.
const MAX_EFFORT: u64 = 500_000_000;

/// Replaces what is proved to be a selection by one.
pub fn lift(program: Program, problem: &Problem, options: &Options) -> Program {
    if !options.lift_selections {
        return program;
    }
    let mut lifting = Lifting::new(&program, problem);
    let mut place = 0;
    while place < program.items.len() {
        place = match lifting.run(place) {
            Some((quantifier, decided, end)) => {
                lifting.lift_run(quantifier, decided, end);
                end
            }
            None => place + 1,
        };
    }
    if lifting.selections.is_empty() {
        program
    } else {
        lifting.rebuild()
    }
}

/// What is to be changed in a program.
struct Lifting<'p> {
    program: &'p Program,
    problem: &'p Problem,
    facts: Facts,
    proofs: FxHashMap<Case, Option<Proved>>,
    effort: u64,
    /// The selections, by the place of the decision, with what is to be checked right after it.
    selections: FxHashMap<usize, (Quantifier, Selection, Vec<Vec<Lit>>)>,
    dropped_variables: FxHashSet<Var>,
    dropped_checks: FxHashSet<usize>,
}

impl<'p> Lifting<'p> {
    fn new(program: &'p Program, problem: &'p Problem) -> Self {
        Lifting {
            program,
            problem,
            facts: Facts::new(program, problem.variables()),
            proofs: FxHashMap::default(),
            effort: MAX_EFFORT,
            selections: FxHashMap::default(),
            dropped_variables: FxHashSet::default(),
            dropped_checks: FxHashSet::default(),
        }
    }

    /// The run of decisions of one player other than the maximising one that starts at a place:
    /// whose it is, the variables that matter, and where it ends.
    fn run(&self, start: usize) -> Option<(Quantifier, FxHashSet<Var>, usize)> {
        let mut player = None;
        let mut variables = FxHashSet::default();
        let mut end = start;
        while let Some(&Item::Decision(number)) = self.program.items.get(end) {
            let decision = &self.program.decisions[number];
            if decision.quantifier == Quantifier::Exists
                || decision.selection.is_some()
                || player.is_some_and(|player| player != decision.quantifier)
            {
                break;
            }
            player = Some(decision.quantifier);
            let matters = |variable: &Var| {
                self.facts.is_read_by_gate(*variable) || self.facts.checks_of(*variable).len() > 0
            };
            variables.extend(decision.variables.iter().copied().filter(matters));
            end += 1;
        }
        player.map(|player| (player, variables, end))
    }

    /// Lifts the variables of a run together with the existential decisions that follow. (There are
    /// several if there are several opponents.) Decisions of one player may change places with one
    /// another, so what is left of the run may stand behind a selection as well as before it,
    /// unless the maximising player chooses there now and then.
    fn lift_run(&mut self, player: Quantifier, mut run: FxHashSet<Var>, end: usize) {
        let mut start = end;
        while !run.is_empty() {
            let mut items = self.program.items[start..].iter();
            let Some(distance) = items.position(|item| matches!(item, Item::Decision(_))) else {
                return;
            };
            let place = start + distance;
            let Some(group) = Group::find(self.program, &self.facts, player, &run, place) else {
                return;
            };
            let Some(selection) = self.prove(&group) else {
                return;
            };
            for variable in &group.decided {
                run.remove(variable);
            }
            self.replace(&group, selection);
            if selection.unless.is_some() {
                return;
            }
            start = place + 1;
        }
    }

    fn prove(&mut self, group: &Group<'_>) -> Option<Selection> {
        let chances = &self.problem.chances;
        let numbered = case(self.program, &self.facts, chances, group, &mut self.effort)?;
        let Numbered { case, variables } = numbered;
        let proved = match self.proofs.get(&case) {
            Some(proved) => *proved,
            None => {
                let proved = prove(&case, &mut self.effort);
                self.proofs.insert(case, proved);
                proved
            }
        };
        let literal = |literal: u32| variables[(literal >> 1) as usize].literal(literal & 1 == 0);
        proved.map(|proved| Selection {
            unless: proved.unless.map(literal),
        })
    }

    fn replace(&mut self, group: &Group<'_>, selection: Selection) {
        self.dropped_variables.extend(&group.decided);
        self.dropped_checks.extend(&group.demands);
        let rewritten = group.rewritten.iter();
        self.dropped_checks
            .extend(rewritten.clone().map(|(check, _)| *check));
        let rewritten = rewritten.map(|(_, clause)| clause.clone()).collect();
        self.selections
            .insert(group.place, (group.quantifier, selection, rewritten));
    }

    fn rebuild(self) -> Program {
        let mut lifted = Program::default();
        for (place, item) in self.program.items.iter().enumerate() {
            match *item {
                Item::Gate(number) => {
                    let gate = &self.program.gates[number];
                    let conjuncts = self.program.conjuncts(gate);
                    let conjuncts = conjuncts.map(|clause| clause.iter().copied());
                    lifted.push_gate(gate.output, gate.inverted, conjuncts);
                }
                Item::Check(number) => {
                    if !self.dropped_checks.contains(&number) {
                        lifted.push_check(self.program.checks.get(number));
                    }
                }
                Item::Decision(number) => {
                    let mut decision = self.program.decisions[number].clone();
                    if let Some((player, selection, checks)) = self.selections.get(&place) {
                        decision.quantifier = *player;
                        decision.selection = Some(*selection);
                        lifted.push_decision(decision);
                        checks.iter().for_each(|check| lifted.push_check(check));
                    } else {
                        let before = decision.variables.len();
                        let dropped = &self.dropped_variables;
                        decision
                            .variables
                            .retain(|variable| !dropped.contains(variable));
                        if before == 0 || !decision.variables.is_empty() {
                            lifted.push_decision(decision);
                        }
                    }
                }
            }
        }
        lifted
    }
}

#[cfg(test)]
mod tests;
