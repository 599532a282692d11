//! Decremental connectivity: the connected parts of a component after some of its variables were assigned.
//!
//! Before, all variables hung together. So whatever breaks off touches a clause in which something changed. The search for what hangs
//! together starts at the variables of these clauses, from all at once, one variable at a time from each *group*. Groups
//! that meet are joined. A group that has no variable left to visit is a component. When only one group is left that has,
//! it has the rest, and is not visited: the work is that of the smaller parts (the idea is that of
//! Even and Shiloach 1981, an on-line edge-deletion problem).

use super::deduction::Deduction;
use super::residual::Residual;
use formula::Var;

/// Where a variable belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    Assigned,
    /// No open clause has it.
    Free,
    /// The number of its group.
    Number(usize),
}

/// The groups that were found last, and room for the next search.
pub struct Connect {
    /// The search that met a variable or a clause last, and the group where it was then.
    variables: Vec<(u32, u32)>,
    clauses: Vec<(u32, u32)>,
    /// The number of the present search.
    time: u32,
    groups: Vec<Growing>,
    /// Groups that have variables left to visit.
    active: Vec<u32>,
    /// The number of the group of all variables and clauses that were not met.
    rest: usize,
}

/// A group while it grows.
#[derive(Default)]
struct Growing {
    /// The group it was joined with; itself if it stands for all it was joined with.
    parent: u32,
    /// Where it is among the active ones.
    index: u32,
    /// Variables whose clauses were not visited.
    queue: Vec<u32>,
    /// The number it has in the end.
    number: usize,
}

impl Connect {
    /// For this many variables and clauses.
    pub fn new(variables: usize, clauses: usize) -> Self {
        Connect {
            variables: vec![(0, 0); variables],
            clauses: vec![(0, 0); clauses],
            time: 0,
            groups: Vec::new(),
            active: Vec::new(),
            rest: 0,
        }
    }

    /// Finds the groups of a component, which had one when the trail had the length `since`; gives their number.
    pub fn groups(
        &mut self,
        deduction: &Deduction,
        residual: &Residual,
        component: u64,
        since: usize,
    ) -> usize {
        self.start();
        let count = self.begin(deduction, residual, component, since);
        let mut next = 0;
        while self.active.len() > 1 {
            next %= self.active.len();
            let group = self.active[next];
            match self.groups[group as usize].queue.pop() {
                Some(variable) => {
                    self.visit(variable, group, deduction, residual);
                    next += 1;
                }
                None => self.end(next),
            }
        }
        let mut numbers = 0;
        for index in 0..count {
            if self.groups[index].parent as usize == index {
                self.groups[index].number = numbers;
                numbers += 1;
            }
        }
        match self.active.first() {
            Some(&group) => self.rest = self.groups[group as usize].number,
            // Nothing was touched: all that is open is one group.
            None => {
                self.rest = numbers;
                numbers += usize::from(count == 0);
            }
        }
        numbers
    }

    fn start(&mut self) {
        self.active.clear();
        if self.time == u32::MAX {
            self.variables.fill((0, 0));
            self.clauses.fill((0, 0));
            self.time = 0;
        }
        self.time += 1;
    }

    /// Makes a group of each open variable that stands for something that changed; gives their number.
    fn begin(
        &mut self,
        deduction: &Deduction,
        residual: &Residual,
        component: u64,
        since: usize,
    ) -> usize {
        let mut count = 0;
        let mut touch = |literal: formula::Lit| {
            let variable = literal.var().index();
            if deduction.component_of[variable] != component
                || self.variables[variable].0 == self.time
                || !residual.occurs(variable as u32)
            {
                return;
            }
            self.variables[variable] = (self.time, count as u32);
            if self.groups.len() == count {
                self.groups.push(Growing::default());
            }
            let group = &mut self.groups[count];
            group.parent = count as u32;
            group.index = count as u32;
            group.queue.clear();
            group.queue.push(variable as u32);
            self.active.push(count as u32);
            count += 1;
        };
        for &clause in residual.satisfied_since(since) {
            let literals = deduction.store.get(clause).iter().copied();
            literals
                .filter(|&l| deduction.is_open(l))
                .for_each(&mut touch);
        }
        for &literal in &deduction.assignment.trail[since..] {
            for &clause in deduction.occurrences.of(!literal) {
                if residual.is_open(clause) {
                    // One variable of the clause stands for all.
                    let literals = deduction.store.get(clause).iter().copied();
                    literals
                        .filter(|&l| deduction.is_open(l))
                        .take(1)
                        .for_each(&mut touch);
                }
            }
        }
        count
    }

    /// Visits the open clauses of a variable: they and their variables belong to its group.
    fn visit(&mut self, variable: u32, mut group: u32, deduction: &Deduction, residual: &Residual) {
        for &clause in deduction
            .occurrences
            .of_variable(Var::new(variable as usize))
        {
            if !residual.is_open(clause) {
                continue;
            }
            let (time, other) = self.clauses[clause as usize];
            if time == self.time {
                if other != group {
                    group = self.join(group, other);
                }
                continue;
            }
            self.clauses[clause as usize] = (self.time, group);
            for &literal in deduction.store.get(clause) {
                let variable = literal.var().index();
                if !deduction.is_open(literal) {
                    continue;
                }
                let (time, other) = self.variables[variable];
                if time == self.time {
                    if other != group {
                        group = self.join(group, other);
                    }
                } else {
                    self.variables[variable] = (self.time, group);
                    self.groups[group as usize].queue.push(variable as u32);
                }
            }
            if self.active.len() == 1 {
                return;
            }
        }
    }

    /// Joins a group with the one another belongs to; gives the group that stands for both.
    fn join(&mut self, group: u32, other: u32) -> u32 {
        let other = self.find(other);
        if group == other {
            return group;
        }
        let length = |group: u32| self.groups[group as usize].queue.len();
        let (large, small) = if length(group) < length(other) {
            (other, group)
        } else {
            (group, other)
        };
        let queue = std::mem::take(&mut self.groups[small as usize].queue);
        self.groups[large as usize].queue.extend_from_slice(&queue);
        self.groups[small as usize].queue = queue;
        self.groups[small as usize].parent = large;
        self.end(self.groups[small as usize].index as usize);
        large
    }

    /// Takes a group from the active ones.
    fn end(&mut self, index: usize) {
        self.active.swap_remove(index);
        if let Some(&moved) = self.active.get(index) {
            self.groups[moved as usize].index = index as u32;
        }
    }

    /// The group that stands for this one.
    fn find(&mut self, mut group: u32) -> u32 {
        loop {
            let parent = self.groups[group as usize].parent;
            if parent == group {
                return group;
            }
            let grandparent = self.groups[parent as usize].parent;
            self.groups[group as usize].parent = grandparent;
            group = grandparent;
        }
    }

    /// The group of the variables and clauses that were not visited.
    pub fn rest(&self) -> usize {
        self.rest
    }

    /// The group of a variable of the component.
    pub fn of_variable(
        &mut self,
        variable: u32,
        deduction: &Deduction,
        residual: &Residual,
    ) -> Group {
        let (time, group) = self.variables[variable as usize];
        if time == self.time {
            let group = self.find(group);
            return Group::Number(self.groups[group as usize].number);
        }
        if !deduction.is_open(Var::new(variable as usize).positive()) {
            Group::Assigned
        } else if residual.occurs(variable) {
            Group::Number(self.rest)
        } else {
            Group::Free
        }
    }

    /// The group of an open clause of the component.
    pub fn of_clause(&mut self, clause: u32) -> usize {
        let (time, group) = self.clauses[clause as usize];
        if time != self.time {
            return self.rest;
        }
        let group = self.find(group);
        self.groups[group as usize].number
    }
}

#[cfg(test)]
mod tests {
    use super::super::defined::DecisionOrder;
    use super::super::instance::Instance;
    use super::*;
    use base::graph::UnionFind;
    use formula::Quantifier;
    use formula::preprocess::Problem;
    use generators::{RandomClauses, random_clauses, seeds};

    /// Groups by definition: the open variables of each open clause are joined.
    fn plainly(deduction: &Deduction, residual: &Residual) -> Vec<u32> {
        let mut union = UnionFind::new(deduction.instance.variables());
        for clause in 0..deduction.store.given() as u32 {
            if residual.is_open(clause) {
                let literals = deduction.store.get(clause).iter();
                let open = literals.filter(|&&literal| deduction.is_open(literal));
                let open: Vec<u32> = open.map(|literal| literal.var().index() as u32).collect();
                open.windows(2)
                    .for_each(|pair| union.join(pair[0], pair[1]));
            }
        }
        (0..deduction.instance.variables() as u32)
            .map(|variable| union.find(variable))
            .collect()
    }

    #[test]
    fn groups_are_those_of_the_definition() {
        let mut several = 0;
        for (seed, mut random) in seeds(17_000_000, 300) {
            let family = RandomClauses {
                variables: 30,
                block: 30,
                clauses: random.usize(20..60),
                width: random.usize(2..4),
                quantifiers: vec![Quantifier::Exists],
            };
            let problem = Problem::new(&random_clauses(&mut random, &family));
            let decisions = DecisionOrder::of_prefix(&problem);
            let part = Instance::parts(&problem, &decisions).pop();
            let part = part.expect("there are clauses");
            let (variables, clauses) = (part.variables(), part.clauses.len());
            let mut residual = Residual::new(variables, &part.clauses);
            let fresh = Residual::new(variables, &part.clauses);
            let mut connect = Connect::new(variables, clauses);
            let mut deduction = Deduction::new(part);
            for _ in 0..random.usize(1..12) {
                let literal = Var::new(random.usize(0..variables)).literal(random.bool());
                if deduction.is_open(literal) {
                    deduction.decide(literal);
                }
            }
            residual.advance(&deduction);
            let numbers = connect.groups(&deduction, &residual, 0, 0);
            let expected = plainly(&deduction, &residual);
            let mut seen = std::collections::BTreeMap::new();
            for variable in 0..variables as u32 {
                let at = format!("seed {seed}, variable {variable}");
                let is_open = deduction.is_open(Var::new(variable as usize).positive());
                match connect.of_variable(variable, &deduction, &residual) {
                    Group::Assigned => assert!(!is_open, "{at}"),
                    Group::Free => assert!(is_open && !residual.occurs(variable), "{at}"),
                    Group::Number(number) => {
                        assert!(is_open && residual.occurs(variable), "{at}");
                        let first = *seen.entry(number).or_insert(expected[variable as usize]);
                        assert_eq!(first, expected[variable as usize], "{at}");
                    }
                }
            }
            let different: std::collections::BTreeSet<&u32> = seen.values().collect();
            assert_eq!(different.len(), seen.len(), "seed {seed}");
            assert!(seen.len() == numbers || seen.is_empty(), "seed {seed}");
            several += u32::from(numbers > 1);
            residual.retreat(0, &deduction);
            assert!((0..2 * variables).all(|code| {
                let literal = formula::Lit::from_code(code);
                residual.count(literal) == fresh.count(literal)
            }));
        }
        assert!(several > 20, "only {several} fell apart");
    }
}
