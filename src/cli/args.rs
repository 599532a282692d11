//! What may be typed. Every option is documented here; `--help` prints these texts.

use super::depths::Depths;
use crate::engine::{ENGINES, Entry};
use crate::game::{Game, Objective};
use crate::gdl::Options;
use crate::sqasp::PrefixMethod;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::fmt;
use std::path::PathBuf;

/// Headings of options.
const RULES: &str = "Reading";
const QUESTION: &str = "Question";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";
const RESEARCH: &str = "Research";

const AFTER_HELP: &str = "\
Example:
  sqasp solve games/stochastic_ttt.gdl --depth 9

`-h` shows the options of a command that most people need, `--help` all of them.

Exit codes:
  0  answered                        66  a file cannot be read
  2  wrong usage                     69  an outside program is missing
  65 the input is not valid          70  an error inside sqasp or an outside program
  75 a limit was reached, and        73  a file cannot be written
     bounds were printed             130 interrupted, and bounds were printed";

/// Exact winning probabilities of games, from their rules.
#[derive(Parser, Debug)]
#[command(
    version,
    about,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = AFTER_HELP
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Compute the probability with which a role can guarantee winning.
    #[command(
        after_help = "Examples:\n  sqasp solve games/stochastic_ttt.gdl --depth 9\n  sqasp solve games/figure_1.gdl --moves\n  sqasp solve games/stochastic_ttt.gdl -d 8 --after '((mark 2 2) noop (keep 1))'\n  sqasp solve games/stochastic_ttt.gdl -d 1..9 --time 5m\n  sqasp solve games/three_rolls.gdl --objective points --json"
    )]
    Solve(SolveArguments),
    /// Print any stage of the translation of a game.
    #[command(
        after_help = "Examples:\n  sqasp translate games/figure_1.gdl --depth 1 --to sqasp\n  sqasp translate games/figure_1.gdl --depth 1 --to asp --explain\n  sqasp translate games/figure_1.gdl --depth 1 --to sdimacs"
    )]
    Translate(TranslateArguments),
    /// Solve a stochastic quantified answer set program (facts _exists, _forall, _chance).
    #[command(
        after_help = "Examples:\n  sqasp translate games/figure_1.gdl --depth 1 --to sqasp | sqasp eval -"
    )]
    Eval(EvalArguments),
    /// Solve a formula in DIMACS, QDIMACS or SDIMACS format.
    #[command(
        after_help = "Examples:\n  printf 'p cnf 1 1\\nr 1/3 1 0\\n1 0\\n' | sqasp xssat - --format text\n  sqasp translate games/figure_1.gdl --depth 1 --to sdimacs | sqasp xssat - --describe"
    )]
    Xssat(XssatArguments),
    /// Prove the value of a game from a strategy of both sides, by the rules alone.
    #[command(
        after_help = "Examples:\n  sqasp solve games/figure_1.gdl --strategy - | sqasp verify games/figure_1.gdl -"
    )]
    Verify(VerifyArguments),
    /// Find moves that bring a player who is alone the most points, and prove that nothing is better.
    #[command(
        after_help = "Examples:\n  sqasp plan games/buttons_and_lights.gdl\n  sqasp plan games/factoring_determinate.gdl --goal 100 --depth 4"
    )]
    Plan(PlanArguments),
    /// Check a game description and say what kind of game it is.
    #[command(after_help = "Examples:\n  sqasp check games/pig.gdl")]
    Check(CheckArguments),
    /// Play a game at random, from any state, or follow recorded play.
    #[command(
        after_help = "Examples:\n  sqasp play games/stochastic_ttt.gdl --seed 7\n  sqasp play games/stochastic_ttt.gdl --playouts 1000\n  echo 'mark 2 2' | sqasp play games/stochastic_ttt.gdl --as xplayer --against random"
    )]
    Play(PlayArguments),
    /// Prove properties of a game by induction: what holds in every state that play can lead to.
    #[command(
        after_help = "Examples:\n  sqasp prove games/tic_tac_toe.gdl turn-taking zero-sum 'unique (control ?p)'\n  sqasp prove games/tic_tac_toe.gdl --all"
    )]
    Prove(ProveArguments),
    /// Value positions of a game on request, line by line, for other programs.
    #[command(
        after_help = "Examples:\n  echo '{\"history\":[],\"depth\":1}' | sqasp evaluate games/figure_1.gdl"
    )]
    Evaluate(EvaluateArguments),
    /// Look at a game in a browser: its board, what every move is worth and why; play against perfection.
    #[command(
        after_help = "Examples:\n  sqasp explore games/stochastic_ttt.gdl --no-browser\n  sqasp explore games/three_rolls.gdl --export site"
    )]
    Explore(ExploreArguments),
    /// Play matches for a manager of the general game playing protocol, as a server.
    #[command(after_help = "Examples:\n  sqasp player --port 0 --name sqasp")]
    Player(PlayerArguments),
    /// Run a match between players of the general game playing protocol.
    #[command(after_help = "Examples:\n  sqasp referee games/last_stone.gdl random random random")]
    Referee(RefereeArguments),
    /// Write the reachable game as a file for other programs: Storm, PRISM, PRISM-games, Gambit, Graphviz.
    #[command(
        after_help = "Examples:\n  sqasp export games/stochastic_ttt.gdl --to umb -o ttt.umb\n  sqasp export games/stochastic_ttt.gdl --to umb --fix role -o ttt.umb\n  sqasp export games/figure_1.gdl --to dot"
    )]
    Export(ExportArguments),
    /// Solve a stochastic game, a decision process or a chain in a UMB file, as Storm and PRISM write it.
    #[command(
        after_help = "Examples:\n  sqasp export games/figure_1.gdl --to umb | sqasp umb - --objective win"
    )]
    Umb(UmbArguments),
    /// Put the exact values of all positions of a game into a folder, and look them up there.
    Table(TableArguments),
    /// Print a game description in prefix (kif) or infix form.
    #[command(after_help = "Examples:\n  sqasp fmt games/figure_1.gdl --to infix")]
    Fmt(FmtArguments),
    /// Draw the numbers of a table (CSV) as SVG.
    #[command(
        after_help = "Examples:\n  printf 'steps,value\\n1,0.25\\n2,0.5\\n' | sqasp plot lines -"
    )]
    Plot(PlotArguments),
    /// Print a script that completes commands and options in a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write man pages into a folder.
    Man {
        /// The folder.
        folder: PathBuf,
    },
    /// Say which outside programs are found, and their versions.
    #[command(after_help = "Examples:\n  sqasp doctor")]
    Doctor(DoctorArguments),
}

/// The files of a game and how strictly they are read.
#[derive(Args, Clone, Debug)]
pub(super) struct GameArguments {
    /// The game description, in prefix (KIF) or infix form; several files are read as one. `-` is standard
    /// input.
    #[arg(required = true)]
    pub(super) game: Vec<PathBuf>,
    /// Read a game with `sees` rules as if everybody saw everything.
    #[arg(long, help_heading = RULES)]
    pub(super) assume_perfect_information: bool,
    /// Leave out `base`, which had another form in old games; it does not change how a game is played.
    #[arg(long, help_heading = RULES)]
    pub(super) ignore_base: bool,
    /// Refuse what other readers refuse, such as `and`, one name in two capitalisations, goal values over 100.
    #[arg(long, help_heading = RULES)]
    pub(super) strict: bool,
}

impl GameArguments {
    /// A game of one file, read leniently.
    pub(super) fn of_file(file: &std::path::Path) -> Self {
        GameArguments {
            game: vec![file.to_owned()],
            assume_perfect_information: false,
            ignore_base: false,
            strict: false,
        }
    }

    /// The first argument and those that name files, as a game; and the others, as text.
    pub(super) fn split(&self) -> (Self, Vec<String>) {
        let (first, rest) = self.game.split_at(1);
        let (files, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            rest.iter().partition(|argument| argument.exists());
        let game = GameArguments {
            game: first.iter().chain(files).cloned().collect(),
            ..self.clone()
        };
        let text = |argument: &PathBuf| argument.to_string_lossy().into_owned();
        (game, others.into_iter().map(text).collect())
    }

    /// How leniently the game is to be read.
    pub(super) fn options(&self) -> Options {
        Options {
            assume_perfect_information: self.assume_perfect_information,
            ignore_base: self.ignore_base,
            lenient: !self.strict,
            refuse_odd_goals: true,
        }
    }
}

/// What is asked of a game.
#[derive(Args, Debug)]
#[command(next_help_heading = QUESTION)]
pub(super) struct QuestionArguments {
    /// The role that wants to win; `solve` also takes `all`, for an answer for each [default: the first role
    /// that is not `random`].
    #[arg(long, short, value_name = "ROLE")]
    pub(super) role: Option<String>,
    /// The number of steps, from 0. Plays that have not ended by then do not count as won. `solve`
    /// also takes a range such as 1..9, for a value at each number of steps [default: as many as
    /// play can take, where that is found].
    #[arg(long, short, value_name = "N", allow_negative_numbers = true)]
    pub(super) depth: Option<Depths>,
    /// What counts: `win` (100 points or more), `goal>=N`, `points` (expected points), or `score`
    /// (expected points / 100).
    #[arg(long, value_name = "OBJECTIVE", default_value = "win")]
    pub(super) objective: Objective,
}

impl QuestionArguments {
    /// Whether answers for all roles of a game are asked for.
    pub(super) fn asks_for_all_roles(&self, game: &Game) -> bool {
        let typed = self.role.as_deref().unwrap_or_default();
        let is_role = |name: &str| game.roles().iter().any(|role| role.as_str() == name);
        typed.eq_ignore_ascii_case("all") && !is_role("all")
    }
}

/// How formulas are made.
#[derive(Args, Debug)]
#[command(next_help_heading = RESEARCH)]
pub(super) struct FormulaArguments {
    /// Where atoms without a player go in the prefix: as early as they can (dep) or innermost (base)
    /// [default: dep].
    #[arg(long, value_name = "dep|base", hide_short_help = true)]
    pub(super) quant: Option<PrefixMethod>,
    /// Who makes clauses of the ground program: our own lp2sat, or the programs lp2normal2, lp2acyc
    /// and lp2sat on the PATH [default: lp2sat].
    #[arg(long, value_name = "WHO", hide_short_help = true)]
    pub(super) cnf_via: Option<ClauseMaker>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClauseMaker {
    /// The crate of this project.
    Lp2sat,
    /// The original programs, as child processes.
    Asptools,
}

impl FormulaArguments {
    /// How the prefix is made, said or not.
    pub(super) fn prefix(&self) -> PrefixMethod {
        self.quant.unwrap_or(PrefixMethod::Dependency)
    }
}

/// What a command may use.
#[derive(Args, Debug)]
#[command(next_help_heading = LIMITS)]
pub(super) struct LimitArguments {
    /// Stop after this many seconds and print bounds; `90s`, `5m` and `2h` are understood too.
    #[arg(long, short, value_name = "SEC", allow_negative_numbers = true, value_parser = super::request::parse_seconds)]
    pub(super) time: Option<f64>,
    /// Use at most this much memory, such as 500M or 2G, and print bounds where that is too little
    /// [default: four fifths of the machine's memory].
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true,
          value_parser = super::sizes::parse_size)]
    pub(super) memory: Option<u64>,
}

/// Which solver runs.
#[derive(Args, Debug)]
#[command(next_help_heading = RESEARCH)]
pub(super) struct EngineArguments {
    /// Who finds the value.
    #[arg(long, short, value_name = "ENGINE", default_value = "auto", value_parser = engines(), help_heading = QUESTION)]
    pub(super) engine: EngineName,
    /// Where the outside solver is, if not on the PATH.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) solver_path: Option<PathBuf>,
    /// How xssat searches.
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(super) method: MethodName,
    /// Use at most this many threads, from 1 to 1024 [default: as many as the machine has cores].
    #[arg(long, short = 'j', help_heading = LIMITS, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// Where all steps count and the fraction of the value would be too long: tell bounds that agree in about
    /// N decimal digits, from 12 to 24.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(12..=24), hide_short_help = true)]
    pub(super) digits: u32,
    /// Do not take states that are the same but for a symmetry of the game or formula as one.
    #[arg(long, hide_short_help = true)]
    pub(super) no_symmetry: bool,
    /// Let the engine do without a technique, to see what it buys; may be given several times.
    #[arg(long, value_name = "TECHNIQUE", value_parser = techniques(), hide_short_help = true)]
    pub(super) without: Vec<String>,
}

/// The techniques of xssat and emm that can be switched off.
fn techniques() -> PossibleValuesParser {
    let of_xssat = portfolio::techniques().map(|(name, purpose)| (name, purpose, "xssat"));
    let of_emm = emm::SWITCHES
        .iter()
        .map(|switch| (switch.name, switch.purpose, "emm"));
    let mut techniques: Vec<(&str, String)> = Vec::new();
    for (name, purpose, engine) in of_xssat.chain(of_emm) {
        let help = format!("{engine}: {purpose}");
        match techniques.iter_mut().find(|(other, _)| *other == name) {
            Some((_, other)) => *other = format!("{other}; {help}"),
            None => techniques.push((name, help)),
        }
    }
    let values = techniques.into_iter();
    PossibleValuesParser::new(values.map(|(name, help)| PossibleValue::new(name).help(help)))
}

/// The engine that was named; none for `auto`, the built-in one that suits the question.
#[derive(Clone, Copy)]
pub(super) struct EngineName(pub(super) Option<&'static Entry>);

impl fmt::Debug for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.map_or("auto", |entry| entry.name))
    }
}

/// The names of all engines.
fn engines() -> impl TypedValueParser<Value = EngineName> {
    let auto = "The built-in engine that suits the question: it is said which, and why";
    let all = ENGINES.iter().map(|entry| (entry.name, entry.about));
    let values = std::iter::once(("auto", auto)).chain(all);
    let values = values.map(|(name, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(values).map(|name| EngineName(Entry::named(&name)))
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MethodName {
    /// The one that suits the formula.
    Auto,
    /// Many assignments at once, from state to state: for layered formulas, such as those of games.
    #[value(name = "frontier")]
    Layered,
    /// Clause learning and components: for formulas that are not layered.
    Learning,
    /// An engine of earlier versions, refused with a word about what to use.
    #[value(hide = true)]
    Reference,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = OUTPUT)]
pub(super) struct OutputArguments {
    /// Print one JSON object.
    #[arg(long, conflicts_with = "format")]
    pub(super) json: bool,
    /// Print sentences, or the lines of solver competitions.
    #[arg(long, value_name = "text|competition")]
    pub(super) format: Option<Format>,
    /// Say nothing but the answer.
    #[arg(long, short)]
    pub(super) quiet: bool,
    /// Say on standard error what is being done, and when it began.
    #[arg(long, short, conflicts_with = "quiet")]
    pub(super) verbose: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// Sentences for people.
    Text,
    /// The lines of solver competitions.
    Competition,
}

#[derive(Args, Debug)]
pub(super) struct SolveArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    #[command(flatten)]
    pub(super) question: QuestionArguments,
    #[command(flatten)]
    pub(super) start: StartArguments,
    #[command(flatten)]
    pub(super) formula: FormulaArguments,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
    /// Tell what each legal move of the role in the first step is worth.
    #[arg(long, short, help_heading = QUESTION)]
    pub(super) moves: bool,
    /// Write what both sides should do, for `sqasp verify`: as JSON, as a graph (FILE.dot) or for
    /// people (FILE.txt). With `-` the strategy is printed in place of the answer.
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) strategy: Option<PathBuf>,
    /// Tell how many steps best play takes on the average, and how many points it gives with which probability.
    #[arg(long, help_heading = QUESTION)]
    pub(super) statistics: bool,
    /// Prove the value from both sides: what the engine tells both sides to do is followed through all
    /// positions that can come up, and its worth computed as `sqasp verify --machine circuit` does.
    #[arg(long, help_heading = QUESTION)]
    pub(super) certify: bool,
    /// The most positions that a strategy may have.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = OUTPUT, hide_short_help = true)]
    pub(super) strategy_positions: usize,
    /// Keep every stage of the translation as a file in this folder.
    #[arg(long, value_name = "DIR", help_heading = RESEARCH, hide_short_help = true)]
    pub(super) save_stages: Option<PathBuf>,
    /// With a range of --depth: draw the values over the number of steps, as SVG.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) plot: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct TranslateArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    #[command(flatten)]
    pub(super) question: QuestionArguments,
    #[command(flatten)]
    pub(super) formula: FormulaArguments,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    /// The stage to print.
    #[arg(long, value_name = "STAGE")]
    pub(super) to: Stage,
    /// Explain the program (asp, sqasp, generated): the method with the rule numbers of the paper,
    /// and for each rule of the game where it comes from.
    #[arg(long)]
    pub(super) explain: bool,
    /// The file to write instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// The logic program, without quantifiers.
    Asp,
    /// The part of it that is made for the game: facts, and the rules of the game with time. With the
    /// files of the folder `encodings` it is the program.
    Generated,
    /// The logic program with its quantifiers.
    Sqasp,
    /// The ground program.
    Aspif,
    /// The clauses, without quantifiers.
    Cnf,
    /// The formula.
    Sdimacs,
    /// The formula, for games without chance.
    Qdimacs,
}

#[derive(Args, Debug)]
pub(super) struct EvalArguments {
    /// The program, in clingo's input language; `-` is standard input.
    pub(super) program: PathBuf,
    #[command(flatten)]
    pub(super) formula: FormulaArguments,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
}

#[derive(Args, Debug)]
pub(super) struct XssatArguments {
    /// The formula, which may be compressed with gzip; `-` is standard input.
    pub(super) formula: PathBuf,
    /// Refuse a formula whose prefix lacks a 0 or a line break, instead of a warning.
    #[arg(long)]
    pub(super) strict: bool,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    #[command(flatten)]
    pub(super) output: OutputArguments,
    /// Store 64 bits of a hash in place of longer keys: less memory, but the answer is exact only if no two
    /// states have the same hash, and says so.
    #[arg(long)]
    pub(super) hash_keys: bool,
    /// Print the steps, states and decisions that xssat finds in the formula, and do not solve it.
    #[arg(long)]
    pub(super) describe: bool,
    /// Print the program that the layered engine of xssat makes of the formula, and do not solve it;
    /// `docs/xssat.md` says what it means.
    #[arg(long, conflicts_with = "describe")]
    pub(super) program: bool,
    /// Exit with 10 when the value is 1 and with 20 when it is 0, as SAT and QBF solvers do.
    #[arg(long)]
    pub(super) sat_codes: bool,
}

#[derive(Args, Debug)]
pub(super) struct VerifyArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// The strategy, as `sqasp solve --strategy` writes it; `-` is standard input.
    pub(super) strategy: PathBuf,
    /// What says how play goes: the rules, on which alone the proof rests then; or the circuit of one
    /// step, some hundred times faster, compared with the rules in one of about a thousand positions.
    #[arg(long, value_name = "auto|circuit|rules", default_value = "rules")]
    pub(super) machine: MachineName,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
    /// Say nothing but the answer.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// The positional arguments of `sqasp prove`.
const GAME_AND_PROPERTIES: &str = "The game description, in one file or several, and then what is to hold in every \
state: `unique (control ?p)`, `unique (cell ?x ?y _)`, `at-most-one F`, `zero-sum`, `turn-taking`, `legal-nonempty`, \
`terminates within N`, or a formula; see docs/properties.md";

#[derive(Args, Debug)]
#[command(mut_arg("game", |game| game.value_name("GAME|PROPERTY").help(GAME_AND_PROPERTIES)))]
pub(super) struct ProveArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Search for everything that can be proved: which arguments of features are unique, the
    /// properties with names, and how long plays can be.
    #[arg(long, conflicts_with_all = ["assume", "show"])]
    pub(super) all: bool,
    /// Prove this first, and use it. May be given several times; later ones use earlier ones.
    #[arg(long, value_name = "PROPERTY")]
    pub(super) assume: Vec<String>,
    /// Print the program of the base case or of the induction step, and prove nothing.
    #[arg(long, value_name = "base|step")]
    pub(super) show: Option<ShownProgram>,
    /// The way to proofs: answer set programs, the circuit of one step, or programs unless they
    /// would be too large.
    #[arg(
        long,
        short,
        alias = "by",
        value_name = "auto|asp|circuit",
        default_value = "auto"
    )]
    pub(super) engine: ProofRoute,
    /// Look back at most this many steps in an induction.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) steps: u16,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    /// Print JSON: an array with one object for each property.
    #[arg(long)]
    pub(super) json: bool,
    /// Say nothing but the verdicts.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Args, Debug)]
pub(super) struct PlanArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// The role that plans [default: the only one].
    #[arg(long, value_name = "ROLE")]
    pub(super) role: Option<String>,
    /// Look for a plan that gives at least N points [default: the most that can be reached].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) goal: Option<u32>,
    /// The most moves that a plan may have; `auto` for as many as it takes.
    #[arg(
        long,
        value_name = "N|auto",
        default_value = "auto",
        allow_negative_numbers = true
    )]
    pub(super) depth: PlanDepth,
    #[command(flatten)]
    pub(super) start: StartArguments,
    /// List all plans as good as the best one: the shortest, or with --depth all within it.
    #[arg(long, conflicts_with = "models")]
    pub(super) all: bool,
    /// List at most N of them.
    #[arg(long, value_name = "N")]
    pub(super) models: Option<usize>,
    /// Who looks for plans: answer sets, searches over the states, or both side by side.
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub(super) engine: PlanEngine,
    /// Go on until the plan is proved to be a shortest one, however long that takes.
    #[arg(long)]
    pub(super) shortest: bool,
    /// Print the answer set program of the plans, and look for none. clingo runs it with
    /// encodings/incremental.lp.
    #[arg(long)]
    pub(super) show: bool,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    /// Use at most this many threads, from 1 to 1024 [default: as many as the machine has cores].
    #[arg(long, short = 'j', help_heading = LIMITS, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
    /// Say nothing but the answer.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShownProgram {
    /// Does the initial state violate the property?
    Base,
    /// Does a step lead from a state with the property to one without?
    Step,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProofRoute {
    /// Programs, or the circuit where they would be too large.
    Auto,
    /// Answer set programs, by clingo.
    Asp,
    /// The circuit of one step, by a satisfiability solver.
    Circuit,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PlanEngine {
    /// Both, side by side.
    Auto,
    /// Answer sets of the rules over time, by clingo.
    Asp,
    /// Searches on the circuit of one step: breadth first, depth first, and many moves at a time.
    Search,
}

/// A number of moves, or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanDepth(pub(super) Option<u32>);

impl std::str::FromStr for PlanDepth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = match text {
            "auto" => return Ok(PlanDepth(None)),
            text => text.parse::<u32>().ok(),
        };
        match number {
            Some(number) if number <= 1_000_000 => Ok(PlanDepth(Some(number))),
            _ => Err("write a number of moves from 0 to 1000000, or auto".to_owned()),
        }
    }
}

#[derive(Args, Debug)]
pub(super) struct CheckArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
    /// How many random plays to try; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) plays: u32,
    /// The seed of the random plays.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// For how many seconds to search for proofs of what play shows; 0 for none.
    #[arg(long, value_name = "SEC", default_value_t = 5)]
    pub(super) proofs: u32,
}

/// Where play begins.
#[derive(Args, Debug)]
#[command(next_help_heading = QUESTION)]
pub(super) struct StartArguments {
    /// Begin in the state that this file describes: its facts in prefix form, bare or inside `true`;
    /// `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(super) from: Option<PathBuf>,
    /// Begin after these joint moves, each a list with one move for each role in order, such as
    /// '((mark 1 1) noop)'; @FILE takes them from a file. May be given several times.
    #[arg(long, value_name = "MOVES")]
    pub(super) after: Vec<String>,
}

#[derive(Args, Debug)]
pub(super) struct PlayArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    #[command(flatten)]
    pub(super) start: StartArguments,
    /// Follow the joint moves of this trace (JSON lines, also compressed with gzip) and print every
    /// state of it as a line of JSON.
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["from", "after", "playouts", "seed", "depth", "time"])]
    pub(super) replay: Option<PathBuf>,
    /// Play this many times and print only how often which goals were reached, and how fast.
    #[arg(long, value_name = "N")]
    pub(super) playouts: Option<u64>,
    /// Leave the play after this many seconds; with --playouts stop counting plays, so long after the
    /// first one began.
    #[arg(long, short, value_name = "SEC", allow_negative_numbers = true, value_parser = super::request::parse_seconds)]
    pub(super) time: Option<f64>,
    /// Give up a play after this many steps.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(super) depth: u32,
    /// The seed of the random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Play this role yourself: choose its moves by number or by text, and ask for values.
    #[arg(long = "as", value_name = "ROLE", conflicts_with_all = ["replay", "playouts", "json", "time"])]
    pub(super) role: Option<String>,
    /// Who plays the other roles, with --as: `best` does the worst to you that is known after five seconds, `random`
    /// anything.
    #[arg(
        long,
        value_name = "best|random",
        default_value = "best",
        requires = "role"
    )]
    pub(super) against: Against,
    /// List all facts of a state, also those that could be drawn as a board.
    #[arg(long)]
    pub(super) lists: bool,
    /// What plays: a circuit of one step, the rules themselves, or what is possible in that order.
    #[arg(long, value_name = "auto|circuit|rules", default_value = "auto")]
    pub(super) machine: MachineName,
    /// Print lines of JSON, in the format that `--replay` reads; with --playouts one object.
    #[arg(long)]
    pub(super) json: bool,
    /// Say nothing but what was asked for.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// Who plays against a person.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Against {
    /// Who knows what every reply is worth.
    Best,
    /// Any legal move.
    Random,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MachineName {
    /// The circuit if the game has one of moderate size, else the rules.
    Auto,
    /// The circuit of one step: fast once it is made.
    Circuit,
    /// The rules: slower, for every game.
    Rules,
}

#[derive(Args, Debug)]
pub(super) struct EvaluateArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// The role that requests are about when they name none [default: the first role that is not
    /// `random`].
    #[arg(long, value_name = "ROLE")]
    pub(super) role: Option<String>,
    /// How many steps from a position on count, for requests that do not say it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(super) depth: Option<u32>,
    /// What counts: `win` (100 points or more), `goal>=N`, `points` (expected points), or `score`
    /// (expected points / 100).
    #[arg(long, value_name = "OBJECTIVE", default_value = "win")]
    pub(super) objective: Objective,
    /// How many seconds an answer may take, for requests that do not say it.
    #[arg(long, short, value_name = "SEC", allow_negative_numbers = true, value_parser = super::request::parse_seconds)]
    pub(super) time: Option<f64>,
    /// Use at most about this much memory, such as 500M or 2G; when the tables are full, what was found
    /// long ago is forgotten [default: four fifths of the machine's memory].
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true,
          value_parser = super::sizes::parse_size)]
    pub(super) memory: Option<u64>,
    /// Use at most this many threads, from 1 to 1024 [default: as many as the machine has cores].
    #[arg(long, short = 'j', help_heading = LIMITS, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// Say nothing about the game on standard error.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Args, Debug)]
pub(super) struct ExploreArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// The role that values are about at first; the page can change it [default: the first role that is not
    /// `random`].
    #[arg(long, value_name = "ROLE")]
    pub(super) role: Option<String>,
    /// How many steps count from the start on; the page can change it [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(super) depth: Option<u32>,
    /// What counts: `win` (100 points or more), `goal>=N`, `points` (expected points), or `score`
    /// (expected points / 100).
    #[arg(long, value_name = "OBJECTIVE", default_value = "win")]
    pub(super) objective: Objective,
    /// The port on 127.0.0.1 where the page is [default: one that is free].
    #[arg(long, value_name = "P", default_value_t = 0, hide_default_value = true)]
    pub(super) port: u16,
    /// Print the address of the page, but do not open a browser.
    #[arg(long)]
    pub(super) no_browser: bool,
    /// Write the page with all positions of a small game into this folder, for any web server, and end.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "no_browser"])]
    pub(super) export: Option<PathBuf>,
    /// Use at most about this much memory, such as 500M or 2G [default: four fifths of the machine's
    /// memory].
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", allow_negative_numbers = true,
          value_parser = super::sizes::parse_size)]
    pub(super) memory: Option<u64>,
    /// Use at most this many threads, from 1 to 1024 [default: as many as the machine has cores].
    #[arg(long, short = 'j', help_heading = LIMITS, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// Say nothing about the game on standard error.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Args, Debug)]
pub(super) struct PlayerArguments {
    /// The port to listen at; 0 is any that is free.
    #[arg(long, value_name = "P", default_value_t = 9147)]
    pub(super) port: u16,
    /// The address to listen at; 0.0.0.0 is reachable from other machines.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(super) host: std::net::IpAddr,
    /// The name to tell managers, one word.
    #[arg(long, value_name = "NAME", default_value = "sqasp")]
    pub(super) name: String,
    /// Use at most about this much memory, such as 500M or 2G [default: four fifths of the machine's
    /// memory].
    #[arg(long, help_heading = LIMITS, value_name = "SIZE", allow_negative_numbers = true,
          value_parser = super::sizes::parse_size)]
    pub(super) memory: Option<u64>,
    /// Say nothing about matches on standard error.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Args, Debug)]
pub(super) struct RefereeArguments {
    /// The game description; `-` is standard input.
    pub(super) game: PathBuf,
    /// For each role but `random`, in order, who plays it: HOST:PORT, or `random`.
    #[arg(required = true, value_name = "PLAYER")]
    pub(super) players: Vec<String>,
    /// How many seconds players may prepare.
    #[arg(long, value_name = "SEC", default_value_t = 10)]
    pub(super) start_clock: u64,
    /// How many seconds a move may take.
    #[arg(long, value_name = "SEC", default_value_t = 5)]
    pub(super) play_clock: u64,
    /// Write the play into this file, as `play --replay` follows it.
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// The name of the match, one word [default: made from the game and the time].
    #[arg(long, value_name = "NAME")]
    pub(super) id: Option<String>,
    /// End the match after this many steps.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(super) depth: u32,
    /// The seed of chance [default: another one each time].
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Say nothing but the result.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Args, Debug)]
pub(super) struct PlotArguments {
    /// What to draw.
    pub(super) kind: PlotKind,
    /// The table, as comma-separated values; its first line has the names of columns. `-` is
    /// standard input.
    pub(super) table: PathBuf,
    /// The columns to draw, by name, separated by commas [default: all but the first].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) columns: Vec<String>,
    /// What is written above the picture.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(super) title: String,
    /// What is written below the horizontal axis [default: what the kind suggests].
    #[arg(long, value_name = "TEXT")]
    pub(super) x: Option<String>,
    /// What is written beside the vertical axis [default: what the kind suggests].
    #[arg(long, value_name = "TEXT")]
    pub(super) y: Option<String>,
    /// The file to write instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PlotKind {
    /// Columns over the first column.
    Lines,
    /// How many cells of each column are at most so large.
    Cactus,
    /// Two columns against each other.
    Scatter,
}

#[derive(Args, Debug)]
pub(super) struct ExportArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    #[command(flatten)]
    pub(super) question: QuestionArguments,
    #[command(flatten)]
    pub(super) start: StartArguments,
    /// The form of the file.
    #[arg(long, value_name = "FORM")]
    pub(super) to: ExportForm,
    /// The file to write instead of standard output. `prism` writes several, named like this one with other endings.
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) output: Option<PathBuf>,
    /// Leave choices to one side only: `role` or `opponents` plays as well as possible; with the FILE of a
    /// strategy (`role:FILE`, `opponents:FILE`) it does what that says.
    #[arg(long, value_name = "role|opponents|FILE", help_heading = QUESTION)]
    pub(super) fix: Option<String>,
    /// Refuse a game with more states than this.
    #[arg(long, value_name = "N", help_heading = LIMITS, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) states: Option<u32>,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    /// Say nothing but what is written.
    #[arg(long, short, help_heading = OUTPUT)]
    pub(super) quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExportForm {
    /// UMB 1.0, for Storm, PRISM and PRISM-games: exact fractions, facts as variables.
    Umb,
    /// The explicit files of PRISM and PRISM-games: .tra, .sta, .lab, .srew.
    Prism,
    /// An extensive game of Gambit, for small games.
    Efg,
    /// A graph for Graphviz, for small games.
    Dot,
}

#[derive(Args, Debug)]
pub(super) struct TableArguments {
    #[command(subcommand)]
    pub(super) command: TableCommand,
}

#[derive(Subcommand, Debug)]
pub(super) enum TableCommand {
    /// Build a table, or go on with one that was not finished.
    Build(TableBuildArguments),
    /// Say what a table is about, and how large it is.
    Info {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Look up a position.
    Probe(TableProbeArguments),
    /// Read all files of a table: checksums, the order of keys, the range of values.
    Check(TableCheckArguments),
}

#[derive(Args, Debug)]
pub(super) struct TableBuildArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    #[command(flatten)]
    pub(super) question: QuestionArguments,
    /// The folder: a new or empty one, or that of the table to go on with.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(super) dir: PathBuf,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    /// Say nothing but the answer.
    #[arg(long, short, help_heading = OUTPUT)]
    pub(super) quiet: bool,
}

#[derive(Args, Debug)]
pub(super) struct TableProbeArguments {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    #[command(flatten)]
    pub(super) start: StartArguments,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(super) struct TableCheckArguments {
    /// The folder.
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
}

#[derive(Args, Debug)]
pub(super) struct UmbArguments {
    /// The model, which may be compressed with gzip; `-` is standard input.
    pub(super) model: PathBuf,
    /// The label of the states to reach.
    #[arg(long, value_name = "LABEL", default_value = "win", help_heading = QUESTION)]
    pub(super) objective: String,
    /// The player who wants to reach them; may be given several times, for players who work together. `nobody` if all
    /// want to avoid it [default: the first player].
    #[arg(long, short, value_name = "PLAYER", help_heading = QUESTION)]
    pub(super) role: Vec<String>,
    /// The number of steps, from 0; all count without it.
    #[arg(long, short, value_name = "N", help_heading = QUESTION)]
    pub(super) depth: Option<u64>,
    #[command(flatten)]
    pub(super) limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long, help_heading = OUTPUT)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct FmtArguments {
    #[command(flatten)]
    pub(super) game: GameArguments,
    /// The form to print.
    #[arg(long, value_name = "kif|infix")]
    pub(super) to: SyntaxName,
    /// The file to write instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SyntaxName {
    /// Prefix form: `(legal ?p noop)`.
    Kif,
    /// Infix form: `legal(P,noop)`.
    Infix,
}

#[derive(Args, Debug)]
pub(super) struct DoctorArguments {
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}
