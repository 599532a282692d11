//! The decision between search and listing all states for backward induction.
//!
//! Where chance has a part and little can be pruned, a search pays for windows that it does not need, and expands states several times. Then it
//! is faster to list all states once ([`arena::Sweep`]): `scripts/bench emm`, S-C-4 5x4 takes 0.34 of the time, `scripts/bench xssat` 0.38. Where
//! a search prunes, as against a random opponent, listing is lost work (C-4 5x4 second: 1.2 and 2.0 times). So the search begins; after some
//! expansions a list is made, layer by layer, as long as few states are expected. If it is given up, its layers give bounds.
//!
//! How many states there are is guessed from the layers listed so far.
//! Where pieces come onto a board the number of states per step first grows fast, then
//! more and more slowly, and falls again at the end. So the logarithm of the growth is taken to go
//! on falling as it fell over the last layers. That is a rough guess, mostly too high, but it distinguishes
//! a million states from a billion long before the memory is full; nothing but time depends on it.

use crate::options::Options;

/// The most states of a list: they take one or two gigabytes.
const MAX_LISTED: u64 = 8_000_000;

/// A number of states that is never too large: they take a tenth of a second.
const FEW_STATES: u64 = 100_000;

/// The next list is made after this multiple of the expansions. So lists that are given up take a small part of all time.
const MORE_PATIENCE: u64 = 4;

/// The first list is made for the value only if this many states are expected at most for each expansion; it is
/// early, so only few are worth it. The second one is the last for the value, with [`Options::worth_listing`].
const FIRST_WORTH: u64 = 10;

/// States are guessed from this part of those that are worth listing: the first list is short, and the second one long.
const GUESS_FROM: [u64; 2] = [8, 200];

/// What was done so far.
#[derive(Clone, Copy)]
pub struct State<'a> {
    /// The options of the question.
    pub options: &'a Options,
    /// Whether states can be listed at all.
    pub may_list: bool,
    /// States expanded by the search.
    pub expanded: u64,
    /// Lists that were finished or given up.
    pub lists: u32,
    /// The sizes of the layers of the list that is being made, and how many may follow.
    pub list: Option<(&'a [usize], usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Search until so many states are expanded, or to the end.
    Search(Option<u64>),
    /// List the next layer, as long as there are at most so many states.
    List(u64),
}

impl State<'_> {
    /// How many lists were made or left out.
    pub fn first_list(options: &Options) -> u32 {
        match options.induct_backwards {
            true => 0,
            // Those for the value.
            false => GUESS_FROM.len() as u32,
        }
    }
}

/// Decides what to do next.
pub fn next_action(state: &State<'_>) -> Action {
    let options = state.options;
    let is_for_value = (state.lists as usize) < GUESS_FROM.len();
    let may_list = state.may_list && (is_for_value || options.list_for_bounds > 0);
    let times = MORE_PATIENCE.checked_pow(state.lists).filter(|_| may_list);
    let Some(times) = times else {
        return Action::Search(None);
    };
    let after = options.list_after.saturating_mul(times);
    let search = Action::Search(Some(after));
    if state.expanded < after {
        return search;
    }
    if !is_for_value {
        return Action::List((after / options.list_for_bounds).min(MAX_LISTED));
    }
    let worth = [FIRST_WORTH, options.worth_listing][state.lists as usize];
    let most = after.saturating_mul(worth).max(FEW_STATES);
    let (sizes, steps) = state.list.unwrap_or_default();
    let listed = sizes.iter().sum::<usize>() as u64;
    let is_large = listed >= most / GUESS_FROM[state.lists as usize]
        && states_to_come(sizes, steps, most as f64) > most as f64;
    match is_large {
        true => search,
        false => Action::List(MAX_LISTED),
    }
}

/// How many more states follow, in `steps` more layers at most, given the sizes of all layers so far.
/// Counting ends beyond `enough`.
fn states_to_come(sizes: &[usize], steps: usize, enough: f64) -> f64 {
    let [.., a, _, b, _, c] = *sizes else {
        return 0.0;
    };
    // Two layers at a time, since players take turns.
    let growth = |from: usize, to: usize| ((to as f64).ln() - (from as f64).ln()) / 2.0;
    let mut now = growth(b, c);
    let falls = ((growth(a, b) - now) / 2.0).max(0.0);
    let (mut size, mut sum) = (c as f64, 0.0);
    for _ in 0..steps {
        now -= falls;
        size *= now.exp();
        sum += size;
        if sum > enough || size < 1.0 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_made_after_more_and_more_expansions() {
        let options = Options::default();
        let state = |lists, expanded, list| State {
            options: &options,
            may_list: true,
            expanded,
            lists,
            list,
        };
        let action = |lists, expanded| next_action(&state(lists, expanded, None));
        assert_eq!(action(0, 19_999), Action::Search(Some(20_000)));
        assert_eq!(action(0, 20_000), Action::List(MAX_LISTED));
        assert_eq!(action(1, 20_000), Action::Search(Some(80_000)));
        assert_eq!(action(2, 320_000), Action::List(40_000));
        let sizes = [8710, 20117, 50739, 92278, 213_937, 316_604];
        let many = state(0, 20_000, Some((&sizes, 24)));
        assert_eq!(next_action(&many), Action::Search(Some(20_000)));
        let never = State {
            may_list: false,
            ..many
        };
        assert_eq!(next_action(&never), Action::Search(None));
    }

    #[test]
    fn boards_that_fit_are_told_from_boards_that_do_not() {
        // Layers of stochastic connect: six million states in all, of which these are a tenth.
        let fits = [1906, 5677, 15101, 36556, 79773, 158_313, 284_710];
        let guess = states_to_come(&fits, 9, 1e12);
        assert!((3e6..24e6).contains(&guess), "{guess}");
        // Layers of connect on six by six fields.
        let too_large = [8710, 20117, 50739, 92278, 213_937, 316_604];
        assert!(states_to_come(&too_large, 24, 1e9) > 24e6);
    }

    #[test]
    fn odd_sizes_do_no_harm() {
        assert_eq!(states_to_come(&[1, 2, 4, 8], 100, 1e9), 0.0);
        assert_eq!(states_to_come(&[5; 9], 10, 1e9), 50.0);
        assert!(states_to_come(&[5; 9], usize::MAX, 1e9) > 1e9);
        assert!(states_to_come(&[1000, 1, 1000, 1, 10], usize::MAX, 1e9) < 1.0);
    }
}
