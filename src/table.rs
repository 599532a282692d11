//! Tables of all positions of a game in a folder: built layer by layer on disk, and looked up in.
//!
//! The format and the method are in `docs/table-format.md`, the work is done by the crate [`layers`].

pub use crate::search::{TableFailure, check_table as check};
pub use layers::{Checked, LayerInfo, Manifest, Progress, Table, TableError};

use crate::budget::Budget;
use crate::question::Question;
use crate::search::{Search, SearchError, SearchOptions, Subject};
use gdl::game::{Game, Objective};
use gdl::{Name, Term};
use num_rational::BigRational;
use std::path::Path;
use step::StepLimits;

/// Builds a table of all positions that play leads to, or goes on with the one in a folder. Where play starts is what the rules
/// say.
///
/// # Errors
/// If the game is not valid or no last step is known, the folder holds something else, or a limit is reached.
pub fn build(
    game: &Game,
    question: &Question,
    folder: &Path,
    budget: &Budget,
    tell: &mut dyn FnMut(Progress),
) -> Result<Table, TableFailure> {
    let subject = Subject {
        rules: rules(game),
        game: game.name().to_owned(),
        objective: question.objective.to_string(),
        depth: question.depth,
    };
    let mut search = search(game, &question.role, question.objective, budget)?;
    search.build_table(&subject, folder, &budget.left(), tell)
}

/// Opens a finished table; it says what it is about.
///
/// # Errors
/// If there is none.
pub fn open(folder: &Path) -> Result<Table, TableFailure> {
    Ok(Table::open(folder)?)
}

/// A table that positions are looked up in.
pub struct Probe {
    game: Game,
    search: Search,
    table: Table,
}

impl Probe {
    /// Opens a folder. The rules are in it.
    ///
    /// # Errors
    /// If there is no finished table, or this version makes other keys.
    pub fn open(folder: &Path, budget: &Budget) -> Result<Self, TableFailure> {
        let manifest = Table::open(folder)?.manifest().clone();
        let damaged = |why: String| TableError::Damaged {
            path: folder.join("table.json"),
            why,
        };
        let read = crate::read(&manifest.game, manifest.text_of_rules.as_bytes());
        let game = read.map_err(|_| damaged("its rules are not those of a game".to_owned()))?;
        let objective: Objective = manifest.objective.parse().map_err(damaged)?;
        let mut search = search(&game, &Name::new(&manifest.role), objective, budget)?;
        let subject = Subject {
            rules: rules(&game),
            game: manifest.game,
            objective: manifest.objective,
            depth: u32::try_from(manifest.depth).ok(),
        };
        let table = search.open_table(&subject, folder, &budget.left())?;
        Ok(Probe {
            game,
            search,
            table,
        })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The values of the state with these facts, or of the initial state: one for each number of steps left with which play leads
    /// there. There is none for states in which play is over.
    ///
    /// # Errors
    /// If a fact cannot come true, or a file cannot be read.
    pub fn values(
        &mut self,
        facts: Option<&[Term]>,
    ) -> Result<Vec<(usize, BigRational)>, TableFailure> {
        let state = match facts {
            Some(facts) => self.search.state(facts)?,
            None => self.search.initial(),
        };
        self.search.probe(&self.table, &state)
    }
}

fn search(
    game: &Game,
    role: &Name,
    objective: Objective,
    budget: &Budget,
) -> Result<Search, SearchError> {
    let options = SearchOptions {
        step: StepLimits {
            clock: budget.clock.clone(),
            ..StepLimits::default()
        },
        ..SearchOptions::default()
    };
    Search::new(game, role, objective, &options)
}

/// The rules, one a line, as [`verify::fingerprint`] takes them.
fn rules(game: &Game) -> String {
    let rules: Vec<String> = game.rules().iter().map(ToString::to_string).collect();
    rules.join("\n")
}
