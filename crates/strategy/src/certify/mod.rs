//! The value of a policy by the circuit of one step: the value that [`verify`](verify::verify()) computes by the
//! rules, some hundred times faster, and without a list of positions.
//!
//! A [`Policy`] gives the moves of one side in a position; a list that was read from a file is one, a
//! solver that is asked is another. [`certify`] follows it through all positions that can be reached,
//! level by level, 64 states at a time, and computes its value:
//!
//! ```text
//! forwards    states with n steps left --policy, circuit--> those with n-1   (forward)
//! backwards   values with n-1 steps left --means, least or largest--> values with n   (backward)
//! ```
//!
//! Of a level only the numbers of successors are kept, so tens of millions of positions fit. Where a
//! policy lists nothing, play is not followed past a position that is settled: by a move of the role
//! that wins for certain, or an answer that leaves it nothing.
//!
//! How much this proves: the search engine uses the circuit too, so a wrong circuit could
//! deceive both. Therefore some positions are compared with the rules (`spot_check`), the first ones
//! and then one in [`SAMPLE`]: the legal moves, the successor of each joint move, the payoff at the end. Nothing
//! else is shared with solvers, and values are whole numbers over a denominator that is known for each
//! level.
//!
//! Mistakes are not explained here: the verdict is a doubt, and `verify` finds the position
//! that shows the mistake.

mod backward;
mod forward;
mod listed;
mod spot_check;

pub use listed::{ListedPolicy, by_circuit};
pub use spot_check::SAMPLE;

use gdl::game::{Game, Objective, largest_value};
use gdl::{Name, Term};
use limits::{Limits, StopReason};
use num_rational::BigRational;
use rules::{Reasoner, RuleLimits};
use step::{StateBatch, StateMachine, StepError, StepLimits};
use verify::{Side, VerifyError};

/// No entry: nothing is claimed.
pub const NO_ENTRY: u32 = u32::MAX;

/// The policy of one side. Positions are states, as rows of bits over the facts of a
/// [`GroundStep`](step::GroundStep), with the steps left; moves are indexes in its lists.
pub trait Policy {
    /// The reason why it cannot say.
    type Error;

    /// The role's move, and an entry for [`Policy::agrees`]; none if it does not know the position.
    ///
    /// # Errors
    /// When it cannot say.
    fn decide(&mut self, state: &[u64], steps: u32) -> Result<Option<(u32, u32)>, Self::Error>;

    /// The opponents' answer to each of these moves of the role, all appended to `replies`, one move
    /// for each opponent; gives an entry for [`Policy::agrees`], or none if it does not know.
    ///
    /// # Errors
    /// When it cannot say.
    fn answer(
        &mut self,
        state: &[u64],
        steps: u32,
        actions: &[u32],
        replies: &mut Vec<u32>,
    ) -> Result<Option<u32>, Self::Error>;

    /// Whether this side claims values of positions, so that each must be looked at.
    fn makes_claims(&self, side: Side) -> bool;

    /// Whether a value is the one that is claimed in an entry: for a move of the role, or else for
    /// the position.
    fn agrees(
        &self,
        side: Side,
        entry: u32,
        action: Option<u32>,
        value: &dyn Fn(&BigRational) -> bool,
    ) -> bool;
}

/// A question about a policy.
#[derive(Clone, Debug)]
pub struct PolicyQuestion {
    /// The role that the value is for.
    pub role: Name,
    /// The facts of the state that play starts from.
    pub start: Vec<Term>,
    /// The number of steps that count.
    pub depth: u32,
    /// The objective: the quantity that the role maximizes.
    pub objective: Objective,
}

/// The value of one side of a policy.
#[derive(Clone, PartialEq, Debug)]
pub enum Certified {
    /// Exactly this.
    Worth(BigRational),
    /// It is silent somewhere, makes a move that is not legal, claims a wrong value, or the game is
    /// not valid.
    Doubtful,
    /// A limit was reached.
    Stopped(StopReason),
}

/// Work that was done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Positions in which play goes on.
    pub positions: u64,
    /// Those of them that were compared with the rules.
    pub compared: u64,
    /// Entries of the policy that were used, if it makes claims.
    pub entries: u64,
}

/// Why no value was computed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CertifyError<E> {
    /// The game has no circuit.
    #[error("one step of the game is no circuit: {0}")]
    Step(#[from] StepError),
    /// The rules cannot be evaluated, or are not those of a game.
    #[error(transparent)]
    Rules(VerifyError),
    /// A fact of the start that no play leads to.
    #[error("the fact {0} of the start cannot come true in this game")]
    UnknownFact(Term),
    /// Circuit and rules do not agree.
    #[error("the circuit of one step and the rules disagree in the state {0:?}: this is a bug")]
    Disagreement(Vec<Term>),
    /// The policy failed.
    #[error("no move is known")]
    Policy(E),
}

/// A game with the circuit of its step, ready to follow policies.
pub struct Certifier {
    machine: StateMachine,
    batch: StateBatch,
    asked: PolicyQuestion,
    /// No value is larger than this.
    largest: BigRational,
}

impl Certifier {
    /// Makes the circuit.
    ///
    /// # Errors
    /// When the rules cannot be evaluated, the game has no circuit or not that role.
    pub fn new<E>(
        game: &Game,
        asked: PolicyQuestion,
        step: &StepLimits,
    ) -> Result<Self, CertifyError<E>> {
        let rules = |error| CertifyError::Rules(VerifyError::Rules(error));
        let limits = RuleLimits::within(&step.overall);
        // From where play starts as the game says it the circuit is that of the game itself.
        let mut reasoner = Reasoner::with_limits(game, limits.clone()).map_err(rules)?;
        let initial = reasoner.initial().map_err(rules)?;
        let starts = if reasoner.state(&asked.start).map_err(rules)? == initial {
            &[]
        } else {
            std::slice::from_ref(&asked.start)
        };
        let machine = StateMachine::starting_from(game, starts, step, limits).map_err(rules)?;
        let batch = match StateBatch::new(&machine) {
            Some(batch) => batch,
            None => return Err(machine.circuit().expect_err("there is none").clone().into()),
        };
        Ok(Certifier {
            largest: largest_value(
                &game.starting_from(&asked.start),
                &asked.role,
                asked.objective,
            ),
            machine,
            batch,
            asked,
        })
    }

    /// The circuit with its names, which policies have to speak of.
    pub fn ground(&self) -> &step::GroundStep {
        self.batch.ground()
    }
}

/// Computes the value of one side of a policy.
///
/// # Errors
/// When the policy fails, or circuit and rules differ.
pub fn certify<P: Policy>(
    certifier: &mut Certifier,
    side: Side,
    policy: &mut P,
    limits: &Limits,
) -> Result<(Certified, Effort), CertifyError<P::Error>> {
    let mut effort = Effort::default();
    let levels = forward::explore(certifier, side, policy, limits, &mut effort);
    let certified = match levels {
        Ok(levels) => {
            effort.entries = levels.entries();
            value_of(&levels, side, policy, limits)
        }
        Err(forward::EarlyEnd::Doubt) => Certified::Doubtful,
        Err(forward::EarlyEnd::Stopped(reason)) => Certified::Stopped(reason),
        Err(forward::EarlyEnd::Failed(error)) => return Err(error),
    };
    Ok((certified, effort))
}

fn value_of<P: Policy>(
    levels: &forward::Levels,
    side: Side,
    policy: &P,
    limits: &Limits,
) -> Certified {
    match backward::value(levels, side, policy, limits) {
        Ok(Some(value)) => Certified::Worth(value),
        Ok(None) => Certified::Doubtful,
        Err(reason) => Certified::Stopped(reason),
    }
}
