//! Tables of all positions of a game in a folder: built layer by layer on disk, looked up in, and checked.
//!
//! The format and the method are in `docs/table-format.md`, the work is done by the crate [`layers`].

pub use crate::search::{TableEntry, TableFailure, TableReader};
pub use layers::{
    CheckedFiles, Communicator, DiskTable, DiskTableError, Folder, LayerInfo, Manifest,
    TableProgress,
};

use crate::mixed::MixedPlay;
use crate::question::Question;
use crate::search::{Search, SearchError, SearchOptions, TableSubject};
use gdl::game::{Game, Objective};
use gdl::{Name, Term};
use limits::Limits;
use num_rational::BigRational;
use rules::{Reasoner, RuleLimits};
use std::path::Path;
use step::{Position, StateMachine, StepLimits};

/// Builds a table of all positions that play leads to, or goes on with the one in a folder, by some threads. Play starts where the
/// question says.
///
/// # Errors
/// If the game is not valid, or has no last step and memory does not hold it; if the folder holds something else, or a limit is reached.
pub fn build(
    game: &Game,
    question: &Question,
    folder: &Path,
    limits: &Limits,
    threads: usize,
    tell: &mut dyn FnMut(TableProgress),
) -> Result<DiskTable, TableFailure> {
    let (mut search, subject) = search(game, question, limits)?;
    search.build_table(&subject, folder, &limits.for_engine(), threads, tell)
}

/// Finishes the table that [`build`] began in a folder, together with other processes that see it. The question is read from the
/// folder. `connect` finds the processes.
///
/// # Errors
/// If no table was begun there, or by a version that makes other keys; those of [`build`]; and if a process is lost.
pub fn finish_among<P: Communicator>(
    folder: &Path,
    connect: impl FnOnce(&Manifest) -> Result<P, DiskTableError>,
    limits: &Limits,
    threads: usize,
    tell: &mut dyn FnMut(TableProgress),
) -> Result<(DiskTable, P), TableFailure> {
    let begun = Folder::open(folder)?;
    let (game, _, objective) = read_subject(folder, &begun.manifest)?;
    let subject = TableSubject::of(&game, objective, None).as_in(&begun.manifest);
    let role = Name::new(&begun.manifest.role);
    let mut search = Search::new(&game, &role, objective, &options(limits))?;
    search.finish_table_among(
        &subject,
        folder,
        connect,
        &limits.for_engine(),
        threads,
        tell,
    )
}

/// The search and the subject for a question about a game. The rules have the start among them, so that a folder needs nothing else.
fn search(
    game: &Game,
    question: &Question,
    limits: &Limits,
) -> Result<(Search, TableSubject), TableFailure> {
    let game = &question.game_of_sides(game).map_err(SearchError::from)?;
    let started = question.start.as_ref();
    let started = started.map(|facts| game.starting_from(facts));
    let game = started.as_ref().unwrap_or(game);
    let aim = question.objective;
    let objective = aim.payoff().ok_or(TableFailure::Steps(aim))?;
    let subject = TableSubject::of(game, objective, question.depth);
    let subject = subject.mixed(question.mixed);
    let search = Search::new(game, &question.role, objective, &options(limits))?;
    Ok((search, subject))
}

/// The game, the game as it was written, and the objective, as a folder says.
fn read_subject(
    folder: &Path,
    manifest: &Manifest,
) -> Result<(Game, Game, Objective), TableFailure> {
    let damaged = |why: String| DiskTableError::Damaged {
        path: folder.join("table.json"),
        why,
    };
    let read = |text: &str| {
        let read = crate::read(&manifest.game, text.as_bytes());
        read.map_err(|_| damaged("its rules are not those of a game".to_owned()))
    };
    let game = read(&manifest.text_of_rules)?;
    let written = manifest.as_written.as_deref().map(read).transpose()?;
    let objective = manifest.objective.parse().map_err(damaged)?;
    Ok((game.clone(), written.unwrap_or(game), objective))
}

/// Opens a finished table; it says what it is about.
///
/// # Errors
/// If there is none.
pub fn open(folder: &Path) -> Result<DiskTable, TableFailure> {
    Ok(DiskTable::open(folder)?)
}

/// Whether there is a table of this game and objective in a folder, in which opponents know the role's move.
///
/// # Errors
/// If not: how it differs.
pub fn check_subject(folder: &Path, game: &Game, objective: Objective) -> Result<(), TableFailure> {
    let subject = TableSubject::of(game, objective, None);
    let table = DiskTable::open(folder)?;
    Ok(table.check_subject(&subject.game, &subject.rules, &subject.objective, false)?)
}

/// Reads all files of a table: checksums, the order of keys, the range of values.
///
/// # Errors
/// If one of these is wrong, or a file cannot be read.
pub fn check_files(table: &DiskTable) -> Result<CheckedFiles, TableFailure> {
    Ok(layers::check(table)?)
}

/// A table with its game, which positions are looked up in.
pub struct Probe {
    game: Game,
    written: Game,
    objective: Objective,
    reader: TableReader,
    machine: StateMachine,
}

impl Probe {
    /// Opens a folder. The rules are in it.
    ///
    /// # Errors
    /// If there is no finished table, or this version makes other keys.
    pub fn open(folder: &Path, limits: &Limits) -> Result<Self, TableFailure> {
        let manifest = DiskTable::open(folder)?.manifest().clone();
        let (game, written, objective) = read_subject(folder, &manifest)?;
        let reader = TableReader::open(
            &game,
            objective,
            manifest.mixed,
            folder,
            &options(limits),
            &limits.for_engine(),
        )?;
        Ok(Probe {
            machine: reader.machine(),
            game,
            written,
            objective,
            reader,
        })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The game as it was written, in which no roles are joined: it has the same states, and people name its moves.
    pub fn written(&self) -> &Game {
        &self.written
    }

    /// The meaning of success.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// The table.
    pub fn table(&self) -> &DiskTable {
        self.reader.table()
    }

    /// The value of the initial state.
    ///
    /// # Errors
    /// If it is not there, or a file cannot be read.
    pub fn initial_value(&mut self) -> Result<BigRational, TableFailure> {
        self.reader.initial_value()
    }

    /// The entries for the state with these facts, or for the initial state: one for each layer that has the state. There is none for states
    /// in which play is over.
    ///
    /// # Errors
    /// If a fact cannot come true, or a file cannot be read.
    pub fn entries(&mut self, facts: Option<&[Term]>) -> Result<Vec<TableEntry>, TableFailure> {
        let state = self.reader.state(facts)?;
        self.reader.entries(&state)
    }

    /// The value of each legal move of the role in such a state in this layer; nothing if there are too many successors.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn moves(
        &mut self,
        facts: Option<&[Term]>,
        layer: usize,
    ) -> Result<Option<Vec<(Term, BigRational)>>, TableFailure> {
        let position = self.position(facts)?;
        self.reader.moves(&mut self.machine, &position, layer)
    }

    /// The best mixtures of both sides in such a state, in a table of moves at the same time; nothing in another one, or if there are too
    /// many successors.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn mixture(
        &mut self,
        facts: Option<&[Term]>,
        layer: usize,
    ) -> Result<Option<MixedPlay>, TableFailure> {
        let position = self.position(facts)?;
        (self.reader).mixture(&mut self.machine, &position, layer)
    }

    fn position(&mut self, facts: Option<&[Term]>) -> Result<Position, TableFailure> {
        let position = match facts {
            Some(facts) => self.machine.position(facts),
            None => self.machine.initial(),
        };
        Ok(position.map_err(SearchError::Rules)?)
    }

    /// Follows plays at random by the rules as written, and compares the value of each position with that of its best move; tells the
    /// number of positions.
    ///
    /// # Errors
    /// The first position that is wrong, or a limit that is reached.
    pub fn sample(
        &mut self,
        plays: usize,
        seed: u64,
        limits: &Limits,
    ) -> Result<u64, TableFailure> {
        let reasoner = Reasoner::with_limits(&self.game, RuleLimits::within(limits));
        let reasoner = reasoner.map_err(SearchError::Rules)?;
        let mut machine = StateMachine::by_rules(reasoner);
        let mut random = fastrand::Rng::with_seed(seed);
        (self.reader).sample(&mut machine, plays, &mut random, &limits.for_engine())
    }

    /// Checks that each value follows from those behind it; tells the number of states. Working files are in a temporary folder.
    ///
    /// # Errors
    /// The first thing that is wrong, or a limit that is reached.
    pub fn check_all(
        &mut self,
        limits: &Limits,
        threads: usize,
        tell: &mut dyn FnMut(TableProgress),
    ) -> Result<u64, TableFailure> {
        let scratch = tempfile::tempdir().map_err(|error| DiskTableError::File {
            path: std::env::temp_dir(),
            what: "create a folder",
            error,
        })?;
        (self.reader).check_all(scratch.path(), &limits.for_engine(), threads, tell)
    }
}

fn options(limits: &Limits) -> SearchOptions {
    SearchOptions {
        step: StepLimits::default().within(limits),
        ..SearchOptions::default()
    }
}
