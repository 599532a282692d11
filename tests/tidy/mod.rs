//! Rules about the source itself: which folder may know which, what names mean, and the form of files.

mod arrows;
mod cycles;
mod features;
mod files;
mod names;

use crate::common::{read_text, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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

/// Whether the code names a crate or module: as `name::`, not as the end of a longer path or word.
fn names(code: &str, name: &str) -> bool {
    code.match_indices(&format!("{name}::")).any(|(start, _)| {
        let before = code[..start].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
    })
}

/// The first words of paths after `crate::`, also in `use crate::{a::x, b::y}`.
fn crate_paths(code: &str) -> BTreeSet<String> {
    first_words(code, "crate::")
}

/// The first words of paths after this beginning, also in groups.
fn first_words(code: &str, beginning: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut paths = BTreeSet::new();
    for (start, found) in code.match_indices(beginning) {
        let rest = &code[start + found.len()..];
        if code[..start].ends_with(':') || rest.starts_with("super::") {
            continue;
        }
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
