//! Programs as text, one item to a line:
//!
//! ```text
//! program 7                          variables are numbered from 1
//! factor 1/2                         may be left out if it is 1
//! mean 1:1/3 2:1/2                   an open decision of chance, with probabilities
//! min 3                              an open decision of the minimizer
//! max 4 5 of {1} {2} {1 2} {}        a listed one: by index, the variables that are true
//!   legal -4 1                       a clause of its legality
//! mean 6 7 of {1} {2} unless -4      chance selects, or the maximizer where 4 is false
//! gate 8 = (1 -2) (3)                a conjunction of clauses
//! gate 9 = not (1) (2)               or its negation
//! check 8 9 -1
//! ```
//!
//! A negative number is a negated literal, as in DIMACS. Text after `#` is a comment.

use super::{Decision, Item, Program};
use formula::{Lit, Names, Quantifier, Var};
use num_traits::One;
use std::fmt;

/// Literals with spaces in between.
struct Spaced<'a>(&'a [Lit]);

impl fmt::Display for Spaced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, literal) in self.0.iter().enumerate() {
            let space = if index > 0 { " " } else { "" };
            write!(f, "{space}{}", literal.to_dimacs())?;
        }
        Ok(())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", self.variables)?;
        if !self.factor.is_one() {
            writeln!(f, "factor {}", self.factor)?;
        }
        for item in &self.items {
            match *item {
                Item::Gate(number) => {
                    let gate = &self.gates[number];
                    let not = if gate.inverted { " not" } else { "" };
                    write!(f, "gate {} ={not}", gate.output.index() + 1)?;
                    for clause in self.conjuncts(gate) {
                        write!(f, " ({})", Spaced(clause))?;
                    }
                    writeln!(f)?;
                }
                Item::Check(number) => writeln!(f, "check {}", Spaced(self.clauses.get(number)))?,
                Item::Decision(number) => self.write_decision(&self.decisions[number], f)?,
            }
        }
        Ok(())
    }
}

impl Program {
    fn write_decision(&self, decision: &Decision, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = match decision.quantifier {
            Quantifier::Exists => "max",
            Quantifier::Forall => "min",
            Quantifier::Chance => "mean",
        };
        write!(f, "{owner}")?;
        for (index, variable) in decision.variables.iter().enumerate() {
            write!(f, " {}", variable.index() + 1)?;
            if let Some(chance) = decision.probabilities.get(index) {
                write!(f, ":{}", chance.as_rational())?;
            }
        }
        let Some(listed) = &decision.listed else {
            return writeln!(f);
        };
        write!(f, " of")?;
        for assignment in &listed.assignments {
            let indices: Vec<String> = assignment.iter().map(|n| (n + 1).to_string()).collect();
            write!(f, " {{{}}}", indices.join(" "))?;
        }
        if let Some(literal) = listed.unless {
            write!(f, " unless {}", literal.to_dimacs())?;
        }
        writeln!(f)?;
        for clause in self.legality(decision) {
            writeln!(f, "  legal {}", Spaced(clause))?;
        }
        Ok(())
    }
}

impl Program {
    /// The names of the variables that the program defines, as comments to put behind it.
    pub fn legend(&self, names: &Names) -> String {
        let decisions = self.decisions.iter();
        let decided = decisions.flat_map(|decision| decision.variables.iter().copied());
        let gates = self.gates.iter().map(|gate| gate.output);
        let mut variables: Vec<Var> = decided.chain(gates).collect();
        variables.sort_unstable();
        let named = variables.into_iter().filter_map(|variable| {
            let name = names.get(variable)?;
            Some(format!("# {} is {name}\n", variable.index() + 1))
        });
        named.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::evaluate::evaluate;
    use formula::{BigRational, Probability};

    fn lit(number: i32) -> Lit {
        Lit::from_dimacs(number).expect("not 0")
    }

    fn vars(numbers: &[usize]) -> Vec<Var> {
        numbers.iter().map(|number| Var::new(number - 1)).collect()
    }

    #[test]
    fn an_example_is_printed() {
        let mut program = Program::new(9, BigRational::new(1.into(), 2.into()));
        let chances = [3, 2].map(|parts| Probability::ratio(1, parts)).to_vec();
        program.push_decision(Decision::open(Quantifier::Chance, vars(&[1, 2]), chances));
        program.push_decision(Decision::open(Quantifier::Forall, vars(&[3]), Vec::new()));
        let choice = vec![vec![0], vec![1], vec![0, 1], Vec::new()];
        program.push_decision(Decision::listed(
            Quantifier::Exists,
            vars(&[4, 5]),
            choice,
            None,
        ));
        program.push_legal(&[lit(-4), lit(1)]);
        program.push_legal(&[lit(3), lit(-5), lit(-2)]);
        let selection = Decision::listed(
            Quantifier::Chance,
            vars(&[6, 7]),
            vec![vec![0], vec![1]],
            Some(lit(-4)),
        );
        program.push_decision(selection);
        program.push_gate(Var::new(7), false, [vec![lit(1), lit(-2)], vec![lit(3)]]);
        program.push_gate(Var::new(8), true, [[lit(1)], [lit(2)]]);
        program.push_check(&[lit(8), lit(9), lit(-1)]);
        let text = "\
program 9
factor 1/2
mean 1:1/3 2:1/2
min 3
max 4 5 of {1} {2} {1 2} {}
  legal -4 1
  legal 3 -5 -2
mean 6 7 of {1} {2} unless -4
gate 8 = (1 -2) (3)
gate 9 = not (1) (2)
check 8 9 -1
";
        assert_eq!(program.to_string(), text);
    }

    #[test]
    fn a_value_by_hand() {
        // Chance selects one of the legal two of three; 3 loses unless the coin is 1.
        let mut program = Program::new(4, BigRational::one());
        let quarter = vec![Probability::ratio(1, 4)];
        program.push_decision(Decision::open(Quantifier::Chance, vars(&[1]), quarter));
        let choice = vec![vec![0], vec![1], vec![2]];
        program.push_decision(Decision::listed(
            Quantifier::Chance,
            vars(&[2, 3, 4]),
            choice,
            None,
        ));
        program.push_legal(&[lit(-4)]);
        program.push_check(&[lit(2), lit(1)]);
        assert_eq!(evaluate(&program).to_string(), "5/8");
    }
}
