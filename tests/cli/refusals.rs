//! Bad input: a clear message, the right exit code, nothing on stdout, nothing written.

use super::games::{SMALLEST, extended, spoiled};
use super::{Ended, Place, end, game};
use std::process::Command;

#[test]
fn bad_games_are_refused_by_every_command() {
    let rows: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", b"".into(), "there is nothing here"),
        ("comment", b"; nothing\n".into(), "there is nothing here"),
        ("binary", vec![7, 0, 255, 254, 1], "not UTF-8"),
        ("zeros", vec![0; 1000], ""),
        ("open", b"(role x".into(), "never closed"),
        ("closed", b"(role x))".into(), "closes nothing"),
        ("closed_masses", vec![b')'; 100_000], "closes nothing"),
        ("parentheses", vec![b'('; 100_000], "nested more than"),
        ("deep", deep_term(10_000).into(), "nested more than"),
        (
            "unsafe",
            extended("(<= p (true (at ?x)) (not (true (in ?y))))").into(),
            "`?y`",
        ),
        (
            "unsafe_head",
            extended("(<= (p ?x) (true (at start)))").into(),
            "`?x`",
        ),
        (
            "unstratified",
            extended("(<= p (not q)) (<= q (not p))").into(),
            "depends on its own negation",
        ),
        (
            "wrong_arity",
            spoiled("(goal x 100)", "(goal x 100 1)").into(),
            "two arguments",
        ),
        (
            "percept_of_no_role",
            extended("(<= (sees y ?f) (true ?f))").into(),
            "`y` is no role",
        ),
        ("prose", b"This is not a game.".into(), ""),
    ];
    let place = Place::new();
    for (name, content, fragment) in rows {
        place.write(&format!("{name}.gdl"), content);
        for command in [
            format!("solve {name}.gdl --depth 2 --engine xssat"),
            format!("solve {name}.gdl --depth 2 --json"),
            format!("translate {name}.gdl --depth 2 --to sdimacs -o out"),
            format!("check {name}.gdl"),
        ] {
            place.refuses(&command, 65, fragment);
        }
    }
    place.refuses("fmt open.gdl -o out", 65, "never closed");
}

fn deep_term(depth: usize) -> String {
    format!("(init {}a{})", "(f ".repeat(depth), ")".repeat(depth))
}

#[test]
fn games_without_value_are_refused() {
    let never = "(<= (legal o go) (true (at nowhere)))";
    let rows = [
        (
            "stuck",
            spoiled("(legal o go)", never),
            "o has no legal move",
        ),
        ("no_goal", spoiled("(goal o 0)", ""), "o has no goal value"),
        (
            "two_goals",
            extended("(<= (goal x 50) (true (at end)))"),
            "x has several goal values",
        ),
    ];
    let place = Place::new();
    for (name, text, fragment) in rows {
        place.write(&format!("{name}.gdl"), text);
        place.refuses(&format!("solve {name}.gdl --depth 2 --json"), 65, fragment);
        place.refuses(
            &format!("translate {name}.gdl --depth 2 --to asp -o out"),
            65,
            fragment,
        );
        let checked = place.run(&format!("check {name}.gdl"));
        assert_eq!(checked.code, Some(65), "{checked:?}");
        assert!(checked.out.contains(fragment), "{checked:?}");
    }
}

#[test]
fn questions_without_sense_are_refused() {
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    place.write("random.gdl", extended("(role random) (legal random go)"));
    place.write(
        "endless.gdl",
        "(role x) (init on) (legal x wait) (<= (next on) (true on)) (<= terminal (true off))
         (<= (next off) (true off)) (goal x 0)",
    );
    let rows = [
        ("solve game.gdl --depth -1", "`-1` is no number of steps"),
        ("solve game.gdl --depth 1000001", "use 0 to 1000000"),
        ("solve game.gdl --depth 99999999999999999999", "--depth"),
        ("solve game.gdl --depth many", "--depth"),
        ("solve endless.gdl --engine xssat", "--depth"),
        ("solve", "GAME"),
        (
            "solve game.gdl --depth 1 --role nobody",
            "its roles are x, o",
        ),
        (
            "solve random.gdl --depth 1 --role random",
            "this game's roles are x, o",
        ),
        ("solve game.gdl --depth 1 --objective most", "goal>=N"),
        (
            "solve game.gdl --depth 1 --objective goal>=1000001",
            "0 to 1000000",
        ),
        ("solve game.gdl --depth 1 --quant first", "dep"),
        ("solve game.gdl --depth 1 --engine nothing", "xssat"),
        ("solve game.gdl --depth 1 --time -1", "--time -1"),
        ("solve game.gdl --depth 1 --time NaN", "--time NaN"),
        ("solve game.gdl --depth 1 --time soon", "--time"),
        ("solve game.gdl --depth 1 --memory 0", "500M"),
        ("solve game.gdl --depth 1 --memory -1", "500M"),
        ("solve game.gdl --depth 1 --memory lots", "500M"),
        ("solve game.gdl --depth 1 --json --format text", "--json"),
        ("solve game.gdl --depth 1 --threads 0", "1 to 1024"),
        ("solve game.gdl --depth 1 --threads 1025", "1 to 1024"),
        ("solve game.gdl --depth 1 --threads all", "--threads"),
        ("solve game.gdl --depth 1 --engine magic", "frontier"),
        (
            "solve game.gdl --depth 1 --engine caqe --without symmetry",
            "use --engine emm",
        ),
        ("solve-program - --moves", "--moves"),
        ("translate game.gdl --depth 1 --to nothing", "sdimacs"),
        ("translate game.gdl --to asp", "--depth"),
        (
            "translate game.gdl --depth 1 --to cnf --explain",
            "--explain is for programs",
        ),
        ("fmt game.gdl --to infix", "--to"),
        (
            "solve game.gdl --depth 1 --no-such-option",
            "--no-such-option",
        ),
        ("dissolve game.gdl", "dissolve"),
    ];
    for (arguments, fragment) in rows {
        place.refuses(arguments, 2, fragment);
    }
    let bare = place.run("");
    assert_eq!(bare.code, Some(2), "{bare:?}");
    assert!(bare.err.contains("Usage"), "{bare:?}");
}

#[test]
fn chance_needs_a_solver_that_knows_it() {
    let place = Place::new();
    let stochastic = game("stochastic_ttt.gdl");
    place.refuses(
        &format!("translate {stochastic} --depth 1 --to qdimacs -o out"),
        2,
        "use --to sdimacs",
    );
}

#[test]
#[ignore = "needs depqbf: the command calls it"]
fn depqbf_refuses_chance() {
    let stochastic = game("stochastic_ttt.gdl");
    Place::new().refuses(
        &format!("solve {stochastic} --depth 1 --engine depqbf"),
        2,
        "use --engine xssat",
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    for name in ["nothing.gdl", "folder", "folder/nothing"] {
        for command in [
            "solve --depth 1",
            "solve-formula",
            "solve-program",
            "check",
            "fmt",
        ] {
            place.refuses(&format!("{command} {name}"), 66, name);
        }
    }
}

#[test]
fn what_cannot_be_written_is_named() {
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    std::fs::create_dir(place.path("folder")).unwrap();
    let rows = [
        (
            "translate game.gdl --depth 1 --to asp -o no/where",
            "there is no folder no",
        ),
        (
            "translate game.gdl --depth 1 --to asp -o folder",
            "cannot write folder",
        ),
        ("fmt game.gdl -o no/where", "there is no folder no"),
    ];
    for (arguments, fragment) in rows {
        place.refuses(arguments, 73, fragment);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to_and_stay_devices() {
    use std::os::unix::fs::FileTypeExt;
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    // A full disk.
    place.refuses(
        "translate game.gdl --depth 1 --to asp -o /dev/full",
        73,
        "/dev/full",
    );
    place.answers("translate game.gdl --depth 1 --to asp -o /dev/null");
    for device in ["/dev/full", "/dev/null"] {
        let kind = std::fs::metadata(device).unwrap().file_type();
        assert!(kind.is_char_device(), "{device}");
    }
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    for command in [
        "solve game.gdl --depth 1",
        "translate game.gdl --depth 1 --to cnf",
    ] {
        let ended = end(place.command(command).stdout(full()));
        ended.check_refusal(command, 73, "standard output");
    }
    // Nobody can be told, but the exit code says it.
    let ended = end(place.command("solve game.gdl --depth -1").stderr(full()));
    assert_eq!(ended.code, Some(2));
}

#[test]
fn arguments_that_are_not_text_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    let strange = OsStr::from_bytes(b"\xff\xfe");
    let solve = |game, role| {
        [
            OsStr::new("solve"),
            game,
            "--depth".as_ref(),
            "1".as_ref(),
            "--role".as_ref(),
            role,
        ]
    };
    let cases = [
        (solve("game.gdl".as_ref(), strange), 2),
        (solve(strange, "x".as_ref()), 66),
    ];
    for (arguments, code) in cases {
        let ended = end(&mut place.command_with(arguments));
        ended.check_refusal("not text", code, "");
    }
    // A file may be called so.
    std::fs::write(place.0.path().join(strange), SMALLEST).unwrap();
    let ended = end(&mut place.command_with(solve(strange, "x".as_ref())));
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn bad_formulas_are_refused() {
    let rows: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", b"".into(), "no formula here"),
        ("binary", vec![7, 0, 255, 254, 1], "line 1"),
        ("parentheses", vec![b'('; 100_000], "header is missing"),
        (
            "fewer_clauses",
            b"p cnf 2 3\n1 0\n2 0\n".into(),
            "there are 2",
        ),
        ("variable", b"p cnf 1 1\n2 0\n".into(), "2"),
        (
            "variables",
            b"p cnf 999999999999 1\n1 0\n".into(),
            "out of proportion",
        ),
        (
            "above_1",
            b"p cnf 1 1\nr 1.5 1 0\n1 0\n".into(),
            "between 0 and 1",
        ),
        (
            "below_0",
            b"p cnf 1 1\nr -0.5 1 0\n1 0\n".into(),
            "between 0 and 1",
        ),
        (
            "no_number",
            b"p cnf 1 1\nr half 1 0\n1 0\n".into(),
            "line 2",
        ),
        (
            "divided_by_0",
            b"p cnf 1 1\nr 1/0 1 0\n1 0\n".into(),
            "line 2",
        ),
        (
            "digits",
            b"p cnf 1 1\nr 1e-999999999 1 0\n1 0\n".into(),
            "too many digits",
        ),
        ("twice", b"p cnf 1 1\ne 1 0\na 1 0\n1 0\n".into(), "line 3"),
        ("unfinished", b"p cnf 1 1\n1".into(), ""),
    ];
    let place = Place::new();
    for (name, content, fragment) in rows {
        place.write(name, content);
        place.refuses(&format!("solve-formula {name}"), 65, fragment);
        place.refuses(&format!("solve-formula {name} --json"), 65, fragment);
    }
}

#[test]
fn bad_programs_are_refused() {
    let rows: Vec<(&str, Vec<u8>, &str)> = vec![
        ("syntax", b"p(".into(), "syntax error"),
        ("second_line", b"p(1).\nq(X) :- r.".into(), "line 2"),
        ("unsafe", b"q(X) :- not p(X).".into(), "'X' is unsafe"),
        ("disjunction", b"a ; b.".into(), "disjunction"),
        ("edge", b"{a}. #edge (1,2) : a.".into(), "#edge"),
        (
            "undecided",
            b"{a; b}. _exists(1,b) :- a.".into(),
            "not a fact",
        ),
        (
            "twice",
            b"{a}. _exists(1,a). _forall(2,a).".into(),
            "quantified twice",
        ),
        (
            "mixed",
            b"{a; b}. _exists(1,a). _forall(1,b).".into(),
            "two kinds",
        ),
        ("level", b"{a}. _exists(0,a).".into(), "level from 1"),
        (
            "probability",
            b"{a}. _chance(1,5,3,a).".into(),
            "0 <= p <= q",
        ),
        ("binary", vec![7, 0, 255, 254, 1], "not UTF-8"),
        ("parentheses", vec![b'('; 100_000], "nested more than"),
        ("closed", vec![b')'; 100_000], "close nothing"),
        ("part", b"#program step(t). {a}.".into(), "#program step"),
        ("no_atom", b"_exists(1,2).".into(), "`2`, which is no atom"),
        ("letter", "p(\u{e4}).".into(), "unexpected `\u{e4}`"),
        (
            "aggregate",
            b"{a}. q :- #sum{-1 : q; 2 : a} >= 1.".into(),
            "an aggregate with negative weights",
        ),
        ("include", b"#include \"nowhere.lp\".".into(), "nowhere.lp"),
    ];
    let place = Place::new();
    for (name, content, fragment) in rows {
        place.write(name, content);
        place.refuses(&format!("solve-program {name}"), 65, fragment);
        place.refuses(&format!("solve-program {name} --json"), 65, fragment);
    }
}

/// Text or name of a file must not command the terminal that shows a message about it.
#[test]
fn escapes_in_files_are_shown_and_not_sent() {
    let place = Place::new();
    let name = "e\u{1b}[31mvil";
    for (command, content) in [
        (
            "check",
            "(role x) ; \u{1b}[31mred\u{1b}[0m \u{202e}\n(init (a b\u{1b}))",
        ),
        ("check", "(role \u{9b}31mx) (role \u{202e}y"),
        ("solve", "(<= (legal x \u{1b}) (does ?y\u{7f}))"),
        ("solve-program", "p(1\u{1b}[31m)."),
        ("solve-program", "p(1)\u{9b}31m."),
        ("solve-formula", "p cnf 1 1\n\u{1b}[31m 0\n"),
    ] {
        place.write(name, content);
        let ended = place.run(&format!("{command} {name}"));
        assert_eq!(ended.code, Some(65), "{command}: {ended:?}");
        let sent = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!ended.err.contains(sent), "{command}: {ended:?}");
        assert!(
            ended.err.contains("e\\u{1b}[31mvil"),
            "{command}: {ended:?}"
        );
    }
    // The mark stays below what it marks.
    place.write("game", "(role x) ; \u{1b}[31mred\n");
    let message = place.run("check game").err;
    let rows: Vec<&str> = message.lines().collect();
    let row = rows
        .iter()
        .position(|row| row.contains("\\u{1b}[31mred"))
        .expect("the line");
    assert_eq!(
        rows[row].find("\\u{1b}"),
        rows[row + 1].find('^'),
        "{message}"
    );
}

#[test]
fn missing_outside_programs_are_named() {
    let place = Place::new();
    place.write("game.gdl", SMALLEST);
    place.write("formula", "p cnf 1 1\n1 0\n");
    for engine in ["depqbf", "caqe", "sharpssat"] {
        for command in ["solve game.gdl --depth 1", "solve-formula formula"] {
            let arguments = format!("{command} --engine {engine}");
            let ended = end(place.command(&arguments).env("PATH", place.0.path()));
            ended.check_refusal(&arguments, 69, "was not found");
        }
    }
    place.write("program.lp", "{a}. _exists(1,a).");
    for command in [
        "solve game.gdl --depth 1",
        "translate game.gdl --depth 1 --to cnf -o out",
        "solve-program program.lp",
    ] {
        let arguments = format!("{command} --cnf-via asptools");
        let ended = end(place.command(&arguments).env("PATH", place.0.path()));
        ended.check_refusal(&arguments, 69, "was not found");
    }
    assert!(!place.path("out").exists());
    // A program that is there and says nothing has failed, which is something else.
    std::os::unix::fs::symlink("/bin/true", place.path("depqbf")).expect("a link");
    let silent = "solve-formula formula --engine depqbf";
    let ended = end(place.command(silent).env("PATH", place.0.path()));
    ended.check_refusal(silent, 70, "printed nothing");
}

/// A tenth of the size one tries by hand (100 MB), under a limit on the memory of the process.
#[cfg(target_os = "linux")]
#[test]
fn masses_of_parentheses_take_little_memory() {
    const SIZE: usize = 10_000_000;
    let place = Place::new();
    place.write("open", vec![b'('; SIZE]);
    place.write("closed", vec![b')'; SIZE]);
    place.write(
        "both",
        ["(".repeat(SIZE / 2), ")".repeat(SIZE / 2)].concat(),
    );
    for file in ["open", "closed", "both"] {
        for command in [
            "solve --depth 1",
            "fmt",
            "check",
            "solve-formula",
            "solve-program",
        ] {
            let script = format!("ulimit -v 300000; exec \"$0\" {command} {file}");
            let output = Command::new("sh")
                .args(["-c", &script, env!("CARGO_BIN_EXE_sqasp")])
                .current_dir(place.0.path())
                .output()
                .expect("there is a shell");
            Ended::new(output).check_refusal(&script, 65, file);
        }
    }
}
