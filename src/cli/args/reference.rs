//! The page of the book with every command and option, made from the definitions, and what holds for all of them.

use super::Arguments;
use clap::{Arg, ArgAction, Command, CommandFactory, Parser};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Commands that print no result, or whose output has a form of its own.
const WITHOUT_JSON: &[&str] = &[
    "completions",
    "evaluate",
    "explore",
    "fmt",
    "man",
    "player",
    "translate",
];

/// All commands with their full names; those that only group others are left out.
fn commands() -> Vec<(String, Command)> {
    fn add(prefix: &str, command: &Command, all: &mut Vec<(String, Command)>) {
        let inner = command.get_subcommands();
        for command in inner.filter(|command| command.get_name() != "help") {
            let name = format!("{prefix}{}", command.get_name());
            match command.has_subcommands() {
                true => add(&format!("{name} "), command, all),
                false => all.push((name, command.clone())),
            }
        }
    }
    let mut command = Arguments::command();
    command.build();
    let mut all = Vec::new();
    add("", &command, &mut all);
    all
}

/// The words behind `sqasp` that commands begin with.
fn first_words(commands: &[(String, Command)]) -> BTreeSet<&str> {
    let names = commands.iter();
    names
        .filter_map(|(name, _)| name.split(' ').next())
        .collect()
}

/// The options of a command, without those that clap adds.
fn options(command: &Command) -> impl Iterator<Item = (&str, &Arg)> {
    let is_ours = |arg: &&Arg| {
        use ArgAction::{Help, HelpLong, HelpShort, Version};
        !matches!(arg.get_action(), Help | HelpLong | HelpShort | Version)
    };
    let arguments = command.get_arguments().filter(is_ours);
    arguments.filter_map(|arg| Some((arg.get_long()?, arg)))
}

/// An option as it is typed.
fn typed(name: &str, arg: &Arg) -> String {
    let short = arg.get_short();
    let short = short.map_or(String::new(), |short| format!("`-{short}`, "));
    let values = arg.get_value_names().unwrap_or_default();
    let values: String = values.iter().map(|value| format!(" {value}")).collect();
    let takes = arg.get_action().takes_values();
    let is_optional = arg
        .get_num_args()
        .is_some_and(|number| number.min_values() == 0);
    match takes {
        true if is_optional => format!("{short}`--{name}[={}]`", values.trim()),
        true => format!("{short}`--{name}{values}`"),
        false => format!("{short}`--{name}`"),
    }
}

/// The meaning of an option or a value.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    let mut text = help
        .map_or(String::new(), ToString::to_string)
        .replace('\n', " ")
        .replace("  ", " ");
    text.truncate(text.trim_end_matches('.').len());
    let values = arg.get_possible_values();
    let shown = values.iter().filter(|value| !value.is_hide_set());
    // Techniques are many; `--help` has them.
    if arg.get_action().takes_values() && values.len() <= 12 {
        for value in shown.filter(|value| value.get_help().is_some()) {
            let help = value.get_help().map_or(String::new(), ToString::to_string);
            let _ = write!(text, "<br>`{}`: {help}", value.get_name());
        }
    }
    let defaults = arg.get_default_values().iter();
    let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
    if arg.get_action().takes_values() && !defaults.is_empty() && !arg.is_hide_default_value_set() {
        let _ = write!(text, " [default: {}]", defaults.join(" "));
    }
    text.replace('|', "\\|")
}

/// An option as it is typed, what it means, and the commands where it means that.
type Row<'a> = (String, String, Vec<&'a str>);

/// The page.
fn page() -> String {
    let commands = commands();
    let mut meanings: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for (name, command) in &commands {
        for (option, arg) in options(command) {
            let (typed, meaning) = (typed(option, arg), meaning(arg));
            let rows = meanings.entry(option).or_default();
            match rows.iter_mut().find(|(_, text, _)| *text == meaning) {
                Some((.., of)) => of.push(name),
                None => rows.push((typed, meaning, vec![name])),
            }
        }
    }
    let grouped = commands.iter().filter(|(name, _)| name.contains(' '));
    let mut text = format!(
        "# Commands and options\n\n\
         <!-- This page is made from the definitions in `src/cli/args`:\n\
         SQASP_WRITE_GOLDEN=1 cargo test --release -p sqasp --lib reference -->\n\n\
         {} commands, of which `table` has {} of its own, and {} options. `sqasp COMMAND -h` shows the options that most people need, `--help` all of them.\n\n\
         ## Commands\n\n| command | what it does |\n|---|---|\n",
        first_words(&commands).len(),
        grouped.count(),
        meanings.len()
    );
    for (name, command) in &commands {
        let arguments = command.get_positionals().map(|arg| {
            let names = arg.get_value_names().unwrap_or_default();
            let names: String = names.iter().map(|name| format!(" {name}")).collect();
            let is_list = matches!(arg.get_action(), ArgAction::Append);
            let end = if is_list { "..." } else { "" };
            if arg.is_required_set() {
                format!("{names}{end}")
            } else {
                format!(" [{}]", names.trim())
            }
        });
        let arguments: String = arguments.collect();
        let about = command
            .get_about()
            .map_or(String::new(), ToString::to_string);
        let _ = writeln!(
            text,
            "| `{}` | {about} |",
            format!("{name}{arguments}").replace('|', "\\|")
        );
    }
    text += "\n## Options\n\n| option | what it means | of |\n|---|---|---|\n";
    for (typed, meaning, of) in meanings.values().flatten() {
        let _ = writeln!(
            text,
            "| {} | {meaning} | {} |",
            typed.replace('|', "\\|"),
            of.join(", ")
        );
    }
    text
}

#[test]
fn the_page_of_commands_is_that_of_the_definitions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/commands.md");
    if std::env::var_os("SQASP_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, page()).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).expect("a page");
    let message = "docs/reference/commands.md is not current; SQASP_WRITE_GOLDEN=1 writes it";
    assert!(found == page(), "{message}");
}

#[test]
fn options_are_few_and_mean_the_same_everywhere() {
    let commands = commands();
    let first = first_words(&commands);
    assert!(first.len() <= 20, "{first:?}");
    let mut shorts: BTreeMap<String, BTreeSet<Option<char>>> = BTreeMap::new();
    for (name, command) in &commands {
        let has_json = options(command).any(|(option, _)| option == "json");
        assert_eq!(has_json, !WITHOUT_JSON.contains(&name.as_str()), "{name}");
        for (option, arg) in options(command) {
            shorts
                .entry(option.to_owned())
                .or_default()
                .insert(arg.get_short());
        }
    }
    assert!(
        shorts.len() <= 50,
        "{} options: {:?}",
        shorts.len(),
        shorts.keys()
    );
    // A short form goes with one long form, wherever that is.
    let mut longs = BTreeMap::new();
    for (long, short) in &shorts {
        assert_eq!(short.len(), 1, "--{long}: {short:?}");
        if let Some(short) = short.iter().next().copied().flatten() {
            assert_eq!(longs.insert(short, long), None, "-{short}");
        }
    }
}

/// The documents below a folder.
fn documents(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The words of a line for a shell, each of its commands by itself, without comments.
fn commands_of(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut quote) = (vec![vec![String::new()]], None);
    for c in line.chars() {
        let words = commands.last_mut().expect("a command");
        match c {
            _ if quote == Some(c) => quote = None,
            '\'' | '"' if quote.is_none() => quote = Some(c),
            '#' if quote.is_none() => break,
            '|' | '>' | '&' if quote.is_none() => commands.push(vec![String::new()]),
            ' ' if quote.is_none() => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(c),
        }
    }
    for words in &mut commands {
        words.retain(|word| !word.is_empty());
    }
    commands
}

/// Those whose output is shown are run by `tests/transcripts.rs`.
#[test]
fn commands_in_documents_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md"), root.join("SECURITY.md")];
    for folder in ["docs", "games", "crates", "python", "scripts"] {
        documents(&root.join(folder), &mut files);
    }
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a document");
        let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
        for line in lines.map(|line| line.strip_prefix("$ ").unwrap_or(line)) {
            for words in commands_of(line) {
                if words.first().is_some_and(|word| word == "sqasp") {
                    count += 1;
                    let parsed = Arguments::try_parse_from(&words);
                    let place = file.display();
                    assert!(parsed.is_ok(), "{place}: {line}\n{}", parsed.unwrap_err());
                }
            }
        }
    }
    assert!(count > 100, "{count}");
}
