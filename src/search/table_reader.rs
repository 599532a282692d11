//! Positions looked up in a table, and what their moves are worth by the positions that follow.
//!
//! ```text
//! facts --engine--> key --file--> value        a move's value = minimum over replies of the mean over chance
//! ```
//!
//! What follows from a position is found by a state machine, not by what built the table; so a machine that goes by the rules
//! alone checks a table with nothing of the engine but its keys ([`TableReader::sample`]).

use super::{RANDOM, Search, SearchError, SearchOptions, SearchState, TableFailure, TableSubject};
use crate::game::{Game, Objective};
use crate::gdl::{Name, Term};
use crate::machine::{Position, StateMachine, worth};
use layers::{DiskTable, DiskTableError, TableProgress};
use limits::{Clock, Limits};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use std::path::Path;

/// The most positions after a state that are looked up for the values of its moves.
const MAX_POSITIONS: usize = 100_000;

/// A table that positions of a game are looked up in.
pub struct TableReader {
    search: Search,
    table: DiskTable,
    objective: Objective,
    /// The steps left in the position that was asked about last.
    recent: usize,
}

/// What a table says of a position with one number of steps left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The number of steps left.
    pub steps: usize,
    /// The key in the files.
    pub key: Vec<u8>,
    /// The value.
    pub value: BigRational,
}

impl TableReader {
    /// Opens a table of this game and objective.
    ///
    /// # Errors
    /// If there is none, it is of something else, or this version makes other keys.
    pub fn open(
        game: &Game,
        objective: Objective,
        folder: &Path,
        options: &SearchOptions,
        limits: &Limits,
    ) -> Result<Self, TableFailure> {
        let table = DiskTable::open(folder)?;
        let (role, depth) = (&table.manifest().role, table.manifest().depth);
        let subject = TableSubject::of(game, objective, u32::try_from(depth).ok());
        // Before the search is made, which another game may be too large for.
        table.check_subject(&subject.game, &subject.rules, &subject.objective)?;
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

    /// The place of the role whose values these are.
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

    /// What the table says of a state: one entry for each number of steps left with which play from the initial state leads to
    /// it. There is none for states in which play is over.
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

    /// What it says of a state with this many steps left.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn entry(
        &mut self,
        state: &SearchState,
        steps: usize,
    ) -> Result<Option<TableEntry>, TableFailure> {
        let engine = &mut self.search.engine;
        let Some(words) = engine.layered_state(state) else {
            return Ok(None);
        };
        let found = self.table.entry(engine.layered_game(), steps, &words)?;
        Ok(found.map(|(key, value)| TableEntry {
            steps,
            key,
            value: value * &self.search.largest,
        }))
    }

    /// What answers a question about a state with this many steps, or all steps: if no play is cut off, any number of steps
    /// after which play is over gives the same value. `played` is the number of steps so far, if it is known: then it is found faster.
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

    /// What each legal move of the role is worth in a position with this many steps left, at least one; nothing if too many
    /// positions follow.
    ///
    /// # Errors
    /// If a position that follows is not in the table, or a file cannot be read.
    pub fn moves(
        &mut self,
        machine: &mut StateMachine,
        place: &Position,
        steps: usize,
    ) -> Result<Option<Vec<(Term, BigRational)>>, TableFailure> {
        let roles = 0..machine.roles().len();
        let legal: Result<Vec<Vec<Term>>, _> =
            roles.map(|role| machine.legal(place, role)).collect();
        let legal = legal.map_err(SearchError::Rules)?;
        let count = (legal.iter().map(Vec::len)).try_fold(1, usize::checked_mul);
        if count.is_none_or(|count| count > MAX_POSITIONS) {
            return Ok(None);
        }
        let random = machine
            .roles()
            .iter()
            .position(|role| role.as_str() == RANDOM);
        let chances = random.map_or(1, |random| legal[random].len());
        let own = self.search.role;
        let mut found = Vec::new();
        for action in &legal[own] {
            let mut least: Option<BigRational> = None;
            // Own move and chance are fixed here; replies are counted through.
            let mut numbers = vec![0; legal.len()];
            loop {
                let mut sum = BigRational::zero();
                for chance in 0..chances {
                    let choice = |role: usize| match role {
                        role if role == own => action.clone(),
                        role if Some(role) == random => legal[role][chance].clone(),
                        role => legal[role][numbers[role]].clone(),
                    };
                    let joint_move: Vec<Term> = (0..legal.len()).map(choice).collect();
                    sum += self.worth_after(machine, place, &joint_move, steps)?;
                }
                let mean = sum / BigRational::from(BigInt::from(chances));
                least = Some(least.map_or(mean.clone(), |least| least.min(mean)));
                let next = (0..legal.len())
                    .filter(|role| *role != own && Some(*role) != random)
                    .find(|role| {
                        numbers[*role] = (numbers[*role] + 1) % legal[*role].len();
                        numbers[*role] != 0
                    });
                if next.is_none() {
                    break;
                }
            }
            found.extend(least.map(|value| (action.clone(), value)));
        }
        Ok(Some(found))
    }

    /// The value of what follows from a joint move.
    fn worth_after(
        &mut self,
        machine: &mut StateMachine,
        place: &Position,
        joint_move: &[Term],
        steps: usize,
    ) -> Result<BigRational, TableFailure> {
        let next = machine
            .next(place, joint_move)
            .map_err(SearchError::Rules)?;
        if machine.terminal(&next).map_err(SearchError::Rules)? {
            let goals = machine.goals(&next, self.search.role);
            let goals = goals.map_err(SearchError::Rules)?;
            return worth(&goals, self.objective)
                .ok_or_else(|| DiskTableError::Flaw(steps - 1).into());
        }
        if steps <= 1 {
            return Ok(BigRational::zero());
        }
        let facts = machine.facts(&next);
        let state = self.search.state(&facts)?;
        match self.entry(&state, steps - 1)? {
            Some(entry) => Ok(entry.value),
            None => Err(self.wrong(steps - 1, &facts, "is not in the table")),
        }
    }

    /// Follows plays at random from the initial state by a machine, and compares the value of each position with that of its best
    /// move; tells the number of positions.
    ///
    /// # Errors
    /// The first position that is wrong, or a limit that is reached.
    pub fn sample(
        &mut self,
        machine: &mut StateMachine,
        plays: usize,
        random: &mut fastrand::Rng,
        clock: &Clock,
    ) -> Result<u64, TableFailure> {
        let mut positions = 0;
        for _ in 0..plays {
            let mut place = machine.initial().map_err(SearchError::Rules)?;
            let mut steps = self.table.manifest().depth;
            while steps > 0 && !machine.terminal(&place).map_err(SearchError::Rules)? {
                clock.look().map_err(DiskTableError::Stopped)?;
                let facts = machine.facts(&place);
                let state = self.search.state(&facts)?;
                let Some(entry) = self.entry(&state, steps)? else {
                    return Err(self.wrong(steps, &facts, "is not in the table"));
                };
                if let Some(moves) = self.moves(machine, &place, steps)? {
                    let best = moves.into_iter().map(|(_, value)| value).max();
                    let best = best.unwrap_or_default();
                    if best != entry.value {
                        let why = format!("is worth {best}, not {}", entry.value);
                        return Err(self.wrong(steps, &facts, &why));
                    }
                    positions += 1;
                }
                let mut joint_move = Vec::new();
                for role in 0..machine.roles().len() {
                    let legal = machine.legal(&place, role).map_err(SearchError::Rules)?;
                    joint_move.extend(random.choice(legal));
                }
                place = machine
                    .next(&place, &joint_move)
                    .map_err(SearchError::Rules)?;
                steps -= 1;
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
