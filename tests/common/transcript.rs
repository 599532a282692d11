//! Documents with commands: each command is run by a shell, and must print what the document shows.
//!
//! A transcript is an indented block with lines that begin with `$ `. `...` stands for any text, or on a line
//! of its own for any lines, and all times are the same. A command goes on in lines that begin with `> `. JSON may be broken into lines anywhere. `? 65` below a command is its exit code.
//! `$ cat FILE` of a file that is not there makes it: the document says what is in it. A block below a comment `<!-- varies -->` is not run.
//!
//! With `SQASP_WRITE_GOLDEN=1` documents are changed to what is printed; look at the difference: times, and lines that were left out, come with it.

use super::{bad_manners, files_below, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What a document promises of its commands.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// A page for readers: standard error and the exit code may be left out.
    Page,
    /// A test: all that is printed, standard error first, and each exit code that is not 0.
    Test,
}

/// A command of a document.
struct Shown {
    /// That of its end, counted from 1.
    line: usize,
    command: String,
    code: Option<i32>,
    output: Vec<String>,
    /// The lines of the document that show code and output.
    length: usize,
}

/// What a command printed.
struct Printed {
    code: i32,
    out: String,
    err: String,
}

/// The commands of a document, in their order.
fn read(document: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let (mut is_open, mut varies) = (false, false);
    for (line, text) in (1..).zip(document.lines()) {
        let last = shown.last_mut().filter(|_| is_open);
        match (text.strip_prefix("    "), last) {
            (Some(code), _) if code.starts_with("$ ") => {
                is_open = !varies;
                shown.extend(is_open.then(|| Shown {
                    line,
                    command: code[2..].to_owned(),
                    code: None,
                    output: Vec::new(),
                    length: 0,
                }));
            }
            (Some(code), Some(last)) if code.starts_with("> ") && last.line + 1 == line => {
                last.line = line;
                last.command += &format!("\n{}", &code[2..]);
            }
            (Some(code), Some(last)) => {
                let exit = code.strip_prefix("? ").and_then(|code| code.parse().ok());
                match exit.filter(|_| last.output.is_empty()) {
                    Some(exit) => last.code = Some(exit),
                    None => last.output.push(without_times(code)),
                }
            }
            (None, Some(last)) if text.is_empty() => last.output.push(String::new()),
            (None, _) if !text.is_empty() => (is_open, varies) = (false, text == "<!-- varies -->"),
            _ => {}
        }
    }
    for each in &mut shown {
        let end = each.output.iter().rposition(|line| !line.is_empty());
        each.output.truncate(end.map_or(0, |end| end + 1));
        each.length = each.output.len() + usize::from(each.code.is_some());
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

impl Printed {
    /// Whether a single command was refused: its message is on standard error, and it leaves no file.
    fn is_refusal(&self, shown: &Shown) -> bool {
        let is_single =
            shown.command.starts_with("sqasp ") && !shown.command.contains([';', '|', '>', '\n']);
        is_single && [2, 65, 66, 69, 70].contains(&self.code)
    }

    /// What is wrong with it, if anything is.
    fn flaw(&self, shown: &Shown, kind: Kind) -> Option<&'static str> {
        let lines = |text: &str| {
            text.trim_end()
                .lines()
                .map(without_times)
                .collect::<Vec<_>>()
        };
        let (out, err) = (lines(&self.out), lines(&self.err));
        let both = [&err[..], &out[..]].concat();
        let is_right = match kind {
            Kind::Page => fits(&shown.output, &out) || fits(&shown.output, &both),
            Kind::Test => fits(&shown.output, &both),
        };
        let code = match kind {
            Kind::Page => shown.code.unwrap_or(self.code),
            Kind::Test => shown.code.unwrap_or(0),
        };
        // `check` and `verify` refuse by an answer.
        let is_wrong = |line: &String| self.code != 65 || line.starts_with("sqasp: ");
        let prints_both = self.is_refusal(shown) && out.iter().any(is_wrong);
        [
            (!is_right, "it prints something else"),
            (code != self.code, "it ends with another exit code"),
            (prints_both, "a refusal prints an answer"),
        ]
        .into_iter()
        .find_map(|(is_wrong, why)| is_wrong.then_some(why))
        .or(bad_manners(&self.err))
    }

    fn text(&self, kind: Kind) -> String {
        match (kind, self.code) {
            (Kind::Page, _) => self.out.clone(),
            (Kind::Test, 0) => format!("{}{}", self.err, self.out),
            (Kind::Test, code) => format!("? {code}\n{}{}", self.err, self.out),
        }
    }
}

/// The folder where the commands of one document run: some folders of the project are in it, and for tests the games beside them.
fn place(document: &Path, kind: Kind) -> TempDir {
    let place = TempDir::new().expect("a temporary folder");
    let mut there: Vec<PathBuf> = ["games", "encodings", "docs", "crates", "scripts"]
        .map(|folder| root().join(folder))
        .into();
    if kind == Kind::Test {
        let beside = std::fs::read_dir(document.parent().expect("a folder")).expect("a folder");
        there.extend(beside.map(|entry| entry.expect("an entry").path()));
        there.retain(|path| path.extension().is_none_or(|ending| ending != "md"));
    }
    for path in there {
        let name = path.file_name().expect("a name");
        std::os::unix::fs::symlink(&path, place.path().join(name)).expect("a link");
    }
    place
}

fn run(command: &str, place: &Path) -> Printed {
    let program = Path::new(env!("CARGO_BIN_EXE_sqasp")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("PATH", &path);
    shell.stdin(Stdio::null()).current_dir(place);
    let ended = shell.output().expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut err = text(&ended.stderr);
    // Usage and a hint to `--help` stand behind each message about arguments.
    if let Some((message, _)) = err.split_once("\n\n")
        && err.starts_with("error: ")
        && ended.status.code() == Some(2)
    {
        err = format!("{message}\n");
    }
    Printed {
        code: ended.status.code().unwrap_or(-1),
        out: text(&ended.stdout),
        err,
    }
}

/// A document with other output behind some commands. Lines with `...` that still fit stay.
fn with_changes(document: &str, changes: &[(Shown, String)]) -> String {
    let mut lines: Vec<String> = document.lines().map(str::to_owned).collect();
    for (shown, printed) in changes.iter().rev() {
        let with_gaps = || shown.output.iter().filter(|line| line.contains("..."));
        let printed = printed.lines().map(|line| {
            let old = with_gaps().find(|old| old.trim() != "..." && line_fits(old, line));
            let line = old.map_or(line, String::as_str);
            format!("    {line}").trim_end().to_owned()
        });
        lines.splice(shown.line..shown.line + shown.length, printed);
    }
    lines.join("\n") + "\n"
}

/// Runs the commands of a document below the root in a folder of their own. Gives how many there are, and complaints.
pub fn check(name: &str, kind: Kind) -> (usize, Vec<String>) {
    let path = root().join(name);
    let document = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{name}"));
    let place = place(&path, kind);
    let place = place.path();
    let (mut wrong, mut changes, mut count) = (Vec::new(), Vec::new(), 0);
    for shown in read(&document) {
        let made = shown.command.strip_prefix("cat ");
        let made = made.filter(|file| !file.contains(' '));
        let made = made.map(|file| place.join(file));
        if let Some(file) = made.filter(|file| !file.exists()) {
            std::fs::write(file, shown.output.join("\n") + "\n").expect("a file");
        }
        let before = files_below(place);
        let printed = run(&shown.command, place);
        count += 1;
        let leaves_files = printed.is_refusal(&shown) && files_below(place) != before;
        let flaw = match printed.flaw(&shown, kind) {
            None if leaves_files => "a refusal writes or removes a file",
            None => continue,
            Some(flaw) => flaw,
        };
        if std::env::var_os("SQASP_WRITE_GOLDEN").is_some() {
            changes.push((shown, printed.text(kind)));
            continue;
        }
        let (line, command) = (shown.line, &shown.command);
        let text = printed.text(Kind::Test);
        wrong.push(format!("{name}:{line}: {flaw}\n$ {command}\n{text}"));
    }
    if !changes.is_empty() {
        std::fs::write(&path, with_changes(&document, &changes)).expect("the document");
    }
    (count, wrong)
}
