//! Random games with all kinds of trees between states, valued by definition.
//!
//! A game is a table: each layer has a few states, and what follows from each is a random tree of maxima,
//! minima and means whose leaves are states of the next layer, or payoffs. The oracle computes the value
//! of every state by recursion over the trees, in fractions; it knows nothing of bounds, windows,
//! denominators or tables. `SQASP_TEST_ROUNDS` multiplies the number of games.

use arena::{Chances, Expansion, Kind, Refusal, Rows, Site, StochasticGame};
use base::value::Numerator;
use fastrand::Rng;
use generators::seeds;
use limits::{Bounds, Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};
use sqasp_search::{Options, Question, Values};

/// The play from a state on.
#[derive(Debug)]
enum Play {
    /// A state of the next layer.
    State(u64),
    /// The end, with these payoffs paid.
    End(Vec<usize>),
    Max(Vec<Play>),
    Min(Vec<Play>),
    /// Outcomes with weights, all equally likely.
    Chance(Vec<(u32, Play)>),
    /// The coin of the site, and the play after either side.
    Coin(Box<[Play; 2]>),
}

/// A game as a table.
#[derive(Debug)]
struct Table {
    /// By layer, from 1: the play after each state.
    layers: Vec<Vec<Play>>,
    /// By layer: first a uniform choice, then a coin.
    sites: Vec<Vec<Site>>,
    payoffs: Vec<BigRational>,
    /// Layers that are not remembered.
    forgets: Vec<bool>,
}

fn ratio(numer: u32, denom: u32) -> BigRational {
    BigRational::new(numer.into(), denom.into())
}

impl Table {
    fn random(random: &mut Rng) -> Self {
        let depth = random.usize(1..7);
        let payoffs = (0..random.usize(1..4)).map(|_| {
            let denom = random.u32(1..7);
            ratio(random.u32(0..=denom), denom)
        });
        let mut table = Table {
            layers: Vec::new(),
            sites: Vec::new(),
            payoffs: payoffs.collect(),
            forgets: (0..=depth).map(|_| random.u32(0..8) == 0).collect(),
        };
        let mut behind = 0;
        for _ in 0..depth {
            let denom = random.u32(2..12);
            let coin = Site::Coin(ratio(random.u32(1..denom), denom));
            table.sites.push(vec![Site::Uniform, coin]);
            let states = random.u64(1..10);
            let play = |_| table.play(random, behind, 0, 0);
            let layer = (0..states).map(play).collect();
            table.layers.push(layer);
            behind = states;
        }
        table
    }

    /// A random tree behind the first `sites` sites. Each site decides at most once on the way to a leaf.
    fn play(&self, random: &mut Rng, behind: u64, sites: usize, depth: usize) -> Play {
        let some = |random: &mut Rng| random.usize(1..4);
        match random.u32(0..10) {
            0..2 if depth < 4 => {
                let all = (0..some(random)).map(|_| self.play(random, behind, sites, depth + 1));
                Play::Max(all.collect())
            }
            2..4 if depth < 4 => {
                let all = (0..some(random)).map(|_| self.play(random, behind, sites, depth + 1));
                Play::Min(all.collect())
            }
            4..6 if sites == 0 => {
                let all = (0..some(random))
                    .map(|_| (random.u32(1..4), self.play(random, behind, 1, depth + 1)));
                Play::Chance(all.collect())
            }
            6..8 if sites < 2 => {
                let sides = [(); 2].map(|()| self.play(random, behind, 2, depth + 1));
                Play::Coin(Box::new(sides))
            }
            _ if behind > 0 && random.u32(0..5) > 0 => Play::State(random.u64(..behind)),
            _ => {
                let all = 0..self.payoffs.len();
                Play::End(all.filter(|_| random.bool()).collect())
            }
        }
    }

    /// The value by definition.
    fn value(&self, layer: usize, play: &Play) -> BigRational {
        let of = |play: &Play| self.value(layer, play);
        match play {
            Play::State(state) => self.of_state(layer - 1, *state),
            Play::End(paid) => {
                let paid: BigRational = paid.iter().map(|&number| &self.payoffs[number]).sum();
                paid.min(BigRational::one())
            }
            Play::Max(all) => all.iter().map(of).max().expect("there is one"),
            Play::Min(all) => all.iter().map(of).min().expect("there is one"),
            Play::Chance(all) => {
                let weights: u32 = all.iter().map(|(weight, _)| weight).sum();
                all.iter()
                    .map(|(weight, play)| ratio(*weight, weights) * of(play))
                    .sum()
            }
            Play::Coin(sides) => {
                let Site::Coin(heads) = &self.sites[layer - 1][1] else {
                    unreachable!("the second site is a coin")
                };
                heads * of(&sides[0]) + (BigRational::one() - heads) * of(&sides[1])
            }
        }
    }

    fn of_state(&self, layer: usize, state: u64) -> BigRational {
        self.value(layer, &self.layers[layer - 1][state as usize])
    }

    /// The bounds that the search finds.
    fn ask(
        &self,
        values: &mut Values,
        options: &Options,
        layer: usize,
        state: u64,
        limits: &Limits,
    ) -> Bounds {
        let question = Question {
            game: self,
            options,
            state: &[state],
            layer,
            patience: None,
        };
        let found = values.solve(question, &mut Watch::new(limits));
        found.expect("no flaws").expect("no patience").bounds
    }

    /// Adds a tree below a node that stands behind the first `sites` sites.
    fn add<N: Numerator>(
        &self,
        play: &Play,
        node: u32,
        sites: usize,
        is_root: bool,
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        if to.room() == 0 {
            return Err(Refusal::TooLarge);
        }
        // At a state something has to stand below, and each site needs its denominator.
        let is_leaf = matches!(play, Play::State(_) | Play::End(_));
        if is_root && is_leaf {
            let node = to.tree.open(node, Kind::Max, 1, sites as u16);
            return self.add(play, node, sites, false, to);
        }
        let next_site = match play {
            Play::Chance(_) => 0,
            Play::Coin(_) => 1,
            Play::State(_) | Play::End(_) => 2,
            Play::Max(_) | Play::Min(_) => sites,
        };
        if sites < next_site {
            let node = to.tree.open(node, Kind::Mean, 1, sites as u16 + 1);
            to.tree.nodes[node as usize].weight = to.denominator(sites).clone();
            return self.add(play, node, sites + 1, false, to);
        }
        match play {
            Play::State(state) => {
                let rows = to.rows();
                let row = to.tree.add_rows(1, rows);
                to.tree.rows_mut(row)[0] = *state;
                let one = to.one().clone();
                to.tree.set_state(node, row, one);
            }
            Play::End(paid) => {
                let paid = paid.iter().map(|&number| &to.payoffs()[number]);
                let paid = paid.fold(N::zero(), |sum, payoff| sum.plus(payoff));
                let worth = to.worth(paid);
                to.tree.set_known(node, worth);
            }
            Play::Max(all) | Play::Min(all) => {
                let kind = match play {
                    Play::Max(_) => Kind::Max,
                    _ => Kind::Min,
                };
                let first = to.tree.open(node, kind, all.len(), sites as u16);
                for (number, play) in all.iter().enumerate() {
                    let node = first + number as u32;
                    to.tree.nodes[node as usize].branch = number as u16;
                    self.add(play, node, sites, false, to)?;
                }
            }
            Play::Chance(all) => {
                let share = to.share(0, all.iter().map(|(weight, _)| weight).sum())?;
                let first = to.tree.open(node, Kind::Mean, all.len(), 1);
                for (number, (weight, play)) in all.iter().enumerate() {
                    let node = first + number as u32;
                    to.tree.nodes[node as usize].weight = to.times(share, *weight);
                    self.add(play, node, 1, false, to)?;
                }
            }
            Play::Coin(both) => {
                let sides = to.sides(1)?;
                let first = to.tree.open(node, Kind::Mean, 2, 2);
                for (number, (play, side)) in both.iter().zip(sides).enumerate() {
                    let node = first + number as u32;
                    to.tree.nodes[node as usize].weight = side.clone();
                    self.add(play, node, 2, false, to)?;
                }
            }
        }
        Ok(())
    }
}

impl Chances for Table {
    fn sites(&self, layer: usize) -> &[Site] {
        &self.sites[layer - 1]
    }

    fn payoffs(&self) -> &[BigRational] {
        &self.payoffs
    }
}

impl StochasticGame for Table {
    type Workspace = ();

    fn workspace(&self) {}

    fn rows(&self, _: usize) -> Rows {
        Rows { state: 1, key: 1 }
    }

    fn write_key(&self, _: usize, state: &mut [u64], key: &mut [u64]) {
        key.copy_from_slice(state);
    }

    fn remembers(&self, layer: usize) -> bool {
        !self.forgets[layer]
    }

    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        (): &mut (),
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        for &state in states {
            let number = to.tree.state(state as usize, self.rows(to.layer))[0];
            let play = &self.layers[to.layer - 1][number as usize];
            self.add(play, state, 0, true, to)?;
        }
        Ok(())
    }
}

fn random_options(random: &mut Rng) -> Options {
    Options {
        threads: random.usize(1..4),
        narrow_windows: random.bool(),
        ask_for_certainty: random.bool(),
        order_choices: random.bool(),
        sibling_lanes: [0, 4, 64, 1000][random.usize(..4)],
        induct_backwards: random.bool(),
        list_after: [0, 3, u64::MAX][random.usize(..3)],
        worth_listing: [0, 2, 300][random.usize(..3)],
        list_for_bounds: [0, 1, 2][random.usize(..3)],
        expansion_limit: None,
    }
}

#[test]
fn every_value_is_that_of_the_definition() {
    for (seed, mut random) in seeds(31_000_000, 400) {
        let table = Table::random(&mut random);
        let mut values = Values::default();
        // Tables are kept from one question to the next.
        for _ in 0..4 {
            let layer = random.usize(1..=table.layers.len());
            let state = random.u64(..table.layers[layer - 1].len() as u64);
            let options = random_options(&mut random);
            let found = table.ask(&mut values, &options, layer, state, &Limits::default());
            let expected = table.of_state(layer, state);
            let at = format!("seed {seed}: {options:?}\n{table:#?}");
            assert_eq!(
                (&found.lower, &found.upper, found.stopped),
                (&expected, &expected, None),
                "{at}"
            );
        }
    }
}

#[test]
fn bounds_enclose_the_value_wherever_the_search_ends() {
    let mut stopped = 0;
    for (seed, mut random) in seeds(32_000_000, 400) {
        let table = Table::random(&mut random);
        let layer = table.layers.len();
        let limits = Limits {
            memory: random.bool().then(|| random.u64(..100_000)),
            ..Limits::default()
        };
        let options = Options {
            expansion_limit: random.bool().then(|| random.u64(..20)),
            ..random_options(&mut random)
        };
        let found = table.ask(&mut Values::default(), &options, layer, 0, &limits);
        let expected = table.of_state(layer, 0);
        let at = format!("seed {seed}: {options:?}\n{table:#?}");
        assert!(found.lower <= expected && expected <= found.upper, "{at}");
        assert!(
            BigRational::zero() <= found.lower && found.upper <= BigRational::one(),
            "{at}"
        );
        assert_eq!(found.stopped.is_none(), found.lower == found.upper, "{at}");
        let reasons = [
            None,
            Some(StopReason::Memory),
            Some(StopReason::Interrupted),
        ];
        assert!(reasons.contains(&found.stopped), "{at}");
        stopped += u32::from(found.stopped.is_some());
    }
    assert!(stopped > 20, "only {stopped} runs were stopped");
}

/// From one state more follows than is looked at between two checks of the limits, and a thread that has the
/// answer stops the others in the middle of it.
#[test]
fn threads_that_are_stopped_in_a_wide_state_tell_no_lies() {
    let payoffs = vec![ratio(1, 2), ratio(1, 3)];
    let states = 5000;
    for (seed, mut random) in seeds(33_000_000, 40) {
        let end = |random: &mut Rng| Play::End((0..2).filter(|_| random.bool()).collect());
        let ends = (0..states).map(|_| end(&mut random)).collect();
        let chance = |random: &mut Rng| {
            let all = (0..60).map(|_| (1, Play::State(random.u64(..states))));
            Play::Chance(all.collect())
        };
        let root = Play::Max((0..60).map(|_| chance(&mut random)).collect());
        let coin = Site::Coin(ratio(1, 2));
        let table = Table {
            layers: vec![ends, vec![root]],
            sites: vec![vec![Site::Uniform, coin]; 2],
            payoffs: payoffs.clone(),
            forgets: vec![false; 3],
        };
        let options = Options {
            threads: 4,
            ..Options::default()
        };
        let (mut values, limits) = (Values::default(), Limits::default());
        let found = table.ask(&mut values, &options, 2, 0, &limits);
        let expected = table.of_state(2, 0);
        assert_eq!(
            (found.lower, found.upper),
            (expected.clone(), expected),
            "seed {seed}"
        );
    }
}
