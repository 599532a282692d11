//! Look-up of positions in a table, and values of their moves from the entries of the successors.
//!
//! ```text
//! facts --engine--> key --file--> value        a move's value = minimum over replies of the mean over chance,
//!                                              or in a table of moves at the same time against the opponents' mixture
//! ```
//!
//! A state machine finds the successors of a position, not the program that built the table. So a machine that goes by the rules
//! alone checks a table, and takes nothing of the engine but its keys ([`TableReader::sample`]).

use super::{Search, SearchError, SearchOptions, SearchState, TableFailure, TableSubject};
use crate::mixed::MixedPlay;
use gdl::game::{Game, Objective, Sides, count_joint_moves, joint_moves as joint_moves_of};
use gdl::{Name, Term};
use layers::{DiskTable, DiskTableError, TableProgress};
use limits::Limits;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rules::worth;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use step::{Position, StateMachine};

/// The most positions after a state that are looked up for the values of its moves.
const MAX_POSITIONS: usize = 100_000;

/// A play of a sample ends after this many steps in a row to positions that were compared before: plays may go on for ever.
const MAX_KNOWN_STEPS: usize = 100;

/// A table that positions of a game are looked up in.
pub struct TableReader {
    search: Search,
    table: DiskTable,
    objective: Objective,
    /// The layer of the position that was asked about last.
    recent: usize,
}

/// The values that follow from a position on average, as a matrix.
struct SuccessorMatrix {
    /// The legal moves of the role: the rows.
    moves: Vec<Term>,
    /// The joint moves of its opponents: the columns.
    replies: Vec<Vec<Term>>,
    /// Row by row, the mean of the values that may follow.
    means: Vec<BigRational>,
}

/// The entry of a table for a position in one layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The layer: the number of steps left, or 1 in an endless game.
    pub layer: usize,
    /// The key in the files.
    pub key: Vec<u8>,
    /// The value.
    pub value: BigRational,
}

impl TableReader {
    /// Opens a table of this game and objective, of moves at the same time (`mixed`) or not.
    ///
    /// # Errors
    /// If there is none, it is of something else, or this version makes other keys.
    pub fn open(
        game: &Game,
        objective: Objective,
        mixed: bool,
        folder: &Path,
        options: &SearchOptions,
        limits: &Limits,
    ) -> Result<Self, TableFailure> {
        let table = DiskTable::open(folder)?;
        let (role, depth) = (&table.manifest().role, table.manifest().depth);
        let subject = TableSubject::of(game, objective, None);
        let subject = subject.as_in(table.manifest()).mixed(mixed);
        // Before the search is made, which another game may be too large for.
        table.check_subject(&subject.game, &subject.rules, &subject.objective, mixed)?;
        let mut search = Search::new(game, &Name::new(role), objective, options)?;
        let table = search.open_table(&subject, folder, limits)?;
        Ok(TableReader {
            search,
            recent: depth + 1,
            table,
            objective,
        })
    }

    /// The table.
    pub fn table(&self) -> &DiskTable {
        &self.table
    }

    /// The index of the role whose values these are.
    pub fn role(&self) -> usize {
        self.search.role
    }

    /// A machine that plays the game by the circuit of one step.
    pub fn machine(&self) -> StateMachine {
        self.search.machine.clone()
    }

    /// The state with these facts, or the initial one.
    ///
    /// # Errors
    /// If a fact cannot come true.
    pub fn state(&self, facts: Option<&[Term]>) -> Result<SearchState, SearchError> {
        match facts {
            Some(facts) => self.search.state(facts),
            None => Ok(self.search.initial()),
        }
    }

    /// Whether roles choose at the same time.
    pub fn is_mixed(&self) -> bool {
        self.table.manifest().mixed
    }

    /// Whether play may go on for ever: there is one layer, and all steps count.
    pub fn is_endless(&self) -> bool {
        self.table.manifest().endless
    }

    /// The entries of the table for a state: one for each number of steps left with which play from the
    /// initial state leads to it; one in an endless game. There is none for states in which play is over.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn entries(&mut self, state: &SearchState) -> Result<Vec<TableEntry>, TableFailure> {
        let layers: Vec<usize> = self.table.layers().iter().map(|info| info.layer).collect();
        let mut found = Vec::new();
        for layer in layers {
            found.extend(self.entry(state, layer)?);
        }
        Ok(found)
    }

    /// The entry for a state in a layer.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn entry(
        &mut self,
        state: &SearchState,
        layer: usize,
    ) -> Result<Option<TableEntry>, TableFailure> {
        let engine = &mut self.search.engine;
        let Some(words) = engine.layered_state(state) else {
            return Ok(None);
        };
        let found = self.table.entry(engine.layered_game(), layer, &words)?;
        Ok(found.map(|(key, value)| TableEntry {
            layer,
            key,
            value: self.search.range.value(&value),
        }))
    }

    /// The value of the initial state.
    ///
    /// # Errors
    /// If it is not there, or a file cannot be read.
    pub fn initial_value(&mut self) -> Result<BigRational, TableFailure> {
        let layer = self.table.manifest().depth;
        let entry = self.entry(&self.search.initial(), layer)?;
        let lacking = || DiskTableError::Wrong {
            path: self.table.folder().path().to_owned(),
            layer,
            why: "the initial state is not there".to_owned(),
        };
        Ok(entry.ok_or_else(lacking)?.value)
    }

    /// The entry that answers a question about a state with this many steps, or all steps. If no play is cut off, any number of steps
    /// after which play is over gives the same value. `played` is the number of steps so far, if it is known: the entry is found faster then.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn answer(
        &mut self,
        state: &SearchState,
        steps: Option<u32>,
        played: Option<usize>,
    ) -> Result<Option<TableEntry>, TableFailure> {
        let most = steps.map_or(usize::MAX, |steps| steps as usize);
        if self.is_endless() && steps.is_some() {
            return Ok(None);
        }
        let mut layers: Vec<usize> = self.table.layers().iter().map(|info| info.layer).collect();
        layers.retain(|layer| *layer == most || *layer < most && !self.table.cuts_off());
        // The next question of a player is mostly about the next position.
        let depth = self.table.manifest().depth;
        let likely = match played {
            Some(played) => depth.saturating_sub(played),
            None => self.recent.saturating_sub(1),
        };
        layers.sort_by_key(|layer| (*layer != most, layer.abs_diff(likely)));
        for layer in layers {
            if let Some(found) = self.entry(state, layer)? {
                self.recent = layer;
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The value of each legal move of the role in a position of this layer, which is at least 1; nothing if there are too many successors. In a
    /// table of moves at the same time it is that against the opponents' mixture.
    ///
    /// # Errors
    /// If a successor is not in the table, or a file cannot be read.
    pub fn moves(
        &mut self,
        machine: &mut StateMachine,
        position: &Position,
        layer: usize,
    ) -> Result<Option<Vec<(Term, BigRational)>>, TableFailure> {
        if self.is_mixed() {
            let play = self.mixture(machine, position, layer)?;
            let moves = |play: MixedPlay| {
                let moves = play.moves.into_iter();
                moves.map(|each| (each.action, each.bounds.0)).collect()
            };
            return Ok(play.map(moves));
        }
        let Some(after) = self.successor_matrix(machine, position, layer)? else {
            return Ok(None);
        };
        let rows = after.means.chunks(after.replies.len().max(1));
        let moves = after.moves.into_iter().zip(rows);
        let moves = moves.filter_map(|(action, row)| Some((action, row.iter().min()?.clone())));
        Ok(Some(moves.collect()))
    }

    /// The best mixtures of both sides in a position of this layer; nothing if there are too many successors, or the table is not one of moves
    /// at the same time.
    ///
    /// # Errors
    /// As for [`TableReader::moves`].
    pub fn mixture(
        &mut self,
        machine: &mut StateMachine,
        position: &Position,
        layer: usize,
    ) -> Result<Option<MixedPlay>, TableFailure> {
        if !self.is_mixed() {
            return Ok(None);
        }
        let after = self.successor_matrix(machine, position, layer)?;
        let after = after.filter(|after| !after.means.is_empty());
        Ok(after.map(|after| MixedPlay::of_matrix(&after.moves, &after.replies, &after.means)))
    }

    /// The matrix of a position of this layer; nothing if there are too many successors.
    fn successor_matrix(
        &mut self,
        machine: &mut StateMachine,
        position: &Position,
        layer: usize,
    ) -> Result<Option<SuccessorMatrix>, TableFailure> {
        let roles = 0..machine.roles().len();
        let legal: Result<Vec<Vec<Term>>, _> =
            roles.map(|role| machine.legal(position, role)).collect();
        let legal = legal.map_err(SearchError::Rules)?;
        if count_joint_moves(&legal) > MAX_POSITIONS {
            return Ok(None);
        }
        let sides = Sides::new(machine.roles(), self.search.role);
        let chances = sides.random.map_or(1, |random| legal[random].len());
        let mut joint_moves = sides.joint_moves(&legal).peekable();
        let mut means = Vec::new();
        while joint_moves.peek().is_some() {
            let mut sum = BigRational::zero();
            for joint_move in joint_moves.by_ref().take(chances) {
                sum += self.worth_after(machine, position, &joint_move, layer)?;
            }
            means.push(sum / BigRational::from(BigInt::from(chances)));
        }
        let opponents = sides.opponents.iter().map(|&index| &legal[index][..]);
        Ok(Some(SuccessorMatrix {
            replies: joint_moves_of(opponents),
            moves: legal[sides.role].clone(),
            means,
        }))
    }

    /// The value of the successors after a joint move.
    fn worth_after(
        &mut self,
        machine: &mut StateMachine,
        position: &Position,
        joint_move: &[Term],
        layer: usize,
    ) -> Result<BigRational, TableFailure> {
        let next = machine
            .next(position, joint_move)
            .map_err(SearchError::Rules)?;
        if machine.terminal(&next).map_err(SearchError::Rules)? {
            let goals = machine.goals(&next, self.search.role);
            let goals = goals.map_err(SearchError::Rules)?;
            return worth(&goals, self.objective)
                .ok_or_else(|| DiskTableError::Flaw(layer - 1).into());
        }
        let layer = if self.is_endless() { layer } else { layer - 1 };
        if layer == 0 {
            return Ok(BigRational::zero());
        }
        let facts = machine.facts(&next);
        let state = self.search.state(&facts)?;
        match self.entry(&state, layer)? {
            Some(entry) => Ok(entry.value),
            None => Err(self.wrong(layer, &facts, "is not in the table")),
        }
    }

    /// Follows plays at random from the initial state by a machine, and compares the value of each position with that of its best
    /// move; tells the number of positions, each counted once.
    ///
    /// # Errors
    /// The first position that is wrong, or a limit that is reached.
    pub fn sample(
        &mut self,
        machine: &mut StateMachine,
        plays: usize,
        random: &mut fastrand::Rng,
        limits: &Limits,
    ) -> Result<u64, TableFailure> {
        // A hash stands for a position: if two were taken for one, the other would not be compared.
        let (mut compared, mut positions) = (HashSet::new(), 0);
        let hashes = RandomState::new();
        for _ in 0..plays {
            let mut position = machine.initial().map_err(SearchError::Rules)?;
            let mut layer = self.table.manifest().depth;
            let mut known_steps = 0;
            while layer > 0
                && known_steps < MAX_KNOWN_STEPS
                && !machine.terminal(&position).map_err(SearchError::Rules)?
            {
                limits.check().map_err(DiskTableError::Stopped)?;
                let facts = machine.facts(&position);
                let state = self.search.state(&facts)?;
                let Some(entry) = self.entry(&state, layer)? else {
                    return Err(self.wrong(layer, &facts, "is not in the table"));
                };
                known_steps += 1;
                if compared.insert(hashes.hash_one((layer, &facts)))
                    && let Some(moves) = self.moves(machine, &position, layer)?
                {
                    known_steps = 0;
                    // Against the opponents' mixture, too, the best move is worth as much as the position.
                    let best = moves.into_iter().map(|(_, value)| value).max();
                    let best = best.unwrap_or_default();
                    if best != entry.value {
                        let why = format!("is worth {best}, not {}", entry.value);
                        return Err(self.wrong(layer, &facts, &why));
                    }
                    positions += 1;
                }
                let mut joint_move = Vec::new();
                for role in 0..machine.roles().len() {
                    let legal = machine.legal(&position, role).map_err(SearchError::Rules)?;
                    joint_move.extend(random.choice(legal));
                }
                position = machine
                    .next(&position, &joint_move)
                    .map_err(SearchError::Rules)?;
                if !self.is_endless() {
                    layer -= 1;
                }
            }
        }
        Ok(positions)
    }

    /// Checks that each value follows from those behind it; tells the number of states. `scratch` is an empty folder.
    ///
    /// # Errors
    /// The first thing that is wrong, or a limit that is reached.
    pub fn check_all(
        &mut self,
        scratch: &Path,
        limits: &Limits,
        threads: usize,
        tell: &mut dyn FnMut(TableProgress),
    ) -> Result<u64, TableFailure> {
        (self.search).check_table(&self.table, scratch, limits, threads, tell)
    }

    fn wrong(&self, layer: usize, facts: &[Term], why: &str) -> TableFailure {
        let facts: Vec<String> = facts.iter().map(ToString::to_string).collect();
        TableFailure::Disk(DiskTableError::Wrong {
            path: self.table.folder().path().to_owned(),
            layer,
            why: format!("the state {{{}}} {why}", facts.join(" ")),
        })
    }
}
