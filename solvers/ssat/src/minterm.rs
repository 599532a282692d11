//! Minterm generalization: the literals of chance or of the opponent with which the known model wins whatever else happens.
//!
//! If the existential literals of the model make all clauses of a component true, its value is 1 ("trivial truth"). Else
//! some clauses need a literal of chance or of the opponent. [`Deduction::generalize`] collects what is *needed*, one literal for
//! each clause that has none yet. The search decides a variable of these; when all are true, the value is 1.
//!
//! The less is needed the better: a single literal leaves one branch only. So existential literals that need others are
//! exchanged for cheaper ones.
//!
//! ```text
//! chance 1 2 3, exists 4 5:   (-4 or 1) (-4 or 2) (-5 or 3) (4 or 5)
//! model 1 2 3 4 -5:           4 needs 1 and 2; only (4 or 5) needs 4, and 5 needs 3 alone
//! model 1 2 3 -4 5:           needs 3
//! ```

use super::deduction::Deduction;
use super::needed::NeededLiterals;
use super::store::ClauseId;
use formula::{Lit, Quantifier};

/// Literals of chance or of the opponent with which the model wins.
#[derive(Default)]
struct Minterm {
    literals: Vec<Lit>,
    /// The clauses that need one of these literals.
    clauses: Vec<ClauseId>,
}

/// An existential literal of the model to be false instead, one to be true instead, and the literals that the latter needs.
struct Exchange {
    old: Lit,
    new: Lit,
    needed: Vec<Lit>,
}

impl Deduction {
    /// The literals of the model that must come true in a block of chance or of the opponent so that the existential literals
    /// of the model make all other clauses true. If there are none, the maximizer wins whatever the others do.
    /// `None` if more is needed, or if no block is given and anything is needed. The model changes to that end, and stays
    /// one.
    pub fn generalize(&mut self, clauses: &[ClauseId], block: Option<u32>) -> Option<Vec<Lit>> {
        let mut needed = std::mem::take(&mut self.needed);
        let found = self.generalize_with(clauses, block, &mut needed);
        self.needed = needed;
        found
    }

    fn generalize_with(
        &mut self,
        clauses: &[ClauseId],
        block: Option<u32>,
        needed: &mut NeededLiterals,
    ) -> Option<Vec<Lit>> {
        let mut need = self.minterm(clauses, block, needed)?;
        let mut before = usize::MAX;
        while need.literals.len() > 1
            && need.literals.len() < before
            && self.exchange(&need, block?, needed)
        {
            before = need.literals.len();
            need = self.minterm(clauses, block, needed)?;
        }
        Some(need.literals)
    }

    /// The literals that the present model needs. Flips existential variables where that makes nothing worse.
    fn minterm(
        &mut self,
        clauses: &[ClauseId],
        block: Option<u32>,
        needed: &mut NeededLiterals,
    ) -> Option<Minterm> {
        let mut need = Minterm::default();
        needed.clear(2 * self.instance.variables());
        for &clause in clauses {
            debug_assert_eq!(
                self.supports[clause as usize] > 0,
                self.is_supported(clause, None),
                "what is assigned stands in the model"
            );
            if self.supports[clause as usize] == 0 && !self.support(clause) {
                self.add_needed(clause, block?, true, needed)?;
                need.clauses.push(clause);
            }
        }
        need.literals.extend_from_slice(&needed.list);
        Some(need)
    }

    /// Makes a clause true by an existential literal of the model, by turning round one that no other clause needs.
    fn support(&mut self, clause: ClauseId) -> bool {
        let open = self.store.get(clause).iter().copied();
        let mut existential = open.filter(|&l| self.is_open(l) && self.is_existential(l));
        let candidate = existential.find(|&literal| {
            let mut clauses = self.occurrences.of(!literal).iter();
            clauses.all(|&clause| self.is_supported(clause, Some(!literal)))
        });
        if let Some(literal) = candidate {
            self.flip(literal.var().index());
        }
        candidate.is_some()
    }

    /// Adds a literal of a block that makes a clause true, if no literal does so already.
    fn add_needed(
        &self,
        clause: ClauseId,
        block: u32,
        in_model: bool,
        needed: &mut NeededLiterals,
    ) -> Option<()> {
        let open = self.store.get(clause).iter().copied();
        let mut open = open.filter(|&literal| self.is_open(literal));
        if !open.clone().any(|literal| needed.contains(literal)) {
            needed.push(open.find(|&literal| {
                let variable = literal.var().index();
                self.instance.decided[variable] == block
                    && (!in_model || literal.holds(self.model[variable]))
                    && !needed.contains(!literal)
            })?);
        }
        Some(())
    }

    /// Makes the exchange after which an existential literal needs least, if that is less than all that is needed now.
    fn exchange(&mut self, need: &Minterm, block: u32, scratch: &mut NeededLiterals) -> bool {
        let Some(Exchange { old, new, needed }) = self.best_exchange(need, block, scratch) else {
            return false;
        };
        let is_false = |literal: &Lit| !literal.holds(self.model[literal.var().index()]);
        let needed = needed.into_iter().filter(is_false);
        let changed = [old, new].into_iter().chain(needed);
        let changed: Vec<usize> = changed.map(|literal| literal.var().index()).collect();
        for &variable in &changed {
            self.flip(variable);
        }
        self.mend_all(changed)
    }

    /// The exchange that [`Deduction::exchange`] makes.
    fn best_exchange(
        &self,
        need: &Minterm,
        block: u32,
        scratch: &mut NeededLiterals,
    ) -> Option<Exchange> {
        let mut best: Option<Exchange> = None;
        let literals = need
            .clauses
            .iter()
            .flat_map(|&clause| self.store.get(clause));
        // The existential ones are false in the model: they do not make these clauses true.
        let mut costly: Vec<Lit> = literals.map(|&literal| !literal).collect();
        costly.retain(|&literal| self.is_open(literal) && self.is_existential(literal));
        costly.sort_unstable();
        costly.dedup();
        for old in costly {
            let Some(sole) = self.sole_clause(old) else {
                continue;
            };
            for &new in self.store.get(sole) {
                if new == old || !self.is_open(new) || !self.is_existential(new) {
                    continue;
                }
                let limit = best
                    .as_ref()
                    .map_or(need.literals.len(), |best| best.needed.len());
                if self.needs_less(new, block, limit, scratch) {
                    let needed = scratch.list.clone();
                    best = Some(Exchange { old, new, needed });
                }
            }
        }
        best
    }

    /// The clause that only this existential literal of the model makes true, if there is exactly one.
    fn sole_clause(&self, literal: Lit) -> Option<ClauseId> {
        let clauses = self.occurrences.of(literal).iter().copied();
        let mut sole = clauses.filter(|&clause| !self.is_supported(clause, Some(literal)));
        sole.next().filter(|_| sole.next().is_none())
    }

    /// Whether an existential literal that is false in the model needs fewer literals than `limit` to become true; then `needed` has them.
    fn needs_less(
        &self,
        literal: Lit,
        block: u32,
        limit: usize,
        needed: &mut NeededLiterals,
    ) -> bool {
        needed.clear(2 * self.instance.variables());
        for &clause in self.occurrences.of(!literal) {
            if !self.is_supported(clause, Some(!literal))
                && (self.add_needed(clause, block, false, needed).is_none()
                    || needed.list.len() >= limit)
            {
                return false;
            }
        }
        true
    }

    fn is_existential(&self, literal: Lit) -> bool {
        self.instance.quantifier(literal) == Quantifier::Exists
    }

    /// Whether a clause has a literal, other than this one, that is true or, if open, existential
    /// and true in the model.
    fn is_supported(&self, clause: ClauseId, except: Option<Lit>) -> bool {
        self.store.get(clause).iter().any(|&literal| {
            Some(literal) != except
                && if self.is_open(literal) {
                    self.is_existential(literal) && literal.holds(self.model[literal.var().index()])
                } else {
                    self.is_true(literal)
                }
        })
    }
}
