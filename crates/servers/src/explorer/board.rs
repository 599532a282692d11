//! A position without a search: its facts, the legal moves, which facts make a board, and the values that facts can have.

use super::Shapes;
use engines::Error;
use engines::{Position, locate, position_after};
use gdl::game::Game;
use gdl::{Term, texts};
use limits::{Interrupt, Limits, StopReason, lock, memory, unpoisoned};
use prove::{Board, Prover, Settings};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;
use step::StateMachine;

/// The longest time to prove that something is a board.
const TIME: Duration = Duration::from_secs(4);

/// How long a request for boards waits for them.
const PATIENCE: Duration = Duration::from_secs(8);

/// A position, as it is drawn.
#[derive(Serialize)]
pub(super) struct PositionView {
    facts: Vec<String>,
    terminal: bool,
    /// For each role its legal moves; none when play is over.
    legal: Vec<Vec<String>>,
    /// For each role its goal values.
    goals: Vec<Vec<String>>,
}

impl PositionView {
    /// The position after a history, which begins at `start`, or at the start of the game.
    pub(super) fn at(
        machine: &mut StateMachine,
        start: Option<&Position>,
        history: &Position,
    ) -> Result<Self, Error> {
        let position = match (start, history) {
            (Some(start), Position::History(steps)) => {
                let start = locate(machine, start)?;
                position_after(machine, start, steps)?
            }
            (_, position) => locate(machine, position)?,
        };
        let terminal = machine.terminal(&position)?;
        let roles = 0..machine.roles().len();
        let mut legal = vec![Vec::new(); machine.roles().len()];
        if !terminal {
            for role in roles.clone() {
                legal[role] = texts(&machine.legal(&position, role)?);
            }
        }
        let goals = roles.map(|role| Ok(texts(&machine.goals(&position, role)?)));
        let goals = goals.collect::<Result<_, Error>>()?;
        Ok(PositionView {
            facts: texts(&machine.facts(&position)),
            terminal,
            legal,
            goals,
        })
    }
}

/// Facts that make a board: two of their arguments are the coordinates of a cell, the others its content.
#[derive(Clone, Serialize)]
pub(super) struct BoardShape {
    feature: String,
    arity: usize,
    /// The arguments that are the coordinates, from 0.
    places: [usize; 2],
    /// The values of both, in order.
    lines: [Vec<String>; 2],
    /// Whether it is proved that a cell has one fact at most.
    proved: bool,
}

/// The boards of a game in their shapes, proved ones first: this can take seconds.
pub(super) fn shapes(game: &Game, limits: &Limits) -> Shapes {
    let settings = Settings::brief(limits.within(TIME));
    let proved = Prover::new(game, settings).and_then(|mut prover| prover.likely_boards());
    let shape = |(board, proved): &(Board, bool)| BoardShape {
        feature: board.feature().to_string(),
        arity: board.arity(),
        places: board.indices(),
        lines: board.lines().each_ref().map(|terms| texts(terms)),
        proved: *proved,
    };
    proved.unwrap_or_default().iter().map(shape).collect()
}

/// The most facts of a game whose features are told.
const MAX_FACTS: u128 = 1 << 16;

/// A feature of the facts of a game: a function, and the values of each argument.
#[derive(Serialize)]
pub(super) struct Feature {
    name: String,
    values: Vec<BTreeSet<String>>,
}

/// The features of a game, from the domains of its rules; none where these are too large.
pub(super) fn features(game: &Game) -> Vec<Feature> {
    let mut found: BTreeMap<(String, usize), Vec<BTreeSet<String>>> = BTreeMap::new();
    let facts = game.domains().facts();
    for fact in facts
        .iter()
        .filter(|all| all.count() <= MAX_FACTS)
        .flat_map(|all| all.terms())
    {
        let Term::Function(name, arguments) = fact else {
            continue;
        };
        let columns = found.entry((name.to_string(), arguments.len()));
        let columns = columns.or_insert_with(|| vec![BTreeSet::new(); arguments.len()]);
        for (column, argument) in columns.iter_mut().zip(arguments) {
            column.insert(argument.to_string());
        }
    }
    let features = found.into_iter();
    features
        .map(|((name, _), values)| Feature { name, values })
        .collect()
}

/// The boards of a game, as soon as they are proved.
pub(super) struct Boards {
    found: Arc<(Mutex<Option<Shapes>>, Condvar)>,
    ends: ProofEnd,
}

/// The end of the proofs where memory is short: they count none.
#[derive(Clone)]
pub(super) struct ProofEnd {
    interrupt: Interrupt,
    most: Option<u64>,
}

impl ProofEnd {
    /// Ends the proofs if too much memory is in use. Without them facts are listed.
    pub(super) fn check(&self) {
        if !self.interrupt.is_raised() && memory::exceeds(self.most, 0) {
            self.interrupt.raise_for(StopReason::Memory);
        }
    }
}

impl Boards {
    /// Looks for them in a thread; `memory` is that for tables.
    pub(super) fn find(game: &Game, memory: Option<u64>) -> io::Result<Self> {
        let limits = Limits::default();
        let ends = ProofEnd {
            interrupt: limits.interrupt.clone(),
            most: memory.map(|tables| tables / 3 * 4),
        };
        let found = Arc::new((Mutex::new(None), Condvar::new()));
        let (to, game) = (Arc::clone(&found), game.clone());
        thread::Builder::new().spawn(move || {
            let shapes = shapes(&game, &limits);
            *lock(&to.0) = Some(shapes);
            to.1.notify_all();
        })?;
        Ok(Boards { found, ends })
    }

    /// The limits of the proofs.
    pub(super) fn ends(&self) -> ProofEnd {
        self.ends.clone()
    }

    /// Waits for them; none where that takes long.
    pub(super) fn shapes(&self) -> Shapes {
        let (found, changed) = &*self.found;
        let found = lock(found);
        let waited = changed.wait_timeout_while(found, PATIENCE, |found| found.is_none());
        let (found, _) = unpoisoned(waited);
        found.clone().unwrap_or_default()
    }
}
