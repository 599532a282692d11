//! Games that may go on for ever, valued by definition.
//!
//! Both players have best strategies that look at the state only. So the oracle lists all pairs of such strategies
//! of a tiny game, values each chain by elimination in fractions, and takes the maximum of the minimum. It knows nothing of
//! strategy iteration, components, bounds or rounding. `SQASP_TEST_ROUNDS` multiplies the number of games.

use fastrand::Rng;
use generators::{Cycles, Next, Outcomes, RandomCycles, pig, random_cycles, rounds, ruin};
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::time::Duration;
use stochastic_game::unbounded::{
    ArenaError, Builder, Certificate, Game, Options, Refuted, Solution, Target, Unexplored, check,
    explore, solve,
};
use stochastic_game::{Chances, Expansion, Kind, Refusal, Rows, Site, StochasticGame};
use value::Numerator;

fn ratio(numer: u64, denom: u64) -> BigRational {
    BigRational::new(numer.into(), denom.into())
}

fn builder(cycles: &Cycles) -> Builder {
    let mut builder = Builder::default();
    for state in &cycles.states {
        builder.state();
        for alternative in state {
            builder.alternative();
            for reply in alternative {
                builder.reply();
                for &(weight, next) in reply {
                    let target = match next {
                        Next::State(number) => Target::State(number as u32),
                        Next::End(number) => Target::End(number as u32),
                    };
                    builder.outcome(target, weight);
                }
            }
        }
    }
    builder
}

fn game(cycles: &Cycles) -> Game {
    let payoffs = cycles
        .payoffs
        .iter()
        .map(|&(over, under)| ratio(over, under));
    let arena = builder(cycles)
        .finish(cycles.payoffs.len())
        .expect("a game");
    Game::new(arena, payoffs.collect()).expect("payoffs")
}

/// The values of a chain: what each state leads to is fixed.
fn of_chain(chain: &[&Outcomes], payoffs: &[BigRational]) -> Vec<BigRational> {
    let size = chain.len();
    // States that reach no end are worth 0, and would make the system singular.
    let mut ends = vec![false; size];
    for _ in 0..size {
        for state in 0..size {
            ends[state] |= chain[state].iter().any(|(_, next)| match next {
                Next::End(_) => true,
                Next::State(next) => ends[*next],
            });
        }
    }
    // Rows of the system, with the right-hand side at the end.
    let mut rows = vec![vec![BigRational::zero(); size + 1]; size];
    for (state, row) in rows.iter_mut().enumerate() {
        row[state] = BigRational::one();
        let total: u64 = chain[state].iter().map(|(weight, _)| weight).sum();
        for &(weight, next) in chain[state].iter().filter(|_| ends[state]) {
            match next {
                Next::End(end) => row[size] += ratio(weight, total) * &payoffs[end],
                Next::State(next) => row[next] -= ratio(weight, total),
            }
        }
    }
    for column in 0..size {
        let pivot = (column..size).find(|&row| !rows[row][column].is_zero());
        rows.swap(column, pivot.expect("the system is regular"));
        let above = rows[column].clone();
        for (place, row) in rows.iter_mut().enumerate() {
            if place != column && !row[column].is_zero() {
                let factor = &row[column] / &above[column];
                row.iter_mut()
                    .zip(&above)
                    .for_each(|(entry, above)| *entry -= &factor * above);
            }
        }
    }
    (0..size)
        .map(|state| &rows[state][size] / &rows[state][state])
        .collect()
}

/// Takes the next one of all combinations of choices; `false` after the last.
fn advance(choices: &mut [usize], counts: &[usize]) -> bool {
    for (choice, &count) in choices.iter_mut().zip(counts) {
        *choice += 1;
        if *choice < count {
            return true;
        }
        *choice = 0;
    }
    false
}

/// The values of all states: for each the largest, over strategies of the maximiser, of the smallest, over
/// strategies of the minimiser, of the values of both.
fn by_definition(cycles: &Cycles) -> Vec<BigRational> {
    let payoffs: Vec<BigRational> = cycles
        .payoffs
        .iter()
        .map(|&(over, under)| ratio(over, under))
        .collect();
    let states = cycles.states.len();
    let counts: Vec<usize> = cycles.states.iter().map(Vec::len).collect();
    let mut best = vec![BigRational::zero(); states];
    let mut alternatives = vec![0; states];
    loop {
        let chosen: Vec<_> = cycles
            .states
            .iter()
            .zip(&alternatives)
            .map(|(state, &choice)| &state[choice])
            .collect();
        let counts_of_replies: Vec<usize> = chosen.iter().map(|replies| replies.len()).collect();
        let mut replies = vec![0; states];
        let mut least = vec![BigRational::one(); states];
        loop {
            let chain: Vec<&Outcomes> = chosen
                .iter()
                .zip(&replies)
                .map(|(all, &choice)| &all[choice])
                .collect();
            for (least, value) in least.iter_mut().zip(of_chain(&chain, &payoffs)) {
                *least = value.min(least.clone());
            }
            if !advance(&mut replies, &counts_of_replies) {
                break;
            }
        }
        for (best, value) in best.iter_mut().zip(least) {
            *best = value.max(best.clone());
        }
        if !advance(&mut alternatives, &counts) {
            return best;
        }
    }
}

fn random_family(random: &mut Rng, states: usize) -> RandomCycles {
    RandomCycles {
        states,
        choices: [random.usize(1..4), random.usize(1..3), random.usize(1..4)],
        ends: [3, 10, 30][random.usize(..3)],
        max_weight: [1, 6, 1 << 40][random.usize(..3)],
        reach: random.usize(..3),
    }
}

fn random_options(random: &mut Rng) -> Options {
    Options {
        threads: random.usize(1..3),
        digits: [3, 12, 30][random.usize(..3)],
        exact_work: [0, 100, 1000, u64::MAX][random.usize(..4)],
    }
}

#[test]
fn values_are_those_of_the_definition() {
    let seed = 41;
    let mut random = Rng::with_seed(seed);
    let (mut between, mut bounded) = (0, 0);
    for round in 0..rounds(600) {
        let states = random.usize(1..5);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let options = random_options(&mut random);
        let game = game(&cycles);
        let solution = solve(&game, &options, &Limits::default());
        let at = format!("seed {seed}, round {round}: {options:?}\n{cycles:?}");
        assert_eq!(solution.stopped, None, "{at}");
        assert_eq!(solution.check(&game), Ok(()), "{at}");
        for (state, expected) in by_definition(&cycles).into_iter().enumerate() {
            let (lower, upper) = solution.bounds(state);
            assert!(
                lower <= expected && expected <= upper,
                "{at}\nstate {state}: {expected}"
            );
            let digits = ratio(1, 10u64.pow(options.digits.min(9)));
            assert!(
                &upper - &lower <= digits,
                "{at}\nstate {state}: {lower} to {upper}"
            );
            match solution.value(state) {
                Some(value) => assert_eq!(value, expected, "{at}\nstate {state}"),
                None => bounded += 1,
            }
            assert!(
                solution.value(state).is_some() || options.exact_work < u64::MAX,
                "{at}"
            );
            between += u32::from(!expected.is_zero() && !expected.is_one());
        }
    }
    assert!(
        between > 300 && bounded > 50,
        "seed {seed}: {between} between, {bounded} bounded"
    );
}

/// Larger games: what is exact is within the bounds of those who do without; and where play ends soon, many
/// steps from 0 come close from below.
#[test]
fn exact_values_and_bounds_agree_in_larger_games() {
    let seed = 42;
    let mut random = Rng::with_seed(seed);
    for round in 0..rounds(60) {
        let states = random.usize(5..200);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let game = game(&cycles);
        let limits = Limits::default();
        let bounds_only = Options {
            exact_work: 0,
            ..Options::default()
        };
        let exact = solve(&game, &Options::default(), &limits);
        let bounds = solve(&game, &bounds_only, &limits);
        let at = format!("seed {seed}, round {round}: {family:?}");
        assert_eq!(exact.check(&game), Ok(()), "{at}");
        assert_eq!(bounds.check(&game), Ok(()), "{at}");
        let steps = after_steps(&cycles, 300);
        for (state, &after_steps) in steps.iter().enumerate() {
            let value = exact.value(state).expect("small games are solved exactly");
            let (lower, upper) = bounds.bounds(state);
            assert!(lower <= value && value <= upper, "{at}\nstate {state}");
            assert!(
                &upper - &lower < ratio(1, 1_000_000_000),
                "{at}\nstate {state}"
            );
            let near = num_traits::ToPrimitive::to_f64(&value).expect("a number");
            assert!(after_steps <= near + 1e-9, "{at}\nstate {state}");
            if family.ends >= 30 && family.choices == [1; 3] {
                assert!(after_steps >= near - 1e-6, "{at}\nstate {state}");
            }
        }
    }
}

/// About what the first steps are worth, if play that goes on pays nothing.
fn after_steps(cycles: &Cycles, steps: usize) -> Vec<f64> {
    let mut values = vec![0.0; cycles.states.len()];
    for _ in 0..steps {
        let mean = |outcomes: &Outcomes| {
            let total: u64 = outcomes.iter().map(|(weight, _)| weight).sum();
            let sum: f64 = outcomes
                .iter()
                .map(|&(weight, next)| {
                    weight as f64
                        * match next {
                            Next::State(next) => values[next],
                            Next::End(end) => {
                                cycles.payoffs[end].0 as f64 / cycles.payoffs[end].1 as f64
                            }
                        }
                })
                .sum();
            sum / total as f64
        };
        let least = |replies: &Vec<Outcomes>| replies.iter().map(mean).fold(1.0, f64::min);
        values = cycles
            .states
            .iter()
            .map(|state| state.iter().map(least).fold(0.0, f64::max))
            .collect();
    }
    values
}

#[test]
fn gamblers_are_ruined_as_often_as_the_formula_says() {
    for (target, up, down) in [
        (2, 1, 1),
        (10, 1, 1),
        (300, 1, 1),
        (10, 2, 3),
        (200, 3, 2),
        (150, 1, 5),
    ] {
        let game = game(&ruin(target, [up, down]));
        let solution = solve(&game, &Options::default(), &Limits::default());
        let bounds_only = Options {
            exact_work: 0,
            ..Options::default()
        };
        let bounds = solve(&game, &bounds_only, &Limits::default());
        assert_eq!(solution.check(&game), Ok(()));
        assert_eq!(bounds.check(&game), Ok(()));
        // (1 - r^n) / (1 - r^target) with r = down / up.
        let power = |exponent: usize| num_traits::pow(ratio(down, up), exponent);
        for state in 0..target - 1 {
            let coins = state + 1;
            let expected = match up == down {
                true => ratio(coins as u64, target as u64),
                false => (power(coins) - BigRational::one()) / (power(target) - BigRational::one()),
            };
            assert_eq!(solution.value(state), Some(expected.clone()));
            let (lower, upper) = bounds.bounds(state);
            assert!(lower <= expected && expected <= upper);
            assert!(upper - lower < ratio(1, 1_000_000_000_000));
        }
    }
}

/// Pig to 2: who throws anything but a 1 wins. v = 5/6 + 1/6 (1 - v).
/// Pig to 100: 0.5306 for the first player (Neller and Presser 2004); here to a small goal, by many steps.
#[test]
fn pig_has_its_value() {
    let solved = |goal| {
        let game = game(&pig(goal));
        let solution = solve(&game, &Options::default(), &Limits::default());
        assert_eq!(solution.check(&game), Ok(()));
        solution.value(0).expect("small games are solved exactly")
    };
    assert_eq!(solved(2), ratio(6, 7));
    for goal in [5, 12] {
        let near = num_traits::ToPrimitive::to_f64(&solved(goal)).expect("a number");
        assert!((near - after_steps(&pig(goal), 2000)[0]).abs() < 1e-9);
    }
}

/// Two states lead to each other, and one of them out: both players may wait.
fn waiting() -> Cycles {
    let to = |next| vec![vec![(1, next)]];
    let won_with_half = vec![vec![(1, Next::End(0)), (1, Next::End(1))]];
    Cycles {
        states: vec![
            // The maximiser waits or takes 1/2: iteration from 1 would stay at 1.
            vec![to(Next::State(1)), won_with_half],
            vec![to(Next::State(0))],
            // The minimiser waits: then nobody ever gets anything.
            vec![vec![vec![(1, Next::State(2))], vec![(1, Next::End(0))]]],
            // The maximiser may wait for a minimiser who has no need to move.
            vec![to(Next::State(2)), to(Next::State(0))],
            // Surely won, with patience.
            vec![vec![vec![(1, Next::State(4)), (1, Next::End(0))]]],
        ],
        payoffs: vec![(1, 1), (0, 1)],
    }
}

#[test]
fn nobody_gets_anything_by_waiting() {
    let game = game(&waiting());
    for exact_work in [0, u64::MAX] {
        let options = Options {
            exact_work,
            ..Options::default()
        };
        let solution = solve(&game, &options, &Limits::default());
        assert_eq!(solution.check(&game), Ok(()));
        let expected = [
            ratio(1, 2),
            ratio(1, 2),
            ratio(0, 1),
            ratio(1, 2),
            ratio(1, 1),
        ];
        for (state, expected) in expected.into_iter().enumerate() {
            let (lower, upper) = solution.bounds(state);
            assert!(lower <= expected && expected <= upper, "state {state}");
            assert!(upper - lower < ratio(1, 1_000_000_000_000), "state {state}");
        }
        assert_eq!(
            (solution.statistics.zeros, solution.statistics.ones),
            (1, 1)
        );
    }
}

/// Lower bounds, upper bounds, and strategies.
type Claims = (Vec<BigRational>, Vec<BigRational>, Solution);

/// What a wrong certificate claims, and why it is refused.
#[test]
fn wrong_certificates_are_refused() {
    let game = game(&waiting());
    let right = solve(&game, &Options::default(), &Limits::default());
    let tries = |change: &dyn Fn(&mut Claims)| {
        let values: Vec<BigRational> = (0..5)
            .map(|state| right.value(state).expect("exact"))
            .collect();
        let mut claims = (values.clone(), values, right.clone());
        change(&mut claims);
        let (lower, upper, solution) = claims;
        let certificate = Certificate {
            payoffs: game.payoffs(),
            lower: &|state| lower[state].clone(),
            upper: &|state| upper[state].clone(),
            alternatives: &solution.alternatives,
            replies: &solution.replies,
        };
        check(game.arena(), &certificate)
    };
    assert_eq!(tries(&|_| ()), Ok(()));
    let lower = Err(Refuted::Lower(0));
    assert_eq!(tries(&|claims| claims.0[0] = ratio(2, 3)), lower);
    let upper = Err(Refuted::Upper(3));
    assert_eq!(tries(&|claims| claims.1[3] = ratio(1, 3)), upper);
    let range = Err(Refuted::Range(3));
    assert_eq!(tries(&|claims| claims.1[3] = ratio(4, 3)), range);
    let loops = Err(Refuted::Loops(2));
    assert_eq!(tries(&|claims| claims.0[2] = ratio(1, 2)), loops);
    // Waiting guarantees no half.
    let first = game.arena().alternatives(0).start as u32;
    let loops = Err(Refuted::Loops(0));
    assert_eq!(tries(&|claims| claims.2.alternatives[0] = first), loops);
    let range = Err(Refuted::Range(0));
    assert_eq!(tries(&|claims| claims.2.alternatives[0] = 99), range);
    // Who claims less is right.
    assert_eq!(tries(&|claims| claims.0[4] = ratio(1, 3)), Ok(()));
}

/// Random changes of bounds: what is still accepted encloses the value.
#[test]
fn what_is_accepted_is_true() {
    let seed = 43;
    let mut random = Rng::with_seed(seed);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..rounds(300) {
        let states = random.usize(1..4);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let game = game(&cycles);
        let mut solution = solve(&game, &Options::default(), &Limits::default());
        let parts = |random: &mut Rng| ratio(random.u64(..5), 4);
        let mut bounds: Vec<_> = (0..states).map(|state| solution.bounds(state)).collect();
        let state = random.usize(..states);
        match random.u32(..3) {
            0 => bounds[state].0 = parts(&mut random),
            1 => bounds[state].1 = parts(&mut random),
            _ => {
                let all = game.arena().alternatives(state);
                solution.alternatives[state] = random.usize(all) as u32;
            }
        }
        let certificate = Certificate {
            payoffs: game.payoffs(),
            lower: &|state| bounds[state].0.clone(),
            upper: &|state| bounds[state].1.clone(),
            alternatives: &solution.alternatives,
            replies: &solution.replies,
        };
        match check(game.arena(), &certificate) {
            Err(_) => refused += 1,
            Ok(()) => {
                accepted += 1;
                for (value, (lower, upper)) in by_definition(&cycles).iter().zip(&bounds) {
                    let at = format!("seed {seed}, round {round}: {cycles:?}");
                    assert!(lower <= value && value <= upper, "{at}");
                }
            }
        }
    }
    assert!(
        accepted > 30 && refused > 30,
        "seed {seed}: {accepted} accepted, {refused} refused"
    );
}

#[test]
fn limits_leave_proved_bounds() {
    let seed = 44;
    let mut random = Rng::with_seed(seed);
    let mut reasons = [0; 3];
    for round in 0..rounds(60) {
        let states = random.usize(1..60);
        let family = random_family(&mut random, states);
        let cycles = random_cycles(&mut random, &family);
        let game = game(&cycles);
        let limits = Limits {
            time: random
                .bool()
                .then(|| Duration::from_micros(random.u64(..3) * random.u64(..100))),
            memory: random.bool().then(|| random.u64(..30_000)),
            ..Limits::default()
        };
        if random.u32(..4) == 0 {
            limits.interrupt.raise();
        }
        let at = format!("seed {seed}, round {round}: {limits:?}, {family:?}");
        let exact = solve(&game, &Options::default(), &Limits::default());
        let solution = solve(&game, &Options::default(), &limits);
        assert_eq!(solution.check(&game), Ok(()), "{at}");
        for state in 0..states {
            let value = exact.value(state).expect("small games are solved exactly");
            let (lower, upper) = solution.bounds(state);
            assert!(lower <= value && value <= upper, "{at}\nstate {state}");
        }
        match solution.stopped {
            Some(StopReason::Time) => reasons[0] += 1,
            Some(StopReason::Memory) => reasons[1] += 1,
            Some(StopReason::Interrupted) => reasons[2] += 1,
            Some(StopReason::Precision) => panic!("{at}: this is no limit"),
            None => {}
        }
    }
    assert!(
        reasons.iter().all(|&count| count > 3),
        "seed {seed}: {reasons:?}"
    );
}

#[test]
fn what_is_no_game_is_refused() {
    let one = |cycles: Vec<Vec<Vec<Outcomes>>>| {
        let payoffs = vec![(1, 1)];
        builder(&Cycles {
            states: cycles,
            payoffs,
        })
        .finish(1)
        .map(|_| ())
    };
    assert_eq!(
        one(vec![vec![]]),
        Err(ArenaError::NoAlternative { state: 0 })
    );
    assert_eq!(
        one(vec![vec![vec![]]]),
        Err(ArenaError::NoOutcome { state: 0 })
    );
    assert_eq!(
        one(vec![vec![vec![vec![]]]]),
        Err(ArenaError::NoOutcome { state: 0 })
    );
    let outcome = |weight, next| one(vec![vec![vec![vec![(weight, next), (1, next)]]]]);
    let target = Target::State(1);
    assert_eq!(
        outcome(1, Next::State(1)),
        Err(ArenaError::Target { state: 0, target })
    );
    let target = Target::End(1);
    assert_eq!(
        outcome(1, Next::End(1)),
        Err(ArenaError::Target { state: 0, target })
    );
    assert_eq!(
        outcome(u64::MAX, Next::End(0)),
        Err(ArenaError::Weights { state: 0 })
    );
    assert_eq!(outcome(0, Next::End(0)), Ok(()));
    let arena = builder(&waiting()).finish(2).expect("a game");
    for payoffs in [
        vec![ratio(1, 1)],
        vec![ratio(1, 1), ratio(3, 2)],
        vec![ratio(0, 1); 3],
    ] {
        assert!(Game::new(arena.clone(), payoffs).is_err());
    }
}

/// A plain list of states as a game that says what follows from states. Some states look different and are the same.
struct Listed<'a> {
    cycles: &'a Cycles,
    payoffs: Vec<BigRational>,
}

impl Chances for Listed<'_> {
    fn sites(&self, _: usize) -> &[Site] {
        &[Site::Uniform]
    }

    fn payoffs(&self) -> &[BigRational] {
        &self.payoffs
    }
}

impl StochasticGame for Listed<'_> {
    type Workspace = ();

    fn workspace(&self) {}

    fn rows(&self, _: usize) -> Rows {
        Rows { state: 2, key: 1 }
    }

    fn write_key(&self, _: usize, state: &mut [u64], key: &mut [u64]) {
        key[0] = state[0];
    }

    fn is_stationary(&self) -> bool {
        true
    }

    fn fills_words(&self) -> bool {
        true
    }

    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        (): &mut (),
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        let rows = to.rows();
        for &state in states {
            let words = to.tree.state(state as usize, rows).to_vec();
            let alternatives = &self.cycles.states[words[0] as usize];
            let first = to.tree.open(state, Kind::Max, alternatives.len(), 0);
            for (alternative, replies) in (first..).zip(alternatives) {
                let first = match replies.len() {
                    1 => alternative,
                    count => to.tree.open(alternative, Kind::Min, count, 0),
                };
                for (reply, outcomes) in (first..).zip(replies) {
                    let total: u64 = outcomes.iter().map(|(weight, _)| weight).sum();
                    let share = to.share(0, total as u32)?;
                    let first = to.tree.open(reply, Kind::Mean, outcomes.len(), 1);
                    for (node, &(weight, next)) in (first..).zip(outcomes) {
                        let weight = to.times(share, weight as u32);
                        to.tree.nodes[node as usize].weight = weight;
                        match next {
                            Next::State(number) => {
                                let row = to.tree.add_rows(1, rows);
                                to.tree.rows_mut(row)[0] = number as u64;
                                to.tree.rows_mut(row)[1] = words[0] ^ words[1];
                                let one = to.one().clone();
                                to.tree.set_state(node, row, one);
                            }
                            Next::End(end) => {
                                let worth = to.worth(to.payoffs()[end].clone());
                                to.tree.set_known(node, worth);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

#[test]
fn explored_games_have_the_values_of_their_lists() {
    let seed = 45;
    let mut random = Rng::with_seed(seed);
    let (mut reached, mut parts, mut better) = (0, 0, 0);
    for round in 0..rounds(60) {
        let states = random.usize(1..100);
        let family = RandomCycles {
            max_weight: 6,
            ..random_family(&mut random, states)
        };
        let cycles = random_cycles(&mut random, &family);
        let at = format!("seed {seed}, round {round}: {family:?}");
        let direct = game(&cycles);
        let listed = Listed {
            cycles: &cycles,
            payoffs: direct.payoffs().to_vec(),
        };
        let limits = Limits::default();
        let explored = explore(&listed, &[0, 0], usize::MAX, &mut Watch::new(&limits));
        let explored = explored.expect("sound");
        assert_eq!(explored.stopped, None);
        let expected = solve(&direct, &Options::default(), &limits);
        let solution = solve(&explored.game, &Options::default(), &limits);
        assert_eq!(explored.number(&[0]), Some(0), "{at}");
        for state in 0..states {
            if let Some(number) = explored.number(&[state as u64]) {
                assert!(solution.value(number).is_some(), "{at}");
                assert_eq!(solution.value(number), expected.value(state), "{at}");
                reached += 1;
            }
        }
        let most = explored.game.arena().states();
        let mut watch = Watch::new(&limits);
        let fewer = explore(&listed, &[0, 0], most - 1, &mut watch);
        assert_eq!(fewer.err(), Some(Unexplored::TooMany), "{at}");
        let little = Limits {
            memory: Some(random.u64(10..6_000)),
            ..Limits::default()
        };
        let mut part = explore(&listed, &[0, 0], most, &mut Watch::new(&little)).expect("a part");
        let Some(reason) = part.stopped else {
            continue;
        };
        assert_eq!(reason, StopReason::Memory);
        parts += 1;
        let (lower, upper) = part.solve(&Options::default(), &limits);
        let upper = upper.expect("a part has two bounds");
        let value = expected.value(0).expect("it is exact");
        assert!(
            lower.bounds(0).0 <= value && value <= upper.bounds(0).1,
            "{at}"
        );
        better += usize::from(!lower.bounds(0).0.is_zero() || !upper.bounds(0).1.is_one());
        // Where every play ends among the states that were listed, nothing is unknown.
        let close = BigRational::new(1.into(), 10u64.pow(12).into());
        for (state, length) in part.lengths().into_iter().enumerate() {
            let width = upper.bounds(state).1 - lower.bounds(state).0;
            assert!(length.is_none() || width <= close, "{at}");
        }
    }
    assert!(parts > 10 && better > 5, "seed {seed}: {parts} {better}");
    assert!(reached > 500, "seed {seed}: {reached} states");
}
