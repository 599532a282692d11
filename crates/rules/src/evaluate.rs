//! Goal-directed evaluation of rules with tables.
//!
//! To answer a question (a relation with some arguments known) each of its rules is run: its
//! conditions are tried in the order of the [`Plan`], the last choice being taken back first. A
//! condition about a relation with rules is a question of its own; every question is answered
//! once and its answers are kept in a table. Only sentences that a question needs are derived, so relations
//! whose sentences cannot all be listed do no harm.
//!
//! Recursion. Questions that depend on each other are answered together in one evaluation. When a
//! rule comes to a condition whose table is still being filled, it stops there and becomes a
//! *consumer* of that table; each answer, present or future, is handed to it once. The evaluation
//! ends when every answer was handed to every consumer; then its tables are complete.
//!
//! Negation needs a complete table. Relations below the head are always complete in time. When the
//! relation depends on the head's, as in `(<= (goal p 0) (not (goal p 100)))`, the negated question
//! is answered in an evaluation of its own; questions that are open in another evaluation are
//! asked again there. If an evaluation comes back to the question with which one around it
//! began, then the rules are not stratified between ground sentences.

use super::ReasonerError;
use super::effort::Effort;
use super::index::Columns;
use super::plan::{Matcher, Plan, Source, Step, plan};
use super::program::{PredicateId, Program, RuleId};
use super::relation::Relation;
use super::rows::{Cursor, Data, Rows, TableRef, matches, matches_row};
use super::tables::{Consumer, Status};
use super::terms::{TermId, TermStore};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How many questions may be open inside each other.
const NESTING_LIMIT: usize = 400;

/// Questions of one evaluation that still have something to do.
#[derive(Clone, Default)]
struct Agenda {
    /// Questions whose rules were not run yet.
    start: Vec<usize>,
    /// Tables with answers for their consumers.
    feed: Vec<usize>,
    /// All questions of the evaluation.
    members: Vec<usize>,
}

/// The result of entering a step.
enum StepEntry {
    Pass,
    Fail,
    Choice,
}

/// The rows, rules and tables of a game in one state.
#[derive(Clone)]
pub struct Evaluator {
    /// All terms met so far.
    pub terms: TermStore,
    program: Arc<Program>,
    plans: FxHashMap<(RuleId, Columns), Arc<Plan>>,
    data: Data,
    /// By term: the number of the last state in which it was a fact.
    fact_in: Vec<u64>,
    state_number: u64,
    evaluation_count: u64,
    agendas: Vec<Agenda>,
    /// The questions with which the evaluations under way began.
    roots: Vec<TableRef>,
    nesting: usize,
    values: Vec<TermId>,
    scratch: Vec<TermId>,
    cursors: Vec<Cursor>,
    /// The effort that the present question may still cost.
    pub effort: Effort,
}

impl Evaluator {
    /// For a program and the facts of each of its relations.
    pub fn new(terms: TermStore, program: Program, stored: Vec<Relation>) -> Self {
        Evaluator {
            terms,
            plans: FxHashMap::default(),
            data: Data::new(stored, &program),
            program: Arc::new(program),
            fact_in: Vec::new(),
            state_number: 0,
            evaluation_count: 0,
            agendas: Vec::new(),
            roots: Vec::new(),
            nesting: 0,
            values: Vec::new(),
            scratch: Vec::new(),
            cursors: Vec::new(),
            effort: Effort::default(),
        }
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// Makes these the facts of the state.
    pub(super) fn load_state(&mut self, facts: &[TermId]) {
        self.data.load_state(facts, &self.terms, &self.program);
        self.state_number += 1;
        self.fact_in.resize(self.terms.len(), 0);
        for &fact in facts {
            self.fact_in[fact.index()] = self.state_number;
        }
    }

    /// Makes these the moves of the roles.
    pub(super) fn load_moves(&mut self, moves: &[(TermId, TermId)]) {
        self.data.load_moves(moves);
    }

    /// Forgets everything derived and whatever an error left half done.
    pub(super) fn reset(&mut self) {
        for tables in &mut self.data.tables {
            tables.clear();
        }
        self.agendas.clear();
        self.roots.clear();
        self.nesting = 0;
        self.values.clear();
        self.scratch.clear();
        self.cursors.clear();
    }

    /// All answers to a question: the values of the columns that are not given.
    pub fn ask(
        &mut self,
        predicate: PredicateId,
        columns: Columns,
        key: &[TermId],
    ) -> Result<&Relation, ReasonerError> {
        let level = self.program.predicates[predicate].level;
        let arity = self.program.predicates[predicate].arity;
        let number = self.data.tables[level as usize].find_or_add(predicate, arity, columns, key);
        let table = TableRef { level, number };
        if self.data.table(table).status == Status::New {
            self.evaluate(table)?;
        }
        Ok(&self.data.table(table).answers)
    }

    fn is_settled(&self, table: TableRef) -> bool {
        let table = self.data.table(table);
        table.is_settled(self.program.predicates[table.predicate].arity)
    }

    /// Fills the table of a new question, with all others that it takes.
    fn evaluate(&mut self, table: TableRef) -> Result<(), ReasonerError> {
        self.nesting += 1;
        if self.nesting > NESTING_LIMIT {
            return Err(ReasonerError::NestedTooDeep {
                limit: NESTING_LIMIT,
            });
        }
        self.evaluation_count += 1;
        let evaluation = self.evaluation_count;
        self.data.table_mut(table).status = Status::Active(evaluation);
        let predicate = self.data.table(table).predicate;
        if self.program.predicates[predicate].recursive {
            let tables = &self.data.tables[table.level as usize];
            let same = |root: &TableRef| {
                root.level == table.level && tables.same_question(root.number, table.number)
            };
            if self.roots.iter().any(same) {
                return Err(ReasonerError::NotStratified);
            }
            self.roots.push(table);
            self.agendas.push(Agenda {
                start: vec![table.number],
                feed: Vec::new(),
                members: vec![table.number],
            });
            while let Some(agenda) = self.agendas.last_mut() {
                let level = table.level;
                if let Some(number) = agenda.start.pop() {
                    self.run_rules(TableRef { level, number }, evaluation)?;
                } else if let Some(number) = agenda.feed.pop() {
                    self.feed(TableRef { level, number }, evaluation)?;
                } else {
                    break;
                }
            }
            self.roots.pop();
            let agenda = self.agendas.pop().unwrap_or_default();
            for number in agenda.members {
                let level = table.level;
                let member = self.data.table_mut(TableRef { level, number });
                member.status = Status::Complete;
                member.consumers = Vec::new();
            }
        } else {
            self.run_rules(table, evaluation)?;
            self.data.table_mut(table).status = Status::Complete;
        }
        self.nesting -= 1;
        Ok(())
    }

    /// Adds the facts for a question, then the answers of its rules.
    fn run_rules(&mut self, table: TableRef, evaluation: u64) -> Result<(), ReasonerError> {
        self.effort.keep()?;
        let (predicate, columns) = (
            self.data.table(table).predicate,
            self.data.table(table).columns,
        );
        if !self.data.stored[predicate].is_empty() {
            self.add_stored(table, predicate, columns)?;
        }
        let program = Arc::clone(&self.program);
        for &rule in &program.predicates[predicate].rules {
            if self.is_settled(table) {
                break;
            }
            self.effort.spend()?;
            let plan = self.plan(rule, columns)?;
            let base = self.values.len();
            self.values.resize(base + plan.variables, TermId::default());
            let key = self.data.key(table);
            let matched = plan.key.iter().zip(key).all(|(matcher, &value)| {
                matches(matcher, value, &mut self.values[base..], &self.terms)
            });
            if matched {
                self.run(&plan, 0, base, table, evaluation)?;
            }
            self.values.truncate(base);
        }
        Ok(())
    }

    fn add_stored(
        &mut self,
        table: TableRef,
        predicate: PredicateId,
        columns: Columns,
    ) -> Result<(), ReasonerError> {
        let source = Source::Stored(predicate);
        let start = self.scratch.len();
        self.scratch.extend_from_slice(self.data.key(table));
        let key = &self.scratch[start..];
        let mut cursor = self.data.cursor_on(source, columns, key, 0);
        self.scratch.truncate(start);
        while let Some(row) = self.data.next_row(&mut cursor) {
            self.effort.spend()?;
            let values = self.data.stored[predicate].row(row);
            for (column, &value) in values.iter().enumerate() {
                if !super::plan::contains(columns, column) {
                    self.scratch.push(value);
                }
            }
            self.add_answer(table, start)?;
        }
        Ok(())
    }

    fn plan(&mut self, rule: RuleId, columns: Columns) -> Result<Arc<Plan>, ReasonerError> {
        if let Some(plan) = self.plans.get(&(rule, columns)) {
            return Ok(Arc::clone(plan));
        }
        let program = Arc::clone(&self.program);
        let data = &mut self.data;
        let made = plan(
            &program,
            &program.rules[rule],
            columns,
            &mut |source, known| data.given(source).expected_rows(known),
        )?;
        let made = Arc::new(made);
        self.plans.insert((rule, columns), Arc::clone(&made));
        Ok(made)
    }

    /// Tries all choices from step `first` on.
    fn run(
        &mut self,
        plan: &Arc<Plan>,
        first: usize,
        base: usize,
        target: TableRef,
        evaluation: u64,
    ) -> Result<(), ReasonerError> {
        let bottom = self.cursors.len();
        let mut step = first;
        loop {
            let entered = if step == plan.steps.len() {
                self.answer(plan, base, target)?;
                if self.is_settled(target) {
                    self.cursors.truncate(bottom);
                    return Ok(());
                }
                StepEntry::Fail
            } else {
                self.enter(plan, step, base, target, evaluation)?
            };
            if matches!(entered, StepEntry::Pass) {
                step += 1;
                continue;
            }
            loop {
                if self.cursors.len() == bottom {
                    return Ok(());
                }
                let index = self.cursors.len() - 1;
                step = self.cursors[index].step;
                let Step::Search { rest, once, .. } = &plan.steps[step] else {
                    unreachable!("only searches leave a choice");
                };
                let found = self.advance(index, rest, base)?;
                if !found || *once {
                    self.cursors.pop();
                }
                if found {
                    step += 1;
                    break;
                }
            }
        }
    }

    fn enter(
        &mut self,
        plan: &Arc<Plan>,
        step: usize,
        base: usize,
        target: TableRef,
        evaluation: u64,
    ) -> Result<StepEntry, ReasonerError> {
        let pass = match &plan.steps[step] {
            Step::Distinct(left, right) => self.build(left, base)? != self.build(right, base)?,
            Step::Holds { positive, fact } => {
                let fact = self.build(fact, base)?;
                let holds = self.fact_in.get(fact.index()) == Some(&self.state_number);
                holds == *positive
            }
            Step::Search {
                positive,
                source,
                columns,
                key,
                rest,
                ..
            } => {
                let start = self.scratch.len();
                for matcher in key {
                    let value = self.build(matcher, base)?;
                    self.scratch.push(value);
                }
                let cursor = match *source {
                    Source::Call { predicate, inner } => {
                        let open = if inner && *positive {
                            Some(evaluation)
                        } else {
                            None
                        };
                        let (table, complete) = self.call(predicate, *columns, start, open)?;
                        if !complete {
                            self.scratch.truncate(start);
                            self.consume(table, plan, step, base, target);
                            return Ok(StepEntry::Fail);
                        }
                        Cursor {
                            step,
                            rows: Rows::Answers(table),
                            row: 0,
                            index: None,
                        }
                    }
                    given => {
                        let key = &self.scratch[start..];
                        self.data.cursor_on(given, *columns, key, step)
                    }
                };
                self.scratch.truncate(start);
                if *positive && !rest.is_empty() {
                    self.cursors.push(cursor);
                    return Ok(StepEntry::Choice);
                }
                self.cursors.push(cursor);
                let index = self.cursors.len() - 1;
                let found = self.advance(index, rest, base)?;
                self.cursors.pop();
                found == *positive
            }
        };
        Ok(if pass {
            StepEntry::Pass
        } else {
            StepEntry::Fail
        })
    }

    /// Moves a cursor to its next match; returns whether there is one.
    fn advance(
        &mut self,
        index: usize,
        rest: &[(usize, Matcher)],
        base: usize,
    ) -> Result<bool, ReasonerError> {
        loop {
            let mut cursor = self.cursors[index];
            let Some(row) = self.data.next_row(&mut cursor) else {
                return Ok(false);
            };
            self.cursors[index] = cursor;
            self.effort.spend()?;
            let values = self.data.relation(cursor.rows).row(row);
            let answers = matches!(cursor.rows, Rows::Answers(_));
            if matches_row(rest, answers, values, &mut self.values[base..], &self.terms) {
                return Ok(true);
            }
        }
    }

    /// The table of a question whose key is on the scratch stack from `start`. It is complete
    /// unless it belongs to the evaluation `open`.
    fn call(
        &mut self,
        predicate: PredicateId,
        columns: Columns,
        start: usize,
        open: Option<u64>,
    ) -> Result<(TableRef, bool), ReasonerError> {
        let level = self.program.predicates[predicate].level;
        let arity = self.program.predicates[predicate].arity;
        let key = &self.scratch[start..];
        let tables = &mut self.data.tables[level as usize];
        let mut number = tables.find_or_add(predicate, arity, columns, key);
        match tables.table(number).status {
            Status::Complete => return Ok((TableRef { level, number }, true)),
            Status::Active(active) if open == Some(active) => {
                return Ok((TableRef { level, number }, false));
            }
            // Its answers are needed before the evaluation that it belongs to goes on.
            Status::Active(_) => number = tables.add_again(number),
            Status::New => {}
        }
        let table = TableRef { level, number };
        let Some(evaluation) = open else {
            self.evaluate(table)?;
            return Ok((table, true));
        };
        self.data.table_mut(table).status = Status::Active(evaluation);
        if let Some(agenda) = self.agendas.last_mut() {
            agenda.start.push(number);
            agenda.members.push(number);
        }
        Ok((table, false))
    }

    /// Stops a rule at a step until the table has answers.
    fn consume(
        &mut self,
        table: TableRef,
        plan: &Arc<Plan>,
        step: usize,
        base: usize,
        target: TableRef,
    ) {
        let consumer = Consumer {
            plan: Arc::clone(plan),
            step,
            values: self.values[base..base + plan.variables].into(),
            target: target.number,
            next: 0,
        };
        let consumed = self.data.table_mut(table);
        consumed.consumers.push(consumer);
        if !consumed.answers.is_empty() {
            self.queue(table);
        }
    }

    fn queue(&mut self, table: TableRef) {
        if !std::mem::replace(&mut self.data.table_mut(table).queued, true)
            && let Some(agenda) = self.agendas.last_mut()
        {
            agenda.feed.push(table.number);
        }
    }

    /// Hands the answers of a table to its consumers.
    fn feed(&mut self, table: TableRef, evaluation: u64) -> Result<(), ReasonerError> {
        self.data.table_mut(table).queued = false;
        let mut index = 0;
        // Consumers and answers may be added meanwhile.
        while index < self.data.table(table).consumers.len() {
            loop {
                let source = self.data.table_mut(table);
                let consumer = &mut source.consumers[index];
                let target = TableRef {
                    level: table.level,
                    number: consumer.target,
                };
                if consumer.next == source.answers.len() {
                    break;
                }
                let row = consumer.next;
                consumer.next += 1;
                let base = self.values.len();
                self.values.extend_from_slice(&consumer.values);
                let (plan, step) = (Arc::clone(&consumer.plan), consumer.step);
                let Step::Search { rest, .. } = &plan.steps[step] else {
                    unreachable!("only searches wait for answers");
                };
                self.effort.spend()?;
                let answer = source.answers.row(row);
                if matches_row(rest, true, answer, &mut self.values[base..], &self.terms)
                    && !self.is_settled(target)
                {
                    self.run(&plan, step + 1, base, target, evaluation)?;
                }
                self.values.truncate(base);
            }
            index += 1;
        }
        Ok(())
    }

    /// Adds the head of a rule whose conditions all hold.
    fn answer(&mut self, plan: &Plan, base: usize, target: TableRef) -> Result<(), ReasonerError> {
        let start = self.scratch.len();
        for matcher in &plan.answer {
            let value = self.build(matcher, base)?;
            self.scratch.push(value);
        }
        self.add_answer(target, start)
    }

    /// Adds the row on the scratch stack from `start` on, and takes it off the stack.
    fn add_answer(&mut self, target: TableRef, start: usize) -> Result<(), ReasonerError> {
        let table = self.data.table_mut(target);
        let new = table.answers.insert_new(&self.scratch[start..]);
        self.scratch.truncate(start);
        if new {
            self.effort.keep()?;
            if !self.data.table(target).consumers.is_empty() {
                self.queue(target);
            }
        }
        Ok(())
    }

    /// The term that a matcher without fresh variables stands for.
    fn build(&mut self, matcher: &Matcher, base: usize) -> Result<TermId, ReasonerError> {
        match matcher {
            Matcher::Ground(term) => Ok(*term),
            Matcher::Known(variable) | Matcher::Fresh(variable) => Ok(self.values[base + variable]),
            Matcher::Function(name, arguments) => {
                let start = self.scratch.len();
                for argument in arguments {
                    let value = self.build(argument, base)?;
                    self.scratch.push(value);
                }
                let term = self.terms.intern(*name, &self.scratch[start..]);
                self.scratch.truncate(start);
                term
            }
        }
    }
}
