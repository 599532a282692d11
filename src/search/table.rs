//! Tables of all positions on disk: built from a search, and looked up in by positions as the game names them.

use super::{Search, SearchError, SearchState};
use layers::{Checked, Manifest, Progress, Table, TableError};
use limits::Limits;
use num_rational::BigRational;
use std::path::Path;

/// Why a table cannot be built or read.
#[derive(Debug, thiserror::Error)]
pub enum TableFailure {
    /// The search cannot take the game or the question.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The folder, or the disk.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There is nothing to put into a table.
    #[error("play is over at the start, or no step counts: there is nothing to put into a table")]
    Empty,
}

/// What a table is about, beside what the search knows.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The rules, one a line.
    pub rules: String,
    /// The name of the game.
    pub game: String,
    /// What counts.
    pub objective: String,
    /// The number of steps; all count without it.
    pub depth: Option<u32>,
}

impl Search {
    /// Builds a table of all positions that play leads to from the initial state, or goes on with it.
    ///
    /// # Errors
    /// If the game is not valid or has no last step, the folder holds something else, or a limit is reached.
    pub fn build_table(
        &mut self,
        subject: &Subject,
        folder: &Path,
        limits: &Limits,
        tell: &mut dyn FnMut(Progress),
    ) -> Result<Table, TableFailure> {
        let (manifest, state) = self.manifest(subject, limits)?;
        let game = self.engine.layered_game();
        let built = layers::build(game, &state, &manifest, folder, limits, tell);
        if let Err(TableError::Flaw(_)) = built {
            // The engine finds a play that leads there.
            let steps = u32::try_from(manifest.depth).unwrap_or(u32::MAX);
            self.check(&self.initial(), steps, limits)?;
        }
        Ok(built?)
    }

    /// Opens a table of this game and question.
    ///
    /// # Errors
    /// If there is none, or it is of something else.
    pub fn open_table(
        &mut self,
        subject: &Subject,
        folder: &Path,
        limits: &Limits,
    ) -> Result<Table, TableFailure> {
        let table = Table::open(folder)?;
        let (manifest, _) = self.manifest(subject, limits)?;
        table.folder().check_same(&manifest)?;
        Ok(table)
    }

    /// What a table says of a state: for each number of steps left with which play from the initial state leads to it, the value.
    /// [`Search::open_table`] must have opened it.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn probe(
        &mut self,
        table: &Table,
        state: &SearchState,
    ) -> Result<Vec<(usize, BigRational)>, TableFailure> {
        let Some(words) = self.engine.layered_state(state) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for info in table.layers() {
            let value = table.value(self.engine.layered_game(), info.layer, &words)?;
            found.extend(value.map(|value| (info.layer, value * &self.largest)));
        }
        Ok(found)
    }

    /// The manifest of a table, and the initial state.
    fn manifest(
        &mut self,
        subject: &Subject,
        limits: &Limits,
    ) -> Result<(Manifest, Vec<u64>), TableFailure> {
        let start = self.initial();
        // Without limits of time and memory keys are the same in each run.
        let limits = Limits {
            interrupt: limits.interrupt.clone(),
            ..Limits::default()
        };
        let prepared = (self.engine).prepare_layers(&start, subject.depth, &limits);
        let depth = prepared.map_err(|error| self.named(error, &start))?;
        let state = self.engine.layered_state(&start);
        let Some(state) = state.filter(|_| depth > 0) else {
            return Err(TableFailure::Empty);
        };
        let facts = &self.ground.facts;
        let form = format!("{facts:?} {}", self.engine.key_form());
        let manifest = Manifest {
            format: layers::FORMAT.to_owned(),
            version: layers::VERSION,
            rules: layers::fingerprint(&subject.rules),
            text_of_rules: subject.rules.clone(),
            game: subject.game.clone(),
            role: self.machine.roles()[self.role].to_string(),
            objective: subject.objective.clone(),
            largest: self.largest.to_string(),
            depth,
            keys: layers::fingerprint(&form),
            shards: 1,
        };
        Ok((manifest, state))
    }
}

/// Reads all files of a table.
///
/// # Errors
/// What is wrong with them.
pub fn check_table(table: &Table) -> Result<Checked, TableFailure> {
    Ok(layers::check(table)?)
}
