//! Recorded play, made with other reasoners: ours must reproduce it, by the circuit of one step
//! where the game has one of moderate size, and by the rules.

use crate::common::recorded::{Recorded, our_play, public_play};
use crate::common::{game_files, in_parallel, root, say, takes_all};
use rules::{Reasoner, RuleLimits};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use step::{StateMachine, StepLimits, replay};

/// No game takes nearly as long; a machine may be busy.
const SECONDS_PER_GAME: u64 = 120;

/// The counts of following records in one way.
#[derive(Default)]
struct Total {
    records: usize,
    states: usize,
    seconds: f64,
}

/// Follows a record; gives the number of states and what is wrong.
fn follow(machine: &mut StateMachine, name: &str, lines: &str) -> Result<usize, String> {
    let replay = replay(machine, lines).map_err(|error| format!("{name}: {error}"))?;
    if let Some(difference) = replay.difference {
        let text: String = difference.to_string().chars().take(1000).collect();
        return Err(format!("{name}: {text}"));
    }
    let states = lines.matches(r#""type":"state""#).count();
    match replay.states == states && states > 0 {
        true => Ok(states),
        false => Err(format!("{name}: {} of {states} states", replay.states)),
    }
}

/// Follows all records by the circuit, as far as there is one, and by the rules.
fn follow_all(records: Vec<Recorded>) -> [Total; 2] {
    let totals = Mutex::new([Total::default(), Total::default()]);
    in_parallel(records, |recorded| {
        let name = &recorded.name;
        let (game, lines) = (recorded.game(), recorded.lines());
        let limits = || {
            RuleLimits::within(&limits::Limits::until(
                Instant::now() + Duration::from_secs(SECONDS_PER_GAME),
            ))
        };
        let circuit = StateMachine::new(&game, &StepLimits::modest(), limits());
        let circuit = circuit.map_err(|error| format!("{name}: {error}"))?;
        let has_circuit = circuit.circuit().is_ok();
        let rules = Reasoner::with_limits(&game, limits());
        let rules = rules.map_err(|error| format!("{name}: {error}"))?;
        let rules = StateMachine::by_rules(rules);
        for (way, machine) in [has_circuit.then_some(circuit), Some(rules)]
            .into_iter()
            .enumerate()
        {
            let Some(mut machine) = machine else { continue };
            let begin = Instant::now();
            let states = follow(&mut machine, name, &lines)?;
            let total = &mut totals.lock().unwrap()[way];
            total.records += 1;
            total.states += states;
            total.seconds += begin.elapsed().as_secs_f64();
        }
        Ok(())
    });
    let totals = totals.into_inner().unwrap();
    for (total, way) in totals.iter().zip(["circuit", "rules"]) {
        say(&format!(
            "{} records with {} states agree by the {way}: {:.1} s",
            total.records, total.states, total.seconds
        ));
    }
    totals
}

#[test]
fn recorded_play_of_our_games_is_reproduced() {
    let games = game_files().len();
    for total in follow_all(our_play()) {
        assert_eq!(total.records, games, "each game has a record and a circuit");
    }
}

#[test]
#[ignore = "needs ../shared: recorded play of public games"]
fn recorded_play_of_public_games_is_reproduced() {
    let every = if takes_all() { 1 } else { 3 };
    let [by_circuit, by_rules] = follow_all(public_play().into_iter().step_by(every).collect());
    assert!(by_circuit.records > 100 / every && by_rules.records > 200 / every);
}

#[test]
fn records_are_what_their_script_writes() {
    let script = root().join("tests/recorded/record");
    let mut command = Command::new("python3");
    let output = command.arg(script).arg("--check").output();
    let output = output.expect("python3 is installed (scripts/setup --test)");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
}
