//! Forms as written to rules in normal form: names in lower case, no `or`, no needless parts.
//!
//! - `(name)` becomes `name`, `(<= h)` becomes `h`.
//! - `or` becomes several rules, one for each choice of disjuncts. Where that would be more than
//!   [`MOST_PRODUCTS`] rules, the conditions are folded from the left into helper relations
//!   instead, whose rules are as many as there are disjuncts:
//!   `h <- c, (a | b), (d | e)` becomes `h_or_1 <- c, a`, `h_or_1 <- c, b`, `h <- h_or_1, d`, ...
//!   A helper carries the variables that are bound so far and needed later, so it is safe.
//! - `distinct` of terms that can never be equal goes away; of terms that always are, the rule.
//! - A rule or a body literal that was there before goes away; the order stays.
//!
//! The result means the same. Forms with `not` around something other than a sentence are left
//! out; the checks refuse them.

use super::description::{Condition, Description, Form, WrittenSentence, WrittenTerm};
use super::syntax::{Literal, Name, Rule, Sentence, Term};
use std::collections::{BTreeSet, HashSet};

/// The most rules that one form with several `or` becomes without helper relations.
pub const MOST_PRODUCTS: usize = 64;

/// A rule in normal form and the number of the form it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalRule {
    /// The rule.
    pub rule: Rule,
    /// An index into [`Description::forms`].
    pub form: usize,
}

/// Brings all forms into normal form.
pub fn normalise(description: &Description) -> Vec<NormalRule> {
    let mut helpers = Helpers::new(description);
    let mut seen = HashSet::new();
    let mut result = Vec::new();
    for (number, form) in description.forms.iter().enumerate() {
        for rule in normalise_form(form, &mut helpers).unwrap_or_default() {
            if seen.insert(rule.clone()) {
                result.push(NormalRule { rule, form: number });
            }
        }
    }
    result
}

/// Makes up names for helper relations that the description does not use.
struct Helpers {
    used: HashSet<Name>,
}

impl Helpers {
    fn new(description: &Description) -> Self {
        let mut used = HashSet::new();
        for form in &description.forms {
            used.insert(form.head.word.name.clone());
            form.body_sentences(&mut |sentence, _| {
                used.insert(sentence.word.name.clone());
            });
        }
        Helpers { used }
    }

    fn name(&mut self, head: &Name) -> Name {
        let mut number = 1;
        loop {
            let name = Name::new(&format!("{head}_or_{number}"));
            if self.used.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }
}

/// The term in normal form.
pub(crate) fn term(written: &WrittenTerm) -> Term {
    match written {
        WrittenTerm::Constant(word) => Term::Constant(word.name.clone()),
        WrittenTerm::Variable(word) => Term::Variable(word.name.clone()),
        WrittenTerm::Function(word, arguments) if arguments.is_empty() => {
            Term::Constant(word.name.clone())
        }
        WrittenTerm::Function(word, arguments) => {
            Term::Function(word.name.clone(), arguments.iter().map(term).collect())
        }
    }
}

/// The sentence in normal form.
pub(crate) fn sentence(written: &WrittenSentence) -> Sentence {
    Sentence {
        relation: written.word.name.clone(),
        arguments: written.arguments.iter().map(term).collect(),
    }
}

/// The literals of which one must hold; nothing if something other than a sentence is negated.
fn alternatives(condition: &Condition) -> Option<Vec<Literal>> {
    Some(match condition {
        Condition::Sentence(s) => vec![Literal::Positive(sentence(s))],
        Condition::Distinct(_, left, right) => vec![Literal::Distinct(term(left), term(right))],
        Condition::Not(_, inner) => match inner.as_ref() {
            Condition::Sentence(s) => vec![Literal::Negative(sentence(s))],
            _ => return None,
        },
        Condition::Or(_, inner) => {
            let mut all = Vec::new();
            for condition in inner {
                all.extend(alternatives(condition)?);
            }
            without_repeats(all)
        }
    })
}

fn normalise_form(form: &Form, helpers: &mut Helpers) -> Option<Vec<Rule>> {
    let head = sentence(&form.head);
    let mut conditions = Vec::new();
    for condition in form.conditions() {
        conditions.push(alternatives(condition)?);
    }
    let product = conditions
        .iter()
        .try_fold(1_usize, |product, c| product.checked_mul(c.len()));
    let rules = match product {
        Some(product) if product <= MOST_PRODUCTS => multiply(&head, &conditions),
        _ => fold(&head, conditions, helpers),
    };
    Some(rules.into_iter().filter_map(simplify).collect())
}

/// One rule for each choice of one literal from each condition.
fn multiply(head: &Sentence, conditions: &[Vec<Literal>]) -> Vec<Rule> {
    let mut bodies: Vec<Vec<Literal>> = vec![Vec::new()];
    for condition in conditions {
        bodies = bodies
            .into_iter()
            .flat_map(|body| {
                condition.iter().map(move |literal| {
                    let mut longer = body.clone();
                    longer.push(literal.clone());
                    longer
                })
            })
            .collect();
    }
    let head = head.clone();
    bodies
        .into_iter()
        .map(|body| Rule {
            head: head.clone(),
            body,
        })
        .collect()
}

/// Rules with helper relations, as many as there are disjuncts, instead of their product.
fn fold(head: &Sentence, conditions: Vec<Vec<Literal>>, helpers: &mut Helpers) -> Vec<Rule> {
    // What binds variables comes first: plain sentences, `or` of sentences, then the rest.
    let (single, several): (Vec<_>, Vec<_>) = conditions.into_iter().partition(|c| c.len() == 1);
    let single = single.into_iter().flatten();
    let (mut start, tests): (Vec<_>, Vec<_>) = single.partition(binds);
    let (binding, testing): (Vec<_>, Vec<_>) =
        several.into_iter().partition(|c| c.iter().all(binds));
    let several: Vec<_> = binding.into_iter().chain(testing).collect();

    let mut rules = Vec::new();
    for (i, condition) in several.iter().enumerate() {
        let last = i + 1 == several.len();
        if last {
            start.extend(tests.iter().cloned());
        }
        let target = if last {
            head.clone()
        } else {
            let mut bound = BTreeSet::new();
            for literal in &start {
                literal_variables(literal, &mut bound);
            }
            // Only what every disjunct binds is bound afterwards.
            let of_disjuncts = condition.iter().map(|literal| {
                let mut variables = BTreeSet::new();
                if binds(literal) {
                    literal_variables(literal, &mut variables);
                }
                variables
            });
            if let Some(all) = of_disjuncts.reduce(|a, b| &a & &b) {
                bound.extend(all);
            }
            let mut needed = BTreeSet::new();
            for argument in &head.arguments {
                term_variables(argument, &mut needed);
            }
            for literal in tests.iter().chain(several[i + 1..].iter().flatten()) {
                literal_variables(literal, &mut needed);
            }
            Sentence {
                relation: helpers.name(&head.relation),
                arguments: (&bound & &needed).into_iter().map(Term::Variable).collect(),
            }
        };
        for literal in condition {
            let mut body = start.clone();
            body.push(literal.clone());
            rules.push(Rule {
                head: target.clone(),
                body,
            });
        }
        start = vec![Literal::Positive(target)];
    }
    rules
}

fn binds(literal: &Literal) -> bool {
    matches!(literal, Literal::Positive(_))
}

/// Drops what is always true; nothing when the body is always false.
fn simplify(rule: Rule) -> Option<Rule> {
    let mut body: Vec<Literal> = Vec::with_capacity(rule.body.len());
    for literal in rule.body {
        if let Literal::Distinct(left, right) = &literal {
            if left == right {
                return None;
            }
            if clash(left, right) {
                continue;
            }
        }
        body.push(literal);
    }
    Some(Rule {
        head: rule.head,
        body: without_repeats(body),
    })
}

fn without_repeats(literals: Vec<Literal>) -> Vec<Literal> {
    let mut seen = HashSet::new();
    let repeated: Vec<bool> = literals.iter().map(|l| !seen.insert(l)).collect();
    let pairs = literals.iter().zip(&repeated);
    pairs
        .filter(|(_, repeated)| !**repeated)
        .map(|(literal, _)| literal.clone())
        .collect()
}

/// Whether no values of the variables make the terms equal; may miss some such pairs.
fn clash(left: &Term, right: &Term) -> bool {
    match (left, right) {
        (Term::Variable(_), _) | (_, Term::Variable(_)) => false,
        (Term::Constant(a), Term::Constant(b)) => a != b,
        (Term::Function(f, a), Term::Function(g, b)) => {
            f != g || a.len() != b.len() || a.iter().zip(b).any(|(a, b)| clash(a, b))
        }
        _ => true,
    }
}

/// Adds the variables of a term.
pub(crate) fn term_variables(term: &Term, variables: &mut BTreeSet<Name>) {
    match term {
        Term::Constant(_) => {}
        Term::Variable(name) => {
            variables.insert(name.clone());
        }
        Term::Function(_, arguments) => {
            for argument in arguments {
                term_variables(argument, variables);
            }
        }
    }
}

fn literal_variables(literal: &Literal, variables: &mut BTreeSet<Name>) {
    match literal {
        Literal::Positive(sentence) | Literal::Negative(sentence) => {
            for argument in &sentence.arguments {
                term_variables(argument, variables);
            }
        }
        Literal::Distinct(left, right) => {
            term_variables(left, variables);
            term_variables(right, variables);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::Diagnostics;

    fn normal(text: &str) -> String {
        let mut diagnostics = Diagnostics::default();
        let description = crate::gdl::kif::read(text, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let rules = normalise(&description);
        let texts: Vec<_> = rules.iter().map(|r| r.rule.to_string()).collect();
        texts.join(" ")
    }

    #[test]
    fn forms_become_rules() {
        for (written, expected) in [
            ("(Role P)", "(role p)"),
            ("(<= (terminal))", "terminal"),
            ("(init (flag))", "(init flag)"),
            ("(<= a b) (<= A B) (<= a b c)", "(<= a b) (<= a b c)"),
            ("(<= a b b (not c) b)", "(<= a b (not c))"),
            ("(<= a (or b c))", "(<= a b) (<= a c)"),
            (
                "(<= a (or b (or c (not d))) e)",
                "(<= a b e) (<= a c e) (<= a (not d) e)",
            ),
            ("(<= a (or))", ""),
            ("(<= a (or b))", "(<= a b)"),
            ("(<= a (or b b c))", "(<= a b) (<= a c)"),
            (
                "(<= a (or b c) (or d e))",
                "(<= a b d) (<= a b e) (<= a c d) (<= a c e)",
            ),
            ("(<= a (distinct 1 2) b)", "(<= a b)"),
            ("(<= a (distinct 1 1) b)", ""),
            ("(<= a (p ?x) (distinct ?X ?x))", ""),
            ("(<= a (p ?x) (distinct (f ?x 1) (f 2 2)))", "(<= a (p ?x))"),
            (
                "(<= a (p ?x) (distinct ?x 1))",
                "(<= a (p ?x) (distinct ?x 1))",
            ),
            ("(<= a (or (distinct 1 1) b))", "(<= a b)"),
            ("(<= a (not (or b c)))", ""),
        ] {
            assert_eq!(normal(written), expected, "{written}");
        }
    }

    #[test]
    fn large_products_become_helper_relations() {
        let or = |name: &str| {
            let parts: Vec<_> = (0..10).map(|i| format!("({name}{i} ?x)")).collect();
            format!("(or {})", parts.join(" "))
        };
        let text = format!(
            "(<= (h ?x) (not (g ?x)) {} {} (or (not (d ?x)) (distinct ?x 1)))",
            or("b"),
            or("c")
        );
        let rules = normal(&format!("{text} (h_or_1 a)"));
        assert_eq!(rules.matches("(<= ").count(), 22, "{rules}");
        assert!(rules.contains("(<= (h_or_2 ?x) (b0 ?x))"), "{rules}");
        assert!(
            rules.contains("(<= (h_or_3 ?x) (h_or_2 ?x) (c9 ?x))"),
            "{rules}"
        );
        assert!(
            rules.contains("(<= (h ?x) (h_or_3 ?x) (not (g ?x)) (distinct ?x 1))"),
            "{rules}"
        );
    }
}
