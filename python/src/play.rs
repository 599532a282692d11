//! Positions for Python, and the machine that plays them. Each move and fact is made into a Python string once.

use crate::{failed, texts};
use gdl::game::Game;
use gdl::{Term, parse_terms};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rules::Reasoner;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use step::{Position, StateMachine};

/// A state of a game, to be used with its rules.
#[pyclass(frozen)]
pub(crate) struct GameState {
    position: Position,
}

#[pymethods]
impl GameState {
    fn __eq__(&self, other: &GameState) -> bool {
        self.position == other.position
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.position.hash(&mut hasher);
        hasher.finish()
    }
}

/// Whether play is over, the legal moves of each role (none where it is over), and the goals of each role.
pub(crate) type Observation<'py> = (bool, Vec<Bound<'py, PyList>>, Vec<Vec<String>>);

/// A machine, and the texts of terms.
pub(crate) struct Play {
    pub(crate) machine: StateMachine,
    /// The rules, once somebody asks what roles see.
    reasoner: Option<Reasoner>,
    texts: HashMap<Term, Py<PyString>>,
    terms: HashMap<String, Term>,
}

impl Play {
    pub(crate) fn new(machine: StateMachine) -> Self {
        Play {
            machine,
            reasoner: None,
            texts: HashMap::new(),
            terms: HashMap::new(),
        }
    }

    fn list<'py>(&mut self, py: Python<'py>, terms: &[Term]) -> PyResult<Bound<'py, PyList>> {
        let texts = &mut self.texts;
        let mut all = Vec::with_capacity(terms.len());
        for term in terms {
            if let Some(text) = texts.get(term) {
                all.push(text.clone_ref(py));
                continue;
            }
            let text = PyString::new(py, &term.to_string()).unbind();
            texts.insert(term.clone(), text.clone_ref(py));
            all.push(text);
        }
        PyList::new(py, all)
    }

    pub(crate) fn initial(&mut self) -> PyResult<GameState> {
        let position = self.machine.initial().map_err(failed)?;
        Ok(GameState { position })
    }

    pub(crate) fn state(&mut self, facts: &[Term]) -> PyResult<GameState> {
        let position = self.machine.position(facts).map_err(failed)?;
        Ok(GameState { position })
    }

    pub(crate) fn facts<'py>(
        &mut self,
        py: Python<'py>,
        state: &GameState,
    ) -> PyResult<Bound<'py, PyList>> {
        let facts = self.machine.facts(&state.position);
        self.list(py, &facts)
    }

    pub(crate) fn look<'py>(
        &mut self,
        py: Python<'py>,
        state: &GameState,
    ) -> PyResult<Observation<'py>> {
        let over = self.machine.terminal(&state.position).map_err(failed)?;
        let mut legal = Vec::new();
        let mut goals = Vec::new();
        for role in 0..self.machine.roles().len() {
            let moves = match over {
                true => Vec::new(),
                false => self.machine.legal(&state.position, role).map_err(failed)?,
            };
            legal.push(self.list(py, &moves)?);
            let values = self.machine.goals(&state.position, role).map_err(failed)?;
            goals.push(values.iter().map(ToString::to_string).collect());
        }
        Ok((over, legal, goals))
    }

    /// The state after a joint move, which is legal.
    pub(crate) fn next(&mut self, state: &GameState, joint_move: &[String]) -> PyResult<GameState> {
        let moves = self.moves(joint_move)?;
        let position = self.machine.next(&state.position, &moves).map_err(failed)?;
        Ok(GameState { position })
    }

    fn moves(&mut self, joint_move: &[String]) -> PyResult<Vec<Term>> {
        let mut moves = Vec::with_capacity(joint_move.len());
        for text in joint_move {
            if let Some(term) = self.terms.get(text) {
                moves.push(term.clone());
                continue;
            }
            let parsed = parse_terms(text).map_err(failed)?;
            if let [term] = &parsed[..] {
                self.terms.insert(text.clone(), term.clone());
            }
            moves.extend(parsed);
        }
        Ok(moves)
    }

    /// For each role the things that it sees when a joint move is made.
    pub(crate) fn percepts(
        &mut self,
        game: &Game,
        state: &GameState,
        joint_move: &[String],
    ) -> PyResult<Vec<Vec<String>>> {
        let moves = self.moves(joint_move)?;
        let facts = self.machine.facts(&state.position);
        let reasoner = match &mut self.reasoner {
            Some(reasoner) => reasoner,
            none => none.insert(Reasoner::new(game).map_err(failed)?),
        };
        let state = reasoner.state(&facts).map_err(failed)?;
        let seen = reasoner.percepts(&state, &moves).map_err(failed)?;
        Ok(seen.iter().map(|percepts| texts(percepts)).collect())
    }
}
