//! Depth-first search over the segments, with exact whole numbers.
//!
//! The path from the root is a list of nodes that is the same for all paths: the cut before each
//! segment, then the segment's decisions. So the search needs no recursion and no stack that grows:
//! one [`Frame`] per node, made at the start, and a place in the list. It cannot overflow, however
//! long the game.
//!
//! At a cut the key of the state is looked up; if its bounds do not settle the question, the
//! segment is entered and the result is stored. At a decision the branches are tried one after the
//! other: their variables are set, the stage's checks are tested and its gates evaluated, and the
//! search goes on to the next node. Values of earlier stages stay in their slots, so going back
//! needs no undoing.
//!
//! What comes back from a node is always a pair of valid bounds. So when the search is stopped, it
//! merely returns through the nodes, with what is not known counted as between 0 and 1.

mod branches;
mod chances;
mod frame;
mod merits;
mod table;

use crate::compile::{Choice, Compiled, Stage};
use crate::options::Options;
use chances::{Chances, TooCoarse};
use formula::{Probability, Quantifier, Var};
use frame::Frame;
use limits::{StopReason, Watch};
use merits::Merits;
use num_bigint::BigUint;
use std::rc::Rc;
use table::Table;
use value::{Numerator, U256, U512};

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// Bounds of the value, in parts of `denominator`.
    pub lower: BigUint,
    /// See `lower`.
    pub upper: BigUint,
    /// The denominator at the root.
    pub denominator: BigUint,
    /// Why the search stopped early, if it did.
    pub stopped: Option<StopReason>,
    /// The number of states in all tables.
    pub states: u64,
    /// How often a segment was entered.
    pub visits: u64,
    /// The width of the numbers in bits; 0 for no bound.
    pub bits: u32,
}

/// Finds the value of a compiled formula.
pub fn search(
    compiled: &Compiled,
    chances: &[Option<Probability>],
    options: &Options,
    watch: &mut Watch<'_>,
) -> Found {
    let probability = |&variable: &Var| chances[variable.index()].clone();
    let decisions = compiled.program.decisions.iter();
    let probabilities: Vec<Vec<Probability>> = decisions
        .map(|decision| decision.variables.iter().filter_map(probability).collect())
        .collect();
    let probabilities = probabilities.as_slice();
    // Denominators found with narrow numbers are kept when wider ones are needed.
    let mut denominators = vec![BigUint::from(1u8); probabilities.len()];
    macro_rules! try_widths {
        ($($number:ty),*) => {$(
            let search = Search::<$number>::new(compiled, probabilities, &denominators, options);
            match search.and_then(|search| search.solve(watch)) {
                Ok(found) => return found,
                Err(TooNarrow(needed)) => denominators = needed,
            }
            watch.give_all_memory_back();
        )*};
    }
    try_widths!(u64, u128, U256, U512);
    match Search::<BigUint>::new(compiled, probabilities, &denominators, options)
        .and_then(|search| search.solve(watch))
    {
        Ok(found) => found,
        Err(TooNarrow(_)) => unreachable!("these numbers have no bound"),
    }
}

/// The denominators do not fit into the numbers.
struct TooNarrow(Vec<BigUint>);

/// A place on every path.
#[derive(Clone, Copy)]
enum Node<'a> {
    /// Before the segment of this number.
    Cut(usize),
    /// The decision of a stage.
    Choice(&'a Stage, &'a Choice),
}

/// Where the search goes next.
enum Step<N> {
    /// To this node, whose window is set.
    Enter(usize),
    /// Back from this node, with bounds of its value.
    Leave(usize, N, N),
}

struct Search<'a, N> {
    compiled: &'a Compiled,
    probabilities: &'a [Vec<Probability>],
    options: &'a Options,
    nodes: Vec<Node<'a>>,
    /// The value 1 at each node, and (last) behind all of them.
    ones: Vec<N>,
    frames: Vec<Frame<N>>,
    /// Per decision of the program; those not of chance are empty.
    chances: Vec<Chances<N>>,
    /// Per segment.
    tables: Vec<Table<N>>,
    /// The key of the present state, per segment.
    keys: Vec<Box<[u64]>>,
    values: Vec<u8>,
    merits: Merits,
    no_weights: Rc<[N]>,
    stopped: Option<StopReason>,
    states: u64,
    visits: u64,
}

impl<'a, N: Numerator> Search<'a, N> {
    fn new(
        compiled: &'a Compiled,
        probabilities: &'a [Vec<Probability>],
        denominators: &[BigUint],
        options: &'a Options,
    ) -> Result<Self, TooNarrow> {
        let mut nodes = Vec::new();
        for (segment, code) in compiled.segments.iter().enumerate() {
            nodes.push(Node::Cut(segment));
            nodes.extend(code.stages.iter().filter_map(|stage| {
                let choice = stage.choice.as_ref()?;
                Some(Node::Choice(stage, choice))
            }));
        }
        let pairs = probabilities.iter().zip(denominators);
        let chances = pairs.map(|(probabilities, denominator)| {
            Chances::new(probabilities.clone(), denominator.clone())
        });
        let words = |bits: usize| bits.div_ceil(64).max(1);
        let widths = compiled
            .segments
            .iter()
            .map(|segment| words(segment.key_slots.len()));
        let mut search = Search {
            compiled,
            probabilities,
            options,
            frames: vec![Frame::new(); nodes.len()],
            nodes,
            ones: Vec::new(),
            chances: chances.collect(),
            tables: Vec::new(),
            keys: widths.clone().map(|words| vec![0; words].into()).collect(),
            values: compiled.values.clone(),
            merits: Merits::new(compiled.program.decisions.len()),
            no_weights: Rc::new([]),
            stopped: None,
            states: 0,
            visits: 0,
        };
        search.set_ones()?;
        search.tables = widths
            .map(|words| Table::new(words, &search.ones[0]))
            .collect();
        Ok(search)
    }

    /// The decision behind a node, if it is one of chance.
    fn chance_decision(&self, node: usize) -> Option<usize> {
        match self.nodes[node] {
            Node::Choice(_, choice) if choice.quantifier == Quantifier::Chance => {
                Some(choice.decision)
            }
            _ => None,
        }
    }

    /// Computes what 1 is at each node.
    fn set_ones(&mut self) -> Result<(), TooNarrow> {
        let mut one = BigUint::from(1u8);
        let mut ones = vec![N::one()];
        for node in (0..self.nodes.len()).rev() {
            if let Some(decision) = self.chance_decision(node) {
                one *= self.chances[decision].denominator();
            }
            match N::from_big(&one) {
                Some(one) => ones.push(one),
                None => {
                    let denominators = self.chances.iter().map(Chances::denominator);
                    return Err(TooNarrow(denominators.cloned().collect()));
                }
            }
        }
        ones.reverse();
        self.ones = ones;
        Ok(())
    }

    fn solve(mut self, watch: &mut Watch<'_>) -> Result<Found, TooNarrow> {
        let mut certainty = self.options.ask_for_certainty;
        let (lower, upper) = loop {
            let one = self.ones[0].clone();
            let alpha = if certainty {
                one.minus(&N::one())
            } else {
                N::zero()
            };
            match self.run(alpha, one.clone(), watch) {
                Ok((lower, upper)) => {
                    if lower == upper || self.stopped.is_some() || !certainty {
                        break (lower, upper);
                    }
                    certainty = false;
                }
                Err((node, TooCoarse(factor))) => self.refine(node, &factor)?,
            }
        };
        Ok(Found {
            lower: lower.to_big(),
            upper: upper.to_big(),
            denominator: self.ones[0].to_big(),
            stopped: self.stopped,
            states: self.states,
            visits: self.visits,
            bits: N::BITS.unwrap_or(0),
        })
    }

    /// Makes the denominator of a chance node finer, and scales what is known above it.
    fn refine(&mut self, node: usize, factor: &BigUint) -> Result<(), TooNarrow> {
        let decision = self
            .chance_decision(node)
            .expect("only chance has denominators");
        self.chances[decision].refine(factor);
        self.set_ones()?;
        let factor = N::from_big(factor).expect("it divides a number that fits");
        for place in 0..node {
            if let Node::Cut(segment) = self.nodes[place] {
                self.tables[segment].scale(&factor);
            }
        }
        Ok(())
    }

    /// Searches from the root, with a window; gives bounds that settle the question, or any valid
    /// bounds if stopped.
    fn run(
        &mut self,
        alpha: N,
        beta: N,
        watch: &mut Watch<'_>,
    ) -> Result<(N, N), (usize, TooCoarse)> {
        self.frames[0].alpha = alpha;
        self.frames[0].beta = beta;
        let mut step = Step::Enter(0);
        loop {
            step = match step {
                Step::Enter(node) => match self.nodes.get(node) {
                    None => Step::Leave(node, N::one(), N::one()),
                    Some(&Node::Cut(segment)) => self.enter_cut(node, segment, watch),
                    Some(&Node::Choice(stage, choice)) => {
                        self.enter_choice(node, stage, choice, watch)?
                    }
                },
                Step::Leave(0, lower, upper) => return Ok((lower, upper)),
                Step::Leave(below, lower, upper) => {
                    let node = below - 1;
                    match self.nodes[node] {
                        Node::Cut(segment) => self.leave_cut(node, segment, lower, upper, watch),
                        Node::Choice(stage, choice) => {
                            self.absorb(node, choice, &lower, &upper);
                            self.next_branch(node, stage, choice)
                        }
                    }
                }
            }
        }
    }

    fn enter_cut(&mut self, node: usize, segment: usize, watch: &mut Watch<'_>) -> Step<N> {
        let one = self.ones[node].clone();
        let code = &self.compiled.segments[segment];
        let key = &mut self.keys[segment];
        if segment > 0 {
            let before = &self.compiled.segments[segment - 1];
            let values = &self.values;
            let is_true = |&literal: &u32| crate::compile::is_true(values, literal);
            if before.winning.iter().any(is_true) {
                return Step::Leave(node, one.clone(), one);
            }
            for (word, slots) in key.iter_mut().zip(before.next_key.chunks(64)) {
                let bits = slots.iter().enumerate();
                *word = bits.fold(0, |word, (bit, &slot)| {
                    word | u64::from(self.values[slot as usize]) << bit
                });
            }
        }
        let frame = &mut self.frames[node];
        match self.tables[segment].get(key) {
            Some((lower, upper)) => {
                if lower == upper || *lower >= frame.beta || *upper <= frame.alpha {
                    return Step::Leave(node, lower.clone(), upper.clone());
                }
                (frame.lower, frame.upper) = (lower.clone(), upper.clone());
            }
            None => (frame.lower, frame.upper) = (N::zero(), one),
        }
        self.visits += 1;
        for (word, slots) in key.iter().zip(code.key_slots.chunks(64)) {
            for (bit, &slot) in slots.iter().enumerate() {
                self.values[slot as usize] = (word >> bit & 1) as u8;
            }
        }
        if !self.execute(&code.stages[0]) {
            return self.leave_cut(node, segment, N::zero(), N::zero(), watch);
        }
        let frame = &self.frames[node];
        self.set_window(node + 1, frame.alpha.clone(), frame.beta.clone());
        Step::Enter(node + 1)
    }

    fn leave_cut(
        &mut self,
        node: usize,
        segment: usize,
        lower: N,
        upper: N,
        watch: &mut Watch<'_>,
    ) -> Step<N> {
        let frame = &self.frames[node];
        let lower = lower.max(frame.lower.clone());
        let upper = upper.min(frame.upper.clone());
        let table = &mut self.tables[segment];
        let before = table.len();
        let stored = table.set(&self.keys[segment], (lower.clone(), upper.clone()), watch);
        self.states += (table.len() - before) as u64;
        if let Err(reason) = stored {
            self.stopped.get_or_insert(reason);
        }
        Step::Leave(node, lower, upper)
    }

    fn enter_choice(
        &mut self,
        node: usize,
        stage: &'a Stage,
        choice: &'a Choice,
        watch: &mut Watch<'_>,
    ) -> Result<Step<N>, (usize, TooCoarse)> {
        let one = self.ones[node].clone();
        if self.stopped.is_none() {
            self.stopped = watch.decide(self.states).err();
        }
        if self.stopped.is_some() {
            return Ok(Step::Leave(node, N::zero(), one));
        }
        let frame = &mut self.frames[node];
        let probabilities = &self.probabilities[choice.decision];
        branches::list(
            choice,
            &self.compiled.code,
            probabilities,
            &mut self.values,
            &mut frame.branches,
        );
        let weights = if choice.quantifier == Quantifier::Chance {
            let chances = &mut self.chances[choice.decision];
            let weights = chances.weights(&frame.branches);
            weights.map_err(|coarse| (node, coarse))?
        } else {
            if self.options.order_branches {
                self.merits.order(choice.decision, &mut frame.branches);
            }
            Rc::clone(&self.no_weights)
        };
        frame.begin(choice.quantifier, one, weights);
        Ok(self.next_branch(node, stage, choice))
    }

    /// Tries branches until one needs a look below, or the node is settled.
    fn next_branch(&mut self, node: usize, stage: &'a Stage, choice: &'a Choice) -> Step<N> {
        loop {
            let frame = &mut self.frames[node];
            let next = frame.branches.get(frame.tried).copied();
            let done = self.stopped.is_some() || frame.is_settled(choice.quantifier);
            let Some(branch) = next.filter(|_| !done) else {
                let (lower, upper) = frame.bounds(choice.quantifier, &self.ones[node]);
                return Step::Leave(node, lower, upper);
            };
            frame.tried += 1;
            branches::apply(choice, branch, &mut self.values);
            if self.execute(stage) {
                let (alpha, beta) = self.window_below(node, choice.quantifier);
                self.set_window(node + 1, alpha, beta);
                return Step::Enter(node + 1);
            }
            self.absorb(node, choice, &N::zero(), &N::zero());
        }
    }

    /// Takes the bounds of the branch tried last into account.
    fn absorb(&mut self, node: usize, choice: &Choice, lower: &N, upper: &N) {
        let frame = &mut self.frames[node];
        frame.absorb(choice.quantifier, &self.ones[node + 1], lower, upper);
        if self.options.order_branches
            && choice.quantifier != Quantifier::Chance
            && frame.is_settled(choice.quantifier)
        {
            let branch = frame.branches[frame.tried - 1];
            self.merits.reward(choice.decision, branch);
        }
    }

    fn window_below(&self, node: usize, quantifier: Quantifier) -> (N, N) {
        let one_below = &self.ones[node + 1];
        if self.options.narrow_windows {
            self.frames[node].window_below(quantifier, one_below)
        } else {
            (N::zero(), one_below.clone())
        }
    }

    /// Sets the window of a node, if it is not behind the last one.
    fn set_window(&mut self, node: usize, alpha: N, beta: N) {
        if let Some(frame) = self.frames.get_mut(node) {
            (frame.alpha, frame.beta) = (alpha, beta);
        }
    }

    /// Tests the checks and evaluates the gates of a stage; says whether all checks hold.
    fn execute(&mut self, stage: &Stage) -> bool {
        let code = &self.compiled.code;
        if code.violated(&stage.early, &self.values) {
            return false;
        }
        code.execute(stage.operations.clone(), &mut self.values);
        !code.violated(&stage.late, &self.values)
    }
}
