//! Counts of random texts, against their definition.

use crate::mixture::mixture;
use fastrand::Rng;
use formula::{BigRational, Outcome, Quantity, Solver, Value, read_question};
use generators::rounds;
use limits::Limits;
use num_traits::{One, Zero};

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
            let forms = [["c p show", "vp"], ["c ind", "cr"]][random.usize(..2)];
            let (first, second) = shown.split_at(random.usize(0..=shown.len()));
            for part in [first, second] {
                let words: Vec<String> =
                    part.iter().map(|index| format!("{} ", index + 1)).collect();
                let show = forms[random.usize(..2)];
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
