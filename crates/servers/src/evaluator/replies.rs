//! Why a move is worth what it is: the opponents' replies to it, the outcomes that chance gives each of
//! them, and the values of the positions after those, from which the others follow as mean and minimum.

use super::protocol::{ChanceOutcome, OpponentReply};
use engines::Fraction;
use engines::answer::unknown_in;
use engines::answer::{Amount, Worth};
use engines::{Engine, Position, Query, locate, own_machine, rule_limits};
use engines::{Error, ErrorKind};
use formula::{BigRational, Bound};
use gdl::game::{Sides, count_joint_moves, joint_moves};
use gdl::{Name, Term, did_you_mean_term};
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_traits::Zero;
use step::{Position as Place, StateMachine};

/// The most positions after one move that are valued.
const MAX_POSITIONS: usize = 10_000;

/// The replies of the opponents to a move, each with its value.
pub(super) struct MoveReplies {
    pub(super) action: Term,
    pub(super) replies: Vec<OpponentReply>,
    pub(super) stopped_by: Option<StopReason>,
    pub(super) states: u64,
}

/// All replies of the opponents to a move of the role in the position of a query. Without an action the role must have only one move.
pub(super) fn replies(
    machine: &mut StateMachine,
    engine: &mut dyn Engine,
    query: &Query,
    action: Option<Term>,
) -> Result<MoveReplies, Error> {
    let mut own = own_machine(machine, &query.position);
    let machine = own.as_mut().unwrap_or(machine);
    machine.reasoner().set_limits(rule_limits(&query.limits));
    let start = locate(machine, &query.position)?;
    let refused = |text: &str| Error::new(ErrorKind::Position, text.to_owned());
    if machine.terminal(&start)? {
        return Err(refused(
            "the play is over in this position: no move can follow",
        ));
    }
    if query.depth == Some(0) {
        return Err(refused("no step is left: ask with a larger depth"));
    }
    let roles = 0..machine.roles().len();
    let legal: Vec<Vec<Term>> = roles
        .map(|role| machine.legal(&start, role))
        .collect::<Result<_, _>>()?;
    let action = chosen(&legal[query.role], action)?;
    let random = Sides::new(machine.roles(), query.role).random;
    let opponents: Vec<Vec<Term>> = legal
        .iter()
        .enumerate()
        .map(|(role, moves)| match role {
            role if role == query.role => vec![action.clone()],
            // Chance comes last; until then its first move stands for all.
            role if Some(role) == random => moves.iter().take(1).cloned().collect(),
            _ => moves.clone(),
        })
        .collect();
    let chances = random.map_or(1, |random| legal[random].len());
    let count = count_joint_moves(&opponents).saturating_mul(chances);
    if count > MAX_POSITIONS {
        return Err(Error::new(
            ErrorKind::TooLarge,
            format!("more than {MAX_POSITIONS} positions may follow this move: too many to list"),
        ));
    }
    let is_rival = |role: &usize| *role != query.role && Some(*role) != random;
    let mut rivals = (0..legal.len()).filter(is_rival);
    let rival = rivals.find(|&role| legal[role].len() > 1);
    let mut valuer = Valuer {
        rival: rival.map(|role| machine.roles()[role].clone()),
        engine,
        query,
        limits: query.limits.clone(),
        left: count as u32,
        stopped_by: None,
        states: 0,
    };
    let mut found = Vec::new();
    for joint_move in joint_moves(opponents.iter().map(Vec::as_slice)) {
        let (mut outcomes, mut wanted) = (Vec::new(), BigRational::zero());
        let moves = random.map_or(&[][..], |random| &legal[random]);
        for number in 0..chances {
            let mut whole = joint_move.clone();
            if let Some(random) = random {
                whole[random] = moves[number].clone();
            }
            let next = machine.next(&start, &whole)?;
            let (outcome, gain) = valuer.outcome(machine, &next, moves.get(number), chances)?;
            outcomes.push(outcome);
            wanted += gain;
        }
        found.push((wanted, reply(&joint_move, random, outcomes)));
    }
    let prefers_small = valuer.engine.prefers_small();
    found.sort_by(|(wanted, left), (other_wanted, right)| {
        let [one, other] = match prefers_small {
            true => [&right.worth, &left.worth],
            false => [&left.worth, &right.worth],
        };
        let by_upper = one.upper.0.cmp(&other.upper.0);
        let by_lower = one.lower.0.cmp(&other.lower.0);
        (other_wanted.cmp(wanted))
            .then(by_upper)
            .then(by_lower)
            .then_with(|| left.joint_move.cmp(&right.joint_move))
    });
    Ok(MoveReplies {
        action,
        replies: found.into_iter().map(|(_, reply)| reply).collect(),
        stopped_by: valuer.stopped_by,
        states: valuer.states,
    })
}

/// The move that was asked about, which must be legal.
fn chosen(legal: &[Term], action: Option<Term>) -> Result<Term, Error> {
    let list = || {
        let texts: Vec<String> = legal.iter().take(20).map(Term::to_string).collect();
        texts.join(", ")
    };
    match (action, legal) {
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(Error::new(
            ErrorKind::Position,
            format!("say which move, as `move`; legal: {}", list()),
        )),
        (Some(action), legal) if legal.contains(&action) => Ok(action),
        (Some(action), _) => Err(Error::new(
            ErrorKind::Position,
            format!(
                "{action} is not legal here; legal: {}{}",
                list(),
                did_you_mean_term(&action, legal)
            ),
        )),
    }
}

/// Values positions, each in its share of the time.
struct Valuer<'a> {
    /// The opponent that chooses, if one does.
    rival: Option<Name>,
    engine: &'a mut dyn Engine,
    query: &'a Query,
    limits: Limits,
    left: u32,
    stopped_by: Option<StopReason>,
    states: u64,
}

impl Valuer<'_> {
    /// An outcome, and its value for the opponent that chooses, where each role plays for itself; else 0.
    fn outcome(
        &mut self,
        machine: &mut StateMachine,
        next: &Place,
        action: Option<&Term>,
        chances: usize,
    ) -> Result<(ChanceOutcome, BigRational), Error> {
        let time = self.limits.time_left().map(|time| time / self.left.max(1));
        self.left = self.left.saturating_sub(1);
        let evaluation = self.engine.evaluate(&Query {
            position: Position::State(machine.facts(next)),
            depth: self.query.depth.map(|depth| depth - 1),
            moves: false,
            limits: self.query.limits.within(time),
            ..self.query.clone()
        });
        let mut gain = BigRational::zero();
        let outcome = match evaluation {
            Ok(evaluation) => {
                self.states += evaluation.states;
                let roles = evaluation.equilibrium.map_or(Vec::new(), |it| it.roles);
                let mut roles = roles.into_iter();
                if let Some(rival) = roles.find(|each| Some(&each.role) == self.rival.as_ref()) {
                    gain = rival.outcome.bounds().0;
                }
                evaluation.outcome
            }
            Err(error) => {
                let reason = error.stopped_by().ok_or(error)?;
                unknown_in(&self.engine.range(self.query.role), reason)
            }
        };
        self.stopped_by = self.stopped_by.or(outcome.stopped_by());
        let outcome = ChanceOutcome {
            action: action.map(Term::to_string),
            probability: Fraction::from(&BigRational::new(1.into(), BigInt::from(chances))),
            terminal: machine.terminal(next)?,
            worth: Worth::from(&outcome.extent()),
        };
        Ok((outcome, gain))
    }
}

/// A reply is worth the mean of its outcomes.
fn reply(
    joint_move: &[Term],
    random: Option<usize>,
    outcomes: Vec<ChanceOutcome>,
) -> OpponentReply {
    let mean = |bound: fn(&Worth) -> &Amount| {
        let mut sum = BigRational::zero();
        for each in &outcomes {
            match &bound(&each.worth).0 {
                Bound::Finite(value) => sum += each.probability.value() * value,
                Bound::Infinite => return Bound::Infinite,
            }
        }
        Bound::Finite(sum)
    };
    let bounds = (mean(|worth| &worth.lower), mean(|worth| &worth.upper));
    let text = |(role, action): (usize, &Term)| (Some(role) != random).then(|| action.to_string());
    OpponentReply {
        joint_move: joint_move.iter().enumerate().map(text).collect(),
        worth: Worth::from(&bounds),
        outcomes,
    }
}
