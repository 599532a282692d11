//! The files of `encodings/` run with clingo alone, together with the part of a program that is made for a
//! game, and mean there what they mean here.

use crate::common::{checked_in_game, question, read_text, root, route};
use gdl::Name;
use gdl::game::Objective;
use logic::sqasp::PrefixMethod;
use logic::translate::{Names, encodings, planning_program};
use std::process::{Command, Output};

/// clingo, started with files of `encodings/` and a text.
fn clingo(options: &[&str], files: &[&str], text: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let generated = folder.path().join("generated.lp");
    std::fs::write(&generated, text).expect("a file");
    let paths = files.iter().map(|file| root().join("encodings").join(file));
    Command::new("clingo")
        .args(options)
        .args(paths)
        .arg(generated)
        .output()
        .expect("clingo starts")
}

/// The atoms of the last answer set, or what clingo says if there is none.
fn answer(output: &Output) -> Vec<String> {
    let complaint = String::from_utf8_lossy(&output.stderr);
    // A warning names the file it is about.
    assert!(
        !complaint.contains("encodings/") && !complaint.contains("error"),
        "{complaint}"
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|line| line.starts_with("Answer:"));
    let atoms = match last {
        Some(line) => lines[line + 1],
        None => lines
            .iter()
            .rfind(|line| line.ends_with("SATISFIABLE"))
            .expect("an answer"),
    };
    atoms.split_whitespace().map(str::to_owned).collect()
}

/// The names of the atoms of a ground program in aspif, in order. How many rules there are depends on the
/// order of the text.
fn atoms(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter(|line| line.starts_with("4 "));
    let mut names: Vec<String> = names
        .map(|line| line.split(' ').nth(2).expect("a name").to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn every_file_is_listed_and_has_a_title() {
    for entry in std::fs::read_dir(root().join("encodings")).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            continue;
        }
        let text = read_text(&path);
        assert!(
            text.starts_with("% ") && text.ends_with('\n'),
            "{}",
            path.display()
        );
        assert!(
            text.lines().all(|line| line.len() <= 100),
            "{}",
            path.display()
        );
    }
    let game = checked_in_game("pig.gdl");
    let route = route(
        &game,
        &question("xplayer", 2, Objective::Score),
        PrefixMethod::Base,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let files: Vec<&str> = route
        .program
        .encodings()
        .map(|encoding| encoding.file)
        .collect();
    let expected = [
        "play",
        "score",
        "opponents",
        "legality",
        "chance",
        "quantifiers",
    ];
    assert_eq!(files, expected.map(|name| format!("{name}.lp")));
}

#[test]
#[ignore = "needs clingo: it runs the files of encodings/"]
fn files_and_facts_are_the_program() {
    for (file, role, depth, objective, may_end) in [
        ("figure_1.gdl", "xplayer", 1, Objective::Win, true),
        ("tic_tac_toe.gdl", "oplayer", 4, Objective::Win, false),
        ("pig.gdl", "xplayer", 3, Objective::Score, true),
        (
            "auction.gdl",
            "left",
            3,
            Objective::GoalAtLeast(50.into()),
            true,
        ),
        ("buttons_and_lights.gdl", "player", 6, Objective::Win, true),
    ] {
        let game = checked_in_game(file);
        let route = route(&game, &question(role, depth, objective), PrefixMethod::Base)
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        let files: Vec<&str> = route
            .program
            .encodings()
            .map(|encoding| encoding.file)
            .collect();
        let generated = route.program.without(|_| true).to_string();
        let options = ["--mode=gringo", "--warn=none"];
        let together = clingo(&options, &files, &generated);
        let in_one = clingo(&options, &[], &route.program.to_string());
        assert!(atoms(&together) == atoms(&in_one), "{file}");
        let explained = clingo(&options, &[], &route.program.explained().to_string());
        assert!(atoms(&explained) == atoms(&in_one), "{file}");
        // The first file has the plays that end in time, with rule (5).
        let ends = format!("{generated}\n:- time(T), not step(T), not ended(T).\n");
        let found = answer(&clingo(&[], &[encodings::PLAY.file], &ends));
        let ended = format!("ended({depth})");
        assert_eq!(found.contains(&ended), may_end, "{file}");
    }
}

#[test]
#[ignore = "needs clingo: it runs the files of encodings/"]
fn clingo_alone_finds_plans() {
    let game = checked_in_game("buttons_and_lights.gdl");
    let planning = planning_program(&game, &Name::new("player"), &Names::of(&game));
    let generated = planning.program.without(|_| true).to_string();
    let files = [encodings::PLANNING.file, "incremental.lp"];
    let plan = answer(&clingo(&[], &files, &generated));
    assert_eq!(plan.len(), 6, "{plan:?}");
}

/// The example of the paper: exactly one player is in control, and both are in turn.
#[test]
#[ignore = "needs clingo: it runs the files of encodings/"]
fn clingo_alone_proves() {
    let rules = "role(x). role(o). init(control(x)).
        legal(P,mark) :- true(control(P)). legal(P,noop) :- role(P), not true(control(P)).
        next(control(P)) :- true(control(Q)), role(P), P != Q.";
    let base_case = "violated(0) :- not 1 { true(control(x)) ; true(control(o)) } 1.";
    let step = "fdom(control(P)) :- role(P). mover(P) :- role(P). mdom(P,(mark;noop)) :- role(P).
        :- not 1 { true(control(x)) ; true(control(o)) } 1.
        violated(0) :- not 1 { next(control(x)) ; next(control(o)) } 1.";
    let weaker = step
        .replace("} 1.", "}.")
        .replace(":- not 1 { true", ":- not 0 { true");
    for (file, question, answer_set) in [
        (&encodings::BASE_CASE, base_case, false),
        (&encodings::INDUCTION_STEP, step, false),
        (&encodings::INDUCTION_STEP, &weaker, true),
    ] {
        let files = [file.file, encodings::REFUTATION.file];
        let found = answer(&clingo(&[], &files, &format!("{rules}\n{question}")));
        assert_eq!(
            found != ["UNSATISFIABLE"],
            answer_set,
            "{question}: {found:?}"
        );
    }
}
