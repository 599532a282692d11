//! Tables of all positions on disk: built from a search, and looked up in by positions as the game names them.

use super::{Search, SearchError};
use emm::{Layering, Measure, QuestionError};
use gdl::game::{Game, Objective};
use layers::{
    Communicator, DiskTable, DiskTableError, Folder, Manifest, MeasureInfo, TableProgress,
};
use limits::Limits;
use std::collections::HashMap;
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
}

/// The kind of layers of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LayerKind {
    /// A measure that falls in every step, if one is guessed and tells fewer states apart than steps do; else numbers of steps left. If
    /// the folder has a table of the game, the kind of its layers.
    #[default]
    Best,
    /// Numbers of steps left.
    Steps,
    /// A measure that falls in every step; all steps count.
    Measure,
    /// One layer, which is in memory; all steps count.
    One,
    /// The kind of the table in the folder.
    OfTable,
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
    /// The number of steps; all count without it.
    pub depth: Option<u32>,
    /// The kind of layers.
    pub layers: LayerKind,
    /// Whether nobody knows the moves of others of the same step.
    pub mixed: bool,
}

impl TableSubject {
    /// The subject for a game, an objective, the number of steps that count, and a kind of layers, where opponents know the role's move.
    pub fn of(game: &Game, objective: Objective, depth: Option<u32>, layers: LayerKind) -> Self {
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
            depth,
            layers,
            mixed: false,
        }
    }

    /// The subject where nobody knows the moves of others of the same step, or where opponents know the role's.
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
        let measure = manifest.measure.as_ref();
        let is_guess = measure.is_some_and(|it| !it.proved);
        if let (Err(DiskTableError::Rise { states, .. }), true) = (&built, is_guess)
            && self.engine.learn_steps(states, limits)
        {
            // From the start, with a measure that is right for these steps too.
            Folder::create(folder, &manifest)?.clear()?;
            return self.build_table(subject, folder, limits, threads, tell);
        }
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
        let layering = self.layering(subject, folder);
        let depth = match (self.engine).prepare_layers(&start, layering, &limits) {
            Ok(depth) => depth,
            Err(QuestionError::Stopped(reason)) => {
                return Err(DiskTableError::Stopped(reason).into());
            }
            Err(error) => return Err(self.named(error, &start).into()),
        };
        let state = self.engine.layered_state(&start);
        let Some(state) = state.filter(|_| depth > 0) else {
            return Err(TableFailure::Empty);
        };
        let may_stay = |measure: &Measure| measure.stays;
        if subject.mixed && self.engine.layer_measure().is_some_and(may_stay) {
            return Err(TableFailure::Endless);
        }
        let facts = &self.ground.facts;
        let form = format!("{facts:?} {}", self.engine.key_form());
        let measure = self.engine.layer_measure().map(|it| self.told_measure(it));
        let manifest = Manifest {
            format: layers::FORMAT.to_owned(),
            version: layers::VERSION,
            rules: layers::fingerprint(&subject.rules),
            text_of_rules: subject.rules.clone(),
            as_written: subject.as_written.clone(),
            game: subject.game.clone(),
            role: self.machine.roles()[self.role].to_string(),
            objective: subject.objective.clone(),
            largest: self.largest.to_string(),
            depth,
            keys: layers::fingerprint(&form),
            shards: 1,
            mixed: subject.mixed,
            measure,
        };
        Ok((manifest, state))
    }

    /// The layers for a table. If the folder has a table of the game, its measure is taken, for it may have been found
    /// with more time.
    fn layering(&self, subject: &TableSubject, folder: &Path) -> Layering {
        let there = Folder::open(folder).ok().map(|folder| folder.manifest);
        let there = there.filter(|there| there.rules == layers::fingerprint(&subject.rules));
        let measure = there.as_ref().and_then(|there| self.measure_of(there));
        match (subject.layers, subject.depth, &there) {
            (LayerKind::OfTable, _, Some(there)) => {
                let steps = Layering::Steps(u32::try_from(there.depth).ok());
                measure.map_or(steps, Layering::Measure)
            }
            (LayerKind::One, ..) => Layering::Measure(Measure::of_nothing()),
            (LayerKind::Measure, ..) => measure.map_or(Layering::AnyMeasure, Layering::Measure),
            (LayerKind::Best | LayerKind::OfTable, None, None) => Layering::Best { proved: false },
            (LayerKind::Best, None, Some(_)) => {
                measure.map_or(Layering::Steps(None), Layering::Measure)
            }
            (_, depth, _) => Layering::Steps(depth),
        }
    }

    /// The measure that the layers of a table are.
    fn measure_of(&self, there: &Manifest) -> Option<Measure> {
        let told = there.measure.as_ref()?;
        let facts = self.ground.facts.iter().map(ToString::to_string);
        let indices: HashMap<String, usize> = facts.zip(0..).collect();
        let weights = told.weights.iter();
        let weights = weights.map(|(fact, weight)| Some((*indices.get(fact)?, *weight)));
        Some(Measure {
            constant: told.constant,
            weights: weights.collect::<Option<_>>()?,
            denominator: told.denominator.max(1),
            stays: told.stays,
            is_proved: told.proved,
        })
    }

    fn told_measure(&self, measure: &Measure) -> MeasureInfo {
        let name = |fact: usize| self.ground.facts[fact].to_string();
        let weights = measure.weights.iter();
        MeasureInfo {
            constant: measure.constant,
            denominator: measure.denominator,
            stays: measure.stays,
            proved: measure.is_proved,
            weights: weights
                .map(|(&fact, &weight)| (name(fact), weight))
                .collect(),
        }
    }
}
