//! `sqasp solve`: the value of a game.

use super::choose::{Choice, choose};
use super::curve::solve_curve;
use super::load::load_game;
use super::run::{Run, check_engine, engine_of, find_program};
use super::sure_move::sure_move_by_formula;
use super::translate::{check_stages, save_stages};
use super::validity::{check_by_steps, try_playing, warn_of_turns};
use crate::cli::args::{EngineName, Format, MethodName, SolveArguments, StartArguments};
use crate::cli::depths::Depths;
use crate::cli::moves::legal_first_moves;
use crate::cli::report::{Engine, Subject};
use crate::cli::request::{
    Asked, Budget, check_options, route_options, search_options, single_depth, solver,
};
use crate::cli::start::{Start, rules_failure};
use crate::cli::{Exit, Failure, files};
use crate::game::{Domains, Game};
use crate::gdl::{MAX_POINTS, Name, Term};
use crate::machine::{Reasoner, RuleLimits, StateMachine};
use crate::route::{
    FirstMoves, GameRoute, ProgramError, RouteError, StageTimes, check_role, route_game,
};
use crate::search::{Search, SearchError};
use crate::sqasp::PrefixMethod;
use crate::translate::Question;
use formula::{Lit, Solver, SolverError};
use std::fmt::Display;

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
    find_program(&arguments.engine)?;
    check_route(arguments)?;
    check_outputs(arguments)?;
    let budget = Budget::new(&arguments.limits)?;
    let depth = single_depth(&arguments.question)?;
    let subject = |name: &str, asked: &Asked| Subject::Game {
        name: name.to_owned(),
        asked: asked.clone(),
        depth_found: false,
        prefix: None,
    };
    // Who plays is not known before the game is read, which may take long.
    let first = arguments.question.role.as_deref();
    let unread = Asked {
        role: Name::new(&first.unwrap_or("the first role").to_lowercase()),
        depth,
        objective: arguments.question.objective,
        largest: arguments.question.objective.largest(MAX_POINTS),
    };
    let unread = subject(&files::short_name(&arguments.game.game[0]), &unread);
    let engine = Engine {
        name: match arguments.engine.engine {
            EngineName::Auto => "auto",
            _ => engine_of(&arguments.engine).name,
        },
        why: None,
        exact_if: None,
    };
    let run = Run::start(budget, unread, engine, &arguments.output, Format::Text);
    let quiet = arguments.output.quiet;
    let rules = match run.suspended(|| load_game(&arguments.game, quiet, &run.budget)) {
        Ok(rules) => rules,
        Err(failure) => return run.unread(failure),
    };
    let game = match started(&rules, &arguments.start, &run.budget) {
        Err(failure) if run.budget.reached().is_some() => return run.unread(failure),
        game => game?,
    };
    let asked = Asked::new(&arguments.question, &game, depth)?;
    check_role(&game, &asked.role).map_err(|error| Failure::new(exit_of(&error), error))?;
    run.ask(subject(game.name(), &asked));
    run.say("playing");
    let is_longer = try_playing(&game, asked.depth.unwrap_or(MAX_TRIED), &run.budget)?;
    if !arguments.output.quiet && !arguments.output.json {
        warn_of_turns(&game, &run.budget);
    }
    let mut solving = Solving {
        arguments,
        rules: &rules,
        game: &game,
        asked,
        is_longer,
        run,
        times: StageTimes::default(),
    };
    solving.run.say("grounding one step");
    let (asked, budget) = (&solving.asked, &solving.run.budget);
    match choose(arguments, &game, asked, budget, &mut solving.times)? {
        Choice::Logic(engine) => solving.by_logic(engine),
        Choice::Search(engine, search) => solving.by_search(engine, *search),
        Choice::Stopped(reason, error) => solving.run.stopped(reason, &error),
    }
}

/// Refuses places for files that cannot be written: work would be in vain.
fn check_outputs(arguments: &SolveArguments) -> Result<(), Failure> {
    if let Some(file) = &arguments.strategy {
        files::check_writable(file)?;
    }
    match &arguments.save_stages {
        Some(folder) => files::check_folder(folder),
        None => Ok(()),
    }
}

/// The most steps of the plays that are tried where it is not said how many count.
const MAX_TRIED: u32 = 1000;

/// A question on its way to an answer.
pub(super) struct Solving<'a> {
    pub(super) arguments: &'a SolveArguments,
    /// The game as it was written.
    pub(super) rules: &'a Game,
    /// The same, from the state that play starts from.
    pub(super) game: &'a Game,
    pub(super) asked: Asked,
    /// Whether some random play was not over after the last step that counts.
    is_longer: bool,
    pub(super) run: Run<'a>,
    pub(super) times: StageTimes,
}

impl Solving<'_> {
    /// Says what is being asked, when more is known of it.
    pub(super) fn note_subject(&self, depth: u32, prefix: Option<PrefixMethod>) {
        self.run.ask(Subject::Game {
            name: self.game.name().to_owned(),
            asked: Asked {
                depth: Some(depth),
                ..self.asked.clone()
            },
            depth_found: self.asked.depth.is_none(),
            prefix,
        });
    }

    /// The answer by way of a formula.
    fn by_logic(mut self, engine: Engine) -> Result<Exit, Failure> {
        let arguments = self.arguments;
        self.run.choose(engine);
        let depth = match self.depth_without_search() {
            Ok(depth) => depth,
            Err(error) => {
                let times = self.times.clone();
                return match (error.stopped_by(), &error) {
                    (Some(_), _) => self.without_depth(None, &error, times),
                    (_, SearchError::Question(_)) => self.without_answer(&error),
                    (None, _) => Err(Failure::new(
                        Exit::Usage,
                        format!(
                            "say with --depth how many steps count, which was not found: {error}"
                        ),
                    )),
                };
            }
        };
        let question = self.asked.within(depth);
        self.note_subject(depth, Some(arguments.formula.prefix()));
        self.check(depth)?;
        let Solving {
            game,
            ref run,
            times: ref before,
            ..
        } = self;
        if let Some(folder) = &arguments.save_stages {
            check_stages(folder, game)?;
        }
        let mut solver = solver(&arguments.engine)?;
        let mut options = route_options(&arguments.formula, &run.budget);
        run.show_grounding(&mut options);
        let route = match route_game(game, &question, &options) {
            Ok(route) => route,
            Err(error) => {
                return match error.stopped_by() {
                    Some(reason) => self.run.stopped(reason, &error),
                    None => Err(Failure::new(exit_of(&error), error)),
                };
            }
        };
        run.warn(&route.stages.warnings);
        check_engine(&arguments.engine, &route.stages.formula)?;
        // What cannot be saved is told after the answer.
        let unsaved = arguments.save_stages.as_ref().and_then(|folder| {
            run.undisturbed(|| save_stages(folder, game, &route, &run.budget))
                .err()
        });
        let after = |exit| unsaved.map_or(Ok(exit), Err);
        let sizes = route.stages.sizes();
        let formula = &route.stages.formula;
        let mut times = before.clone();
        times.0.extend(route.stages.times.0.iter().copied());
        let solver = solver.as_mut();
        if !arguments.moves {
            return self
                .answer_with_move(solver, &route, depth, times)
                .and_then(after);
        }
        let moves = first_moves(game, &question, &route)?;
        if moves.is_empty() {
            let answered = self.run.answer_without_moves(solver, formula, sizes, times);
            return answered.and_then(after);
        }
        let answered = self.run.answer_moves(solver, formula, moves, sizes, times);
        answered.and_then(after)
    }
}

impl Solving<'_> {
    /// Evaluates the formula and prints the answer, with a first move where it is a plain yes.
    fn answer_with_move(
        self,
        solver: &mut dyn Solver,
        route: &GameRoute,
        depth: u32,
        mut times: StageTimes,
    ) -> Result<Exit, Failure> {
        let stages = &route.stages;
        let answer = self.run.evaluate(solver, &stages.formula, &mut times)?;
        let legal = self.moves_to_name(&answer, depth);
        if !legal.is_empty() {
            let moves = FirstMoves::of(self.game, &self.asked.role, stages);
            let moves = moves.map_err(|error| Failure::new(Exit::Internal, error))?;
            let found = times.measure("move", || {
                sure_move_by_formula(&self.run, solver, &stages.formula, &moves, &legal)
            })?;
            self.run.known().sure_move = found.map(|action| action.to_string());
        }
        let report = self.run.report(answer, stages.sizes(), times);
        self.run.end(&report)?;
        Ok(report.exit())
    }

    /// Finds out what the value of a formula does not tell: whether it is that of a valid game, and of the
    /// whole game.
    fn check(&mut self, depth: u32) -> Result<(), Failure> {
        self.run.say("looking for states without a value");
        let (engine, budget) = (&self.arguments.engine, &self.run.budget);
        // Without a depth that was typed it is the number of steps after which every play is over.
        let is_longer = self.asked.depth.is_none() || self.is_longer;
        let checked = self.times.measure("validity", || {
            check_by_steps(
                engine,
                self.game,
                &self.asked,
                depth,
                budget,
                is_longer,
                false,
            )
        })?;
        let mut known = self.run.known();
        known.cut_off = self.asked.depth.is_some() && checked.cuts_off(depth);
        known.engine.exact_if = known.engine.exact_if.or(checked.exact_if);
        Ok(())
    }

    /// How many steps count, for a route that cannot tell how long plays are.
    fn depth_without_search(&mut self) -> Result<u32, SearchError> {
        if let Some(depth) = self.asked.depth {
            return Ok(depth);
        }
        let options = search_options(&self.arguments.engine, &self.run.budget);
        let mut times = std::mem::take(&mut self.times);
        let mut search = times.measure("step", || {
            Search::new(self.game, &self.asked.role, self.asked.objective, &options)
        })?;
        let depth = self.depth(&mut search, &mut times);
        self.times = times;
        depth
    }
}

/// Refuses options of one route together with an engine of the other.
pub(super) fn check_route(arguments: &SolveArguments) -> Result<(), Failure> {
    let usage = |message: String| Err(Failure::new(Exit::Usage, message));
    match arguments.engine.engine {
        EngineName::Auto => match (about_formulas(arguments), about_strategies(arguments)) {
            (Some(option), Some(other)) => usage(format!(
                "{option} is about formulas, but {other} needs emm; drop one of them"
            )),
            _ => Ok(()),
        },
        EngineName::Emm => match about_formulas(arguments) {
            Some(option) => usage(format!(
                "{option} is about formulas, which emm does not need; drop it or use --engine xssat"
            )),
            None => Ok(()),
        },
        _ => match about_strategies(arguments) {
            Some(option) => usage(format!(
                "{option} needs emm; use --engine emm instead of {}",
                engine_of(&arguments.engine).name
            )),
            None => Ok(()),
        },
    }
}

/// The option that only the engine that searches can obey, if one was given.
pub(super) fn about_strategies(arguments: &SolveArguments) -> Option<&'static str> {
    match (&arguments.strategy, arguments.certify) {
        (Some(_), _) => Some("--strategy"),
        (None, true) => Some("--certify"),
        (None, false) => None,
    }
}

/// The option that makes sense only for engines that evaluate formulas, if one was given.
pub(super) fn about_formulas(arguments: &SolveArguments) -> Option<&'static str> {
    let of_xssat_only = |name: &String| {
        let known = emm::SWITCHES.iter().any(|switch| switch.name == name);
        !known
    };
    let given = [
        (arguments.formula.quant.is_some(), "--quant"),
        (arguments.formula.cnf_via.is_some(), "--cnf-via"),
        (arguments.save_stages.is_some(), "--save-stages"),
        (arguments.engine.method != MethodName::Auto, "--method"),
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

/// The game from where play is to start.
pub(super) fn started(
    rules: &Game,
    typed: &StartArguments,
    budget: &Budget,
) -> Result<Game, Failure> {
    if typed.from.is_none() && typed.after.is_empty() {
        return Ok(rules.clone());
    }
    let start = Start::read(typed, rules.roles(), budget)?;
    let limits = RuleLimits {
        clock: budget.clock.clone(),
        ..RuleLimits::default()
    };
    let reasoner = Reasoner::with_limits(rules, limits).map_err(|error| rules_failure(&error))?;
    let mut machine = StateMachine::by_rules(reasoner);
    let position = start.position(&mut machine)?;
    let facts = machine.facts(&position);
    check_facts(
        rules,
        &mut machine,
        start.facts.as_deref().unwrap_or_default(),
    )?;
    Ok(rules.starting_from(&facts))
}

/// Refuses facts that no state of the game can have, as far as that shows.
fn check_facts(rules: &Game, machine: &mut StateMachine, facts: &[Term]) -> Result<(), Failure> {
    let listed = machine.reasoner().base();
    let listed = listed.map_err(|error| rules_failure(&error))?;
    let domains = Domains::derive(rules);
    let unknown = facts.iter().find(|fact| {
        let is_listed = listed.as_ref().is_some_and(|facts| facts.contains(fact));
        let is_derived = domains.facts().map_or(true, |domain| domain.contains(fact));
        !is_listed && !is_derived
    });
    match unknown {
        None => Ok(()),
        Some(fact) => Err(Failure::new(
            Exit::InvalidInput,
            format!("--from: the fact {fact} cannot come true in this game"),
        )),
    }
}

/// The legal moves of the role in the first step, as text and as literals of the formula; none if
/// no step is played.
fn first_moves(
    game: &Game,
    question: &Question,
    route: &GameRoute,
) -> Result<Vec<(String, Vec<Lit>)>, Failure> {
    if question.depth == 0 {
        return Ok(Vec::new());
    }
    let internal = |error: &dyn Display| {
        let text = format!("the moves of the first step cannot be listed: {error}");
        Failure::new(Exit::Internal, text)
    };
    let legal = legal_first_moves(game, &question.role).map_err(|error| internal(&error))?;
    let known = FirstMoves::of(game, &question.role, &route.stages);
    let known = known.map_err(|error| internal(&error))?;
    let literals = |action: Term| match known.literals(&action) {
        Some(literals) => Ok((action.to_string(), literals)),
        None => Err(internal(&format!("the formula lacks {action}"))),
    };
    legal.into_iter().map(literals).collect()
}

/// The exit code for a game that did not become a formula though no limit was reached.
pub(super) fn exit_of(error: &RouteError) -> Exit {
    match error {
        RouteError::UnknownRole { .. } | RouteError::RandomRole(_) => Exit::Usage,
        RouteError::TooLarge { .. } => Exit::Limit,
        RouteError::Program(ProgramError::Outside(SolverError::Missing { .. })) => {
            Exit::ProgramMissing
        }
        // The programs are ours: a valid game never leads to one that is refused.
        RouteError::Domain(_) | RouteError::Assumption(_) | RouteError::Program(_) => {
            Exit::Internal
        }
    }
}
