//! The engine `table`: values by a table of all positions that is built on disk, for games that memory does not hold.
//!
//! The table stands in a temporary folder, which is removed in the end. `sqasp table build` makes one that stays.

use super::{
    Ability, EmmEngine, Engine, EngineInput, Entry, Evaluation, Play, Query, Setting, emm, locate,
    solved, value_ranges,
};
use crate::answer::MoveValue;
use crate::error::{Error, ErrorKind};
use crate::search::{Search, SearchOptions, TableFailure, TableReader, TableSubject};
use gdl::game::{Game, Objective, ValueRange};
use layers::TableProgress;
use limits::Publisher;
use std::path::Path;

pub(super) const ENTRY: Entry = Entry {
    name: "table",
    about: "A table of all positions, built on disk in a temporary folder: exact, for games that memory does not hold. For games",
    abilities: &[Ability::Play(Play::Open)],
    techniques: Vec::new,
    input: EngineInput::Game(make),
};

fn make(setting: &Setting<'_>) -> Result<Box<dyn Engine>, Error> {
    let game = setting.game;
    let objective = setting.question.payoff("a table")?;
    Ok(Box::new(OnDisk {
        game: game.clone(),
        objective,
        ranges: value_ranges(game, objective),
        options: setting.options.search(),
        searching: emm::for_setting(setting, objective)?,
    }))
}

/// Values by tables on disk.
struct OnDisk {
    game: Game,
    objective: Objective,
    ranges: Vec<ValueRange>,
    options: SearchOptions,
    /// Knows how long plays are, and the value of their ends.
    searching: EmmEngine,
}

impl Engine for OnDisk {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn evaluate_publishing(
        &mut self,
        query: &Query,
        publisher: &Publisher,
    ) -> Result<Evaluation, Error> {
        let machine = self.searching.machine();
        let start = locate(machine, &query.position)?;
        if query.depth == Some(0) || machine.terminal(&start)? {
            return self.searching.evaluate_publishing(query, publisher);
        }
        let facts = machine.facts(&start);
        let game = self.game.starting_from(&facts);
        let folder = tempfile::Builder::new().prefix("sqasp-table-").tempdir();
        let folder = folder.map_err(|error| {
            let folder = std::env::temp_dir();
            let folder = folder.display();
            Error::new(ErrorKind::Table, format!(
                "{folder}: cannot create a folder: {error}; the variable TMPDIR names another place"
            ))
        })?;
        self.value(&game, query, folder.path())
    }

    fn range(&self, role: usize) -> ValueRange {
        self.ranges[role].clone()
    }

    fn sizes(&self) -> Vec<(&'static str, u64)> {
        self.searching.sizes()
    }
}

impl OnDisk {
    /// Builds a table in a folder, and looks the initial state up in it.
    fn value(&self, game: &Game, query: &Query, folder: &Path) -> Result<Evaluation, Error> {
        let subject = TableSubject::of(game, self.objective, query.depth);
        let role = &game.roles()[query.role];
        let mut search = Search::new(game, role, self.objective, &self.options)?;
        let threads = self.options.engine.search.threads;
        let observer = &query.observer;
        let mut tell = |progress: TableProgress| {
            if progress.done == progress.states {
                observer.stage(&progress.to_string());
            }
        };
        let table = search.build_table(&subject, folder, &query.limits, threads, &mut tell)?;
        let (states, cut_off) = (table.states(), table.cuts_off());
        let bytes = table.folder().bytes().map_err(TableFailure::from)?;
        let depth = table.manifest().depth;
        let has_end = query.depth.is_none() && !table.manifest().endless;
        let horizon = has_end.then(|| table.layers().len() as u32);
        drop(search);
        let (options, limits) = (&self.options, &query.limits);
        let mut reader = TableReader::open(game, self.objective, false, folder, options, limits)?;
        let value = reader.initial_value()?;
        let mut moves = Vec::new();
        if query.moves {
            let mut machine = reader.machine();
            let start = machine.initial()?;
            let found = reader.moves(&mut machine, &start, depth)?;
            moves = found.ok_or_else(|| {
                Error::new(
                    ErrorKind::TooLarge,
                    "too many positions may follow one move".to_owned(),
                )
            })?;
        }
        let moves = moves.into_iter().map(MoveValue::exact);
        Ok(Evaluation {
            moves: moves.collect(),
            cut_off,
            horizon,
            states,
            statistics: vec![("states", states), ("bytes", bytes)],
            ..Evaluation::of(solved(value))
        })
    }
}
