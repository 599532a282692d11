//! Deduction, the part of the search without values: the assignment, the clauses, and their
//! consequences.
//!
//! Literals are assigned in order on a *trail*, which *decision levels* divide. A literal that was
//! not decided has a *reason*: a clause that was otherwise false when the literal was assigned.
//!
//! Invariants:
//!
//! * Every stored clause is implied by the clauses of the formula together with the assignment of
//!   level 0. Universal reduction is therefore never applied to a stored clause, but only to what
//!   is left of it, at the moment it is used.
//! * Once propagation has ended without a conflict, no clause of the formula is false.

use super::derive::Derivations;
use super::heap::Heap;
use super::instance::Instance;
use super::needed::NeededLiterals;
use super::policy;
use super::store::{ClauseId, Store, Watcher};
use formula::preprocess::Occurrences;
use formula::{Lit, Quantifier, Var};
use limits::{StopReason, Watch};

pub const NO_REASON: ClauseId = ClauseId::MAX;

/// Between two checks of the limits, this many clauses and variables are visited: less than a hundredth of a second.
const WORK_PER_CHECK: u64 = 250_000;

const OPEN: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;

/// How to read a clause of which all literals but universal ones are false.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// As a clause of propositional logic.
    Plain,
    /// With universal reduction: the minimizer will make universal literals false that are
    /// decided last.
    Quantified,
}

/// A position on the trail to come back to.
#[derive(Clone, Copy, Default, Debug)]
pub struct Mark {
    pub level: u32,
    pub trail: usize,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub branchings: u64,
    /// Branches that gave something else than 0.
    pub returns: u64,
    pub conflicts: u64,
    pub learned: u64,
    /// Searches for a model.
    pub models: u64,
    /// Components that were stored, and those that were met again.
    pub stored: u64,
    pub hits: u64,
}

impl Counts {
    /// Adds those of another search.
    pub fn add(&mut self, other: &Counts) {
        self.branchings += other.branchings;
        self.returns += other.returns;
        self.conflicts += other.conflicts;
        self.learned += other.learned;
        self.models += other.models;
        self.stored += other.stored;
        self.hits += other.hits;
    }

    /// Their names in statistics, and their values.
    pub fn named(&self) -> [(&'static str, u64); 6] {
        [
            ("branchings", self.branchings),
            ("conflicts", self.conflicts),
            ("learned", self.learned),
            ("models", self.models),
            ("stored", self.stored),
            ("hits", self.hits),
        ]
    }
}

/// The literals that are true, in the order in which they became so.
#[derive(Clone)]
pub struct Assignment {
    /// By code of the literal.
    values: Vec<u8>,
    pub trail: Vec<Lit>,
    /// Where on the trail level 1, 2, ... begin.
    pub level_starts: Vec<usize>,
    /// The trail up to here has been propagated.
    pub head: usize,
    /// By variable.
    pub levels: Vec<u32>,
    pub reasons: Vec<ClauseId>,
}

/// Assignment and clauses of one instance.
#[derive(Clone)]
pub struct Deduction {
    pub instance: Instance,
    pub has_universals: bool,
    /// The derivations of learned clauses, if a trace is written. Then learned clauses keep literals that are false for good, so that they are
    /// implied by the formula alone, and nothing rests on those with the negation of a pure literal.
    pub derivations: Option<Box<Derivations>>,
    /// By variable, whether it was decided because it is existential and pure; only while a trace is written.
    pub is_pure: Vec<bool>,
    pub assignment: Assignment,
    pub store: Store,
    /// By code of the literal that becomes false.
    pub watches: Vec<Vec<Watcher>>,
    /// Clauses of one literal: nothing watches them.
    pub units: Vec<ClauseId>,
    pub heap: Heap,
    /// The last known model of each component, by variable; at first, the values that make most clauses true.
    pub model: Vec<bool>,
    /// How many existential literals of the model each clause of the formula has. Before a component is entered, its model takes over what was
    /// assigned, and only open variables are turned round then: so in an open clause of it these literals are open.
    pub supports: Vec<u32>,
    /// The component each variable belongs to.
    pub component_of: Vec<u64>,
    /// The component at work.
    pub here: u64,
    /// About how many clauses and variables were visited.
    pub work: u64,
    /// The work after which the limits are checked next.
    check_at: u64,
    pub counts: Counts,
    pub seen: Vec<bool>,
    /// Clauses are forgotten when there are more learned ones than this.
    max_learned: usize,
    /// Memory asked for, for learned clauses.
    pub paid: u64,
    /// The clauses of the formula that each literal is in.
    pub occurrences: Occurrences,
    /// Empty but for its memory between two minterms.
    pub needed: NeededLiterals,
}

impl Deduction {
    /// Nothing is assigned. The clauses of the instance move into the store.
    pub fn new(mut instance: Instance) -> Self {
        let variables = instance.variables();
        let occurrences = Occurrences::new(variables, &instance.clauses);
        let store = Store::new(std::mem::take(&mut instance.clauses));
        let mut deduction = Deduction {
            has_universals: instance.quantifiers.contains(&Quantifier::Forall),
            derivations: None,
            is_pure: vec![false; variables],
            assignment: Assignment {
                values: vec![OPEN; 2 * variables],
                trail: Vec::with_capacity(variables),
                level_starts: Vec::new(),
                head: 0,
                levels: vec![0; variables],
                reasons: vec![NO_REASON; variables],
            },
            watches: vec![Vec::new(); 2 * variables],
            units: Vec::new(),
            heap: Heap::new(variables),
            model: vec![false; variables],
            supports: vec![0; store.given()],
            component_of: vec![0; variables],
            here: 0,
            work: 0,
            check_at: 0,
            counts: Counts::default(),
            seen: vec![false; variables],
            max_learned: policy::first_learned(store.given()),
            paid: 0,
            occurrences,
            needed: NeededLiterals::default(),
            store,
            instance,
        };
        for variable in (0..variables).map(Var::new) {
            let [positive, negative] = [variable.positive(), variable.negative()]
                .map(|literal| deduction.occurrences.of(literal).len());
            deduction.model[variable.index()] = positive >= negative;
            deduction.count_support(variable.literal(positive >= negative), 1);
        }
        deduction.watch_all();
        deduction
    }

    /// Turns round a variable in the model.
    pub fn flip(&mut self, variable: usize) {
        let literal = Var::new(variable).literal(self.model[variable]);
        self.model[variable] ^= true;
        self.count_support(literal, u32::MAX);
        self.count_support(!literal, 1);
    }

    /// Takes over these values of the first variables, where nothing is assigned: the model of the whole is searched for near to them.
    pub fn take_model(&mut self, values: &[bool]) {
        for (variable, &value) in values.iter().enumerate() {
            if self.model[variable] != value {
                self.flip(variable);
            }
        }
    }

    /// Counts an existential literal in its clauses; u32::MAX takes it back.
    fn count_support(&mut self, literal: Lit, count: u32) {
        if self.instance.quantifier(literal) == Quantifier::Exists {
            for &clause in self.occurrences.of(literal) {
                let supports = &mut self.supports[clause as usize];
                *supports = supports.wrapping_add(count);
            }
        }
    }

    /// Watches the first two literals of each clause.
    pub fn watch_all(&mut self) {
        self.watches.iter_mut().for_each(Vec::clear);
        self.units.clear();
        for id in 0..self.store.len() as ClauseId {
            self.watch(id);
        }
    }

    fn watch(&mut self, id: ClauseId) {
        match *self.store.get(id) {
            [first, second, ..] => {
                let watch = |blocker| Watcher {
                    clause: id,
                    blocker,
                };
                self.watches[first.code()].push(watch(second));
                self.watches[second.code()].push(watch(first));
            }
            [_] => self.units.push(id),
            [] => unreachable!("an empty clause ends the search before it is stored"),
        }
    }

    /// Adds a learned clause. Its first two literals are those to be unassigned first.
    pub fn learn(&mut self, clause: &[Lit], glue: u32) -> ClauseId {
        self.counts.learned += 1;
        let id = self.store.push(clause, glue);
        self.watch(id);
        id
    }

    /// Whether it is time to check the limits.
    #[inline]
    pub fn is_time_to_check(&mut self) -> bool {
        let is_time = self.work >= self.check_at;
        if is_time {
            self.check_at = self.work + WORK_PER_CHECK;
        }
        is_time
    }

    /// Whether a false literal may be left out of a learned clause.
    pub fn is_false_for_good(&self, literal: Lit) -> bool {
        self.assignment.levels[literal.var().index()] == 0 && self.derivations.is_none()
    }

    #[inline]
    pub fn level(&self) -> u32 {
        self.assignment.level_starts.len() as u32
    }

    /// Where the trail ends now.
    pub fn mark(&self) -> Mark {
        Mark {
            level: self.level(),
            trail: self.assignment.trail.len(),
        }
    }

    #[inline]
    pub fn is_true(&self, literal: Lit) -> bool {
        self.assignment.values[literal.code()] == TRUE
    }

    #[inline]
    pub fn is_false(&self, literal: Lit) -> bool {
        self.assignment.values[literal.code()] == FALSE
    }

    #[inline]
    pub fn is_open(&self, literal: Lit) -> bool {
        self.assignment.values[literal.code()] == OPEN
    }

    #[inline]
    pub fn is_universal(&self, literal: Lit) -> bool {
        self.has_universals && self.instance.quantifier(literal) == Quantifier::Forall
    }

    /// The component of a literal.
    #[inline]
    pub fn component(&self, literal: Lit) -> u64 {
        self.component_of[literal.var().index()]
    }

    /// Makes an open literal true.
    #[inline]
    pub fn assign(&mut self, literal: Lit, reason: ClauseId) {
        debug_assert!(self.is_open(literal));
        self.assignment.values[literal.code()] = TRUE;
        self.assignment.values[(!literal).code()] = FALSE;
        let variable = literal.var().index();
        self.assignment.levels[variable] = self.level();
        self.assignment.reasons[variable] = reason;
        self.assignment.trail.push(literal);
    }

    /// Begins a new level with a decided literal.
    pub fn decide(&mut self, literal: Lit) {
        self.assignment
            .level_starts
            .push(self.assignment.trail.len());
        self.assign(literal, NO_REASON);
    }

    /// Takes back all that was assigned after a mark.
    pub fn backtrack(&mut self, mark: Mark) {
        for literal in self.assignment.trail.drain(mark.trail..) {
            self.assignment.values[literal.code()] = OPEN;
            self.assignment.values[(!literal).code()] = OPEN;
        }
        self.assignment.level_starts.truncate(mark.level as usize);
        self.assignment.head = self.assignment.head.min(mark.trail);
    }

    /// The mark at the end of a level.
    pub fn end_of_level(&self, level: u32) -> Mark {
        let starts = self.assignment.level_starts.get(level as usize);
        Mark {
            level,
            trail: starts.copied().unwrap_or(self.assignment.trail.len()),
        }
    }

    /// Asks for the memory of what was learned. If there is none, or if there are very many learned
    /// clauses, some are forgotten; numbers of clauses held elsewhere are then wrong.
    ///
    /// # Errors
    /// If there is not enough memory even so.
    pub fn pay(&mut self, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        if self.store.learned() > self.max_learned {
            self.forget();
            self.max_learned += self.max_learned / policy::KEEP_MORE;
        }
        if self.take_memory(watch).is_ok() {
            return Ok(());
        }
        self.forget();
        self.take_memory(watch)
    }

    fn take_memory(&mut self, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        if self.store.bytes > self.paid {
            watch.take_memory(self.store.bytes - self.paid)?;
        } else {
            watch.give_memory_back(self.paid - self.store.bytes);
        }
        self.paid = self.store.bytes;
        Ok(())
    }

    /// Forgets all learned clauses. Nothing may be assigned.
    pub fn forget_learned(&mut self) {
        debug_assert!(
            self.assignment.trail.is_empty(),
            "a reason might be forgotten"
        );
        self.store.forget_learned();
        self.watch_all();
    }

    /// Forgets about half of the learned clauses, but no reasons.
    fn forget(&mut self) {
        let mut needed = vec![false; self.store.len()];
        for literal in &self.assignment.trail {
            let reason = self.assignment.reasons[literal.var().index()];
            if reason != NO_REASON {
                needed[reason as usize] = true;
            }
        }
        let numbers = self.store.forget(|id| needed[id as usize]);
        if let Some(derivations) = &mut self.derivations {
            derivations.renumber(&numbers);
        }
        for literal in &self.assignment.trail {
            let reason = &mut self.assignment.reasons[literal.var().index()];
            if *reason != NO_REASON {
                *reason = numbers[*reason as usize].expect("reasons are needed");
            }
        }
        self.watch_all();
    }
}
