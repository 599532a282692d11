//! Games that may go on for ever, valued by definition.
//!
//! Both players have best strategies that look at the state only. So the oracle lists all pairs of such strategies
//! of a tiny game, values each chain by elimination in fractions, and takes the maximum of the minimum. It knows nothing of
//! strategy iteration, components, bounds or rounding. `SQASP_TEST_ROUNDS` multiplies the number of games.

mod explored;
mod lengths;
mod limits;
mod listed;
mod lists;
mod proof;
mod values;

use generators::{Cycles, Next, Outcomes};
use num_rational::BigRational;
use num_traits::One;
use num_traits::Zero;

fn ratio(numer: u64, denom: u64) -> BigRational {
    BigRational::new(numer.into(), denom.into())
}

/// The states of a chain from which play may come to an end; the successors of each state are fixed.
fn ends(chain: &[&Outcomes]) -> Vec<bool> {
    let mut ends = vec![false; chain.len()];
    for _ in chain {
        for state in 0..chain.len() {
            ends[state] |= chain[state].iter().any(|(_, next)| match next {
                Next::End(_) => true,
                Next::State(next) => ends[*next],
            });
        }
    }
    ends
}

/// The values of a chain in which each step pays `paid` and each end its payoff; 0 where play is not to be followed, which would make the system
/// singular.
fn of_chain(
    chain: &[&Outcomes],
    follows: &[bool],
    paid: impl Fn(usize) -> BigRational,
    payoff: impl Fn(usize) -> BigRational,
) -> Vec<BigRational> {
    let size = chain.len();
    // Rows of the system, with the right-hand side at the end.
    let mut rows = vec![vec![BigRational::zero(); size + 1]; size];
    for (state, row) in rows.iter_mut().enumerate() {
        row[state] = BigRational::one();
        if !follows[state] {
            continue;
        }
        row[size] = paid(state);
        let total: u64 = chain[state].iter().map(|(weight, _)| weight).sum();
        for &(weight, next) in chain[state] {
            match next {
                Next::End(end) => row[size] += ratio(weight, total) * payoff(end),
                Next::State(next) => row[next] -= ratio(weight, total),
            }
        }
    }
    eliminate(rows)
}

/// The solution of a system with one solution: rows with the right-hand side at the end.
fn eliminate(mut rows: Vec<Vec<BigRational>>) -> Vec<BigRational> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size).find(|&row| !rows[row][column].is_zero());
        rows.swap(column, pivot.expect("the system is regular"));
        let above = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != column && !row[column].is_zero() {
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

/// By state: the best, over strategies of the side that chooses alternatives, of the worst, over strategies of the other, of the values of
/// both.
fn by_strategies<V: Clone>(
    cycles: &Cycles,
    of_chain: impl Fn(&[&Outcomes]) -> Vec<V>,
    is_better: impl Fn(&V, &V) -> bool,
) -> Vec<V> {
    let keep = |kept: &mut Option<Vec<V>>, values: Vec<V>, replaces: &dyn Fn(&V, &V) -> bool| {
        let kept = kept.get_or_insert_with(|| values.clone());
        for (kept, value) in kept.iter_mut().zip(values) {
            if replaces(&value, kept) {
                *kept = value;
            }
        }
    };
    let counts: Vec<usize> = cycles.states.iter().map(Vec::len).collect();
    let (mut best, mut alternatives) = (None, vec![0; counts.len()]);
    loop {
        let chosen = cycles.states.iter().zip(&alternatives);
        let chosen: Vec<&Vec<Outcomes>> = chosen.map(|(state, &choice)| &state[choice]).collect();
        let counts_of_replies: Vec<usize> = chosen.iter().map(|replies| replies.len()).collect();
        let (mut worst, mut replies) = (None, vec![0; counts.len()]);
        loop {
            let chain = chosen.iter().zip(&replies);
            let chain: Vec<&Outcomes> = chain.map(|(all, &choice)| &all[choice]).collect();
            keep(&mut worst, of_chain(&chain), &|value, kept| {
                is_better(kept, value)
            });
            if !advance(&mut replies, &counts_of_replies) {
                break;
            }
        }
        keep(&mut best, worst.expect("there are replies"), &is_better);
        if !advance(&mut alternatives, &counts) {
            return best.expect("there are alternatives");
        }
    }
}

/// The values of all states. States from which play comes to no end are worth 0.
fn by_definition(cycles: &Cycles) -> Vec<BigRational> {
    let payoff = |end: usize| ratio(cycles.payoffs[end].0, cycles.payoffs[end].1);
    let value =
        |chain: &[&Outcomes]| of_chain(chain, &ends(chain), |_| BigRational::zero(), payoff);
    by_strategies(cycles, value, |one, other| one > other)
}

/// Two states lead to each other, and one of them out: both players may wait.
fn waiting() -> Cycles {
    let to = |next| vec![vec![(1, next)]];
    let won_with_half = vec![vec![(1, Next::End(0)), (1, Next::End(1))]];
    Cycles {
        states: vec![
            // The maximizer waits or takes 1/2: iteration from 1 would stay at 1.
            vec![to(Next::State(1)), won_with_half],
            vec![to(Next::State(0))],
            // The minimizer waits: then play never ends, and the payoff is 0.
            vec![vec![vec![(1, Next::State(2))], vec![(1, Next::End(0))]]],
            // The maximizer may wait for a minimizer who has no need to move.
            vec![to(Next::State(2)), to(Next::State(0))],
            // Surely won, with patience.
            vec![vec![vec![(1, Next::State(4)), (1, Next::End(0))]]],
        ],
        payoffs: vec![(1, 1), (0, 1)],
    }
}
