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
//! The *window* of a node says which values its parent distinguishes: all up to `alpha` are alike
//! to it, and all from `beta`. A maximum stops at `beta`, a minimum at `alpha`. The window of a
//! branch of a chance node follows from what the other branches can at most and at least contribute
//! (Star1). What comes back is always a pair of valid bounds; so when the search is stopped, it
//! merely returns through the nodes, with what is not known counted as between 0 and 1.

mod branches;
mod chances;
mod table;

use crate::budget::Budget;
use crate::compile::Compiled;
use crate::options::Options;
use branches::Branch;
use chances::{Chances, TooCoarse};
use formula::{Probability, Quantifier, StopReason};
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
    probabilities: &[Vec<Probability>],
    options: &Options,
    budget: &mut Budget<'_>,
) -> Found {
    // Denominators found with narrow numbers are kept when wider ones are needed.
    let mut denominators = vec![BigUint::from(1u8); probabilities.len()];
    macro_rules! try_widths {
        ($($number:ty),*) => {$(
            let search = Search::<$number>::new(compiled, probabilities, &denominators, options);
            match search.and_then(|search| search.solve(budget)) {
                Ok(found) => return found,
                Err(TooNarrow(needed)) => denominators = needed,
            }
            budget.give_all_memory_back();
        )*};
    }
    try_widths!(u64, u128, U256, U512);
    match Search::<BigUint>::new(compiled, probabilities, &denominators, options)
        .and_then(|search| search.solve(budget))
    {
        Ok(found) => found,
        Err(TooNarrow(_)) => unreachable!("these numbers have no bound"),
    }
}

/// The denominators do not fit into the numbers.
struct TooNarrow(Vec<BigUint>);

/// A place on every path.
#[derive(Clone, Copy, Debug)]
enum Node {
    /// Before the segment of this number.
    Cut(usize),
    /// The decision of a stage of a segment.
    Choice { segment: usize, stage: usize },
}

/// What is known about the present node at some place of the path.
#[derive(Clone, Debug)]
struct Frame<N> {
    alpha: N,
    beta: N,
    /// At a cut: bounds from the table. At a choice: bounds from the branches tried; for chance,
    /// bounds of the whole.
    lower: N,
    upper: N,
    branches: Vec<Branch>,
    /// Branches tried so far.
    tried: usize,
    /// For chance: the weights of the branches.
    weights: Option<Rc<[N]>>,
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
    nodes: Vec<Node>,
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
    /// How often a branch turned out best, per decision and assignment.
    merits: Vec<Vec<u32>>,
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
            nodes.extend((1..code.stages.len()).map(|stage| Node::Choice { segment, stage }));
        }
        let pairs = probabilities.iter().zip(denominators);
        let chances = pairs.map(|(probabilities, denominator)| {
            Chances::new(probabilities.clone(), denominator.clone())
        });
        let empty = Frame {
            alpha: N::zero(),
            beta: N::zero(),
            lower: N::zero(),
            upper: N::zero(),
            branches: Vec::new(),
            tried: 0,
            weights: None,
        };
        let words = |bits: usize| bits.div_ceil(64).max(1);
        let widths = compiled
            .segments
            .iter()
            .map(|segment| words(segment.key_slots.len()));
        let mut search = Search {
            compiled,
            probabilities,
            options,
            frames: vec![empty; nodes.len()],
            nodes,
            ones: Vec::new(),
            chances: chances.collect(),
            tables: Vec::new(),
            keys: widths.clone().map(|words| vec![0; words].into()).collect(),
            values: compiled.values.clone(),
            merits: vec![Vec::new(); compiled.program.decisions.len()],
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
        let Node::Choice { segment, stage } = self.nodes[node] else {
            return None;
        };
        let choice = self.compiled.segments[segment].stages[stage]
            .choice
            .as_ref()?;
        (choice.quantifier == Quantifier::Chance).then_some(choice.decision)
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

    fn solve(mut self, budget: &mut Budget<'_>) -> Result<Found, TooNarrow> {
        let mut certainty = self.options.ask_for_certainty;
        let (lower, upper) = loop {
            let one = self.ones[0].clone();
            let alpha = if certainty {
                one.minus(&N::one())
            } else {
                N::zero()
            };
            match self.run(alpha, one.clone(), budget) {
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
        budget: &mut Budget<'_>,
    ) -> Result<(N, N), (usize, TooCoarse)> {
        self.frames[0].alpha = alpha;
        self.frames[0].beta = beta;
        let mut step = Step::Enter(0);
        loop {
            step = match step {
                Step::Enter(node) => match self.nodes.get(node) {
                    None => Step::Leave(node, N::one(), N::one()),
                    Some(&Node::Cut(segment)) => self.enter_cut(node, segment, budget),
                    Some(Node::Choice { .. }) => self.enter_choice(node, budget)?,
                },
                Step::Leave(0, lower, upper) => return Ok((lower, upper)),
                Step::Leave(below, lower, upper) => {
                    let node = below - 1;
                    match self.nodes[node] {
                        Node::Cut(segment) => self.leave_cut(node, segment, lower, upper, budget),
                        Node::Choice { .. } => {
                            self.absorb(node, &lower, &upper);
                            self.next_branch(node)
                        }
                    }
                }
            }
        }
    }

    fn enter_cut(&mut self, node: usize, segment: usize, budget: &mut Budget<'_>) -> Step<N> {
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
        if !self.execute(segment, 0) {
            return self.leave_cut(node, segment, N::zero(), N::zero(), budget);
        }
        let frame = &self.frames[node];
        let (alpha, beta) = (frame.alpha.clone(), frame.beta.clone());
        if let Some(below) = self.frames.get_mut(node + 1) {
            (below.alpha, below.beta) = (alpha, beta);
        }
        Step::Enter(node + 1)
    }

    fn leave_cut(
        &mut self,
        node: usize,
        segment: usize,
        lower: N,
        upper: N,
        budget: &mut Budget<'_>,
    ) -> Step<N> {
        let frame = &self.frames[node];
        let lower = lower.max(frame.lower.clone());
        let upper = upper.min(frame.upper.clone());
        let table = &mut self.tables[segment];
        let before = table.len();
        let stored = table.set(&self.keys[segment], (lower.clone(), upper.clone()), budget);
        self.states += (table.len() - before) as u64;
        if let Err(reason) = stored {
            self.stopped.get_or_insert(reason);
        }
        Step::Leave(node, lower, upper)
    }

    fn enter_choice(
        &mut self,
        node: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Step<N>, (usize, TooCoarse)> {
        let one = self.ones[node].clone();
        if self.stopped.is_none()
            && let Err(reason) = budget.decide(self.states)
        {
            self.stopped = Some(reason);
        }
        if self.stopped.is_some() {
            return Ok(Step::Leave(node, N::zero(), one));
        }
        let choice = self.choice(node);
        let frame = &mut self.frames[node];
        let probabilities = &self.probabilities[choice.decision];
        branches::list(
            choice,
            self.compiled,
            probabilities,
            &mut self.values,
            &mut frame.branches,
        );
        frame.tried = 0;
        (frame.lower, frame.upper) = match choice.quantifier {
            Quantifier::Exists => (N::zero(), N::zero()),
            Quantifier::Forall => (one.clone(), one),
            Quantifier::Chance => {
                let weights = self.chances[choice.decision].weights(&frame.branches);
                frame.weights = Some(weights.map_err(|coarse| (node, coarse))?);
                (N::zero(), one)
            }
        };
        if self.options.order_branches && choice.quantifier != Quantifier::Chance {
            let merits = &self.merits[choice.decision];
            let merit = |branch: &Branch| merits.get(usize::from(branch.pattern)).copied();
            frame
                .branches
                .sort_by_key(|branch| std::cmp::Reverse(merit(branch).unwrap_or(0)));
        }
        Ok(self.next_branch(node))
    }

    /// Tries branches until one needs a look below, or the node is settled.
    fn next_branch(&mut self, node: usize) -> Step<N> {
        let Node::Choice { segment, stage } = self.nodes[node] else {
            unreachable!("only choices have branches");
        };
        let choice = self.choice(node);
        loop {
            if self.stopped.is_some() || self.is_settled(node) {
                return self.leave_choice(node);
            }
            let frame = &mut self.frames[node];
            let Some(&branch) = frame.branches.get(frame.tried) else {
                return self.leave_choice(node);
            };
            frame.tried += 1;
            branches::apply(choice, branch, &mut self.values);
            if self.execute(segment, stage) {
                self.set_window_below(node);
                return Step::Enter(node + 1);
            }
            self.absorb(node, &N::zero(), &N::zero());
        }
    }

    /// Whether the bounds found so far settle what the parent wants to know.
    fn is_settled(&self, node: usize) -> bool {
        let frame = &self.frames[node];
        match self.choice(node).quantifier {
            Quantifier::Exists => frame.lower >= frame.beta,
            Quantifier::Forall => frame.upper <= frame.alpha,
            Quantifier::Chance => frame.lower >= frame.beta || frame.upper <= frame.alpha,
        }
    }

    /// Takes the bounds of the branch tried last into account.
    fn absorb(&mut self, node: usize, lower: &N, upper: &N) {
        let choice = self.choice(node);
        let one_below = &self.ones[node + 1];
        let frame = &mut self.frames[node];
        let branch = frame.branches[frame.tried - 1];
        let improved = match choice.quantifier {
            Quantifier::Exists => {
                let improved = *lower > frame.lower;
                raise(&mut frame.lower, lower);
                raise(&mut frame.upper, upper);
                improved
            }
            Quantifier::Forall => {
                let improved = *upper < frame.upper;
                reduce(&mut frame.lower, lower);
                reduce(&mut frame.upper, upper);
                improved
            }
            Quantifier::Chance => {
                let weights = frame.weights.as_ref().expect("chance has weights");
                let weight = &weights[frame.tried - 1];
                frame.lower = frame.lower.plus(&weight.times(lower));
                frame.upper = frame.upper.minus(&weight.times(&one_below.minus(upper)));
                false
            }
        };
        if improved && self.options.order_branches && self.is_settled(node) {
            self.reward(choice.decision, branch);
        }
    }

    /// Remembers that a branch settled its node.
    fn reward(&mut self, decision: usize, branch: Branch) {
        let merits = &mut self.merits[decision];
        let place = usize::from(branch.pattern);
        if merits.len() <= place {
            merits.resize(place + 1, 0);
        }
        merits[place] += 1;
        if merits[place] > 1000 {
            merits.iter_mut().for_each(|merit| *merit /= 2);
        }
    }

    fn leave_choice(&mut self, node: usize) -> Step<N> {
        let one = &self.ones[node];
        let frame = &self.frames[node];
        let all_tried = frame.tried == frame.branches.len();
        let (lower, upper) = (frame.lower.clone(), frame.upper.clone());
        let (lower, upper) = match self.choice(node).quantifier {
            Quantifier::Exists if !all_tried => (lower, one.clone()),
            Quantifier::Forall if !all_tried => (N::zero(), upper),
            _ => (lower, upper),
        };
        Step::Leave(node, lower, upper)
    }

    /// Sets the window for the branch that is tried now.
    fn set_window_below(&mut self, node: usize) {
        let quantifier = self.choice(node).quantifier;
        let one_below = &self.ones[node + 1];
        let frame = &self.frames[node];
        let (alpha, beta) = if !self.options.narrow_windows {
            (N::zero(), one_below.clone())
        } else {
            let (alpha, beta) = (frame.alpha.clone(), frame.beta.clone());
            match quantifier {
                Quantifier::Exists => (alpha.max(frame.lower.clone()), beta),
                Quantifier::Forall => (alpha, beta.min(frame.upper.clone())),
                Quantifier::Chance => {
                    let weights = frame.weights.as_ref().expect("chance has weights");
                    let weight = &weights[frame.tried - 1];
                    // The upper bound still counts this branch as 1.
                    let others = frame.upper.minus(&weight.times(one_below));
                    let alpha = if alpha > others {
                        alpha.minus(&others).divided_down(weight)
                    } else {
                        N::zero()
                    };
                    let beta = beta.minus(&frame.lower).divided_up(weight);
                    (alpha, beta.min(one_below.clone()))
                }
            }
        };
        if let Some(below) = self.frames.get_mut(node + 1) {
            (below.alpha, below.beta) = (alpha, beta);
        }
    }

    fn choice(&self, node: usize) -> &'a crate::compile::Choice {
        let Node::Choice { segment, stage } = self.nodes[node] else {
            unreachable!("called for choices only");
        };
        let choice = self.compiled.segments[segment].stages[stage]
            .choice
            .as_ref();
        choice.expect("all stages but the first have a choice")
    }

    /// Tests the checks and evaluates the gates of a stage; says whether all checks hold.
    fn execute(&mut self, segment: usize, stage: usize) -> bool {
        let stage = &self.compiled.segments[segment].stages[stage];
        let code = &self.compiled.code;
        if code.violated(&stage.early, &self.values) {
            return false;
        }
        code.execute(stage.operations.clone(), &mut self.values);
        !code.violated(&stage.late, &self.values)
    }
}

fn raise<N: Numerator>(number: &mut N, other: &N) {
    if other > number {
        *number = other.clone();
    }
}

fn reduce<N: Numerator>(number: &mut N, other: &N) {
    if other < number {
        *number = other.clone();
    }
}
