//! Every question that options can put about small random games: the value is that of a definition by the rules as written, or the question is
//! refused with a sentence.
//!
//! In the definition each role belongs to a side. It is expected minimax; with `--mixed` each state is a matrix game, whose solution is
//! proved by the best responses to both mixtures; where roles see a part, it is the best plan of one side by what it saw, or the matrix game of all
//! plans of two.

use super::{Ended, Place, end, fraction};
use crate::common::{in_parallel, rounds, say};
use fastrand::Rng;
use gdl::Term;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;

mod case;
mod strategy_file;

use case::{Case, Opponents, played, text_of};
use strategy_file::list;

/// The seed of the first question.
const FIRST_SEED: u64 = 5_000_000;

/// The numbers of cases by kind.
type Counts = Mutex<BTreeMap<String, u64>>;

fn count(counts: &Counts, kind: impl Into<String>) {
    *counts
        .lock()
        .expect("counting does not panic")
        .entry(kind.into())
        .or_default() += 1;
}

/// Runs the command with a question, and compares.
fn check_solve(seed: u64, counts: &Counts) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let place = Place::new();
    let (mut case, text) = Case::random(seed, &mut rng);
    place.write("game.gdl", &text);
    if !case.is_hidden && rng.u8(..3) == 0 {
        case.add_strategy(&place, &mut rng);
    }
    let mut arguments: Vec<String> = ["solve", "game.gdl", "--json"].map(str::to_owned).to_vec();
    arguments.extend(case.arguments(&place));
    if case.mixed {
        arguments.push("--mixed".to_owned());
    }
    if let Some(engine) = case.engine {
        arguments.extend(["--engine", engine].map(str::to_owned));
    }
    if let Some(extra) = case.extra {
        arguments.push(extra.to_owned());
        if extra == "--strategy" {
            arguments.push("written.json".to_owned());
        }
    }
    let ended = end(&mut place.command_with(&arguments));
    let context = || format!("seed {seed}: sqasp {arguments:?}\n{text}\n{ended:?}");
    ended.check_manners(&context());
    if let Some(sentence) = case.refusal() {
        count(counts, format!("refused: {sentence}"));
        let is_refused = [Some(2), Some(65)].contains(&ended.code) && ended.out.is_empty();
        return match is_refused && ended.err.contains(sentence) {
            true => Ok(()),
            false => Err(format!("not refused with `{sentence}`: {}", context())),
        };
    }
    if case.is_hidden && ended.code == Some(65) {
        for known in ["does not know its legal moves", "see different things"] {
            if ended.err.contains(known) {
                count(counts, format!("hidden, {known}"));
                return Ok(());
            }
        }
    }
    if ended.code != Some(0) {
        return Err(format!("no answer: {}", context()));
    }
    let answers: Value = serde_json::from_str(&ended.out).expect("JSON");
    let answers = match case.role.as_deref() {
        Some("all") => list(&answers),
        _ => vec![answers],
    };
    let asked = case.asked();
    if asked.len() != answers.len() {
        return Err(format!("answers are missing: {}", context()));
    }
    for (role, answer) in asked.iter().zip(answers) {
        let points = match case.is_range {
            true => list(&answer["curve"]),
            false => vec![answer.clone()],
        };
        let depths = match (case.is_range, case.depth) {
            (true, Some(last)) => (0..=last).map(Some).collect(),
            _ => vec![case.depth],
        };
        if points.len() != depths.len() {
            return Err(format!("values are missing: {}", context()));
        }
        for (point, depth) in points.iter().zip(depths) {
            let Some(expected) = case.expected(role, depth) else {
                count(counts, "hidden, too many plans");
                continue;
            };
            let found = fraction(&point["value"]);
            if found.as_ref() != Some(&expected) {
                return Err(format!("{expected} is right for {role}: {}", context()));
            }
            if case.extra == Some("--moves") && !case.mixed && !case.is_hidden {
                let moves = list(&point["moves"]);
                let best = moves
                    .iter()
                    .filter_map(|each| fraction(&each["value"]))
                    .max();
                if best.is_some_and(|best| best != expected) {
                    return Err(format!(
                        "{expected} is right for the best move: {}",
                        context()
                    ));
                }
            }
        }
        let is_shared = answer["shared_percepts"].as_bool().unwrap_or(false);
        if is_shared != (case.is_hidden && role.contains('+')) {
            return Err(format!("what a team shares: {}", context()));
        }
    }
    if case.extra == Some("--strategy") && place.path("written.json").exists() {
        let verified = place.run("verify game.gdl written.json --json");
        let verdict: Value = serde_json::from_str(&verified.out).unwrap_or_default();
        if verdict["status"] != "proved" {
            return Err(format!("{verified:?} by verify: {}", context()));
        }
        count(counts, "verified strategies");
    }
    count(counts, kind(&case));
    Ok(())
}

fn kind(case: &Case) -> String {
    let team = case.role.as_ref().is_some_and(|role| role.contains('+'));
    format!(
        "{}{}{}",
        if case.is_hidden {
            "hidden"
        } else if case.mixed {
            "mixed"
        } else {
            "known"
        },
        if team { ", team" } else { "" },
        match case.opponents {
            Opponents::Best => "",
            Opponents::Random => ", random",
            Opponents::Following(_) => ", strategy",
        }
    )
}

/// Builds a table for a question, and looks up the start and a later position by moves of the roles as they are written.
fn check_table(seed: u64, counts: &Counts) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let place = Place::new();
    let (case, text) = Case::random(seed, &mut rng);
    let (mut case, text) = match case.is_hidden {
        true => return Ok(()),
        false => (case, text),
    };
    case.role = case.role.filter(|role| role != "all");
    case.is_range = false;
    place.write("game.gdl", &text);
    let mut arguments: Vec<String> = ["table", "build", "game.gdl", "-q", "--json", "-o", "table"]
        .map(str::to_owned)
        .to_vec();
    arguments.extend(case.arguments(&place));
    if case.mixed {
        arguments.push("--mixed".to_owned());
    }
    let ended = end(&mut place.command_with(&arguments));
    let context = |ended: &Ended| format!("seed {seed}: sqasp {arguments:?}\n{text}\n{ended:?}");
    ended.check_manners(&context(&ended));
    let role = &case.asked()[0];
    let (mut definition, start) = case.definition(role);
    let is_empty = definition.worth(&start).is_some() || case.depth == Some(0);
    if is_empty {
        count(counts, "empty tables");
        return match ended.code == Some(2) && ended.err.contains("nothing to put into a table") {
            true => Ok(()),
            false => Err(format!("an empty table: {}", context(&ended))),
        };
    }
    let steps = case.depth.unwrap_or(case.length);
    let value = definition.value(&start, steps, 0);
    let built: Value = serde_json::from_str(&ended.out).unwrap_or_default();
    if fraction(&built["value"]).as_ref() != Some(&value) {
        return Err(format!("{value} is right: {}", context(&ended)));
    }
    let taken = rng.u32(0..=steps);
    let (state, moves) = played(&mut definition.rules, start, taken, &mut rng);
    let mut probe = vec!["table", "probe", "table", "--json", "--moves"];
    let after = text_of(&moves);
    if !moves.is_empty() {
        probe.extend(["--after", &after]);
    }
    let ended = end(&mut place.command_with(&probe));
    ended.check_manners(&context(&ended));
    let left = steps - moves.len() as u32;
    if definition.worth(&state).is_some() || left == 0 {
        return match ended.code == Some(65) {
            true => Ok(()),
            false => Err(format!("nothing is there: {}", context(&ended))),
        };
    }
    let found: Value = serde_json::from_str(&ended.out).unwrap_or_default();
    // Layers are numbers of steps until every play is over, if the question does not say how many count.
    let value = definition.value(&state, left, moves.len() as u32);
    let entries = list(&found["entries"]);
    let layer = json!(left);
    let fits = |entry: &&Value| case.depth.is_none() || entry["layer"] == layer;
    let entry = entries.iter().find(fits).cloned().unwrap_or_default();
    let best = list(&entry["moves"]);
    let best = best
        .iter()
        .filter_map(|each| fraction(&each["value"]))
        .max();
    for found in [fraction(&entry["value"]), best] {
        if found.as_ref() != Some(&value) {
            return Err(format!(
                "{value} is right after {after}: {}",
                context(&ended)
            ));
        }
    }
    count(counts, format!("tables, {}", kind(&case)));
    Ok(())
}

/// Asks an evaluator for the value of a position, by its facts and by the moves that lead there.
fn check_evaluate(seed: u64, counts: &Counts) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let place = Place::new();
    let (mut case, text) = Case::random(seed, &mut rng);
    if case.is_hidden {
        return Ok(());
    }
    case.role = case.role.filter(|role| role != "all");
    case.opponents = Opponents::Best;
    place.write("game.gdl", &text);
    let role = &case.asked()[0];
    let own = case.own(role);
    let (mut definition, _) = case.definition(role);
    let initial = definition.rules.initial().expect("a state");
    let steps = rng.u32(0..=case.length);
    let (state, moves) = played(&mut definition.rules, initial, steps, &mut rng);
    let facts: Vec<String> = definition
        .rules
        .facts(&state)
        .iter()
        .map(Term::to_string)
        .collect();
    // The team stands where its first member in the order of the game does.
    let first = own.iter().min().expect("a member");
    let as_told = |joint: &Vec<Term>| -> Vec<String> {
        let together = || {
            let moves: Vec<String> = own.iter().map(|&role| joint[role].to_string()).collect();
            format!("(together {})", moves.join(" "))
        };
        (0..joint.len())
            .filter(|index| own.len() == 1 || index == first || !own.contains(index))
            .map(|index| match own.len() > 1 && index == *first {
                true => together(),
                false => joint[index].to_string(),
            })
            .collect()
    };
    let history: Vec<Vec<String>> = moves.iter().map(as_told).collect();
    let mut lines = String::new();
    for position in [json!({"state": facts}), json!({"history": history})] {
        let mut request = position;
        if let Some(depth) = case.depth {
            request["depth"] = depth.into();
        }
        lines += &format!("{request}\n");
    }
    place.write("requests", &lines);
    let objective = case.objective.to_string();
    let mut arguments = vec![
        "evaluate",
        "game.gdl",
        "-q",
        "--role",
        role,
        "--objective",
        &objective,
    ];
    if case.mixed {
        arguments.push("--mixed");
    }
    let mut command = place.command_with(&arguments);
    command.stdin(std::fs::File::open(place.path("requests")).expect("requests"));
    let ended = end(&mut command);
    let context = || format!("seed {seed}: sqasp {arguments:?}\n{lines}{text}\n{ended:?}");
    ended.check_manners(&context());
    let value = definition.value(&state, case.depth.unwrap_or(case.length), 0);
    let replies: Vec<Value> = (ended.out.lines().skip(1))
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if replies.len() != 2
        || replies
            .iter()
            .any(|it| fraction(&it["value"]).as_ref() != Some(&value))
    {
        return Err(format!("{value} is right: {}", context()));
    }
    count(counts, format!("evaluated, {}", kind(&case)));
    Ok(())
}

#[test]
fn questions_about_random_games_have_the_values_of_the_definition() {
    let counts = Counts::default();
    let total = rounds(600u64);
    let seeds: Vec<u64> = (0..total).map(|seed| FIRST_SEED + seed).collect();
    in_parallel(seeds, |seed| match seed % 9 {
        0 => check_table(seed, &counts),
        1 => check_evaluate(seed, &counts),
        _ => check_solve(seed, &counts),
    });
    let counts = counts.into_inner().expect("counting does not panic");
    let rows = counts
        .iter()
        .map(|(kind, number)| format!("  {number:6}  {kind}"));
    say(&format!(
        "questions from seed {FIRST_SEED} on:\n{}",
        rows.collect::<Vec<_>>().join("\n")
    ));
    let number = |part: &str| -> u64 {
        let kinds = counts.iter().filter(|(kind, _)| kind.contains(part));
        kinds.map(|(_, number)| number).sum()
    };
    for part in [
        "team",
        "mixed",
        "hidden",
        "random",
        "strategy",
        "refused",
        "tables",
        "evaluated",
    ] {
        assert!(
            40 * number(part) > total,
            "{part} in {} of {total} questions",
            number(part)
        );
    }
}
