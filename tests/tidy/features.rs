//! One build serves all: the program, the tests and the Python package ask for the same features of every package.

use crate::common::root;
use std::collections::BTreeMap;
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

/// Cargo compiles a package once for each set of features, and then also all that depend on it.
#[test]
fn all_builds_share_what_they_compile() {
    let program = packages(&["--package=sqasp", "--edges=normal,build"]);
    let tests = packages(&[
        "--workspace",
        "--exclude=sqasp-python",
        "--exclude=sqasp-cluster",
    ]);
    let python = packages(&["--package=sqasp-python", "--edges=normal,build"]);
    assert!(program.len() > 100, "{program:?}");
    let mut features = BTreeMap::new();
    for line in program.iter().chain(&tests).chain(&python) {
        let Some((package, wanted)) = line.split_once('|') else {
            continue;
        };
        let first = features.entry(package).or_insert(wanted);
        assert_eq!(
            *first, wanted,
            "{package} is compiled more than once: ask for all these features in Cargo.toml"
        );
    }
}
