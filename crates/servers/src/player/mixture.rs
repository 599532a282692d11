//! Mixtures of moves: a move is drawn with exactly its probability.

use fastrand::Rng;
use formula::BigRational;
use num_traits::{One, Zero};

/// Each move with its probability; these add up to 1.
pub(super) type Mixture<T> = Vec<(T, BigRational)>;

/// An element drawn with its probability. Bits of a random number from 0 to 1 are drawn until they say between which sums of
/// probabilities it lies.
pub(super) fn draw<'a, T>(mixture: &'a [(T, BigRational)], random: &mut Rng) -> Option<&'a T> {
    let part = BigRational::from_integer((1_u128 << 64).into());
    let (mut low, mut width) = (BigRational::zero(), BigRational::one());
    loop {
        width /= &part;
        low += BigRational::from_integer(random.u64(..).into()) * &width;
        let high = &low + &width;
        let mut before = BigRational::zero();
        for (element, share) in mixture {
            let sum = &before + share;
            if before <= low && high <= sum {
                return Some(element);
            }
            before = sum;
        }
        if low >= before {
            return mixture.last().map(|(element, _)| element);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_drawn_with_their_probabilities() {
        let share = |text: &str| text.parse::<BigRational>().expect("a fraction");
        let tiny = share(&format!("1/{}", "9".repeat(60)));
        let mixture: Mixture<usize> = vec![
            (0, share("1/3")),
            (1, BigRational::zero()),
            (2, tiny.clone()),
            (3, share("2/3") - tiny),
        ];
        let mut random = Rng::with_seed(1);
        let mut counts = [0; 4];
        for _ in 0..30_000 {
            counts[*draw(&mixture, &mut random).expect("an element")] += 1;
        }
        assert_eq!((counts[1], counts[2]), (0, 0));
        // Eight standard deviations.
        assert!((9_350..10_650).contains(&counts[0]), "{counts:?}");
        assert_eq!(draw::<usize>(&[], &mut random), None);
        assert_eq!(draw(&[('a', BigRational::one())], &mut random), Some(&'a'));
    }

    /// Bits that do not decide are followed by others: 1/3 has no end in binary, so a first part can lie on both sides of it.
    #[test]
    fn the_same_seed_draws_the_same() {
        let third: BigRational = "1/3".parse().expect("a fraction");
        let mixture = vec![('a', third.clone()), ('b', BigRational::one() - third)];
        let drawn = |seed: u64| -> String {
            let mut random = Rng::with_seed(seed);
            let drawn = (0..50).filter_map(|_| draw(&mixture, &mut random));
            drawn.collect()
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
    }
}
