//! The dependency graph of relation names.

use crate::description::Description;
use crate::syntax::{Name, Rule};
use base::graph::{Components, Graph};
use rustc_hash::FxHashMap;

/// Relations by name (arity does not count, so that the checks err on the safe side) and which
/// depends on which.
pub(crate) struct Relations {
    numbers: FxHashMap<Name, usize>,
    /// From each relation to those in the bodies of its rules.
    graph: Graph,
    components: Components,
}

impl Relations {
    pub(crate) fn of(description: &Description) -> Self {
        let edges = description.forms.iter().flat_map(|form| {
            let head = &form.head.word.name;
            let body = form.body_sentences();
            let body = body.map(move |(sentence, _)| (head, Some(&sentence.word.name)));
            std::iter::once((head, None)).chain(body)
        });
        Relations::from_edges(edges)
    }

    /// The graph of rules in normal form, helper relations included.
    pub(crate) fn of_rules(rules: &[Rule]) -> Self {
        let heads = rules.iter().map(|rule| (&rule.head.relation, None));
        Relations::from_edges(heads.chain(dependencies(rules).map(|(h, b)| (h, Some(b)))))
    }

    fn from_edges<'a>(edges: impl Iterator<Item = (&'a Name, Option<&'a Name>)>) -> Self {
        let mut numbers: FxHashMap<Name, usize> = FxHashMap::default();
        let mut number = |name: &Name| {
            let fresh = numbers.len();
            *numbers.entry(name.clone()).or_insert(fresh)
        };
        let mut numbered: Vec<(usize, usize)> = Vec::new();
        for (from, to) in edges {
            let from = number(from);
            numbered.extend(to.map(|to| (from, number(to))));
        }
        numbered.sort_unstable();
        numbered.dedup();
        let graph = Graph::new(numbers.len(), |edge| {
            numbered.iter().for_each(|&(from, to)| edge(from, to));
        });
        Relations {
            numbers,
            components: graph.components(),
            graph,
        }
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(&Name::new(name)).copied()
    }

    /// The number of the cycle (the strongly connected component) of a relation.
    pub(crate) fn cycle_of(&self, name: &Name) -> Option<u32> {
        let number = self.numbers.get(name)?;
        Some(self.components.component_of(*number))
    }

    /// Whether the two relations are in one cycle. A relation in a rule of its own is in a cycle.
    pub(crate) fn in_cycle(&self, head: &Name, body: &Name) -> bool {
        match (self.numbers.get(head), self.numbers.get(body)) {
            (Some(&head), Some(&body)) => {
                self.components.component_of(head) == self.components.component_of(body)
            }
            _ => false,
        }
    }

    /// The relations that depend on one of these, themselves included.
    pub(crate) fn depending_on(&self, targets: &[usize]) -> Vec<bool> {
        let reversed = self.graph.reversed();
        let mut found = vec![false; reversed.node_count()];
        let mut open = targets.to_vec();
        while let Some(relation) = open.pop() {
            if !std::mem::replace(&mut found[relation], true) {
                open.extend(reversed.targets(relation).iter().map(|&next| next as usize));
            }
        }
        found
    }

    /// A shortest chain of names from one relation to another, both included.
    pub(crate) fn path(&self, from: usize, to: usize) -> Option<Vec<&Name>> {
        let mut reached_from = vec![usize::MAX; self.graph.node_count()];
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
            for next in self
                .graph
                .targets(relation)
                .iter()
                .map(|&next| next as usize)
            {
                if reached_from[next] == usize::MAX {
                    reached_from[next] = relation;
                    queue.push_back(next);
                }
            }
        }
        None
    }
}

/// Whether some relation depends on itself by these rules.
pub(crate) fn is_recursive(rules: &[Rule]) -> bool {
    let relations = Relations::of_rules(rules);
    dependencies(rules).any(|(head, body)| relations.in_cycle(head, body))
}

/// Head and relation in the body, for all rules.
fn dependencies(rules: &[Rule]) -> impl Iterator<Item = (&Name, &Name)> {
    rules.iter().flat_map(|rule| {
        let body = rule.sentences().skip(1);
        body.map(|sentence| (&rule.head.relation, &sentence.relation))
    })
}
