//! Quantified programs evaluated by their definition: every set of atoms is tried as an answer set,
//! every assignment of the quantified atoms is tried in turn (He and Thielscher (2026), section 3.1).

use formula::BigRational;
use num_traits::{One, Zero};
use std::fmt;

/// An atom by its place in [`ATOMS`], or its default negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    pub atom: usize,
    pub negative: bool,
}

/// Names of atoms, of all shapes that names can have.
pub const ATOMS: [&str; 8] = [
    "a",
    "b(1)",
    "b(2)",
    "c(f(x),-3)",
    "d(\"x,(\\\"\",y)",
    "not_a",
    "e((1,2))",
    "chance(1,1,2,a)",
];

/// One condition of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    Literal(Literal),
    /// At least this many of the literals hold, or with `negative` fewer.
    AtLeast {
        count: usize,
        literals: Vec<Literal>,
        negative: bool,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Head {
    Constraint,
    Atom(usize),
    /// The number of these atoms that hold is at least `least` and at most `most`.
    Choice {
        least: Option<usize>,
        atoms: Vec<usize>,
        most: Option<usize>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    pub head: Head,
    pub body: Vec<Condition>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decider {
    Exists,
    Forall,
    /// True with the probability p/q.
    Chance(u32, u32),
}

/// A program; the quantified atoms with their levels, outermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub rules: Vec<Rule>,
    pub quantified: Vec<(u32, Decider, usize)>,
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.negative { "not " } else { "" };
        write!(f, "{not}{}", ATOMS[self.atom])
    }
}

fn join<T: fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join("; ")
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Literal(literal) => write!(f, "{literal}"),
            Condition::AtLeast {
                count,
                literals,
                negative,
            } => {
                let not = if *negative { "not " } else { "" };
                write!(f, "{not}{count} {{ {} }}", join(literals))
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.head {
            Head::Constraint => {}
            Head::Atom(atom) => f.write_str(ATOMS[*atom])?,
            Head::Choice { least, atoms, most } => {
                if let Some(least) = least {
                    write!(f, "{least} ")?;
                }
                let names: Vec<&str> = atoms.iter().map(|&atom| ATOMS[atom]).collect();
                write!(f, "{{ {} }}", join(&names))?;
                if let Some(most) = most {
                    write!(f, " {most}")?;
                }
            }
        }
        if !self.body.is_empty() || self.head == Head::Constraint {
            write!(f, " :- {}", join(&self.body))?;
        }
        f.write_str(".")
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rule in &self.rules {
            writeln!(f, "{rule}")?;
        }
        for (level, decider, atom) in &self.quantified {
            let atom = ATOMS[*atom];
            match decider {
                // The other way of writing the same.
                Decider::Exists if level % 4 == 1 => writeln!(f, "_quantify({level},{atom})."),
                Decider::Forall if level % 4 == 2 => writeln!(f, "_quantify({level},{atom})."),
                Decider::Exists => writeln!(f, "_exists({level},{atom})."),
                Decider::Forall => writeln!(f, "_forall({level},{atom})."),
                Decider::Chance(p, q) => writeln!(f, "_chance({level},{p},{q},{atom})."),
            }?;
        }
        Ok(())
    }
}

/// A set of atoms, one bit each.
pub type Set = u32;

/// Whether the condition holds when what is positive is read in one set and what is negative in
/// another.
fn holds(condition: &Condition, positive: Set, negative: Set) -> bool {
    let literal_holds = |literal: &Literal, positive: Set, negative: Set| {
        if literal.negative {
            negative >> literal.atom & 1 == 0
        } else {
            positive >> literal.atom & 1 == 1
        }
    };
    let reached = |count: usize, literals: &[Literal], positive: Set| {
        let held = literals
            .iter()
            .filter(|literal| literal_holds(literal, positive, negative));
        held.count() >= count
    };
    match condition {
        Condition::Literal(literal) => literal_holds(literal, positive, negative),
        Condition::AtLeast {
            count,
            literals,
            negative: false,
        } => reached(*count, literals, positive),
        Condition::AtLeast {
            count, literals, ..
        } => !reached(*count, literals, negative),
    }
}

fn body_holds(rule: &Rule, positive: Set, negative: Set) -> bool {
    rule.body
        .iter()
        .all(|condition| holds(condition, positive, negative))
}

/// Whether the set is the least model of the reduct and no constraint is violated.
fn is_answer_set(rules: &[Rule], set: Set) -> bool {
    let mut derived: Set = 0;
    loop {
        let before = derived;
        for rule in rules {
            match &rule.head {
                _ if !body_holds(rule, derived, set) => {}
                Head::Constraint => {}
                Head::Atom(atom) => derived |= 1 << atom,
                Head::Choice { atoms, .. } => {
                    for atom in atoms {
                        derived |= set & 1 << atom;
                    }
                }
            }
        }
        if derived == before {
            break;
        }
    }
    let violated = |rule: &Rule| {
        let bounds_kept = match &rule.head {
            Head::Constraint => false,
            Head::Atom(_) => true,
            Head::Choice { least, atoms, most } => {
                let chosen = atoms.iter().filter(|&&atom| set >> atom & 1 == 1).count();
                least.is_none_or(|least| chosen >= least) && most.is_none_or(|most| chosen <= most)
            }
        };
        !bounds_kept && body_holds(rule, set, set)
    };
    derived == set && !rules.iter().any(violated)
}

/// The value of the program.
pub fn value(program: &Program) -> BigRational {
    decide(&program.quantified, &answer_sets(program))
}

/// All answer sets.
pub fn answer_sets(program: &Program) -> Vec<Set> {
    let all = 0..1 << ATOMS.len();
    all.filter(|&set| is_answer_set(&program.rules, set))
        .collect()
}

/// The value when these answer sets agree with what was decided so far.
pub fn decide(quantified: &[(u32, Decider, usize)], answer_sets: &[Set]) -> BigRational {
    let Some((&(_, decider, atom), rest)) = quantified.split_first() else {
        return if answer_sets.is_empty() {
            BigRational::zero()
        } else {
            BigRational::one()
        };
    };
    let [if_false, if_true] = [0, 1].map(|bit| {
        let agree = answer_sets.iter().filter(|&set| set >> atom & 1 == bit);
        decide(rest, &agree.copied().collect::<Vec<Set>>())
    });
    match decider {
        Decider::Exists => if_false.max(if_true),
        Decider::Forall => if_false.min(if_true),
        Decider::Chance(p, q) => {
            let p = BigRational::new(p.into(), q.into());
            (BigRational::one() - &p) * if_false + p * if_true
        }
    }
}

/// The example of He and Thielscher (2026), section 3.1, and its variant with the levels exchanged.
#[test]
fn values_known_by_hand() {
    let literal = |atom, negative| Condition::Literal(Literal { atom, negative });
    let choice = |atom| Rule {
        head: Head::Choice {
            least: None,
            atoms: vec![atom],
            most: None,
        },
        body: Vec::new(),
    };
    let differ = |first: bool| Rule {
        head: Head::Constraint,
        body: vec![literal(0, first), literal(1, !first)],
    };
    let rules = vec![choice(0), choice(1), differ(false), differ(true)];
    let third = Decider::Chance(1, 3);
    let late = vec![(1, third, 1), (2, Decider::Exists, 0)];
    let early = vec![(1, Decider::Exists, 0), (2, third, 1)];
    for (quantified, expected) in [(late, "1"), (early, "2/3")] {
        let rules = rules.clone();
        let program = Program { rules, quantified };
        assert_eq!(value(&program).to_string(), expected, "{program}");
    }
}
