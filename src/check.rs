//! `check`: the validity and the kind of a game.

use crate::report::CheckReport;
use engines::Play;
use gdl::game::{Reading, Refused, classify};
use gdl::texts;
use hidden::{PerceptStatistics, observe_percepts};
use limits::Limits;
use prove::{Finding, Property, Prover, Settings};
use rules::{PlaySettings, Reasoner, RuleLimits, Simulation, simulate};
use std::time::Duration;
use step::StateMachine;

/// The longest time for random plays.
const PLAY_TIME: Duration = Duration::from_secs(10);

/// The longest time for looking at what roles see.
const LOOK_TIME: Duration = Duration::from_secs(3);

/// How much work checking a game may be.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checks {
    /// How many random plays are made.
    pub plays: usize,
    /// The first number of the plays: the same number makes the same plays.
    pub seed: u64,
    /// Whether the legal moves of the initial state are listed.
    pub moves: bool,
    /// The time for proofs of properties with names; none if there is none.
    pub proofs: Duration,
    /// When all is to end.
    pub limits: Limits,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            plays: 20,
            seed: 1,
            moves: false,
            proofs: Duration::from_secs(5),
            limits: Limits::default(),
        }
    }
}

/// The kind of game that was read, the observations in random plays of it, and the properties that can be proved soon.
///
/// ```
/// use sqasp::Report;
///
/// let rules = b"(role guest) (role random) (door a) (door b)
///     (<= (legal ?role (open ?door)) (role ?role) (door ?door))
///     (<= (next won) (does guest (open ?door)) (does random (open ?door)))
///     (<= (next over) (role ?role)) (<= terminal (true over))
///     (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))";
/// let report = sqasp::check("doors", rules, &sqasp::Checks::default())?;
/// assert!(!report.is_refused());
/// assert!(report.text().contains("one player, with chance"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the rules are not those of a valid game: with all that is wrong.
pub fn check(name: &str, rules: &[u8], checks: &Checks) -> Result<CheckReport, Box<Refused>> {
    let reading = gdl::game::read(name, rules, &gdl::Options::default())?;
    Ok(check_reading(&reading, checks))
}

/// The same for a game that was read.
pub(crate) fn check_reading(reading: &Reading, checks: &Checks) -> CheckReport {
    let class = classify(&reading.game);
    let mut report = CheckReport::new(reading, class, play(reading, checks));
    report.percepts = percept_statistics(reading, checks);
    report.proved = prove(reading, checks);
    report.legal = checks.moves.then(|| legal(reading, checks));
    report.stopped = checks.limits.check().err();
    report
}

/// The findings of the random plays; nothing when none were asked for.
fn play(reading: &Reading, checks: &Checks) -> Result<Option<Simulation>, String> {
    if checks.plays == 0 {
        return Ok(None);
    }
    let settings = PlaySettings {
        playouts: checks.plays,
        seed: checks.seed,
        time: Some(PLAY_TIME),
        ..PlaySettings::default()
    };
    let limits = RuleLimits::within(&checks.limits);
    let played = Reasoner::with_limits(&reading.game, limits)
        .and_then(|mut reasoner| simulate(&reading.game, &mut reasoner, &settings));
    played.map(Some).map_err(|error| error.to_string())
}

/// The legal moves of each role in the initial state.
fn legal(reading: &Reading, checks: &Checks) -> Result<Vec<Vec<String>>, String> {
    let limits = RuleLimits::within(&checks.limits);
    let moves = Reasoner::with_limits(&reading.game, limits).and_then(|reasoner| {
        let mut machine = StateMachine::by_rules(reasoner);
        let initial = machine.initial()?;
        let roles = 0..machine.roles().len();
        roles
            .map(|role| Ok(texts(&machine.legal(&initial, role)?)))
            .collect()
    });
    moves.map_err(|error| error.to_string())
}

/// The percepts of each role in random plays; none in a game of full information, or without plays.
fn percept_statistics(reading: &Reading, checks: &Checks) -> Option<PerceptStatistics> {
    let is_hidden = Play::of(&reading.game, false) == Play::Hidden;
    if checks.plays == 0 || !is_hidden {
        return None;
    }
    let limits = checks.limits.within(LOOK_TIME);
    // That the rules cannot be evaluated is told with the other plays.
    observe_percepts(&reading.game, checks.plays, checks.seed, &limits).ok()
}

/// The findings about the properties with names; nothing about the others, and nothing where
/// that takes long.
fn prove(reading: &Reading, checks: &Checks) -> Vec<Finding> {
    if checks.proofs.is_zero() {
        return Vec::new();
    }
    let settings = Settings {
        limits: checks.limits.within(checks.proofs),
        plays: checks.plays.min(20),
        max_steps: 2,
        ..Settings::default()
    };
    let mut found = Vec::new();
    let mut report = |finding: Finding| {
        if !matches!(finding.property, Property::Unique { .. }) {
            found.push(finding);
        }
    };
    // If anything goes wrong, properties are not proved, and the report says so.
    let _ = Prover::new(&reading.game, settings).map(|mut prover| prover.prove_all(&mut report));
    found
}
