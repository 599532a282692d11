//! `sqasp generate`: the command described for shells and for `man`.

use crate::cli::args::{Arguments, GenerateArguments, GeneratedFiles, TableArguments};
use crate::cli::{Exit, Failure, files};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::Path;

pub(super) fn generate(arguments: &GenerateArguments) -> Result<Exit, Failure> {
    match &arguments.files {
        GeneratedFiles::Completions { shell } => completions(*shell),
        GeneratedFiles::Man { folder } => man(folder),
    }
}

fn completions(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    // `help` lists the words of other commands before those after `table` and `generate` are known, so they are told here.
    let table = |table| TableArguments::augment_args(table).defer(|table| table);
    let generate = |generate| GenerateArguments::augment_args(generate).defer(|generate| generate);
    let command = Arguments::command().mut_subcommand("table", table);
    let mut command = command.mut_subcommand("generate", generate);
    clap_complete::generate(shell, &mut command, "sqasp", &mut script);
    files::print(|to| to.write_all(&script))?;
    Ok(Exit::Answered)
}

fn man(folder: &Path) -> Result<Exit, Failure> {
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
