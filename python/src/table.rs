//! Tables on disk, looked up in from Python.

use crate::numbers::Steps;
use crate::{failed, limits, raised, terms};
use engines::table::Probe;
use limits::lock;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// The moves of the role, and the joint moves of its opponents, with their probabilities.
type Mixtures = (Vec<(String, String)>, Vec<(Vec<String>, String)>);

/// A finished table.
#[pyclass(frozen)]
pub struct Table(Mutex<Probe>);

impl Table {
    fn probe(&self) -> MutexGuard<'_, Probe> {
        lock(&self.0)
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let limits = limits(None, None);
        let probe = py.detach(|| Probe::open(&folder, &limits));
        Ok(Table(Mutex::new(probe.map_err(raised)?)))
    }

    /// The subject of the table: game, role, objective, steps, number of states.
    fn about(&self) -> (String, String, String, usize, u64) {
        let probe = self.probe();
        let (table, manifest) = (probe.table(), probe.table().manifest());
        let (game, role) = (manifest.game.clone(), manifest.role.clone());
        let objective = manifest.objective.clone();
        (game, role, objective, manifest.depth, table.states())
    }

    /// The rules, one a line.
    fn rules(&self) -> String {
        self.probe().table().manifest().text_of_rules.clone()
    }

    /// For each number of steps left with which play leads to a state: the value, as a fraction in text.
    fn values(&self, facts: Option<Vec<String>>) -> PyResult<Vec<(usize, String)>> {
        let facts = facts.as_deref().map(terms).transpose()?;
        let entries = self.probe().entries(facts.as_deref()).map_err(raised)?;
        let entries = entries.into_iter();
        Ok(entries
            .map(|entry| (entry.layer, entry.value.to_string()))
            .collect())
    }

    /// The best mixtures of both sides in a state with this many steps left, in a table of moves at the same time.
    fn mixtures(&self, facts: Option<Vec<String>>, steps: Steps) -> PyResult<Option<Mixtures>> {
        let facts = facts.as_deref().map(terms).transpose()?;
        let found = self.probe().mixture(facts.as_deref(), steps.0 as usize);
        Ok(found.map_err(raised)?.map(|play| {
            let own = play.moves.into_iter();
            let own = own.map(|each| (each.action.to_string(), each.share.to_string()));
            let own = own.filter(|(_, share)| share != "0");
            let others = play.replies.into_iter().map(|(moves, share)| {
                let moves = moves.iter().map(ToString::to_string);
                (moves.collect(), share.to_string())
            });
            (own.collect(), others.collect())
        }))
    }

    /// The worth of each legal move in a state with this many steps left.
    fn moves(&self, facts: Option<Vec<String>>, steps: Steps) -> PyResult<Vec<(String, String)>> {
        let facts = facts.as_deref().map(terms).transpose()?;
        let found = self
            .probe()
            .moves(facts.as_deref(), steps.0 as usize)
            .map_err(raised)?;
        let moves = found.ok_or_else(|| failed("too many positions may follow one move"))?;
        let moves = moves.into_iter();
        Ok(moves
            .map(|(action, value)| (action.to_string(), value.to_string()))
            .collect())
    }
}
