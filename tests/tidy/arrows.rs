//! Allowed dependencies between folders and crates: they point one way.

use super::{code, crate_paths, crates, names, rust_files};
use crate::common::{read_text, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The sources whose folders are looked at.
const SOURCES: &[&str] = &["src", "crates/engines/src", "crates/logic/src"];

/// For each folder of these the other folders it may use. `cli` may use all.
const MAY_USE: &[(&str, &[&str])] = &[
    ("report", &[]),
    ("tasks", &["report"]),
    ("answer", &["mixed", "opponents", "question", "strategy"]),
    ("mixed", &[]),
    ("strategy", &[]),
    ("search", &["mixed", "opponents", "strategy"]),
    (
        "engine",
        &[
            "answer",
            "error",
            "mixed",
            "observer",
            "opponents",
            "question",
            "search",
            "start",
            "strategy",
        ],
    ),
    (
        "solve",
        &[
            "answer",
            "engine",
            "error",
            "observer",
            "opponents",
            "question",
            "search",
            "start",
            "strategy",
        ],
    ),
    ("asp", &[]),
    ("translate", &["asp"]),
    ("sqasp", &["asp"]),
    ("ground", &["asp", "sqasp", "translate"]),
    ("route", &["asp", "ground", "sqasp", "translate"]),
];

/// The crates that only some folders of [`SOURCES`] may name.
const CRATES: &[(&str, &[&str])] = &[
    ("clingo", &["ground"]),
    ("lp2sat", &["asp", "sqasp", "ground", "route", "cli"]),
    ("emm", &["search", "cli", "engine"]),
    ("layers", &["search", "engine", "cli"]),
    ("ssat", &["engine", "report", "tasks", "cli"]),
    // The route only for the original translators of ground programs.
    ("external", &["route", "engine", "cli"]),
    ("endless", &["engine"]),
    ("umb", &["report", "tasks", "cli"]),
    ("circuit", &["search"]),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
    ("signal_hook", &["cli"]),
];

/// The folder of a source that a file is in; none for files next to the folders and for tests.
fn folder(source: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(source).expect("below the source");
    let mut parts = below.components();
    let first = parts.next()?.as_os_str().to_str()?.to_owned();
    (parts.next().is_some() && !path.ends_with("tests.rs")).then_some(first)
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
    let files = SOURCES.iter().flat_map(|source| {
        let source = root().join(source);
        let files = rust_files(&source).into_iter();
        files.map(move |path| (folder(&source, &path), path))
    });
    for (own, path) in files {
        let Some(own) = own else { continue };
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
            wrong.push(format!(
                "{name}: say in tests/tidy/arrows.rs what {own} may use"
            ));
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

/// Packages from outside that only some crates may use.
const WATCHED: &[&str] = &[
    "clap",
    "clingo",
    "indicatif",
    "signal-hook",
    "tar",
    "timely",
];

/// The folder of a crate of this project.
fn crate_folder(name: &str) -> Option<PathBuf> {
    let folders = ["crates", "solvers"].map(|parent| root().join(parent).join(name));
    folders.into_iter().find(|folder| folder.is_dir())
}

/// The packages of this project, and those of [`WATCHED`], that a manifest names as dependencies, tests aside.
fn dependencies(manifest: &Path) -> BTreeSet<String> {
    let table: toml::Table = read_text(manifest).parse().expect("a manifest");
    let names = table.get("dependencies").and_then(toml::Value::as_table);
    let names = names.into_iter().flat_map(|table| table.keys().cloned());
    names
        .filter(|name| WATCHED.contains(&name.as_str()) || crate_folder(name).is_some())
        .collect()
}

#[test]
fn crates_use_only_what_is_below_them() {
    let allowed = |name: &str| -> &[&str] {
        match name {
            "gdl" => &["base"],
            "rules" => &["gdl", "limits"],
            "step" => &["base", "circuit", "gdl", "limits", "rules"],
            // The prover of strategies takes the rules and the strategy, and no value that somebody computed.
            "verify" => &["gdl", "limits", "rules"],
            "hidden" => &[
                "base",
                "gdl",
                "limits",
                "partial-information",
                "rules",
                "verify",
            ],
            // Of solvers only the one that fixes a side by solving what is exported, and its numbered keys; of hidden games the tree.
            "export" => &[
                "base", "endless", "gdl", "hidden", "limits", "rules", "step", "umb", "verify",
            ],
            "prove" => &[
                "circuit",
                "emm",
                "gdl",
                "invariants",
                "limits",
                "logic",
                "rules",
                "step",
            ],
            "plan" => &[
                "circuit", "gdl", "limits", "logic", "paths", "rules", "step",
            ],
            "http" => &[],
            "engines" => &[
                "circuit", "emm", "external", "formula", "gdl", "hidden", "layers", "limits",
                "logic", "matrix", "prove", "rules", "endless", "ssat", "step", "verify",
            ],
            "evaluator" => &["engines", "formula", "gdl", "limits", "rules", "step"],
            "explorer" => &[
                "engines",
                "evaluator",
                "formula",
                "gdl",
                "hidden",
                "http",
                "limits",
                "prove",
                "rules",
                "step",
            ],
            "player" => &[
                "engines", "formula", "gdl", "hidden", "http", "limits", "rules", "step",
            ],
            "logic" => &[
                "base", "clingo", "external", "formula", "gdl", "limits", "lp2sat",
            ],
            "limits" | "base" => &[],
            "formula" => &["base", "limits"],
            "circuit" => &["base"],
            "invariants" => &["circuit", "limits"],
            "paths" => &["base", "circuit", "invariants"],
            "xssat" => &["arena", "base", "circuit", "formula", "limits", "search"],
            "arena" => &["base", "limits"],
            "search" => &["arena", "base", "limits"],
            "endless" => &["arena", "base", "limits"],
            "matrix" => &["base", "endless", "limits"],
            "partial-information" => &["base", "circuit", "endless", "limits"],
            "emm" => &[
                "arena",
                "base",
                "circuit",
                "endless",
                "formula",
                "invariants",
                "limits",
                "search",
            ],
            "ssat" => &["base", "circuit", "formula", "limits", "xssat"],
            "external" => &["formula", "limits"],
            "layers" => &["arena", "base", "endless", "limits", "matrix"],
            // A program of its own, which asks `engines` to finish a table.
            "cluster" => &["clap", "engines", "layers", "limits", "timely"],
            "umb" => &["limits", "endless", "tar"],
            // For tests only.
            "generators" => &["formula"],
            "conformance" => &["circuit", "formula", "generators", "limits"],
            "lp2sat" => &["base", "formula"],
            _ => &["base", "formula"],
        }
    };
    for (unit, folder) in crates() {
        let name = crate::common::file_name(&folder);
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
            let knows_games = unit.starts_with("solvers") && names(&code, "gdl");
            assert!(!knows_games, "{}", path.display());
            let trusts = name == "verify" && code.contains("Minimax");
            assert!(!trusts, "{}", path.display());
        }
    }
}
