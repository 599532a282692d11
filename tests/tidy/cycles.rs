//! Modules of a crate do not use each other in cycles.

use super::{code, crate_paths, crates, first_words, rust_files};
use crate::common::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Modules of a crate that use each other, and why they still do. This list may only get shorter.
const CYCLES: &[(&str, &[&str], &str)] = &[];

/// The words after `crate::` or `super::` where these lead to the top of the crate, for a module
/// `depth` levels below it.
fn top_paths(code: &str, depth: usize) -> BTreeSet<String> {
    let mut paths = crate_paths(code);
    paths.extend(first_words(code, &"super::".repeat(depth)));
    paths
}

/// The uses of other modules by each top-level module of a crate.
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
fn modules_do_not_use_each_other_in_cycles() {
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
    let code =
        "use super::a::X;\nuse super::{e, f::W};\nuse super::super::b::Y;\nuse crate::{c, d::Z};";
    let words = |depth| top_paths(code, depth).into_iter().collect::<Vec<_>>();
    assert_eq!(words(1), ["a", "c", "d", "e", "f"]);
    assert_eq!(words(2), ["b", "c", "d"]);
}
