//! Reading a game for a command.

use crate::cli::args::GameArguments;
use crate::cli::request::Budget;
use crate::cli::{Exit, Failure, files};
use crate::game::{self, Game, Reading};
use crate::gdl::{Drawing, Options, Severity, render, summary};
use std::io::IsTerminal;

/// Reads a game; tells warnings unless `quiet`.
pub(super) fn load_game(
    arguments: &GameArguments,
    quiet: bool,
    budget: &Budget,
) -> Result<Game, Failure> {
    let reading = read_game(arguments, &arguments.options(), budget)?;
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

/// Reads a game under these options.
pub(super) fn read_game(
    arguments: &GameArguments,
    options: &Options,
    budget: &Budget,
) -> Result<Reading, Failure> {
    let bytes = files::read(&arguments.game, budget)?;
    let name = if arguments.game.as_os_str() == "-" {
        "stdin".to_owned()
    } else {
        arguments.game.to_string_lossy().into_owned()
    };
    game::read(&name, &bytes, options).map_err(|refused| {
        let text = render(
            &refused.source,
            &refused.diagnostics,
            &drawing(Severity::Error),
        );
        let errors = refused.diagnostics.count(Severity::Error);
        let plural = if errors == 1 { "error" } else { "errors" };
        Failure::new(
            Exit::InvalidInput,
            format!("{name} is not a valid game: {errors} {plural}"),
        )
        .with_drawn(text)
    })
}

/// Everything there is to say about a game, as text.
pub(super) fn drawn(reading: &Reading) -> String {
    let drawing = Drawing {
        most: usize::MAX,
        ..drawing(Severity::Note)
    };
    render(&reading.source, &reading.diagnostics, &drawing)
}

fn drawing(from: Severity) -> Drawing {
    Drawing {
        colour: std::io::stderr().is_terminal(),
        from,
        ..Drawing::default()
    }
}
