//! What holds for all commands and options, and for the commands that pages show.

use clap::{Arg, ArgAction, ArgMatches, Command};
use sqasp::cli::{check_usage, command};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Commands that print no result, or whose output has a form of its own.
const WITHOUT_JSON: &[&str] = &[
    "evaluate",
    "example",
    "explore",
    "generate completions",
    "generate man",
    "player",
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
    let mut command = command();
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

#[test]
fn options_are_few_and_mean_the_same_everywhere() {
    let commands = commands();
    let first = first_words(&commands);
    assert!(first.len() <= 18, "{first:?}");
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
        shorts.len() <= 46,
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

/// Two options of one command with one name inside the program would be taken for each other: clap finds that in debug builds only.
#[test]
fn arguments_have_names_of_their_own() {
    for command in command().get_subcommands() {
        let mut ids: Vec<_> = command.get_arguments().map(clap::Arg::get_id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "{}", command.get_name());
    }
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
                    let parsed = check_usage(&words);
                    let place = file.display();
                    assert!(parsed.is_ok(), "{place}: {line}\n{}", parsed.unwrap_err());
                }
            }
        }
    }
    assert!(count > 50, "{count}");
}

/// The value that a command reads from the text of an option, if it takes it.
fn option(command_and_option: &str, text: &str) -> Option<ArgMatches> {
    let words = command_and_option.split(' ').chain([text]);
    let parsed = command().try_get_matches_from(["sqasp"].into_iter().chain(words));
    parsed
        .ok()
        .and_then(|mut it| Some(it.remove_subcommand()?.1))
}

#[test]
fn sizes_are_read() {
    for (text, bytes) in [
        ("1", Some(1)),
        ("500M", Some(500_000_000)),
        ("1.5G", Some(1_500_000_000)),
        ("2GB", Some(2_000_000_000)),
        ("7k", Some(7_000)),
        ("2GiB", Some(2 << 30)),
        ("0.5 mi", Some(1 << 19)),
        ("3KIB", Some(3 << 10)),
        ("2i", None),
        ("2Gbi", None),
        ("", None),
        ("-1", None),
        ("0", None),
        ("M", None),
        ("nan", None),
        ("1e30", None),
    ] {
        let parsed = option("solve game.gdl --memory", text);
        let size = parsed.map(|it| *it.get_one::<u64>("memory").expect("a size"));
        assert_eq!(size, bytes, "{text}");
    }
}

/// `commands::questions` and others show what the command does for a number and for a range.
#[test]
fn numbers_of_steps_and_ranges_are_read() {
    let is_read = |text: &&str| option("solve game.gdl --depth", text).is_some();
    assert!(["0", "9", "1..9", "3..3", "1000000"].iter().all(is_read));
    let wrong = [
        "",
        "-1",
        "x",
        "1..",
        "..9",
        "9..1",
        "1...9",
        "1000001",
        "1..1000001",
        "1.5",
    ];
    assert!(!wrong.iter().any(is_read));
}
