//! Reading a game for a command.

use super::example::is_example;
use crate::cli::args::GameArguments;
use crate::cli::watchdog::left_alone;
use crate::cli::{Exit, Failure, files};
use gdl::game::{self, Game, Reading};
use gdl::{Drawing, Options, Severity, add_files_beside, render, set_parameters, summary};
use limits::Limits;
use std::fs;
use std::io::IsTerminal;
use std::path::Path;

/// Reads a game; tells warnings unless `quiet`.
pub(super) fn load_game(
    arguments: &GameArguments,
    quiet: bool,
    limits: &Limits,
) -> Result<Game, Failure> {
    let reading = read_game(arguments, &arguments.options(), limits)?;
    if !quiet {
        warn(&reading);
    }
    Ok(reading.game)
}

/// Tells the warnings, one line for each kind.
pub(super) fn warn(reading: &Reading) {
    let mut text = summary(
        &reading.source,
        &reading.diagnostics,
        &drawing(Severity::Warning),
    );
    if !text.is_empty() {
        text += "`sqasp check` shows where, and what to do\n";
    }
    files::tell_drawn(&text);
}

/// Whether this stands for standard input.
pub(super) fn is_standard_input(file: &Path) -> bool {
    file == Path::new("-")
}

/// Reads a game, of one file or several, under these options.
pub(super) fn read_game(
    arguments: &GameArguments,
    options: &Options,
    limits: &Limits,
) -> Result<Reading, Failure> {
    game_of(
        read_texts(arguments, limits)?,
        &arguments.set,
        options,
        limits,
    )
}

/// The names and contents of the files of a game, and of those beside them that they use.
pub(super) fn read_texts(
    arguments: &GameArguments,
    limits: &Limits,
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut texts: Vec<(String, Vec<u8>)> = Vec::new();
    for file in &arguments.game {
        let name = if is_standard_input(file) {
            "stdin".to_owned()
        } else {
            file.to_string_lossy().into_owned()
        };
        if is_example(&name) && !file.exists() {
            let message = format!(
                "there is no file {name}; `sqasp example {name} > {name}.gdl` writes the example of this name"
            );
            return Err(Failure::new(Exit::Unreadable, message));
        }
        texts.push((name, files::read(file, limits)?));
    }
    add_files_beside(&mut texts, |name| match fs::metadata(name) {
        Ok(found) if found.is_file() => files::read(Path::new(name), limits).map(Some),
        _ => Ok(None),
    })?;
    Ok(texts)
}

/// Reads the game of these texts, with these numbers for its parameters.
pub(super) fn game_of(
    mut texts: Vec<(String, Vec<u8>)>,
    settings: &[(String, u32)],
    options: &Options,
    limits: &Limits,
) -> Result<Reading, Failure> {
    set_parameters(&mut texts, settings).map_err(|reason| Failure::new(Exit::Usage, reason))?;
    let (first, options) = (texts[0].0.clone(), *options);
    let read = left_alone(limits, &format!("{first} was read"), move || {
        let texts = texts.iter().map(|(name, text)| (name.as_str(), &text[..]));
        game::read_files(&texts.collect::<Vec<_>>(), &options)
    })?;
    read.map_err(|refused| {
        let text = render(
            &refused.source,
            &refused.diagnostics,
            &drawing(Severity::Error),
        );
        let errors = refused.diagnostics.count(Severity::Error);
        let plural = if errors == 1 { "error" } else { "errors" };
        Failure::new(
            Exit::InvalidInput,
            format!("{first} is not a valid game: {errors} {plural}"),
        )
        .with_drawn(text)
    })
}

/// The report about a game, as text of about a screen.
pub(super) fn drawn(reading: &Reading) -> String {
    let drawing = Drawing {
        most: 8,
        of_a_kind: 2,
        ..drawing(Severity::Note)
    };
    render(&reading.source, &reading.diagnostics, &drawing)
}

/// The first sentence of the comment in the first line of some rules.
pub(super) fn title(rules: &[u8]) -> String {
    let first = rules.split(|&byte| byte == b'\n').next();
    let text = String::from_utf8_lossy(first.unwrap_or_default());
    let comment = text.strip_prefix(';').unwrap_or_default();
    let comment = comment.trim_start_matches(';').trim();
    comment.split(". ").next().unwrap_or_default().to_owned()
}

fn drawing(from: Severity) -> Drawing {
    Drawing {
        colour: std::io::stderr().is_terminal(),
        from,
        ..Drawing::default()
    }
}
