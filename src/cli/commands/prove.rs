//! `sqasp prove`: properties that hold in every state of a game.

use super::load::load_game;
use crate::Claims;
use crate::cli::args::{ProofRoute, ProveArguments, ShownProgram};
use crate::cli::request::limits;
use crate::cli::run::{Task, with_spinner};
use crate::cli::{Exit, Failure, files};
use crate::report::ProofReport;
use gdl::game::Game;
use limits::lock;
use prove::{Property, Route};
use std::sync::{Arc, Mutex};

pub(super) fn prove(arguments: &ProveArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let (game, texts) = arguments.game.split(|text| Property::parse(text).is_ok());
    if texts.is_empty() != arguments.all {
        return Err(Failure::new(
            Exit::Usage,
            "say what to prove, such as 'unique (control ?p)', or --all",
        ));
    }
    let mut claims = Claims::new(&texts)?.assuming(&arguments.assume)?;
    claims.route = match arguments.engine {
        ProofRoute::Auto => Route::Auto,
        ProofRoute::Asp => Route::AnswerSets,
        ProofRoute::Circuit => Route::Circuit,
    };
    let nothing = ProofReport::new(&claims.properties, &claims.assumed);
    let found: Arc<Mutex<ProofReport>> = Arc::new(Mutex::new(nothing));
    let so_far = Arc::clone(&found);
    let task = Task::start(
        &limits,
        arguments.report.form.is_json(),
        move |reason, _| {
            let mut report = lock(&so_far).clone();
            report.cut_short(reason);
            report
        },
    );
    let game = load_game(&game, arguments.report.quiet, &limits)?;
    if let Some(shown) = arguments.to {
        let text = program(&game, &claims, shown, &limits)?;
        files::print(|to| write!(to, "{text}"))?;
        return Ok(Exit::Answered);
    }
    let report = with_spinner(arguments.report.quiet, "proving", || {
        let hear = |finding: &_| lock(&found).findings.push(Clone::clone(finding));
        crate::prove(&game, &claims, &limits, hear)
    })?;
    let exit = task.end(&report)?;
    let stopped = report.stopped.or(limits.reached());
    if let (true, Some(reason)) = (report.findings.is_empty(), stopped) {
        files::tell(&format!("sqasp: {reason} before anything was found out"));
    }
    Ok(exit)
}

/// The programs of the proofs by answer sets.
fn program(
    game: &Game,
    claims: &Claims,
    shown: ShownProgram,
    limits: &crate::Limits,
) -> Result<String, Failure> {
    let prover = claims.prover(game, limits)?;
    let mut text = String::new();
    for property in &claims.properties {
        let programs = prover.programs(property, &claims.assumed);
        let (base, step) = programs.map_err(|error| Failure::new(Exit::Usage, error))?;
        text.push_str(&match shown {
            ShownProgram::Base => base.to_string(),
            ShownProgram::Step => step.to_string(),
        });
    }
    Ok(text)
}
