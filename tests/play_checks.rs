//! Random play finds what is wrong with a game.

use crate::common::random_game::random_game;
use crate::common::rounds;
use crate::common::{file_name, in_parallel, read_text, shared};
use gdl::Options;
use gdl::game::Objective;
use gdl::game::{Game, read};
use rules::{Minimax, PlayDefect, PlaySettings, Reasoner, Simulation, simulate};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn game(name: &str, text: &str) -> Game {
    // Goal values that are no numbers are a defect that play shows.
    let options = Options {
        as_validators: true,
        ..Options::default()
    };
    read(name, text.as_bytes(), &options)
        .unwrap_or_else(|refused| panic!("{name}: {refused}"))
        .game
}

fn play(text: &str, demand_base_and_input: bool) -> Simulation {
    let settings = PlaySettings {
        playouts: 10,
        plies: 20,
        demand_base_and_input,
        ..PlaySettings::default()
    };
    let mut reasoner = Reasoner::new(&game("played", text)).unwrap();
    simulate(&mut reasoner, &settings).unwrap()
}

/// A game that ends after one move, `(goal p ..)` and more to be added.
const ONE_MOVE: &str = "(role p) (init (s 0)) (<= (legal p go) (true (s 0)))
    (<= (next (s 1)) (does p go)) (<= terminal (true (s 1)))";

#[test]
fn each_defect_is_found_and_told_with_the_way_to_it() {
    for (rules, message, plies) in [
        (
            "(role q) (goal p 100) (goal q 0)",
            "q has no legal move, and the state is not terminal",
            0,
        ),
        (
            "(<= (goal p 100) (true (s 0)))",
            "p has no goal value in a terminal state",
            1,
        ),
        (
            "(goal p 100) (<= (goal p 50) (true (s 1)))",
            "p has several goal values in a terminal state: 100 50",
            1,
        ),
        (
            "(goal p win)",
            "p has the goal value win, which is not a whole number from 0 to 1000000",
            1,
        ),
        (
            "(goal p 1000001)",
            "p has the goal value 1000001, which is not a whole number from 0 to 1000000",
            1,
        ),
        (
            "(goal p 100) (base (s 0))",
            "(s 1) comes true, but `base` does not list it",
            1,
        ),
        (
            "(goal p 100) (input p stay)",
            "go is legal for p, but `input` does not list it",
            0,
        ),
    ] {
        let result = play(&format!("{ONE_MOVE} {rules}"), false);
        assert_eq!(1, result.findings.len(), "{rules}: {:?}", result.findings);
        let finding = &result.findings[0];
        assert_eq!(message, finding.defect.to_string());
        assert_eq!(plies, finding.history.len(), "{rules}");
        assert_eq!(format!("[(s {plies})]"), format!("{:?}", finding.state));
    }
}

#[test]
fn base_and_input_may_be_demanded() {
    for (rules, expected) in [
        ("(base (s 0)) (base (s 1)) (input p go)", &[][..]),
        ("(base (s 0)) (base (s 1))", &["NoInput"]),
        ("(input p go)", &["NoBase"]),
    ] {
        let findings = play(&format!("{ONE_MOVE} (goal p 100) {rules}"), true).findings;
        let defects = findings
            .iter()
            .map(|finding| format!("{:?}", finding.defect));
        assert_eq!(expected, defects.collect::<Vec<_>>(), "{rules}");
    }
}

#[test]
fn a_game_without_an_end_is_found() {
    let text = "(role p) (legal p go) (<= terminal (true (s 1))) (goal p 100)";
    let findings = play(text, false).findings;
    let defects: Vec<&PlayDefect> = findings.iter().map(|finding| &finding.defect).collect();
    assert!(
        matches!(defects[..], [PlayDefect::DoesNotEnd(20)]),
        "{defects:?}"
    );
}

#[test]
fn what_was_seen_is_told() {
    let rules = "(role a) (role random) (role b) (init (t 0)) (after 0 1) (after 1 2)
        (<= (next (t ?m)) (true (t ?n)) (after ?n ?m)) (<= terminal (true (t 2)))
        (<= (legal a left) (true (t ?n))) (<= (legal a right) (true (t 0)))
        (<= (legal b left) (true (t ?n))) (<= (legal b right) (true (t 1)))
        (legal random 1) (legal random 2) (legal random 3)
        (<= (next mark) (does a right)) (<= (next mark) (true mark))
        (<= (goal a 100) (true mark)) (<= (goal b 0) (true mark))
        (<= (goal a 30) (not (true mark))) (<= (goal b 70) (not (true mark)))";
    let seen = play(rules, false).observations;
    assert_eq!(None, seen.simultaneous_choice);
    assert_eq!(Some(true), seen.zero_sum);
    assert_eq!(vec![2, 3, 2], seen.max_moves);
    assert_eq!(
        (2, Some(2), 30),
        (seen.longest_play, seen.shortest_play, seen.states)
    );

    let both = rules.replace("(<= (legal b right) (true (t 1)))", "(legal b right)");
    assert_eq!(
        Some(vec![]),
        play(&both, false).observations.simultaneous_choice
    );
    let uneven = rules.replace("(goal b 70)", "(goal b 60)");
    assert_eq!(Some(false), play(&uneven, false).observations.zero_sum);
}

#[test]
fn the_same_seed_gives_the_same_play() {
    let text = random_game(3).text;
    let observations = |_| play(&text, false).observations;
    assert_eq!(observations(0), observations(1));
}

/// The cases of section 11 of the list of checks: heading, expected verdict, game.
fn listed_cases(list: &str) -> Vec<(String, bool, String)> {
    let mut cases = Vec::new();
    for section in list.split("\n### ").skip(1) {
        let name = section.lines().next().unwrap().trim();
        if !name.starts_with("play-") {
            continue;
        }
        let rejected = section.contains("expected: reject;");
        assert!(rejected || section.contains("expected: accept;"), "{name}");
        let start = section.find("```kif\n").unwrap() + "```kif\n".len();
        let length = section[start..].find("```").unwrap();
        let text = section[start..start + length].to_owned();
        cases.push((name.to_owned(), rejected, text));
    }
    cases
}

#[test]
#[ignore = "needs ../shared: the list of checks"]
fn the_listed_cases_get_their_verdicts() {
    let cases = listed_cases(&read_text(shared("conformance/INVALID.md")));
    assert_eq!(10, cases.len());
    for (name, rejected, text) in cases {
        let demand = name.contains("base") || name.contains("input");
        let findings = play(&text, demand).findings;
        assert_eq!(rejected, !findings.is_empty(), "{name}: {findings:?}");
        let expected = |defect: &PlayDefect| match name.as_str() {
            "play-no-legal-move" => matches!(defect, PlayDefect::NoLegalMove(_)),
            "play-no-goal" => matches!(defect, PlayDefect::NoGoal(_)),
            "play-two-goals" => matches!(defect, PlayDefect::SeveralGoals(..)),
            "play-goal-not-a-number" => matches!(defect, PlayDefect::NoPoints(..)),
            "play-never-ends" => matches!(defect, PlayDefect::DoesNotEnd(_)),
            "play-no-base" => matches!(defect, PlayDefect::NoBase),
            "play-no-input" => matches!(defect, PlayDefect::NoInput),
            "play-missing-base" => matches!(defect, PlayDefect::FactNotInBase(_)),
            "play-missing-input" => matches!(defect, PlayDefect::MoveNotInInput(..)),
            _ => false,
        };
        assert!(
            findings.iter().all(|f| expected(&f.defect)),
            "{name}: {findings:?}"
        );
    }
}

#[test]
fn random_games_are_valid_and_of_many_kinds() {
    let (mut between, mut extreme, mut simultaneous) = (0, 0, 0);
    for seed in 0..rounds(200) {
        let random = random_game(seed);
        let game = read("random", random.text.as_bytes(), &Options::strict())
            .unwrap_or_else(|refused| panic!("seed {seed}: {refused}"))
            .game;
        let mut reasoner = Reasoner::new(&game).unwrap();
        let settings = PlaySettings {
            playouts: 20,
            plies: random.depth as usize,
            seed,
            ..PlaySettings::default()
        };
        let result = simulate(&mut reasoner, &settings).unwrap();
        let findings = result.findings;
        assert!(findings.is_empty(), "seed {seed}: {findings:?}");
        simultaneous += u64::from(result.observations.simultaneous_choice.is_some());
        let player = game
            .roles()
            .iter()
            .position(|role| role.as_str() != "random");
        let mut minimax = Minimax::new(reasoner, player.unwrap(), Objective::Win);
        let value = minimax.initial_value(random.depth).unwrap();
        if value.is_integer() {
            extreme += 1;
        } else {
            between += 1;
        }
    }
    eprintln!("values: {between} between 0 and 1, {extreme} not; {simultaneous} simultaneous");
    assert!(between * 5 > extreme, "too many trivial games");
    assert!(simultaneous > 10);
}

/// Real games are played without trouble.
#[test]
#[ignore = "needs ../shared: public games"]
fn real_games_can_be_played() {
    let played = AtomicUsize::new(0);
    let entries = std::fs::read_dir(shared("games-ggp")).expect("a folder that can be read");
    let paths = entries.map(|entry| entry.unwrap().path());
    let games = paths.filter(|path| path.extension().is_some_and(|ending| ending == "kif"));
    in_parallel(games.collect(), |path| {
        let name = file_name(&path);
        let text = std::fs::read(&path).unwrap();
        let Ok(reading) = read(&name, &text, &Options::default()) else {
            eprintln!("{name}: not a valid description");
            return Ok(());
        };
        let settings = PlaySettings {
            playouts: 1,
            plies: 300,
            time: Some(Duration::from_secs(1)),
            ..PlaySettings::default()
        };
        let mut reasoner = Reasoner::new(&reading.game).unwrap();
        let result = simulate(&mut reasoner, &settings);
        let result = result.map_err(|error| format!("{name}: {error}"))?;
        for finding in &result.findings {
            let moves = finding.history.len();
            eprintln!("{name}: {} after {moves} moves", finding.defect);
        }
        played.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    assert!(played.into_inner() >= 340);
}
