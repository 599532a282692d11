//! Tables of all positions on disk: built from a search, and looked up in by positions as the game names them.

use super::{Search, SearchError};
use emm::{Layering, QuestionError};
use gdl::game::{Aim, Game, Objective};
use layers::{Communicator, DiskTable, DiskTableError, Folder, Manifest, TableProgress};
use limits::Limits;
use std::path::Path;

/// Why a table cannot be built or read.
#[derive(Debug, thiserror::Error)]
pub enum TableFailure {
    /// The search cannot take the game or the question.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The folder, or the disk.
    #[error(transparent)]
    Disk(#[from] DiskTableError),
    /// Play may go on for ever, and moves are mixed.
    #[error(
        "play may go on for ever, where values of moves at the same time need not be fractions: say how many steps count"
    )]
    Endless,
    /// There is nothing to put into a table.
    #[error("play is over at the start, or no step counts: there is nothing to put into a table")]
    Empty,
    /// The question is about steps.
    #[error(
        "a table is about the ends of plays, and `{0}` counts steps: the engine steps does that"
    )]
    Steps(Aim),
}

/// The subject of a table, except for the data that the search has.
#[derive(Clone, Debug)]
pub struct TableSubject {
    /// The rules, one a line.
    pub rules: String,
    /// The rules before roles were joined, if they were.
    pub as_written: Option<String>,
    /// The name of the game.
    pub game: String,
    /// The meaning of success.
    pub objective: String,
    /// How many steps count.
    pub layering: Layering,
    /// Whether roles choose at the same time.
    pub mixed: bool,
}

impl TableSubject {
    /// The subject for a game, an objective and the number of steps that count, or all, where opponents know the role's move.
    pub fn of(game: &Game, objective: Objective, depth: Option<u32>) -> Self {
        let text = |game: &Game| {
            let rules: Vec<String> = game.rules().iter().map(ToString::to_string).collect();
            rules.join("\n")
        };
        let is_joined = game.written().roles() != game.roles();
        TableSubject {
            // As `verify` takes them for the fingerprints of strategies.
            rules: text(game),
            as_written: is_joined.then(|| text(game.written())),
            game: game.name().to_owned(),
            objective: objective.to_string(),
            layering: depth.map_or(Layering::AllSteps, Layering::Steps),
            mixed: false,
        }
    }

    /// The same subject for the table that this manifest is of: how many steps count there, and whether moves are at the same time.
    #[must_use]
    pub fn as_in(self, manifest: &Manifest) -> Self {
        let steps = u32::try_from(manifest.depth).unwrap_or(u32::MAX);
        TableSubject {
            layering: match manifest.endless {
                true => Layering::Endless,
                false => Layering::Steps(steps),
            },
            mixed: manifest.mixed,
            ..self
        }
    }

    /// The subject where roles choose at the same time, or where opponents know the role's move.
    #[must_use]
    pub fn mixed(self, mixed: bool) -> Self {
        TableSubject { mixed, ..self }
    }
}

impl Search {
    /// Builds a table of all positions that play leads to from the initial state, or goes on with it, by some threads.
    ///
    /// # Errors
    /// If the game is not valid or has no last step, the folder holds something else, or a limit is reached.
    pub fn build_table(
        &mut self,
        subject: &TableSubject,
        folder: &Path,
        limits: &Limits,
        threads: usize,
        tell: &mut dyn FnMut(TableProgress),
    ) -> Result<DiskTable, TableFailure> {
        let (manifest, state) = self.manifest(subject, folder, limits)?;
        let game = self.engine.layered_game();
        let built = layers::build(game, &state, &manifest, folder, limits, threads, tell);
        self.explained(built, &manifest, limits)
    }

    /// Finishes the table in a folder together with other processes. `connect` finds them; it is told which table it is.
    ///
    /// # Errors
    /// Those of [`Search::build_table`], and if a process is lost.
    pub fn finish_table_among<P: Communicator>(
        &mut self,
        subject: &TableSubject,
        folder: &Path,
        connect: impl FnOnce(&Manifest) -> Result<P, DiskTableError>,
        limits: &Limits,
        threads: usize,
        tell: &mut dyn FnMut(TableProgress),
    ) -> Result<(DiskTable, P), TableFailure> {
        let (manifest, state) = self.manifest(subject, folder, limits)?;
        let mut communicator = connect(&manifest)?;
        let built = layers::build_by_processes(
            self.engine.layered_game(),
            &state,
            &manifest,
            folder,
            limits,
            threads,
            &mut communicator,
            tell,
        );
        Ok((self.explained(built, &manifest, limits)?, communicator))
    }

    /// The result of work on a table. If a state has no value, the engine finds a play that leads there.
    fn explained(
        &mut self,
        done: Result<DiskTable, DiskTableError>,
        manifest: &Manifest,
        limits: &Limits,
    ) -> Result<DiskTable, TableFailure> {
        if let Err(DiskTableError::Flaw(_)) = done {
            let steps = u32::try_from(manifest.depth).unwrap_or(u32::MAX);
            self.check(&self.initial(), steps, limits)?;
        }
        Ok(done?)
    }

    /// Opens a table of this game and question.
    ///
    /// # Errors
    /// If there is none, or it is of something else.
    pub fn open_table(
        &mut self,
        subject: &TableSubject,
        folder: &Path,
        limits: &Limits,
    ) -> Result<DiskTable, TableFailure> {
        let table = DiskTable::open(folder)?;
        let (manifest, _) = self.manifest(subject, folder, limits)?;
        table.folder().check_same(&manifest)?;
        Ok(table)
    }

    /// Checks that each value of a table follows from those behind it. [`Search::open_table`] must have opened it; `scratch` is an
    /// empty folder.
    ///
    /// # Errors
    /// The first thing that is wrong, or a limit that is reached.
    pub(super) fn check_table(
        &mut self,
        table: &DiskTable,
        scratch: &Path,
        limits: &Limits,
        threads: usize,
        tell: &mut dyn FnMut(TableProgress),
    ) -> Result<u64, TableFailure> {
        let start = self.initial();
        let state = self.engine.layered_state(&start);
        let state = state.ok_or(TableFailure::Empty)?;
        let game = self.engine.layered_game();
        Ok(layers::check_all(
            game, &state, table, scratch, limits, threads, tell,
        )?)
    }

    /// The manifest of a table, and the initial state.
    fn manifest(
        &mut self,
        subject: &TableSubject,
        folder: &Path,
        limits: &Limits,
    ) -> Result<(Manifest, Vec<u64>), TableFailure> {
        let start = self.initial();
        // The form of keys does not depend on memory.
        let limits = Limits {
            memory: None,
            progress: None,
            ..limits.clone()
        };
        let layering = layering(subject, folder);
        let layer = match (self.engine).prepare_layers(&start, layering, &limits) {
            Ok(layer) => layer,
            Err(QuestionError::Stopped(reason)) => {
                return Err(DiskTableError::Stopped(reason).into());
            }
            Err(error) => return Err(self.named(error, &start).into()),
        };
        let state = self.engine.layered_state(&start);
        let Some(state) = state.filter(|_| layer != Some(0)) else {
            return Err(TableFailure::Empty);
        };
        if subject.mixed && layer.is_none() {
            return Err(TableFailure::Endless);
        }
        let facts = &self.ground.facts;
        let form = format!("{facts:?} {}", self.engine.key_form());
        let manifest = Manifest {
            format: layers::FORMAT.to_owned(),
            version: layers::VERSION,
            rules: layers::fingerprint(&subject.rules),
            text_of_rules: subject.rules.clone(),
            as_written: subject.as_written.clone(),
            game: subject.game.clone(),
            role: self.machine.roles()[self.role].to_string(),
            objective: subject.objective.clone(),
            largest: self.range.largest().to_string(),
            depth: layer.unwrap_or(1),
            keys: layers::fingerprint(&form),
            shards: 1,
            mixed: subject.mixed,
            endless: layer.is_none(),
        };
        Ok((manifest, state))
    }
}

/// How many steps count. If the folder has an endless table of the game, it is not found out again that play may go on for ever.
fn layering(subject: &TableSubject, folder: &Path) -> Layering {
    let there = Folder::open(folder).ok().map(|folder| folder.manifest);
    let is_endless = there
        .is_some_and(|there| there.endless && there.rules == layers::fingerprint(&subject.rules));
    match subject.layering {
        Layering::AllSteps if is_endless => Layering::Endless,
        layering => layering,
    }
}
