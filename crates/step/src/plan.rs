//! In which order the conditions of a rule are joined, beginning with a row that is new.
//!
//! Every instance of a rule is found exactly once: when the last of its rows becomes visible. That
//! row is matched with its condition, the *trigger*; the other conditions are searched for among
//! the visible rows. Where several conditions are about one relation, those before the trigger in
//! the rule must not take the new row again.
//!
//! The order is greedy: a condition that decides without a choice comes first, then the condition with the
//! fewest expected rows.

use super::layout::{Layout, TableId};
use super::table::Table;
use rules::ReasonerError;
use rules::compiled::{CompiledRule, Condition, Pattern, Subject, TermId};
use rules::compiled::{
    Matcher, for_each_variable, is_known, known_columns, matcher, split_columns, take_cheapest,
};

/// One condition of a rule, where it is tried.
#[derive(Debug)]
pub(super) enum Step {
    Distinct(Matcher, Matcher),
    /// A relation that never changes does not have this row.
    Absent {
        table: TableId,
        key: Vec<Matcher>,
    },
    /// A visible row has the values of `key` in the columns of an index and matches `rest`.
    Search(Search),
}

/// A search among the visible rows of a table.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) table: TableId,
    /// The index on the columns of the key; none if there is no column.
    pub(super) index: Option<usize>,
    pub(super) key: Vec<Matcher>,
    pub(super) rest: Vec<(usize, Matcher)>,
    /// One row is enough: it never changes, and nothing later needs its values.
    pub(super) once: bool,
    /// It never changes, and the instance does not need its values.
    pub(super) decides_only: bool,
    /// The row that is new must not be taken: the condition stands before the trigger.
    pub(super) older: bool,
}

/// A rule with the order of its conditions.
#[derive(Debug)]
pub(super) struct Join {
    /// The columns of the new row; none for a rule that waits for no row.
    pub(super) trigger: Vec<Matcher>,
    pub(super) steps: Vec<Step>,
    /// Negated conditions about sentences that can change: they are kept in the instance.
    pub(super) negated: Vec<(TableId, Vec<Matcher>)>,
    pub(super) head_table: TableId,
    pub(super) head: Vec<Matcher>,
    pub(super) variables: usize,
}

/// A condition that is about a table.
struct Sentence<'a> {
    index: usize,
    positive: bool,
    changes: bool,
    table: TableId,
    /// Patterns of the table's columns.
    patterns: Vec<&'a Pattern>,
}

enum Open<'a> {
    Distinct(&'a Pattern, &'a Pattern),
    Sentence(Sentence<'a>),
}

/// The table of a rule's condition when it can make the rule fire: positive and about sentences that change.
/// With it the first column that is ground, and its term.
pub(super) fn trigger(
    layout: &Layout,
    changes: &dyn Fn(Subject) -> bool,
    condition: &Condition,
) -> Option<(TableId, Option<(usize, TermId)>)> {
    match condition {
        Condition::Sentence {
            positive: true,
            subject,
            arguments,
        } if changes(*subject) => {
            let (table, patterns) = layout.source(*subject, arguments);
            let mut columns = patterns.into_iter().enumerate();
            let ground = columns.find_map(|(column, pattern)| match pattern {
                Pattern::Ground(term) => Some((column, *term)),
                _ => None,
            });
            Some((table, ground))
        }
        _ => None,
    }
}

/// Orders the conditions of a rule that fires when a row for the condition at `trigger` is new.
pub(super) fn join(
    rule: &CompiledRule,
    trigger: Option<usize>,
    layout: &Layout,
    changes: &dyn Fn(Subject) -> bool,
    tables: &mut [Table],
) -> Result<Join, ReasonerError> {
    let mut known = vec![false; rule.variables];
    let mut open = Vec::new();
    let mut negated = Vec::new();
    let mut trigger_table = None;
    let mut trigger_matchers = Vec::new();
    for (index, condition) in rule.body.iter().enumerate() {
        let sentence = match condition {
            Condition::Distinct(left, right) => {
                open.push(Open::Distinct(left, right));
                continue;
            }
            Condition::Sentence {
                positive,
                subject,
                arguments,
            } => {
                let changes = changes(*subject);
                // A negated condition is looked up whole, among all facts or moves.
                let (table, patterns) = match (positive, subject) {
                    (false, Subject::True) => (layout.facts(), arguments.iter().collect()),
                    (false, Subject::Does) => (layout.moves(), arguments.iter().collect()),
                    _ => layout.source(*subject, arguments),
                };
                Sentence {
                    index,
                    positive: *positive,
                    changes,
                    table,
                    patterns,
                }
            }
        };
        if trigger == Some(index) {
            trigger_table = Some(sentence.table);
            let patterns = sentence.patterns.iter();
            trigger_matchers = patterns.map(|p| matcher(p, &mut known)).collect();
        } else if sentence.changes && !sentence.positive {
            negated.push(sentence);
        } else {
            open.push(Open::Sentence(sentence));
        }
    }
    let mut steps = Vec::new();
    while !open.is_empty() {
        let next = take_cheapest(&mut open, |condition| cost(condition, &known, tables));
        steps.push(match next.ok_or_else(|| rule.is_unsafe())? {
            Open::Distinct(left, right) => {
                Step::Distinct(matcher(left, &mut known), matcher(right, &mut known))
            }
            Open::Sentence(sentence) => {
                let older = trigger.is_some_and(|trigger| sentence.index < trigger)
                    && trigger_table == Some(sentence.table);
                step(&sentence, older, &mut known, tables)
            }
        });
    }
    let all_known = |patterns: &[&Pattern]| patterns.iter().all(|p| is_known(p, &known));
    let head: Vec<&Pattern> = rule.head.iter().collect();
    if !all_known(&head) || !negated.iter().all(|n| all_known(&n.patterns)) {
        return Err(rule.is_unsafe());
    }
    let mut matchers = |patterns: &[&Pattern]| -> Vec<Matcher> {
        patterns.iter().map(|p| matcher(p, &mut known)).collect()
    };
    let mut join = Join {
        trigger: trigger_matchers,
        steps,
        head: matchers(&head),
        negated: negated
            .iter()
            .map(|n| (n.table, matchers(&n.patterns)))
            .collect(),
        head_table: rule.predicate,
        variables: rule.variables,
    };
    mark_once(&mut join);
    Ok(join)
}

/// The cost of taking the condition next; infinite when it cannot be taken yet.
fn cost(condition: &Open<'_>, known: &[bool], tables: &mut [Table]) -> f64 {
    let sentence = match condition {
        Open::Distinct(left, right) => {
            let ready = is_known(left, known) && is_known(right, known);
            return if ready { -1.0 } else { f64::INFINITY };
        }
        Open::Sentence(sentence) => sentence,
    };
    let columns = known_columns(sentence.patterns.iter().copied(), known);
    let free = sentence.patterns.len() as u32 - columns.count_ones();
    if !sentence.positive {
        return if free == 0 { -0.5 } else { f64::INFINITY };
    }
    if free == 0 {
        return if sentence.changes { 0.1 } else { 0.0 };
    }
    let rows = tables[sentence.table].expected_rows(columns);
    if sentence.changes {
        // The table is still growing; the number of free columns stands in for its size.
        1.0 + rows.max(4_f64.powi(free as i32))
    } else {
        0.5 + rows
    }
}

fn step(sentence: &Sentence<'_>, older: bool, known: &mut [bool], tables: &mut [Table]) -> Step {
    let patterns = &sentence.patterns;
    if !sentence.positive {
        return Step::Absent {
            table: sentence.table,
            key: patterns.iter().map(|p| matcher(p, known)).collect(),
        };
    }
    let columns = known_columns(patterns.iter().copied(), known);
    let (key, rest) = split_columns(patterns.iter().copied(), columns, known);
    Step::Search(Search {
        table: sentence.table,
        index: (columns != 0).then(|| tables[sentence.table].index_on(columns)),
        key,
        rest,
        // Settled by `mark_once`; until then whether the rows never change.
        once: !sentence.changes,
        decides_only: !sentence.changes,
        older,
    })
}

/// Keeps `once` and `decides_only` only where nothing later, or nothing in the instance, needs the values that
/// the row gives.
fn mark_once(join: &mut Join) {
    let mut needed = vec![false; join.variables];
    let note = |matcher: &Matcher, needed: &mut Vec<bool>| {
        for_each_variable(matcher, &mut |variable, _| {
            needed[variable] = true;
        });
    };
    let negated = join.negated.iter().flat_map(|(_, matchers)| matchers);
    for matcher in join.head.iter().chain(negated) {
        note(matcher, &mut needed);
    }
    let in_instance = needed.clone();
    for step in join.steps.iter_mut().rev() {
        match step {
            Step::Distinct(left, right) => {
                note(left, &mut needed);
                note(right, &mut needed);
            }
            Step::Absent { key, .. } => key.iter().for_each(|m| note(m, &mut needed)),
            Step::Search(search) => {
                for (_, matcher) in &search.rest {
                    for_each_variable(matcher, &mut |variable, fresh| {
                        search.once &= !(fresh && needed[variable]);
                        search.decides_only &= !(fresh && in_instance[variable]);
                    });
                }
                let matchers = search.rest.iter().map(|(_, matcher)| matcher);
                for matcher in search.key.iter().chain(matchers) {
                    note(matcher, &mut needed);
                }
            }
        }
    }
}
