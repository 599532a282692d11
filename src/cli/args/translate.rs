//! `translate`: a game in another form, and which forms use which options.

use super::{
    FormulaArguments, GameArguments, LIMITS, LimitArguments, OUTPUT, QUESTION, QuestionArguments,
    ReportArguments, StartArguments,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, ValueEnum};
use export::{FORMATS, Format};
use std::path::PathBuf;

/// The depth of `sqasp translate`.
const STEPS: &str =
    "The number of steps that count; stages of the translation need it [default: all]";

/// Its limits, at which nothing is written.
const STOP: &str = "Stop after this many seconds, or `5m` or `2h`; then nothing is written";
const ROOM: &str = "Use at most this much memory, such as 500M or 2G; where that is too little nothing is written [default: four fifths of the machine's memory]";

/// The form of the report about a file.
const ABOUT_FILE: &str =
    "Print one JSON object about the file, as `--format json` does; needs --output";

#[derive(Args, Debug)]
#[command(mut_arg("depth", |depth| depth.help(STEPS).long_help(STEPS)))]
#[command(mut_arg("time", |time| time.long_help(STOP)))]
#[command(mut_arg("memory", |memory| memory.long_help(ROOM)))]
#[command(mut_arg("json", |json| json.help(ABOUT_FILE).requires("output")))]
#[command(mut_arg("format", |format| format.requires_if("json", "output")))]
#[command(mut_arg("quiet", |quiet| quiet.help("Print no summary")))]
pub(crate) struct TranslateArguments {
    #[command(flatten)]
    pub(crate) game: GameArguments,
    #[command(flatten)]
    pub(crate) question: QuestionArguments,
    #[command(flatten)]
    pub(crate) start: StartArguments,
    #[command(flatten)]
    pub(crate) formula: FormulaArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The form: `kif` has the rules, `asp` to `qdimacs` are stages of the translation, and the others have the reachable game.
    #[arg(long, value_name = "FORM", value_parser = form(), help_heading = OUTPUT)]
    pub(crate) to: Form,
    /// The file to write instead of standard output.
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Write the libraries that the game uses, too, as far as it needs them: one file for any reader of GDL (kif).
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) standalone: bool,
    /// Explain the program (asp, sqasp, generated): the method with the rule numbers of the paper,
    /// and for each rule of the game where it comes from.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) explain: bool,
    /// Fix one side, and leave choices to the other: `role` or `opponents` plays optimally, `role:FILE` or `opponents:FILE` by
    /// the strategy in a file.
    #[arg(long, value_name = "role|opponents|FILE", help_heading = QUESTION)]
    pub(crate) fix: Option<String>,
    /// Treat the moves of a step as simultaneous: for `efg`, with information sets.
    #[arg(long, help_heading = QUESTION)]
    pub(crate) mixed: bool,
    /// Refuse a game with more states than this.
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = LIMITS, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_states: Option<u32>,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
}

/// A form of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// The rules in prefix form.
    Kif,
    /// A stage of the translation into a formula.
    Stage(Stage),
    /// The reachable game, for another program.
    File(Format),
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
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

/// Options, the purpose that they have in common, and whether a form has it.
type Use = (&'static str, &'static str, fn(Form) -> bool);

/// Options that not all forms use.
const USES: [Use; 6] = [
    ("standalone", "rules", |form| form == Form::Kif),
    ("explain", "programs", |form| {
        use Stage::{Asp, Generated, Sqasp};
        matches!(form, Form::Stage(Asp | Generated | Sqasp))
    }),
    ("quant", "formulas", |form| {
        matches!(form, Form::Stage(Stage::Sdimacs | Stage::Qdimacs))
    }),
    ("cnf-via", "clauses", |form| {
        use Stage::{Cnf, Qdimacs, Sdimacs};
        matches!(form, Form::Stage(Cnf | Sdimacs | Qdimacs))
    }),
    (
        "from after fix mixed max-states json format",
        "files of the reachable game",
        |form| matches!(form, Form::File(_)),
    ),
    (
        "assume-perfect-information role opponents depth objective quiet",
        "stages and files of the reachable game",
        |form| form != Form::Kif,
    ),
];

/// Refuses options that were typed, and that the form has no use for.
pub(super) fn check_options(
    typed: &ArgMatches,
    translate: &mut Command,
) -> Result<(), clap::Error> {
    let to: Form = *typed.get_one("to").expect("it is required");
    let is_typed = |option: &&str| {
        typed.value_source(&option.replace('-', "_")) == Some(ValueSource::CommandLine)
    };
    for (options, purpose, uses) in USES.iter().filter(|(_, _, uses)| !uses(to)) {
        let Some(option) = options.split(' ').find(is_typed) else {
            continue;
        };
        let names = forms().into_iter().filter(|(form, _)| uses(*form));
        let names: Vec<String> = names.map(|(_, name)| name.get_name().to_owned()).collect();
        let names = match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => unreachable!("each option is for a form"),
        };
        let message = format!("--{option} is for {purpose}: --to {names}");
        return Err(translate.error(ErrorKind::ArgumentConflict, message));
    }
    Ok(())
}

/// All forms, with their names and purposes.
fn forms() -> Vec<(Form, PossibleValue)> {
    let kif = PossibleValue::new("kif").help("The rules in prefix form (KIF), in the usual layout");
    let stages = Stage::value_variants().iter();
    let stages = stages.filter_map(|&stage| Some((Form::Stage(stage), stage.to_possible_value()?)));
    let files = FORMATS.into_iter().map(|(name, format, purpose)| {
        (Form::File(format), PossibleValue::new(name).help(purpose))
    });
    let rules = std::iter::once((Form::Kif, kif));
    rules.chain(stages).chain(files).collect()
}

fn form() -> impl TypedValueParser<Value = Form> {
    let names = forms().into_iter().map(|(_, name)| name);
    PossibleValuesParser::new(names).map(|typed| {
        let mut forms = forms().into_iter();
        let named = forms.find(|(_, name)| name.get_name() == typed);
        named.expect("it is in the list").0
    })
}

/// The stages that a program has: those behind it.
pub(super) fn stages_of_programs() -> impl TypedValueParser<Value = Stage> {
    PossibleValuesParser::new(["aspif", "cnf", "sdimacs", "qdimacs"])
        .map(|name| Stage::from_str(&name, false).expect("it is a stage"))
}
