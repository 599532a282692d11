//! The dependency graph of relation names.

use crate::gdl::description::Description;
use crate::gdl::graph::components;
use crate::gdl::syntax::{Literal, Name, Rule};
use rustc_hash::FxHashMap;

/// Relations by name (arity does not count, so that the checks err on the safe side) and which
/// depends on which.
pub(crate) struct Relations {
    numbers: FxHashMap<Name, usize>,
    /// For each relation, those in the bodies of its rules.
    successors: Vec<Vec<usize>>,
    /// The strongly connected component of each relation.
    component: Vec<usize>,
}

impl Relations {
    pub(crate) fn of(description: &Description) -> Self {
        let edges = description.forms.iter().flat_map(|form| {
            let head = &form.head.word.name;
            let mut edges = vec![(head, None)];
            form.body_sentences(&mut |s, _| edges.push((head, Some(&s.word.name))));
            edges
        });
        Relations::from_edges(edges)
    }

    /// The graph of rules in normal form, helper relations included.
    pub(crate) fn of_rules(rules: &[Rule]) -> Self {
        let heads = rules.iter().map(|rule| (&rule.head.relation, None));
        Relations::from_edges(heads.chain(dependencies(rules).map(|(h, b, _)| (h, Some(b)))))
    }

    fn from_edges<'a>(edges: impl Iterator<Item = (&'a Name, Option<&'a Name>)>) -> Self {
        let mut numbers: FxHashMap<Name, usize> = FxHashMap::default();
        let mut successors: Vec<Vec<usize>> = Vec::new();
        let mut number = |name: &Name, successors: &mut Vec<Vec<usize>>| {
            if let Some(&number) = numbers.get(name) {
                return number;
            }
            successors.push(Vec::new());
            numbers.insert(name.clone(), successors.len() - 1);
            successors.len() - 1
        };
        for (from, to) in edges {
            let from = number(from, &mut successors);
            if let Some(to) = to {
                let to = number(to, &mut successors);
                successors[from].push(to);
            }
        }
        for list in &mut successors {
            list.sort_unstable();
            list.dedup();
        }
        Relations {
            numbers,
            component: components(&successors),
            successors,
        }
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(&Name::new(name)).copied()
    }

    /// The number of the cycle (the strongly connected component) of a relation.
    pub(crate) fn cycle_of(&self, name: &Name) -> Option<usize> {
        self.numbers.get(name).map(|&number| self.component[number])
    }

    /// Whether the two relations are in one cycle. A relation in a rule of its own is in a cycle.
    pub(crate) fn in_cycle(&self, head: &Name, body: &Name) -> bool {
        match (self.numbers.get(head), self.numbers.get(body)) {
            (Some(&head), Some(&body)) => self.component[head] == self.component[body],
            _ => false,
        }
    }

    /// Which relations depend on one of these, themselves included.
    pub(crate) fn depending_on(&self, targets: &[usize]) -> Vec<bool> {
        let mut predecessors = vec![Vec::new(); self.successors.len()];
        for (from, successors) in self.successors.iter().enumerate() {
            for &to in successors {
                predecessors[to].push(from);
            }
        }
        let mut found = vec![false; self.successors.len()];
        let mut open = targets.to_vec();
        while let Some(relation) = open.pop() {
            if !std::mem::replace(&mut found[relation], true) {
                open.extend(&predecessors[relation]);
            }
        }
        found
    }

    /// A shortest chain of names from one relation to another, both included.
    pub(crate) fn path(&self, from: usize, to: usize) -> Option<Vec<&Name>> {
        let mut reached_from = vec![usize::MAX; self.successors.len()];
        reached_from[from] = from;
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(relation) = queue.pop_front() {
            if relation == to {
                let mut path = vec![to];
                while path.last() != Some(&from) {
                    path.push(reached_from[path[path.len() - 1]]);
                }
                path.reverse();
                let names: FxHashMap<usize, &Name> =
                    self.numbers.iter().map(|(name, &n)| (n, name)).collect();
                return Some(path.into_iter().map(|n| names[&n]).collect());
            }
            for &next in &self.successors[relation] {
                if reached_from[next] == usize::MAX {
                    reached_from[next] = relation;
                    queue.push_back(next);
                }
            }
        }
        None
    }
}

/// How many strata the relations of these rules need, and whether some relation depends on
/// itself. Nothing for the strata when names are in a cycle through `not`.
pub(crate) fn stratify_by_name(rules: &[Rule]) -> (Option<usize>, bool) {
    let relations = Relations::of_rules(rules);
    let count = relations.component.iter().max().map_or(0, |max| max + 1);
    let mut edges = vec![Vec::new(); count];
    let (mut recursive, mut stratified) = (false, true);
    for (head, name, negated) in dependencies(rules) {
        let from = relations.component[relations.numbers[head]];
        let to = relations.component[relations.numbers[name]];
        if from == to {
            recursive = true;
            stratified &= !negated;
        } else {
            edges[from].push((to, negated));
        }
    }
    // Components are numbered so that those a component depends on come first.
    let mut stratum = vec![1; count];
    for from in 0..count {
        let below = edges[from].iter();
        let below = below.map(|&(to, negated)| stratum[to] + usize::from(negated));
        stratum[from] = below.max().unwrap_or(1);
    }
    let strata = stratified.then(|| stratum.into_iter().max().unwrap_or(0));
    (strata, recursive)
}

/// Head, relation in the body, and whether it is negated, for all rules.
fn dependencies(rules: &[Rule]) -> impl Iterator<Item = (&Name, &Name, bool)> {
    rules.iter().flat_map(|rule| {
        rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(s) => Some((&rule.head.relation, &s.relation, false)),
            Literal::Negative(s) => Some((&rule.head.relation, &s.relation, true)),
            Literal::Distinct(..) => None,
        })
    })
}
