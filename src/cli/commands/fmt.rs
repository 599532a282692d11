//! `sqasp fmt`: a game description in prefix form, as written or with all that it uses.

use super::load::read_game;
use crate::cli::args::FmtArguments;
use crate::cli::{Exit, Failure, files};
use gdl::{Options, format, standalone, without_libraries};
use limits::Limits;

pub(super) fn fmt(arguments: &FmtArguments) -> Result<Exit, Failure> {
    let limits = Limits::with_memory(None);
    if let Some(file) = &arguments.output {
        files::check_writable(file, arguments.game.files())?;
    }
    let options = Options {
        // Printing `sees` rules does no harm.
        assume_perfect_information: true,
        ..arguments.game.options()
    };
    let reading = read_game(&arguments.game, &options, &limits)?;
    let description = if arguments.standalone {
        standalone(reading.description, &reading.source)
    } else {
        let files = arguments.game.game.len();
        without_libraries(reading.description, &reading.source, files)
    };
    let text = format(&description);
    files::write(arguments.output.as_deref(), &limits, |to| {
        to.write_all(text.as_bytes())
    })?;
    Ok(Exit::Answered)
}
