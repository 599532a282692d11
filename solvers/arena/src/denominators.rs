//! Values as whole numbers: the number that stands for 1 in each layer.
//!
//! A value in layer n is a whole number of parts of `ones[n]`, the product of the denominators of the
//! chance decisions still to come and of the payoffs ([`base::value`]). Which denominators are needed is not
//! known before: rules allow for many, and real states need few. So the shares that occur are learned: by
//! random play before the search (`random_play`), which finds nearly all, and otherwise by the
//! search itself, which then stops, has all that is stored multiplied, and goes on.

use crate::bounds::{BYTES_PER_CHECK, LAYERS_PER_CHECK};
use base::value::Numerator;
use num_bigint::BigUint;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::ToPrimitive;

/// A place in a layer where chance decides: which denominators it may need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Site {
    /// One of some equally likely outcomes; how many they are depends on the state.
    Uniform,
    /// One of two outcomes; the first has this probability.
    Coin(BigRational),
}

/// The chances of a game: the sites where chance decides, and the payoffs.
pub trait Chances {
    /// Where chance decides in a layer (1 or more), in the order of decision.
    fn sites(&self, layer: usize) -> &[Site];

    /// The payoffs of the end of play other than 0 and 1: each is between 0 and 1.
    fn payoffs(&self) -> &[BigRational] {
        &[]
    }
}

/// A share of 1 that was not known to occur.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NewShare {
    pub layer: usize,
    pub site: usize,
    /// The number of equally likely outcomes; 0 for a coin.
    pub count: u32,
}

impl NewShare {
    /// A coin that is thrown.
    pub fn coin(layer: usize, site: usize) -> Self {
        NewShare {
            layer,
            site,
            count: 0,
        }
    }
}

/// The shares that are known to occur, by layer and site: numbers of equally likely outcomes, or one 0 for
/// a coin that was thrown. Sorted.
type Shares = Vec<u32>;

/// The denominators that are known to occur, for layers from 0 on.
#[derive(Clone, Debug, Default)]
pub struct Denominators {
    layers: Vec<Vec<Shares>>,
}

impl Denominators {
    /// Makes room for layers up to this one.
    pub fn grow(&mut self, game: &impl Chances, layer: usize) {
        if self.layers.is_empty() {
            self.layers.push(Vec::new());
        }
        for layer in self.layers.len()..=layer {
            self.layers.push(vec![Vec::new(); game.sites(layer).len()]);
        }
    }

    /// Whether any share is known: whether chance decides anything, as far as is known.
    pub fn has_shares(&self) -> bool {
        let mut sites = self.layers.iter().flatten();
        sites.any(|shares| !shares.is_empty())
    }

    /// Whether a share is known.
    pub fn knows(&self, share: &NewShare) -> bool {
        self.layers[share.layer][share.site].contains(&share.count)
    }

    pub fn add(&mut self, share: NewShare) {
        let shares = &mut self.layers[share.layer][share.site];
        if let Err(index) = shares.binary_search(&share.count) {
            shares.insert(index, share.count);
        }
    }

    /// The product of the denominators of a layer.
    pub fn of_layer(&self, game: &impl Chances, layer: usize) -> BigUint {
        let sites = game.sites(layer).iter().zip(&self.layers[layer]);
        sites.map(|(site, shares)| of_site(site, shares)).product()
    }

    /// The number 1 of a layer.
    pub fn one(&self, game: &impl Chances, layer: usize) -> BigUint {
        let factors = (1..=layer).filter(|&layer| self.layers[layer].iter().any(|s| !s.is_empty()));
        let mut factors: Vec<BigUint> = factors.map(|layer| self.of_layer(game, layer)).collect();
        factors.push(of_payoffs(game.payoffs()));
        // Numbers of like length are multiplied fast.
        while factors.len() > 1 {
            let pairs = factors.chunks(2).map(|pair| pair.iter().product());
            factors = pairs.collect();
        }
        factors.swap_remove(0)
    }

    /// The numbers 1 of all layers from 0 on, each made from the one before.
    pub fn ones<'a>(&'a self, game: &'a impl Chances) -> impl Iterator<Item = BigUint> + 'a {
        let mut one = of_payoffs(game.payoffs());
        (0..self.layers.len()).map(move |layer| {
            if layer > 0 {
                one *= self.of_layer(game, layer);
            }
            one.clone()
        })
    }

    /// How many bits the number 1 has in each layer below this one; nothing if `go_on` says `false`.
    pub fn all_bits(
        &self,
        game: &impl Chances,
        layers: usize,
        go_on: impl Fn() -> bool,
    ) -> Option<Vec<usize>> {
        let mut bits = Vec::with_capacity(layers);
        for (layer, one) in self.ones(game).take(layers).enumerate() {
            bits.push(one.bits() as usize);
            if layer.is_multiple_of(LAYERS_PER_CHECK) && !go_on() {
                return None;
            }
        }
        Some(bits)
    }
}

/// The denominator of a site.
fn of_site(site: &Site, shares: &Shares) -> BigUint {
    let one = BigUint::from(1u8);
    match site {
        Site::Uniform => {
            let lcm = |all: BigUint, &count: &u32| all.lcm(&BigUint::from(count));
            shares.iter().fold(one, lcm)
        }
        Site::Coin(_) if shares.is_empty() => one,
        Site::Coin(probability) => probability.denom().magnitude().clone(),
    }
}

/// The least common denominator of payoffs.
fn of_payoffs(payoffs: &[BigRational]) -> BigUint {
    payoffs.iter().fold(BigUint::from(1u8), |all, payoff| {
        all.lcm(payoff.denom().magnitude())
    })
}

/// The weights of the outcomes of chance at one site.
#[derive(Clone, Debug)]
struct Weights<N> {
    /// For each known number of equally likely outcomes the weight of one.
    shares: Vec<(u32, N)>,
    /// Of the two sides of a coin.
    sides: Option<[N; 2]>,
    denominator: N,
}

/// All that depends on denominators, in one width.
#[derive(Clone, Debug)]
pub struct Scale<N> {
    /// The number 1, by layer.
    pub ones: Vec<N>,
    /// By layer, then by number of sites passed: about the number 1 there, for guesses.
    levels: Vec<Vec<f64>>,
    /// By layer and site.
    weights: Vec<Vec<Weights<N>>>,
    /// The payoffs, in parts of `ones[0]`.
    pub payoffs: Vec<N>,
    /// By layer: `ones[n] / ones[0]`.
    factors: Vec<N>,
    /// The numbers from 0 to 64.
    small: Vec<N>,
}

/// The reason why there is no scale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoScale {
    /// These numbers are too narrow.
    TooNarrow,
    /// They take too much time or memory.
    Stopped,
}

impl<N: Numerator> Scale<N> {
    /// For layers up to this one. Numbers get longer with every layer, so all of them together can take any
    /// time and memory: `go_on` is asked now and then, with the bytes that they take so far.
    ///
    /// # Errors
    /// If these numbers are too narrow, or `go_on` says `false`.
    pub fn new(
        game: &impl Chances,
        denominators: &Denominators,
        layers: usize,
        go_on: impl Fn(u64) -> bool,
    ) -> Result<Self, NoScale> {
        let narrow = |number: &BigUint| N::from_big(number).ok_or(NoScale::TooNarrow);
        let payoffs = game.payoffs();
        let whole = of_payoffs(payoffs);
        // Sums of payoffs are compared with 1, so they have to fit.
        narrow(&(&whole * BigUint::from(payoffs.len() + 1)))?;
        let payoffs = payoffs.iter().map(|payoff| {
            let parts = payoff * BigRational::from_integer(whole.clone().into());
            narrow(parts.numer().magnitude())
        });
        let payoffs = payoffs.collect::<Result<Vec<N>, NoScale>>()?;
        let (mut one, mut factor) = (whole, BigUint::from(1u8));
        let mut scale = Scale {
            ones: vec![narrow(&one)?],
            levels: vec![Vec::new()],
            weights: vec![Vec::new()],
            payoffs,
            factors: vec![N::one()],
            small: (0..=64)
                .map(|n| N::from_big(&BigUint::from(n as u32)).expect("it fits"))
                .collect(),
        };
        let (mut bytes, mut checked) = (0, 0);
        for layer in 1..=layers {
            let mut weights = Vec::new();
            let mut levels = vec![one.to_f64().unwrap_or(f64::MAX)];
            let sites = game.sites(layer).iter().zip(&denominators.layers[layer]);
            for (site, shares) in sites.rev() {
                let denominator = of_site(site, shares);
                one *= &denominator;
                factor *= &denominator;
                levels.push(one.to_f64().unwrap_or(f64::MAX));
                let found = weights_of(site, shares, &denominator);
                weights.push(found.ok_or(NoScale::TooNarrow)?);
                bytes += shares.len() * (32 + denominator.bits() as usize / 8) + 64;
            }
            weights.reverse();
            levels.reverse();
            scale.weights.push(weights);
            scale.levels.push(levels);
            scale.ones.push(narrow(&one)?);
            scale.factors.push(narrow(&factor)?);
            bytes += 2 * scale.ones[layer].heap_bytes() + 64;
            if bytes >= checked + BYTES_PER_CHECK {
                checked = bytes;
                if !go_on(bytes as u64) {
                    return Err(NoScale::Stopped);
                }
            }
        }
        Ok(scale)
    }

    /// For listing without values: only the number 1 of layer 0, and payoffs of nothing.
    pub fn blank(game: &impl Chances) -> Self {
        Scale {
            ones: vec![N::one()],
            levels: Vec::new(),
            weights: Vec::new(),
            payoffs: vec![N::zero(); game.payoffs().len()],
            factors: Vec::new(),
            small: Vec::new(),
        }
    }

    /// The weight of each of `count` equally likely outcomes.
    ///
    /// # Errors
    /// If this number of outcomes is not known to occur.
    #[inline]
    pub fn share(&self, layer: usize, site: usize, count: u32) -> Result<&N, NewShare> {
        let mut known = self.weights[layer][site].shares.iter();
        let found = known.find(|share| share.0 == count).map(|share| &share.1);
        found.ok_or(NewShare { layer, site, count })
    }

    /// The weights of the two sides of a coin.
    ///
    /// # Errors
    /// If it is not known that the coin is thrown.
    #[inline]
    pub fn sides(&self, layer: usize, site: usize) -> Result<&[N; 2], NewShare> {
        let sides = self.weights[layer][site].sides.as_ref();
        sides.ok_or(NewShare::coin(layer, site))
    }

    /// The denominator of a site.
    #[inline]
    pub fn denominator(&self, layer: usize, site: usize) -> &N {
        &self.weights[layer][site].denominator
    }

    /// About the number 1 behind the first `level` sites of a layer.
    #[inline]
    pub fn level(&self, layer: usize, level: u16) -> f64 {
        self.levels[layer][usize::from(level)]
    }

    /// A number times a small one.
    #[inline]
    pub fn times(&self, number: &N, small: u32) -> N {
        match self.small.get(small as usize) {
            Some(small) => number.times(small),
            None => {
                let small = N::from_big(&BigUint::from(small));
                number.times(&small.expect("a product that is at most 1 fits"))
            }
        }
    }

    /// The worth of the sum of some payoffs in a layer, at most 1.
    #[inline]
    pub fn worth(&self, layer: usize, sum: N) -> N {
        sum.min(self.ones[0].clone()).times(&self.factors[layer])
    }

    /// The number of bits that bounds take in a layer.
    pub fn value_bits(&self, layer: usize) -> usize {
        self.ones[layer].to_big().bits() as usize
    }
}

/// The weights of a site; nothing if the numbers are too narrow.
fn weights_of<N: Numerator>(
    site: &Site,
    shares: &Shares,
    denominator: &BigUint,
) -> Option<Weights<N>> {
    let mut weights = Weights {
        shares: Vec::new(),
        sides: None,
        denominator: N::from_big(denominator)?,
    };
    match site {
        Site::Uniform => {
            let share = |&count: &u32| {
                let share = N::from_big(&(denominator / BigUint::from(count)))?;
                Some((count, share))
            };
            weights.shares = shares.iter().map(share).collect::<Option<_>>()?;
        }
        Site::Coin(_) if shares.is_empty() => {}
        Site::Coin(probability) => {
            let first = probability.numer().magnitude();
            let second = denominator - first;
            weights.sides = Some([N::from_big(first)?, N::from_big(&second)?]);
        }
    }
    Some(weights)
}
