//! Roles that decide together, and opponents that move at random, on the command line.

use super::{Place, end, game};

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
    place.answers("solve doors.gdl --role ann+bob --strategy team.json");
    let text = place.answers("verify doors.gdl team.json");
    assert!(text.starts_with("100 %\nann+bob can guarantee"), "{text}");
    let alone = place.run("export doors.gdl --to dot --fix role:team.json");
    let hint = "this strategy is for the team ann+bob, whose roles decide together: ask with the role ann+bob";
    assert!(alone.err.contains(hint), "{alone:?}");
    place.answers("export doors.gdl --role ann+bob --to dot --fix role:team.json");
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
        (
            "--mixed",
            "mixed strategies are about opponents that choose",
        ),
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

/// Two of three roles win where the third one does not stop them, which it does with each second of its moves.
const GUARD: &str = "(role ann) (role bob) (role cid) (role random) (init fresh)
    (legal ann go) (legal ann stay) (legal bob noop) (legal cid low) (legal cid high) (legal random 1) (legal random 2)
    (<= (next won) (does cid high) (does random 1)) (<= (next won) (does ann stay) (does random 2) (does cid high))
    (<= terminal (not (true fresh))) (ours ann) (ours bob)
    (<= (goal ?p 100) (ours ?p) (true won)) (<= (goal ?p 0) (ours ?p) (not (true won)))
    (<= (goal cid 0) (true won)) (<= (goal cid 100) (not (true won)))";

/// The roles of a strategy and those of the question have other numbers: a team stands for two.
#[test]
fn a_team_answers_an_opponent_with_a_strategy() {
    let place = Place::new();
    place.write("guard.gdl", GUARD);
    place.answers("solve guard.gdl --role cid --strategy low.json");
    let low = std::fs::read_to_string(place.path("low.json")).expect("a strategy");
    assert!(low.contains("\"move\":\"low\""), "{low}");
    place.write("high.json", low.replacen("\"low\"", "\"high\"", 1));
    for (file, value) in [("low.json", "0 %\n"), ("high.json", "100 %\n")] {
        for team in ["ann", "ann+bob", "bob+ann"] {
            let text = place.answers(&format!("solve guard.gdl --role {team} --opponents {file}"));
            assert!(text.starts_with(value), "{team} {file}: {text}");
        }
    }
    // A team follows one, too.
    place.answers("solve guard.gdl --role ann+bob --strategy pair.json");
    let text = place.answers("solve guard.gdl --role cid --opponents pair.json");
    assert!(text.starts_with("100 %\n"), "{text}");
    for (role, said) in [
        ("ann", "`ann` is not a role of this game"),
        ("ann+bob", "the strategy is one of ann+bob"),
        ("all", "one of all roles follows"),
    ] {
        let command = format!("solve guard.gdl --role {role} --opponents pair.json");
        place.refuses(&command, 2, said);
    }
}

/// Strategies of opponents that are none: moves that are not legal, and probabilities that do not sum to 1.
#[test]
fn opponents_cannot_follow_what_is_no_strategy() {
    let place = Place::new();
    place.write("guard.gdl", GUARD);
    place.answers("solve guard.gdl --role cid --mixed --strategy mixed.json");
    let mixed = std::fs::read_to_string(place.path("mixed.json")).expect("a strategy");
    for (from, to, said) in [
        ("[\"low\"]", "[\"noop\"]", "noop is not legal in {fresh}"),
        ("\"1\"}]", "\"1/2\"}]", "are not positive with the sum 1"),
        ("\"1\"}]", "\"-1\"}]", "are not positive with the sum 1"),
    ] {
        let wrong = mixed.replacen(from, to, 1);
        assert_ne!(wrong, mixed, "{from} in {mixed}");
        place.write("wrong.json", wrong);
        place.refuses("solve guard.gdl --opponents wrong.json", 65, said);
    }
}

/// The doors, after a first step that changes nothing unless ann and bob open a wrong pair.
const LATER: &str = "(role ann) (role bob) (role eve) (init first) (door 1) (door 2) (door 3) (opens ann) (opens bob)
    (<= (legal ?p (open ?d)) (door ?d) (opens ?p)) (<= (legal eve watch) (not (true stuck)))
    (<= (next second) (true first)) (<= (next over) (true second)) (<= terminal (true over))
    (<= (next same) (true second) (does ann (open ?d)) (does bob (open ?d)))
    (<= (goal ?p 100) (opens ?p) (true same)) (<= (goal ?p 0) (opens ?p) (not (true same)))
    (<= (goal eve 0) (true same)) (<= (goal eve 100) (not (true same)))";

/// Play starts after moves of the roles as they are written, wherever moves are read, and messages name these.
#[test]
fn moves_are_those_of_the_roles_as_they_are_written() {
    let place = Place::new();
    place.write("later.gdl", LATER);
    place.answers("table build later.gdl --role bob+ann --output team");
    place.answers("table build later.gdl --opponents random --output random");
    for (command, value) in [
        ("table probe team", "100 % with 1 step left"),
        ("table probe random", "33.3333 % (1/3) with 1 step left"),
        ("solve later.gdl --role bob+ann", "100 %"),
        ("solve later.gdl --opponents random", "33.3333 % (1/3)"),
    ] {
        let after = ["--after", "((open 1) (open 2) watch)"];
        let ended = end(&mut place.command_with(command.split(' ').chain(after)));
        assert!(ended.out.starts_with(value), "{command}: {ended:?}");
    }
    // A play that shows a defect.
    let wrong = "(<= (next stuck) (true first) (does ann (open 3)) (does bob (open 2)))";
    place.write("wrong.gdl", format!("{LATER} {wrong}"));
    for sides in ["--role bob+ann", "--opponents random"] {
        let ended = place.run(&format!("solve wrong.gdl {sides}"));
        assert_eq!(ended.code, Some(65), "{ended:?}");
        let said = "after the moves ((open 3) (open 2) watch)";
        assert!(ended.err.contains(said), "{ended:?}");
    }
}

/// Ann calls the coin that only bob sees.
const COINS: &str = "(role ann) (role bob) (role random) (init toss) (coin heads) (coin tails) (ours ann) (ours bob)
    (<= (legal random (toss ?a ?b)) (true toss) (coin ?a) (coin ?b)) (<= (legal random noop) (true call))
    (<= (legal ?p noop) (ours ?p) (true toss)) (<= (legal bob noop) (true call))
    (<= (legal ann (call ?c)) (true call) (coin ?c))
    (<= (sees ann ?a) (does random (toss ?a ?b))) (<= (sees bob ?b) (does random (toss ?a ?b)))
    (<= (next (second ?b)) (does random (toss ?a ?b))) (<= (next call) (true toss))
    (<= (next right) (does ann (call ?c)) (true (second ?c))) (<= (next over) (true call)) (<= terminal (true over))
    (<= (goal ?p 100) (ours ?p) (true right)) (<= (goal ?p 0) (ours ?p) (not (true right)))";

#[test]
fn members_of_a_team_share_what_they_see() {
    let place = Place::new();
    place.write("coins.gdl", COINS);
    let alone = place.run("solve coins.gdl");
    assert!(alone.out.starts_with("50 % (1/2)\n"), "{alone:?}");
    let hint = "`ann+bob` is the team that decides together and shares all that its members see";
    assert!(alone.err.contains(hint), "{alone:?}");
    assert!(!alone.out.contains("team"), "{alone:?}");
    let text = place.answers("solve coins.gdl --role ann+bob --strategy team.json");
    let said = "what they see, and the members of the team share all of it (exact";
    assert!(text.starts_with("100 %\n") && text.contains(said), "{text}");
    let text = place.answers("verify coins.gdl team.json");
    let said = "what they see, and the members of the team share all of it (proved";
    assert!(text.starts_with("100 %\n") && text.contains(said), "{text}");
    for (role, is_shared) in [("ann", false), ("ann+bob", true)] {
        let json = place.answers(&format!("solve coins.gdl --role {role} --json"));
        assert_eq!(
            json.contains("\"shared_percepts\":true"),
            is_shared,
            "{json}"
        );
    }
    let text = place.answers("solve coins.gdl --role ann+bob --depth 0..2");
    assert!(text.contains("share all of it"), "{text}");
    // A strategy for the game in which everybody sees everything is none for this one.
    place.answers("solve coins.gdl --assume-perfect-information --strategy seeing.json --role bob");
    place.refuses(
        "solve coins.gdl --opponents seeing.json",
        65,
        "only knows games in which everybody sees everything",
    );
}

/// The other player of a game is `random` in two more, whose values a publication has.
#[test]
fn random_opponents_are_those_of_a_game_with_a_random_player() {
    let place = Place::new();
    let value = |command: &str| {
        let text = place.answers(&format!("solve {command} --depth 9 --exact"));
        text.lines().next().unwrap_or_default().to_owned()
    };
    for (role, other) in [
        ("xplayer", "tic_tac_toe_random_first.gdl"),
        ("oplayer", "tic_tac_toe_random_second.gdl"),
    ] {
        let found = value(&format!(
            "{} --role {role} --opponents random",
            game("tic_tac_toe.gdl")
        ));
        assert_eq!(
            found,
            value(&format!("{} --role {role}", game(other))),
            "{role}"
        );
    }
}
