//! Look-up of positions in a table on disk. Another engine searches positions that are not in it. This engine values
//! positions and does nothing else: strategies and proofs need the other engine itself.

use super::{Engine, Evaluation, Position, Query, locate, solved};
use crate::answer::MoveValue;
use crate::error::Error;
use crate::mixed::MixedPlay;
use crate::search::{TableEntry, TableReader};
use formula::BigRational;
use gdl::Term;
use gdl::game::ValueRange;
use limits::Publisher;
use step::{Position as StatePosition, StateMachine};

/// A table, and the engine that answers what it does not have: other roles, other numbers of steps, ends of play.
pub struct TableEngine {
    reader: TableReader,
    machine: StateMachine,
    otherwise: Box<dyn Engine>,
}

impl TableEngine {
    /// Looks up in a table; the other engine is one for the same game and objective.
    pub fn new(reader: TableReader, otherwise: Box<dyn Engine>) -> Self {
        TableEngine {
            machine: reader.machine(),
            reader,
            otherwise,
        }
    }

    fn look_up(&mut self, query: &Query) -> Result<Option<Evaluation>, Error> {
        let Some((position, entry)) = self.entry(query)? else {
            return Ok(None);
        };
        let moves = if query.moves {
            self.reader
                .moves(&mut self.machine, &position, entry.layer)?
        } else {
            Some(Vec::new())
        };
        let best = match &moves {
            Some(moves) if self.reader.is_endless() && are_several_best(moves) => {
                self.choice(query)?
            }
            _ => None,
        };
        Ok(moves.map(|moves| Evaluation {
            moves: moves.into_iter().map(MoveValue::exact).collect(),
            best,
            cut_off: self.reader.table().cuts_off(),
            horizon: (query.depth.is_none() && !self.reader.is_endless())
                .then_some(entry.layer as u32),
            ..Evaluation::of(solved(entry.value))
        }))
    }

    /// The position of a query and its entry in the table, if it has one.
    fn entry(&mut self, query: &Query) -> Result<Option<(StatePosition, TableEntry)>, Error> {
        if query.role != self.reader.role() {
            return Ok(None);
        }
        let position = locate(&mut self.machine, &query.position)?;
        if self.machine.terminal(&position)? {
            return Ok(None);
        }
        let played = match &query.position {
            Position::History(steps) => Some(steps.len()),
            Position::State(_) | Position::Information(_) => None,
        };
        let facts = self.machine.facts(&position);
        let state = self.reader.state(Some(&facts))?;
        let entry = self.reader.answer(&state, query.depth, played)?;
        Ok(entry.map(|entry| (position, entry)))
    }

    /// The move that the other engine chooses. A table has values alone: of two moves of one value in an endless game, one may
    /// keep play going for ever.
    fn choice(&mut self, query: &Query) -> Result<Option<Term>, Error> {
        match self.otherwise.evaluate(query) {
            Ok(found) => Ok(found.best),
            Err(error) if error.stopped_by().is_some() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether two moves have the largest value.
fn are_several_best(moves: &[(Term, BigRational)]) -> bool {
    let most = moves.iter().map(|(_, value)| value).max();
    moves
        .iter()
        .filter(|(_, value)| Some(value) == most)
        .count()
        > 1
}

impl Engine for TableEngine {
    fn name(&self) -> &'static str {
        "table"
    }

    fn evaluate_publishing(
        &mut self,
        query: &Query,
        publisher: &Publisher,
    ) -> Result<Evaluation, Error> {
        match self.look_up(query)? {
            Some(found) => Ok(found),
            None => self.otherwise.evaluate_publishing(query, publisher),
        }
    }

    fn mixtures(&mut self, query: &Query) -> Result<Option<MixedPlay>, Error> {
        if let Some((position, entry)) = self.entry(query)? {
            let (reader, layer) = (&mut self.reader, entry.layer);
            let play = reader.mixture(&mut self.machine, &position, layer)?;
            if play.is_some() {
                return Ok(play);
            }
        }
        self.otherwise.mixtures(query)
    }

    fn counts_all_steps(&self) -> bool {
        false
    }

    fn range(&self, role: usize) -> ValueRange {
        self.otherwise.range(role)
    }

    fn clear(&mut self) {
        self.otherwise.clear();
    }

    fn entries(&self) -> u64 {
        self.otherwise.entries() + self.reader.table().states()
    }

    fn memory(&self) -> Option<u64> {
        self.otherwise.memory()
    }
}
