//! Rules with many variables, split into rules with fewer.
//!
//! A rule has an instance for every combination of values of its variables. A variable that is not
//! in the head concerns only the conditions that mention it; these can be put into a rule of their
//! own, whose head keeps the variables that the rest needs:
//!
//! ```text
//! (<= (next (cell ?x ?y ?w)) (true (cell ?x ?y ?w)) (does ?p (move ?u ?v ?x2 ?y2)) (distinct ?x ?u))
//!
//! (<= (part ?u) (does ?p (move ?u ?v ?x2 ?y2)))
//! (<= (next (cell ?x ?y ?w)) (true (cell ?x ?y ?w)) (part ?u) (distinct ?x ?u))
//! ```
//!
//! On a board of 8 by 8 the first form has some million instances, the second some ten thousand.
//! This is variable elimination, as for constraints and for database queries; the variable whose
//! conditions have the fewest variables goes first.
//!
//! Invariant: relations with names have the same sentences as before. Only conditions that can
//! change are worth it: those that cannot are decided while grounding and cost no instances.

use rules::compiled::{
    CompiledRule, Condition, Level, Pattern, Predicate, Program, Subject, Variable,
};
use rustc_hash::FxHashMap;

/// The most variables and conditions of rules that are looked at: work is their product squared.
const MAX_PARTS: usize = 64;

/// Splits the rules of relations that change.
pub(super) fn split_rules(program: &mut Program) {
    let mut known = FxHashMap::default();
    let mut number = 0;
    // Rules that are split off are looked at as well.
    while number < program.rules.len() {
        let head = program.rules[number].predicate;
        let small = program.rules[number].body.len() <= MAX_PARTS
            && program.rules[number].variables <= MAX_PARTS;
        if small && program.predicates[head].level > Level::Static {
            while let Some(part) = best_part(program, &program.rules[number]) {
                split_off(program, number, &part, &mut known);
            }
        }
        number += 1;
    }
}

/// A set of variables of a rule, one bit each.
type Variables = u64;

/// Conditions to be put into a rule of their own.
struct Part {
    /// Places of the conditions that leave the rule.
    moved: Vec<usize>,
    /// Places of conditions that stay, and are needed in the new rule as well to give values.
    copied: Vec<usize>,
    /// The variables that the rule still needs.
    shared: Variables,
}

/// The part with the fewest variables that can be split off with profit.
fn best_part(program: &Program, rule: &CompiledRule) -> Option<Part> {
    let all: Vec<Variables> = rule.body.iter().map(of_condition).collect();
    let head = of_patterns(&rule.head);
    let total = all.iter().fold(head, |sum, variables| sum | variables);
    let mut best: Option<(u32, Part)> = None;
    for variable in (0..rule.variables).filter(|v| total & !head & 1 << v != 0) {
        let Some((size, part)) = part(program, rule, &all, variable) else {
            continue;
        };
        let outside = part.shared | head | {
            let stays = (0..all.len()).filter(|index| !part.moved.contains(index));
            stays.fold(0, |sum, index| sum | all[index])
        };
        // Both rules must have fewer variables than the one.
        let pays = size < total.count_ones() && outside != total;
        if pays && best.as_ref().is_none_or(|(least, _)| size < *least) {
            best = Some((size, part));
        }
    }
    best.map(|(_, part)| part)
}

/// The conditions about a variable, with those they need to have values; and the number of
/// variables.
fn part(
    program: &Program,
    rule: &CompiledRule,
    all: &[Variables],
    variable: Variable,
) -> Option<(u32, Part)> {
    let moved: Vec<usize> = (0..all.len())
        .filter(|&index| all[index] & 1 << variable != 0)
        .collect();
    let changes = |&index: &usize| changes(program, &rule.body[index]);
    if moved.len() == all.len() || !moved.iter().any(changes) {
        return None;
    }
    let gives = |index: usize| match &rule.body[index] {
        Condition::Sentence { positive: true, .. } => all[index],
        _ => 0,
    };
    let mut inside = moved.iter().fold(0, |sum, &index| sum | all[index]);
    let mut given = moved.iter().fold(0, |sum, &index| sum | gives(index));
    let mut copied = Vec::new();
    while inside & !given != 0 {
        let next = (0..all.len())
            .filter(|index| gives(*index) & inside & !given != 0)
            .min_by_key(|&index| (all[index] & !inside).count_ones())?;
        copied.push(next);
        inside |= all[next];
        given |= all[next];
    }
    let stays = (0..all.len()).filter(|index| !moved.contains(index));
    let outside = stays.fold(of_patterns(&rule.head), |sum, index| sum | all[index]);
    let part = Part {
        moved,
        copied,
        shared: inside & outside,
    };
    Some((inside.count_ones(), part))
}

/// Moves a part of a rule to a rule of its own, or to one that says the same.
fn split_off(
    program: &mut Program,
    number: usize,
    part: &Part,
    known: &mut FxHashMap<String, usize>,
) {
    let rule = &program.rules[number];
    let mut indexes: Vec<usize> = part.moved.iter().chain(&part.copied).copied().collect();
    indexes.sort_unstable();
    let body: Vec<Condition> = indexes
        .iter()
        .map(|&index| rule.body[index].clone())
        .collect();
    let shared: Vec<Variable> = (0..rule.variables)
        .filter(|variable| part.shared >> variable & 1 == 1)
        .collect();
    let (body, order) = renamed(&body);
    // Columns in the order of the new names, so that equal parts have equal columns.
    let mut columns: Vec<(Variable, Variable)> = shared
        .iter()
        .map(|variable| (order[variable], *variable))
        .collect();
    columns.sort_unstable();
    let head: Vec<Pattern> = columns
        .iter()
        .map(|(new, _)| Pattern::Variable(*new))
        .collect();
    let description = format!("{head:?} {body:?}");
    let predicate = match known.get(&description) {
        Some(&predicate) => predicate,
        None => {
            let predicate = program.predicates.len();
            known.insert(description, predicate);
            let levels = body.iter().map(|condition| level(program, condition));
            program.predicates.push(Predicate {
                arity: columns.len(),
                level: levels.max().unwrap_or(Level::Static),
                rules: vec![program.rules.len()],
                component: 0,
                recursive: false,
            });
            program.rules.push(CompiledRule {
                predicate,
                head,
                body,
                variables: order.len(),
                text: program.rules[number].text.clone(),
            });
            predicate
        }
    };
    let rule = &mut program.rules[number];
    let mut index = 0;
    rule.body.retain(|_| {
        index += 1;
        !part.moved.contains(&(index - 1))
    });
    rule.body.push(Condition::Sentence {
        positive: true,
        subject: Subject::Derived(predicate),
        arguments: columns
            .iter()
            .map(|(_, old)| Pattern::Variable(*old))
            .collect(),
    });
}

fn level(program: &Program, condition: &Condition) -> Level {
    match condition {
        Condition::Distinct(..) => Level::Static,
        Condition::Sentence { subject, .. } => match subject {
            Subject::True => Level::State,
            Subject::Does => Level::Move,
            Subject::Derived(predicate) => program.predicates[*predicate].level,
        },
    }
}

fn changes(program: &Program, condition: &Condition) -> bool {
    level(program, condition) > Level::Static
}

/// Conditions with variables numbered in the order in which they occur, and the new number of each.
fn renamed(body: &[Condition]) -> (Vec<Condition>, FxHashMap<Variable, Variable>) {
    let mut order = FxHashMap::default();
    let body = body
        .iter()
        .map(|condition| match condition {
            Condition::Distinct(left, right) => {
                let left = rename(left, &mut order);
                Condition::Distinct(left, rename(right, &mut order))
            }
            Condition::Sentence {
                positive,
                subject,
                arguments,
            } => Condition::Sentence {
                positive: *positive,
                subject: *subject,
                arguments: arguments.iter().map(|a| rename(a, &mut order)).collect(),
            },
        })
        .collect();
    (body, order)
}

fn rename(pattern: &Pattern, order: &mut FxHashMap<Variable, Variable>) -> Pattern {
    match pattern {
        Pattern::Ground(term) => Pattern::Ground(*term),
        Pattern::Variable(variable) => {
            let next = order.len();
            Pattern::Variable(*order.entry(*variable).or_insert(next))
        }
        Pattern::Function(name, arguments) => {
            let arguments = arguments.iter().map(|a| rename(a, order)).collect();
            Pattern::Function(*name, arguments)
        }
    }
}

fn of_condition(condition: &Condition) -> Variables {
    match condition {
        Condition::Distinct(left, right) => of_pattern(left) | of_pattern(right),
        Condition::Sentence { arguments, .. } => of_patterns(arguments),
    }
}

fn of_patterns(patterns: &[Pattern]) -> Variables {
    patterns
        .iter()
        .fold(0, |sum, pattern| sum | of_pattern(pattern))
}

fn of_pattern(pattern: &Pattern) -> Variables {
    match pattern {
        Pattern::Ground(_) => 0,
        Pattern::Variable(variable) => 1 << variable,
        Pattern::Function(_, arguments) => of_patterns(arguments),
    }
}

#[cfg(test)]
mod tests {
    use crate::test_games;
    use crate::{StepLimits, ground_step};

    #[test]
    fn variables_that_the_head_does_not_need_cost_little() {
        let frame = "(role p) (legal p go) (<= terminal (true over)) (goal p 100)";
        let mut numbers = String::new();
        for number in 0..20 {
            numbers += &format!("(init (a {number} {number})) (init (b {number})) (n {number})");
        }
        for (rule, most) in [
            // 20 for each of three conditions, not 20 * 20 * 20.
            (
                "(<= (next c) (true (a ?x ?y)) (true (b ?z)) (true (a ?u ?v)))",
                60,
            ),
            // A part that gets its values from a condition that stays.
            (
                "(<= (next (b ?x)) (true (b ?x)) (true (a ?y ?z)) (distinct ?y ?x))",
                500,
            ),
            // Equal parts are one.
            (
                "(<= (next c) (true (b ?x)) (true (a ?y ?y)) (distinct ?x 1))
                 (<= (next d) (true (b ?u)) (true (a ?v ?v)) (distinct ?u 1))",
                59,
            ),
            // A part in which nothing changes is decided at once.
            (
                "(<= (next (b ?x)) (true (b ?x)) (n ?y) (n ?z) (distinct ?y ?z))",
                20,
            ),
        ] {
            let game = test_games::game("test", &format!("{frame} {numbers} {rule}"));
            let ground = ground_step(&game, &StepLimits::default()).unwrap();
            assert!(ground.instances <= most, "{rule}: {}", ground.instances);
        }
    }
}
