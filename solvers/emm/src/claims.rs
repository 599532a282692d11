//! What is proved about a step once, and used for several purposes.

use crate::compile::Compiled;
use crate::lasting::Lasting;
use crate::problem::Problem;
use crate::ranking::Ranking;
use crate::samples::samples;
use formula::Limits;

/// Proofs that are made when they are first asked for.
#[derive(Debug, Default)]
pub struct Claims {
    found: Option<(Lasting, Option<Ranking>)>,
    /// Whether proofs took too long, though nobody interrupted them.
    is_too_hard: bool,
}

impl Claims {
    /// The facts that stay, and whether they bound the length of plays. `facts` are those that matter
    /// of a state where play begins; nothing if it takes too long.
    pub fn get(
        &mut self,
        problem: &Problem,
        compiled: &Compiled,
        facts: &[u64],
        limits: &Limits,
    ) -> Option<&(Lasting, Option<Ranking>)> {
        if self.found.is_none() && !self.is_too_hard {
            let samples = samples(problem, compiled, facts);
            self.found = Lasting::find(problem, &compiled.facts, &samples, limits).map(
                |(lasting, mut prover)| {
                    let ranking = Ranking::find(problem, &lasting, &mut prover);
                    (lasting, ranking)
                },
            );
            let was_limited = limits.interrupt.is_raised() || limits.time.is_some();
            self.is_too_hard = self.found.is_none() && !was_limited;
        }
        self.found.as_ref()
    }
}
