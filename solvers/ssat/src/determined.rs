//! Existential variables that may be decided earlier, beside chance variables, because they have no choice.
//!
//! Clauses of an output and inputs of a gate leave the output one value at most. More generally, a variable x is
//! *determined* by others if its clauses cannot all be true with x and, by the same others, all be true without x. Then
//! for any values of the others one value of x makes the matrix false, whatever follows.
//!
//! Let x be determined by variables that stand before the end of a block of chance. Fix the values of all these. In what
//! follows x is a maximum of two values of which one is 0, so it is as well a *sum*; a sum of which one part is 0 for
//! all values between here and x may be taken before them; and sums commute with the means of the block. So x may be
//! decided anywhere in the block, by adding the values of both branches:
//!
//! ```text
//! r 1 2, e 3 4:  3 = (1 and 2),  (3 or 4) ...      value = value with 3 true + value with 3 false
//! ```
//!
//! This holds for every formula that is left under an assignment, because it has no models but those of the whole. What
//! is right for an existential variable at its old place (units, pure literals, trivial truth, value 1) stays right. So
//! formulas of circuits are counted as model counters do, which may branch on any variable.
//!
//! # A universal variable that is determined
//!
//! Let a universal variable be determined by variables of blocks before its own. For all their values one value of it makes the matrix
//! false, and the minimising player takes that one. So the value of the formula is 0, and nothing needs to be searched.
//! Formulas made from circuits have such variables when the output of a gate is given to the minimising player.
//!
//! (Definability for counting: Lagniez, Lonca and Marquis 2016. That outputs of gates may be decided with the block of
//! their inputs is known for QBF.)

use crate::options::Options;
use formula::{Lit, Quantifier, Var};
use preprocess::{Contradiction, Occurrences, Problem};

/// A variable whose clauses have more literals than this is not looked at.
const MAX_LITERALS: usize = 4000;

/// How often a variable is looked at, and how many nodes of a search a look may take.
const MAX_LOOKS: u8 = 20;
const MAX_NODES: u32 = 128;

/// Where variables may be decided.
pub struct Places {
    /// The block in which a variable is decided.
    pub levels: Vec<u32>,
    /// Whether a variable is decided by adding the values of both branches.
    pub is_sum: Vec<bool>,
    /// What determines variables, in an order in which each is determined by those before it and by others.
    pub definitions: Vec<Definition>,
    /// A universal variable that earlier blocks determine, if one was found: then the value is 0. It has a definition too.
    pub refuted: Option<Var>,
}

/// What determines a variable: this literal of it is true exactly if one of these clauses has no other true literal.
#[derive(Debug)]
pub struct Definition {
    /// The literal.
    pub literal: Lit,
    /// Numbers of clauses.
    pub clauses: Vec<u32>,
}

impl Places {
    /// Everything where the prefix has it.
    pub fn of_prefix(problem: &Problem) -> Self {
        Places {
            levels: problem.levels.clone(),
            is_sum: vec![false; problem.variables()],
            definitions: Vec::new(),
            refuted: None,
        }
    }

    /// Determined variables in the blocks of chance that determine them, and universal ones that are determined, as far as
    /// the options ask for them.
    pub fn find(problem: &Problem, options: &Options) -> Self {
        let mut places = Places::of_prefix(problem);
        let has_universals = problem.quantifiers.contains(&Quantifier::Forall);
        let refutes = options.refute_determined && has_universals;
        if !options.move_determined && !refutes {
            return places;
        }
        let mut search = Search::new(problem, refutes);
        let occurring = problem.occurring();
        let mut order: Vec<Var> = (0..problem.variables()).map(Var::new).collect();
        order.retain(|variable| occurring[variable.index()]);
        order.sort_unstable_by_key(|&variable| problem.position(variable));
        search.begin_with_units();
        for block in order.chunk_by(|a, b| problem.levels[a.index()] == problem.levels[b.index()]) {
            for &variable in block {
                search.learn(variable);
            }
            search.settle(&mut places, block[0]);
            if places.refuted.is_some() {
                return places;
            }
        }
        match options.move_determined {
            true => places,
            false => Places::of_prefix(problem),
        }
    }
}

/// What is known when all variables up to some block are.
struct Search<'a> {
    problem: &'a Problem,
    /// Whether universal variables are of interest.
    refutes: bool,
    occurrences: Occurrences,
    is_known: Vec<bool>,
    /// By clause, how many of its variables are unknown.
    unknown: Vec<u32>,
    looks: Vec<u8>,
    /// Variables that may have become determined.
    queue: Vec<Var>,
    contradiction: Contradiction,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, refutes: bool) -> Self {
        let variables = problem.variables();
        Search {
            problem,
            refutes,
            occurrences: Occurrences::new(variables, &problem.clauses),
            is_known: vec![false; variables],
            unknown: problem
                .clauses
                .iter()
                .map(|clause| clause.len() as u32)
                .collect(),
            looks: vec![0; variables],
            queue: Vec::new(),
            contradiction: Contradiction::new(variables),
        }
    }

    /// Notes the variables that a clause alone determines.
    fn begin_with_units(&mut self) {
        for clause in self.problem.clauses.iter() {
            if let &[literal] = clause
                && self.is_of_interest(literal.var())
            {
                self.queue.push(literal.var());
            }
        }
    }

    fn is_of_interest(&self, variable: Var) -> bool {
        match self.problem.quantifier(variable) {
            Quantifier::Exists => true,
            Quantifier::Forall => self.refutes,
            Quantifier::Chance => false,
        }
    }

    /// Takes a variable for known, and notes which others that may determine.
    fn learn(&mut self, variable: Var) {
        if std::mem::replace(&mut self.is_known[variable.index()], true) {
            return;
        }
        for &index in self.occurrences.of_variable(variable) {
            self.unknown[index as usize] -= 1;
            if self.unknown[index as usize] == 1 {
                let clause = self.problem.clauses.get(index as usize).iter();
                let last = clause
                    .map(|literal| literal.var())
                    .find(|v| !self.is_known[v.index()]);
                let last = last.expect("one is unknown");
                if self.is_of_interest(last) {
                    self.queue.push(last);
                }
            }
        }
    }

    /// Finds what known variables determine. The last block that is known has `here`.
    fn settle(&mut self, places: &mut Places, here: Var) {
        while let Some(variable) = self.queue.pop() {
            if self.is_known[variable.index()] || !self.is_determined(variable) {
                continue;
            }
            places.definitions.push(self.definition(variable));
            self.learn(variable);
            if self.problem.quantifier(variable) == Quantifier::Forall {
                places.refuted = Some(variable);
                return;
            }
            if self.problem.quantifier(here) == Quantifier::Chance {
                places.levels[variable.index()] = self.problem.levels[here.index()];
                places.is_sum[variable.index()] = true;
            }
        }
    }

    /// Whether known variables determine one that is not known.
    fn is_determined(&mut self, variable: Var) -> bool {
        let problem = self.problem;
        let mut sides = [variable.positive(), variable.negative()].map(|literal| {
            let clauses = self.occurrences.of(literal).iter();
            let usable = clauses.filter(|&&index| self.unknown[index as usize] == 1);
            usable
                .map(|&index| problem.clauses.get(index as usize))
                .collect::<Vec<_>>()
        });
        // With one side alone it is determined by a clause of its own, or the formula is false anyway.
        let is_unit = |side: &Vec<&[Lit]>| side.iter().any(|clause| clause.len() == 1);
        let is_worth_it = sides.iter().any(is_unit) || !sides.iter().any(Vec::is_empty);
        if !is_worth_it || self.looks[variable.index()] == MAX_LOOKS {
            return false;
        }
        self.looks[variable.index()] += 1;
        let mut clauses = sides[0].split_off(0);
        clauses.append(&mut sides[1]);
        if clauses.iter().map(|clause| clause.len()).sum::<usize>() > MAX_LITERALS {
            return false;
        }
        // Short clauses first: they are the units, without the variable itself.
        clauses.sort_by_key(|clause| clause.len());
        self.contradiction
            .is_found(&clauses, variable, &mut { MAX_NODES })
    }

    /// What determines a variable of which [`Self::is_determined`] says so.
    fn definition(&self, variable: Var) -> Definition {
        let sides = [variable.positive(), variable.negative()].map(|literal| {
            let clauses = self.occurrences.of(literal).iter().copied();
            let usable = clauses.filter(|&index| self.unknown[index as usize] == 1);
            let clauses: Vec<u32> = usable.collect();
            Definition { literal, clauses }
        });
        let literals = |definition: &Definition| {
            let clauses = definition.clauses.iter();
            let lengths = clauses.map(|&index| self.problem.clauses.get(index as usize).len());
            lengths.sum::<usize>()
        };
        let [with, without] = sides;
        match literals(&with) <= literals(&without) {
            true => with,
            false => without,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The determined variables of a formula, as numbers of text.
    fn sums(text: &str) -> Vec<usize> {
        let problem = Problem::new(&formula::read(text.as_bytes()).expect("well-formed"));
        let places = Places::find(&problem, &Options::default());
        let sums = (0..problem.variables()).filter(|&index| places.is_sum[index]);
        sums.map(|index| index + 1).collect()
    }

    #[test]
    fn gates_are_determined_by_their_inputs() {
        // 4 = (1 and 2), 5 = (4 xor 3), and 6 is free where 5 is true.
        let clauses =
            "-4 1 0\n-4 2 0\n4 -1 -2 0\n-5 4 3 0\n-5 -4 -3 0\n5 -4 3 0\n5 4 -3 0\n6 5 0\n";
        let chance = format!("p cnf 6 8\nr 0.5 1 2 3 0\ne 4 5 6 0\n{clauses}");
        assert_eq!(sums(&chance), [4, 5]);
        // What an opponent decides later does not determine.
        let other = format!("p cnf 6 8\nr 0.5 1 2 0\na 3 0\ne 4 5 6 0\n{clauses}");
        assert_eq!(sums(&other), [4]);
        let existential = format!("p cnf 6 8\ne 1 2 3 0\nr 0.5 6 0\ne 4 5 0\n{clauses}");
        assert_eq!(sums(&existential), Vec::<usize>::new());
    }

    #[test]
    fn a_universal_variable_that_earlier_ones_determine_loses() {
        let refuted = |text: &str| {
            let problem = Problem::new(&formula::read(text.as_bytes()).expect("well-formed"));
            let found = |options: &Options| Places::find(&problem, options).refuted;
            let off = Options {
                refute_determined: false,
                ..Options::default()
            };
            assert_eq!(found(&off), None);
            found(&Options::default()).map(|variable| variable.index() + 1)
        };
        // 4 = (1 and 2), and 3 = (4 or 1).
        let clauses = "-4 1 0\n-4 2 0\n4 -1 -2 0\n3 -4 0\n3 -1 0\n-3 4 1 0\n";
        let prefix = |text: &str| refuted(&format!("p cnf 4 6\n{text}\n{clauses}"));
        assert_eq!(prefix("e 1 0\nr 0.5 2 0\na 3 0\ne 4 0"), Some(3));
        assert_eq!(prefix("e 1 0\nr 0.5 2 0\ne 3 0\na 4 0"), Some(4));
        // What it is determined by is known too late, or may be chosen by the same player.
        assert_eq!(prefix("a 3 0\nr 0.5 1 2 0\ne 4 0"), None);
        assert_eq!(prefix("e 1 0\na 2 3 0\ne 4 0"), None);
        // 3 = (1 and 2), and 2 is known from the beginning.
        let unit = "-3 1 0\n-3 2 0\n3 -1 -2 0\n2 0\n";
        assert_eq!(
            refuted(&format!("p cnf 3 4\ne 1 0\na 3 0\ne 2 0\n{unit}")),
            Some(3)
        );
    }

    #[test]
    fn half_a_gate_is_not() {
        assert_eq!(
            sums("p cnf 3 2\nr 0.5 1 2 0\ne 3 0\n-3 1 0\n-3 2 0\n"),
            Vec::<usize>::new()
        );
    }
}
