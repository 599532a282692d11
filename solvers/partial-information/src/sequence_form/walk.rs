//! Products of payoffs and plans without a table of payoffs: all plays are walked anew each time.
//!
//! A walk goes depth first through all that one player can know, with a list of positions: the state, what the other player knows there, and the
//! chance of the throws on the way. Positions in which the plan of the other player has no weight are skipped, and that is nearly everywhere once
//! plans are good. The memory is that of the states, of what each player can know, and of the lists on one path.

use crate::sequence_form::knowledge::{Knowledge, PlayError};
use crate::sequence_form::play::{Next, PlayGraph, PlayState};
use crate::sequence_form::symmetry::Symmetries;
use crate::sequence_form::tree::Weight;
use limits::{Limits, StopReason, Watch, share_out};
use num_bigint::BigInt;

/// A game as states, and what both players can know.
#[derive(Debug)]
pub struct Play {
    graph: PlayGraph,
    knowledge: [Knowledge; 2],
    pub(crate) symmetries: Symmetries,
}

/// A state, what the other player knows there, and the chance of the throws that lead there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    state: u32,
    /// The record of the other player, and the symmetry that leads from what it says to what the player knows.
    record: u32,
    symmetry: u32,
    /// The other player's sequence.
    sequence: u32,
    chance: i64,
}

/// All positions that the player cannot tell apart.
pub(crate) struct InformationSet {
    record: u32,
    sequence: u32,
    step: usize,
    positions: Vec<Position>,
}

/// A walk through all that a player can know.
pub(crate) struct Walk<'a> {
    play: &'a Play,
    player: usize,
    pub stack: Vec<InformationSet>,
    spare: Vec<Vec<Position>>,
}

impl Walk<'_> {
    /// Takes an information set from the stack and puts those that follow there. Positions are left out where the plan of the other player has no weight. Calls
    /// `end` with each end: the sequences of the player and of the other one, and the payoff times the chance, beyond the worst one if chances are rounded.
    pub fn step(
        &mut self,
        mut set: InformationSet,
        has_weight: impl Fn(u32) -> bool,
        mut end: impl FnMut(u32, u32, i64),
    ) {
        let play = self.play;
        let (player, other) = (self.player, 1 - self.player);
        let [own, rival] = [player, other].map(|side| &play.knowledge[side]);
        let (graph, symmetries) = (&play.graph, &play.symmetries);
        let (rest, worst) = (graph.rest(set.step), graph.worst(player));
        if !graph.is_certain {
            set.add_up();
        }
        let choices = graph.choices(set.positions[0].state)[player];
        let begin = self.stack.len();
        for choice in 0..choices {
            let record =
                (choices > 1 || own.records_forced_moves).then(|| own.choice(set.record, choice));
            if record.is_some_and(|record| record.symmetry != 0) {
                continue;
            }
            let sequence = record.map_or(set.sequence, |record| record.sequence);
            let first = self.stack.len();
            let mut open = |record| {
                self.stack.push(InformationSet {
                    record,
                    sequence,
                    step: set.step + 1,
                    positions: self.spare.pop().unwrap_or_default(),
                });
            };
            match record {
                Some(record) => own.links(record).for_each(|(_, record)| open(record)),
                None => open(set.record),
            }
            for position in &set.positions {
                let replies = graph.choices(position.state)[other];
                let menu = graph.menu(position.state, other);
                let chance = graph.divided(position.chance, position.state, set.step);
                let back = symmetries.inverse(position.symmetry);
                for reply in 0..replies {
                    let known = (replies > 1 || rival.records_forced_moves).then(|| {
                        let image = symmetries.image(back, other, menu, reply);
                        rival.choice(position.record, image)
                    });
                    let mut after = *position;
                    if let Some(known) = known {
                        if !has_weight(known.sequence) {
                            continue;
                        }
                        after.sequence = known.sequence;
                        after.symmetry = symmetries.product(position.symmetry, known.symmetry);
                    }
                    let made = match player {
                        0 => [choice, reply],
                        _ => [reply, choice],
                    };
                    for outcome in graph.outcomes(position.state, made) {
                        after.state = match graph.next(outcome) {
                            Next::State(next) => next,
                            Next::End(payoff) if payoff == worst => continue,
                            Next::End(payoff) => {
                                let chance = PlayGraph::after(chance, outcome) * rest;
                                end(sequence, after.sequence, (payoff - worst) * chance);
                                continue;
                            }
                        };
                        after.chance = PlayGraph::after(chance, outcome);
                        if let Some(known) = known {
                            after.record = rival.after(known, outcome.seen[other]).1;
                        }
                        let link =
                            record.map_or(0, |record| own.after(record, outcome.seen[player]).0);
                        self.stack[first + link].positions.push(after);
                    }
                }
            }
        }
        set.positions.clear();
        self.spare.push(set.positions);
        // Places that no plan leads to are left out; the first choice comes first.
        let mut kept = begin;
        for number in begin..self.stack.len() {
            if !self.stack[number].positions.is_empty() {
                self.stack.swap(kept, number);
                kept += 1;
            }
        }
        let empty = self.stack.drain(kept..).map(|set| set.positions);
        self.spare.extend(empty);
        self.stack[begin..].reverse();
    }
}

impl InformationSet {
    /// Makes one position of those that differ in nothing but throws that neither player saw.
    fn add_up(&mut self) {
        self.positions.sort_unstable();
        self.positions.dedup_by(|one, kept| {
            let chance = one.chance;
            one.chance = kept.chance;
            let is_same = one == kept;
            if is_same {
                kept.chance += chance;
            } else {
                one.chance = chance;
            }
            is_same
        });
    }
}

/// Walks are shared out in at least this many parts, if there are so many.
const PARTS: usize = 512;

impl Play {
    /// A game from its states, of which number 0 is the first. Play never comes back to a state. If `merge`, what follows is one where all
    /// plays pay the same or there is nothing to choose or to see, and symmetries count.
    pub fn new(
        states: &[PlayState],
        merge: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Self, PlayError> {
        let graph = PlayGraph::new(states, merge)?;
        watch.take_memory(graph.bytes())?;
        let symmetries = match merge {
            true => Symmetries::find(&graph, watch),
            false => Symmetries::none(),
        };
        let mut know = |player| Knowledge::new(&graph, player, &symmetries, !merge, watch);
        let knowledge = [know(0)?, know(1)?];
        Ok(Play {
            graph,
            knowledge,
            symmetries,
        })
    }

    /// The informations of a player.
    pub fn knowledge(&self, player: usize) -> &Knowledge {
        &self.knowledge[player]
    }

    /// The least payoff and the largest one, times the denominator.
    pub(crate) fn range(&self) -> [i64; 2] {
        self.graph.range()
    }

    /// The denominator of payoffs.
    pub(crate) fn denominator(&self) -> &BigInt {
        &self.graph.denominator
    }

    /// More than any sum of gains. The chances of plays that a sequence and a plan allow add up to 1, if they are rounded to less than 2, and payoffs
    /// beyond the worst one are at most twice as large as the largest.
    pub(crate) fn magnitude(&self) -> u128 {
        let largest = self.range().map(i64::unsigned_abs).into_iter().max();
        let all = u128::from(largest.unwrap_or(0)) * u128::from(u8::MAX);
        match self.graph.is_rounded() {
            true => 4 * all,
            false => all,
        }
    }

    /// What a player gets at least, times the denominator, which its gains leave out: see [`Walk::step`].
    pub(crate) fn left_out(&self, player: usize) -> i64 {
        let [gains, losses] = self.range();
        match (self.graph.is_rounded(), player) {
            (false, _) => 0,
            (true, 0) => gains,
            (true, _) => -losses,
        }
    }

    /// A walk that begins at the start.
    pub(crate) fn walk(&self, player: usize) -> Walk<'_> {
        let start = Position {
            state: 0,
            record: 0,
            symmetry: 0,
            sequence: 0,
            chance: self.graph.start(),
        };
        let set = InformationSet {
            record: 0,
            sequence: 0,
            step: 0,
            positions: vec![start],
        };
        Walk {
            play: self,
            player,
            stack: if self.graph.is_over() {
                Vec::new()
            } else {
                vec![set]
            },
            spare: Vec::new(),
        }
    }

    /// Adds what each sequence of a player gains against a plan of the other one, times the denominator; at least that, if chances are rounded.
    pub(crate) fn add_gains<W: Weight>(
        &self,
        player: usize,
        plan: &[W],
        gains: &mut [W],
        threads: usize,
        limits: &Limits,
    ) -> Result<(), StopReason> {
        let factors = self.knowledge[1 - player].factors.iter();
        let plan: Vec<W> = plan
            .iter()
            .zip(factors)
            .map(|(weight, &factor)| weight.times(factor.into()))
            .collect();
        let has_weight = |sequence: u32| !plan[sequence as usize].is_zero();
        let sign = if player == 0 { 1 } else { -1 };
        let end = |gains: &mut [W], own: u32, other: u32, payoff: i64| {
            gains[own as usize] += plan[other as usize].times(sign * payoff);
        };
        // Level by level, until there are enough parts.
        let mut walk = self.walk(player);
        while !walk.stack.is_empty() && walk.stack.len() < PARTS {
            for set in std::mem::take(&mut walk.stack) {
                limits.check()?;
                walk.step(set, has_weight, |own, other, payoff| {
                    end(gains, own, other, payoff)
                });
            }
        }
        // Places after one sequence stay together, so sums do not depend on the number of threads.
        walk.stack.sort_by_key(|set| set.sequence);
        let mut parts: Vec<Vec<InformationSet>> = Vec::new();
        for set in walk.stack {
            match parts.last_mut() {
                Some(part) if part[0].sequence == set.sequence => part.push(set),
                _ => parts.push(vec![set]),
            }
        }
        let zeros = || vec![W::zero(); gains.len()];
        let mut seats: Vec<Vec<W>> = (0..threads).map(|_| zeros()).collect();
        let done = share_out(&mut seats, parts, |seat: &mut &mut Vec<W>, part| {
            let mut walk = Walk {
                stack: part,
                ..self.walk(player)
            };
            while let Some(set) = walk.stack.pop() {
                limits.check()?;
                walk.step(set, has_weight, |own, other, payoff| {
                    end(seat, own, other, payoff)
                });
            }
            Ok(())
        });
        done.into_iter().collect::<Result<(), StopReason>>()?;
        for seat in seats {
            for (gain, more) in gains.iter_mut().zip(seat) {
                *gain += more;
            }
        }
        Ok(())
    }
}
