//! The documents show what commands print; here they are run, and must print that (`tests/common/transcript.rs` has the form).

use crate::common::transcript::{Kind, check};
use crate::common::{in_parallel, root};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// README and all pages of the book, below the root.
fn pages(root: &Path) -> Vec<String> {
    let summary = std::fs::read_to_string(root.join("docs/SUMMARY.md")).unwrap();
    let links = summary.split("](").skip(1);
    let targets = links.map(|rest| rest.split(')').next().expect("a link ends"));
    targets
        .map(|target| match target.strip_prefix("../") {
            Some(above) => above.to_owned(),
            None => format!("docs/{target}"),
        })
        .collect()
}

#[test]
fn the_book_has_all_pages_and_links_lead_somewhere() {
    let root = root();
    let pages = pages(root);
    let mut wrong = Vec::new();
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".md") && name != "docs/SUMMARY.md" && !pages.contains(&name) {
                wrong.push(format!("docs/SUMMARY.md has no line for {name}"));
            }
        }
    }
    let beside = ["games/README.md", "scripts/README.md", "python/README.md"];
    for page in pages.iter().map(String::as_str).chain(beside) {
        let text = std::fs::read_to_string(root.join(page)).unwrap_or_else(|_| panic!("{page}"));
        for rest in text.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            let target = target.split('#').next().unwrap_or_default();
            let place = root.join(page).parent().unwrap().join(target);
            if !target.contains("://") && !target.contains('\n') && !place.exists() {
                wrong.push(format!("{page} leads to {target}, which is not there"));
            }
        }
    }
    assert!(pages.len() > 25, "{pages:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn documents_show_what_commands_print() {
    let run = AtomicUsize::new(0);
    in_parallel(pages(root()), |name| {
        let (count, wrong) = check(&name, Kind::Page);
        run.fetch_add(count, Relaxed);
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong.join("\n")),
        }
    });
    assert!(run.into_inner() > 55, "commands are missing");
}
