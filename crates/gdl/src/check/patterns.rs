//! Dependencies of sentence patterns within one cycle of relation names.
//!
//! A pattern is a relation with its arguments as far as they are known: a ground term, or the function that it begins with, or the number of
//! a class of equal arguments. Starting from the heads of the rules, a pattern leads to the patterns of the body sentences of every rule whose
//! head it fits.
//! Conditions on relations that are given by facts alone are solved on the way, so that
//! `(<= (win ?x) (succ ?x ?y) (not (win ?y)))` leads from `(win 1)` to `(win 2)` only.
//!
//! Invariant: if a ground sentence depends on another, every pattern that covers the first leads
//! to one that covers the second. So a cycle of ground sentences is covered by one of patterns.

use crate::syntax::{Literal, Name, Rule, Sentence, Term};
use base::graph::Graph;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The most fits of a condition and a fact, and of a pattern and a rule, before giving up: well below a second.
const FUEL: usize = 300_000;

/// Whether some pattern depends on its own negation.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    /// None does.
    None,
    /// One does; the rule has one of the negations of the cycle.
    Cycle { rule: usize },
    /// There are too many patterns.
    Undecided,
}

type Key = (Name, usize);

/// The known part of an argument.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Argument {
    Ground(Term),
    /// A function with its number of arguments.
    Function(Key),
    /// It equals all arguments with this number.
    Class(usize),
}

type Pattern = (Name, Vec<Argument>);

/// The ground terms that variables of a rule stand for, as far as they are known.
type Bindings<'a> = FxHashMap<&'a Name, Term>;

/// The rules of one cycle of names, ready for unfolding.
pub(super) struct Dependencies<'a> {
    /// By the relation of the head.
    rules: FxHashMap<Key, Vec<CyclicRule<'a>>>,
    /// Relations without rules.
    facts: FxHashMap<Key, Vec<&'a Sentence>>,
    /// The facts of a relation that have a term at a place.
    places: FxHashMap<(Key, usize, Term), Vec<&'a Sentence>>,
}

struct CyclicRule<'a> {
    number: usize,
    rule: &'a Rule,
    /// Body sentences in the cycle, and whether they are negated.
    cyclic: Vec<(&'a Sentence, bool)>,
    /// Conditions on relations given by facts that share a variable with a sentence in the cycle.
    conditions: Vec<&'a Sentence>,
}

impl<'a> Dependencies<'a> {
    pub(super) fn new(rules: &'a [Rule], in_cycle: &dyn Fn(&Name) -> bool) -> Self {
        let mut facts: FxHashMap<Key, Vec<&Sentence>> = FxHashMap::default();
        let mut derived = BTreeSet::new();
        for rule in rules {
            match rule.body.is_empty() {
                true => facts.entry(rule.head.key()).or_default().push(&rule.head),
                false => drop(derived.insert(rule.head.key())),
            }
        }
        facts.retain(|key, _| !derived.contains(key));
        let mut places: FxHashMap<_, Vec<&Sentence>> = FxHashMap::default();
        for fact in facts.values().flatten().copied() {
            for (place, argument) in fact.arguments.iter().enumerate() {
                if let Some(Argument::Ground(term)) = known(argument, &Bindings::default()) {
                    let place = (fact.key(), place, term);
                    places.entry(place).or_default().push(fact);
                }
            }
        }
        let mut grouped: FxHashMap<Key, Vec<CyclicRule<'a>>> = FxHashMap::default();
        for (number, rule) in rules.iter().enumerate() {
            if in_cycle(&rule.head.relation) {
                let rule = CyclicRule::new(number, rule, in_cycle, &facts);
                grouped.entry(rule.rule.head.key()).or_default().push(rule);
            }
        }
        Dependencies {
            rules: grouped,
            facts,
            places,
        }
    }

    /// Looks for a pattern that depends on its own negation.
    pub(super) fn find_negative_cycle(&self) -> Outcome {
        // Constants in the rules usually decide; solving conditions may be long.
        match self.search(false) {
            Outcome::None => Outcome::None,
            _ => self.search(true),
        }
    }

    /// Facts among which are all that fit a condition: those with one of its terms, if any is known.
    fn candidates(&self, condition: &Sentence, bindings: &Bindings<'_>) -> &[&'a Sentence] {
        let places = condition.arguments.iter().enumerate();
        let lists = places.filter_map(|(place, argument)| {
            let Some(Argument::Ground(term)) = known(argument, bindings) else {
                return None;
            };
            let place = self.places.get(&(condition.key(), place, term));
            Some(place.map_or(&[][..], Vec::as_slice))
        });
        lists
            .min_by_key(|facts| facts.len())
            .unwrap_or_else(|| &self.facts[&condition.key()])
    }

    fn search(&self, solve_facts: bool) -> Outcome {
        let mut search = Search {
            dependencies: self,
            fuel: FUEL,
            numbers: FxHashMap::default(),
            queue: Vec::new(),
            edges: Vec::new(),
        };
        for rule in self.rules.values().flatten() {
            search.number(&rule.rule.head, &Bindings::default());
        }
        let mut next = 0;
        while let Some((relation, arguments)) = search.queue.get(next).cloned() {
            let rules = self.rules.get(&(relation, arguments.len()));
            for rule in rules.into_iter().flatten() {
                let mut bindings = Bindings::default();
                if fits(&rule.rule.head, &arguments, &mut bindings) {
                    let conditions = if solve_facts {
                        &rule.conditions[..]
                    } else {
                        &[]
                    };
                    search.solve(next, rule, conditions.to_vec(), bindings);
                }
            }
            if search.fuel == 0 {
                return Outcome::Undecided;
            }
            next += 1;
        }
        let graph = Graph::new(search.queue.len(), |edge| {
            let edges = search.edges.iter();
            edges.for_each(|&(from, to, _, _)| edge(from, to));
        });
        let components = graph.components();
        let bad = |&&(from, to, negated, _): &&(usize, usize, bool, usize)| {
            negated && components.component_of(from) == components.component_of(to)
        };
        match search.edges.iter().filter(bad).map(|edge| edge.3).min() {
            Some(rule) => Outcome::Cycle { rule },
            None => Outcome::None,
        }
    }
}

struct Search<'s, 'a> {
    dependencies: &'s Dependencies<'a>,
    fuel: usize,
    numbers: FxHashMap<Pattern, usize>,
    queue: Vec<Pattern>,
    /// From, to, whether negated, and the rule.
    edges: Vec<(usize, usize, bool, usize)>,
}

impl<'a> Search<'_, 'a> {
    fn number(&mut self, sentence: &'a Sentence, bindings: &Bindings<'a>) -> usize {
        let pattern = (sentence.relation.clone(), classified(sentence, bindings));
        let fresh = self.queue.len();
        *self.numbers.entry(pattern).or_insert_with_key(|pattern| {
            self.queue.push(pattern.clone());
            fresh
        })
    }

    /// Solves the conditions on facts, the one with the fewest facts first, then adds the edges.
    fn solve(
        &mut self,
        from: usize,
        rule: &CyclicRule<'a>,
        mut conditions: Vec<&'a Sentence>,
        bindings: Bindings<'a>,
    ) {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return;
        }
        let all = self.dependencies;
        let best = (0..conditions.len())
            .min_by_key(|&number| all.candidates(conditions[number], &bindings).len());
        let Some(best) = best else {
            return self.add_edges(from, rule, &bindings);
        };
        let condition = conditions.swap_remove(best);
        for fact in all.candidates(condition, &bindings) {
            let mut bindings = bindings.clone();
            if fits(
                condition,
                &classified(fact, &Bindings::default()),
                &mut bindings,
            ) {
                self.solve(from, rule, conditions.clone(), bindings);
            }
        }
    }

    fn add_edges(&mut self, from: usize, rule: &CyclicRule<'a>, bindings: &Bindings<'a>) {
        let is_same = |literal: &Literal| match literal {
            Literal::Distinct(left, right) if left != right => {
                let ground = |term| match known(term, bindings) {
                    Some(Argument::Ground(term)) => Some(term),
                    _ => None,
                };
                ground(left).is_some_and(|left| Some(left) == ground(right))
            }
            Literal::Distinct(..) => true,
            _ => false,
        };
        if rule.rule.body.iter().any(is_same) {
            return;
        }
        for (sentence, negated) in &rule.cyclic {
            let to = self.number(sentence, bindings);
            self.edges.push((from, to, *negated, rule.number));
        }
    }
}

impl<'a> CyclicRule<'a> {
    fn new(
        number: usize,
        rule: &'a Rule,
        in_cycle: &dyn Fn(&Name) -> bool,
        facts: &FxHashMap<Key, Vec<&Sentence>>,
    ) -> Self {
        let variables = |sentence: &Sentence| {
            let variables = sentence.arguments.iter().flat_map(Term::variables);
            variables.cloned().collect::<BTreeSet<Name>>()
        };
        let (mut cyclic, mut relevant, mut conditions) = (Vec::new(), BTreeSet::new(), Vec::new());
        for literal in &rule.body {
            match literal {
                Literal::Positive(it) | Literal::Negative(it) if in_cycle(&it.relation) => {
                    cyclic.push((it, matches!(literal, Literal::Negative(_))));
                    relevant.extend(variables(it));
                }
                Literal::Positive(it) if facts.contains_key(&it.key()) => conditions.push(it),
                _ => {}
            }
        }
        conditions.retain(|condition| !variables(condition).is_disjoint(&relevant));
        CyclicRule {
            number,
            rule,
            cyclic,
            conditions,
        }
    }
}

/// The known part of a term; nothing of a variable without a term. Functions are known whole if all their arguments are constants: terms that
/// grow from rule to rule would have no end.
fn known(term: &Term, bindings: &Bindings<'_>) -> Option<Argument> {
    let constant = |inner: &Term| {
        let inner = match inner {
            Term::Variable(name) => bindings.get(name)?,
            inner => inner,
        };
        matches!(inner, Term::Constant(_)).then(|| inner.clone())
    };
    match term {
        Term::Variable(name) => Some(Argument::Ground(bindings.get(name)?.clone())),
        Term::Constant(_) => Some(Argument::Ground(term.clone())),
        Term::Function(name, inner) => Some(match inner.iter().map(constant).collect() {
            Some(inner) => Argument::Ground(Term::Function(name.clone(), inner)),
            None => Argument::Function((name.clone(), inner.len())),
        }),
    }
}

/// The arguments of a sentence as those of a pattern.
fn classified(sentence: &Sentence, bindings: &Bindings<'_>) -> Vec<Argument> {
    let all = &sentence.arguments;
    let class = |argument| all.iter().position(|first| first == argument).unwrap_or(0);
    all.iter()
        .map(|argument| {
            known(argument, bindings).unwrap_or_else(|| Argument::Class(class(argument)))
        })
        .collect()
}

/// Whether a sentence can have the arguments of a pattern; its variables get their terms.
fn fits<'a>(sentence: &'a Sentence, pattern: &[Argument], bindings: &mut Bindings<'a>) -> bool {
    let mut classes: FxHashMap<usize, Term> = FxHashMap::default();
    let mut fits = |(term, argument): (&'a Term, &Argument)| {
        let class = match argument {
            Argument::Ground(ground) => return matches(term, ground, bindings),
            Argument::Class(class) => Some(*class),
            Argument::Function(_) => None,
        };
        if let Some(ground) = class.and_then(|class| classes.get(&class)) {
            return matches(term, ground, bindings);
        }
        match (known(term, bindings), class) {
            (Some(Argument::Ground(own)), Some(class)) => classes.insert(class, own).is_none(),
            (Some(Argument::Ground(own)), None) => *argument == Argument::Function(head(&own)),
            (Some(own @ Argument::Function(_)), None) => *argument == own,
            _ => true,
        }
    };
    // What one argument tells of a class may be news for those before it.
    (0..2).all(|_| sentence.arguments.iter().zip(pattern).all(&mut fits))
}

/// Whether a term can be this ground term; its variables get their terms.
fn matches<'a>(term: &'a Term, ground: &Term, bindings: &mut Bindings<'a>) -> bool {
    match (term, ground) {
        (Term::Variable(name), _) => {
            bindings.entry(name).or_insert_with(|| ground.clone()) == ground
        }
        (Term::Function(_, inner), Term::Function(_, others)) if head(term) == head(ground) => {
            let mut pairs = inner.iter().zip(others);
            pairs.all(|(inner, other)| matches(inner, other, bindings))
        }
        _ => term == ground,
    }
}

/// The name that a term begins with, and the number of its arguments.
fn head(term: &Term) -> Key {
    match term {
        Term::Constant(name) | Term::Variable(name) => (name.clone(), 0),
        Term::Function(name, inner) => (name.clone(), inner.len()),
    }
}
