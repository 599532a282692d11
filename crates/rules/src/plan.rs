//! In which order the conditions of a rule are tried, given which arguments of the head are known.
//!
//! The order is greedy: conditions that can be decided without a choice come first, then the sentence with the
//! fewest expected matches. Since the order is fixed beforehand, it is known for each position of each
//! sentence whether its variable has a value by then ([`Matcher::Known`]) or gets it there
//! ([`Matcher::Fresh`]); so nothing has to be undone when a choice is taken back.

use super::ReasonerError;
use super::index::Columns;
use super::program::{CompiledRule, Condition, Pattern, PredicateId, Program, Subject, Variable};
use super::terms::{NameId, TermId};

/// A term of a rule at the place where it is used.
#[derive(Clone, Debug)]
pub enum Matcher {
    Ground(TermId),
    /// A variable with a value.
    Known(Variable),
    /// A variable that gets its value here.
    Fresh(Variable),
    /// A function of such terms.
    Function(NameId, Vec<Matcher>),
}

/// Where the rows for a sentence come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// Facts of the state with a certain function; a row holds its arguments.
    Feature(usize),
    /// All facts of the state.
    AllFacts,
    /// Roles with their moves.
    Moves,
    /// A relation without rules.
    Stored(PredicateId),
    /// A relation with rules. `inner` when it depends on the relation of the rule's head as well.
    Call { predicate: PredicateId, inner: bool },
}

/// One condition of a rule.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Distinct(Matcher, Matcher),
    /// The term is a fact of the state.
    Holds {
        positive: bool,
        fact: Matcher,
    },
    /// Some row has the values of `key` in `columns` and matches `rest`, given by column.
    Search {
        positive: bool,
        source: Source,
        columns: Columns,
        key: Vec<Matcher>,
        rest: Vec<(usize, Matcher)>,
        /// Nothing that the row gives a value to is used later, so one row is enough.
        once: bool,
    },
}

/// A rule with the order of its conditions.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Matchers for the known columns of the head.
    pub(super) key: Vec<Matcher>,
    pub(super) steps: Vec<Step>,
    /// The other columns of the head.
    pub(super) answer: Vec<Matcher>,
    pub(super) variables: usize,
}

/// Whether the column is in the set.
pub(super) fn contains(columns: Columns, column: usize) -> bool {
    column < Columns::BITS as usize && columns >> column & 1 == 1
}

/// Orders the conditions of a rule whose head is known in these columns. `expected_rows` estimates
/// the matches in a source when these columns are known.
pub(super) fn plan(
    program: &Program,
    rule: &CompiledRule,
    known_columns: Columns,
    expected_rows: &mut dyn FnMut(Source, Columns) -> f64,
) -> Result<Plan, ReasonerError> {
    let mut known = vec![false; rule.variables];
    let mut key = Vec::new();
    for (column, pattern) in rule.head.iter().enumerate() {
        if contains(known_columns, column) {
            key.push(matcher(pattern, &mut known));
        }
    }
    let mut rest: Vec<&Condition> = rule.body.iter().collect();
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let cost = |condition: &&Condition| cost(program, rule, condition, &known, expected_rows);
        let condition = take_cheapest(&mut rest, cost).ok_or_else(|| rule.is_unsafe())?;
        steps.push(step(program, rule, condition, &mut known));
    }
    let mut answer = Vec::new();
    for (column, pattern) in rule.head.iter().enumerate() {
        if !contains(known_columns, column) {
            if !is_known(pattern, &known) {
                return Err(rule.is_unsafe());
            }
            answer.push(matcher(pattern, &mut known));
        }
    }
    mark_once(&mut steps, &answer, rule.variables);
    Ok(Plan {
        key,
        steps,
        answer,
        variables: rule.variables,
    })
}

/// Takes the condition that costs least, the first of several; none if all cost infinitely much.
pub fn take_cheapest<T>(open: &mut Vec<T>, mut cost: impl FnMut(&T) -> f64) -> Option<T> {
    let mut best: Option<(usize, f64)> = None;
    for (number, condition) in open.iter().enumerate() {
        let cost = cost(condition);
        if cost < best.map_or(f64::INFINITY, |(_, least)| least) {
            best = Some((number, cost));
        }
    }
    best.map(|(number, _)| open.remove(number))
}

impl CompiledRule {
    /// The error that some variable of the rule gets no value.
    pub fn is_unsafe(&self) -> ReasonerError {
        ReasonerError::UnsafeRule {
            rule: self.text.clone(),
        }
    }
}

/// The cost of taking the condition next; infinite when it cannot be taken yet.
fn cost(
    program: &Program,
    rule: &CompiledRule,
    condition: &Condition,
    known: &[bool],
    expected_rows: &mut dyn FnMut(Source, Columns) -> f64,
) -> f64 {
    let (positive, subject, arguments) = match condition {
        Condition::Distinct(left, right) => {
            let ready = is_known(left, known) && is_known(right, known);
            return if ready { -1.0 } else { f64::INFINITY };
        }
        Condition::Sentence {
            positive,
            subject,
            arguments,
        } => (*positive, *subject, arguments),
    };
    let decided = arguments.iter().all(|pattern| is_known(pattern, known));
    if !positive && !decided {
        return f64::INFINITY;
    }
    let Some((source, patterns)) = source(program, rule, subject, arguments, known) else {
        return 0.0;
    };
    let columns = indexed_columns(source, patterns, known);
    let free = patterns.len() as f64 - f64::from(columns.count_ones());
    match source {
        Source::Moves => {
            if decided {
                0.2
            } else {
                1.0
            }
        }
        Source::Call { predicate, .. } => {
            let effort = if program.predicates[predicate].recursive {
                3.0
            } else {
                1.0
            };
            if decided {
                1.5 * effort
            } else {
                // The share of free arguments stands in for a size that is not known.
                3.0 * effort * 100_f64.powf(free / patterns.len() as f64)
            }
        }
        _ if decided => 0.2,
        _ => {
            let rows = expected_rows(source, columns);
            // A relation that is empty now may fill later.
            0.5 + if rows > 0.0 { rows } else { 4_f64.powf(free) }
        }
    }
}

/// Where to look for a sentence, and the patterns of its columns. None when the sentence is a
/// `true` about a known term, which needs no search.
fn source<'a>(
    program: &Program,
    rule: &CompiledRule,
    subject: Subject,
    arguments: &'a [Pattern],
    known: &[bool],
) -> Option<(Source, &'a [Pattern])> {
    match subject {
        Subject::True if is_known(&arguments[0], known) => None,
        Subject::True => Some(match &arguments[0] {
            Pattern::Function(name, inner) => {
                let number = program.features[&(*name, inner.len())];
                (Source::Feature(number), inner.as_slice())
            }
            _ => (Source::AllFacts, arguments),
        }),
        Subject::Does => Some((Source::Moves, arguments)),
        Subject::Derived(predicate) => {
            let called = &program.predicates[predicate];
            let source = if called.rules.is_empty() {
                Source::Stored(predicate)
            } else {
                let own = &program.predicates[rule.predicate];
                Source::Call {
                    predicate,
                    inner: own.component == called.component,
                }
            };
            Some((source, arguments))
        }
    }
}

/// The columns of a source that an index is used for.
fn indexed_columns(source: Source, patterns: &[Pattern], known: &[bool]) -> Columns {
    match source {
        // Moves are so few that an index would not pay.
        Source::Moves => 0,
        _ => known_columns(patterns, known),
    }
}

/// The columns whose patterns have known values.
pub fn known_columns<'a>(
    patterns: impl IntoIterator<Item = &'a Pattern>,
    known: &[bool],
) -> Columns {
    let indexes = patterns.into_iter().take(Columns::BITS as usize);
    let bits = indexes.enumerate();
    bits.fold(0, |columns, (column, pattern)| {
        columns | Columns::from(is_known(pattern, known)) << column
    })
}

/// Matchers for the columns in the set, and for the others, which come with their column.
pub fn split_columns<'a>(
    patterns: impl IntoIterator<Item = &'a Pattern>,
    columns: Columns,
    known: &mut [bool],
) -> (Vec<Matcher>, Vec<(usize, Matcher)>) {
    let (mut key, mut rest) = (Vec::new(), Vec::new());
    for (column, pattern) in patterns.into_iter().enumerate() {
        if contains(columns, column) {
            key.push(matcher(pattern, known));
        } else {
            rest.push((column, matcher(pattern, known)));
        }
    }
    (key, rest)
}

fn step(program: &Program, rule: &CompiledRule, condition: &Condition, known: &mut [bool]) -> Step {
    let (positive, subject, arguments) = match condition {
        Condition::Distinct(left, right) => {
            return Step::Distinct(matcher(left, known), matcher(right, known));
        }
        Condition::Sentence {
            positive,
            subject,
            arguments,
        } => (*positive, *subject, arguments),
    };
    let Some((source, patterns)) = source(program, rule, subject, arguments, known) else {
        return Step::Holds {
            positive,
            fact: matcher(&arguments[0], known),
        };
    };
    let columns = indexed_columns(source, patterns, known);
    let (key, rest) = split_columns(patterns, columns, known);
    Step::Search {
        positive,
        source,
        columns,
        key,
        rest,
        once: false,
    }
}

/// Turns a pattern into a matcher; its variables are known from there on.
pub fn matcher(pattern: &Pattern, known: &mut [bool]) -> Matcher {
    match pattern {
        Pattern::Ground(term) => Matcher::Ground(*term),
        Pattern::Variable(variable) if known[*variable] => Matcher::Known(*variable),
        Pattern::Variable(variable) => {
            known[*variable] = true;
            Matcher::Fresh(*variable)
        }
        Pattern::Function(name, arguments) => {
            Matcher::Function(*name, arguments.iter().map(|a| matcher(a, known)).collect())
        }
    }
}

/// Whether the values of all variables of a pattern are known.
pub fn is_known(pattern: &Pattern, known: &[bool]) -> bool {
    match pattern {
        Pattern::Ground(_) => true,
        Pattern::Variable(variable) => known[*variable],
        Pattern::Function(_, arguments) => arguments.iter().all(|a| is_known(a, known)),
    }
}

/// Sets `once` where no later step and no answer needs the values that a row gives.
fn mark_once(steps: &mut [Step], answer: &[Matcher], variables: usize) {
    let mut needed = vec![false; variables];
    let note = |matcher: &Matcher, needed: &mut Vec<bool>| {
        for_each_variable(matcher, &mut |variable, _| needed[variable] = true);
    };
    for matcher in answer {
        note(matcher, &mut needed);
    }
    for step in steps.iter_mut().rev() {
        match step {
            Step::Distinct(left, right) => {
                note(left, &mut needed);
                note(right, &mut needed);
            }
            Step::Holds { fact, .. } => note(fact, &mut needed),
            Step::Search {
                key, rest, once, ..
            } => {
                let mut gives = false;
                for (_, matcher) in rest.iter() {
                    for_each_variable(matcher, &mut |variable, fresh| {
                        gives |= fresh && needed[variable];
                    });
                }
                *once = !gives;
                for matcher in key.iter().chain(rest.iter().map(|(_, matcher)| matcher)) {
                    note(matcher, &mut needed);
                }
            }
        }
    }
}

/// Visits the variables of a matcher; the flag says whether they get their value here.
pub fn for_each_variable(matcher: &Matcher, visit: &mut dyn FnMut(Variable, bool)) {
    match matcher {
        Matcher::Ground(_) => {}
        Matcher::Known(variable) => visit(*variable, false),
        Matcher::Fresh(variable) => visit(*variable, true),
        Matcher::Function(_, arguments) => {
            for argument in arguments {
                for_each_variable(argument, visit);
            }
        }
    }
}
