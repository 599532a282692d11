//! The text of `--help`: options under headings, and examples that run.

use super::{Place, game};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// The subcommands that `sqasp --help` lists.
fn subcommands(place: &Place) -> Vec<String> {
    let help = place.answers("--help");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| line.starts_with("  "));
    names
        // Other lines go on with what a command does.
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !["help", "completions", "man"].contains(name))
        .map(str::to_owned)
        .collect()
}

/// Starts a server, which says where it is, and ends it.
#[cfg(unix)]
fn serves(example: &str, path: &str, folder: &Path) {
    let mut server = Command::new("sh");
    server.args(["-c", &format!("exec {example}")]);
    server.env("PATH", path).current_dir(folder);
    let mut server = server
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a server");
    let mut line = String::new();
    let read = BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line);
    server.kill().expect("it runs");
    server.wait().expect("it ends");
    assert!(
        read.is_ok() && line.contains("127.0.0.1:"),
        "{example}: {line}"
    );
}

#[cfg(unix)]
#[test]
fn each_help_ends_with_examples_that_run() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::os::unix::fs::symlink(root.join("games"), place.path("games")).expect("a link");
    let program = Path::new(env!("CARGO_BIN_EXE_sqasp")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let names = subcommands(&place);
    assert!(names.len() >= 13, "{names:?}");
    for name in names {
        let help = place.answers(&format!("{name} --help"));
        let examples: Vec<&str> = (help.lines().skip_while(|line| *line != "Examples:"))
            .skip(1)
            .map(str::trim)
            .collect();
        assert!(!examples.is_empty(), "{name} has no examples");
        for example in examples {
            let mut shell = Command::new("sh");
            shell.args(["-c", example]).env("PATH", &path);
            let is_server = ["explore", "player"].contains(&name.as_str());
            if is_server {
                serves(example, &path, place.0.path());
                continue;
            }
            let ended = shell.current_dir(place.0.path()).output().expect("a shell");
            assert!(ended.status.success(), "{example}: {ended:?}");
            assert!(!ended.stdout.is_empty(), "{example}");
        }
    }
}

#[test]
fn a_first_look_shows_what_most_people_need() {
    let place = Place::new();
    let options = |text: &str| text.lines().filter(|line| line.contains(" --")).count();
    let (short, long) = (place.answers("solve -h"), place.answers("solve --help"));
    assert!(options(&short) < options(&long), "{short}");
    for heading in ["Question:", "Limits:", "Output:", "Research:"] {
        assert!(
            long.contains(&format!("\n{heading}\n")),
            "{heading}\n{long}"
        );
    }
    assert!(!short.contains("--without"), "{short}");
    // It fits on a screen.
    let lines = short.lines().count();
    assert!(lines <= 45, "{lines} lines:\n{short}");
}

#[test]
fn shells_and_man_are_served() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.answers(&format!("completions {shell}"));
        assert!(script.contains("statistics"), "{shell}: {script}");
    }
    // The words after `sqasp help table` are those after `sqasp table`.
    let script = place.answers("completions bash");
    let after_help = script.split("sqasp__subcmd__help__subcmd__table)\n").nth(1);
    let words = after_help.and_then(|text| text.lines().next());
    assert!(
        words.is_some_and(|words| words.contains("build")),
        "{words:?}"
    );
    assert_eq!(place.run("man pages").code, Some(0));
    let page = std::fs::read_to_string(place.path("pages/sqasp-solve.1")).expect("a page");
    assert!(page.contains("statistics"), "{page}");
}

#[test]
fn all_roles_are_answered_in_one_run() {
    let place = Place::new();
    let text = place.answers(&format!("solve {} --role all", game("figure_1.gdl")));
    let values: Vec<&str> = text.lines().step_by(2).collect();
    assert_eq!(values, ["66.6667 % (2/3)", "33.3333 % (1/3)"], "{text}");
    let json = place.answers(&format!("solve {} --role all --json", game("figure_1.gdl")));
    let answers: serde_json::Value = serde_json::from_str(&json).expect("an array");
    assert_eq!(answers[1]["role"], "oplayer", "{json}");
    let one = format!(
        "solve {} --role all --strategy s.json",
        game("figure_1.gdl")
    );
    place.refuses(&one, 2, "--strategy is for one role");
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    let place = Place::new();
    for (arguments, device, code) in [
        ("--help", "/dev/full", 73),
        ("solve --help", "/dev/full", 73),
        ("--version", "/dev/full", 73),
        ("--help", "/dev/null", 0),
        ("solve --no-such-option", "/dev/full", 2),
    ] {
        let to = std::fs::OpenOptions::new().write(true).open(device);
        let mut command = place.command(arguments);
        let output = command.stdout(to.expect("a device")).output();
        let ended = super::Ended::new(output.expect("the command starts"));
        assert_eq!(ended.code, Some(code), "{arguments} {device}: {ended:?}");
        ended.check_manners(arguments);
    }
}
