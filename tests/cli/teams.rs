//! Roles that decide together, and opponents that move at random, on the command line.

use super::{Place, game};

/// Two players who must choose the same door at the same time; a third one watches.
const DOORS: &str = "(role ann) (role bob) (role eve) (init closed) (door 1) (door 2) (door 3)
    (<= (legal ?p (open ?d)) (door ?d) (opens ?p)) (opens ann) (opens bob) (legal eve watch)
    (<= (next same) (does ann (open ?d)) (does bob (open ?d))) (<= terminal (not (true closed)))
    (<= (goal ?p 100) (opens ?p) (true same)) (<= (goal ?p 0) (opens ?p) (not (true same)))
    (<= (goal eve 0) (true same)) (<= (goal eve 100) (not (true same)))";

/// The same game in which one role makes both moves.
const ONE: &str = "(role both) (role eve) (init closed) (door 1) (door 2) (door 3)
    (<= (legal both (open ?d ?e)) (door ?d) (door ?e)) (legal eve watch)
    (<= (next same) (does both (open ?d ?d))) (<= terminal (not (true closed)))
    (<= (goal both 100) (true same)) (<= (goal both 0) (not (true same)))
    (<= (goal eve 0) (true same)) (<= (goal eve 100) (not (true same)))";

#[test]
fn a_team_is_one_side_for_every_command() {
    let place = Place::new();
    place.write("doors.gdl", DOORS);
    place.write("one.gdl", ONE);
    let alone = place.run("solve doors.gdl --role ann");
    assert!(alone.out.starts_with("0 %\n"), "{alone:?}");
    let hint = "bob has the points of ann in every play that was tried, and counts as an opponent: the role `ann+bob`";
    assert!(alone.err.contains(hint), "{alone:?}");
    let text = place.answers("solve doors.gdl --role bob+Ann --moves");
    assert!(
        text.starts_with("100 %\nbob+ann can guarantee winning"),
        "{text}"
    );
    assert!(
        text.contains("* 100 %          (together (open 1) (open 1))\n"),
        "{text}"
    );
    for engine in ["emm", "xssat", "table"] {
        for (role, one) in [("ann+bob", "both"), ("eve", "eve")] {
            let value = |file: &str, role: &str| {
                let command =
                    format!("solve {file} --role {role} --depth 1 --engine {engine} --json");
                let answer: serde_json::Value =
                    serde_json::from_str(&place.answers(&command)).expect("JSON");
                answer["value"].clone()
            };
            assert_eq!(
                value("doors.gdl", role),
                value("one.gdl", one),
                "{engine} {role}"
            );
        }
    }
    place.answers("solve doors.gdl --role ann+bob --strategy team.json --certify");
    for engine in ["rules", "circuit"] {
        let text = place.answers(&format!("verify doors.gdl team.json --engine {engine}"));
        assert!(text.starts_with("100 %\nann+bob can guarantee"), "{text}");
    }
    place.answers("table build doors.gdl --role ann+bob --output team.table");
    let text = place.answers("table probe team.table");
    assert!(text.starts_with("100 %"), "{text}");
    place.answers("export doors.gdl --role ann+bob --to umb -o team.umb");
    let text = place.answers("solve-model team.umb");
    assert!(text.starts_with("100 %"), "{text}");
    let text = place.answers("translate doors.gdl --role ann+bob --to sqasp --depth 1");
    assert!(text.contains("together"), "{text}");
    let text = place.answers("solve doors.gdl --role ann+bob --mixed");
    assert!(text.starts_with("100 %"), "{text}");
    // A goal that nobody shares is no hint.
    let alone = place.run("solve doors.gdl --role eve");
    assert!(!alone.err.contains("counts as an opponent"), "{alone:?}");
}

#[test]
fn opponents_may_be_beginners() {
    let place = Place::new();
    place.write("doors.gdl", DOORS);
    let text = place.answers("solve doors.gdl --opponents random");
    let said = "33.3333 % (1/3)\nann can guarantee winning with this probability within 1 step, after which every play is over, \
                against opponents that move at random (exact; ";
    assert!(text.starts_with(said), "{text}");
    let json = place.answers("solve doors.gdl --opponents random --json");
    assert!(json.contains("\"opponents\":\"random\""), "{json}");
    let text = place.answers("solve doors.gdl --opponents random --depth 0..1");
    assert!(
        text.contains("against opponents that move at random"),
        "{text}"
    );
    let text = place.answers("solve doors.gdl --opponents random --role all");
    assert!(
        text.contains("eve can guarantee") && text.contains("66.6667 % (2/3)"),
        "{text}"
    );
    place.refuses(
        "solve doors.gdl --opponents random --strategy s.json",
        2,
        "is for opponents that play as well as possible",
    );
    place.refuses(
        "solve doors.gdl --opponents clever",
        66,
        "cannot read clever",
    );
    place.refuses(
        "solve doors.gdl --opponents random --role dan",
        2,
        "`dan` is not a role of this game; its roles are ann, bob, eve",
    );
}

#[test]
fn opponents_may_follow_a_strategy() {
    let place = Place::new();
    let pig = game("endless_pig.gdl");
    // The best player gets no more against the best play, and more against one who is told less.
    place.answers(&format!("solve {pig} --role oplayer --strategy other.json"));
    let best = place.answers(&format!("solve {pig} --exact"));
    let same = place.answers(&format!("solve {pig} --exact --opponents other.json"));
    let (best, same): (Vec<&str>, Vec<&str>) = (best.lines().collect(), same.lines().collect());
    assert_eq!(best[0], same[0]);
    assert!(
        same[1].contains(", against oplayer with the given strategy"),
        "{same:?}"
    );
    let json = place.answers(&format!(
        "solve {pig} --opponents other.json --moves --json"
    ));
    assert!(json.contains("\"opponents\":\"strategy\""), "{json}");
    place.refuses(
        &format!("solve {pig} --role oplayer --opponents other.json"),
        2,
        "the strategy is one of oplayer, not of an opponent",
    );
    place.refuses(
        &format!("solve {} --opponents other.json", game("pig.gdl")),
        65,
        "other rules",
    );
    for (options, said) in [
        ("--mixed", "--mixed is about opponents that choose"),
        ("--depth 1..3", "only single values"),
        ("--engine emm", "does not follow strategies"),
        (
            "--statistics",
            "for opponents that play as well as possible",
        ),
        (
            "--strategy s.json",
            "for opponents that play as well as possible",
        ),
    ] {
        place.refuses(
            &format!("solve {pig} --opponents other.json {options}"),
            2,
            said,
        );
    }
    place.write("no.json", "{}");
    place.refuses(
        &format!("solve {pig} --opponents no.json"),
        65,
        "--opponents no.json",
    );
}

#[test]
fn teams_that_there_are_not_are_refused() {
    let place = Place::new();
    let pig = game("pig.gdl");
    for (team, said) in [
        (
            "xplayer+random",
            "`random` is chance and cannot be asked for",
        ),
        ("xplayer+yplayer", "`yplayer` is not a role of this game"),
        ("xplayer+xplayer", "`xplayer` is in the team twice"),
        ("+", "`` is not a role of this game"),
    ] {
        for command in ["solve", "evaluate", "explore", "solve --depth 1..2"] {
            place.refuses(&format!("{command} {pig} --role {team}"), 2, said);
        }
        place.refuses(&format!("export {pig} --role {team} --to dot"), 2, said);
        place.refuses(
            &format!("table build {pig} --role {team} --output t"),
            2,
            said,
        );
    }
}
