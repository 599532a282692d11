//! `sqasp completions` and `sqasp man`: what shells and `man` know of the command.

use crate::cli::args::Arguments;
use crate::cli::{Exit, Failure, files};
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::Path;

pub(super) fn completions(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "sqasp", &mut script);
    files::print(|to| to.write_all(&script))?;
    Ok(Exit::Answered)
}

pub(super) fn man(folder: &Path) -> Result<Exit, Failure> {
    let made = std::fs::create_dir_all(folder);
    made.map_err(|error| files::unmakable(folder, &error))?;
    let written = clap_mangen::generate_to(Arguments::command(), folder);
    written.map_err(|error| {
        let place = folder.display();
        Failure::new(
            Exit::Unwritable,
            format!("cannot write into {place}: {error}"),
        )
    })?;
    Ok(Exit::Answered)
}
