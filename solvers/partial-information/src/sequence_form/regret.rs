//! Counterfactual regret minimization (Zinkevich, Johanson, Bowling, Piccione 2007), discounted (Brown, Sandholm: *Solving imperfect-information
//! games via discounted regret minimization*, 2019).
//!
//! Each set keeps for each move the regret not to have played it, and plays moves with regret in proportion. Regrets never fall below 0
//! (CFR+; Tammelin 2014), and fade: before round `t` they are multiplied by `t^1.5 / (t^1.5 + 1)`. The sides take turns, and the average of
//! all plans, that of round `t` with weight `t^2`, is nearly a best plan.
//!
//! In sequence form a round is two products of the sparse payoffs with a plan, and two walks through arrays.

use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::response::best_move;
use crate::sequence_form::tree::SequenceTree;
use limits::{Limits, StopReason};

/// The state of both sides.
pub struct Regrets {
    sides: [Side; 2],
    rounds: u64,
}

/// The numbers of a player, by sequence.
struct Side {
    regrets: Vec<f64>,
    /// The probability of the last move of a sequence in its set.
    shares: Vec<f64>,
    plan: Vec<f64>,
    /// The weighted sum of all plans so far.
    sum: Vec<f64>,
    gains: Vec<f64>,
    /// Whether one move alone is made where no move is regretted. Any mixture is right there; one move leaves the rival fewer plays to walk through, while
    /// uniform mixtures need fewer rounds.
    is_pure: bool,
}

/// The bytes that a sequence takes, here and while plans are rounded.
pub const BYTES: u64 = 5 * 8 + 2 * 8 + 2 * 16;

impl Regrets {
    /// All regrets are 0.
    pub fn new(game: &SequenceGame) -> Self {
        Regrets {
            sides: [0, 1].map(|player| Side::new(game.tree(player), game.entries().is_none())),
            rounds: 0,
        }
    }

    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// A player's average plan, times any factor.
    pub fn average(&self, player: usize) -> &[f64] {
        &self.sides[player].sum
    }

    /// One turn of each side.
    ///
    /// # Errors
    /// If a limit is reached, after which no round may follow.
    pub fn round(&mut self, game: &SequenceGame, limits: &Limits) -> Result<(), StopReason> {
        self.rounds += 1;
        let round = self.rounds as f64;
        let fading = 1.0 - 1.0 / (round.powf(1.5) + 1.0);
        for player in [0, 1] {
            let [first, second] = &mut self.sides;
            let (own, other) = if player == 0 {
                (first, second)
            } else {
                (second, first)
            };
            own.gains.fill(0.0);
            game.add_gains(player, &other.plan, &mut own.gains, limits)?;
            own.learn(game.tree(player), fading);
            own.replan(game.tree(player), round.powi(2));
        }
        Ok(())
    }
}

impl Side {
    fn new(tree: &SequenceTree, is_pure: bool) -> Self {
        let zeros = vec![0.0; tree.sequences()];
        let mut side = Side {
            regrets: zeros.clone(),
            shares: zeros.clone(),
            plan: zeros.clone(),
            sum: zeros.clone(),
            gains: zeros,
            is_pure,
        };
        for set in 0..tree.sets() {
            let moves = tree.moves(set);
            let share = 1.0 / moves.len() as f64;
            side.shares[moves.clone()].fill(share);
            if is_pure {
                side.shares[moves.clone()].fill(0.0);
                side.shares[moves.start] = 1.0;
            }
        }
        side.replan(tree, if is_pure { 0.0 } else { 1.0 });
        side
    }

    /// Updates the regrets by the gains of each sequence, and the mixtures by the regrets.
    fn learn(&mut self, tree: &SequenceTree, fading: f64) {
        for set in (0..tree.sets()).rev() {
            let moves = tree.moves(set);
            let shares = &mut self.shares[moves.clone()];
            let regrets = &mut self.regrets[moves.clone()];
            let gains = &self.gains[moves];
            let products = shares.iter().zip(gains).map(|(share, gain)| share * gain);
            let mean: f64 = products.sum();
            let mut sum = 0.0;
            for (regret, gain) in regrets.iter_mut().zip(gains) {
                *regret = (*regret * fading + gain - mean).max(0.0);
                sum += *regret;
            }
            let uniform = 1.0 / shares.len() as f64;
            for (share, regret) in shares.iter_mut().zip(regrets) {
                *share = if sum > 0.0 { *regret / sum } else { uniform };
            }
            if sum <= 0.0 && self.is_pure {
                let best = best_move(tree, &self.gains, set);
                self.shares[tree.moves(set)].fill(0.0);
                self.shares[best] = 1.0;
            }
            self.gains[tree.parent(set)] += mean;
        }
    }

    /// The plan of the mixtures, and its part of the average.
    fn replan(&mut self, tree: &SequenceTree, weight: f64) {
        self.plan[0] = 1.0;
        self.sum[0] += weight;
        for set in 0..tree.sets() {
            let reach = self.plan[tree.parent(set)];
            for sequence in tree.moves(set) {
                self.plan[sequence] = reach * self.shares[sequence];
                self.sum[sequence] += weight * self.plan[sequence];
            }
        }
    }
}
