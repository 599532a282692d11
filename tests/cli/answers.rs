//! Answers of commands, on the screen and in files, when all is well.

use super::games::SMALLEST;
use super::{Ended, Place, end, game};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// The fields of every answer (`docs/json.md`); `value` only if solved.
fn check_shape(answer: &Value) {
    for field in ["game", "role", "quant", "engine", "status"] {
        assert!(answer[field].is_string(), "{field}: {answer}");
    }
    assert!(answer["depth"].is_u64(), "{answer}");
    assert!(answer["exact"].is_boolean(), "{answer}");
    for field in ["value", "lower", "upper"] {
        let value = &answer[field];
        if field == "value" && answer["status"] == "bounds" {
            assert!(value.is_null(), "{answer}");
            continue;
        }
        assert!(value["num"].is_string(), "{field}: {answer}");
        assert!(value["den"].is_string(), "{field}: {answer}");
        assert!(value["decimal"].is_number(), "{field}: {answer}");
    }
    assert!(answer["stats"]["seconds"].is_object(), "{answer}");
}

#[test]
fn solve_prints_the_documented_lines() {
    let place = Place::new();
    let question = format!("solve {} --depth 9 --quant dep", game("stochastic_ttt.gdl"));
    let text = place.answers(&question);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "42.197 % (164832/390625)");
    let start = "xplayer can guarantee winning with this probability within 9 steps \
                 (exact; engine xssat, quant dep, ";
    assert!(lines[1].starts_with(start), "{text}");
    assert_eq!(lines.len(), 2, "{text}");

    let text = place.answers(&format!("{question} --format competition"));
    for line in [
        "s SATISFIABLE",
        "c s type maxprob",
        "c s exact arb frac 164832/390625",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{text}");
    }

    let text = place.answers(&format!("{question} --json"));
    assert_eq!(text.lines().count(), 1, "{text}");
    let answer: Value = serde_json::from_str(&text).expect("one JSON object");
    check_shape(&answer);
    assert_eq!(answer["status"], "solved");
    assert_eq!(answer["depth"], 9);
    assert_eq!(answer["value"]["num"], "164832");
    assert_eq!(answer["value"]["den"], "390625");
    assert_eq!(answer["lower"], answer["value"]);
    for field in ["atoms", "rules", "variables", "clauses", "states"] {
        assert!(answer["stats"][field].is_u64(), "{field}: {answer}");
    }
}

#[test]
fn a_depth_too_small_is_no_error() {
    let place = Place::new();
    let stochastic = game("stochastic_ttt.gdl");
    for (depth, value) in [(0, "0 %"), (4, "12.8 % (16/125)")] {
        let text = place.answers(&format!("solve {stochastic} --depth {depth}"));
        assert_eq!(text.lines().next(), Some(value), "{depth}");
    }
}

#[test]
fn bounds_are_printed_in_the_form_asked_for() {
    let place = Place::new();
    let stochastic = game("stochastic_ttt.gdl");
    let question = format!("solve {stochastic} --depth 9 --memory 1 --engine xssat");
    let run = |form: &str| -> String {
        let ended = place.run(&format!("{question} {form}"));
        assert_eq!(ended.code, Some(75), "{ended:?}");
        // The predicted size.
        assert!(ended.err.contains("rules and"), "{ended:?}");
        assert!(ended.err.contains("MB, more than the 1 bytes"), "{ended:?}");
        ended.out
    };
    assert!(run("").starts_with("[0 %, 100 %]\nxplayer can guarantee winning with a prob"));
    let lines = run("--format competition");
    assert!(lines.contains("s UNKNOWN\n"), "{lines}");
    assert!(lines.contains("c s bounds arb frac 0/1 1/1\n"), "{lines}");
    let answer: Value = serde_json::from_str(&run("--json")).expect("one JSON object");
    check_shape(&answer);
    assert_eq!(answer["status"], "bounds");
    assert_eq!(answer["stopped_by"], "memory");
}

#[test]
fn games_are_read_from_standard_input() {
    let place = Place::new();
    let mut child = place
        .command("solve - --depth 1 --json")
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(SMALLEST.as_bytes()).expect("it reads");
    drop(input);
    let ended = Ended::new(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let answer: Value = serde_json::from_str(&ended.out).expect("one JSON object");
    assert_eq!(answer["game"], "stdin");
    assert_eq!(answer["value"]["num"], "1");
    // Nothing on standard input is an empty game.
    place.refuses("solve - --depth 1", 65, "nothing here");
    place.refuses("solve-formula -", 65, "no formula");
}

#[test]
fn stages_are_written_whole() {
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    for stage in ["asp", "sqasp", "aspif", "cnf", "sdimacs", "qdimacs"] {
        let printed = place.answers(&format!("translate game.gdl --depth 2 --to {stage}"));
        let to = format!("game.{stage}");
        place.answers(&format!(
            "translate game.gdl --depth 2 --to {stage} -o {to}"
        ));
        let written = std::fs::read_to_string(place.path(&to)).expect("the stage was written");
        assert_eq!(printed, written, "{stage}");
    }
    // The saved file can be read again, and has the same value.
    for command in [
        "solve-formula --format text",
        "solve-formula --engine xssat --format text",
    ] {
        for ending in ["sdimacs", "qdimacs"] {
            let text = place.answers(&format!("{command} game.{ending}"));
            assert!(text.starts_with("100 %\n"), "{text}");
        }
    }
    let text = place.answers("solve-program game.sqasp");
    assert!(text.starts_with("100 %\n"), "{text}");
}

#[test]
fn a_reader_may_leave_early() {
    let place = Place::new();
    let stochastic = game("stochastic_ttt.gdl");
    let mut child = place
        .command(&format!("translate {stochastic} --depth 9 --to sdimacs"))
        .spawn()
        .expect("the command starts");
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    output.read_line(&mut line).expect("a first line");
    drop(output);
    let ended = Ended::new(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.err, "");
}

#[test]
fn sat_codes_tell_the_values_0_and_1() {
    let place = Place::new();
    place.write("one", "p cnf 1 1\ne 1 0\n1 0\n");
    place.write("zero", "p cnf 1 1\na 1 0\n1 0\n");
    place.write("half", "p cnf 1 1\nr 0.5 1 0\n1 0\n");
    let rows = [
        ("one", 10, "s SATISFIABLE", "c s exact arb frac 1/1"),
        ("zero", 20, "s UNSATISFIABLE", "c s exact arb frac 0/1"),
        ("half", 0, "s SATISFIABLE", "c s exact arb frac 1/2"),
    ];
    for (name, code, status, value) in rows {
        for (option, expected) in [("", 0), (" --format sat", code)] {
            let ended = place.run(&format!("solve-formula {name}{option}"));
            assert_eq!(ended.code, Some(expected), "{name}{option}: {ended:?}");
            let has = |line: &str| ended.out.lines().any(|printed| printed == line);
            assert!(has(status) && has(value), "{name}{option}: {ended:?}");
        }
    }
}

#[test]
fn models_are_counted_in_the_lines_of_the_competition() {
    let place = Place::new();
    let clauses = "p cnf 3 2\n1 2 0\n-1 3 0\n";
    let weights = "c p weight 1 3/10 0\nc p weight -1 0.7 0\n";
    let rows = [
        ("c t mc\n".to_owned(), 10, "mc", "int 4"),
        ("c p show 1 2 0\n".to_owned(), 10, "pmc", "int 3"),
        (weights.to_owned(), 10, "wmc", "frac 2/1"),
        (
            format!("{weights}c p show 1 2 0\n"),
            10,
            "pwmc",
            "frac 13/10",
        ),
        (
            "c t wmc\nc p weight 2 0 0\nc p weight -2 0 0\n".to_owned(),
            20,
            "wmc",
            "frac 0/1",
        ),
    ];
    for (lines, code, kind, value) in rows {
        place.write("count", format!("{lines}{clauses}"));
        let ended = place.run("solve-formula count --format sat");
        assert_eq!(ended.code, Some(code), "{lines}: {ended:?}");
        let has = |line: &str| ended.out.lines().any(|printed| printed == line);
        let (kind_line, value_line) =
            (format!("c s type {kind}"), format!("c s exact arb {value}"));
        assert!(has(&kind_line) && has(&value_line), "{lines}: {ended:?}");
        let answer = place.answers("solve-formula count --json");
        let answer: Value = serde_json::from_str(&answer).expect("one JSON object");
        assert_eq!(answer["count"], kind, "{answer}");
    }
    place.refuses(
        "solve-formula count --strategy s.json",
        65,
        "asks for a count",
    );
    place.write("sure", "p cnf 1 1\nr 1/3 1 0\n1 0\n");
    place.refuses("solve-formula sure --engine depqbf", 2, "chance");
    place.write("threshold", "p cnf 1 1\nt 1/2 0\nr 1/3 1 0\n1 0\n");
    place.refuses("solve-formula threshold", 65, "thresholds are not computed");
}

#[test]
fn flaws_of_published_formulas_are_warned_of_or_refused() {
    let place = Place::new();
    let text = "p cnf 2 1\nr 0.25 1 0e 2 0\n1 2 0\n";
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    place.write("glued.sdimacs.gz", packed.finish().unwrap());
    let output = place
        .command("solve-formula glued.sdimacs.gz --format text")
        .output()
        .unwrap();
    assert!(output.stdout.starts_with(b"100 %"), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("warning: ") && said.contains("line 2, column 10"),
        "{said}"
    );
    place.refuses(
        "solve-formula glued.sdimacs.gz --strict",
        65,
        "line 2, column 10: `0e`",
    );
    place.write("more.cnf", "p cnf 2 1\n1 0\n2 0\n%\n0\n");
    assert_eq!(place.run("solve-formula more.cnf").code, Some(0));
    place.refuses("solve-formula more.cnf --strict", 65, "there are 2");
}

#[test]
fn techniques_can_be_left_out_and_looked_at() {
    let place = Place::new();
    place.write(
        "coin.sdimacs",
        "p cnf 2 2\nr 0.5 1 0\ne 2 0\n1 -2 0\n-1 2 0\n",
    );
    let without = "--without gates --without equivalences";
    let text = place.answers(&format!(
        "solve-formula coin.sdimacs --format text {without}"
    ));
    assert!(text.starts_with("100 %\n"), "{text}");
    // With everything on, the two variables are found to be equal, and nothing is left.
    let [all, less] = ["", without].map(|without| {
        place.answers(&format!(
            "solve-formula coin.sdimacs --show structure {without}"
        ))
    });
    assert_ne!(all, less);
    assert!(!less.contains("100 %"), "{less}");
    let program = place.answers(&format!(
        "solve-formula coin.sdimacs --show program {without}"
    ));
    assert!(program.starts_with("program 2\nmean 1:1/2\n"), "{program}");
    place.refuses(
        "solve-formula coin.sdimacs --without magic",
        2,
        "equivalences",
    );
    place.refuses(
        "solve-formula coin.sdimacs --without gates --engine depqbf",
        2,
        "use --engine xssat",
    );
}

#[test]
fn solve_program_gives_values_of_programs() {
    let rows = [
        ("", "100 %"),
        ("{a}. _chance(1,1,3,a). :- not a.", "33.3333 % (1/3)"),
        ("{a}. _forall(1,a). :- a.", "0 %"),
        (
            "{a; b}. _chance(1,1,2,a). _exists(2,b). :- a, not b. :- b, not a.",
            "100 %",
        ),
        (
            "{a; b}. _exists(1,b). _chance(2,1,2,a). :- a, not b. :- b, not a.",
            "50 % (1/2)",
        ),
    ];
    let place = Place::new();
    for (program, value) in rows {
        place.write("program.lp", program);
        for prefix in ["dep", "base"] {
            let text = place.answers(&format!("solve-program program.lp --quant {prefix}"));
            assert_eq!(text.lines().next(), Some(value), "{program} {prefix}");
        }
    }
    let text = place.answers("solve-program program.lp --json");
    let answer: Value = serde_json::from_str(&text).expect("one JSON object");
    assert_eq!(answer["program"], "program");
    assert_eq!(answer["status"], "solved");
}

#[test]
fn eval_does_not_care_what_a_program_shows() {
    let weather =
        "{ rain }. { umbrella }. right :- rain, umbrella. right :- not rain, not umbrella.
        :- not right. _exists(1,umbrella). _chance(2,1,3,rain).";
    let place = Place::new();
    place.write("show.lp", "#show right/0.");
    for start in [
        "#show right/0.",
        "#show. #show rain : umbrella.",
        "%* hidden *% #show right/0.",
        "%* %* *% \" *% #show right/0. #show _exists/2.",
        "#include \"show.lp\".",
        "#external rain. [true]",
        "\u{feff}",
    ] {
        place.write("program.lp", format!("{start}\n{weather}"));
        let text = place.answers("solve-program program.lp");
        let value = text.lines().next();
        assert_eq!(value, Some("66.6667 % (2/3)"), "{start}");
    }
}

#[test]
#[ignore = "needs depqbf: the command calls it"]
fn depqbf_solves_games_without_chance() {
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    for (role, value) in [("x", "100 %"), ("o", "0 %")] {
        let question = format!("solve game.gdl --depth 2 --role {role} --engine depqbf");
        let text = place.answers(&question);
        assert_eq!(text.lines().next(), Some(value), "{role}");
        assert!(text.contains("engine depqbf"), "{text}");
    }
    place.write("zero", "p cnf 1 1\na 1 0\n1 0\n");
    let ended = place.run("solve-formula zero --engine depqbf --format sat");
    assert_eq!(ended.code, Some(20), "{ended:?}");
}

#[test]
fn what_is_printed_is_a_game_of_the_same_value() {
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    for (name, question) in [
        ("game.gdl".to_owned(), "--depth 2"),
        (game("gambler.gdl"), ""),
        (game("pig.gdl"), "--depth 8"),
    ] {
        place.answers(&format!("fmt {name} -o printed.gdl"));
        let printed = std::fs::read_to_string(place.path("printed.gdl")).expect("it was written");
        assert_eq!(place.answers("fmt printed.gdl"), printed, "{name}");
        let value = |game: &str| place.answers(&format!("solve {game} {question} --json"));
        let value = |game: &str| -> serde_json::Value {
            let answer: serde_json::Value = serde_json::from_str(&value(game)).expect("JSON");
            answer["value"].clone()
        };
        assert_eq!(value("printed.gdl"), value(&name), "{name}");
    }
}

#[test]
fn check_and_doctor_report() {
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    let text = place.answers("check game.gdl");
    for fragment in ["two players, without chance", "x, o", "zero-sum"] {
        assert!(text.contains(fragment), "{text}");
    }
    let report: Value = serde_json::from_str(&place.answers("check game.gdl --json")).unwrap();
    assert_eq!(report["roles"][1], "o");
    assert_eq!(report["random"], false);

    let text = place.answers("doctor");
    assert!(text.contains("clingo") && text.contains("depqbf"), "{text}");
    // Missing programs are no error.
    let mut command = place.command("doctor --json");
    let ended = end(command.env("PATH", place.0.path()));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let diagnosis: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(diagnosis["programs"][1]["path"], Value::Null, "{diagnosis}");
}

#[test]
fn help_says_what_there_is() {
    let place = Place::new();
    let text = place.answers("--help");
    let commands = [
        "solve",
        "translate",
        "solve-program",
        "solve-formula",
        "verify",
        "check",
        "fmt",
        "doctor",
    ];
    for command in commands {
        assert!(text.contains(&format!("\n  {command} ")), "{text}");
        assert!(
            place
                .answers(&format!("{command} --help"))
                .contains("Usage: sqasp")
        );
    }
    assert!(place.answers("--version").starts_with("sqasp "));
    let text = place.answers("translate --help");
    for fragment in [
        "--explain\n          Explain the program (asp, sqasp, generated): the method with the rule numbers",
        "- generated: The part of it that is made for the game",
    ] {
        assert!(text.contains(fragment), "{text}");
    }
}
