//! Random play finds what is wrong with a game.

use crate::common::{
    file_name, first_player, game_with, in_parallel, minimax_value, read_text, rounds, shared,
    takes_all,
};
use gdl::Options;
use gdl::game::Objective;
use gdl::game::{Game, read};
use generators::{random_game, rows};
use rules::{PlayDefect, PlaySettings, Reasoner, Simulation, simulate};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn game(name: &str, text: &str) -> Game {
    // Goal values that are no numbers are a defect that play shows.
    let options = Options {
        as_validators: true,
        ..Options::default()
    };
    game_with(name, text, &options)
}

fn play(text: &str, demand_base_and_input: bool) -> Simulation {
    let settings = PlaySettings {
        playouts: 10,
        plies: 20,
        demand_base_and_input,
        ..PlaySettings::default()
    };
    let game = game("played", text);
    let mut reasoner = Reasoner::new(&game).unwrap();
    simulate(&game, &mut reasoner, &settings).unwrap()
}

/// A game that ends after one move, `(goal p ..)` and more to be added.
const ONE_MOVE: &str = "(role p) (init (s 0)) (<= (legal p go) (true (s 0)))
    (<= (next (s 1)) (does p go)) (<= terminal (true (s 1)))";

#[test]
fn each_defect_is_found_and_told_with_the_way_to_it() {
    for [rules, message, plies] in rows(
        r"
            (role q) (goal p 100) (goal q 0) => q has no legal move, and the state is not terminal => 0
            (<= (goal p 100) (true (s 0))) => p has no goal value in a terminal state => 1
            (goal p 100) (<= (goal p 50) (true (s 1))) => p has several goal values in a terminal state: 100 50 => 1
            (goal p win) => p has the goal value win, which is no number up to 1000000 such as 50, -3 or 1/2 => 1
            (goal p 1000001) => p has the goal value 1000001, which is no number up to 1000000 such as 50, -3 or 1/2 => 1
            (goal p 100) (base (s 0)) => (s 1) comes true, but `base` does not list it => 1
            (goal p 100) (input p stay) => go is legal for p, but `input` does not list it => 0
            ",
    ) {
        let result = play(&format!("{ONE_MOVE} {rules}"), false);
        assert_eq!(1, result.findings.len(), "{rules}: {:?}", result.findings);
        let finding = &result.findings[0];
        assert_eq!(message, finding.defect.to_string());
        assert_eq!(plies, finding.history.len().to_string(), "{rules}");
        assert_eq!(format!("[(s {plies})]"), format!("{:?}", finding.state));
    }
}

/// The slips that play finds in a game.
fn slips(text: &str) -> Vec<String> {
    let findings = play(text, false).findings;
    let slips = findings.iter().filter(|finding| finding.defect.is_slip());
    slips.map(ToString::to_string).collect()
}

/// Ann adds 3 to a pile until it is over 8. `TABLE` gives the sum, `MORE` more rules.
const PILE: &str = "; uses numbers
    (role ann) (role bob) (up_to TOP) (init (pile ann 2)) (init (pile bob 0))
    (legal ann add) (legal bob wait)
    (<= (next (pile ann ?s)) (does ann add) (true (pile ann ?n)) TABLE)
    (<= (next (pile bob ?n)) (true (pile bob ?n)))
    (<= (next (more ?n)) (true (more ?n)))
    (<= terminal (true (pile ann ?n)) (is_large ?n)) (<= (is_large ?n) (at_most 9 ?n))
    (<= (goal ann 100) terminal) (<= (goal ann 0) (not terminal)) (goal bob 0) MORE";

#[test]
fn facts_that_are_lost_at_the_end_of_a_table_are_told() {
    for [top, table, more, told] in rows(
        r"
            10 => (sum ?n 3 ?s) =>  => \
                (pile ann _), and this one has none: no fact gives (sum 8 3 _); after the moves (add wait) (add wait) (add wait);
            20 => (sum ?n 3 ?s) =>  =>
            10 => (capped_sum ?n 3 ?s) =>  =>
            // Chains of tables, conditions on what they give, and tables of the game's own.
            9 => (succ ?n ?a) (succ ?a ?b) (succ ?b ?s) =>  => no fact gives (succ 9 _)
            9 => (succ ?n ?s) =>  =>
            10 => (sum ?n 3 ?s) (distinct ?s 8) =>  =>
            10 => (add_three ?n ?s) => (add_three 2 5) => no fact gives (add_three 5 _)
            // A fact is lost on purpose, or was not always alone.
            10 => (sum ?n 3 ?s) (not (true (pile ann 5))) =>  =>
            10 => (sum ?n 3 ?s) => (init (pile ann 4)) =>
            ",
    ) {
        let text = PILE
            .replace("TOP", &top)
            .replace("TABLE", &table)
            .replace("MORE", &more);
        let slips = slips(&text);
        let is_right = match &slips[..] {
            [] => told.is_empty(),
            [slip] => !told.is_empty() && slip.contains(&told),
            _ => false,
        };
        assert!(is_right, "{table}: {slips:?}");
    }
    // A counter may end with the play, unless points depend on it.
    let counter = "(role p) (init (step 1)) (legal p go) (follows 1 2) (follows 2 3)
        (<= (next (step ?m)) (true (step ?n)) (follows ?n ?m)) (<= (next last) (true (step 3))) (<= terminal (true last))";
    assert!(slips(&format!("{counter} (goal p 100)")).is_empty());
    let slips = slips(&format!(
        "{counter} (<= (goal p 100) (true (step 3))) (<= (goal p 0) (not (true (step 3))))"
    ));
    assert!(
        slips.len() == 1 && slips[0].contains("(step _)"),
        "{slips:?}"
    );
}

/// A random game that counts: each step gives the count anew, by tables that may end.
fn counting_game(seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let tables = [
        "(sum ?m ?n ?s)",
        "(sum ?m ?k ?a) (sum ?a ?n ?s)",
        "(sum ?n ?k ?a) (sum ?a ?m ?s)",
        "(product ?n ?m ?s)",
        "(difference ?m ?n ?s)",
        "(capped_sum ?n ?k ?a) (capped_sum ?m ?a ?s)",
        "(remaining ?m ?n ?s)",
        "(d4 ?e) (sum ?m ?e ?s) (at_most ?s ?n)",
        "(sum ?m ?n ?s) (distinct ?s 7)",
    ];
    let (top, first) = (random.u32(6..16), random.u32(1..6));
    let (steps, table) = (random.u32(2..4), random.choice(tables).unwrap_or_default());
    format!(
        "; uses numbers dice
        (role ann) (role random) (up_to {top}) (init (count {first})) (init (left {steps}))
        (legal ann (add 1)) (legal ann (add 3)) (<= (legal random (die ?n)) (d4 ?n))
        (<= (next (count ?s)) (does ann (add ?k)) (does random (die ?n)) (true (count ?m)) {table})
        (<= (next (left ?n)) (true (left ?m)) (succ ?n ?m)) (<= terminal (true (left 0)))
        (<= counted (true (count ?_n))) (<= (goal ann 100) counted) (<= (goal ann 0) (not counted))"
    )
}

/// The oracle walks through all states and sees where the count is gone; it knows no tables.
#[test]
fn losses_of_random_counting_games_are_told_if_there_are_any() {
    let mut told = [0, 0];
    for seed in 0..rounds(90) {
        let text = counting_game(seed);
        let game = game("counting", &text);
        let mut reasoner = Reasoner::new(&game).unwrap();
        let (mut is_lost, mut by_condition) = (false, false);
        let mut open = vec![reasoner.initial().unwrap()];
        while let Some(state) = open.pop() {
            if reasoner.terminal(&state).unwrap() {
                continue;
            }
            for action in reasoner.legal(&state, 0).unwrap() {
                for throw in reasoner.legal(&state, 1).unwrap() {
                    let next = reasoner.next(&state, &[action.clone(), throw]).unwrap();
                    let facts = reasoner.facts(&next);
                    let is_count = |fact: &gdl::Term| fact.to_string().starts_with("(count ");
                    match facts.iter().any(is_count) {
                        true => open.push(next),
                        // Such a condition takes the count away where the table has a row.
                        false if text.contains("at_most ?s") || text.contains("distinct ?s") => {
                            by_condition = true;
                        }
                        false => is_lost = true,
                    }
                }
            }
        }
        let settings = PlaySettings {
            playouts: 2000,
            seed,
            ..PlaySettings::default()
        };
        let result = simulate(&game, &mut reasoner, &settings).unwrap();
        let found = result
            .findings
            .iter()
            .find(|finding| finding.defect.is_slip());
        if !by_condition {
            assert_eq!(found.is_some(), is_lost, "seed {seed}: {found:?}\n{text}");
        }
        told[usize::from(found.is_some())] += 1;
        // The play is one by the rules, to a state without a count.
        if let Some(finding) = found {
            let mut state = reasoner.initial().unwrap();
            for joint_move in &finding.history {
                state = reasoner.next(&state, joint_move).unwrap();
            }
            let facts = reasoner.facts(&state);
            assert_eq!(facts, finding.state, "seed {seed}");
            assert!(
                facts
                    .iter()
                    .all(|fact| !fact.to_string().starts_with("(count ")),
                "{text}"
            );
        }
    }
    assert!(told[0] > 0 && told[1] > 0, "{told:?}");
}

#[test]
fn moves_that_random_has_by_mistake_are_told() {
    let game = |rules: &str| {
        format!(
            "(role ann) (role bob) (role random) (init (turn ann)) (other ann bob) (other bob ann)
            (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
            (<= (legal ?p throw) (true (turn ?p))) (<= terminal (true won))
            (goal ann 100) (goal bob 0) {rules}"
        )
    };
    let wins =
        "(<= (next won) (does random (die 6))) (legal random (die 1)) (legal random (die 6))";
    for (rules, told) in [
        (format!("(<= (legal ?p wait) (role ?p) (not (true (turn ?p)))) {wins}"), true),
        (format!("(<= (legal ?p wait) (role ?p) (distinct ?p random) (not (true (turn ?p)))) {wins}"), false),
        (format!("(<= (legal ?p wait) (other ?p ?q) (true (turn ?q))) {wins}"), false),
        (format!("(<= (legal ?p wait) (other ?p ?q) (true (turn ?q))) (legal random wait) {wins}"), true),
        // The wait counts; random has throws that players have, too; sides that nothing asks for.
        (format!("(<= (legal ?p wait) (role ?p) (not (true (turn ?p)))) (<= (next idle) (does random wait)) {wins}"), false),
        ("(<= (legal ?p ?c) (role ?p) (coin ?c)) (coin heads) (coin tails) (<= (next won) (does random heads))".to_owned(), false),
        ("(<= (legal ?p wait) (other ?p ?q)) (legal random heads) (legal random tails) (<= (next won) (does random heads))".to_owned(), false),
    ] {
        let slips = slips(&game(&rules));
        assert_eq!(slips.len(), usize::from(told), "{rules}: {slips:?}");
        if told {
            assert!(slips[0].starts_with("random has 3 moves with the same chance, and no rule asks whether it makes one of them, wait"), "{slips:?}");
        }
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
    let (mut between, mut extreme, mut simultaneous, mut of_three) = (0, 0, 0, 0);
    for seed in 0..rounds(200) {
        let random = random_game(seed);
        let game = game_with("random", &random.text, &Options::strict());
        let mut reasoner = Reasoner::new(&game).unwrap();
        let settings = PlaySettings {
            playouts: 20,
            plies: random.depth as usize,
            seed,
            ..PlaySettings::default()
        };
        let result = simulate(&game, &mut reasoner, &settings).unwrap();
        // Where random waits beside other moves, that is told, and meant.
        let findings = result.findings.iter();
        let findings: Vec<_> = findings.filter(|f| !f.defect.is_slip()).collect();
        assert!(findings.is_empty(), "seed {seed}: {findings:?}");
        simultaneous += u64::from(result.observations.simultaneous_choice.is_some());
        of_three += u64::from(game.players().count() == 3);
        let player = first_player(&game);
        let value = minimax_value(&game, player, Objective::Win, random.depth).unwrap();
        if value.is_integer() {
            extreme += 1;
        } else {
            between += 1;
        }
    }
    eprintln!(
        "values: {between} between 0 and 1, {extreme} not; {simultaneous} simultaneous, {of_three} of three players"
    );
    assert!(between * 5 > extreme, "too many trivial games");
    assert!(simultaneous > 10 && of_three > 10);
}

/// Real games are played without trouble.
#[test]
#[ignore = "needs ../shared: public games"]
fn real_games_can_be_played() {
    let played = AtomicUsize::new(0);
    let entries = std::fs::read_dir(shared("games-ggp")).expect("a folder that can be read");
    let paths = entries.map(|entry| entry.unwrap().path());
    let games = paths.filter(|path| path.extension().is_some_and(|ending| ending == "kif"));
    let every = if takes_all() { 1 } else { 3 };
    in_parallel(games.step_by(every).collect(), |path| {
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
        let result = simulate(&reading.game, &mut reasoner, &settings);
        let result = result.map_err(|error| format!("{name}: {error}"))?;
        for finding in &result.findings {
            let moves = finding.history.len();
            eprintln!("{name}: {} after {moves} moves", finding.defect);
        }
        played.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    assert!(played.into_inner() >= 340 / every);
}
