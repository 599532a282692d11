//! One build serves all: the program, the tests and the Python package ask for the same features of every package.

use crate::common::root;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// The packages that some builds need, each with its version and features.
fn packages(selection: &[&str]) -> Vec<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .current_dir(root())
        .args(["tree", "--prefix=none", "--format={p}|{f}"])
        .args(selection)
        .output()
        .expect("cargo runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "cargo tree {selection:?}: {complaint}"
    );
    let text = String::from_utf8(output.stdout).expect("cargo prints text");
    text.lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

/// The packages of the program, whose crates stand in these folders.
fn crates() -> Vec<String> {
    let folders = ["crates", "solvers"].map(|folder| fs::read_dir(root().join(folder)));
    folders
        .into_iter()
        .flat_map(|entries| entries.expect("the folder can be read"))
        .map(|entry| entry.expect("the folder can be read").file_name())
        .map(|name| format!("--package=sqasp-{}", name.to_string_lossy()))
        .filter(|package| package != "--package=sqasp-features")
        .collect()
}

/// Cargo compiles a package once for each set of features, and then also all that depend on it.
#[test]
fn all_builds_share_what_they_compile() {
    let program = packages(&["--package=sqasp", "--edges=normal,build"]);
    assert!(program.len() > 100, "{program:?}");
    let tests = ["--workspace", "--exclude=sqasp-python"];
    let mut others = vec![packages(&tests)];
    others.push(packages(&[
        "--package=sqasp-python",
        "--edges=normal,build",
    ]));
    others.extend(crates().iter().map(|package| packages(&[package])));
    let mut features = BTreeMap::new();
    for line in program.iter().chain(others.iter().flatten()) {
        let Some((package, wanted)) = line.split_once('|') else {
            continue;
        };
        let first = features.entry(package).or_insert(wanted);
        assert_eq!(
            *first, wanted,
            "{package} is compiled more than once: ask for all these features in solvers/features/Cargo.toml"
        );
    }
}
