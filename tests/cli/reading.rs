//! Games in several files, warnings of one kind in one line, times as people write them.

use super::Place;
use super::games::SMALLEST;

/// The smallest game with its goals in another file, in infix form.
fn two_files(place: &Place) {
    let (rules, goals) = SMALLEST.split_once("(goal x 100)").expect("goals");
    assert!(goals.contains("(goal o 0)"));
    place.write("game.gdl", rules);
    place.write("goals.gdl", "goal(x, 100).\ngoal(o, 0).\n");
}

/// A player who does not see a coin bets on it.
const HIDDEN: &str = "(role guest) (role random) (init hidden) (init (coin heads))
    (<= (legal guest (bet heads)) (true hidden)) (<= (legal guest (bet tails)) (true hidden)) (legal random wait)
    (<= (next won) (does guest (bet ?side)) (true (coin ?side))) (<= (next over) (true hidden))
    (<= terminal (true over)) (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))
    (<= (sees guest (won)) (true won))";

#[test]
fn a_game_with_hidden_information_is_told_from_the_one_that_is_solved() {
    let place = Place::new();
    place.write("coin.gdl", HIDDEN);
    assert!(place.answers("solve coin.gdl").contains("what they see"));
    place.refuses(
        "translate coin.gdl --depth 1 --to asp",
        65,
        "or assume perfect information",
    );
    const SAID: &str =
        "this is another game than the rules describe: everybody is taken to see everything";
    let assume = "coin.gdl --assume-perfect-information";
    for arguments in [
        format!("solve {assume}"),
        format!("solve {assume} --depth 0..1"),
        format!("solve {assume} --format competition"),
        format!("solve {assume} --strategy s.json"),
        format!("export {assume} --to umb -o coin.umb"),
    ] {
        let text = place.answers(&arguments);
        assert!(text.contains(SAID), "{arguments}: {text}");
    }
    let verified = place.answers("verify coin.gdl s.json --assume-perfect-information");
    assert!(verified.contains(SAID), "{verified}");
    for arguments in [
        format!("solve {assume} --json"),
        format!("solve {assume} --engine xssat --json"),
        format!("solve {assume} --depth 0..1 --json"),
        "verify coin.gdl s.json --assume-perfect-information --json".to_owned(),
    ] {
        let answer: serde_json::Value =
            serde_json::from_str(&place.answers(&arguments)).expect("one JSON object");
        assert_eq!(answer["assumes_perfect_information"], true, "{arguments}");
    }
    // Nothing was assumed of a game without such rules.
    let text = place.answers(&format!(
        "solve {} --assume-perfect-information --json",
        super::game("figure_1.gdl")
    ));
    assert!(!text.contains("perfect"), "{text}");
}

#[test]
fn several_files_are_read_as_one_by_every_command() {
    let place = Place::new();
    two_files(&place);
    for (command, shown) in [
        ("solve game.gdl goals.gdl --depth 1", "100 %"),
        ("solve --depth 1 game.gdl goals.gdl --engine xssat", "100 %"),
        (
            "translate game.gdl goals.gdl --to asp --depth 1",
            "goal(x,100",
        ),
        ("check game.gdl goals.gdl", "game          game"),
        ("fmt game.gdl goals.gdl", "(goal x 100)\n(goal o 0)"),
        (
            "simulate game.gdl goals.gdl --plays 2",
            "x      100: 2 (100.0 %); mean 100.00",
        ),
        (
            "prove game.gdl goals.gdl legal-nonempty turn-taking",
            "proved         turn-taking",
        ),
        (
            "prove game.gdl goals.gdl --all",
            "proved         turn-taking",
        ),
    ] {
        let ended = place.run(command);
        assert_eq!(ended.code, Some(0), "{command}: {ended:?}");
        assert!(ended.out.contains(shown), "{command}: {ended:?}");
    }
    let solved = place.run("solve game.gdl goals.gdl --depth 1 --strategy s.json");
    assert_eq!(solved.code, Some(0), "{solved:?}");
    let verified = place.run("verify game.gdl goals.gdl s.json");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    // A file that is missing, and an error with its place.
    place.refuses("solve game.gdl none.gdl --depth 1", 66, "none.gdl");
    place.refuses("prove game.gdl goals.gdl none.gdl", 2, "none.gdl");
    place.write("goals.gdl", "goal(x, 100).\ngoal(o, X).\n");
    place.refuses("solve game.gdl goals.gdl --depth 1", 65, "goals.gdl:2:9");
}

#[test]
fn warnings_of_one_kind_are_one_line_and_check_shows_all() {
    let place = Place::new();
    let rules = SMALLEST.replace(
        "(goal x 100) (goal o 0)",
        "(<= (Goal x 100)) (<= (Goal o 0)) (base at end)",
    );
    place.write("game.gdl", rules);
    let ended = place.run("solve game.gdl --depth 1");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines: Vec<&str> = ended.err.lines().collect();
    assert_eq!(lines.len(), 3, "{ended:?}");
    assert!(
        lines[0].starts_with("warning[empty-body]: game.gdl:6:10: "),
        "{ended:?}"
    );
    assert!(lines[0].ends_with(" (and 1 more)"), "{ended:?}");
    assert!(
        lines[1].starts_with("warning[lenient-domain]: game.gdl:6:"),
        "{ended:?}"
    );
    assert!(lines[2].contains("sqasp check"), "{ended:?}");
    let ended = place.run("check game.gdl");
    assert_eq!(
        ended.err.matches("warning[empty-body]").count(),
        2,
        "{ended:?}"
    );
    place.refuses(
        "solve game.gdl --depth 1 --strict",
        65,
        "error[keyword-arity]",
    );
}

#[test]
fn times_may_have_units() {
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    for time in ["10", "10s", "0.5m", "1h"] {
        let ended = place.run(&format!("solve game.gdl --depth 1 --time {time}"));
        assert_eq!(ended.code, Some(0), "{time}: {ended:?}");
    }
    for time in ["10x", "s", "ten"] {
        let command = format!("solve game.gdl --depth 1 --time {time}");
        place.refuses(&command, 2, "10s");
    }
}

#[test]
fn a_property_that_does_not_apply_does_not_end_the_list() {
    let place = Place::new();
    let rules = "(role p) (init a) (legal p go) (<= (next b) (does p go)) (<= terminal (true b)) (goal p 100)";
    place.write("alone.gdl", rules);
    let ended = place.run("prove alone.gdl zero-sum legal-nonempty");
    assert!(ended.out.contains("unknown        zero-sum\n"), "{ended:?}");
    assert!(ended.out.contains("at least two players"), "{ended:?}");
    assert!(
        ended.out.contains("proved         legal-nonempty\n"),
        "{ended:?}"
    );
    place.refuses("prove alone.gdl zero-sum", 2, "at least two players");
}

#[test]
fn prove_and_check_say_the_same_of_turns() {
    let place = Place::new();
    for file in ["pawn_race.gdl", "stochastic_nim_5.gdl", "duel.gdl"] {
        let game = super::game(file);
        let proved = place.run(&format!("prove {game} turn-taking"));
        let checked = place.run(&format!("check {game} --time 60"));
        let row = checked
            .out
            .lines()
            .find(|line| line.starts_with("turn-taking"));
        let row = row.unwrap_or_else(|| panic!("{checked:?}"));
        let is_proved = proved.out.starts_with("proved ");
        assert_eq!(
            is_proved,
            row.ends_with("proved"),
            "{file}: {row} {proved:?}"
        );
        assert_eq!(
            proved.out.starts_with("refuted "),
            row.contains("no: "),
            "{file}: {row} {proved:?}"
        );
    }
}
