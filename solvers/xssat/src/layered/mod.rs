//! A layered formula as a stochastic game.
//!
//! ```text
//! compiled segments --expand--> a small tree for a state
//! ```
//!
//! A layer is the part between two cuts: its state is the key of the cut, and the tree of the decisions
//! in the segment ends in states of the next cut. The value is found by the crate [`search`].
//!
//! [`expand`] executes a segment on a state, with all branches at once.

mod expand;

use crate::compile::{Compiled, segment};
use crate::options::Options;
use crate::symmetry::KeySymmetry;
use arena::{Chances, Expansion, Refusal, Rows, Site, StochasticGame};
use base::value::Numerator;
use circuit::Code;
use expand::{Run, Workspace};
use limits::Watch;
use search::{Question, Valuation, Values};
use segment::{Choice, Segment, Stage};

/// A compiled formula. The state before segment n has layer `segments.len() - n`.
struct LayeredGame<'a> {
    segments: &'a [Segment],
    code: &'a Code,
    /// Words of the key of each cut, and (at least one) of the end.
    words: Vec<usize>,
    /// Whether the states of each cut are remembered.
    remembers: Vec<bool>,
    /// The symmetry of the keys of each cut.
    symmetries: Vec<&'a KeySymmetry>,
    /// Where chance decides in each segment.
    sites: Vec<Vec<Site>>,
}

/// Finds the value of a compiled formula; gives it with the number of states that were remembered.
pub fn search(compiled: &Compiled, options: &Options, watch: &mut Watch<'_>) -> (Valuation, u64) {
    let segments = compiled.segments.as_slice();
    let words = |bits: usize| bits.div_ceil(64).max(1);
    let keys = segments
        .iter()
        .map(|segment| words(segment.key_slots.len()));
    let game = LayeredGame {
        segments,
        code: &compiled.code,
        words: keys.chain([1]).collect(),
        symmetries: segments.iter().map(|segment| &segment.symmetry).collect(),
        remembers: compiled.cuts.iter().map(|cut| !cut.is_too_wide).collect(),
        sites: segments.iter().map(sites).collect(),
    };
    let root = vec![0; game.words[0]];
    let question = Question {
        game: &game,
        options: &options.search,
        state: &root,
        layer: segments.len(),
        patience: None,
    };
    let mut values = Values::default();
    let found = values.solve(question, watch);
    let found = found.unwrap_or_else(|_| unreachable!("every state has a value"));
    (found.expect("patience has no end"), values.states())
}

/// Where chance may decide in a segment: one site for each stage. Those of players stay unused.
fn sites(segment: &Segment) -> Vec<Site> {
    let site = |stage: &Stage| match &stage.choice {
        Choice::Single {
            probability: Some(probability),
            ..
        } => Site::Coin(probability.as_rational().clone()),
        _ => Site::Uniform,
    };
    segment.stages.iter().map(site).collect()
}

impl LayeredGame<'_> {
    /// The number of the segment behind states of a layer.
    fn segment(&self, layer: usize) -> usize {
        self.segments.len() - layer
    }
}

impl Chances for LayeredGame<'_> {
    fn sites(&self, layer: usize) -> &[Site] {
        &self.sites[self.segment(layer)]
    }
}

impl StochasticGame for LayeredGame<'_> {
    type Workspace = Workspace;

    fn workspace(&self) -> Workspace {
        Workspace::new(self.segments)
    }

    fn rows(&self, layer: usize) -> Rows {
        Rows {
            state: self.words[self.segment(layer)],
            key: 0,
        }
    }

    fn key_bits(&self, layer: usize) -> usize {
        let segment = self.segments.get(self.segment(layer));
        segment.map_or(64, |segment| segment.key_slots.len())
    }

    fn write_key(&self, layer: usize, state: &mut [u64], _: &mut [u64]) {
        if let Some(symmetry) = self.symmetries.get(self.segment(layer)) {
            symmetry.canonicalise(state);
        }
    }

    fn remembers(&self, layer: usize) -> bool {
        self.remembers[self.segment(layer)]
    }

    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        workspace: &mut Workspace,
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal> {
        let number = self.segment(to.layer);
        let rows = self.rows(to.layer);
        let mut run = Run {
            code: self.code,
            segment: &self.segments[number],
            states,
            to,
            workspace,
        };
        run.run(rows)
    }
}
