//! All instances of a game's rules that can matter, found by relaxed reachability.
//!
//! The relaxed game has one state, which only grows: facts stay true once they can be, every role
//! makes every move that can be legal, and negation of what changes is ignored. So every fact, move
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
//! joined with the rows that are visible already, see [`super::plan`].

use super::plan::{Join, Layout, Search, Step, TableId, join, trigger_table};
use super::split::split_rules;
use super::table::{ALWAYS, Atom, Table};
use super::{StepError, StepLimits};
use crate::game::Game;
use crate::gdl::Term;
use crate::machine::evaluate::Evaluator;
use crate::machine::plan::Matcher;
use crate::machine::program::{Level, Program, Subject};
use crate::machine::relation::END;
use crate::machine::rows::matches;
use crate::machine::terms::{TermId, TermStore};
use crate::machine::{Limits, ReasonerError};
use std::rc::Rc;

/// How many joint steps of all joins pass between two looks at the clock.
const STEPS_BETWEEN_LOOKS: u64 = 0x1000;

/// A literal of an instance: twice the atom, plus one if negated.
pub(super) type GroundLiteral = u32;

/// The instances of a game's rules.
pub(super) struct GroundRules {
    pub(super) terms: TermStore,
    /// Heads of the instances.
    pub(super) heads: Vec<Atom>,
    /// Where the body of each instance ends in `literals`.
    pub(super) ends: Vec<u32>,
    pub(super) literals: Vec<GroundLiteral>,
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

impl GroundRules {
    /// The body of an instance.
    pub(super) fn body(&self, instance: usize) -> &[GroundLiteral] {
        let start = instance
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.literals[start as usize..self.ends[instance] as usize]
    }
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
    evaluator.budget.refill(&Limits {
        derivation_steps: limits.join_steps,
        derived_rows: limits.atoms as u64,
        term_depth: limits.term_depth,
        deadline: limits.deadline,
    })?;
    let named = program.predicates.len();
    split_rules(&mut program);
    let layout = Layout::new(&program);
    let mut tables = layout.tables();
    for (predicate, found) in program.predicates.iter().enumerate().take(named) {
        let mut show = |row: &[TermId]| {
            if tables[predicate].find(row).is_none() {
                let row = tables[predicate].add(row, ALWAYS);
                tables[predicate].make_possible(row);
                tables[predicate].show(row);
            }
        };
        if found.level > Level::Static {
            stored[predicate].rows().for_each(show);
        } else if !is_listing_only(&program, predicate) {
            let rows = evaluator.ask(predicate, 0, &[])?;
            rows.rows().for_each(&mut show);
        }
    }
    let mut grounder = Grounder {
        terms: evaluator.terms,
        layout,
        tables,
        roles,
        program: Rc::new(program),
        limits,
        triggers: Vec::new(),
        queue: Vec::new(),
        origins: Vec::new(),
        rules: (Vec::new(), Vec::new(), Vec::new()),
        steps: 0,
        values: Vec::new(),
        scratch: Vec::new(),
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
            .any(|rule| crate::machine::program::subjects(rule).any(|s| asked(&s)))
}

/// A place where a search can go on.
struct Cursor {
    step: usize,
    /// The next row of a chain, or the next place in the order of all rows.
    next: u32,
    /// The row taken last.
    row: u32,
}

/// A condition of a rule that a new row of some table can make fire.
struct Trigger {
    rule: usize,
    place: usize,
    join: Option<Rc<Join>>,
}

struct Grounder<'a> {
    terms: TermStore,
    layout: Layout,
    tables: Vec<Table>,
    roles: Vec<TermId>,
    program: Rc<Program>,
    limits: &'a StepLimits,
    /// By table.
    triggers: Vec<Vec<Trigger>>,
    /// Rows that are possible but not visible yet, from `queue_start` on.
    queue: Vec<(TableId, u32)>,
    /// Where each atom comes from.
    origins: Vec<(TableId, u32)>,
    /// Heads, ends and literals of instances.
    rules: (Vec<Atom>, Vec<u32>, Vec<GroundLiteral>),
    steps: u64,
    values: Vec<TermId>,
    scratch: Vec<TermId>,
}

impl Grounder<'_> {
    fn run(&mut self, starts: Vec<TermId>) -> Result<(), StepError> {
        let program = Rc::clone(&self.program);
        self.triggers.resize_with(self.tables.len(), Vec::new);
        let changes = changes(&program);
        for (number, rule) in program.rules.iter().enumerate() {
            if !changes(Subject::Derived(rule.predicate)) {
                continue;
            }
            for (place, condition) in rule.body.iter().enumerate() {
                if let Some(table) = trigger_table(&self.layout, &changes, condition) {
                    self.triggers[table].push(Trigger {
                        rule: number,
                        place,
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
                .any(|condition| trigger_table(&self.layout, &changes, condition).is_some());
            if changes(Subject::Derived(rule.predicate)) && !waits {
                let join = join(rule, None, &self.layout, &changes, &mut self.tables)?;
                self.fire(&join, None)?;
            }
        }
        let mut next = 0;
        while let Some(&(table, row)) = self.queue.get(next) {
            next += 1;
            self.tables[table].show(row);
            self.follow(table, row)?;
            for place in 0..self.triggers[table].len() {
                let trigger = &mut self.triggers[table][place];
                let join = match &trigger.join {
                    Some(join) => Rc::clone(join),
                    None => {
                        let rule = &program.rules[trigger.rule];
                        let place = Some(trigger.place);
                        let made =
                            Rc::new(join(rule, place, &self.layout, &changes, &mut self.tables)?);
                        trigger.join = Some(Rc::clone(&made));
                        made
                    }
                };
                self.fire(&join, Some((table, row)))?;
            }
        }
        Ok(())
    }

    /// What a possible row means for the next state: a fact that comes true, a move that can be
    /// made.
    fn follow(&mut self, table: TableId, row: u32) -> Result<(), StepError> {
        let values = self.tables[table].row(row);
        if self.program.find("next", 1) == Some(table) {
            self.make_fact(values[0])
        } else if self.program.find("legal", 2) == Some(table) {
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
    fn known(&mut self, table: TableId, values: &[TermId]) -> Result<u32, StepError> {
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

    /// Finds all instances of a rule in which its trigger is this row.
    fn fire(&mut self, join: &Join, new: Option<(TableId, u32)>) -> Result<(), StepError> {
        self.values.clear();
        self.values.resize(join.variables, TermId::default());
        if let Some((table, row)) = new {
            let row = self.tables[table].row(row);
            let values = &mut self.values;
            let mut columns = join.trigger.iter().zip(row);
            if !columns.all(|(matcher, &value)| matches(matcher, value, values, &self.terms)) {
                return Ok(());
            }
        }
        let new_row = new.map_or(END, |(_, row)| row);
        let mut cursors: Vec<Cursor> = Vec::new();
        let mut step = 0;
        loop {
            self.spend()?;
            let passed = match join.steps.get(step) {
                None => {
                    self.emit(join, &cursors, new)?;
                    // Other choices at the end that only decide would give the same instance.
                    while cursors
                        .last()
                        .is_some_and(|cursor| decides_only(join, cursor))
                    {
                        cursors.pop();
                    }
                    false
                }
                Some(Step::Distinct(left, right)) => self.build(left)? != self.build(right)?,
                Some(Step::Absent { table, key }) => {
                    self.build_all(key)?;
                    let row = self.tables[*table].find(&self.scratch);
                    row.is_none_or(|row| !self.tables[*table].is_possible(row))
                }
                Some(Step::Search(search)) => {
                    let next = match search.index {
                        Some(index) => {
                            self.build_all(&search.key)?;
                            self.tables[search.table].first_with(index, &self.scratch)
                        }
                        None => 0,
                    };
                    cursors.push(Cursor {
                        step,
                        next,
                        row: END,
                    });
                    // The way back is the way forward: take the next row of the last cursor.
                    false
                }
            };
            if passed {
                step += 1;
                continue;
            }
            loop {
                let Some(cursor) = cursors.last_mut() else {
                    return Ok(());
                };
                let Some(Step::Search(search)) = join.steps.get(cursor.step) else {
                    unreachable!("only searches have cursors");
                };
                let exhausted = search.once && cursor.row != END;
                let found = !exhausted
                    && advance(
                        cursor,
                        search,
                        new_row,
                        &self.tables[search.table],
                        &mut self.values,
                        &self.terms,
                        &mut self.steps,
                    );
                if found {
                    step = cursor.step + 1;
                    break;
                }
                cursors.pop();
            }
        }
    }

    fn spend(&mut self) -> Result<(), StepError> {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_BETWEEN_LOOKS) {
            self.limits.look()?;
        }
        if self.steps > self.limits.join_steps {
            return Err(StepError::TooManySteps(self.limits.join_steps));
        }
        Ok(())
    }

    /// Keeps the instance that the cursors stand at.
    fn emit(
        &mut self,
        join: &Join,
        cursors: &[Cursor],
        new: Option<(TableId, u32)>,
    ) -> Result<(), StepError> {
        let start = self.rules.2.len();
        for (table, key) in &join.negated {
            self.build_all(key)?;
            let key = std::mem::take(&mut self.scratch);
            let row = self.known(*table, &key);
            self.scratch = key;
            let atom = self.tables[*table].atom(row?);
            if atom == ALWAYS {
                self.rules.2.truncate(start);
                return Ok(());
            }
            self.rules.2.push(2 * atom + 1);
        }
        self.build_all(&join.head)?;
        let values = std::mem::take(&mut self.scratch);
        let head = self.known(join.head_table, &values);
        self.scratch = values;
        let head = head?;
        let head_atom = self.tables[join.head_table].atom(head);
        let searched = cursors.iter().map(|cursor| match &join.steps[cursor.step] {
            Step::Search(search) => self.tables[search.table].atom(cursor.row),
            _ => unreachable!("only searches have cursors"),
        });
        let new = new.map(|(table, row)| self.tables[table].atom(row));
        // Rows of relations that never change are marked in the same way.
        let atoms = new
            .into_iter()
            .chain(searched)
            .filter(|atom| *atom != ALWAYS);
        self.rules.2.extend(atoms.map(|atom| 2 * atom));
        if head_atom == ALWAYS || self.rules.2[start..].contains(&(2 * head_atom)) {
            self.rules.2.truncate(start);
            return Ok(());
        }
        if self.rules.0.len() >= self.limits.instances {
            return Err(StepError::TooManyInstances(self.limits.instances));
        }
        self.rules.0.push(head_atom);
        self.rules.1.push(self.rules.2.len() as u32);
        if self.tables[join.head_table].make_possible(head) {
            self.queue.push((join.head_table, head));
        }
        Ok(())
    }

    fn build_all(&mut self, matchers: &[Matcher]) -> Result<(), ReasonerError> {
        let mut built = std::mem::take(&mut self.scratch);
        built.clear();
        for matcher in matchers {
            built.push(self.build(matcher)?);
        }
        self.scratch = built;
        Ok(())
    }

    /// The term that a matcher stands for, all of whose variables have values.
    fn build(&mut self, matcher: &Matcher) -> Result<TermId, ReasonerError> {
        match matcher {
            Matcher::Ground(term) => Ok(*term),
            Matcher::Known(variable) | Matcher::Fresh(variable) => Ok(self.values[*variable]),
            Matcher::Function(name, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| self.build(argument))
                    .collect::<Result<Vec<_>, _>>()?;
                self.terms.intern(*name, &arguments)
            }
        }
    }

    fn finish(self) -> GroundRules {
        let (heads, ends, literals) = self.rules;
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
            heads,
            ends,
            literals,
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

/// Which subjects of conditions change with state or moves.
fn changes(program: &Program) -> impl Fn(Subject) -> bool + '_ {
    |subject| match subject {
        Subject::True | Subject::Does => true,
        Subject::Derived(predicate) => program.predicates[predicate].level > Level::Static,
    }
}

fn decides_only(join: &Join, cursor: &Cursor) -> bool {
    matches!(&join.steps[cursor.step], Step::Search(search) if search.decides_only)
}

/// Moves a cursor to its next match; tells whether there is one.
fn advance(
    cursor: &mut Cursor,
    search: &Search,
    new_row: u32,
    table: &Table,
    values: &mut [TermId],
    terms: &TermStore,
    steps: &mut u64,
) -> bool {
    loop {
        let row = match search.index {
            Some(index) => {
                let row = cursor.next;
                if row == END {
                    return false;
                }
                cursor.next = table.next_in(index, row);
                row
            }
            None => {
                let Some(row) = table.visible(cursor.next as usize) else {
                    return false;
                };
                cursor.next += 1;
                row
            }
        };
        *steps += 1;
        if search.older && row == new_row {
            continue;
        }
        let values_of_row = table.row(row);
        let matched = search
            .rest
            .iter()
            .all(|(column, matcher)| matches(matcher, values_of_row[*column], values, terms));
        if matched {
            cursor.row = row;
            return true;
        }
    }
}
