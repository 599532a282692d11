//! One name is one type.

use super::{code, crates, folders, rust_files};
use crate::common::{read_text, root};
use generators::rows;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
const SHARED_NAMES: &str = r"
    Answer => of a solver; of an opponent in a strategy
    Atom => the field's word at three levels: a number in a ground program, text in a program, a property of states
    Block => quantifiers of a prefix; instructions of a circuit
    Condition => of a rule of GDL; of a state in a proof
    Diagnostic => remarks on the text of formulas and of games: both readers are alone in knowing the other does not exist
    Engine => the solver of a crate: of games, of formulas, of the facade
    Flaw => what is wrong with a state; with a strategy
    Head => of a rule, ground and as text
    Literal => the field's word at several levels: rules, ground programs, circuits
    MoveValue => emm's is that of the evaluator with numbers for names
    Names => of atoms in formulas; of atoms in programs
    Options => each crate has its own, and callers write the crate before it
    Position => in a text; in play by number, by name, and in a strategy
    Problem => emm and paths take a step of their own
    ProblemError => goes with Problem
    Question => of a route, of plans, of the facade: each crate has its own
    ReadError => of a reader, with the module before it
    Refusal => why a state is not expanded; why a strategy is not accepted
    Reply => of opponents, in emm and in strategies; of the evaluator
    Rule => of GDL, of a program, of a ground program: three stages of one thing
    Statistics => of preprocessing, and of an evaluation
    Term => of GDL and of programs: two languages
    Verdict => on a description, a property, a strategy
";

#[test]
fn one_name_is_one_type() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (unit, folder) in units() {
        // A module's type that its crate exports too is one type.
        let of_crate =
            (unit.split_once("/src/")).map(|(krate, _)| exported_types(&root().join(krate)));
        for name in &exported_types(&folder) - &of_crate.unwrap_or_default() {
            owners.entry(name).or_default().push(unit.clone());
        }
    }
    assert!(
        owners.contains_key("Formula") && owners.contains_key("Watch"),
        "{owners:?}"
    );
    let mut wrong = Vec::new();
    let shared = rows(SHARED_NAMES);
    for (name, units) in &owners {
        if units.len() > 1 && !shared.iter().any(|[shared, _]| shared == name) {
            wrong.push(format!("{name} is exported by {}", units.join(", ")));
        }
    }
    for [name, _] in &shared {
        if owners.get(name).is_none_or(|units| units.len() < 2) {
            wrong.push(format!("{name} is one type: take it off the list"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
