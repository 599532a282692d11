//! Quantified programs evaluated by their definition: every set of atoms is tried as an answer set,
//! every assignment of the quantified atoms is tried in turn (He and Thielscher (2026), section 3.1).

use formula::BigRational;
use num_traits::One;
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

/// One condition of a body: at least this many of the literals hold, or with `negative` fewer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    pub negative: bool,
    /// `None` for a literal that stands alone.
    pub least: Option<usize>,
    pub literals: Vec<Literal>,
}

impl Condition {
    pub fn literal(literal: Literal) -> Self {
        Condition {
            negative: false,
            least: None,
            literals: vec![literal],
        }
    }
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
        let not = if self.negative { "not " } else { "" };
        let literals = join(&self.literals);
        match self.least {
            None => write!(f, "{not}{literals}"),
            Some(least) => write!(f, "{not}{least} {{ {literals} }}"),
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
    let read = if condition.negative {
        negative
    } else {
        positive
    };
    let literals = condition.literals.iter();
    let held = literals.filter(|literal| {
        let set = if literal.negative { negative } else { read };
        (set >> literal.atom & 1 == 1) != literal.negative
    });
    (held.count() >= condition.least.unwrap_or(1)) != condition.negative
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
    let value = decide_with(quantified, 0, 0, answer_sets, &|_, _, _| Some(None));
    value.expect("all is known")
}

/// A function that decides some of the atoms, by their number, the values of those before, and the answer sets that are left; or it does not know.
type Fixed<'a> = &'a dyn Fn(usize, Set, &[Set]) -> Option<Option<bool>>;

/// The value when this many atoms are decided, so, and these answer sets agree with them.
pub fn decide_with(
    quantified: &[(u32, Decider, usize)],
    known: usize,
    decided: Set,
    answer_sets: &[Set],
    fixed: Fixed<'_>,
) -> Option<BigRational> {
    let Some(&(_, decider, atom)) = quantified.get(known) else {
        return Some(BigRational::from_integer(
            u8::from(!answer_sets.is_empty()).into(),
        ));
    };
    let go_on = |bit: bool| {
        let agree = answer_sets.iter().copied();
        let agree = agree.filter(|set| (set >> atom & 1 == 1) == bit);
        let decided = decided | Set::from(bit) << atom;
        let agree: Vec<Set> = agree.collect();
        decide_with(quantified, known + 1, decided, &agree, fixed)
    };
    if let Some(bit) = fixed(known, decided, answer_sets)? {
        return go_on(bit);
    }
    let [if_false, if_true] = [go_on(false)?, go_on(true)?];
    Some(match decider {
        Decider::Exists => if_false.max(if_true),
        Decider::Forall => if_false.min(if_true),
        Decider::Chance(p, q) => {
            let p = BigRational::new(p.into(), q.into());
            (BigRational::one() - &p) * if_false + p * if_true
        }
    })
}

/// The example of He and Thielscher (2026), section 3.1, and its variant with the levels exchanged.
#[test]
fn values_known_by_hand() {
    let literal = |atom, negative| Condition::literal(Literal { atom, negative });
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
