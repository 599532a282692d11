//! Forms as written to rules in normal form: names in lower case, no `or`, no needless parts.
//!
//! - `(name)` becomes `name`, `(<= h)` becomes `h`.
//! - `or` becomes several rules, one for each choice of disjuncts. Where that would be more than
//!   [`MAX_PRODUCTS`] rules, the conditions are folded from the left into helper relations
//!   instead, whose rules are as many as there are disjuncts:
//!   `h <- c, (a | b), (d | e)` becomes `h_or_1 <- c, a`, `h_or_1 <- c, b`, `h <- h_or_1, d`, ...
//!   A helper carries the variables that are bound so far and needed later, so it is safe.
//! - `distinct` of terms that can never be equal goes away; of terms that always are, the rule.
//! - A rule or a body literal that was there before goes away; the order stays.
//!
//! The result means the same. Forms with `not` around something other than a sentence, or with
//! far too many combinations of disjuncts, are left out; the checks refuse them.

use super::description::{Condition, Description, Form, WrittenSentence, WrittenTerm};
use super::syntax::{Literal, Name, Rule, Sentence, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The most rules that one form with several `or` becomes without helper relations.
pub const MAX_PRODUCTS: usize = 64;

/// The most combinations of disjuncts that are listed when helper relations are no way out. Forms
/// that would need more are refused by the checks.
const MAX_ALTERNATIVES: usize = 4096;

/// The most `or` with several disjuncts in one rule.
const MAX_DISJUNCTIONS: usize = 128;

/// A rule in normal form and the number of the form it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalRule {
    pub rule: Rule,
    /// An index into [`Description::forms`].
    pub form: usize,
}

/// Brings all forms into normal form.
pub fn normalise(description: &Description) -> Vec<NormalRule> {
    let mut helpers = FreshNames::new(description);
    let mut seen = FxHashSet::default();
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

/// Whether the form has too many combinations of disjuncts to be brought into normal form.
pub(crate) fn has_too_many_alternatives(form: &Form) -> bool {
    let conditions: Option<Vec<_>> = form.conditions().iter().map(alternatives).collect();
    let mut helpers = FreshNames::default();
    conditions.is_some_and(|conditions| {
        product(&conditions).is_none_or(|product| product > MAX_PRODUCTS)
            && fold(&sentence(&form.head), conditions, &mut helpers).is_none()
    })
}

/// Makes up names for relations that the description does not use.
#[derive(Default)]
pub(crate) struct FreshNames {
    used: FxHashSet<Name>,
    /// The number of the last name with each beginning.
    last: FxHashMap<String, usize>,
}

impl FreshNames {
    pub(crate) fn new(description: &Description) -> Self {
        let sentences = description.forms.iter().flat_map(Form::sentences);
        FreshNames {
            used: sentences.map(|it| it.word.name.clone()).collect(),
            last: FxHashMap::default(),
        }
    }

    /// As [`FreshNames::new`], and apart from the names in terms, too.
    pub(crate) fn apart_from_terms(description: &Description) -> Self {
        let mut names = FreshNames::new(description);
        let terms = description.terms();
        names
            .used
            .extend(terms.map(|term| term.word().name.clone()));
        names
    }

    /// This name if it is not used, else one that begins like it.
    pub(crate) fn first(&mut self, name: &str) -> Name {
        let plain = Name::new(name);
        match self.used.insert(plain.clone()) {
            true => plain,
            false => self.fresh(name),
        }
    }

    /// A name that begins like this and is not used.
    pub(crate) fn fresh(&mut self, start: &str) -> Name {
        let number = self.last.entry(start.to_owned()).or_default();
        loop {
            *number += 1;
            let name = Name::new(&format!("{start}_{number}"));
            if self.used.insert(name.clone()) {
                return name;
            }
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

fn normalise_form(form: &Form, helpers: &mut FreshNames) -> Option<Vec<Rule>> {
    let head = sentence(&form.head);
    let mut conditions = Vec::new();
    for condition in form.conditions() {
        conditions.push(alternatives(condition)?);
    }
    let rules = match product(&conditions) {
        Some(product) if product <= MAX_PRODUCTS => multiply(&head, &conditions),
        _ => fold(&head, conditions, helpers)?,
    };
    Some(rules.into_iter().filter_map(simplify).collect())
}

/// The number of choices of one literal from each condition; nothing when it is huge.
fn product(conditions: &[Vec<Literal>]) -> Option<usize> {
    let mut lengths = conditions.iter().map(Vec::len);
    lengths.try_fold(1_usize, |product, length| product.checked_mul(length))
}

/// One rule for each choice of one literal from each condition.
fn multiply(head: &Sentence, conditions: &[Vec<Literal>]) -> Vec<Rule> {
    let mut bodies: Vec<Vec<Literal>> = vec![Vec::new()];
    for condition in conditions {
        if let [only] = &condition[..] {
            // In place: a body may have thousands of conditions.
            bodies.iter_mut().for_each(|body| body.push(only.clone()));
            continue;
        }
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

/// Literals that hold together.
type Conjunction = Vec<Literal>;

/// Rules with helper relations, as many as there are disjuncts, instead of their product.
///
/// A helper hands on the variables that are needed later, and each must have a value in all its
/// rules. So an `or` is folded only when each of its variables that occurs elsewhere is bound
/// before, or in each of its disjuncts. If there is no such `or`, two of them are multiplied out;
/// nothing is returned when that gives too many rules.
fn fold(
    head: &Sentence,
    conditions: Vec<Vec<Literal>>,
    helpers: &mut FreshNames,
) -> Option<Vec<Rule>> {
    let (single, several): (Vec<_>, Vec<_>) = conditions.into_iter().partition(|c| c.len() == 1);
    let (mut start, tests): (Conjunction, Conjunction) =
        single.into_iter().flatten().partition(binds);
    let mut pending: Vec<Vec<Conjunction>> = several
        .into_iter()
        .map(|disjuncts| disjuncts.into_iter().map(|literal| vec![literal]).collect())
        .collect();
    if pending.len() > MAX_DISJUNCTIONS {
        return None;
    }
    let mut rules = Vec::new();
    while pending.len() > 1 {
        let needed_without = |without: usize| {
            let mut needed = variables_of(&tests);
            needed.extend(head.arguments.iter().flat_map(Term::variables).cloned());
            for (i, disjuncts) in pending.iter().enumerate() {
                if i != without {
                    disjuncts
                        .iter()
                        .for_each(|c| needed.extend(variables_of(c)));
                }
            }
            needed
        };
        let bound = variables_of(start.iter());
        let next = (0..pending.len()).find_map(|i| {
            let handed_on = foldable(&pending[i], &bound, &needed_without(i))?;
            Some((i, handed_on))
        });
        let Some((next, handed_on)) = next else {
            let (first, second) = (pending.swap_remove(0), pending.swap_remove(0));
            if first.len() * second.len() > MAX_ALTERNATIVES {
                return None;
            }
            let both = first
                .iter()
                .flat_map(|a| second.iter().map(move |b| [&a[..], b].concat()));
            pending.push(both.collect());
            continue;
        };
        let target = Sentence {
            relation: helpers.fresh(&format!("{}_or", head.relation)),
            arguments: handed_on.into_iter().map(Term::Variable).collect(),
        };
        for disjunct in pending.remove(next) {
            rules.push(Rule {
                head: target.clone(),
                body: [&start[..], &disjunct].concat(),
            });
        }
        start = vec![Literal::Positive(target)];
    }
    for disjunct in pending.into_iter().flatten() {
        rules.push(Rule {
            head: head.clone(),
            body: [&start[..], &tests, &disjunct].concat(),
        });
    }
    Some(rules)
}

/// The variables a helper for these disjuncts hands on; nothing if they cannot be folded yet.
fn foldable(
    disjuncts: &[Conjunction],
    bound: &BTreeSet<Name>,
    needed: &BTreeSet<Name>,
) -> Option<BTreeSet<Name>> {
    let bound_after = disjuncts
        .iter()
        .map(|disjunct| bound | &variables_of(disjunct.iter().filter(|l| binds(l))))
        .collect::<Vec<_>>();
    let tested_too_early = disjuncts.iter().zip(&bound_after).any(|(disjunct, bound)| {
        let tests = disjunct.iter().filter(|literal| !binds(literal));
        !variables_of(tests).is_subset(bound)
    });
    let in_all = bound_after.into_iter().reduce(|a, b| &a & &b)?;
    let occurring = disjuncts
        .iter()
        .fold(BTreeSet::new(), |all, d| &all | &variables_of(d));
    let half_bound = (&occurring & needed).difference(&in_all).next().is_some();
    (!tested_too_early && !half_bound).then(|| &in_all & needed)
}

fn variables_of<'a>(literals: impl IntoIterator<Item = &'a Literal>) -> BTreeSet<Name> {
    let variables = literals.into_iter().flat_map(Literal::variables);
    variables.cloned().collect()
}

fn binds(literal: &Literal) -> bool {
    matches!(literal, Literal::Positive(_))
}

/// Drops conditions that are always true; nothing when the body is always false.
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
    let mut seen = FxHashSet::default();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnostics;
    use generators::{rows, seeds};

    fn normal(text: &str) -> String {
        let mut diagnostics = Diagnostics::default();
        let description = crate::kif::read(text, 0, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let rules = normalise(&description);
        let texts: Vec<_> = rules.iter().map(|r| r.rule.to_string()).collect();
        texts.join(" ")
    }

    #[test]
    fn forms_become_rules() {
        for [written, expected] in rows(
            r"
                (Role P) => (role p)
                (<= (terminal)) => terminal
                (init (flag)) => (init flag)
                (<= a b) (<= A B) (<= a b c) => (<= a b) (<= a b c)
                (<= a b b (not c) b) => (<= a b (not c))
                (<= a (or b c)) => (<= a b) (<= a c)
                (<= a (or b (or c (not d))) e) => (<= a b e) (<= a c e) (<= a (not d) e)
                (<= a (or)) =>
                (<= a (or b)) => (<= a b)
                (<= a (or b b c)) => (<= a b) (<= a c)
                (<= a (or b c) (or d e)) => (<= a b d) (<= a b e) (<= a c d) (<= a c e)
                (<= a (distinct 1 2) b) => (<= a b)
                (<= a (distinct 1 1) b) =>
                (<= a (p ?x) (distinct ?X ?x)) =>
                (<= a (p ?x) (distinct (f ?x 1) (f 2 2))) => (<= a (p ?x))
                (<= a (p ?x) (distinct ?x 1)) => (<= a (p ?x) (distinct ?x 1))
                (<= a (or (distinct 1 1) b)) => (<= a b)
                (<= a (not (or b c))) =>
                ",
        ) {
            assert_eq!(normal(&written), expected, "{written}");
        }
    }

    #[test]
    fn a_rule_with_many_conditions_takes_no_square_of_their_number() {
        let conditions: String = (0..40_000)
            .map(|number| format!("(f ?x{number})"))
            .collect();
        let text = format!("(<= a (or b c) {conditions})");
        let description = crate::kif::read(&text, 0, &mut Diagnostics::default());
        let begin = std::time::Instant::now();
        let rules = normalise(&description);
        assert_eq!((rules.len(), rules[1].rule.body.len()), (2, 40_001));
        // The square took minutes.
        assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
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

    /// Everything that follows from the facts, by brute force: variables range over `1` and `2`,
    /// negation looks at the facts, which no rule adds to.
    fn consequences(rules: &[Rule], facts: &FxHashSet<String>) -> FxHashSet<String> {
        let mut known = facts.clone();
        loop {
            let before = known.len();
            for rule in rules {
                for values in 0..8 {
                    let instance = |text: String| {
                        ["?x", "?y", "?z"]
                            .iter()
                            .enumerate()
                            .fold(text, |text, (i, name)| {
                                text.replace(name, if values >> i & 1 == 0 { "1" } else { "2" })
                            })
                    };
                    let holds = |literal: &Literal| match literal {
                        Literal::Positive(s) => known.contains(&instance(s.to_string())),
                        Literal::Negative(s) => !facts.contains(&instance(s.to_string())),
                        Literal::Distinct(a, b) => {
                            instance(a.to_string()) != instance(b.to_string())
                        }
                    };
                    if rule.body.iter().all(holds) {
                        known.insert(instance(rule.head.to_string()));
                    }
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }

    #[test]
    fn names_of_helpers_are_not_tried_again() {
        let mut helpers = FreshNames::default();
        helpers.used.insert(Name::new("h_3"));
        let names: Vec<String> = (0..4).map(|_| helpers.fresh("h").to_string()).collect();
        assert_eq!(names, ["h_1", "h_2", "h_4", "h_5"]);
        // The next search begins behind these.
        assert_eq!(helpers.last["h"], 5);
        assert_eq!(helpers.fresh("g").as_str(), "g_1");
    }

    #[test]
    fn helper_relations_mean_the_same() {
        for (seed, mut random) in seeds(fastrand::u64(..1 << 60), 300) {
            let literal = |random: &mut fastrand::Rng| {
                let variable = |random: &mut fastrand::Rng| {
                    let names = ["x", "y", "z"];
                    Term::Variable(Name::new(names[random.usize(..3)]))
                };
                let sentence = Sentence {
                    relation: Name::new(["a", "b", "c"][random.usize(..3)]),
                    arguments: vec![variable(random), variable(random)],
                };
                match random.u8(..6) {
                    0 => Literal::Negative(sentence),
                    1 => Literal::Distinct(variable(random), variable(random)),
                    _ => Literal::Positive(sentence),
                }
            };
            let mut conditions: Vec<Vec<Literal>> = (0..random.usize(1..5))
                .map(|_| {
                    (0..random.usize(1..4))
                        .map(|_| literal(&mut random))
                        .collect()
                })
                .collect();
            // Binds all variables, sometimes only through an `or`.
            let bind = |random: &mut fastrand::Rng, names: [&str; 2]| {
                let binding = names.map(|name| Term::Variable(Name::new(name))).to_vec();
                let relations = ["a", "b", "c"];
                let relations = &relations[..random.usize(1..3)];
                let literals = relations.iter().map(|relation| {
                    Literal::Positive(Sentence {
                        relation: Name::new(relation),
                        arguments: binding.clone(),
                    })
                });
                literals.collect::<Vec<_>>()
            };
            conditions.push(bind(&mut random, ["x", "y"]));
            conditions.push(bind(&mut random, ["y", "z"]));
            random.shuffle(&mut conditions);
            if conditions.iter().all(|c| c.len() == 1) {
                continue;
            }
            let head = Sentence {
                relation: Name::new("h"),
                arguments: vec![
                    Term::Variable(Name::new("x")),
                    Term::Variable(Name::new("z")),
                ],
            };
            let mut facts = FxHashSet::default();
            for relation in ["a", "b", "c"] {
                for (i, j) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
                    if random.bool() {
                        facts.insert(format!("({relation} {i} {j})"));
                    }
                }
            }
            let mut helpers = FreshNames::default();
            let product = multiply(&head, &conditions);
            let folded = fold(&head, conditions.clone(), &mut helpers);
            let folded = folded.unwrap_or_else(|| panic!("seed {seed}"));
            for rule in &folded {
                let mut all = variables_of(&rule.body);
                all.extend(
                    rule.head
                        .arguments
                        .iter()
                        .flat_map(Term::variables)
                        .cloned(),
                );
                let bound = variables_of(rule.body.iter().filter(|l| binds(l)));
                assert_eq!(all, bound, "seed {seed}: {rule} is not safe");
            }
            let only_h = |rules: &[Rule]| {
                let mut known = consequences(rules, &facts);
                known.retain(|sentence| sentence.starts_with("(h "));
                known
            };
            assert_eq!(only_h(&product), only_h(&folded), "seed {seed}: {folded:?}");
        }
    }
}
