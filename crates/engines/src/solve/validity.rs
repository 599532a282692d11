//! Is there a value at all, and of the whole game? For the route by formulas, which cannot see it.
//!
//! A formula knows no state without a value: where a role cannot move, or has two goal values at the end, it
//! counts as lost, and so does a play that is not over after the last step. So this is asked of the step:
//!
//! 1. some random plays show most defects;
//! 2. by induction it is proved that no state has one, which takes milliseconds for most games;
//! 3. else the other engine values the game, which looks at each state that it needs. If it meets no
//!    defect, the value rests on none, and so does that of the formula;
//! 4. if that takes too long, the answer names what it rests on.

use crate::answer::counted;
use crate::engine::Options;
use crate::error::{Error, ErrorKind};
use crate::question::{Play, Question};
use crate::search::{Search, SearchError};
use crate::start::reasoner;
use formula::Outcome;
use gdl::Name;
use gdl::game::{Game, GoalValues};
use limits::Limits;
use prove::{Property, Prover, Settings, Verdict, Witness};
use rules::{PlayDefect, PlayFinding, PlaySettings, ReasonerError, defect, simulate};
use std::time::Duration;

/// The longest time for random plays.
const PLAY_TIME: Duration = Duration::from_millis(500);

/// The longest time for proofs by induction.
const PROOF_TIME: Duration = Duration::from_millis(300);

/// The longest time for the other engine, and for the length of plays.
const SEARCH_TIME: Duration = Duration::from_secs(20);
const LENGTH_TIME: Duration = Duration::from_millis(300);

/// The condition that the value of a formula rests on where nothing is proved.
pub(super) const NOT_PROVED: &str =
    "every state that play leads to has a value, which was not proved";

/// The result of the checks.
#[derive(Clone, Copy)]
pub(super) struct Checked {
    /// The condition that the value rests on without proof.
    pub(super) exact_if: Option<&'static str>,
    /// After how many steps every play is over, if that is known.
    over_after: Option<u32>,
}

impl Checked {
    /// Whether plays may go on after the last step that counts.
    pub(super) fn cuts_off(&self, depth: u32) -> bool {
        self.over_after.is_none_or(|steps| steps > depth)
    }
}

/// The findings of a few random plays.
#[derive(Default)]
pub struct PlayoutFindings {
    /// Some play was not over after the last step.
    pub(super) is_longer: bool,
    /// After how many steps several players had a choice at the same time, if that was seen.
    together_after: Option<usize>,
    /// For each player the first that had the same points at the end of all plays, where these were not always the same.
    same_goals: Vec<Option<usize>>,
    /// For each player whether it had more than one move in these plays.
    chooses: Vec<bool>,
    /// Slips of the author: the value may be that of another game than was meant.
    slips: Vec<String>,
}

impl PlayoutFindings {
    /// Whether several players had a choice at the same time in these plays.
    pub fn has_simultaneous_choices(&self) -> bool {
        self.together_after.is_some()
    }

    /// The remark about players that have a choice at the same time: the role moves first.
    pub(super) fn remark(&self) -> Option<String> {
        let steps = counted(self.together_after?, "step");
        Some(format!(
            "several roles have a choice in one step, for example after {steps}: opponents are taken to know the \
             role's move (the option `mixed` values play in which they do not)"
        ))
    }

    /// The remarks about slips of the author.
    pub(super) fn slips(&self) -> impl Iterator<Item = String> {
        self.slips.iter().map(|slip| format!("warning: {slip}"))
    }

    /// The remark about opponents that count as one side, though they got different points in these plays.
    pub(super) fn coalition_remark(&self, game: &Game, role: &Name) -> Option<String> {
        let players = game.players().zip(&self.same_goals).zip(&self.chooses);
        let opponents = players.filter(|((player, _), chooses)| *player != role && **chooses);
        let (names, goals): (Vec<&str>, Vec<Option<usize>>) = opponents
            .map(|((player, goals), _)| (player.as_str(), goals))
            .unzip();
        if goals.iter().all(|own| *own == goals[0]) {
            return None;
        }
        Some(format!(
            "{} are taken to play against {role} together, though their points differ (the opponents `selfish` each \
             play for themselves)",
            names.join(" and ")
        ))
    }

    /// The remark about players who may be on the role's side.
    pub(super) fn team_remark(&self, game: &Game, role: &Name, play: Play) -> Option<String> {
        let players: Vec<&Name> = game.players().collect();
        let own = players.iter().position(|player| *player == role)?;
        let class = (*self.same_goals.get(own)?)?;
        let is_partner = |player: &usize| *player != own && self.same_goals[*player] == Some(class);
        let partners = (0..players.len()).filter(is_partner);
        let partners: Vec<&str> = partners.map(|player| players[player].as_str()).collect();
        if partners.is_empty() {
            return None;
        }
        let have = if partners.len() == 1 { "has" } else { "have" };
        let shares = match play == Play::Hidden {
            true => " and shares all that its members see",
            false => "",
        };
        Some(format!(
            "{} {have} the points of {role} in every play that was tried, and counts as an opponent: the role \
             `{role}+{}` is the team that decides together{shares}",
            partners.join(" and "),
            partners.join("+")
        ))
    }
}

/// Refuses a game that a few random plays find to have no value. Plays show defects, they do not prove that
/// there are none; a game too hard to play this way passes.
pub fn try_playing(game: &Game, steps: u32, limits: &Limits) -> Result<PlayoutFindings, Error> {
    let settings = PlaySettings {
        playouts: 10,
        plies: steps as usize,
        time: Some(limits.share(PLAY_TIME)),
        ..PlaySettings::default()
    };
    let simulation =
        reasoner(game, limits).and_then(|mut reasoner| simulate(game, &mut reasoner, &settings));
    let Ok(simulation) = simulation else {
        return Ok(PlayoutFindings::default());
    };
    let together = simulation.observations.simultaneous_choice;
    let seen = &simulation.observations.goal_values;
    let classes = simulation.observations.same_goals.iter().zip(seen);
    let mut tried = PlayoutFindings {
        is_longer: false,
        same_goals: classes
            .map(|(class, values)| (values.len() > 1).then_some(*class))
            .collect(),
        together_after: together.map(|history| history.len()),
        chooses: (game.roles().iter().zip(&simulation.observations.max_moves))
            .filter(|(role, _)| !role.is_random())
            .map(|(_, most)| *most > 1)
            .collect(),
        slips: Vec::new(),
    };
    for finding in simulation.findings {
        tried.is_longer |= matches!(finding.defect, PlayDefect::DoesNotEnd(_));
        if finding.defect.is_error() {
            return Err(no_value(game, &finding));
        }
        if finding.defect.is_slip() {
            tried.slips.push(finding.to_string());
        }
    }
    Ok(tried)
}

/// The checks beside the value of a formula. `is_longer` says that some play is known to go on
/// after `depth` steps; `all_lengths` asks how long plays are at most.
pub(super) fn check_by_steps(
    game: &Game,
    question: &Question,
    depth: u32,
    options: &Options,
    is_longer: bool,
    all_lengths: bool,
) -> Result<Checked, Error> {
    let limits = &options.limits;
    let mut checked = Checked {
        exact_if: Some(NOT_PROVED),
        over_after: None,
    };
    let goals = one_number_of_points(game, &question.role);
    let ends = Property::Terminates(depth);
    let mut properties = vec![Property::LegalNonempty];
    properties.extend(goals.clone());
    if !is_longer && !all_lengths {
        properties.push(ends.clone());
    }
    let verdicts = prove(game, &properties, limits);
    for verdict in &verdicts {
        if let Verdict::Refuted(witness) = verdict {
            refuse(game, question, depth, witness, limits)?;
        }
    }
    let is_proved = |property: &Property| {
        let mut proved = properties.iter().zip(&verdicts);
        proved.any(|(other, verdict)| other == property && verdict.is_proved())
    };
    if is_proved(&Property::LegalNonempty) && goals.as_ref().is_some_and(is_proved) {
        checked.exact_if = None;
    }
    if is_proved(&ends) {
        checked.over_after = Some(depth);
    }
    if checked.exact_if.is_none() && (is_longer || checked.over_after.is_some()) {
        return Ok(checked);
    }
    let objective = question.payoff("a formula")?;
    let mut search = match Search::new(game, &question.role, objective, &options.search()) {
        Ok(search) => search,
        Err(_) => return Ok(checked),
    };
    let start = search.initial();
    let limits = |time: Duration| limits.for_engine().within(limits.share(time));
    if checked.exact_if.is_some() {
        match search.solve(&start, Some(depth), &limits(SEARCH_TIME)) {
            Ok(found) => {
                if let Outcome::Solved(_) = found.outcome {
                    checked.exact_if = None;
                }
            }
            Err(error @ SearchError::Defect(_)) => return Err(error.into()),
            Err(_) => {}
        }
    }
    if !is_longer && checked.over_after.is_none() {
        checked.over_after = search.horizon(&start, &limits(LENGTH_TIME)).ok();
    }
    Ok(checked)
}

/// At the end the role has exactly one goal value, and that is a number of points; none if names of the
/// game have no place in formulas, or values that are no points are too many to be listed.
fn one_number_of_points(game: &Game, role: &Name) -> Option<Property> {
    let goal = |value: &str| format!("(goal {role} {value})");
    let others = GoalValues::of(game, role).others;
    if others.len() == GoalValues::MAX_OTHERS {
        return None;
    }
    let others = others
        .iter()
        .map(|value| format!("(not {})", goal(&value.to_string())));
    let others: Vec<String> = others.collect();
    let text = format!(
        "(=> terminal (and (exactly 1 {}) {}))",
        goal("_"),
        others.join(" ")
    );
    Property::parse(&text).ok()
}

/// Whether it is proved by induction that every state that play leads to has a value for the role.
pub(super) fn is_proved(game: &Game, role: &Name, limits: &Limits) -> bool {
    let Some(goals) = one_number_of_points(game, role) else {
        return false;
    };
    let verdicts = prove(game, &[Property::LegalNonempty, goals], limits);
    !verdicts.is_empty() && verdicts.iter().all(Verdict::is_proved)
}

/// The verdicts on these properties, found in a short time; none if the game is too hard.
fn prove(game: &Game, properties: &[Property], limits: &Limits) -> Vec<Verdict> {
    let settings = Settings {
        plays: 10,
        ..Settings::brief(limits.within(limits.share(PROOF_TIME)))
    };
    let verdicts =
        Prover::new(game, settings).and_then(|mut prover| prover.prove_with_features(properties));
    verdicts.unwrap_or_default()
}

/// Refuses a game with a play to a state that has no value, if it is reached within `depth` steps.
fn refuse(
    game: &Game,
    question: &Question,
    depth: u32,
    witness: &Witness,
    limits: &Limits,
) -> Result<(), Error> {
    match defect_after(game, question, witness, limits) {
        Ok(Some(finding)) => {
            // With no step left no role has to move.
            let is_stuck = matches!(finding.defect, PlayDefect::NoLegalMove(_));
            let needed = finding.history.len() + usize::from(is_stuck);
            if needed <= depth as usize {
                Err(no_value(game, &finding))
            } else {
                Ok(())
            }
        }
        // A property that is about something else, or rules that are too hard to follow.
        Ok(None) | Err(_) => Ok(()),
    }
}

fn defect_after(
    game: &Game,
    question: &Question,
    witness: &Witness,
    limits: &Limits,
) -> Result<Option<PlayFinding>, ReasonerError> {
    let mut reasoner = reasoner(game, limits)?;
    let mut state = reasoner.initial()?;
    for joint_move in &witness.joint_moves {
        state = reasoner.next(&state, joint_move)?;
    }
    let role = game.role(&question.role).expect("the role was checked");
    let found = defect(&mut reasoner, &state, role)?;
    Ok(found.map(|defect| PlayFinding {
        defect,
        history: witness.joint_moves.clone(),
        state: reasoner.facts(&state),
    }))
}

fn no_value(game: &Game, finding: &PlayFinding) -> Error {
    let finding = as_written(game, finding);
    Error::new(
        ErrorKind::Game,
        format!("{} has no value: {finding}", game.name()),
    )
}

/// The same with moves of the roles as they are written, not of teams.
pub(super) fn as_written(game: &Game, finding: &PlayFinding) -> PlayFinding {
    let history = finding.history.iter();
    PlayFinding {
        history: history
            .map(|joint_move| game.as_written(joint_move))
            .collect(),
        ..finding.clone()
    }
}
