//! Arguments for the way to a value: engines, their techniques, and the making of formulas.

use super::{QUESTION, RESEARCH, ThreadArguments};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum};
use engines::{Ability, ENGINES, Entry};
use logic::sqasp::PrefixMethod;
use std::fmt;

// Options that say how a game becomes a formula.
#[derive(Args, Debug)]
#[command(next_help_heading = RESEARCH)]
pub(crate) struct FormulaArguments {
    /// Where determined atoms, which belong to no player, are quantified: as early as possible (dep) or innermost (base)
    /// [default: dep].
    #[arg(long, value_name = "dep|base", hide_short_help = true)]
    pub(crate) quant: Option<PrefixMethod>,
    /// The translator of the ground program into clauses: our own lp2sat, or the programs lp2normal2, lp2acyc
    /// and lp2sat on the PATH [default: lp2sat].
    #[arg(long, value_name = "TRANSLATOR", hide_short_help = true)]
    pub(crate) cnf_via: Option<ClauseMaker>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClauseMaker {
    /// The crate of this project.
    Lp2sat,
    /// The original programs, as child processes.
    Asptools,
}

impl FormulaArguments {
    /// How the prefix is made, said or not.
    pub(crate) fn prefix(&self) -> PrefixMethod {
        self.quant.unwrap_or(PrefixMethod::Dependency)
    }
}

// Options that say which solver runs.
#[derive(Args, Debug)]
#[command(next_help_heading = RESEARCH)]
pub(crate) struct EngineArguments {
    /// The engine that finds the value.
    #[arg(long, short, value_name = "ENGINE", default_value = "auto", value_parser = engines(false), help_heading = QUESTION)]
    pub(crate) engine: EngineName,
    /// Let the engine do without a technique, to see what it buys; may be given several times.
    #[arg(long, value_name = "TECHNIQUE", value_parser = techniques(), hide_short_help = true)]
    pub(crate) without: Vec<String>,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
}

/// The option where there is no game: engines that search games are not offered.
pub(crate) fn for_formulas(engine: Arg) -> Arg {
    engine.value_parser(engines(true))
}

/// The techniques that can be switched off, of the engines of formulas and of emm.
fn techniques() -> PossibleValuesParser {
    let of = |engine| (Entry::named(engine).expect("it is in the list").techniques)().into_iter();
    let of_formulas = of("xssat").map(|technique| (technique, "formulas"));
    let of_games = of("emm").map(|technique| (technique, "emm"));
    let mut techniques: Vec<(&str, &str, String)> = Vec::new();
    for ((name, purpose), engine) in of_formulas.chain(of_games) {
        match techniques.iter_mut().find(|(other, ..)| *other == name) {
            Some((_, same, engines)) if *same == purpose => *engines += &format!(" and {engine}"),
            Some((.., help)) => *help += &format!(": {purpose}; {engine}"),
            None => techniques.push((name, purpose, engine.to_owned())),
        }
    }
    let values = techniques.into_iter();
    PossibleValuesParser::new(values.map(|(name, purpose, engines)| {
        PossibleValue::new(name).help(format!("{engines}: {purpose}"))
    }))
}

/// The engine that was named; none for `auto`, the built-in one that suits the question.
#[derive(Clone, Copy)]
pub(crate) struct EngineName(pub(crate) Option<&'static Entry>);

impl fmt::Debug for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.map_or("auto", |entry| entry.name))
    }
}

/// The names of all engines. For formulas and programs those that search games are not listed; naming one is an error that says why.
fn engines(of_formulas: bool) -> impl TypedValueParser<Value = EngineName> {
    let auto = "Chosen automatically; the answer says which";
    let auto = PossibleValue::new("auto").help(auto);
    let value = move |entry: &Entry| {
        let is_hidden = of_formulas && !entry.can(&Ability::Formulas);
        PossibleValue::new(entry.name)
            .help(entry.about)
            .hide(is_hidden)
    };
    let values = std::iter::once(auto).chain(ENGINES.iter().map(value));
    PossibleValuesParser::new(values).map(|name| EngineName(Entry::named(&name)))
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MachineName {
    /// The circuit if the game has one of moderate size, else the rules.
    Auto,
    /// The circuit of one step: fast once it is made.
    Circuit,
    /// The rules: slower, for every game.
    Rules,
}
