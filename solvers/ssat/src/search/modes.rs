//! Mode switching: two ways of making decisions, in turns.
//!
//! Where there are defined variables, they are decided last in one mode, and first in the other, as if they were chance variables,
//! by their distance from the middle of a tree decomposition. If that is narrow and chance begins, the second mode stays.

use super::Search;
use crate::decomposition::{self, Decomposition, Wanted, Width};
use crate::instance::Instance;
use crate::options::Options;
use crate::order::Order;
use crate::policy::{CHANGED, DECOMPOSE_AGAIN, DECOMPOSING};
use base::value::Numerator;
use formula::{Clauses, Lit, Quantifier};
use limits::lock;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Where to cut a formula, by a tree decomposition of each block.
pub struct Cuts {
    /// How many there have been.
    number: u8,
    order: Arc<Order>,
    /// Whether there was too much to do in some block.
    are_missing: bool,
    /// How many variables had values that follow from no decision.
    assigned: usize,
    /// See [`Decomposition`].
    weighted: Vec<u64>,
    strict: Vec<u64>,
}

/// The mode of a search.
#[derive(Default)]
pub struct Modes {
    /// Whether there are defined variables, which are decided by sums.
    pub has_defined: bool,
    /// Whether this is the second mode.
    pub is_second: bool,
    /// The work after which that changes.
    pub switch_at: u64,
    /// The work after which a tree decomposition is searched for.
    pub decompose_at: u64,
    /// Whether the search is on its way back to the root for one of both.
    pub is_switching: bool,
    /// How often it changed.
    pub switches: u64,
    /// Whether the search is to begin anew with a decomposition.
    begins_anew: bool,
    /// Whether the second mode stays.
    stays: bool,
    /// Where to cut the formula, once that is known.
    cuts: Option<Arc<Cuts>>,
}

impl Modes {
    /// The first mode.
    pub fn new(instance: &Instance, options: &Options) -> Self {
        let has_defined = instance.is_defined.contains(&true);
        Modes {
            has_defined,
            switch_at: match has_defined && options.take_turns {
                true => options.first_turn,
                false => u64::MAX,
            },
            decompose_at: match options.cut_in_the_middle {
                true => options.first_decomposition,
                false => u64::MAX,
            },
            ..Modes::default()
        }
    }

    /// For another thread, which follows the first one.
    pub fn of_helper(&self) -> Self {
        Modes {
            has_defined: self.has_defined,
            switch_at: u64::MAX,
            decompose_at: u64::MAX,
            ..Modes::default()
        }
    }
}

impl<N: Numerator> Search<'_, '_, N> {
    /// Takes over the mode and the order of the first thread.
    pub(crate) fn follow(&mut self) {
        self.modes.switches = self.team.switches.load(Ordering::Acquire);
        self.modes.is_second = self.team.is_second.load(Ordering::Relaxed);
        self.modes.cuts = lock(&self.team.cuts).clone();
        if let Some(cuts) = &self.modes.cuts {
            self.order = Arc::clone(&cuts.order);
        }
    }

    /// Publishes the mode and the order for the other threads.
    fn lead(&mut self) {
        self.modes.switches += 1;
        let (modes, team) = (&self.modes, &self.team);
        team.is_second.store(modes.is_second, Ordering::Relaxed);
        lock(&team.cuts).clone_from(&modes.cuts);
        team.switches.store(modes.switches, Ordering::Release);
    }

    /// Goes on in the other mode, in another order, or with another model.
    pub(crate) fn switch(&mut self) {
        let choice = std::mem::take(&mut self.certain.choice);
        self.deduction.take_model(&choice);
        let work = self.deduction.work;
        if std::mem::take(&mut self.modes.begins_anew)
            && let Some(cuts) = self.modes.cuts.clone()
        {
            self.order = Arc::clone(&cuts.order);
            if self.modes.has_defined {
                self.modes.stays = true;
                self.modes.switch_at = match self.modes.is_second {
                    true => u64::MAX,
                    false => work,
                };
            }
            self.lead();
        }
        if work < self.modes.switch_at {
            self.follow();
            return;
        }
        self.modes.is_second ^= true;
        self.lead();
        let turn = match self.modes.is_second {
            _ if self.modes.stays => u64::MAX,
            true => work / 2,
            false => work.saturating_mul(2),
        };
        self.modes.switch_at = work.saturating_add(turn);
    }

    /// Searches for a tree decomposition of the clauses that the assignments of level 0 leave open, unless nearly the same is known. Says
    /// whether the search is to begin anew with it.
    pub(crate) fn decompose(&mut self) -> bool {
        let work = self.deduction.work;
        self.modes.decompose_at = work.saturating_mul(DECOMPOSE_AGAIN);
        let instance = &self.deduction.instance;
        let variables = instance.variables();
        let room = decomposition::room(variables);
        let assigned = self.deduction.end_of_level(0).trail;
        let number = match &self.modes.cuts {
            Some(cuts) if !cuts.are_missing && assigned - cuts.assigned < variables / CHANGED => {
                return false;
            }
            Some(cuts) => cuts.number.saturating_add(1),
            None => 1,
        };
        if number == u8::MAX || self.watch.take_memory(room).is_err() {
            return false;
        }
        let last = instance.decided.last();
        let wanted = |block: Range<usize>| {
            let is_last = instance.decided.get(block.start) == last;
            let is_ours = instance.quantifiers[block.start] == Quantifier::Exists;
            match instance.is_defined[block].contains(&true) {
                true => Wanted::Yes,
                // With a model, it is not decided at all.
                false if is_last && is_ours => Wanted::No,
                false => Wanted::IfNarrow,
            }
        };
        let clauses = self.open_clauses();
        let found = Decomposition::find(&instance.decided, &clauses, DECOMPOSING * work, wanted);
        self.watch.give_memory_back(room);
        let is_narrow = |width: &Option<Width>| width.is_some_and(Width::is_narrow);
        let first = instance
            .decided
            .partition_point(|block| *block == instance.decided[0]);
        let chance_begins = instance.quantifiers[..first].contains(&Quantifier::Chance);
        let stays = chance_begins && found.widths.first().is_some_and(is_narrow);
        let begins_anew = match self.modes.has_defined {
            true => stays,
            false => found.widths.iter().any(is_narrow),
        };
        let store = &self.deduction.store;
        let given = (0..store.given() as u32).map(|clause| store.get(clause));
        let order = match begins_anew {
            true => Arc::new(Order::new(number, found.walk, given)),
            // With another order the entries of the cache would be of no use.
            false => Arc::clone(&self.order),
        };
        self.modes.begins_anew |= begins_anew;
        self.modes.cuts = Some(Arc::new(Cuts {
            number,
            order,
            are_missing: found.are_missing,
            assigned,
            weighted: found.weighted,
            strict: found.strict,
        }));
        begins_anew
    }

    /// The open clauses after all literals are assigned that follow from no decision.
    fn open_clauses(&self) -> Clauses {
        let deduction = &self.deduction;
        let is_assigned = |literal: Lit| {
            let is_open = deduction.is_open(literal);
            !is_open && deduction.assignment.levels[literal.var().index()] == 0
        };
        let mut clauses = Clauses::new();
        for clause in 0..deduction.store.given() as u32 {
            let clause = deduction.store.get(clause);
            if !clause
                .iter()
                .any(|&one| is_assigned(one) && deduction.is_true(one))
            {
                let open = clause.iter().copied();
                clauses.push(open.filter(|&literal| !is_assigned(literal)));
            }
        }
        clauses
    }

    /// The part of each variable's score that is its nearness to a cut; nothing if defined variables come last.
    pub(crate) fn nearness(&self) -> Option<&[u64]> {
        let cuts = self.modes.cuts.as_deref();
        match (self.modes.has_defined, self.modes.is_second) {
            (true, false) => None,
            (true, true) => Some(cuts.map_or(&[], |cuts| &cuts.strict)),
            (false, _) => cuts.map(|cuts| &cuts.weighted[..]),
        }
    }
}
