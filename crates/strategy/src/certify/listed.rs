//! A strategy in a list as a policy, and its proof by the circuit.

use super::{Certified, Certifier, CertifyError, NO_ENTRY, Policy, PolicyQuestion, certify};
use gdl::game::{Game, Sides};
use limits::Limits;
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};
use std::convert::Infallible;
use step::{GroundStep, StepError, StepLimits};
use verify::TermNumber;
use verify::{Position, Strategy};
use verify::{Side, Verdict, Verification, check_heading, positions_name, verify};

/// Where a strategy speaks of a position.
type Entries = FxHashMap<(Box<[u64]>, Option<u32>), u32>;

/// A strategy in the numbers of a circuit.
pub struct ListedPolicy<'a> {
    strategy: &'a Strategy,
    /// The index of each term of the strategy among the facts.
    facts: Vec<Option<u32>>,
    /// For each role the index of each term among its moves.
    moves: Vec<Vec<Option<u32>>>,
    sides: Sides,
    player: Entries,
    opponents: Entries,
}

impl<'a> ListedPolicy<'a> {
    /// None if a position is listed twice, or the role is not in the game.
    pub fn new(strategy: &'a Strategy, ground: &GroundStep) -> Option<Self> {
        let terms = strategy.terms.all();
        let index = |index: Option<usize>| index.map(|index| index as u32);
        let moves = (0..ground.roles.len()).map(|role| {
            terms
                .iter()
                .map(|t| index(ground.action(role, t)))
                .collect()
        });
        let mut listed = ListedPolicy {
            strategy,
            facts: terms.iter().map(|t| index(ground.fact(t))).collect(),
            moves: moves.collect(),
            sides: Sides::of(&ground.roles, &strategy.heading.role).ok()?,
            player: Entries::default(),
            opponents: Entries::default(),
        };
        let words = ground.facts.len().div_ceil(64).max(1);
        let player = strategy.player.iter().map(|decision| &decision.position);
        listed.player = listed.entries(player, words)?;
        let opponents = strategy.opponents.iter().map(|response| &response.position);
        listed.opponents = listed.entries(opponents, words)?;
        Some(listed)
    }

    /// Positions by state; those with facts that never hold cannot be reached, and are left out.
    fn entries<'p>(
        &self,
        positions: impl Iterator<Item = &'p Position>,
        words: usize,
    ) -> Option<Entries> {
        let mut entries = Entries::default();
        let mut others: FxHashSet<(Vec<TermNumber>, Option<u32>)> = FxHashSet::default();
        for (entry, position) in positions.enumerate() {
            let mut row = vec![0; words];
            let indexes = position.facts.iter().map(|&fact| self.facts[fact as usize]);
            let mut can_hold = true;
            for index in indexes {
                match index {
                    Some(index) => row[index as usize / 64] |= 1 << (index % 64),
                    None => can_hold = false,
                }
            }
            let is_new = if can_hold {
                let key = (row.into(), position.steps);
                entries.insert(key, entry as u32).is_none()
            } else {
                let mut facts = position.facts.to_vec();
                facts.sort_unstable();
                facts.dedup();
                others.insert((facts, position.steps))
            };
            if !is_new {
                return None;
            }
        }
        Some(entries)
    }

    fn entry(entries: &Entries, state: &[u64], steps: u32) -> Option<u32> {
        let mut key = (state.into(), Some(steps));
        let exact = entries.get(&key);
        key.1 = None;
        exact.or_else(|| entries.get(&key)).copied()
    }
}

impl Policy for ListedPolicy<'_> {
    type Error = Infallible;

    fn decide(&mut self, state: &[u64], steps: u32) -> Result<Option<(u32, u32)>, Infallible> {
        let said = Self::entry(&self.player, state, steps).and_then(|entry| {
            let action = self.strategy.player[entry as usize].action;
            Some((self.moves[self.sides.role][action as usize]?, entry))
        });
        Ok(said)
    }

    fn answer(
        &mut self,
        state: &[u64],
        steps: u32,
        actions: &[u32],
        replies: &mut Vec<u32>,
    ) -> Result<Option<u32>, Infallible> {
        let Some(entry) = Self::entry(&self.opponents, state, steps) else {
            return Ok(None);
        };
        let answers = &self.strategy.opponents[entry as usize].answers;
        let own = &self.moves[self.sides.role];
        for &action in actions {
            let mut meant = answers
                .iter()
                .filter(|a| own[a.action as usize] == Some(action));
            let Some(answer) = meant.next() else {
                return Ok(None);
            };
            for (&opponent, &reply) in self.sides.opponents.iter().zip(&answer.reply) {
                match self.moves[opponent][reply as usize] {
                    Some(reply) => replies.push(reply),
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(entry))
    }

    fn makes_claims(&self, side: Side) -> bool {
        match side {
            Side::Role => true,
            Side::Opponents => !self.sides.opponents.is_empty(),
        }
    }

    fn agrees(
        &self,
        side: Side,
        entry: u32,
        action: Option<u32>,
        value: &dyn Fn(&BigRational) -> bool,
    ) -> bool {
        if entry == NO_ENTRY {
            return true;
        }
        let claimed = match (side, action) {
            (Side::Role, _) => &self.strategy.player[entry as usize].value,
            (Side::Opponents, None) => &self.strategy.opponents[entry as usize].value,
            (Side::Opponents, Some(action)) => {
                let own = &self.moves[self.sides.role];
                let answers = &self.strategy.opponents[entry as usize].answers;
                let mut meant = answers
                    .iter()
                    .filter(|a| own[a.action as usize] == Some(action));
                match meant.next() {
                    Some(answer) => &answer.value,
                    None => return false,
                }
            }
        };
        claimed.as_ref().is_none_or(value)
    }
}

/// Like [`verify`](verify()), with the circuit of one step in place of the rules; `compared` in the statistics
/// tells how many positions were compared with the rules. If the circuit finds a mistake, the rules
/// have to find it too, and say where. Without a step limit the rules are used all the same.
///
/// # Errors
/// As [`verify`](verify()); also when the game has no circuit.
pub fn by_circuit(
    game: &Game,
    strategy: &Strategy,
    limits: &Limits,
) -> Result<Verification, CertifyError<Infallible>> {
    check_heading(game, &strategy.heading).map_err(CertifyError::Rules)?;
    let heading = &strategy.heading;
    let Some(depth) = heading.depth else {
        return verify(game, strategy, limits).map_err(CertifyError::Rules);
    };
    let asked = PolicyQuestion {
        role: heading.role.clone(),
        start: heading.start.clone(),
        depth,
        objective: heading.objective,
    };
    let largest = heading.largest(game);
    let stopped = |reason| Verification::stopped(reason, largest.clone());
    let step = StepLimits::default().within(limits);
    let mut certifier = match Certifier::new(game, asked, &step) {
        Err(CertifyError::Step(error)) => {
            return match error {
                StepError::Stopped(reason) => Ok(stopped(reason)),
                error => Err(error.into()),
            };
        }
        certifier => certifier?,
    };
    let explained = || verify(game, strategy, limits).map_err(CertifyError::Rules);
    let Some(mut listed) = ListedPolicy::new(strategy, certifier.ground()) else {
        return explained();
    };
    let mut statistics = Vec::new();
    let (mut compared, mut entries) = (0, 0);
    let promised = &heading.value;
    for side in [Side::Role, Side::Opponents] {
        let (certified, effort) = certify(&mut certifier, side, &mut listed, limits)?;
        compared += effort.compared;
        entries += effort.entries;
        statistics.push((positions_name(side), effort.positions));
        match certified {
            Certified::Worth(value) if value == *promised => {}
            Certified::Worth(_) | Certified::Doubtful => {
                let verification = explained()?;
                return match verification.verdict {
                    Verdict::Proved(_) => Err(CertifyError::Disagreement(heading.start.clone())),
                    _ => Ok(verification),
                };
            }
            Certified::Stopped(reason) => {
                let mut verification = stopped(reason);
                if let (Side::Opponents, Verdict::Stopped { lower, .. }) =
                    (side, &mut verification.verdict)
                {
                    *lower = promised.clone();
                }
                statistics.push(("compared", compared));
                verification.statistics = statistics;
                return Ok(verification);
            }
        }
    }
    let listed = strategy.player.len() + strategy.opponents.len();
    statistics.push(("compared", compared));
    statistics.push(("unreached", listed as u64 - entries));
    Ok(Verification {
        verdict: Verdict::Proved(promised.clone()),
        statistics,
    })
}
