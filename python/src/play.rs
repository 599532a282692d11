//! States for Python. Each move and fact is made into a Python string once.

use crate::{asked, raised, texts};
use gdl::{Term, parse_terms};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use sqasp::State;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A state of a game, to be used with its rules.
#[pyclass(frozen)]
pub(crate) struct GameState(pub(crate) State);

#[pymethods]
impl GameState {
    fn __eq__(&self, other: &GameState) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }
}

/// Whether play is over, the legal moves of each role (none where it is over), and the points of each role.
pub(crate) type Observation<'py> = (bool, Vec<Bound<'py, PyList>>, Vec<Option<String>>);

/// The texts of terms, and the terms of texts.
#[derive(Default)]
pub(crate) struct Texts {
    texts: HashMap<Term, Py<PyString>>,
    terms: HashMap<String, Term>,
}

impl Texts {
    pub(crate) fn list<'py>(
        &mut self,
        py: Python<'py>,
        terms: &[Term],
    ) -> PyResult<Bound<'py, PyList>> {
        let mut all = Vec::with_capacity(terms.len());
        for term in terms {
            if let Some(text) = self.texts.get(term) {
                all.push(text.clone_ref(py));
                continue;
            }
            let text = PyString::new(py, &term.to_string()).unbind();
            self.texts.insert(term.clone(), text.clone_ref(py));
            all.push(text);
        }
        PyList::new(py, all)
    }

    pub(crate) fn term(&mut self, text: &str) -> PyResult<Term> {
        if let Some(term) = self.terms.get(text) {
            return Ok(term.clone());
        }
        let [term] = &parse_terms(text).map_err(asked)?[..] else {
            return Err(asked(format!("`{text}` is not one move")));
        };
        self.terms.insert(text.to_owned(), term.clone());
        Ok(term.clone())
    }

    pub(crate) fn look<'py>(
        &mut self,
        py: Python<'py>,
        state: &State,
    ) -> PyResult<Observation<'py>> {
        let over = state.is_terminal().map_err(raised)?;
        let (mut legal, mut goals) = (Vec::new(), Vec::new());
        for role in state.roles() {
            let moves = state.legal(role.as_str()).map_err(raised)?;
            legal.push(self.list(py, moves)?);
            let goal = state.goal(role.as_str()).map_err(raised)?;
            goals.push(goal.map(|points| points.to_string()));
        }
        Ok((over, legal, goals))
    }

    /// The state after a joint move, and the move as it is written.
    pub(crate) fn next<'py>(
        &mut self,
        py: Python<'py>,
        state: &State,
        joint_move: &[Term],
    ) -> PyResult<(GameState, Bound<'py, PyList>)> {
        let next = state.play(joint_move).map_err(raised)?;
        Ok((GameState(next), self.list(py, joint_move)?))
    }

    /// For each role the things that it sees when a joint move is made.
    pub(crate) fn percepts(
        &mut self,
        state: &State,
        joint_move: &[String],
    ) -> PyResult<Vec<Vec<String>>> {
        let moves = joint_move.iter().map(|text| self.term(text));
        let moves = moves.collect::<PyResult<Vec<Term>>>()?;
        let seen = state.percepts(&moves).map_err(raised)?;
        Ok(seen.iter().map(|percepts| texts(percepts)).collect())
    }
}
