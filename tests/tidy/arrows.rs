//! Independence: two routes to one value are evidence only if they share nothing.
//!
//! Cargo keeps crates free of cycles, `cycles` modules, and `deny.toml` says which crates may use packages from outside.

use super::{code, crate_paths, crates, names, rust_files};
use crate::common::{file_name, read_text, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Crates with all that they may know, directly or through others.
const KNOW_ONLY: &[(&str, &[&str])] = &[
    ("gdl", &["base"]),
    ("rules", &["base", "gdl", "limits"]),
    // No program, formula or solver.
    ("step", &["base", "circuit", "gdl", "limits", "rules"]),
    // It takes the rules and the strategy, and no value that was computed.
    ("verify", &["base", "gdl", "limits", "rules"]),
    ("formula", &["base", "limits"]),
    ("lp2sat", &["base", "formula", "limits"]),
    ("circuit", &["base", "limits"]),
    ("limits", &[]),
    ("base", &[]),
];

/// Crates that may not know others: their values, or their lists of states, are evidence about each other.
const APART: &[(&str, &[&str])] = &[
    ("emm", &["lp2sat", "ssat", "xssat"]),
    ("ssat", &["emm"]),
    ("hidden", &["emm", "logic", "ssat", "step"]),
    ("export", &["emm", "layers", "logic", "search", "ssat"]),
    ("logic", &["emm", "ssat", "step"]),
];

/// Folders that use no other folder of their source: advice from any adviser is written down, and matrix games of states share with `emm` the
/// circuit of one step only.
const ALONE: &[&str] = &["mixed", "strategy"];

/// Crates that searches for paths do without: they take a circuit, as solvers do.
const NOT_IN_PATHS: &[&str] = &["gdl", "logic", "rules", "step"];

/// Crates that only some folders of a source may name.
const NAMED_IN: &[(&str, &[&str])] = &[
    ("clingo", &["ground"]),
    ("lp2sat", &["asp", "sqasp", "ground", "route", "cli"]),
    ("emm", &["search", "engine"]),
    ("layers", &["search", "engine"]),
    ("ssat", &["engine", "report", "tasks", "cli"]),
    // The route only for the original translators of ground programs.
    ("external", &["route", "engine", "cli"]),
    ("endless", &["engine", "selfish", "steps"]),
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
fn folders_name_only_crates_that_are_theirs() {
    let mut wrong = Vec::new();
    for source in ["src", "crates/engines/src", "crates/logic/src"].map(|it| root().join(it)) {
        for path in rust_files(&source) {
            let Some(own) = folder(&source, &path) else {
                continue;
            };
            let code = code(&path);
            let foreign = NAMED_IN
                .iter()
                .filter(|(krate, users)| names(&code, krate) && !users.contains(&own.as_str()));
            wrong.extend(foreign.map(|(krate, _)| format!("{}: {krate}", path.display())));
            let used = crate_paths(&code).into_iter().filter(|used| *used != own);
            let used = used.filter(|_| ALONE.contains(&own.as_str()));
            wrong.extend(used.map(|used| format!("{}: {used}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn searches_for_paths_know_nothing_of_games() {
    for path in rust_files(&root().join("crates/plan/src/paths")) {
        let code = code(&path);
        let foreign = NOT_IN_PATHS.iter().find(|krate| names(&code, krate));
        assert_eq!(foreign, None, "{}", path.display());
        let own = crate_paths(&code).into_iter().find(|used| used != "paths");
        assert_eq!(own, None, "{}", path.display());
    }
}

/// The crates of this project that a manifest names as dependencies, tests aside.
fn dependencies(manifest: &Path, all: &BTreeSet<String>) -> BTreeSet<String> {
    let table: toml::Table = read_text(manifest).parse().expect("a manifest");
    let names = table.get("dependencies").and_then(toml::Value::as_table);
    let names = names.into_iter().flat_map(|table| table.keys().cloned());
    // `features` has no code.
    names
        .filter(|name| name != "features" && all.contains(name))
        .collect()
}

#[test]
fn routes_to_one_value_share_nothing() {
    let all = crates().iter().map(|(_, it)| file_name(it)).collect();
    let mut knows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (unit, folder) in crates() {
        let name = file_name(&folder);
        let used = dependencies(&folder.join("Cargo.toml"), &all);
        for other in &used {
            let is_above =
                unit.starts_with("solvers/") && root().join("crates").join(other).exists();
            assert!(
                !is_above,
                "{unit} uses {other}: solvers know nothing of games"
            );
        }
        for path in rust_files(&folder.join("src")) {
            let code = code(&path);
            assert!(
                !names(&code, "sqasp"),
                "{}: the main package",
                path.display()
            );
            let trusts = name == "verify" && code.contains("Minimax");
            assert!(!trusts, "{}: a computed value", path.display());
        }
        knows.insert(name, used);
    }
    // Through others: again and again, as long as something is added.
    loop {
        let through = |used: &BTreeSet<String>| -> BTreeSet<String> {
            let further = used.iter().flat_map(|it| knows[it].iter().cloned());
            used.iter().cloned().chain(further).collect()
        };
        let more: BTreeMap<_, _> = knows
            .iter()
            .map(|(name, used)| (name.clone(), through(used)))
            .collect();
        if more == knows {
            break;
        }
        knows = more;
    }
    for (name, allowed) in KNOW_ONLY {
        let more = knows[*name]
            .iter()
            .find(|it| !allowed.contains(&it.as_str()));
        assert_eq!(more, None, "{name} may not know it");
    }
    for (name, others) in APART {
        let known = others.iter().find(|it| knows[*name].contains(**it));
        assert_eq!(known, None, "{name} may not know it");
    }
}
