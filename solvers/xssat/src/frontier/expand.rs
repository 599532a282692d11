//! All that may happen in a segment from one state, executed at once.
//!
//! It starts with one lane. At each decision the lanes are copied, once for each assignment that is
//! allowed and can be noticed; then the code of the stage runs for all lanes together; lanes that
//! violate a check get the value 0. At the end, lanes with a winning literal get the value 1, and of
//! the others the keys are read off. If the branches of a decision do not fit into one word, it is
//! filled several times: the words before the decision are still there.
//!
//! The depth of the recursion is the number of decisions in a segment, which is bounded.

use super::segment::{Choice, Segment, Stage};
use super::tree::{Kind, NONE, Tree};
use super::units::{Denominators, Refusal, TooCoarse, Unit, Units};
use circuit::lanes::{Copies, read_rows};
use circuit::{Code, Slots, set, word};
use formula::Quantifier;
use num_bigint::BigUint;
use num_integer::Integer;
use value::Numerator;

const LANES: usize = 64;

/// The node that each lane stands for.
type Lanes = [u32; LANES];

/// Working memory that is used again for each state.
pub struct Scratch {
    values: Vec<u64>,
    /// For each stage the words of what is allowed.
    allowed: Vec<Vec<u64>>,
}

impl Scratch {
    /// Enough for these segments.
    pub fn new(segments: &[Segment]) -> Self {
        let slots = segments.iter().map(|segment| segment.slots).max();
        let stages = segments.iter().map(|segment| segment.stages.len()).max();
        Scratch {
            values: Slots::values(slots.unwrap_or(1)),
            allowed: vec![Vec::new(); stages.unwrap_or(0)],
        }
    }
}

/// The execution of one segment.
pub struct Expansion<'a, N> {
    /// All code.
    pub code: &'a Code,
    /// The segment.
    pub segment: &'a Segment,
    /// Its number.
    pub number: usize,
    /// Whether nothing follows.
    pub is_last: bool,
    /// Denominators.
    pub units: &'a Units<N>,
    /// Where the nodes go.
    pub tree: &'a mut Tree<N>,
    /// Where the keys of the leaves go, in rows of `stride` words.
    pub keys: &'a mut Vec<u64>,
    /// See `keys`.
    pub stride: usize,
    /// Working memory.
    pub scratch: &'a mut Scratch,
    /// At most so many nodes, and words of keys, may there be.
    pub most: usize,
    /// If there, denominators are only learned, and no weights are set.
    pub learn: Option<&'a mut Denominators>,
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

impl<N: Numerator> Expansion<'_, N> {
    /// Executes the segment from a key; gives the root of the tree. Bounds of leaves with keys and
    /// of inner nodes are not set.
    ///
    /// # Errors
    /// If a denominator is too coarse or there is too much to hold.
    pub fn run(&mut self, key: &[u64]) -> Result<usize, Refusal> {
        let root = self.tree.add(1, NONE);
        for (bit, &slot) in self.segment.key_slots.iter().enumerate() {
            let value = key[bit / 64] >> (bit % 64) & 1;
            set(&mut self.scratch.values, slot, 0u64.wrapping_sub(value));
        }
        let segment = self.segment;
        self.code
            .run(segment.start.clone(), &mut self.scratch.values);
        if word(&self.scratch.values, segment.start_check) & 1 == 0 {
            self.tree.set_known(root, N::zero());
        } else {
            let mut lanes = [NONE; LANES];
            lanes[0] = root;
            self.go_on(0, 1, &lanes)?;
        }
        Ok(root as usize)
    }

    fn go_on(&mut self, stage: usize, alive: u64, lanes: &Lanes) -> Result<(), Refusal> {
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
            maximise,
            ..
        } = &stage.choice
        else {
            unreachable!("the kind was looked at")
        };
        let values = &self.scratch.values;
        let maximise = word(values, *maximise);
        let mut words = std::mem::take(&mut self.scratch.allowed[index]);
        words.clear();
        words.extend(allowed.iter().map(|&literal| word(values, literal) & alive));
        let uniform = words.iter().all(|&word| word == 0 || word == alive)
            && (maximise & alive == 0 || maximise & alive == alive);

        let mut branches = Branches::none(stage.quantifier);
        let mut batch = Batch::new();
        let mut left = alive;
        let mut fresh = true;
        let mut outcome = Ok(());
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            if fresh || !uniform {
                fresh = false;
                let mut set = 0u64;
                for (number, &word) in words.iter().enumerate() {
                    set |= (word >> lane & 1) << number;
                }
                let quantifier = if maximise >> lane & 1 == 1 {
                    Quantifier::Exists
                } else {
                    stage.quantifier
                };
                branches.list(quantifier, set, classes);
            }
            outcome = self.branch(index, stage, lane, &branches, lanes, &mut batch);
            if outcome.is_err() {
                break;
            }
        }
        self.scratch.allowed[index] = words;
        outcome?;
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
            unreachable!("the kind was looked at")
        };
        let values = &self.scratch.values;
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
            self.tree.set_known(node, N::zero());
            return Ok(());
        }
        if batch.copies.count() + count > LANES {
            self.flush(index, stage, batch)?;
        }
        let unit = &self.units.stages[self.number][index];
        let first = if count == 1 && unit.is_one {
            node
        } else if branches.kind != Kind::Mean && !unit.is_one {
            // The maximising player decides in place of chance: all parts go to one branch.
            let middle = self.tree.add(1, node);
            self.set_inner(node, Kind::Mean, middle, 1);
            self.tree.nodes[middle as usize].weight = unit.denominator.clone();
            let first = self.tree.add(count, middle);
            self.set_inner(middle, branches.kind, first, count);
            first
        } else {
            let first = self.tree.add(count, node);
            self.set_inner(node, branches.kind, first, count);
            if branches.kind == Kind::Mean
                && let Err(factor) = self.weigh(unit, stage, first, branches)
            {
                match &mut self.learn {
                    Some(learn) => {
                        let denominator = &mut learn[self.number][index];
                        *denominator = denominator.lcm(&factor);
                    }
                    None => {
                        return Err(Refusal::TooCoarse(TooCoarse {
                            segment: self.number,
                            stage: index,
                            factor,
                        }));
                    }
                }
            }
            first
        };
        for (place, &pattern) in branches.patterns[..count].iter().enumerate() {
            let node = first + place as u32;
            if count > 1 {
                self.tree.nodes[node as usize].branch = branch_number(index, pattern);
            }
            let lane = batch.copies.count() + place;
            batch.lanes[lane] = node;
            batch.patterns[lane] = pattern;
        }
        batch.copies.push(lane, count as u32);
        Ok(())
    }

    fn set_inner(&mut self, node: u32, kind: Kind, first: u32, count: usize) {
        let node = &mut self.tree.nodes[node as usize];
        node.kind = kind;
        node.first = first;
        node.count = count as u16;
    }

    /// Sets the weights of the branches of a mean.
    fn weigh(
        &mut self,
        unit: &Unit<N>,
        stage: &Stage,
        first: u32,
        branches: &Branches,
    ) -> Result<(), BigUint> {
        let nodes = &mut self.tree.nodes[first as usize..];
        match (&stage.choice, branches.count) {
            // All assignments come to the same thing, however many there are.
            (_, 1) => nodes[0].weight = unit.denominator.clone(),
            (Choice::Listed { .. }, _) => {
                let share = unit.share(branches.of)?;
                for (node, &weight) in nodes.iter_mut().zip(&branches.weights[..branches.count]) {
                    node.weight = share.times(&self.units.small[usize::from(weight)]);
                }
            }
            (Choice::Single { .. }, _) => {
                let [yes, no] = unit.sides(stage)?;
                nodes[0].weight = yes.clone();
                nodes[1].weight = no.clone();
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
        if self.tree.nodes.len().max(self.keys.len()) > self.most {
            return Err(Refusal::TooLarge);
        }
        let values = &mut self.scratch.values;
        batch.copies.apply(&stage.moves, values);
        match &stage.choice {
            Choice::Listed {
                slots, patterns, ..
            } => {
                for &slot in slots {
                    set(values, slot, 0);
                }
                for (lane, &pattern) in batch.patterns[..count].iter().enumerate() {
                    for &slot in &patterns[usize::from(pattern)] {
                        let before = word(values, 2 * slot);
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
        let mut dead = lanes & !alive;
        while dead != 0 {
            let node = batch.lanes[dead.trailing_zeros() as usize];
            self.tree.set_known(node, N::zero());
            dead &= dead - 1;
        }
        if alive != 0 {
            self.go_on(index + 1, alive, &batch.lanes)?;
        }
        Ok(())
    }

    /// The end of the segment: values that are known, and keys of states.
    fn finish(&mut self, alive: u64, lanes: &Lanes) {
        let values = &self.scratch.values;
        let won = if self.is_last {
            alive
        } else {
            alive & word(values, self.segment.won)
        };
        let mut left = won;
        while left != 0 {
            let node = lanes[left.trailing_zeros() as usize];
            let one = self.units.ones[self.number + 1].clone();
            self.tree.set_known(node, one);
            left &= left - 1;
        }
        let open = alive & !won;
        if open == 0 {
            return;
        }
        let start = self.keys.len();
        let count = open.count_ones() as usize;
        self.keys.resize(start + count * self.stride, 0);
        let rows = &mut self.keys[start..];
        read_rows(values, &self.segment.next_key, open, self.stride, rows);
        let mut left = open;
        let mut row = start as u32;
        while left != 0 {
            let node = lanes[left.trailing_zeros() as usize];
            let node = &mut self.tree.nodes[node as usize];
            node.kind = Kind::State;
            node.first = row;
            row += self.stride as u32;
            left &= left - 1;
        }
    }
}

/// What stands where somebody decides.
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

/// How many branches a segment can have, as numbers in its history.
pub fn branch_numbers(segment: &Segment) -> usize {
    segment.stages.len().max(1) * LANES
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
    /// No branch yet, for whoever decides.
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
