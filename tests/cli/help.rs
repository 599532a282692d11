//! The examples of `--help` run.

use super::Place;
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
        .filter(|name| *name != "help")
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
