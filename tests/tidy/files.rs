//! The form of files: who prints, what stands on top, ignored tests, programs of tests.

use super::{code, crates, rust_files};
use crate::common::{read_text, root};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn only_the_command_line_prints() {
    let mut files = rust_files(&root().join("src"));
    for (_, folder) in crates() {
        files.extend(rust_files(&folder.join("src")));
    }
    let mut wrong = Vec::new();
    for path in files {
        let is_program = path.ends_with("crates/cluster/src/main.rs");
        if path.starts_with(root().join("src/cli")) || path.ends_with("tests.rs") || is_program {
            continue;
        }
        let code = code(&path);
        for macro_name in ["println!", "eprintln!", "print!", "eprint!", "dbg!"] {
            if code.contains(macro_name) {
                wrong.push(format!("{}: {macro_name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Libraries do not know how the command calls things. The programs beside them are known by its name.
#[test]
fn libraries_name_no_option_and_no_command() {
    // A script that completes options has all of them.
    let mut script = Command::new(env!("CARGO_BIN_EXE_sqasp"));
    let script = script.args(["generate", "completions", "bash"]).output();
    let script = String::from_utf8(script.expect("a program").stdout).expect("UTF-8");
    let words = script.split(|c: char| !(c.is_alphanumeric() || c == '-'));
    let options: BTreeSet<&str> = words
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .collect();
    assert!(options.contains("--depth"), "{options:?}");
    let programs = ["crates/servers", "crates/external"];
    let mut folders: Vec<PathBuf> = crates()
        .into_iter()
        .filter(|(name, _)| !programs.contains(&name.as_str()))
        .map(|(_, folder)| folder.join("src"))
        .collect();
    folders.extend(["src/report", "src/tasks"].map(|folder| root().join(folder)));
    let mut wrong = Vec::new();
    for path in folders.iter().flat_map(|folder| rust_files(folder)) {
        let code = code(&path);
        let mut words = code.split(|c: char| !(c.is_alphanumeric() || c == '-'));
        if let Some(word) = words.find(|word| options.contains(word)) {
            wrong.push(format!("{}: {word}", path.display()));
        }
        if code.contains("`sqasp ") {
            wrong.push(format!("{}: a command", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    let mut wrong = Vec::new();
    for folder in ["src", "crates", "solvers", "tests"] {
        for path in rust_files(&root().join(folder)) {
            let text = read_text(&path);
            if !text
                .lines()
                .next()
                .is_some_and(|line| line.starts_with("//! "))
            {
                wrong.push(path.display().to_string());
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "no `//!` at the top:\n{}",
        wrong.join("\n")
    );
}

/// `scripts/test` finds ignored tests, and what they need, by this form.
#[test]
fn ignored_tests_say_what_they_need() {
    let folders = ["crates", "solvers", "src", "tests"].map(|folder| root().join(folder));
    let folders = folders.iter().filter(|folder| folder.exists());
    for path in folders.flat_map(|folder| rust_files(folder)) {
        let text = read_text(&path);
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for pair in lines
            .windows(2)
            .filter(|pair| pair[0].starts_with("#[ignore"))
        {
            let need = pair[0].strip_prefix("#[ignore = \"needs ");
            let says_why = need.is_some_and(|need| need.contains(": "));
            let place = path.display();
            assert!(
                says_why && pair[1].starts_with("fn "),
                "{place}: {}",
                pair[0]
            );
        }
    }
}

#[test]
fn all_packages_have_one_version() {
    let manifest: toml::Table = read_text(root().join("Cargo.toml"))
        .parse()
        .expect("a manifest");
    let workspace = manifest["workspace"].as_table().expect("a table");
    let version = workspace["package"]["version"].as_str().expect("a version");
    let own = workspace["dependencies"]
        .as_table()
        .expect("a table")
        .iter();
    let own: Vec<_> = own
        .filter_map(|(name, it)| Some((name, it.get("path")?, it.get("version")?)))
        .collect();
    assert!(own.len() > 20, "{own:?}");
    for (name, _, other) in own {
        assert_eq!(other.as_str(), Some(version), "{name}");
    }
    let citation = read_text(root().join("CITATION.cff"));
    assert!(
        citation.contains(&format!("\nversion: {version}\n")),
        "CITATION.cff"
    );
}

/// Each program of tests is linked on its own, which takes longer than most of them run.
#[test]
fn crates_have_at_most_one_program_of_tests_from_outside() {
    for (name, folder) in crates() {
        let tests = folder.join("tests");
        if !tests.exists() {
            continue;
        }
        let entries = std::fs::read_dir(tests).expect("a folder");
        let paths = entries.map(|entry| entry.expect("a folder entry").path());
        let is_program = |path: &PathBuf| {
            path.join("main.rs").exists() || path.extension().is_some_and(|it| it == "rs")
        };
        let programs: Vec<PathBuf> = paths.filter(is_program).collect();
        assert!(
            programs.len() <= 1,
            "{name} has {}: make them modules of tests/all/main.rs",
            programs.len()
        );
    }
}
