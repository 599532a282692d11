//! Claims about a step that are proved once and used for several purposes.

use crate::compile::Compiled;
use crate::policy::{FEW_PLAYS, MAX_EXAMPLES, PLAYS};
use crate::problem::Problem;
use crate::samples::plays;
use circuit::invariants::{PersistentFacts, Ranking};
use limits::Limits;

/// Claims that hold in all states that play leads to.
#[derive(Debug)]
pub struct Claims {
    /// Facts that stay or go for good, and facts that exclude each other.
    pub persistent: PersistentFacts,
    /// A bound on the length of plays, if there is one.
    pub ranking: Option<Ranking>,
    /// Some states met in random play.
    pub samples: Vec<Vec<bool>>,
}

/// Claims that are proved when they are first asked for.
#[derive(Debug, Default)]
pub struct Proofs {
    found: Option<Claims>,
    /// Whether proofs took too much effort; more time would not help.
    gave_up: bool,
}

impl Proofs {
    /// Whether the claims may say how long plays from a state take, given its facts that matter. That is seldom so, and much sooner
    /// found out than all claims are proved.
    pub fn may_rank(
        &self,
        problem: &Problem,
        compiled: &Compiled,
        facts: &[u64],
        limits: &Limits,
    ) -> bool {
        if let Some(claims) = &self.found {
            return claims.ranking.is_some();
        }
        let plays = plays(problem, compiled, facts, FEW_PLAYS, limits);
        Ranking::may_exist(&problem.step, &compiled.facts, &plays, limits)
    }

    /// The claims that were proved for an earlier question.
    pub fn known(&self) -> Option<&Claims> {
        self.found.as_ref()
    }

    /// The claims that can be proved. `facts` are those that matter of a state where play begins; nothing if the proof
    /// takes too much effort.
    pub fn claims(
        &mut self,
        problem: &Problem,
        compiled: &Compiled,
        facts: &[u64],
        limits: &Limits,
    ) -> Option<&Claims> {
        if self.found.is_none() && !self.gave_up {
            let plays = plays(problem, compiled, facts, PLAYS, limits);
            let mut samples: Vec<Vec<bool>> = plays.into_iter().flatten().collect();
            let found = PersistentFacts::find(&problem.step, &compiled.facts, &samples, limits);
            self.found = found.map(|(persistent, mut prover)| {
                samples.truncate(MAX_EXAMPLES);
                Claims {
                    ranking: Ranking::find(&problem.step, &persistent, &mut prover),
                    persistent,
                    samples,
                }
            });
            // A ranking that a limit left out is searched for again.
            let is_open = |claims: &mut Claims| claims.ranking.is_none() && limits.is_over();
            self.found.take_if(is_open);
            self.gave_up = self.found.is_none() && !limits.is_over();
        }
        self.found.as_ref()
    }
}
