//! Simplification keeps factor times value, with all of its steps and with any of them left out.

use generators::{
    FormulaBuilder, RandomClauses, Structured, enumerate, random_clauses, rounds, seeds, structured,
};
use limits::{Limits, Watch};
use num_traits::Zero;
use sqasp_formula::preprocess::{
    Falsified, Options, Problem, Reduction, expanded, reduced, simplify, without_blocked,
};
use sqasp_formula::{BigRational, Clauses, Formula, Lit, Names, Prefix, Quantifier, Var};

/// The problem that is left, as a formula again.
fn formula(problem: &Problem) -> Formula {
    let mut variables: Vec<Var> = (0..problem.variables()).map(Var::new).collect();
    variables.sort_by_key(|&variable| problem.position(variable));
    let mut prefix = Prefix::new();
    for variable in variables {
        match &problem.chances[variable.index()] {
            Some(chance) => prefix.push_chance(variable, chance.clone()),
            None => prefix.push(problem.quantifier(variable), [variable]),
        }
    }
    let mut matrix = Clauses::new();
    for clause in problem.clauses.iter() {
        matrix.push(clause.iter().copied());
    }
    Formula::new(problem.variables(), prefix, matrix, Names::default())
}

/// Some clauses of one and two literals, so that there is something to do.
fn random(random: &mut fastrand::Rng) -> Formula {
    if random.bool() {
        return structured(random, &Structured::default());
    }
    let variables = 9;
    let family = RandomClauses {
        variables,
        block: random.usize(1..=4),
        clauses: random.usize(2..10),
        width: 3,
        quantifiers: vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance],
    };
    let other = random_clauses(random, &family);
    let mut matrix = other.matrix().clone();
    for _ in 0..random.usize(1..5) {
        let literals = (0..random.usize(1..=2))
            .map(|_| Var::new(random.usize(..variables)).literal(random.bool()));
        let clause: Vec<Lit> = literals.collect();
        matrix.push(clause);
    }
    Formula::new(variables, other.prefix().clone(), matrix, Names::default())
}

#[test]
fn factor_times_value_stays() {
    let limits = Limits::default();
    let (mut smaller, mut falsified, mut factors) = (0, 0, 0);
    for (seed, mut rng) in seeds(0, 1500) {
        let before = random(&mut rng);
        let mut options = Options::default();
        for (name, _) in Options::techniques() {
            *options.technique(name).expect("it is on the list") = rng.u8(0..4) > 0;
        }
        let mut problem = Problem::new(&before);
        let literals = problem.clauses.literal_count();
        let mut watch = Watch::new(&limits);
        let simplified = simplify(&mut problem, &options, &mut watch).expect("no limits");
        let value = match simplified {
            Ok(()) => &problem.factor * enumerate(&formula(&problem)).expect("it is small"),
            Err(Falsified) => BigRational::zero(),
        };
        let expected = enumerate(&before).expect("it is small");
        assert_eq!(value, expected, "seed {seed}, {options:?}: {before:?}");
        smaller += u64::from(problem.clauses.literal_count() < literals);
        falsified += u64::from(simplified == Err(Falsified));
        factors += u64::from(problem.factor < BigRational::from_integer(1.into()));
    }
    assert!(smaller > rounds(300), "only {smaller} became smaller");
    assert!(falsified > rounds(50), "only {falsified} are plainly false");
    assert!(factors > rounds(50), "only {factors} have a factor");
}

/// Subsumption, self-subsuming resolution and elimination keep the value, each alone and all together.
#[test]
fn reduction_keeps_the_value() {
    let (mut smaller, mut fewer, mut merged) = (0, 0, 0);
    for (seed, mut rng) in seeds(0, 3000) {
        let before = random(&mut rng);
        let problem = Problem::new(&before);
        let reduction = Reduction {
            subsumes: rng.bool(),
            eliminates: rng.u8(0..4) > 0,
            lengthens: rng.bool(),
        };
        let Some(after) = reduced(&problem, reduction, rng.u64(50..2000)) else {
            continue;
        };
        let value = enumerate(&formula(&after)).expect("it is small");
        let expected = enumerate(&before).expect("it is small");
        assert_eq!(value, expected, "seed {seed}, {reduction:?}: {before:?}");
        let variables = |problem: &Problem| problem.occurring().iter().filter(|&&one| one).count();
        smaller += u64::from(after.clauses.literal_count() < problem.clauses.literal_count());
        fewer += u64::from(variables(&after) < variables(&problem));
        merged += u64::from(after.levels.iter().max() < problem.levels.iter().max());
    }
    assert!(smaller > rounds(500), "only {smaller} became smaller");
    assert!(fewer > rounds(500), "only {fewer} lost variables");
    assert!(merged > rounds(20), "only {merged} have fewer blocks");
}

/// Without blocked clauses the value is the same, and clauses of variables that are to keep theirs are all there.
#[test]
fn blocked_clauses_do_not_matter() {
    let (mut fewer, mut outer) = (0, 0);
    for (seed, mut rng) in seeds(0, 3000) {
        let before = random(&mut rng);
        let problem = Problem::new(&before);
        let one_in = [2, 5, 100][rng.usize(..3)];
        let stays = std::iter::repeat_with(|| rng.u32(0..one_in) == 0);
        let stays: Vec<bool> = stays.take(problem.variables()).collect();
        let Some(after) = without_blocked(&problem, &stays, rng.u64(20..2000)) else {
            continue;
        };
        let value = enumerate(&formula(&after)).expect("it is small");
        let expected = enumerate(&before).expect("it is small");
        assert_eq!(value, expected, "seed {seed}: {before:?}");
        let kept = |clause: &&[Lit]| clause.iter().any(|literal| stays[literal.var().index()]);
        let count = |problem: &Problem| problem.clauses.iter().filter(kept).count();
        assert_eq!(count(&after), count(&problem), "seed {seed}: {before:?}");
        fewer += 1;
        outer += u64::from(problem.levels.iter().max() > Some(&1));
    }
    assert!(fewer > rounds(500), "only {fewer} lost clauses");
    assert!(
        outer > rounds(200),
        "only {outer} have three blocks or more"
    );
}

/// Each of very many universal variables has its own existential one. Taking out one after the other would take quadratic time.
#[test]
fn expansion_of_many_variables_is_given_up() {
    let pairs = 20_000;
    let mut made = FormulaBuilder::default();
    let (theirs, ours) = (made.block("a", pairs), made.block("e", pairs));
    for (theirs, ours) in theirs.into_iter().zip(ours) {
        made.clause([theirs, ours]);
        made.clause([!theirs, !ours]);
    }
    let formula = made.finish();
    assert!(expanded(&Problem::new(&formula), 16 * pairs).is_none());
}

/// The value stays when universal variables are expanded.
#[test]
fn expansion_keeps_the_value() {
    let (mut blocks, mut whole, mut refused) = (0, 0, 0);
    for (seed, mut rng) in seeds(0, 3000) {
        let before = random(&mut rng);
        let problem = Problem::new(&before);
        let most = problem.clauses.literal_count() * rng.usize(1..8);
        let Some(after) = expanded(&problem, most) else {
            refused += 1;
            continue;
        };
        assert!(after.clauses.literal_count() <= most, "seed {seed}");
        let universal = |problem: &Problem| {
            let occurring = problem.occurring().into_iter().zip(&problem.quantifiers);
            occurring
                .filter(|&(occurs, &who)| occurs && who == Quantifier::Forall)
                .count()
        };
        assert!(universal(&after) < universal(&problem), "seed {seed}");
        let Ok(value) = enumerate(&formula(&after)) else {
            // There are too many copies.
            continue;
        };
        let expected = enumerate(&before).expect("it is small");
        assert_eq!(value, expected, "seed {seed}: {before:?}");
        blocks += 1;
        whole += u64::from(universal(&after) == 0);
    }
    assert!(blocks > rounds(300), "only {blocks} lost a block");
    assert!(
        whole > rounds(100),
        "only {whole} have no universal variable left"
    );
    assert!(refused > rounds(300), "only {refused} were refused");
}
