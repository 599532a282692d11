//! Strategies against everything the others can do, with enumeration as the solver.

use conformance::play_strategies;
use formula::{Answer, Exactness, enumerate};
use formula::{
    BigRational, Formula, Lit, Outcome, Solver, SolverError, Strategy, StrategyError, Value, Var,
    one_of,
};
use generators::{Structured, rounds, structured};
use limits::Interrupt;
use limits::{Limits, StopReason};
use num_traits::{One, Zero};

/// Plain enumeration as a solver; with a number of runs after which it is out of time.
struct Enumeration {
    runs: usize,
}

impl Solver for Enumeration {
    fn name(&self) -> &'static str {
        "enumeration"
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn solve(&mut self, formula: &Formula, _: &Limits) -> Result<Answer, SolverError> {
        let outcome = if self.runs == 0 {
            Outcome::unknown(StopReason::Time)
        } else {
            self.runs -= 1;
            Outcome::Solved(Value::Exact(enumerate(formula).expect("it is small")))
        };
        Ok(Answer {
            outcome,
            statistics: Vec::new(),
        })
    }
}

fn endless() -> Enumeration {
    Enumeration { runs: usize::MAX }
}

fn read(text: &str) -> Formula {
    formula::read(text.as_bytes()).expect("it is well formed")
}

fn lits(numbers: &[i32]) -> Vec<Lit> {
    let lit = |&number| Lit::from_dimacs(number).expect("not 0");
    numbers.iter().map(lit).collect()
}

/// It may decide whole blocks or a few variables at a time.
#[test]
fn playing_reaches_the_value_and_not_more() {
    play_strategies(1, |formula, known, rng| {
        let mut solver = endless();
        let mut strategy = Strategy::new(formula, &mut solver);
        let mut group = strategy.next_variables(known).expect("it is its turn");
        if rng.bool() {
            rng.shuffle(&mut group);
            group.truncate(rng.usize(1..=group.len()));
        }
        let decision = strategy
            .decide_group(known, &group, &Limits::default())
            .unwrap();
        let literals = decision.literals.expect("there is no limit");
        assert!(literals.iter().map(|lit| lit.var()).eq(group));
        let value = enumerate(&formula.restricted(known)).expect("it is small");
        assert_eq!(decision.outcome, Outcome::Solved(Value::Exact(value)));
        literals
    });
}

#[test]
fn alternatives_have_the_values_of_what_is_left() {
    for seed in 0..rounds(150) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let formula = structured(&mut rng, &Structured::default());
        let mut solver = endless();
        let mut strategy = Strategy::new(&formula, &mut solver);
        let Ok(next) = strategy.next_variables(&[]) else {
            continue;
        };
        // All assignments of a few variables: the best of them has the value of the formula.
        let group = &next[..next.len().min(3)];
        let all: Vec<Vec<Lit>> = (0..1 << group.len())
            .map(|bits: u32| {
                let literals = group.iter().enumerate();
                literals
                    .map(|(place, var)| var.literal(bits >> place & 1 == 1))
                    .collect()
            })
            .collect();
        let outcomes = strategy
            .alternatives(&[], &all, &Limits::default())
            .unwrap();
        let mut best = BigRational::zero();
        for (alternative, outcome) in all.iter().zip(outcomes) {
            let value = enumerate(&formula.restricted(alternative)).unwrap();
            best = best.max(value.clone());
            assert_eq!(outcome, Outcome::Solved(Value::Exact(value)), "seed {seed}");
        }
        assert_eq!(best, enumerate(&formula).unwrap(), "seed {seed}");
    }
}

/// A coin with heads at 2/3, then exactly one of three guesses: heads, tails, edge.
const GUESS: &str =
    "p cnf 4 6\nr 2/3 1 0\ne 2 3 4 0\n2 3 4 0\n-2 -3 0\n-2 -4 0\n-3 -4 0\n-2 1 0\n-3 -1 0\n";

#[test]
fn one_of_a_group_is_chosen() {
    let formula = read(GUESS);
    let mut solver = endless();
    let mut strategy = Strategy::new(&formula, &mut solver);
    let group = strategy.next_variables(&lits(&[-1])).unwrap();
    let alternatives = one_of(&group);
    assert_eq!(alternatives[1], lits(&[-2, 3, -4]));
    let outcomes = strategy
        .alternatives(&lits(&[-1]), &alternatives, &Limits::default())
        .unwrap();
    let values = [0, 1, 1]
        .map(|value| Outcome::Solved(Value::Exact(BigRational::from_integer(value.into()))));
    assert_eq!(outcomes, values);
    let decision = strategy.decide(&lits(&[1]), &Limits::default()).unwrap();
    // Nothing speaks against the first one.
    assert_eq!(decision.literals, Some(lits(&[2, -3, -4])));
}

#[test]
fn questions_without_answer_are_refused() {
    let formula = read("p cnf 4 1\ne 1 0\nr 0.5 2 0\na 3 0\ne 4 0\n1 2 3 4 0\n");
    let rows: [(&[i32], &[i32], &str); 8] = [
        (&[2], &[1], "v2 is decided before v1"),
        (&[1, 3], &[2], "v3 is decided before v2"),
        (&[1], &[2], "v2 is next"),
        (&[1, 2], &[3], "v3 is next"),
        (&[1, -1], &[4], "v1 cannot be true and false"),
        (&[], &[4], "v4 is not one of the variables"),
        (&[1, 2, 3, 4], &[4], "every variable has a value"),
        (&[9], &[1], "the formula has no variable v9"),
    ];
    for (earlier, group, message) in rows {
        let mut solver = endless();
        let mut strategy = Strategy::new(&formula, &mut solver);
        let group: Vec<Var> = lits(group).iter().map(|lit| lit.var()).collect();
        let error = strategy
            .decide_group(&lits(earlier), &group, &Limits::default())
            .unwrap_err();
        assert!(error.to_string().contains(message), "{earlier:?}: {error}");
        let alternatives = one_of(&group);
        let error = strategy.alternatives(&lits(earlier), &alternatives, &Limits::default());
        let error = error.unwrap_err();
        assert!(error.to_string().contains(message), "{earlier:?}: {error}");
    }
    let mut solver = endless();
    let mut strategy = Strategy::new(&formula, &mut solver);
    let twice = strategy.alternatives(&[], &[lits(&[1, -1])], &Limits::default());
    assert!(matches!(twice, Err(StrategyError::Contradiction(_))));
}

#[test]
fn limits_give_bounds() {
    let formula = read(GUESS);
    for runs in 0..3 {
        let mut solver = Enumeration { runs };
        let mut strategy = Strategy::new(&formula, &mut solver);
        let decision = strategy.decide(&lits(&[1]), &Limits::default()).unwrap();
        assert_eq!(decision.literals.is_some(), runs == 2, "{runs}");
        let Outcome::Stopped {
            reason,
            lower,
            upper,
            ..
        } = decision.outcome
        else {
            assert_eq!(runs, 2);
            continue;
        };
        assert_eq!(reason, StopReason::Time);
        // After the first run the value is known, though not how to reach it.
        assert_eq!((lower.is_one(), upper.is_one()), (runs == 1, true));
    }
    let interrupt = Interrupt::default();
    interrupt.raise();
    let limits = Limits {
        interrupt,
        ..Limits::default()
    };
    let mut solver = endless();
    let mut strategy = Strategy::new(&formula, &mut solver);
    let group = strategy.next_variables(&lits(&[1])).unwrap();
    let outcomes = strategy
        .alternatives(&lits(&[1]), &one_of(&group), &limits)
        .unwrap();
    assert_eq!(outcomes, vec![Outcome::unknown(StopReason::Interrupted); 3]);
}
