//! `sqasp translate`: any stage of the translation, and `--save-stages`.

use super::load::load_game;
use super::solve::exit_of;
use crate::asp::{Program, Statement};
use crate::cli::args::{Stage, TranslateArguments};
use crate::cli::files;
use crate::cli::request::{Budget, question, route_options};
use crate::cli::{Exit, Failure};
use crate::game::Game;
use crate::route::{GameRoute, route_game};
use std::io::{self, Write};
use std::path::Path;

pub(super) fn translate(arguments: &TranslateArguments) -> Result<Exit, Failure> {
    let budget = Budget::new(&arguments.limits)?;
    let game = load_game(&arguments.game, false)?;
    let question = question(&arguments.question, &game)?;
    let options = route_options(&arguments.formula, &budget);
    let route = route_game(&game, &question, &options)
        .map_err(|error| Failure::new(exit_of(&error), error))?;
    for warning in &route.stages.warnings {
        eprintln!("warning: {warning}");
    }
    if arguments.to == Stage::Qdimacs && route.stages.formula.has_chance() {
        return Err(Failure::new(
            Exit::Usage,
            "this game has chance, which QDIMACS cannot say; use --to sdimacs",
        ));
    }
    files::write(arguments.output.as_deref(), |to| {
        write_stage(arguments.to, &route, to)
    })?;
    Ok(Exit::Answered)
}

fn write_stage(stage: Stage, route: &GameRoute, mut to: &mut dyn Write) -> io::Result<()> {
    let stages = &route.stages;
    match stage {
        Stage::Asp => write!(to, "{}", without_quantifiers(&route.program)),
        Stage::Sqasp => write!(to, "{}", route.program),
        Stage::Aspif => lp2sat::write_aspif(&stages.ground, &mut to),
        Stage::Cnf => {
            let formula = &stages.formula;
            formula::dimacs::write(formula.variables(), formula.matrix(), formula.names(), to)
        }
        Stage::Sdimacs => formula::sdimacs::write(&stages.formula, to),
        Stage::Qdimacs => formula::qdimacs::write(&stages.formula, to).map_err(io::Error::other),
    }
}

/// The program as a question of plain answer set programming: is there a play that succeeds?
fn without_quantifiers(program: &Program) -> Program {
    let mut plain = Program::new();
    for statement in program.statements() {
        match statement {
            Statement::Rule(rule) if rule.to_string().starts_with('_') => {}
            Statement::Rule(rule) => plain.push(rule.clone()),
            Statement::Remark(text) => plain.remark(text),
        }
    }
    plain
}

/// Writes every stage of a route into a folder, which is made if it is not there.
pub(super) fn save_stages(folder: &Path, game: &Game, route: &GameRoute) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::new(
            Exit::Unwritable,
            format!("cannot make {}: {error}", folder.display()),
        )
    })?;
    let mut stages = vec![
        ("sqasp.lp", Stage::Sqasp),
        ("aspif", Stage::Aspif),
        ("cnf", Stage::Cnf),
        ("sdimacs", Stage::Sdimacs),
    ];
    if !route.stages.formula.has_chance() {
        stages.push(("qdimacs", Stage::Qdimacs));
    }
    for (ending, stage) in stages {
        let path = folder.join(format!("{}.{ending}", game.name()));
        files::write(Some(&path), |to| write_stage(stage, route, to))?;
    }
    Ok(())
}
