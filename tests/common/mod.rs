//! Helpers that the tests of several modules share.
//!
//! Two variables of the environment make tests longer:
//!
//! - `SQASP_TEST_ROUNDS=N` gives random tests N times their usual rounds; without it, those here have a third, and the longest tests look at less;
//! - `SQASP_SLOW_TESTS=1` runs what takes minutes.

pub mod brute_force;
pub mod definition;
pub mod evaluator_client;
pub mod recorded;
pub mod transcript;

use engines::strategy::Extracted;
use engines::table::{Probe, TableFailure, build, check_files};
use engines::{Position, Query};
use formula::{BigRational, Formula, Outcome, Solver, Value};
use gdl::game::{Game, Objective, Refused};
use gdl::{Name, Options, Term};
use limits::Limits;
use logic::route::{GameRoute, RouteError, RouteOptions, route_game};
use logic::sqasp::PrefixMethod;
use logic::translate::Question;
use rules::{Minimax, Reasoner, ReasonerError, State};
use sqasp::Silent;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::{Add, Div, Mul};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use verify::{AnyStrategy, Strategy, Verdict, VerifyError};

/// Both ways of placing the atoms without quantifier.
pub const PREFIX_METHODS: [PrefixMethod; 2] = [PrefixMethod::Dependency, PrefixMethod::Base];

/// Whether tests that take minutes are asked for.
pub fn slow_tests() -> bool {
    std::env::var_os("SQASP_SLOW_TESTS").is_some_and(|value| !value.is_empty() && value != "0")
}

/// The strategy of an answer to a question in which opponents know the role's move.
pub fn known_strategy(answer: &sqasp::Answer) -> Result<&Strategy, String> {
    match answer.strategy.as_ref().and_then(Extracted::complete) {
        Some(AnyStrategy::Known(strategy)) => Ok(strategy),
        _ => Err(format!("no such strategy: {:?}", answer.strategy)),
    }
}

/// The verdict on a strategy by the rules of a game.
pub fn verdict(game: &Game, strategy: &AnyStrategy) -> Result<Verdict, VerifyError> {
    let limits = Limits::default();
    let verified = match strategy {
        AnyStrategy::Known(strategy) => verify::verify(game, strategy, &limits),
        AnyStrategy::Mixed(strategy) => verify::verify_mixed(game, strategy, &limits),
        AnyStrategy::Hidden(strategy) => verify::verify_hidden(game, strategy, &limits),
        AnyStrategy::Equilibrium(strategy) => verify::verify_equilibrium(game, strategy, &limits),
    };
    verified.map(|verified| verified.verdict)
}

/// An error of any part, which tests pass on.
pub type AnyError = Box<dyn std::error::Error>;

/// The legal moves of each role in a state.
pub fn legal_moves(rules: &mut Reasoner, state: &State) -> Result<Vec<Vec<Term>>, ReasonerError> {
    let roles = 0..rules.roles().len();
    roles.map(|role| rules.legal(state, role)).collect()
}

/// A legal move of each role, drawn at random; none if a role has none.
pub fn random_joint_move(
    rules: &mut Reasoner,
    state: &State,
    random: &mut fastrand::Rng,
) -> Result<Option<Vec<Term>>, ReasonerError> {
    let legal = legal_moves(rules, state)?;
    Ok(legal
        .iter()
        .map(|moves| random.choice(moves).cloned())
        .collect())
}

/// The value for a role by its definition; none if the rules are not those of a game that can be played.
pub fn minimax_value(
    game: &Game,
    place: usize,
    objective: Objective,
    depth: u32,
) -> Option<BigRational> {
    let reasoner = Reasoner::new(game).ok()?;
    let mut minimax = Minimax::new(reasoner, place, objective);
    minimax.initial_value(depth).ok()
}

/// The index of the first role that is not random.
pub fn first_player(game: &Game) -> usize {
    let mut roles = game.roles().iter();
    let first = roles.position(|role| !role.is_random());
    first.expect("a player")
}

/// The rounds of a random test: [`generators::rounds`], and a third of them where nobody sets `SQASP_TEST_ROUNDS`.
///
/// The tests of whole games are the longest; `make check` sets the variable to 1.
pub fn rounds<T>(usual: T) -> T
where
    T: From<u16> + Add<Output = T> + Mul<Output = T> + Div<Output = T>,
{
    match std::env::var_os("SQASP_TEST_ROUNDS") {
        Some(_) => generators::rounds(usual),
        None => (usual + T::from(2)) / T::from(3),
    }
}

/// Whether the longest tests look at all that they know: `make check` does.
pub fn takes_all() -> bool {
    std::env::var_os("SQASP_TEST_ROUNDS").is_some()
}

/// Says something even where the output of tests that pass is hidden.
pub fn say(message: &str) {
    let message = format!("{message}\n");
    std::io::stderr()
        .write_all(message.as_bytes())
        .expect("standard error is open");
}

/// A file or folder of recorded play and public games, which lies beside the project where it is
/// developed and not at users' (`docs/contribute/tests.md` says where they come from); tests that need it are ignored unless they are asked for.
pub fn shared(name: &str) -> PathBuf {
    let path = root().join("../shared").join(name);
    assert!(path.exists(), "../shared/{name} is not here");
    path
}

/// The folder of this repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file.
pub fn read_text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares with a file of `tests/golden`, or writes it with `SQASP_WRITE_GOLDEN=1`.
#[track_caller]
pub fn compare_golden(file: &str, text: &str) {
    let path = root().join("tests/golden").join(file);
    if std::env::var_os("SQASP_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let expected = read_text(&path);
    for (number, (found, expected)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "tests/golden/{file}, line {}", number + 1);
    }
    assert_eq!(
        text.lines().count(),
        expected.lines().count(),
        "tests/golden/{file}"
    );
}

/// Every `.gdl` file in `games/`, sorted.
pub fn game_files() -> Vec<PathBuf> {
    gdl_files("games")
}

/// The same without games of hidden information.
pub fn open_game_files() -> Vec<PathBuf> {
    let mut files = game_files();
    files.retain(|path| !file_name(path).starts_with("hidden_"));
    files
}

/// Every `.gdl` file in a folder of this repository, sorted.
pub fn gdl_files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join(folder))
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gdl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no game in {folder}");
    files
}

/// A file's name without its folders.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().expect("a file has a name");
    name.to_string_lossy().into_owned()
}

/// Every file and folder in a folder and its folders; links are not followed.
pub fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder that can be read") {
            let entry = entry.expect("an entry");
            if entry.file_type().expect("a type").is_dir() {
                folders.push(entry.path());
            }
            files.insert(entry.path());
        }
    }
    files
}

/// What is wrong with messages that users read, if anything is: words for the authors of sqasp, or too many of them.
pub fn bad_manners(messages: &str) -> Option<&'static str> {
    let words = ["panicked", "RUST_BACKTRACE", "mistake in sqasp", ".tmp"];
    let found = words.into_iter().find(|word| messages.contains(word));
    found.or((messages.len() > 30_000).then_some("too long"))
}

/// The game in a file of `games/`.
pub fn checked_in_game(file: &str) -> Game {
    game(file, &read_text(root().join("games").join(file)))
}

/// The game with these rules, if they are valid.
pub fn read_game(name: &str, text: &str) -> Result<Game, Box<Refused>> {
    gdl::game::read(name, text.as_bytes(), &Options::default()).map(|reading| reading.game)
}

/// The game with these rules, which are valid.
pub fn game(name: &str, text: &str) -> Game {
    game_with(name, text, &Options::default())
}

/// The game with these rules, which are valid with these options.
pub fn game_with(name: &str, text: &str, options: &Options) -> Game {
    gdl::game::read(name, text.as_bytes(), options)
        .unwrap_or_else(|refused| panic!("{name}: {refused}\n{text}"))
        .game
}

/// A question to an engine, without limits.
pub fn query(position: Position, role: usize, depth: Option<u32>, moves: bool) -> Query {
    Query {
        position,
        role,
        depth,
        moves,
        limits: Limits::default(),
        observer: Arc::new(Silent),
    }
}

/// Builds a table, checks its files and some positions by the rules, and each value if there are not too many.
pub fn checked_table(
    game: &Game,
    question: &sqasp::Question,
    folder: &Path,
    seed: u64,
) -> Result<Probe, TableFailure> {
    const MAX_CHECKED: u64 = 60_000;
    let limits = Limits::default();
    let table = build(game, question, folder, &limits, 2, &mut |_| ())?;
    check_files(&table)?;
    let mut probe = Probe::open(folder, &limits)?;
    let sampled = probe.sample(3, seed, &limits)?;
    assert!(sampled > 0, "no position was looked at");
    if table.states() <= MAX_CHECKED {
        let checked = probe.check_all(&limits, 2, &mut |_| ())?;
        assert_eq!(checked, table.states());
    }
    Ok(probe)
}

/// Whether a role wins within this many steps, or reaches another objective.
pub fn question(role: &str, depth: u32, objective: Objective) -> Question {
    Question {
        role: Name::new(role),
        depth,
        objective,
    }
}

/// All stages from a game to a formula.
pub fn route(
    game: &Game,
    question: &Question,
    prefix: PrefixMethod,
) -> Result<GameRoute, RouteError> {
    let options = RouteOptions {
        prefix,
        ..RouteOptions::default()
    };
    route_game(game, question, &options)
}

/// The value of a formula by the embedded solver.
pub fn solve(formula: &Formula) -> BigRational {
    let answer = ssat::portfolio::Portfolio::default()
        .solve(formula, &Limits::default())
        .expect("the embedded solver takes every formula");
    match answer.outcome {
        Outcome::Solved(Value::Exact(value)) => value,
        other => panic!("no exact value: {other:?}"),
    }
}

/// The value of a game by the whole logical route.
pub fn logical_value(game: &Game, question: &Question, prefix: PrefixMethod) -> BigRational {
    match route(game, question, prefix) {
        Ok(route) => route.range.value(&solve(&route.stages.formula)),
        Err(error) => panic!("{question:?}: {error}"),
    }
}

/// Runs all jobs, on as many threads as the machine has cores.
///
/// A job that fails must return its complaint: all are collected.
pub fn in_parallel<T: Send>(jobs: Vec<T>, run: impl Fn(T) -> Result<(), String> + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let jobs = Mutex::new(jobs.into_iter());
    let complaints = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = jobs
                        .lock()
                        .expect("no job panics while it is fetched")
                        .next();
                    let Some(job) = next else { break };
                    if let Err(complaint) = run(job) {
                        let mut complaints = complaints.lock().expect("pushing does not panic");
                        complaints.push(complaint);
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("pushing does not panic");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Sends a signal such as `INT` to a process, which may be done already.
pub fn send_signal(process: u32, signal: &str) {
    let mut kill = Command::new("kill");
    let sent = kill.args([format!("-{signal}"), process.to_string()]);
    sent.output().expect("there is a command kill");
}

/// A number that the system tells of a process, such as `VmHWM`, the most memory it has used, in kilobytes.
pub fn process_number(process: u32, word: &str) -> u64 {
    let status = read_text(format!("/proc/{process}/status"));
    let line = status.lines().find(|line| line.starts_with(word));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("no {word} in {status}"))
}

/// A server that prints where it listens, as a process that ends with this.
pub struct Server {
    child: Child,
    /// The line that it printed.
    pub address: String,
}

impl Server {
    /// Starts the command with these arguments.
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sqasp"));
        command.args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a server");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        Server {
            child,
            address: line.trim().to_owned(),
        }
    }

    /// Its number.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended.
    pub fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer to these bytes from a port of this machine, as text.
pub fn exchange(port: u16, bytes: &[u8]) -> String {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else {
        return String::new();
    };
    let time = Some(Duration::from_secs(60));
    stream.set_read_timeout(time).expect("a time");
    // A client that is refused early need not read all.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}
