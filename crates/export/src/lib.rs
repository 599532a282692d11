//! The reachable game as a file for other programs: UMB, Gambit, Graphviz.
//!
//! All states that play can lead to are listed breadth first by the circuit of one step, with the facts as the rules
//! write them: nothing is reduced, merged or left out, so that others can check values without trusting what
//! makes our solvers fast.
//!
//! ```text
//! Game --explore--> nodes, one after the other --umb | efg | dot--> file
//!                        ^ one side's choices fixed: by the file of a strategy, or by solving the graph
//! ```
//!
//! A *node* is a state, the steps left if they are counted, and the role's move if it is made and the opponents have to
//! reply. So each node belongs to one side, as in a turn-based stochastic game: where roles move at the same time the role
//! chooses first, then its opponents, then chance, which is the order of the quantifiers in the logical
//! route. Terminal nodes give the points of the role and lead to one last node, in which nothing happens any more.
//!
//! ```
//! use sqasp_export::{Format, Scope};
//!
//! let rules = b"(role guest) (role random) (door a) (door b)
//!     (<= (legal ?role (open ?door)) (role ?role) (door ?door))
//!     (<= (next won) (does guest (open ?door)) (does random (open ?door)))
//!     (<= (next over) (role ?role)) (<= terminal (true over))
//!     (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))";
//! let game = gdl::game::read("doors", rules, &gdl::Options::default())?.game;
//! let exported = sqasp_export::export(&game, &Scope::of(0), Format::Dot, None, &limits::Limits::default())?;
//! assert_eq!((exported.states, exported.choices, exported.branches), (4, 5, 7));
//! let mut text = Vec::new();
//! exported.write_to(&mut text)?;
//! assert!(String::from_utf8(text)?.contains("(open b)"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A game of hidden information is a tree with information sets, by the crate [`hidden`]: in `efg` only. So is one with simultaneous moves.
//!
//! Memory holds the keys of the nodes and what finds them; tables grow in temporary files. Only a fixed side needs the
//! whole graph in memory, to be solved first, and `efg`, which is for small games.

mod actions;
mod dot;
mod efg;
mod error;
mod explore;
mod hidden_efg;
mod keys;
mod listed;
mod node;
mod solved;
mod umb;

pub use error::ExportError;

use crate::explore::Explorer;
use crate::node::{FileSink, Policy};
use crate::solved::NodeChoices;
use ::umb::NumberForm;
use gdl::Term;
use gdl::game::{Game, Objective};
use limits::Limits;
use num_rational::BigRational;
use std::io::{self, Write};
use verify::{Side, Strategy};

/// The part of a game that is exported.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The role that the game is about, by index in the list of roles.
    pub role: usize,
    /// The objective: it decides the label `win`, and the aim of a side that is fixed by solving.
    pub objective: Objective,
    /// The number of steps that count; then they are part of the states. Without a number all do.
    pub depth: Option<u32>,
    /// The facts that play starts from, if it is not the initial state.
    pub start: Option<Vec<Term>>,
    /// Whether moves of one step are simultaneous: in `efg` only.
    pub mixed: bool,
    /// The most states.
    pub states: usize,
}

impl Scope {
    /// The whole game, about a role that wants to win.
    pub fn of(role: usize) -> Self {
        Scope {
            role,
            objective: Objective::Win,
            depth: None,
            start: None,
            mixed: false,
            states: MAX_STATES,
        }
    }
}

/// The most states that are listed by default.
pub const MAX_STATES: usize = 1 << 31;

/// The side that chooses no more, and the source of its moves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fix {
    /// It plays as well as possible: the graph is solved first.
    Best(Side),
    /// It follows a strategy.
    Listed(Side, Box<Strategy>),
}

/// A form that other programs read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Format {
    /// UMB 1.0, for Storm, PRISM and PRISM-games.
    Umb,
    /// The same with floating-point numbers.
    UmbDecimals,
    /// An extensive game of Gambit.
    Efg,
    /// A graph for Graphviz.
    Dot,
}

/// All forms, with their names and purposes.
pub const FORMATS: [(&str, Format, &str); 4] = [
    (
        "umb",
        Format::Umb,
        "UMB 1.0, for Storm, PRISM and PRISM-games: exact fractions, facts as variables",
    ),
    (
        "umb-decimals",
        Format::UmbDecimals,
        "The same with floating-point numbers, for programs that read no fractions, as PRISM-games for games",
    ),
    (
        "efg",
        Format::Efg,
        "An extensive game of Gambit, for small games",
    ),
    ("dot", Format::Dot, "A graph for Graphviz, for small games"),
];

impl Format {
    /// The form with this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = FORMATS.iter().find(|(other, ..)| *other == name);
        found.map(|(_, format, _)| *format)
    }
}

/// Writes a file, once.
type WriteOnce = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// The result of an export.
#[non_exhaustive]
pub struct Exported {
    /// The number of nodes; with those between the moves of a step. Of a tree with information sets all are counted, also those that repeat a state.
    pub states: u64,
    /// The number of choices in all of them.
    pub choices: u64,
    /// The number of outcomes of all choices.
    pub branches: u64,
    /// The number of information sets of both sides, in a game of hidden information.
    pub information_sets: Option<u64>,
    /// Bounds of the value, equal if it is exact: known where a side was fixed by solving.
    pub bounds: Option<(BigRational, BigRational)>,
    write: WriteOnce,
}

impl Exported {
    /// Writes the file.
    pub fn write_to(self, to: &mut dyn Write) -> io::Result<()> {
        (self.write)(to)
    }
}

/// Lists the reachable game and prepares its file.
pub fn export(
    game: &Game,
    scope: &Scope,
    format: Format,
    fix: Option<&Fix>,
    limits: &Limits,
) -> Result<Exported, ExportError> {
    match (format, fix) {
        (Format::Efg, None) if game.has_percepts() => {
            return hidden_efg::export(game, scope, limits);
        }
        (Format::Efg, None) if scope.mixed => {
            let shown = hidden_efg::showing_moves(game).ok_or(ExportError::OwnSees)?;
            return hidden_efg::export(&shown, scope, limits);
        }
        _ if scope.mixed => return Err(ExportError::Mixed),
        _ => game.check_open("an export other than in the form efg with both sides")?,
    }
    let mut explorer = Explorer::new(game, scope, limits)?;
    let mut bounds = None;
    let policy: Option<Box<dyn Policy>> = match fix {
        None => None,
        Some(Fix::Best(side)) => {
            let role = &game.roles()[scope.role];
            let range = gdl::game::ValueRange::of(game, role, scope.objective);
            let solved = NodeChoices::new(explorer, scope.objective, range, *side, limits)?;
            explorer = Explorer::new(game, scope, limits)?;
            bounds = Some(solved.bounds());
            Some(Box::new(solved))
        }
        Some(Fix::Listed(side, strategy)) => {
            let listed = listed::policy(game, scope, explorer.ground(), *side, strategy)?;
            Some(Box::new(listed))
        }
    };
    let fixed = policy.as_ref().map(|policy| policy.side());
    if let Some(policy) = policy {
        explorer.fix(policy);
    }
    let about = node::GraphHeader::new(game, scope, fixed, &explorer.ground().facts);
    let mut sink: Box<dyn FileSink> = match format {
        Format::Umb => Box::new(umb::Umb::new(about, NumberForm::Fractions)?),
        Format::UmbDecimals => Box::new(umb::Umb::new(about, NumberForm::Decimals)?),
        Format::Efg => Box::new(efg::Efg::new(about)),
        Format::Dot => Box::new(dot::Dot::new(about)?),
    };
    let counts = explorer.run(sink.as_mut(), limits)?;
    Ok(Exported {
        states: counts.states,
        choices: counts.choices,
        branches: counts.branches,
        information_sets: None,
        bounds,
        write: sink.finish(explorer.actions())?,
    })
}
