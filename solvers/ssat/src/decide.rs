//! The order in which variables of a component are chosen.

use super::cache;
use super::component::Component;
use super::frame::{Combine, Decisions, NextDecision};
use super::heuristic;
use super::search::Search;
use base::value::Numerator;
use formula::{Lit, Quantifier, Var};

impl<N: Numerator> Search<'_, '_, N> {
    /// What is decided next in a component, all reasons in order:
    ///
    /// 1. pure literals, all at once;
    /// 2. the variable that another thread has decided here, the other way round;
    /// 3. the only literal of chance or of the opponent that the known model needs to win;
    /// 4. else, of the outermost block, the variable with the best score: among those that the model needs, if that is known.
    ///
    /// The first value is that of the known model, or for the opponent the one that makes more clauses shorter.
    pub(super) fn next_decision(
        &self,
        component: &Component<N>,
        needed: Option<&[Lit]>,
    ) -> NextDecision {
        let variables = &self.splitter.elements[component.variables.clone()];
        // Chance has none.
        if component.exists || component.forall {
            let pure = heuristic::pure_literals(&self.deduction, &self.residual, variables);
            if !pure.is_empty() {
                return NextDecision {
                    combine: Combine::Alone,
                    decisions: Decisions::All(pure),
                    is_won: false,
                };
            }
        }
        let joined = match self.parallel.is_together && self.anytime.pass.is_none() {
            true => self.join(cache::hash(&self.key), component.id, variables),
            false => None,
        };
        let decision = match (joined, needed) {
            (Some(literal), _) => literal,
            (None, Some(&[literal])) => literal,
            (None, Some(needed)) => {
                let needed: Vec<u32> = needed.iter().map(|lit| lit.var().index() as u32).collect();
                heuristic::choose(&self.deduction, &self.residual, &needed, self.nearness())
            }
            (None, None) => {
                heuristic::choose(&self.deduction, &self.residual, variables, self.nearness())
            }
        };
        NextDecision {
            combine: self.combine(decision),
            decisions: Decisions::either(decision),
            is_won: needed == Some(&[decision]),
        }
    }

    /// The same where only old lists are known, since the component is too large to split it now: the first variable that is open, which stands in its
    /// outermost block.
    pub(super) fn next_of_stale(&self, variable: Var) -> NextDecision {
        let decision = heuristic::first_value(&self.deduction, &self.residual, variable);
        NextDecision {
            combine: self.combine(decision),
            decisions: Decisions::either(decision),
            is_won: false,
        }
    }

    /// The operation by which the branches of a decision give the value of its node.
    fn combine(&self, decision: Lit) -> Combine {
        match self.deduction.instance.quantifier(decision) {
            _ if self.deduction.instance.is_defined[decision.var().index()] => Combine::Sum,
            Quantifier::Exists => Combine::Maximum,
            Quantifier::Forall => Combine::Minimum,
            Quantifier::Chance => Combine::Mean,
        }
    }
}
