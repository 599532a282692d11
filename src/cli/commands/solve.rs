//! `sqasp solve`: the value of a game.

use super::curve::solve_curve;
use super::load::load_game;
use super::translate::{check_stages, save_stages};
use crate::cli::args::{Format, SolveArguments};
use crate::cli::depths::Depths;
use crate::cli::request::{budget, check_options, options, question, single_depth};
use crate::cli::run::{Run, WorkDisplay};
use crate::cli::start::start_facts;
use crate::cli::watch::Undisturbed;
use crate::cli::{Exit, Failure, files};
use crate::{Budget, Observer, Options, Question};
use engines::answer::{Answer, GameSubject, MoveValue, Subject};
use engines::{Entry, Way};
use gdl::game::Game;
use gdl::{MAX_POINTS, Name};
use limits::{Progress, lock};
use logic::route::GameRoute;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use strategy::Extracted;
use verify::{DotError, Strategy, write_dot, write_json, write_mixed, write_text};

pub(super) fn solve(arguments: &SolveArguments) -> Result<Exit, Failure> {
    if let Some(Depths::Range(first, last)) = arguments.question.depth {
        return solve_curve(arguments, first, last);
    }
    if arguments.plot.is_some() {
        let message =
            "--plot draws values over the number of steps; give a range, such as --depth 1..9";
        return Err(Failure::new(Exit::Usage, message));
    }
    check_options(&arguments.engine)?;
    check_route(arguments)?;
    check_outputs(arguments)?;
    let budget = budget(&arguments.limits)?;
    let depth = single_depth(&arguments.question)?;
    let unread = unread(arguments, depth);
    let run = Run::start(budget, unread, &arguments.output, Format::Text);
    let shown = run.observer();
    let quiet = arguments.output.quiet;
    let rules = match shown.suspended(|| load_game(&arguments.game, quiet, &run.budget)) {
        Ok(rules) => rules,
        Err(failure) => return run.unread(failure),
    };
    let start = match start_facts(&rules, &arguments.start, quiet, &run.budget) {
        Err(failure) if run.budget.reached().is_some() => return run.unread(failure),
        start => start?,
    };
    let question = Question {
        start,
        mixed: arguments.mixed,
        moves: arguments.moves,
        winning_move: true,
        strategy: arguments.strategy.as_ref().map(|_| arguments.max_size),
        statistics: arguments.statistics,
        certify: arguments.certify,
        ..question(&arguments.question, &rules, depth)?
    };
    let mut saving = None;
    if let Some(folder) = &arguments.save_stages {
        check_stages(folder, &rules, arguments)?;
        saving = Some(Arc::new(Saving {
            shown: run.observer(),
            folder: folder.clone(),
            game: rules.clone(),
            budget: run.budget.clone(),
            undisturbed: run.watch().undisturbed(),
            failure: Mutex::new(None),
        }));
    }
    let observer: Arc<dyn Observer> = match &saving {
        Some(saving) => Arc::clone(saving) as Arc<dyn Observer>,
        None => shown,
    };
    let options = solve_options(arguments, &run.budget, observer);
    if arguments.question.asks_for_all_roles(&rules) {
        return solve_for_all(&rules, &question, &options, run);
    }
    let mut answer = crate::solve(&rules, &question, &options)?;
    let unwritten = write_answered_strategy(arguments, &rules, &run, &mut answer).err();
    let is_printed = arguments.strategy.as_deref() == Some(Path::new("-"));
    if is_printed && answer.stopped_by().is_none() && unwritten.is_none() {
        run.finish();
        return Ok(Exit::Answered);
    }
    let exit = run.end(&answer)?;
    // A failure to save is told after the answer.
    let unsaved = saving.and_then(|saving| {
        let mut failure = lock(&saving.failure);
        failure.take()
    });
    unwritten.or(unsaved).map_or(Ok(exit), Err)
}

/// The answers for all roles that choose.
fn solve_for_all(
    rules: &Game,
    question: &Question,
    options: &Options,
    run: Run<'_>,
) -> Result<Exit, Failure> {
    if question.strategy.is_some() {
        let message = "--strategy is for one role; name it with --role";
        return Err(Failure::new(Exit::Usage, message));
    }
    let answers = rules.players().map(|role| {
        let question = Question {
            role: role.clone(),
            ..question.clone()
        };
        crate::solve(rules, &question, options)
    });
    run.end_all(answers)
}

/// How the question is to be answered; where options are about formulas, by an engine that takes these.
pub(super) fn solve_options(
    arguments: &SolveArguments,
    budget: &Budget,
    observer: Arc<dyn Observer>,
) -> Options {
    let mut options = options(
        &arguments.engine,
        Some(&arguments.formula),
        budget,
        observer,
    );
    if let (None, Some(option)) = (options.engine, about_formulas(arguments)) {
        options.engine = Entry::named("xssat");
        options.why = Some(format!("{option} is about formulas"));
    }
    options
}

/// The answer before the game is read, which may take long.
fn unread(arguments: &SolveArguments, depth: Option<u32>) -> Answer {
    let role = arguments.question.role.as_deref();
    let objective = arguments.question.objective;
    let subject = Subject::Game(GameSubject {
        name: files::short_name(&arguments.game.game[0]),
        role: Name::new(&role.unwrap_or("the first role").to_lowercase()),
        objective,
        depth,
        depth_found: false,
        counts_all_steps: false,
        largest: objective.largest(MAX_POINTS),
        mixed_against: None,
        assumes_perfect_information: false,
        prefix: None,
    });
    let engine = arguments.engine.engine.0;
    Answer::unknown(subject, engine.map_or("auto", |entry| entry.name))
}

/// Writes the strategy to the file that was named, if it was found.
fn write_answered_strategy(
    arguments: &SolveArguments,
    rules: &Game,
    run: &Run<'_>,
    answer: &mut Answer,
) -> Result<(), Failure> {
    let Some(file) = &arguments.strategy else {
        return Ok(());
    };
    let written = match (&answer.strategy, &answer.mixed_strategy) {
        (Some(Extracted::Complete(strategy)), _) => {
            run.undisturbed(|| write_strategy(strategy, rules, file, &run.budget))
        }
        (None, Some(Extracted::Complete(strategy))) => run.undisturbed(|| {
            files::write(Some(file), &run.budget, |to: &mut dyn Write| {
                write_mixed(strategy, to)
            })
        }),
        _ => return Ok(()),
    };
    match written {
        Ok(()) => answer.strategy_file = Some(file.display().to_string()),
        Err(failure) => {
            (answer.strategy, answer.mixed_strategy) = (None, None);
            return Err(failure);
        }
    }
    Ok(())
}

/// Writes a strategy in the form that the file's ending asks for.
fn write_strategy(
    strategy: &Strategy,
    rules: &Game,
    file: &Path,
    budget: &Budget,
) -> Result<(), Failure> {
    let ending = file.extension().and_then(|ending| ending.to_str());
    files::write(Some(file), budget, |to: &mut dyn Write| match ending {
        Some("dot") => write_dot(strategy, rules, to).map_err(|error| match error {
            DotError::Io(error) => error,
            other => io::Error::other(other),
        }),
        Some("txt") => write_text(strategy, to),
        _ => write_json(strategy, to),
    })
}

/// Shows the work, and saves the stages of a translation before its formula is solved.
struct Saving {
    shown: Arc<WorkDisplay>,
    folder: PathBuf,
    game: Game,
    budget: Budget,
    undisturbed: Undisturbed,
    failure: Mutex<Option<Failure>>,
}

impl Observer for Saving {
    fn stage(&self, text: &str) {
        self.shown.stage(text);
    }

    fn progress(&self, progress: &Progress) {
        self.shown.progress(progress);
    }

    fn moves(&self, moves: &[MoveValue]) {
        self.shown.moves(moves);
    }

    fn answer(&self, answer: &Answer) {
        self.shown.answer(answer);
    }

    fn remark(&self, text: &str) {
        self.shown.remark(text);
    }

    fn translated(&self, route: &GameRoute) {
        let save = || save_stages(&self.folder, &self.game, route, &self.budget);
        let saved = self.undisturbed.run(save);
        let mut failure = lock(&self.failure);
        *failure = saved.err();
    }
}

/// Refuses places for files that cannot be written: work would be in vain.
fn check_outputs(arguments: &SolveArguments) -> Result<(), Failure> {
    if let Some(file) = &arguments.strategy {
        files::check_writable(file, arguments.inputs())?;
    }
    match &arguments.save_stages {
        Some(folder) => files::check_folder(folder),
        None => Ok(()),
    }
}

/// Refuses options of one route together with an engine of the other.
pub(super) fn check_route(arguments: &SolveArguments) -> Result<(), Failure> {
    let usage = |message: String| Err(Failure::new(Exit::Usage, message));
    if let (true, Some(option)) = (arguments.mixed, without_mixtures(arguments)) {
        return usage(format!(
            "{option} does not go with --mixed; drop one of them"
        ));
    }
    match arguments.engine.engine.0 {
        None => match (about_formulas(arguments), about_strategies(arguments)) {
            (Some(option), Some(other)) => usage(format!(
                "{option} is about formulas, but {other} needs emm; drop one of them"
            )),
            _ => Ok(()),
        },
        Some(Entry {
            way: Way::Game(_), ..
        }) => match about_formulas(arguments) {
            Some(option) => usage(format!(
                "{option} is about formulas, which emm does not need; drop it or use --engine xssat"
            )),
            None => Ok(()),
        },
        Some(entry) => match about_strategies(arguments) {
            Some(option) => usage(format!(
                "{option} needs emm; use --engine emm instead of {}",
                entry.name
            )),
            None => Ok(()),
        },
    }
}

/// The option that makes no sense where all may choose at random, if one was given.
fn without_mixtures(arguments: &SolveArguments) -> Option<String> {
    if let Some(entry) = arguments.engine.engine.0 {
        return Some(format!("--engine {}", entry.name));
    }
    let ending = arguments
        .strategy
        .as_ref()
        .and_then(|file| file.extension());
    if ending.is_some_and(|ending| ending == "dot" || ending == "txt") {
        return Some("a strategy that ends in .dot or .txt".to_owned());
    }
    let given = [
        (arguments.statistics, "--statistics"),
        (arguments.certify, "--certify"),
    ];
    let given = given
        .into_iter()
        .find_map(|(is_given, option)| is_given.then_some(option));
    given.or(about_formulas(arguments)).map(str::to_owned)
}

/// The option that only an engine that gives advice can obey, if one was given.
fn about_strategies(arguments: &SolveArguments) -> Option<&'static str> {
    let given = [
        (arguments.strategy.is_some(), "--strategy"),
        (arguments.certify, "--certify"),
        (arguments.statistics, "--statistics"),
    ];
    given
        .into_iter()
        .find_map(|(is_given, option)| is_given.then_some(option))
}

/// The option that makes sense only for engines that work on formulas, if one was given.
fn about_formulas(arguments: &SolveArguments) -> Option<&'static str> {
    let of_xssat_only = |name: &String| {
        let known = emm::SWITCHES.iter().any(|switch| switch.name == name);
        !known
    };
    let given = [
        (arguments.formula.quant.is_some(), "--quant"),
        (arguments.formula.cnf_via.is_some(), "--cnf-via"),
        (arguments.save_stages.is_some(), "--save-stages"),
        (
            arguments.engine.without.iter().any(of_xssat_only),
            "--without",
        ),
    ];
    given
        .iter()
        .find(|(given, _)| *given)
        .map(|(_, option)| *option)
}
