//! `prove`: verdicts as they are printed, and plays that refute.

use super::{Ended, Place, end, game};
use serde_json::Value;

fn prove(place: &Place, arguments: &[&str]) -> Ended {
    let game = game("tic_tac_toe.gdl");
    let all = ["prove", &game]
        .into_iter()
        .chain(arguments.iter().copied());
    let ended = end(&mut place.command_with(all));
    ended.check_manners(&arguments.join(" "));
    ended
}

fn findings(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let ended = prove(place, &[arguments, &["--json"]].concat());
    let value: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{ended:?}"));
    value.as_array().expect("an array").clone()
}

#[test]
fn what_is_proved_names_what_it_rests_on() {
    let place = Place::new();
    let ended = prove(&place, &["unique (control ?p)"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended
            .out
            .starts_with("proved         unique (control ?p)\n"),
        "{ended:?}"
    );
    let cells = "at-most-one (cell ?x ?y _)";
    for by in ["asp", "circuit"] {
        // The second proof rests on the first property, so that one is not called open.
        let alone = findings(&place, &[cells, "terminates within 9", "--engine", by]);
        assert_eq!(alone[0]["verdict"], "proved", "{alone:?}");
        assert_eq!(alone[0]["using"][0], "unique (control _)", "{alone:?}");
        assert_eq!(alone[1]["using"][0], cells, "{alone:?}");
        let given = findings(
            &place,
            &[cells, "--assume", "unique (control ?p)", "--engine", by],
        );
        assert_eq!(given[0]["verdict"], "proved", "{given:?}");
        assert_eq!(given[0]["using"][0], "unique (control ?p)", "{given:?}");
    }
    // The assumption does not hold, so nothing is said to rest on it.
    let wrong = findings(&place, &[cells, "--assume", "(not terminal)"]);
    assert_eq!(wrong[0]["verdict"], "unknown", "{wrong:?}");
    assert_eq!(wrong[1]["property"], "(not terminal)", "{wrong:?}");
    let refuted = "(at-most 1 (true (cell _ _ xplayer)))";
    let ended = prove(&place, &[cells, "--assume", refuted]);
    assert_eq!(ended.code, Some(65), "{ended:?}");
    for fragment in [
        format!("unknown        {cells}\n"),
        format!("tried to use `{refuted}`, which is refuted\n"),
        format!("refuted        {refuted}\n                 after ((mark "),
    ] {
        assert!(ended.out.contains(&fragment), "{ended:?}");
    }
    let all = findings(&place, &["--all"]);
    let verdict = |property: &str| {
        let finding = all.iter().find(|finding| finding["property"] == property);
        finding.unwrap_or_else(|| panic!("{property}: {all:?}"))["verdict"].clone()
    };
    for property in [
        cells,
        "unique (control _)",
        "turn-taking",
        "zero-sum",
        "terminates within 9",
    ] {
        assert_eq!(verdict(property), "proved", "{property}");
    }
}

#[test]
fn properties_are_no_files() {
    let place = Place::new();
    let ended = |arguments: &[&str]| end(&mut place.command_with(arguments));
    place.write("zero-sum", "not a game");
    let ttt = game("tic_tac_toe.gdl");
    let proved = ended(&["prove", &ttt, "zero-sum"]);
    assert_eq!(proved.code, Some(0), "{proved:?}");
    assert!(
        proved.out.starts_with("proved         zero-sum\n"),
        "{proved:?}"
    );
    // Named as a file it is one.
    let file = ended(&["prove", &ttt, "./zero-sum", "turn-taking"]);
    assert_eq!(file.code, Some(65), "{file:?}");
}

#[test]
fn a_search_that_was_cut_says_so() {
    let place = Place::new();
    place.write("large.gdl", super::games::cube(25));
    let ended = place.run("prove large.gdl --all --time 0.3");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    let ended = place.run("prove large.gdl --all --time 0");
    assert_eq!(ended.code, Some(75), "{ended:?}");
    assert!(
        ended.err.contains("before anything was found out"),
        "{ended:?}"
    );
    let small = game("tic_tac_toe.gdl");
    for time in ["", "--time 60"] {
        let ended = place.run(&format!("prove {small} --all {time}"));
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}

#[test]
fn plays_that_refute_can_be_followed() {
    let place = Place::new();
    let refuted = findings(
        &place,
        &[
            "terminates within 6",
            "(at-most 1 (true (cell _ _ xplayer)))",
        ],
    );
    for (finding, steps) in refuted.iter().zip([6, 3]) {
        assert_eq!(finding["verdict"], "refuted", "{finding}");
        let moves = finding["witness"]["moves"].as_array().unwrap();
        assert_eq!(moves.len(), steps, "{finding}");
        let joint: Vec<String> = moves
            .iter()
            .map(|joint| {
                let joint = joint.as_array().unwrap().iter();
                let joint: Vec<&str> = joint.map(|action| action.as_str().unwrap()).collect();
                format!("({})", joint.join(" "))
            })
            .collect();
        let game = game("tic_tac_toe.gdl");
        let joint = joint.join(" ");
        let played = end(&mut place.command_with([
            "simulate", &game, "--after", &joint, "--depth", "0", "--json",
        ]));
        let state = played
            .out
            .lines()
            .nth(1)
            .unwrap_or_else(|| panic!("{played:?}"));
        let state: Value = serde_json::from_str(state).unwrap();
        assert_eq!(state["facts"], finding["witness"]["state"], "{finding}");
        assert_eq!(state["terminal"], false, "{finding}");
    }
}

#[test]
fn programs_are_shown_and_limits_and_slips_told() {
    let place = Place::new();
    let shown = prove(&place, &["unique (control ?p)", "--show", "step"]);
    for line in [
        "next(control(Other)) :- true(control(Who)), opponent(Who,Other).",
        "{ true(F) : fdom(F) }.",
        "violated(0) :- not 1 { next(control(oplayer)) ; next(control(xplayer)) } 1.",
        ":- not refuted.",
    ] {
        assert!(
            shown.out.lines().any(|shown| shown == line),
            "{line}: {shown:?}"
        );
    }
    for (arguments, fragment) in [
        (
            &["unique (contrl ?p)"][..],
            "its features are (cell _ _ _), (control _)",
        ),
        (&["sometimes"], "is no formula"),
        (
            &["(forall (true (cell ?x ?y _)) (true (cell ?x ?z b)))"],
            "`?z` is not bound",
        ),
        (&[], "say what to prove"),
    ] {
        prove(&place, arguments).check_refusal(&arguments.join(" "), 2, fragment);
    }
}
