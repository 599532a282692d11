//! Games that may go on for ever, valued by definition.
//!
//! Both players have best strategies that look at the state only. So the oracle lists all pairs of such strategies
//! of a tiny game, values each chain by elimination in fractions, and takes the maximum of the minimum. It knows nothing of
//! strategy iteration, components, bounds or rounding. `SQASP_TEST_ROUNDS` multiplies the number of games.

mod certificates;
mod explored;
mod lengths;
mod limits;
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

/// The values of a chain: the successors of each state are fixed.
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

/// The values of all states: for each the largest, over strategies of the maximizer, of the smallest, over
/// strategies of the minimizer, of the values of both.
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
