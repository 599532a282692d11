//! A game, a question about it, and where play begins.

use super::{QUESTION, RULES};
use crate::cli::depths::Depths;
use clap::Args;
use gdl::game::{Aim, Game};
use gdl::{Name, Options};
use std::path::{Path, PathBuf};

// The files of a game and how strictly they are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct GameArguments {
    /// The game description; several files are read as one, and `-` is standard input.
    ///
    /// It is in prefix (KIF) or infix form. The line `; uses numbers dice` in it adds libraries.
    #[arg(required = true)]
    pub(crate) game: Vec<PathBuf>,
    /// Set a parameter of the game; may be given several times.
    ///
    /// The number is written in place of that in the rules. The game has a line such as `; parameter target 10..100`, and a fact such as (target 30).
    #[arg(long, value_name = "NAME=N", value_parser = parse_setting, help_heading = RULES, hide_short_help = true)]
    pub(crate) set: Vec<(String, u32)>,
    /// Read a game with `sees` rules as if all roles saw everything.
    #[arg(long, help_heading = RULES, hide_short_help = true)]
    pub(crate) assume_perfect_information: bool,
    /// Refuse what other readers refuse, such as `and`, one name in two capitalisations, goal values over 100; and
    /// names that nothing makes true.
    #[arg(long, help_heading = RULES, hide_short_help = true)]
    pub(crate) strict: bool,
}

impl GameArguments {
    /// A game of one file, read leniently.
    pub(crate) fn of_file(file: &Path) -> Self {
        GameArguments {
            game: vec![file.to_owned()],
            set: Vec::new(),
            assume_perfect_information: false,
            strict: false,
        }
    }

    /// The first argument and those that name files, as a game; and the others, as text. What `is_other` knows is no
    /// file, whatever lies in the folder: a file of such a name is written `./NAME`.
    pub(crate) fn split(&self, is_other: impl Fn(&str) -> bool) -> (Self, Vec<String>) {
        let text = |argument: &PathBuf| argument.to_string_lossy().into_owned();
        let (first, rest) = self.game.split_at(1);
        let (files, others): (Vec<&PathBuf>, Vec<&PathBuf>) = rest
            .iter()
            .partition(|argument| argument.exists() && !is_other(&text(argument)));
        let game = GameArguments {
            game: first.iter().chain(files).cloned().collect(),
            ..self.clone()
        };
        (game, others.into_iter().map(text).collect())
    }

    /// The files that are read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.game.iter().map(PathBuf::as_path)
    }

    /// How leniently the game is to be read.
    pub(crate) fn options(&self) -> Options {
        Options {
            assume_perfect_information: self.assume_perfect_information,
            lenient: !self.strict,
            as_validators: false,
        }
    }
}

/// Reads the setting of a parameter, `NAME=N`.
fn parse_setting(text: &str) -> Result<(String, u32), String> {
    let (name, number) = text.split_once('=').unwrap_or((text, ""));
    let number = number.trim().parse();
    let number = number.map_err(|_| format!("write a name and a number, such as {name}=30"))?;
    Ok((name.trim().to_lowercase(), number))
}

// The question about a game.
#[derive(Args, Debug)]
#[command(next_help_heading = QUESTION)]
pub(crate) struct QuestionArguments {
    /// The role that wants to win [default: the first that is not `random`].
    ///
    /// Several, such as ann+bob, are a team that decides together; what counts are the goals of the first. `solve` also
    /// takes `all`, for an answer for each.
    #[arg(long, short, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Let opponents be `random`, `greedy`, `selfish`, or follow a strategy in a file.
    ///
    /// By default they play against the role together, as well as possible. `random`: each picks one of its legal moves, all with the same probability.
    /// `greedy`: each takes a move that is best for it if only two steps count, any of them with the same probability.
    /// `selfish`: each role plays for its own goal, in an equilibrium; the answer has a value for each. A file: a strategy in JSON, which `sqasp solve --role
    /// OPPONENT --strategy FILE` wrote for one of the opponents; where it says nothing, and for other opponents, moves are random.
    #[arg(long, value_name = "WHO")]
    pub(crate) opponents: Option<PathBuf>,
    /// The number of steps that count [default: all].
    ///
    /// Plays that have not ended by then do not count as won. `solve` also takes a range such as 1..9, for a value at
    /// each number of steps.
    #[arg(long, short, value_name = "N", allow_negative_numbers = true)]
    pub(crate) depth: Option<Depths>,
    /// The meaning of success: `win`, `goal>=N`, `points`, `score`, `fewest-steps` or `most-steps`.
    ///
    /// `win` is 100 points or more, `points` the expected points, and `score` these divided by 100. `fewest-steps` and `most-steps` are
    /// about the mean number of steps until play is over.
    #[arg(long, value_name = "OBJECTIVE", default_value = "win")]
    pub(crate) objective: Aim,
}

impl QuestionArguments {
    /// Whether answers for all roles of a game are asked for.
    pub(crate) fn asks_for_all_roles(&self, game: &Game) -> bool {
        let typed = self.role.as_deref().unwrap_or_default();
        let is_role = |name: &str| game.roles().iter().any(|role| role.as_str() == name);
        typed.eq_ignore_ascii_case("all") && !is_role("all")
    }

    /// The roles that are asked about: all players, or this one.
    pub(crate) fn roles(&self, game: &Game, one: &Name) -> Vec<Name> {
        match self.asks_for_all_roles(game) {
            true => game.players().cloned().collect(),
            false => vec![one.clone()],
        }
    }
}

// Where play begins.
#[derive(Args, Debug)]
#[command(next_help_heading = QUESTION)]
pub(crate) struct StartArguments {
    /// Begin in the state that this file describes.
    ///
    /// It has the facts in prefix form, bare or inside `true`; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Begin after these joint moves, such as '((mark 1 1) noop)'.
    ///
    /// Each is a list with one move for each role in order; @FILE takes them from a file. May be given several times.
    #[arg(long, value_name = "MOVES")]
    pub(crate) after: Vec<String>,
}

impl StartArguments {
    /// The files that are read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let after = self.after.iter().filter_map(|text| text.strip_prefix('@'));
        self.from.as_deref().into_iter().chain(after.map(Path::new))
    }
}
