//! A projection of the number of states that backward induction will have to list, from the layers listed so far.
//!
//! Where pieces come onto a board the number of states per step first grows fast, then
//! more and more slowly, and falls again at the end. So the logarithm of the growth is taken to go
//! on falling as it fell over the last layers. That is a rough guess, mostly too high, but it tells
//! a million states from a billion long before the memory is full; nothing but time depends on it.

/// How many more states follow, in `steps` more layers at most, given the sizes of all layers so far.
/// Counting ends beyond `enough`.
pub fn states_to_come(sizes: &[usize], steps: usize, enough: f64) -> f64 {
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
