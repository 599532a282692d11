//! All instances of a game's rules that can matter, found by relaxed reachability.
//!
//! The relaxed game has one state, which only grows: facts stay true once they can be, every role
//! makes every move that can be legal, and negation of sentences that change is ignored. So every fact, move
//! and sentence of the real game is found, with the instances of the rules that can derive it.
//! Relations that never change are evaluated once, by the [`Evaluator`]; conditions about them are
//! decided here and leave no trace in the instances.
//!
//! ```text
//! (succ 1 2) (init (step 1))
//! (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n) (not (true stop)))
//!
//! facts      (step 1) (step 2)
//! instances  (next (step 2)) <= (true (step 1))       since nothing can make `stop` true
//! ```
//!
//! The work goes row by row (semi-naive evaluation): a row that is new becomes visible and is
//! joined with the rows that are visible already ([`super::plan`], [`super::fire`]).

use super::instances::{GroundLiteral, Instances};
use super::layout::{Layout, TableId};
use super::plan::{join, trigger};
use super::split::split_rules;
use super::table::{ALWAYS, Atom, Table};
use super::triggers::{Trigger, Triggers};
use super::{StepError, StepLimits};
use gdl::Term;
use gdl::game::Game;
use rules::RuleLimits;
use rules::compiled::Evaluator;
use rules::compiled::{Level, Program, Subject, subjects};
use rules::compiled::{TermId, TermStore};
use std::rc::Rc;

/// The longest rule that is taken. An order of conditions is found for each of them as the trigger,
/// in time that grows with the cube of their number.
const MAX_CONDITIONS: usize = 256;

/// The instances of a game's rules.
pub(super) struct GroundRules {
    pub(super) terms: TermStore,
    pub(super) instances: Instances,
    /// For each atom whether something can make it true.
    pub(super) possible: Vec<bool>,
    /// Facts that can be true, with their atoms.
    pub(super) facts: Vec<(TermId, Atom)>,
    /// For each role, its moves that can be legal, with their atoms.
    pub(super) moves: Vec<Vec<(TermId, Atom)>>,
    pub(super) initial: Vec<TermId>,
    pub(super) next: Vec<(TermId, Atom)>,
    pub(super) legal: Vec<Vec<(TermId, Atom)>>,
    pub(super) goals: Vec<Vec<(TermId, Atom)>>,
    pub(super) terminal: Option<Atom>,
}

/// Finds the instances of a game's rules.
pub(super) fn ground_rules(
    game: &Game,
    starts: &[Vec<Term>],
    limits: &StepLimits,
) -> Result<GroundRules, StepError> {
    let mut terms = TermStore::new(limits.term_depth);
    let (mut program, stored) = Program::compile(game, &mut terms)?;
    let roles = game
        .roles()
        .iter()
        .map(|role| terms.intern_term(&Term::Constant(role.clone())))
        .collect::<Result<Vec<_>, _>>()?;
    let starts = starts
        .iter()
        .flatten()
        .map(|fact| terms.intern_term(fact))
        .collect::<Result<Vec<_>, _>>()?;
    let mut evaluator = Evaluator::new(terms, program.clone(), stored.clone());
    evaluator.effort.refill(&RuleLimits {
        derivation_steps: limits.join_steps,
        derived_rows: limits.atoms as u64,
        term_depth: limits.term_depth,
        overall: limits.overall.clone(),
    })?;
    let named = program.predicates.len();
    split_rules(&mut program);
    let layout = Layout::new(&program);
    let mut tables = layout.tables();
    for (predicate, found) in program.predicates.iter().enumerate().take(named) {
        let table = &mut tables[predicate];
        let mut add = |row: &[TermId]| {
            if table.find(row).is_none() {
                let row = table.add(row, ALWAYS);
                table.make_possible(row);
                // Where other rows come later, this one comes with them.
                if found.level == Level::Static {
                    table.show(row);
                }
            }
        };
        if found.level > Level::Static {
            stored[predicate].rows().for_each(add);
        } else if !is_listing_only(&program, predicate) {
            let rows = evaluator.ask(predicate, 0, &[])?;
            rows.rows().for_each(&mut add);
        }
    }
    let mut grounder = Grounder {
        terms: evaluator.terms,
        layout,
        tables,
        roles,
        next: program.find("next", 1),
        legal: program.find("legal", 2),
        program: Rc::new(program),
        limits,
        triggers: Vec::new(),
        waiting: Vec::new(),
        queue: Vec::new(),
        origins: Vec::new(),
        instances: Instances::default(),
        steps: 0,
        values: Vec::new(),
        scratch: Vec::new(),
        body: Vec::new(),
    };
    grounder.run(starts)?;
    Ok(grounder.finish())
}

/// Whether the relation is there for people and other programs only: `base` and `input` when no
/// rule asks for them.
fn is_listing_only(program: &Program, predicate: usize) -> bool {
    let listing = [program.find("base", 1), program.find("input", 2)];
    let asked = |subject: &Subject| *subject == Subject::Derived(predicate);
    listing.contains(&Some(predicate))
        && !program
            .rules
            .iter()
            .any(|rule| subjects(rule).any(|s| asked(&s)))
}

/// The rows that are followed between two checks of the limits.
const ROWS_BETWEEN_LOOKS: usize = 1 << 12;

/// The relaxed game while it grows.
pub(super) struct Grounder<'a> {
    pub(super) terms: TermStore,
    pub(super) layout: Layout,
    pub(super) tables: Vec<Table>,
    roles: Vec<TermId>,
    program: Rc<Program>,
    /// The tables of `next` and `legal`.
    next: Option<TableId>,
    legal: Option<TableId>,
    pub(super) limits: &'a StepLimits,
    triggers: Vec<Trigger>,
    /// By table.
    waiting: Vec<Triggers>,
    /// Rows that are possible but not visible yet, in the order in which they will be.
    pub(super) queue: Vec<(TableId, u32)>,
    /// Where each atom comes from.
    pub(super) origins: Vec<(TableId, u32)>,
    pub(super) instances: Instances,
    pub(super) steps: u64,
    /// The values of the variables of the rule under way, a row, and a body, while they are made.
    pub(super) values: Vec<TermId>,
    pub(super) scratch: Vec<TermId>,
    pub(super) body: Vec<GroundLiteral>,
}

impl Grounder<'_> {
    fn run(&mut self, starts: Vec<TermId>) -> Result<(), StepError> {
        let program = Rc::clone(&self.program);
        self.waiting
            .resize_with(self.tables.len(), Triggers::default);
        let changes = changes(&program);
        for (number, rule) in program.rules.iter().enumerate() {
            if !changes(Subject::Derived(rule.predicate)) {
                continue;
            }
            if rule.body.len() > MAX_CONDITIONS {
                return Err(StepError::RuleTooLong(MAX_CONDITIONS));
            }
            for (index, condition) in rule.body.iter().enumerate() {
                if let Some((table, ground)) = trigger(&self.layout, &changes, condition) {
                    self.waiting[table].add(self.triggers.len(), ground);
                    self.triggers.push(Trigger {
                        rule: number,
                        index,
                        join: None,
                    });
                }
            }
        }
        for predicate in 0..program.predicates.len() {
            let rows = self.tables[predicate].len();
            for row in 0..rows {
                if changes(Subject::Derived(predicate)) {
                    self.queue.push((predicate, row));
                } else {
                    self.follow(predicate, row)?;
                }
            }
        }
        if let Some(init) = program.find("init", 1) {
            for row in 0..self.tables[init].len() {
                let fact = self.tables[init].row(row)[0];
                self.make_fact(fact)?;
            }
        }
        for fact in starts {
            self.make_fact(fact)?;
        }
        for rule in &program.rules {
            let waits = rule
                .body
                .iter()
                .any(|condition| trigger(&self.layout, &changes, condition).is_some());
            if changes(Subject::Derived(rule.predicate)) && !waits {
                let join = join(rule, None, &self.layout, &changes, &mut self.tables)?;
                self.fire(&join, None)?;
            }
        }
        let mut next = 0;
        let mut matching = Vec::new();
        while let Some(&(table, row)) = self.queue.get(next) {
            next += 1;
            if next.is_multiple_of(ROWS_BETWEEN_LOOKS) {
                self.limits.check()?;
            }
            self.tables[table].show(row);
            self.follow(table, row)?;
            matching.clear();
            matching.extend(self.waiting[table].for_row(self.tables[table].row(row)));
            for &number in &matching {
                let trigger = &mut self.triggers[number];
                let join = match &trigger.join {
                    Some(join) => Rc::clone(join),
                    None => {
                        self.limits.check()?;
                        let rule = &program.rules[trigger.rule];
                        let index = Some(trigger.index);
                        let made =
                            Rc::new(join(rule, index, &self.layout, &changes, &mut self.tables)?);
                        trigger.join = Some(Rc::clone(&made));
                        made
                    }
                };
                self.fire(&join, Some((table, row)))?;
            }
        }
        Ok(())
    }

    /// Takes the consequence of a possible row for the next state: a fact that comes true, a move that can be
    /// made.
    fn follow(&mut self, table: TableId, row: u32) -> Result<(), StepError> {
        let values = self.tables[table].row(row);
        if self.next == Some(table) {
            self.make_fact(values[0])
        } else if self.legal == Some(table) {
            let (role, action) = (values[0], values[1]);
            if self.roles.contains(&role) {
                self.make_move(role, action)
            } else {
                Ok(())
            }
        } else {
            Ok(())
        }
    }

    fn make_fact(&mut self, fact: TermId) -> Result<(), StepError> {
        let facts = self.layout.facts();
        let row = self.known(facts, &[fact])?;
        if !self.tables[facts].make_possible(row) {
            return Ok(());
        }
        self.queue.push((facts, row));
        let arguments = self.terms.arguments(fact);
        let feature = self
            .layout
            .feature(self.terms.function(fact), arguments.len());
        if let Some(table) = feature {
            let atom = self.tables[facts].atom(row);
            let row = self.tables[table].add(arguments, atom);
            self.tables[table].make_possible(row);
            self.queue.push((table, row));
        }
        Ok(())
    }

    fn make_move(&mut self, role: TermId, action: TermId) -> Result<(), StepError> {
        let moves = self.layout.moves();
        let row = self.known(moves, &[role, action])?;
        if !self.tables[moves].make_possible(row) {
            return Ok(());
        }
        self.queue.push((moves, row));
        let inner = self.terms.arguments(action);
        let feature = self
            .layout
            .move_feature(self.terms.function(action), inner.len());
        if let Some(table) = feature {
            let atom = self.tables[moves].atom(row);
            let mut values = vec![role];
            values.extend_from_slice(inner);
            let row = self.tables[table].add(&values, atom);
            self.tables[table].make_possible(row);
            self.queue.push((table, row));
        }
        Ok(())
    }

    /// The row with these values; a new one gets an atom.
    pub(super) fn known(&mut self, table: TableId, values: &[TermId]) -> Result<u32, StepError> {
        if let Some(row) = self.tables[table].find(values) {
            return Ok(row);
        }
        if self.origins.len() >= self.limits.atoms {
            return Err(StepError::TooManyAtoms(self.limits.atoms));
        }
        let atom = self.origins.len() as Atom;
        let row = self.tables[table].add(values, atom);
        self.origins.push((table, row));
        Ok(row)
    }

    fn finish(self) -> GroundRules {
        let find = |name, arity| self.program.find(name, arity);
        let possible_rows = |table: TableId| {
            let table = &self.tables[table];
            (0..table.len())
                .filter(|&row| table.is_possible(row))
                .map(|row| (table.row(row), table.atom(row)))
        };
        let of_roles = |table: Option<TableId>| -> Vec<Vec<(TermId, Atom)>> {
            let mut lists = vec![Vec::new(); self.roles.len()];
            for (row, atom) in table.into_iter().flat_map(possible_rows) {
                if let Some(role) = self.roles.iter().position(|role| *role == row[0]) {
                    lists[role].push((row[1], atom));
                }
            }
            lists
        };
        let terms_of = |table: Option<TableId>| -> Vec<(TermId, Atom)> {
            let rows = table.into_iter().flat_map(possible_rows);
            rows.map(|(row, atom)| (row[0], atom)).collect()
        };
        let possible = self
            .origins
            .iter()
            .map(|&(table, row)| self.tables[table].is_possible(row))
            .collect();
        let initial = terms_of(find("init", 1));
        let terminal = find("terminal", 0).and_then(|table| possible_rows(table).next());
        GroundRules {
            instances: self.instances,
            possible,
            facts: terms_of(Some(self.layout.facts())),
            moves: of_roles(Some(self.layout.moves())),
            initial: initial.into_iter().map(|(fact, _)| fact).collect(),
            next: terms_of(find("next", 1)),
            legal: of_roles(find("legal", 2)),
            goals: of_roles(find("goal", 2)),
            terminal: terminal.map(|(_, atom)| atom),
            terms: self.terms,
        }
    }
}

/// The subjects of conditions that change with state or moves.
fn changes(program: &Program) -> impl Fn(Subject) -> bool + '_ {
    |subject| match subject {
        Subject::True | Subject::Does => true,
        Subject::Derived(predicate) => program.predicates[predicate].level > Level::Static,
    }
}
