//! Rules about the source itself: which folder may know which, who prints, that every file says
//! what it is.

use crate::common::{read_text, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The sources whose folders are looked at.
const SOURCES: &[&str] = &["src", "crates/logic/src"];

/// For each folder of these the other folders it may use. `cli` may use all.
const MAY_USE: &[(&str, &[&str])] = &[
    ("answer", &[]),
    ("search", &["game", "gdl", "machine", "strategy"]),
    (
        "engine",
        &["answer", "budget", "error", "observer", "search", "start"],
    ),
    (
        "solve",
        &[
            "answer", "budget", "engine", "error", "memory", "observer", "question", "search",
            "start",
        ],
    ),
    (
        "evaluate",
        &["answer", "engine", "error", "gdl", "observer"],
    ),
    (
        "explore",
        &[
            "engine", "error", "evaluate", "game", "gdl", "http", "observer", "search",
        ],
    ),
    ("http", &[]),
    (
        "player",
        &[
            "answer", "engine", "game", "gdl", "http", "observer", "read", "search",
        ],
    ),
    ("plot", &[]),
    ("asp", &[]),
    ("translate", &["asp"]),
    ("sqasp", &["asp"]),
    ("ground", &["asp", "sqasp", "translate"]),
    ("route", &["asp", "ground", "sqasp", "translate"]),
];

/// Which solvers and crates below `solvers/` a folder of [`SOURCES`] may name.
const CRATES: &[(&str, &[&str])] = &[
    ("clingo", &["ground"]),
    ("lp2sat", &["asp", "sqasp", "ground", "route", "cli"]),
    // All but engines and routes only for its words for outcomes.
    (
        "formula",
        &[
            "sqasp", "route", "answer", "engine", "search", "solve", "evaluate", "explore",
            "player", "cli",
        ],
    ),
    ("emm", &["search", "cli", "engine"]),
    ("layers", &["search", "engine", "cli"]),
    ("portfolio", &["engine", "cli"]),
    ("preprocess", &[]),
    ("ssat", &[]),
    // A command has this name.
    ("xssat", &["cli"]),
    // The route only for the original translators of ground programs.
    ("external", &["route", "engine", "cli"]),
    ("graph", &[]),
    ("stochastic_game", &["engine"]),
    ("umb", &["answer", "cli"]),
    ("circuit", &["search"]),
    ("paths", &[]),
    ("circuit_sat", &[]),
    ("invariants", &[]),
    ("plotters", &["plot"]),
    ("clap", &["cli"]),
    ("indicatif", &["cli"]),
    ("signal_hook", &["cli"]),
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

/// The folder of a source that a file is in; none for files next to the folders and for tests.
fn folder(source: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(source).expect("below the source");
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

/// Packages from outside that only some crates may use.
const WATCHED: &[&str] = &[
    "clap",
    "clingo",
    "indicatif",
    "plotters",
    "signal-hook",
    "tar",
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
            "gdl" => &["graph"],
            "rules" => &["gdl", "graph", "limits"],
            "step" => &["circuit", "gdl", "graph", "limits", "rules"],
            // What proves strategies takes the rules and the strategy, and no value that somebody computed.
            "verify" => &["gdl", "limits", "rules"],
            "strategy" => &["gdl", "limits", "rules", "step", "verify"],
            // Of solvers only the one that fixes a side by solving what is exported, and its numbered keys.
            "export" => &[
                "gdl",
                "limits",
                "rules",
                "step",
                "stochastic-game",
                "table",
                "umb",
                "verify",
            ],
            "prove" => &[
                "circuit",
                "circuit-sat",
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
            "logic" => &["clingo", "external", "formula", "gdl", "limits", "lp2sat"],
            "limits" | "value" | "graph" | "circuit" => &[],
            "formula" => &["limits"],
            "automorphism" => &["graph"],
            "table" => &["value"],
            "circuit-sat" => &["circuit"],
            "invariants" => &["circuit", "circuit-sat", "limits"],
            "paths" => &["circuit", "circuit-sat", "invariants"],
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
            "stochastic-game" => &["graph", "limits", "table", "value"],
            "emm" => &[
                "stochastic-game",
                "automorphism",
                "circuit",
                "formula",
                "graph",
                "invariants",
                "limits",
                "table",
                "value",
            ],
            "preprocess" => &["formula", "graph", "limits"],
            "ssat" => &["formula", "limits", "preprocess", "value"],
            "portfolio" => &["formula", "limits", "preprocess", "ssat", "xssat"],
            "external" => &["formula", "limits"],
            "layers" => &["limits", "stochastic-game", "value"],
            "umb" => &["limits", "stochastic-game", "tar"],
            // For tests only.
            "generators" => &["formula"],
            "conformance" => &["formula", "generators", "limits"],
            "lp2sat" => &["formula", "graph"],
            _ => &["formula", "graph", "value"],
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

#[test]
fn only_the_command_line_prints() {
    let mut files = rust_files(&root().join("src"));
    for (_, folder) in crates() {
        files.extend(rust_files(&folder.join("src")));
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

/// Each folder in a folder of the repository, with its name.
fn folders(parent: &str) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(root().join(parent)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("a folder entry").path());
    let mut folders: Vec<(String, PathBuf)> = paths
        .filter(|path| path.is_dir())
        .map(|path| {
            (
                format!("{parent}/{}", crate::common::file_name(&path)),
                path,
            )
        })
        .collect();
    folders.sort();
    folders
}

/// The crates beside the main one, with their folders.
fn crates() -> Vec<(String, PathBuf)> {
    [folders("crates"), folders("solvers")].concat()
}

/// Units that export types: each folder of `src/`, each crate, and each folder that is a public module of a
/// crate in `crates/`.
fn units() -> Vec<(String, PathBuf)> {
    let mut units = [folders("src"), crates()].concat();
    for (krate, folder) in folders("crates") {
        let top = read_text(folder.join("src/lib.rs"));
        let modules = folders(&format!("{krate}/src")).into_iter();
        units.extend(modules.filter(|(_, path)| {
            top.contains(&format!("\npub mod {};", crate::common::file_name(path)))
        }));
    }
    units
}

/// The first word of a text.
fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// The types that a unit exports: those it declares and names in its `lib.rs` or `mod.rs`, there or in
/// `pub use`.
fn exported_types(folder: &Path) -> BTreeSet<String> {
    const WORDS: [&str; 4] = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
    let declared = |code: &str| -> BTreeSet<String> {
        let name = |line: &str| {
            WORDS
                .iter()
                .find_map(|word| line.strip_prefix(word).map(first_word).map(str::to_owned))
        };
        code.lines().filter_map(name).collect()
    };
    let Some(top) = ["src/lib.rs", "mod.rs"]
        .map(|name| folder.join(name))
        .into_iter()
        .find(|path| path.is_file())
    else {
        return BTreeSet::new();
    };
    let top = code(&top);
    let mut all = declared(&top);
    let others: BTreeSet<String> = rust_files(folder)
        .iter()
        .flat_map(|path| declared(&code(path)))
        .collect();
    for (start, found) in top.match_indices("\npub use ") {
        let list = &top[start + found.len()..];
        let list = &list[..list.find(';').expect("it ends")];
        let words = list.split(|c: char| !c.is_alphanumeric() && c != '_');
        all.extend(
            words
                .filter(|word| others.contains(*word))
                .map(str::to_owned),
        );
    }
    all
}

/// Names that several units export with different meanings, and why. One word should have one meaning,
/// so this list may only get shorter.
const SHARED_NAMES: &[(&str, &str)] = &[
    (
        "Answer",
        "what a solver says: emm's becomes that of the common core; a strategy's is what an opponent answers",
    ),
    (
        "Atom",
        "the field's word at three levels: a number in a ground program, text in a program, a property of states",
    ),
    (
        "Block",
        "quantifiers of a prefix; instructions of a circuit",
    ),
    (
        "Board",
        "what is known of plans; a board of a game: the second should be found with mutex groups",
    ),
    ("Condition", "of a rule of GDL; of a state in a proof"),
    (
        "Decision",
        "a strategy says what to decide, in formulas and in games",
    ),
    (
        "Diagnostic",
        "remarks on the text of formulas and of games: both readers are alone in knowing the other does not exist",
    ),
    (
        "Engine",
        "who solves: emm's and xssat's go into the common core; next",
    ),
    ("Flaw", "what is wrong with a state; with a strategy"),
    (
        "Found",
        "what a search came to: automorphisms, and the value of a game",
    ),
    ("Head", "of a rule, ground and as text"),
    (
        "Literal",
        "the field's word at several levels: rules, ground programs, circuits",
    ),
    (
        "MoveValue",
        "emm's is that of the evaluator with numbers for names",
    ),
    ("Names", "of atoms in formulas; of atoms in programs"),
    (
        "Options",
        "each crate has its own, and callers write the crate before it",
    ),
    ("Outcome", "emm's becomes that of the common core: next"),
    (
        "Position",
        "in a text; in play by number, by name, and in a strategy",
    ),
    (
        "Problem",
        "emm and paths take a step of their own; emm's becomes that of the common core: next",
    ),
    ("ProblemError", "goes with Problem"),
    (
        "Question",
        "what is asked of a route, of plans, of the evaluator: one question of the facade will do",
    ),
    ("ReadError", "of a reader, with the module before it"),
    (
        "Refusal",
        "why a state is not expanded; why a strategy is not accepted",
    ),
    (
        "Reply",
        "of opponents, in emm and in strategies; of the evaluator",
    ),
    (
        "Rule",
        "of GDL, of a program, of a ground program: three stages of one thing",
    ),
    ("Statistics", "of preprocessing, and of an evaluation"),
    ("Strategy", "of formulas and of games"),
    ("Term", "of GDL and of programs: two languages"),
    ("Verdict", "on a description, a property, a strategy"),
];

#[test]
fn one_name_is_one_type() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (unit, folder) in units() {
        for name in exported_types(&folder) {
            owners.entry(name).or_default().push(unit.clone());
        }
    }
    assert!(
        owners.contains_key("Formula") && owners.contains_key("Watch"),
        "{owners:?}"
    );
    let mut wrong = Vec::new();
    for (name, units) in &owners {
        if units.len() > 1 && !SHARED_NAMES.iter().any(|(shared, _)| shared == name) {
            wrong.push(format!("{name} is exported by {}", units.join(", ")));
        }
    }
    for (name, _) in SHARED_NAMES {
        if owners.get(*name).is_none_or(|units| units.len() < 2) {
            wrong.push(format!("{name} is one type: take it off the list"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Modules of a crate that use each other, and why they still do. This list may only get shorter.
const CYCLES: &[(&str, &[&str], &str)] = &[];

/// The words after `crate::` or `super::` where these lead to the top of the crate, for a module that is
/// so deep below it.
fn top_paths(code: &str, depth: usize) -> BTreeSet<String> {
    let upwards = "super::".repeat(depth);
    let mut paths = crate_paths(code);
    for (start, _) in code.match_indices(&upwards) {
        let before = code[..start].chars().next_back();
        let rest = &code[start + upwards.len()..];
        if before != Some(':') && !rest.starts_with("super::") {
            paths.extend(crate_paths(&format!("crate::{rest}")).into_iter().take(1));
        }
    }
    paths
}

/// What each top-level module of a crate uses of the others.
fn uses(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in rust_files(source) {
        let below = path.strip_prefix(source).expect("below");
        let mut parts: Vec<String> = below
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        let is_top = ["lib", "main"].contains(&parts[0].as_str());
        if is_top || path.ends_with("tests.rs") {
            continue;
        }
        let found = top_paths(&code(&path), parts.len());
        uses.entry(parts[0].clone()).or_default().extend(found);
    }
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    for (own, used) in &mut uses {
        used.retain(|other| other != own && modules.contains(other));
    }
    uses
}

/// All that can be reached from a module.
fn reached(uses: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(module) = open.pop() {
        for other in &uses[&module] {
            if seen.insert(other.clone()) {
                open.push(other.clone());
            }
        }
    }
    seen
}

#[test]
fn modules_do_not_use_each_other_in_circles() {
    let mut sources = vec![("sqasp".to_owned(), root().join("src"))];
    sources.extend(
        crates()
            .into_iter()
            .map(|(name, folder)| (name, folder.join("src"))),
    );
    let mut found = BTreeSet::new();
    for (name, source) in sources {
        let uses = uses(&source);
        assert!(
            !uses.is_empty() || source.join("lib.rs").is_file(),
            "{name}"
        );
        let reach: BTreeMap<&String, BTreeSet<String>> =
            uses.keys().map(|m| (m, reached(&uses, m))).collect();
        for module in uses.keys() {
            let together = reach[module]
                .iter()
                .filter(|other| reach[other].contains(module));
            let together: Vec<String> = together.cloned().collect();
            if !together.is_empty() {
                found.insert((name.clone(), together));
            }
        }
    }
    let listed = CYCLES.iter().map(|(name, modules, _)| {
        let modules = modules.iter().map(|module| (*module).to_owned());
        ((*name).to_owned(), modules.collect::<Vec<String>>())
    });
    assert_eq!(found, listed.collect());
}

#[test]
fn paths_to_the_top_are_found() {
    let code = "use super::a::X;\nuse super::super::b::Y;\nuse crate::{c, d::Z};";
    let words = |depth| top_paths(code, depth).into_iter().collect::<Vec<_>>();
    assert_eq!(words(1), ["a", "c", "d"]);
    assert_eq!(words(2), ["b", "c", "d"]);
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
