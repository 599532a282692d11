//! A segment executed on some states, with all branches at once.
//!
//! It starts with one lane for each state. At each decision the lanes are copied, once for each assignment that is allowed
//! and of interest; then the code of the stage runs for all lanes together; lanes that
//! violate a check get the value 0. At the end, lanes with a winning literal get the value 1, and of
//! the others the keys are read off. If the branches of a decision do not fit into one word, it is
//! filled several times: the words before the decision are still there.
//!
//! The depth of the recursion is the number of decisions in a segment, which is bounded.

use crate::compile::segment::{Choice, Segment, Stage};
use crate::policy::WORDS_PER_CHECK;
use arena::{Expansion, Kind, Refusal, Rows, Tree};
use base::value::Numerator;
use circuit::lanes::{Copies, read_rows, transpose, write_rows};
use circuit::{Code, Slots, set, word};
use formula::Quantifier;

const LANES: usize = 64;

/// The number of no node.
const NONE: u32 = u32::MAX;

/// The node that each lane stands for.
type Lanes = [u32; LANES];

/// Working memory that is used again for each state.
pub struct Workspace {
    values: Vec<u64>,
    /// Words executed so far.
    words: usize,
}

impl Workspace {
    /// Enough for these segments.
    pub fn new(segments: &[Segment]) -> Self {
        let slots = segments.iter().map(|segment| segment.slots).max();
        Workspace {
            values: Slots::values(slots.unwrap_or(1)),
            words: 0,
        }
    }
}

/// The execution of one segment.
pub struct Run<'a, 'b, N> {
    pub code: &'a Code,
    pub segment: &'a Segment,
    /// The states that it is executed on, at most 64.
    pub states: &'a [u32],
    /// Where the nodes go.
    pub to: &'a mut Expansion<'b, N>,
    pub workspace: &'a mut Workspace,
}

/// The branches of one lane: assignments, each with a weight (0 if that means nothing).
struct Branches {
    kind: Kind,
    count: usize,
    patterns: [u8; LANES],
    weights: [u8; LANES],
    /// For a mean over listed assignments, the number of them.
    of: usize,
}

impl<N: Numerator> Run<'_, '_, N> {
    /// Executes the segment from the states, which have these rows.
    pub fn run(&mut self, rows: Rows) -> Result<(), Refusal> {
        let (first, is_alone) = (self.to.tree.nodes.len(), self.is_alone());
        let values = &mut self.workspace.values;
        match self.states {
            &[state] => {
                let key = self.to.tree.state(state as usize, rows);
                for (bit, &slot) in self.segment.key_slots.iter().enumerate() {
                    let value = key[bit / 64] >> (bit % 64) & 1;
                    set(values, slot, 0u64.wrapping_sub(value));
                }
            }
            states => {
                let key = |&state: &u32| self.to.tree.state(state as usize, rows);
                write_rows(values, &self.segment.key_slots, states.iter().map(key));
            }
        }
        self.code.run(self.segment.start.clone(), values);
        if is_alone {
            for &(from, to) in self.segment.stages.iter().flat_map(|stage| &stage.settled) {
                let value = values[2 * from as usize];
                set(values, to, value);
            }
        }
        let all = u64::MAX >> (LANES - self.states.len());
        let alive = word(values, self.segment.start_check) & all;
        let mut lanes = [NONE; LANES];
        for (lane, &state) in lanes.iter_mut().zip(self.states) {
            // Below a state there is at least one node.
            *lane = match self.segment.stages.is_empty() {
                true => self.to.tree.open(state, Kind::Max, 1, 0),
                false => state,
            };
        }
        self.lose(all & !alive, &lanes);
        self.go_on(0, alive, &lanes)?;
        if !is_alone {
            self.to.tree.group(self.states, first);
        }
        Ok(())
    }

    /// Whether there is one state alone. Then the words that follow from its key are alike in all lanes.
    fn is_alone(&self) -> bool {
        self.states.len() == 1
    }

    /// Gives the nodes of some lanes the value 0.
    fn lose(&mut self, lanes: u64, nodes: &Lanes) {
        let mut left = lanes;
        while left != 0 {
            let node = nodes[left.trailing_zeros() as usize];
            self.to.tree.set_known(node, N::zero());
            left &= left - 1;
        }
    }

    fn go_on(&mut self, stage: usize, alive: u64, lanes: &Lanes) -> Result<(), Refusal> {
        if alive == 0 {
            return Ok(());
        }
        match self.segment.stages.get(stage) {
            None => self.finish(alive, lanes),
            Some(found) => match &found.choice {
                Choice::Listed { .. } => self.decide_listed(stage, found, alive, lanes)?,
                Choice::Single { .. } => self.decide_single(stage, found, alive, lanes)?,
            },
        }
        Ok(())
    }

    fn decide_listed(
        &mut self,
        index: usize,
        stage: &Stage,
        alive: u64,
        lanes: &Lanes,
    ) -> Result<(), Refusal> {
        let Choice::Listed {
            allowed,
            classes,
            maximize,
            ..
        } = &stage.choice
        else {
            unreachable!("the kind was matched")
        };
        let values = &self.workspace.values;
        let maximize = word(values, *maximize);
        // For each assignment the lanes in which it is allowed, then the other way round.
        let mut sets = [0; LANES];
        for (set, &literal) in sets.iter_mut().zip(allowed) {
            *set = word(values, literal) & alive;
        }
        if sets.iter().all(|&lanes| lanes == 0 || lanes == alive) {
            let set = sets
                .iter()
                .rev()
                .fold(0, |set, &lanes| set << 1 | u64::from(lanes != 0));
            sets = [set; LANES];
        } else {
            transpose(&mut sets);
        }
        let mut branches = Branches::none(stage.quantifier);
        let mut batch = Batch::new();
        let mut listed = None;
        let mut left = alive;
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let quantifier = if maximize >> lane & 1 == 1 {
                Quantifier::Exists
            } else {
                stage.quantifier
            };
            let set = sets[lane as usize];
            if listed.replace((quantifier, set)) != Some((quantifier, set)) {
                branches.list(quantifier, set, classes);
            }
            self.branch(index, stage, lane, &branches, lanes, &mut batch)?;
        }
        self.flush(index, stage, &mut batch)
    }

    fn decide_single(
        &mut self,
        index: usize,
        stage: &Stage,
        alive: u64,
        lanes: &Lanes,
    ) -> Result<(), Refusal> {
        let Choice::Single { interest, .. } = &stage.choice else {
            unreachable!("the kind was matched")
        };
        let values = &self.workspace.values;
        let [positive, negative] = interest.map(|literal| word(values, literal));
        let (both, only_true) = match stage.quantifier {
            Quantifier::Exists => (positive & negative, positive & !negative),
            Quantifier::Forall => (positive & negative, negative & !positive),
            Quantifier::Chance => (positive | negative, 0),
        };
        let mut batch = Batch::new();
        let mut branches = Branches::none(stage.quantifier);
        let mut left = alive;
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            if both >> lane & 1 == 1 {
                branches.count = 2;
                branches.patterns[0] = 1;
                branches.patterns[1] = 0;
            } else {
                branches.count = 1;
                branches.patterns[0] = (only_true >> lane & 1) as u8;
            }
            self.branch(index, stage, lane, &branches, lanes, &mut batch)?;
        }
        self.flush(index, stage, &mut batch)
    }

    /// Makes nodes for the branches of a lane and puts them into the batch, which is executed when
    /// it is full.
    fn branch(
        &mut self,
        index: usize,
        stage: &Stage,
        lane: u32,
        branches: &Branches,
        lanes: &Lanes,
        batch: &mut Batch,
    ) -> Result<(), Refusal> {
        let node = lanes[lane as usize];
        let count = branches.count;
        if count == 0 {
            self.to.tree.set_known(node, N::zero());
            return Ok(());
        }
        if batch.copies.count() + count > LANES {
            self.flush(index, stage, batch)?;
        }
        let (denominator, level) = (self.to.denominator(index), index as u16 + 1);
        let tree = &mut *self.to.tree;
        let first = if *denominator == N::one() && count == 1 {
            match tree.nodes[node as usize].is_state() {
                true => tree.open(node, Kind::Max, 1, level),
                false => node,
            }
        } else if branches.kind == Kind::Mean {
            let first = tree.open(node, Kind::Mean, count, level);
            self.weigh(index, stage, first, branches)?;
            first
        } else if *denominator == N::one() {
            tree.open(node, branches.kind, count, level)
        } else {
            // The maximizer decides in place of chance: all parts go to one branch.
            let middle = tree.open(node, Kind::Mean, 1, level);
            tree.nodes[middle as usize].weight = denominator.clone();
            tree.open(middle, branches.kind, count, level)
        };
        for (position, &pattern) in branches.patterns[..count].iter().enumerate() {
            let node = first + position as u32;
            if count > 1 {
                self.to.tree.nodes[node as usize].branch = branch_number(index, pattern);
            }
            let lane = batch.copies.count() + position;
            batch.lanes[lane] = node;
            batch.patterns[lane] = pattern;
        }
        batch.copies.push(lane, count as u32);
        Ok(())
    }

    /// Sets the weights of the branches of a mean.
    fn weigh(
        &mut self,
        index: usize,
        stage: &Stage,
        first: u32,
        branches: &Branches,
    ) -> Result<(), Refusal> {
        let first = first as usize;
        match (&stage.choice, branches.count) {
            // All assignments have equal effects, however many there are.
            (_, 1) => self.to.tree.nodes[first].weight = self.to.denominator(index).clone(),
            (Choice::Listed { .. }, count) => {
                let share = self.to.share(index, branches.of as u32)?;
                for (position, &weight) in branches.weights[..count].iter().enumerate() {
                    let weight = self.to.times(share, u32::from(weight));
                    self.to.tree.nodes[first + position].weight = weight;
                }
            }
            (Choice::Single { .. }, _) => {
                let sides = self.to.sides(index)?;
                for (position, weight) in sides.into_iter().enumerate() {
                    self.to.tree.nodes[first + position].weight = weight.clone();
                }
            }
        }
        Ok(())
    }

    /// Executes a batch of branches, and all that follows.
    fn flush(&mut self, index: usize, stage: &Stage, batch: &mut Batch) -> Result<(), Refusal> {
        let batch = std::mem::replace(batch, Batch::new());
        let count = batch.copies.count();
        if count == 0 {
            return Ok(());
        }
        if self.to.room() == 0 {
            return Err(Refusal::TooLarge);
        }
        self.workspace.words += 1;
        if self.workspace.words.is_multiple_of(WORDS_PER_CHECK) {
            self.to.limits.check()?;
        }
        let (is_alone, values) = (self.is_alone(), &mut self.workspace.values);
        batch.copies.apply(&stage.moves, values);
        if !is_alone {
            batch.copies.apply(&stage.settled, values);
        }
        match &stage.choice {
            Choice::Listed {
                slots, patterns, ..
            } => {
                for &slot in slots {
                    set(values, slot, 0);
                }
                for (lane, &pattern) in batch.patterns[..count].iter().enumerate() {
                    for &slot in &patterns[usize::from(pattern)] {
                        let before = values[2 * slot as usize];
                        set(values, slot, before | 1 << lane);
                    }
                }
            }
            Choice::Single { slot, .. } => {
                if let Some(slot) = *slot {
                    let bits = batch.patterns[..count].iter().enumerate();
                    let word = bits.fold(0, |word, (lane, &bit)| word | u64::from(bit) << lane);
                    set(values, slot, word);
                }
            }
        }
        self.code.run(stage.body.clone(), values);
        let lanes = batch.copies.all();
        let alive = word(values, stage.check) & lanes;
        self.lose(lanes & !alive, &batch.lanes);
        self.go_on(index + 1, alive, &batch.lanes)
    }

    /// The end of the segment: values that are known, and keys of states.
    fn finish(&mut self, alive: u64, lanes: &Lanes) {
        let values = &self.workspace.values;
        let (is_last, one) = (self.to.layer == 1, self.to.one());
        let won = match is_last {
            true => alive,
            false => alive & word(values, self.segment.won),
        };
        let tree: &mut Tree<N> = self.to.tree;
        let mut left = won;
        while left != 0 {
            tree.set_known(lanes[left.trailing_zeros() as usize], one.clone());
            left &= left - 1;
        }
        let open = alive & !won;
        if open == 0 {
            return;
        }
        let rows = self.to.rows();
        let tree: &mut Tree<N> = self.to.tree;
        let (count, stride) = (open.count_ones() as usize, rows.words());
        let mut row = tree.add_rows(count, rows);
        let words = &mut tree.rows_mut(row)[..count * stride];
        read_rows(values, &self.segment.next_key, open, stride, words);
        let mut left = open;
        while left != 0 {
            tree.set_state(lanes[left.trailing_zeros() as usize], row, one.clone());
            row += stride as u32;
            left &= left - 1;
        }
    }
}

/// A decision in the tree.
fn kind(quantifier: Quantifier) -> Kind {
    match quantifier {
        Quantifier::Exists => Kind::Max,
        Quantifier::Forall => Kind::Min,
        Quantifier::Chance => Kind::Mean,
    }
}

/// The number of a branch in the history of its cut.
fn branch_number(stage: usize, pattern: u8) -> u16 {
    (stage * LANES + usize::from(pattern)) as u16
}

/// Branches that wait to be executed together.
struct Batch {
    copies: Copies,
    lanes: Lanes,
    patterns: [u8; LANES],
}

impl Batch {
    fn new() -> Self {
        Batch {
            copies: Copies::new(),
            lanes: [NONE; LANES],
            patterns: [0; LANES],
        }
    }
}

impl Branches {
    /// No branch yet, for the owner of the decision.
    fn none(quantifier: Quantifier) -> Self {
        Branches {
            kind: kind(quantifier),
            count: 0,
            patterns: [0; LANES],
            weights: [0; LANES],
            of: 0,
        }
    }

    /// Lists one branch for each class of assignments with a member in a set.
    fn list(&mut self, quantifier: Quantifier, set: u64, classes: &[u64]) {
        self.kind = kind(quantifier);
        self.count = 0;
        self.of = set.count_ones() as usize;
        for class in classes {
            let members = class & set;
            if members != 0 {
                self.patterns[self.count] = members.trailing_zeros() as u8;
                self.weights[self.count] = members.count_ones() as u8;
                self.count += 1;
            }
        }
    }
}
