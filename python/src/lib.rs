//! The extension module for Python: games, positions, and the functions of the facade.
//!
//! Facts, moves and roles are text, answers are the JSON of the program; the Python files make values of them. Long
//! work runs in a thread of its own without the GIL, while this one listens for Ctrl-C.

mod graph;
mod numbers;
mod play;
mod table;

use crate::numbers::{Bytes, Count, Seconds, Steps, Threads, duration};
use crate::play::{GameState, Observation, Texts};
use engines::strategy::Extracted;
use engines::{EmmEngine, Engine, Position, Query, StepsEngine, answer};
use export::{FORMATS, Fix, Format};
use formula::Outcome;
use gdl::game::{Aim, Game, Unit};
use gdl::{Name, Term, parse_terms, texts};
use limits::{Interrupt, Limits, StopReason, lock};
use prove::{Board, Prover};
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::PyList;
use sqasp::{
    Answer, Claims, Error, ErrorKind, Export, Opponents, Options, Planning, Question, Report,
    Silent, State,
};
use std::fs::Permissions;
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;
use tempfile::Builder;
use verify::Side;

import_exception!(sqasp._errors, SqaspError);
import_exception!(sqasp._errors, GameError);
import_exception!(sqasp._errors, QuestionError);

/// The time between two checks whether Ctrl-C was pressed.
const PERIOD: Duration = Duration::from_millis(50);

/// No answer, though the question makes sense.
fn failed(error: impl ToString) -> PyErr {
    SqaspError::new_err(error.to_string())
}

/// A mistake in a text or a file.
fn unread(error: impl ToString) -> PyErr {
    GameError::new_err(error.to_string())
}

/// A mistake in an argument.
fn asked(error: impl ToString) -> PyErr {
    QuestionError::new_err(error.to_string())
}

/// The exception of an error, by the rule of docs/how-to/python.md.
fn raised(error: impl Into<Error>) -> PyErr {
    let error = error.into();
    let text = match error.remedy() {
        Some(remedy) => format!("{error}; {remedy}"),
        None => error.to_string(),
    };
    match error.kind() {
        ErrorKind::Game | ErrorKind::Table => unread(text),
        ErrorKind::Question | ErrorKind::Depth | ErrorKind::Position => asked(text),
        _ => failed(text),
    }
}

/// Does work in a thread of its own; Ctrl-C raises the interrupt, and then `KeyboardInterrupt`.
fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    interrupt: &Interrupt,
    work: impl FnOnce() -> Result<T, PyErr> + Send + 'static,
) -> PyResult<T> {
    let (done, result) = channel();
    // Data that is used without the GIL must be shareable between threads.
    let result = Mutex::new(result);
    let wait = |time: Duration| {
        let result = lock(&result);
        result.recv_timeout(time)
    };
    thread::Builder::new().spawn(move || drop(done.send(work())))?;
    loop {
        match py.detach(|| wait(PERIOD)) {
            Ok(found) => return found,
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals() {
                    interrupt.raise();
                    let _ = py.detach(|| wait(Duration::MAX));
                    return Err(error);
                }
            }
            // The thread has ended without sending.
            Err(RecvTimeoutError::Disconnected) => return Err(failed(BUG)),
        }
    }
}

/// The message after a panic, whose own words are on standard error.
const BUG: &str = "this is a mistake in sqasp itself; please report it with the lines above, the call and its input";

fn terms(texts: &[String]) -> PyResult<Vec<Term>> {
    let mut all = Vec::new();
    for text in texts {
        all.extend(parse_terms(text).map_err(asked)?);
    }
    Ok(all)
}

fn limits(time: Option<Seconds>, memory: Option<Bytes>) -> Limits {
    Limits::with_memory(memory.map(|memory| memory.0)).within(duration(time))
}

/// The texts of a game with those of the files beside them that they use, if that is wanted, and with parameters set.
#[pyfunction]
fn texts_of_game(
    mut files: Vec<(String, Vec<u8>)>,
    with_files_beside: bool,
    settings: Vec<(String, u32)>,
) -> PyResult<Vec<(String, Vec<u8>)>> {
    if with_files_beside {
        gdl::add_files_beside(&mut files, |name| match std::fs::metadata(name) {
            Ok(found) if found.is_file() => std::fs::read(name).map(Some),
            _ => Ok(None),
        })?;
    }
    gdl::set_parameters(&mut files, &settings).map_err(asked)?;
    Ok(files)
}

/// A value between bounds as people read it; it is in percent unless it is a mean of points or a count.
#[pyfunction]
fn value_text(lower: &str, upper: &str, in_percent: bool) -> PyResult<String> {
    let outcome = Outcome::between(
        lower.parse().map_err(failed)?,
        upper.parse().map_err(failed)?,
        StopReason::Precision,
    );
    let unit = match in_percent {
        true => Unit::Percent,
        false => Unit::Number,
    };
    Ok(answer::shortened(&answer::value_text(&outcome, unit)))
}

/// The rules of a game, ready to be played.
#[pyclass(frozen)]
struct Rules {
    game: Game,
    initial: State,
    texts: Mutex<Texts>,
    /// Proved when they are first asked for.
    boards: OnceLock<Vec<Board>>,
}

/// The name of a feature, and the rows of its board.
type NamedBoard = (String, Vec<Vec<String>>);

impl Rules {
    fn question(
        &self,
        role: Option<&str>,
        objective: &str,
        depth: Option<u32>,
        start: Option<Vec<String>>,
    ) -> PyResult<Question> {
        let question = match role {
            None => Question::about(&self.game).map_err(raised)?,
            Some(role) => Question::new(Name::new(&role.to_lowercase())),
        };
        let objective = objective.parse::<Aim>().map_err(asked)?;
        let start = start.as_deref().map(terms).transpose()?;
        Ok(question.objective(objective).depth(depth).start(start))
    }
}

fn options(engine: &str, threads: Option<Threads>, limits: Limits) -> PyResult<Options> {
    let mut options = Options::new(limits, Arc::new(Silent));
    if engine != "auto" {
        options = options.engine(engine).map_err(raised)?;
    }
    options.use_threads(threads.map(|threads| threads.0));
    Ok(options)
}

#[pymethods]
impl Rules {
    /// Reads a game from texts with names; the first names the game. The roles of a team are one role.
    #[new]
    fn new(
        files: Vec<(String, Vec<u8>)>,
        strict: bool,
        perfect_information: bool,
        team: Option<&str>,
    ) -> PyResult<Self> {
        let options = gdl::Options {
            lenient: !strict,
            assume_perfect_information: perfect_information,
            ..gdl::Options::default()
        };
        if files.is_empty() {
            return Err(asked(
                "a game is read from one text or more, and there is none",
            ));
        }
        let files: Vec<(&str, &[u8])> = files.iter().map(|(n, t)| (n.as_str(), &t[..])).collect();
        let reading = gdl::game::read_files(&files, &options).map_err(unread)?;
        let team = Name::new(&team.unwrap_or_default().to_lowercase());
        let game = reading.game.with_team(&team);
        let game = game.map_err(raised)?;
        Ok(Rules {
            initial: State::initial(&game).map_err(raised)?,
            texts: Mutex::default(),
            game,
            boards: OnceLock::new(),
        })
    }

    #[getter]
    fn name(&self) -> &str {
        self.game.name()
    }

    #[getter]
    fn warnings(&self) -> &str {
        self.game.warnings()
    }

    /// Whether the rules say what roles see.
    #[getter]
    fn is_hidden(&self) -> bool {
        self.game.has_percepts()
    }

    #[getter]
    fn roles(&self) -> Vec<String> {
        self.game.roles().iter().map(ToString::to_string).collect()
    }

    /// The index of a role that chooses.
    fn player(&self, role: &str) -> PyResult<usize> {
        let role = Name::new(&role.to_lowercase());
        self.game.role(&role).map_err(raised)
    }

    /// The index of a role, that of chance included.
    fn role(&self, role: &str) -> PyResult<usize> {
        self.initial.role(role).map_err(raised)
    }

    /// The moves that a role may ever have; none if the game is too large to list them.
    fn moves(&self, role: &str) -> PyResult<Option<Vec<String>>> {
        let moves = self.initial.all_moves(role).map_err(raised)?;
        Ok(moves.as_deref().map(texts))
    }

    /// The boards of these facts, each with the name of its feature and its rows, and the other facts.
    fn boards(
        &self,
        py: Python<'_>,
        facts: Vec<String>,
    ) -> PyResult<(Vec<NamedBoard>, Vec<String>)> {
        let prove = || Prover::boards_soon(&self.game, &Limits::default());
        let boards = py.detach(|| self.boards.get_or_init(prove));
        let facts = terms(&facts)?;
        let is_shown = |fact: &&Term| boards.iter().any(|board| board.shows(fact));
        let (_, others): (Vec<&Term>, Vec<&Term>) = facts.iter().partition(is_shown);
        let drawn = boards
            .iter()
            .map(|board| (board.feature().to_string(), board.cells(&facts)));
        Ok((
            drawn.collect(),
            others.into_iter().map(ToString::to_string).collect(),
        ))
    }

    /// The initial state.
    fn initial(&self) -> GameState {
        GameState(self.initial.clone())
    }

    /// The first of these facts that no play can make true.
    fn impossible_fact(&self, facts: Vec<String>) -> PyResult<Option<String>> {
        let facts = terms(&facts)?;
        Ok(self
            .game
            .domains()
            .impossible(&facts)
            .map(ToString::to_string))
    }

    /// The state with these facts.
    fn state(&self, facts: Vec<String>) -> PyResult<GameState> {
        let state = self.initial.with_facts(&terms(&facts)?);
        Ok(GameState(state.map_err(raised)?))
    }

    /// The facts of a state.
    fn facts<'py>(&self, py: Python<'py>, state: &GameState) -> PyResult<Bound<'py, PyList>> {
        lock(&self.texts).list(py, &state.0.facts())
    }

    /// Whether play is over in a state, the legal moves of each role, and the points of each role.
    fn look<'py>(&self, py: Python<'py>, state: &GameState) -> PyResult<Observation<'py>> {
        lock(&self.texts).look(py, &state.0)
    }

    /// The state after a joint move, and the move as it is written.
    fn next<'py>(
        &self,
        py: Python<'py>,
        state: &GameState,
        joint_move: Vec<String>,
    ) -> PyResult<(GameState, Bound<'py, PyList>)> {
        let mut texts = lock(&self.texts);
        let moves = joint_move.iter().map(|text| texts.term(text));
        let moves = moves.collect::<PyResult<Vec<Term>>>()?;
        texts.next(py, &state.0, &moves)
    }

    /// The same after moves of some roles, where each of the others has one move only.
    fn next_by_role<'py>(
        &self,
        py: Python<'py>,
        state: &GameState,
        moves: Vec<(String, String)>,
    ) -> PyResult<(GameState, Bound<'py, PyList>)> {
        let mut texts = lock(&self.texts);
        let given = moves.iter().map(|(_, text)| texts.term(text));
        let given = given.collect::<PyResult<Vec<Term>>>()?;
        let roles = moves.iter().map(|(role, _)| role.as_str());
        let joint_move = state.0.joint_move(roles.zip(given)).map_err(raised)?;
        texts.next(py, &state.0, &joint_move)
    }

    /// For each role the things that it sees when a joint move is made in a state.
    fn percepts(&self, state: &GameState, joint_move: Vec<String>) -> PyResult<Vec<Vec<String>>> {
        lock(&self.texts).percepts(&state.0, &joint_move)
    }

    /// Writes the reachable game into a file; gives the number of states, choices and branches, and bounds of the value as
    /// fractions in text where a side was fixed by solving.
    #[pyo3(signature = (path, *, to, role, depth, objective, start, mixed, fix, strategy, states, time, memory))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn export(
        &self,
        py: Python<'_>,
        path: PathBuf,
        to: &str,
        role: Option<&str>,
        depth: Option<Steps>,
        objective: &str,
        start: Option<Vec<String>>,
        mixed: bool,
        fix: Option<&str>,
        strategy: Option<&str>,
        states: Option<Count>,
        time: Option<Seconds>,
        memory: Option<Bytes>,
    ) -> PyResult<((u64, u64, u64), Option<(String, String)>)> {
        let format = Format::named(to).ok_or_else(|| {
            let names = FORMATS.map(|(name, ..)| name).join(", ");
            asked(format!("there is no form `{to}`: {names}"))
        })?;
        let side = match fix {
            None => None,
            Some("role") => Some(Side::Role),
            Some("opponents") => Some(Side::Opponents),
            Some(other) => {
                return Err(asked(format!(
                    "there is no side `{other}`: role or opponents"
                )));
            }
        };
        let strategy = strategy.map(|text| verify::read(text.as_bytes()));
        let fix = match (side, strategy.transpose().map_err(unread)?) {
            (None, None) => None,
            (Some(side), None) => Some(Fix::Best(side)),
            (side, Some(strategy)) => {
                Some(Fix::Listed(side.unwrap_or(Side::Role), Box::new(strategy)))
            }
        };
        let question = self.question(role, objective, depth.map(|depth| depth.0), start)?;
        let question = question.mixed(mixed);
        let limits = limits(time, memory);
        let (game, interrupt) = (self.game.clone(), limits.interrupt.clone());
        interruptible(py, &interrupt, move || {
            let states = states.map(|states| states.0 as usize);
            let how = Export::to(format).fix(fix).states(states);
            let exported = sqasp::export(&game, &question, &how, &limits).map_err(raised)?;
            let sizes = (exported.states, exported.choices, exported.branches);
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            let bounds = exported.bounds.clone();
            // Temporary files are private; outputs have the usual rights.
            let mut builder = Builder::new();
            let mut file = builder
                .permissions(Permissions::from_mode(0o666))
                .tempfile_in(folder)?;
            let mut buffer = BufWriter::new(&mut file);
            exported.write_to(&mut buffer)?;
            buffer.flush()?;
            drop(buffer);
            file.persist(path).map_err(|error| error.error)?;
            Ok((
                sizes,
                bounds.map(|(low, high)| (low.to_string(), high.to_string())),
            ))
        })
    }

    /// An answer as JSON, with the strategy as JSON if it was asked for.
    #[pyo3(signature = (*, role, opponents, depth, objective, start, mixed, moves, strategy, engine, threads, time, memory))]
    #[allow(clippy::too_many_arguments)]
    fn solve(
        &self,
        py: Python<'_>,
        role: Option<String>,
        opponents: Option<String>,
        depth: Option<Steps>,
        objective: String,
        start: Option<Vec<String>>,
        mixed: bool,
        moves: bool,
        strategy: Option<Count>,
        engine: String,
        threads: Option<Threads>,
        time: Option<Seconds>,
        memory: Option<Bytes>,
    ) -> PyResult<(String, Option<String>)> {
        let depth = depth.map(|depth| depth.0);
        let question = self
            .question(role.as_deref(), &objective, depth, start)?
            .opponents(match opponents.as_deref() {
                None => Opponents::Best,
                Some("random") => Opponents::Random,
                Some("greedy") => Opponents::Greedy,
                Some("selfish") => Opponents::Selfish,
                Some(other) if !other.trim_start().starts_with('{') => {
                    return Err(asked(format!(
                        "there are no opponents `{other}`: give `random`, `greedy`, `selfish`, or a strategy as JSON"
                    )));
                }
                Some(strategy) => Opponents::following(strategy.as_bytes()).map_err(raised)?,
            })
            .mixed(mixed);
        let mut options = options(&engine, threads, limits(time, memory))?;
        options.extras.moves = moves;
        options.extras.winning_move = true;
        options.extras.strategy = strategy.map(|positions| positions.0 as usize);
        let (game, interrupt) = (self.game.clone(), options.limits.interrupt.clone());
        interruptible(py, &interrupt, move || {
            let answer: Answer = sqasp::solve(&game, &question, &options).map_err(raised)?;
            let mut text = Vec::new();
            if let Some(Extracted::Complete(strategy)) = &answer.strategy {
                strategy.write_json(&mut text)?;
            }
            let written = String::from_utf8(text).map_err(failed)?;
            Ok((answer.json(), Some(written).filter(|it| !it.is_empty())))
        })
    }

    /// A curve as JSON.
    #[pyo3(signature = (first, last, *, role, objective, start, engine, threads, time, memory))]
    #[allow(clippy::too_many_arguments)]
    fn curve(
        &self,
        py: Python<'_>,
        first: Steps,
        last: Steps,
        role: Option<String>,
        objective: String,
        start: Option<Vec<String>>,
        engine: String,
        threads: Option<Threads>,
        time: Option<Seconds>,
        memory: Option<Bytes>,
    ) -> PyResult<String> {
        let (first, last) = (first.0, last.0);
        let question = self.question(role.as_deref(), &objective, Some(last), start)?;
        let options = options(&engine, threads, limits(time, memory))?;
        let (game, interrupt) = (self.game.clone(), options.limits.interrupt.clone());
        interruptible(py, &interrupt, move || {
            let curve = sqasp::curve(&game, &question, first..=last, &options, |_| true);
            Ok(curve.map_err(raised)?.json())
        })
    }

    /// The result of planning, as JSON.
    #[pyo3(signature = (*, goal, depth, start, plans, time, memory))]
    #[allow(clippy::too_many_arguments)]
    fn plan(
        &self,
        py: Python<'_>,
        goal: Option<Count>,
        depth: Option<Steps>,
        start: Option<Vec<String>>,
        plans: Option<Count>,
        time: Option<Seconds>,
        memory: Option<Bytes>,
    ) -> PyResult<String> {
        let mut asked = Planning::default();
        asked.goal = goal.map(|goal| u32::try_from(goal.0).unwrap_or(u32::MAX).into());
        asked.depth = depth.map(|depth| depth.0);
        asked.start = start.as_deref().map(terms).transpose()?;
        asked.plans = plans.map(|plans| usize::try_from(plans.0).unwrap_or(usize::MAX));
        let limits = limits(time, memory);
        let (game, interrupt) = (self.game.clone(), limits.interrupt.clone());
        interruptible(py, &interrupt, move || {
            let report = sqasp::plan(&game, &asked, &limits).map_err(raised)?;
            Ok(report.json())
        })
    }

    /// The result of proving properties, as JSON.
    #[pyo3(signature = (properties, assumed, *, time))]
    fn prove(
        &self,
        py: Python<'_>,
        properties: Vec<String>,
        assumed: Vec<String>,
        time: Option<Seconds>,
    ) -> PyResult<String> {
        let limits = limits(time, None);
        let (game, interrupt) = (self.game.clone(), limits.interrupt.clone());
        interruptible(py, &interrupt, move || {
            let claims = Claims::new(&properties).and_then(|claims| claims.assuming(&assumed));
            let claims = claims.map_err(raised)?;
            let report = sqasp::prove(&game, &claims, &limits, |_| ()).map_err(raised)?;
            Ok(report.json())
        })
    }

    /// The result of checking a strategy, as JSON.
    #[pyo3(signature = (strategy, *, time))]
    fn verify(&self, py: Python<'_>, strategy: String, time: Option<Seconds>) -> PyResult<String> {
        let limits = limits(time, None);
        let (game, interrupt) = (self.game.clone(), limits.interrupt.clone());
        interruptible(py, &interrupt, move || {
            let strategy = sqasp::read_strategy(strategy.as_bytes()).map_err(unread)?;
            let report = sqasp::verify(&game, &strategy, &limits);
            Ok(report.map_err(raised)?.json())
        })
    }

    /// The text of a stage of the translation.
    fn translate(&self, stage: &str, role: Option<&str>, depth: Steps) -> PyResult<String> {
        let question = self.question(role, "win", Some(depth.0), None)?;
        let route = sqasp::translate(&self.game, &question, &Options::default()).map_err(raised)?;
        let mut text = Vec::new();
        match stage {
            "sqasp" => return Ok(route.program.to_string()),
            "aspif" => lp2sat::write_aspif(&route.stages.ground, &mut text).map_err(failed)?,
            "sdimacs" => {
                formula::sdimacs::write(&route.stages.formula, &mut text).map_err(failed)?;
            }
            "qdimacs" => {
                formula::qdimacs::write(&route.stages.formula, &mut text).map_err(failed)?;
            }
            other => {
                return Err(asked(format!(
                    "there is no stage `{other}`: sqasp, aspif, sdimacs, qdimacs"
                )));
            }
        }
        String::from_utf8(text).map_err(failed)
    }
}

/// Values positions of a game, and keeps what it finds.
#[pyclass]
struct Evaluator {
    engine: Arc<Mutex<Box<dyn Engine + Send>>>,
    rules: Py<Rules>,
}

#[pymethods]
impl Evaluator {
    #[new]
    fn new(
        py: Python<'_>,
        rules: Py<Rules>,
        objective: &str,
        threads: Option<Threads>,
    ) -> PyResult<Self> {
        let search = options("auto", threads, Limits::default())?.search;
        let game = &rules.get().game;
        let engine: Box<dyn Engine + Send> = match objective.parse::<Aim>().map_err(asked)? {
            Aim::Payoff(objective) => {
                Box::new(EmmEngine::new(game, objective, search).map_err(raised)?)
            }
            Aim::Steps(aim) => Box::new(StepsEngine::new(game, aim, &search).map_err(raised)?),
        };
        Ok(Evaluator {
            engine: Arc::new(Mutex::new(engine)),
            rules: rules.clone_ref(py),
        })
    }

    /// The bounds of a position's value and of its moves' values, as fractions in text.
    #[pyo3(signature = (facts, role, depth, moves, time))]
    #[allow(clippy::type_complexity)]
    fn evaluate(
        &self,
        py: Python<'_>,
        facts: Vec<String>,
        role: &str,
        depth: Option<Steps>,
        moves: bool,
        time: Option<Seconds>,
    ) -> PyResult<((String, String), Vec<(String, String, String)>)> {
        let limits = Limits::default().within(duration(time));
        let interrupt = limits.interrupt.clone();
        let query = Query {
            position: Position::State(terms(&facts)?),
            role: self.rules.get().player(role)?,
            depth: depth.map(|depth| depth.0),
            moves,
            limits,
            observer: Arc::new(Silent),
        };
        let engine = Arc::clone(&self.engine);
        interruptible(py, &interrupt, move || {
            let mut engine = lock(&engine);
            let found = engine.evaluate(&query).map_err(raised)?;
            let (lower, upper) = found.outcome.extent();
            let moves = found.moves.iter().map(|each| {
                let (lower, upper) = each.outcome.extent();
                (
                    each.action.to_string(),
                    lower.to_string(),
                    upper.to_string(),
                )
            });
            Ok(((lower.to_string(), upper.to_string()), moves.collect()))
        })
    }
}

/// An answer to a program, as JSON.
#[pyfunction]
#[pyo3(signature = (text, *, moves, time, memory))]
fn solve_program(
    py: Python<'_>,
    text: String,
    moves: bool,
    time: Option<Seconds>,
    memory: Option<Bytes>,
) -> PyResult<String> {
    let mut options = options("auto", None, limits(time, memory))?;
    options.extras.moves = moves;
    let interrupt = options.limits.interrupt.clone();
    interruptible(py, &interrupt, move || {
        let answer = sqasp::solve_program("program", &text, &options).map_err(raised)?;
        Ok(answer.json())
    })
}

/// An answer to a formula, as JSON.
#[pyfunction]
#[pyo3(signature = (text, *, time, memory))]
fn solve_formula(
    py: Python<'_>,
    text: Vec<u8>,
    time: Option<Seconds>,
    memory: Option<Bytes>,
) -> PyResult<String> {
    let options = options("auto", None, limits(time, memory))?;
    let interrupt = options.limits.interrupt.clone();
    interruptible(py, &interrupt, move || {
        let question = formula::read_question(&text).map_err(unread)?;
        let answer = sqasp::solve_formula("formula", question, &options).map_err(raised)?;
        Ok(answer.json())
    })
}

/// Runs the command with these arguments, and ends the process.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<String>) -> i32 {
    py.detach(move || sqasp::cli::run_with(arguments))
}

#[pymodule]
fn _sqasp(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Rules>()?;
    module.add_class::<GameState>()?;
    module.add_class::<Evaluator>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(texts_of_game, module)?)?;
    module.add_function(wrap_pyfunction!(value_text, module)?)?;
    module.add_function(wrap_pyfunction!(solve_program, module)?)?;
    module.add_function(wrap_pyfunction!(solve_formula, module)?)?;
    module.add_function(wrap_pyfunction!(graph::solve_graph, module)?)?;
    module.add_function(wrap_pyfunction!(graph::solve_model, module)?)?;
    module.add_function(wrap_pyfunction!(run_command, module)?)?;
    Ok(())
}
