//! `sqasp solve`: the value of a game.

use super::curve::solve_curve;
use super::load::load_game;
use super::sweep::solve_sweep;
use crate::cli::args::SolveArguments;
use crate::cli::depths::Depths;
use crate::cli::request::{limits, options, question, single_depth};
use crate::cli::run::Run;
use crate::cli::start::start_facts;
use crate::cli::{Exit, Failure, files};
use crate::{Limits, Observer, Options, Question};
use engines::answer::{Answer, Depth, GameSubject, Subject};
use engines::strategy::Extracted;
use engines::{Ability, Need, Play};
use gdl::Name;
use gdl::game::Game;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use verify::{AnyStrategy, write_equilibrium_text, write_mixtures, write_text, write_tree};

pub(super) fn solve(arguments: &SolveArguments) -> Result<Exit, Failure> {
    if !arguments.sweep.is_empty() {
        return solve_sweep(arguments);
    }
    if let Some(Depths::Range(first, last)) = arguments.question.depth {
        return solve_curve(arguments, first, last);
    }
    check_engine(arguments)?;
    if let Some(file) = &arguments.strategy {
        // Else work would be in vain.
        files::check_writable(file, arguments.inputs())?;
    }
    let limits = limits(&arguments.limits)?;
    let depth = single_depth(&arguments.question)?;
    let unread = unread(arguments, depth);
    let run = Run::start(limits, unread, &arguments.output);
    let shown = run.observer();
    let quiet = arguments.output.quiet;
    let rules = match shown.suspended(|| load_game(&arguments.game, quiet, &run.limits)) {
        Ok(rules) => rules,
        Err(failure) => return run.unread(failure),
    };
    let question = match asked(arguments, &rules, depth, &run.limits) {
        Err(failure) if run.limits.reached().is_some() => return run.unread(failure),
        question => question?,
    };
    let mut options = solve_options(arguments, &run.limits, shown);
    options.extras.moves = arguments.moves;
    options.extras.winning_move = true;
    options.extras.strategy = arguments.strategy.as_ref().map(|_| arguments.max_positions);
    if arguments.question.asks_for_all_roles(&rules) {
        return solve_for_all(&rules, &question, &options, run);
    }
    let mut answer = crate::solve(&rules, &question, &options)?;
    let unwritten = write_strategy(arguments, &run, &mut answer).err();
    let is_printed = arguments.strategy.as_deref() == Some(Path::new("-"));
    if is_printed && answer.stopped_by().is_none() && unwritten.is_none() {
        run.finish();
        return Ok(Exit::Answered);
    }
    let exit = run.end(&answer)?;
    // A failure to write is told after the answer.
    unwritten.map_or(Ok(exit), Err)
}

/// The answers for all roles that choose.
fn solve_for_all(
    rules: &Game,
    question: &Question,
    options: &Options,
    run: Run<'_>,
) -> Result<Exit, Failure> {
    if options.extras.strategy.is_some() {
        let message = "--strategy is for one role; name it with --role";
        return Err(Failure::new(Exit::Usage, message));
    }
    let answers = rules.players().map(|role| {
        let question = question.clone().role(role.as_str());
        crate::solve(rules, &question, options)
    });
    run.end_all(answers)
}

/// How the question is to be answered; where options are about formulas, by an engine that takes these.
pub(super) fn solve_options(
    arguments: &SolveArguments,
    limits: &Limits,
    observer: Arc<dyn Observer>,
) -> Options {
    let mut options = options(
        &arguments.engine,
        Some(&arguments.formula),
        limits,
        observer,
    );
    options.search.engine.digits = arguments.digits;
    options.extras.statistics = arguments.statistics;
    options.needs = arguments.engine.needs(needs(arguments));
    options
}

/// The answer before the game is read, which may take long.
fn unread(arguments: &SolveArguments, depth: Option<u32>) -> Answer {
    let role = arguments.question.role.as_deref();
    let objective = arguments.question.objective;
    let subject = Subject::Game(GameSubject {
        depth: depth.map_or(Depth::Unknown, Depth::Steps),
        ..GameSubject::new(
            files::short_name(&arguments.game.game[0]),
            Name::new(&role.unwrap_or("the first role").to_lowercase()),
            objective,
            objective.widest_range(),
        )
    });
    let engine = arguments.engine.engine.0;
    Answer::unknown(subject, engine.map_or("auto", |entry| entry.name))
}

/// Writes the strategy to the file that was named, if it was found, in the form that the file's ending asks for.
fn write_strategy(
    arguments: &SolveArguments,
    run: &Run<'_>,
    answer: &mut Answer,
) -> Result<(), Failure> {
    let found = answer.strategy.as_ref().and_then(Extracted::complete);
    let (Some(file), Some(strategy)) = (&arguments.strategy, found) else {
        return Ok(());
    };
    let is_text = file.extension().is_some_and(|ending| ending == "txt");
    let write = |to: &mut dyn Write| match strategy {
        AnyStrategy::Known(strategy) if is_text => write_text(strategy, to),
        AnyStrategy::Hidden(strategy) if is_text => write_tree(strategy, to),
        AnyStrategy::Equilibrium(strategy) if is_text => write_equilibrium_text(strategy, to),
        AnyStrategy::Mixed(strategy) if is_text => write_mixtures(strategy, to),
        strategy => strategy.write_json(to),
    };
    match run.write(file, write) {
        Ok(()) => answer.strategy_file = Some(file.display().to_string()),
        Err(failure) => {
            answer.strategy = None;
            return Err(failure);
        }
    }
    Ok(())
}

/// Refuses options that no engine can obey.
pub(super) fn check_engine(arguments: &SolveArguments) -> Result<(), Failure> {
    arguments.engine.able(needs(arguments)).map(|_| ())
}

/// The question about a game in which this many steps count; all without a number.
pub(super) fn asked(
    arguments: &SolveArguments,
    rules: &Game,
    depth: Option<u32>,
    limits: &Limits,
) -> Result<Question, Failure> {
    if Play::of(rules, false) == Play::Hidden && !arguments.start.after.is_empty() {
        return Err(Failure::new(
            Exit::Usage,
            "after these moves each role knows its own moves and what it saw, and no state: leave out --after; --from begins in a state \
             that all roles know",
        ));
    }
    let start = start_facts(rules, &arguments.start, arguments.output.quiet, limits)?;
    let question = question(&arguments.question, rules, depth)?;
    Ok(question.start(start).mixed(arguments.mixed))
}

/// What the options need of an engine.
fn needs(arguments: &SolveArguments) -> Vec<Need> {
    let objective = arguments.question.objective;
    let counts_steps = (
        objective.payoff().is_none(),
        &*format!("--objective {objective}"),
        Ability::Steps,
    );
    let options = [
        counts_steps,
        (
            arguments.formula.quant.is_some(),
            "--quant",
            Ability::Formulas,
        ),
        (
            arguments.formula.cnf_via.is_some(),
            "--cnf-via",
            Ability::Formulas,
        ),
        (arguments.strategy.is_some(), "--strategy", Ability::Advice),
        (arguments.statistics, "--statistics", Ability::Advice),
        (arguments.mixed, "--mixed", Ability::Mixtures),
    ];
    let given = options.into_iter().filter(|(is_given, ..)| *is_given);
    given
        .map(|(_, option, ability)| Need::new(option, ability))
        .collect()
}
