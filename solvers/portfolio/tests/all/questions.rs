//! Counts of random texts, against their definition.

use crate::mixture::mixture;
use fastrand::Rng;
<<<<<<< HEAD
use formula::{
    Answer, BigRational, Exactness, Formula, Outcome, Quantifier, Quantity, Solver, SolverError,
    Threshold, Value, Var, read_question,
};
use generators::{RandomClauses, Structured, random_clauses, rounds, structured};
use limits::{Limits, Publisher, StopReason};
use num_traits::{One, Zero};
use sqasp_portfolio::solve_with_thresholds;
use std::borrow::Cow;
=======
use formula::{BigRational, Outcome, Quantity, Solver, Value, read_question};
use generators::rounds;
use limits::Limits;
use num_traits::{One, Zero};
>>>>>>> df8fe6af (Formulas: thresholds go; a t line is refused by name)

fn exact(outcome: Outcome) -> BigRational {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => value,
        other => panic!("{other:?}"),
    }
}

/// A question about counting, as data.
struct Counted {
    variables: usize,
    clauses: Vec<Vec<i32>>,
    shown: Option<Vec<usize>>,
    /// The weights of the positive and of the negative literal, with their words.
    weights: Vec<Option<[(String, BigRational); 2]>>,
}

fn counted(random: &mut Rng) -> Counted {
    let variables = random.usize(1..=9);
    let number = |random: &mut Rng| {
        let number = random.i32(1..=variables as i32);
        if random.bool() { number } else { -number }
    };
    let clauses = (0..random.usize(0..2 * variables)).map(|_| {
        let length = random.usize(1..=3);
        (0..length).map(|_| number(random)).collect()
    });
    let clauses = clauses.collect();
    let shown = random.bool().then(|| {
        let all = 0..variables;
        all.filter(|_| random.u32(0..3) > 0).collect::<Vec<_>>()
    });
    let is_weighted = random.bool();
    let weight = |random: &mut Rng| {
        let (numerator, denominator) = (random.i64(0..5), random.i64(1..4));
        let number = BigRational::new(numerator.into(), denominator.into());
        (format!("{numerator}/{denominator}"), number)
    };
    let weights = (0..variables).map(|index| {
        let is_shown = shown.as_ref().is_none_or(|shown| shown.contains(&index));
        (is_weighted && is_shown && random.u32(0..4) > 0).then(|| [weight(random), weight(random)])
    });
    let weights = weights.collect();
    Counted {
        variables,
        clauses,
        shown,
        weights,
    }
}

impl Counted {
    fn is_weighted(&self) -> bool {
        self.weights.iter().any(Option::is_some)
    }

    /// The text, its lines about counting in any order and place.
    fn text(&self, random: &mut Rng) -> String {
        let mut about = Vec::new();
        let projected = if self.shown.is_some() { "p" } else { "" };
        let weighted = if self.is_weighted() { "w" } else { "" };
        let mut header = format!("p cnf {} {}", self.variables, self.clauses.len());
        if random.bool() {
            header = header.replace("cnf", &format!("{weighted}{projected}cnf"));
            if let Some(shown) = self.shown.as_ref().filter(|_| random.bool()) {
                header = format!("{header} {}", shown.len());
            }
        }
        let is_plain = !self.is_weighted() && self.shown.is_none();
        if random.bool() || is_plain {
            about.push(format!("c t {projected}{weighted}mc"));
        }
        if let Some(shown) = &self.shown {
            let (first, second) = shown.split_at(random.usize(0..=shown.len()));
            for part in [first, second] {
                let words: Vec<String> =
                    part.iter().map(|index| format!("{} ", index + 1)).collect();
                let show = if random.bool() { "c p show" } else { "vp" };
                about.push(format!("{show} {}0", words.concat()));
            }
        }
        for (index, weights) in self.weights.iter().enumerate() {
            let Some([(positive, true_weight), (negative, false_weight)]) = weights else {
                continue;
            };
            let var = index + 1;
            let is_unit = (true_weight + false_weight).is_one();
            if is_unit && random.bool() {
                about.push(format!("w {var} {positive}"));
            } else if true_weight.is_one() && false_weight.is_one() && random.bool() {
                about.push(format!("w {var} -1 0"));
            } else {
                let weight = if random.bool() { "c p weight" } else { "w" };
                about.push(format!("{weight} {var} {positive} 0"));
                about.push(format!("{weight} -{var} {negative} 0"));
            }
        }
        random.shuffle(&mut about);
        let mut lines = vec![header];
        for clause in &self.clauses {
            let words: Vec<String> = clause.iter().map(|number| format!("{number} ")).collect();
            lines.push(format!("{}0", words.concat()));
        }
        for line in about {
            // Comments may stand before the header, other lines not.
            let header = lines.iter().position(|line| line.starts_with('p'));
            let from = match line.starts_with('c') {
                true => 0,
                false => header.map_or(0, |at| at + 1),
            };
            lines.insert(random.usize(from..=lines.len()), line);
        }
        lines.join("\n") + "\n"
    }

    /// The count by its definition.
    fn by_definition(&self) -> BigRational {
        let is_shown = |index: &usize| {
            self.shown
                .as_ref()
                .is_none_or(|shown| shown.contains(index))
        };
        let mut seen = std::collections::HashSet::new();
        let mut sum = BigRational::zero();
        for bits in 0..1u32 << self.variables {
            let holds =
                |number: &i32| (bits >> (number.unsigned_abs() - 1) & 1 == 1) == (*number > 0);
            let is_model = self.clauses.iter().all(|clause| clause.iter().any(holds));
            let shown: Vec<usize> = (0..self.variables).filter(is_shown).collect();
            let seen_part: Vec<bool> = shown.iter().map(|index| bits >> index & 1 == 1).collect();
            if !is_model || !seen.insert(seen_part) {
                continue;
            }
            let mut product = BigRational::one();
            for (index, weights) in self.weights.iter().enumerate() {
                if let Some([positive, negative]) = weights {
                    product *= match bits >> index & 1 {
                        1 => &positive.1,
                        _ => &negative.1,
                    };
                }
            }
            sum += product;
        }
        sum
    }
}

#[test]
fn counts_are_those_of_the_definition() {
    let mut random = Rng::with_seed(36);
    for round in 0..rounds(2000) {
        let counted = counted(&mut random);
        let text = counted.text(&mut random);
        let question = read_question(text.as_bytes()).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let Quantity::Count(count) = question.quantity else {
            panic!("round {round}: {text}");
        };
        assert_eq!(count.is_weighted, counted.is_weighted(), "{text}");
        assert_eq!(count.is_projected, counted.shown.is_some(), "{text}");
        let mut solver = mixture(&mut random);
        let answer = solver.solve(&question.formula, &Limits::default());
        let value = exact(answer.unwrap().outcome.times(&count.factor));
        assert_eq!(value, counted.by_definition(), "round {round}: {text}");
    }
}
<<<<<<< HEAD

/// The value of a formula with thresholds by its definition.
fn by_definition(
    formula: &Formula,
    thresholds: &[Threshold],
    prefix: &[(Quantifier, Var)],
    assignment: &mut Vec<bool>,
    decided: usize,
) -> BigRational {
    if let Some((first, rest)) = thresholds.split_first()
        && first.after == decided
    {
        let value = by_definition(formula, rest, prefix, assignment, decided);
        let is_enough = value >= *first.at_least.as_rational();
        return BigRational::from_integer(i32::from(is_enough).into());
    }
    let Some(&(quantifier, var)) = prefix.get(decided) else {
        let holds = |lit: &formula::Lit| lit.holds(assignment[lit.var().index()]);
        let is_model = formula
            .matrix()
            .iter()
            .all(|clause| clause.iter().any(holds));
        return BigRational::from_integer(i32::from(is_model).into());
    };
    let mut branch = |value| {
        assignment[var.index()] = value;
        by_definition(formula, thresholds, prefix, assignment, decided + 1)
    };
    let (if_true, if_false) = (branch(true), branch(false));
    match quantifier {
        Quantifier::Exists => if_true.max(if_false),
        Quantifier::Forall => if_true.min(if_false),
        Quantifier::Chance => {
            let chance = formula.prefix().probability(var).unwrap();
            if_true * chance.as_rational() + if_false * chance.complement().as_rational()
        }
    }
}

/// Thresholds at random places of a formula.
fn thresholds(random: &mut Rng, formula: &Formula, may_be_zero: bool) -> Vec<Threshold> {
    let mut numbers = vec!["1/100", "1/4", "1/3", "1/2", "2/3", "1"];
    numbers.extend(may_be_zero.then_some("0"));
    let mut thresholds: Vec<Threshold> = (0..random.usize(1..=3))
        .map(|_| {
            let number = numbers[random.usize(..numbers.len())];
            Threshold {
                after: random.usize(0..=formula.variables()),
                at_least: formula::Probability::new(number.parse().unwrap()).unwrap(),
            }
        })
        .collect();
    thresholds.sort_by_key(|it| it.after);
    thresholds
}

fn defined_value(formula: &Formula, thresholds: &[Threshold]) -> BigRational {
    let blocks = formula.prefix().blocks().iter();
    let prefix: Vec<_> = blocks
        .flat_map(|block| block.variables.iter().map(|&var| (block.quantifier, var)))
        .collect();
    let mut assignment = vec![false; formula.variables()];
    by_definition(formula, thresholds, &prefix, &mut assignment, 0)
}

#[test]
fn thresholds_are_those_of_the_definition() {
    let mut random = Rng::with_seed(37);
    let kind = Structured {
        variables: 3..=9,
        ..Structured::default()
    };
    let mut inside = 0;
    for round in 0..rounds(1500) {
        let formula = structured(&mut random, &kind);
        let thresholds = thresholds(&mut random, &formula, round % 20 == 0);
        let expected = defined_value(&formula, &thresholds);
        inside += usize::from(!expected.is_zero() && !expected.is_one());
        let mut solver = mixture(&mut random);
        let limits = Limits::default();
        let answer = solve_with_thresholds(&formula, &thresholds, &limits, &mut solver).unwrap();
        let value = exact(answer.outcome);
        assert_eq!(value, expected, "round {round}: {thresholds:?} {formula:?}");
    }
    assert!(inside > 50, "values are not only 0 and 1: {inside}");
}

/// A solver that gives bounds of one value of many.
struct Stopping {
    /// How many values it gives before.
    values: usize,
    slack: BigRational,
    solver: sqasp_portfolio::Portfolio,
}

impl Solver for Stopping {
    fn name(&self) -> &'static str {
        "stopping"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn solve_publishing(
        &mut self,
        formula: Cow<'_, Formula>,
        limits: &Limits,
        publisher: &Publisher,
    ) -> Result<Answer, SolverError> {
        let mut answer = self.solver.solve_publishing(formula, limits, publisher)?;
        let Some(left) = self.values.checked_sub(1) else {
            let value = exact(answer.outcome);
            let lower = (&value - &self.slack).max(BigRational::zero());
            let upper = (&value + &self.slack).min(BigRational::one());
            answer.outcome = Outcome::between(lower, upper, StopReason::Interrupted);
            return Ok(answer);
        };
        self.values = left;
        Ok(answer)
    }
}

#[test]
fn bounds_at_limits_enclose_the_value() {
    let mut random = Rng::with_seed(38);
    let mut quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
    let (mut stopped, mut tight) = (0, 0);
    for round in 0..rounds(500) {
        random.shuffle(&mut quantifiers);
        let family = RandomClauses {
            variables: 9,
            block: random.usize(1..=4),
            clauses: random.usize(5..=15),
            width: 3,
            quantifiers: quantifiers.clone(),
        };
        let formula = random_clauses(&mut random, &family);
        let thresholds = thresholds(&mut random, &formula, false);
        let expected = defined_value(&formula, &thresholds);
        let slack = [(0, 1), (1, 20), (1, 2)][random.usize(..3)];
        let mut solver = Stopping {
            values: random.usize(..3),
            slack: BigRational::new(slack.0.into(), slack.1.into()),
            solver: mixture(&mut random),
        };
        let limits = Limits::default();
        let answer = solve_with_thresholds(&formula, &thresholds, &limits, &mut solver).unwrap();
        let at = format!("round {round}: {thresholds:?} {formula:?}");
        match answer.outcome {
            Outcome::Solved(value) => assert_eq!(value, Value::Exact(expected), "{at}"),
            Outcome::Stopped { lower, upper, .. } => {
                assert!(lower <= expected && expected <= upper, "{at}");
                stopped += 1;
                tight += usize::from(!lower.is_zero() || !upper.is_one());
            }
        }
    }
    assert!(
        stopped > 50 && tight > 20,
        "{stopped} stopped, {tight} have bounds"
    );
}

#[test]
fn thresholds_stand_where_the_text_has_them() {
    for (text, value) in [
        ("p cnf 2 1\ne 1 0\nt 1/2 0\nr 1/3 2 0\n1 2 0\n", "1"),
        ("p cnf 2 1\nr 1/2 1 0\nt 1/2 0\nr 1/3 2 0\n1 2 0\n", "1/2"),
        ("p cnf 2 1\nt 1/2 0\nr 1/2 1 0\nr 1/3 2 0\n1 2 0\n", "1"),
        ("p cnf 2 1\nt 0.7 0\nr 1/2 1 0\nr 1/3 2 0\n1 2 0\n", "0"),
        ("p cnf 2 1\nr 1/2 1 0\nr 1/3 2 0\nt 1 0\n1 2 0\n", "2/3"),
        // The free variable 1 stands before everything.
        ("p cnf 2 1\nt 1/2 0\nr 1/3 2 0\n1 2 0\n", "1"),
        ("p cnf 2 1\nr 1/3 2 0\nt 1/2 0\n-1 0\n", "1"),
        ("p cnf 2 1\nr 1/3 2 0\nt 0 0\n-1 1 0\n", "1"),
    ] {
        let question = read_question(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
        let Quantity::Thresholds(thresholds) = question.quantity else {
            panic!("{text}");
        };
        let mut solver = sqasp_portfolio::Portfolio::default();
        let limits = Limits::default();
        let answer =
            solve_with_thresholds(&question.formula, &thresholds, &limits, &mut solver).unwrap();
        assert_eq!(exact(answer.outcome).to_string(), value, "{text}");
    }
}
=======
>>>>>>> df8fe6af (Formulas: thresholds go; a t line is refused by name)
