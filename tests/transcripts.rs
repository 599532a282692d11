//! The documents show what commands print; here they are run, and must print that.
//!
//! A transcript is an indented block with lines that begin with `$ `. `...` stands for any text, or on a line
//! of its own for any lines, and all times are the same. JSON may be broken into lines anywhere. `$ cat FILE` of a file that is not there makes it: the
//! document says what is in it. A block below a comment `<!-- varies -->` is not run. With `SQASP_WRITE_GOLDEN=1` the documents are changed to what
//! is printed; look at the difference: times, and lines that were left out, come with it.

use std::path::Path;
use std::process::Command;

/// The commands, each with its line and what it is said to print.
fn transcripts(document: &str) -> Vec<(usize, &str, Vec<String>)> {
    let mut shown: Vec<(usize, &str, Vec<String>)> = Vec::new();
    let (mut is_open, mut varies) = (false, false);
    for (line, text) in (1..).zip(document.lines()) {
        match text.strip_prefix("    ") {
            Some(code) if code.starts_with("$ ") => {
                is_open = !varies;
                shown.extend(is_open.then_some((line, &code[2..], Vec::new())));
            }
            Some(code) if is_open => shown.last_mut().unwrap().2.push(without_times(code)),
            None if text.is_empty() && is_open => shown.last_mut().unwrap().2.push(String::new()),
            None if !text.is_empty() => (is_open, varies) = (false, text == "<!-- varies -->"),
            _ => {}
        }
    }
    for (_, _, output) in &mut shown {
        let end = output.iter().rposition(|line| !line.is_empty());
        output.truncate(end.map_or(0, |end| end + 1));
    }
    shown
}

/// The text with `T` for each time in seconds.
fn without_times(text: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for at in 1..words.len() {
        let is_unit = words[at].trim_end_matches([')', ';', ',', ':']) == "s";
        let number = words[at - 1].trim_start_matches('(');
        if is_unit && number.contains('.') && number.parse::<f64>().is_ok() {
            words[at - 1] = "T".to_owned();
        }
    }
    words.join(" ").trim_end().to_owned()
}

fn line_fits(expected: &str, line: &str) -> bool {
    let mut parts: Vec<&str> = expected.split("...").collect();
    let Some(mut rest) = line.strip_prefix(parts.remove(0)) else {
        return false;
    };
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// The text of JSON without blanks and ends of lines.
fn squeezed(lines: &[String]) -> String {
    let text: String = lines.concat();
    text.chars().filter(|character| *character != ' ').collect()
}

fn fits(expected: &[String], lines: &[String]) -> bool {
    let is_json = |line: &String| line.starts_with(['{', '[']) && line.contains('"');
    if expected.first().is_some_and(is_json) {
        return line_fits(&squeezed(expected), &squeezed(lines));
    }
    match (expected, lines) {
        ([], _) => lines.is_empty(),
        ([any, rest @ ..], _) if any.trim() == "..." => {
            (0..=lines.len()).any(|at| fits(rest, &lines[at..]))
        }
        ([first, expected @ ..], [line, lines @ ..]) => {
            line_fits(first, line) && fits(expected, lines)
        }
        _ => false,
    }
}

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
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

/// A document with other output behind some commands: for each the line of the command, the lines to replace, and the output.
fn with_changes(document: &str, changes: &[(usize, usize, String)]) -> String {
    let mut lines: Vec<String> = document.lines().map(str::to_owned).collect();
    for (line, count, printed) in changes.iter().rev() {
        let printed = printed
            .lines()
            .map(|text| format!("    {text}").trim_end().to_owned());
        lines.splice(*line..line + count, printed);
    }
    lines.join("\n") + "\n"
}

#[cfg(unix)]
#[test]
fn documents_show_what_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_sqasp")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let (mut wrong, mut run) = (Vec::new(), 0);
    for name in pages(root) {
        let place = tempfile::tempdir().unwrap();
        for folder in ["games", "encodings"] {
            std::os::unix::fs::symlink(root.join(folder), place.path().join(folder)).unwrap();
        }
        let document = std::fs::read_to_string(root.join(&name)).unwrap();
        let mut changes = Vec::new();
        for (line, command, expected) in transcripts(&document) {
            let made = command
                .strip_prefix("cat ")
                .map(|file| place.path().join(file));
            if let Some(file) = made.filter(|file| !file.exists()) {
                std::fs::write(file, expected.join("\n") + "\n").unwrap();
            }
            let mut shell = Command::new("sh");
            shell.args(["-c", command]).env("PATH", &path);
            let ended = shell.current_dir(place.path()).output().unwrap();
            let lines = |bytes: &[u8]| -> Vec<String> {
                let text = String::from_utf8_lossy(bytes);
                text.lines().map(without_times).collect()
            };
            // Warnings may be left out.
            let (out, err) = (lines(&ended.stdout), lines(&ended.stderr));
            let both = [&err[..], &out[..]].concat();
            run += 1;
            if !fits(&expected, &out) && !fits(&expected, &both) {
                if std::env::var_os("SQASP_WRITE_GOLDEN").is_some() {
                    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
                    changes.push((line, expected.len(), printed));
                    continue;
                }
                wrong.push(format!("{name}:{line}: $ {command}\n{}\n", both.join("\n")));
            }
        }
        if !changes.is_empty() {
            std::fs::write(root.join(&name), with_changes(&document, &changes)).unwrap();
        }
    }
    assert!(run > 55, "only {run} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
