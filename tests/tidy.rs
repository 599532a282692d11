//! Rules about the source itself: which folder may know which, who prints, that every file says
//! what it is.

mod common;

use common::{read_text, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// For each folder of `src/` the other folders it may use. `cli` may use all.
const MAY_USE: &[(&str, &[&str])] = &[
    ("gdl", &[]),
    ("game", &["gdl"]),
    ("machine", &["game", "gdl"]),
    ("strategy", &["game", "gdl", "machine"]),
    ("search", &["game", "gdl", "machine", "strategy"]),
    ("evaluate", &["game", "gdl", "machine", "search"]),
    (
        "prove",
        &["asp", "game", "gdl", "ground", "machine", "translate"],
    ),
    (
        "plan",
        &[
            "asp",
            "game",
            "gdl",
            "ground",
            "machine",
            "sqasp",
            "translate",
        ],
    ),
    ("plot", &[]),
    ("asp", &[]),
    ("translate", &["asp", "game", "gdl"]),
    ("sqasp", &["asp"]),
    ("ground", &["asp", "game", "gdl", "sqasp", "translate"]),
    (
        "route",
        &["asp", "game", "gdl", "ground", "sqasp", "translate"],
    ),
];

/// Which solvers and crates below `solvers/` a folder of `src/` may name.
const CRATES: &[(&str, &[&str])] = &[
    ("clingo", &["ground"]),
    ("lp2sat", &["asp", "sqasp", "ground", "route", "cli"]),
    // Search and the evaluator only for its words for outcomes; `prove` has a module of this name.
    (
        "formula",
        &["sqasp", "route", "search", "evaluate", "prove", "cli"],
    ),
    ("emm", &["search", "cli"]),
    ("portfolio", &["cli"]),
    ("preprocess", &[]),
    ("ssat", &[]),
    // A command has this name.
    ("xssat", &["cli"]),
    // The route only for the original translators of ground programs.
    ("external", &["route", "cli"]),
    ("graph", &["gdl", "machine"]),
    ("circuit", &["machine", "search", "plan", "prove"]),
    ("paths", &["plan"]),
    ("circuit_sat", &["prove"]),
    ("plotters", &["plot"]),
];

/// All Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|_| panic!("{}", folder.display())) {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The code of a file: without comments and without the tests at its bottom.
fn code(path: &Path) -> String {
    let text = read_text(path);
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let lines = text.lines().map(|line| match line.find("//") {
        Some(start) => &line[..start],
        None => line,
    });
    lines.collect::<Vec<&str>>().join("\n")
}

/// The folder of `src/` that a file is in; none for files next to the folders and for tests.
fn folder(path: &Path) -> Option<String> {
    let below = path.strip_prefix(root().join("src")).expect("below src");
    let mut parts = below.components();
    let first = parts.next()?.as_os_str().to_str()?.to_owned();
    (parts.next().is_some() && !path.ends_with("tests.rs")).then_some(first)
}

/// Whether the code names a crate or module: as `name::`, not as the end of a longer path or word.
fn names(code: &str, name: &str) -> bool {
    code.match_indices(&format!("{name}::")).any(|(start, _)| {
        let before = code[..start].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
    })
}

/// The first words of paths after `crate::`, also in `use crate::{a::x, b::y}`.
fn crate_paths(code: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut paths = BTreeSet::new();
    for (start, found) in code.match_indices("crate::") {
        let rest = &code[start + found.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            paths.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut at_start = true;
        for (place, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => at_start = true,
                c if at_start && !c.is_whitespace() => {
                    paths.insert(word(&group[place..]));
                    at_start = false;
                }
                _ => {}
            }
        }
    }
    paths
}

#[test]
fn paths_are_found() {
    let code = "use crate::gdl::Name;\nuse crate::{asp, game::{Game, x}, route::y};";
    let found: Vec<String> = crate_paths(code).into_iter().collect();
    assert_eq!(found, ["asp", "game", "gdl", "route"]);
    assert!(names("use clingo::Symbol", "clingo"));
    assert!(!names("my_clingo::x self::clingo::y", "clingo"));
}

#[test]
fn folders_use_only_what_is_below_them() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for path in rust_files(&root().join("src")) {
        let Some(own) = folder(&path) else { continue };
        seen.insert(own.clone());
        let code = code(&path);
        let name = path.strip_prefix(root()).expect("below").display();
        for (krate, users) in CRATES {
            if names(&code, krate) && !users.contains(&own.as_str()) {
                wrong.push(format!("{name} names the crate {krate}"));
            }
        }
        if own == "cli" {
            continue;
        }
        let Some((_, allowed)) = MAY_USE.iter().find(|(folder, _)| *folder == own) else {
            wrong.push(format!("{name}: say in tests/tidy.rs what {own} may use"));
            continue;
        };
        for used in crate_paths(&code) {
            if used != own && !allowed.contains(&used.as_str()) {
                wrong.push(format!("{name} uses {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen.len() > MAY_USE.len(), "folders are missing: {seen:?}");
}

/// What proves strategies takes the rules and the strategy, and no value that somebody computed; that
/// it names no solver is said above.
#[test]
fn strategies_are_verified_by_the_rules_alone() {
    for name in [
        "verify.rs",
        "walk.rs",
        "policy.rs",
        "table.rs",
        "fingerprint.rs",
    ] {
        let code = code(&root().join("src/strategy").join(name));
        for word in [
            "Minimax",
            "Advisor",
            "extract",
            "circuit",
            "step::",
            "ground_step",
            "emm",
        ] {
            assert!(!code.contains(word), "{name} names {word}");
        }
    }
}

/// The packages of this project that a manifest names as dependencies, tests aside.
fn dependencies(manifest: &Path) -> BTreeSet<String> {
    let table: toml::Table = read_text(manifest).parse().expect("a manifest");
    let names = table.get("dependencies").and_then(toml::Value::as_table);
    let names = names.into_iter().flat_map(|table| table.keys().cloned());
    names
        .filter(|name| root().join("solvers").join(name).is_dir())
        .collect()
}

#[test]
fn solvers_know_nothing_of_games() {
    let allowed = |name: &str| -> &[&str] {
        match name {
            "limits" | "value" | "graph" | "circuit" => &[],
            "formula" => &["limits"],
            "automorphism" => &["graph"],
            "table" => &["value"],
            "circuit-sat" => &["circuit"],
            "paths" => &["circuit", "circuit-sat"],
            "xssat" => &[
                "automorphism",
                "circuit",
                "circuit-sat",
                "formula",
                "graph",
                "limits",
                "preprocess",
                "stochastic-game",
                "table",
                "value",
            ],
            "stochastic-game" => &["limits", "table", "value"],
            "emm" => &[
                "stochastic-game",
                "automorphism",
                "circuit",
                "circuit-sat",
                "formula",
                "graph",
                "limits",
                "table",
                "value",
            ],
            "preprocess" => &["formula", "graph", "limits"],
            "ssat" => &["formula", "limits", "preprocess", "value"],
            "portfolio" => &["formula", "limits", "preprocess", "ssat", "xssat"],
            "external" => &["formula", "limits"],
            // For tests only.
            "generators" => &["formula"],
            "conformance" => &["formula", "generators", "limits"],
            "lp2sat" => &["formula", "graph"],
            _ => &["formula", "graph", "value"],
        }
    };
    for entry in std::fs::read_dir(root().join("solvers")).expect("the folder solvers") {
        let folder = entry.expect("a folder entry").path();
        let name = common::file_name(&folder);
        for used in dependencies(&folder.join("Cargo.toml")) {
            assert!(
                allowed(&name).contains(&used.as_str()),
                "{name} uses {used}"
            );
        }
        let manifest = read_text(folder.join("Cargo.toml"));
        assert!(
            !manifest.contains("path = \"../..\""),
            "{name} uses the main package"
        );
        for path in rust_files(&folder.join("src")) {
            let code = code(&path);
            assert!(!names(&code, "sqasp"), "{}", path.display());
        }
    }
}

#[test]
fn only_the_command_line_prints() {
    let mut files = rust_files(&root().join("src"));
    for entry in std::fs::read_dir(root().join("solvers")).expect("the folder solvers") {
        files.extend(rust_files(
            &entry.expect("a folder entry").path().join("src"),
        ));
    }
    let mut wrong = Vec::new();
    for path in files {
        if path.starts_with(root().join("src/cli")) || path.ends_with("tests.rs") {
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

#[test]
fn every_file_says_what_it_is() {
    let mut wrong = Vec::new();
    for folder in ["src", "solvers", "tests"] {
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
