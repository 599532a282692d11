//! Cuts of the order of execution into segments, and the key of each: the frontier between known and open variables.
//!
//! Between two decisions, the *live* variables are those known before and used after. The value after
//! them depends on nothing else, so two branches that agree on the live variables have one value,
//! which is computed once and kept in a table. Live variables that are functions of other live
//! variables need not be stored: they are recomputed. The rest is the *key*. On formulas of games
//! it turns out to be the bare state of the game.
//!
//! A cut is made before a decision where the key is locally smallest, or where none of the choices
//! made since the last cut is part of the key any more (the move has been absorbed by the state).
//! Where there is no such place for long, a cut bounds the length of a segment. Very wide keys are not worth storing; there no
//! cut is made.

use super::layout::Layout;
use crate::options::Options;
use crate::policy::{BYTES_PER_BRANCH, MAX_BRANCH_BITS, MAX_RECOMPUTED};
use crate::program::{Item, Program};
use formula::{Lit, Var};

/// A place where the order of execution is cut.
#[derive(Clone, Default, Debug)]
pub struct Cut {
    /// The item before which it lies: a decision, or 0 for the very beginning.
    pub item: usize,
    /// The variables known before and used after.
    pub live: Vec<Var>,
    /// Live variables that determine the others.
    pub key: Vec<Var>,
    /// Literals that win here; they are found later.
    pub winning: Vec<Lit>,
    /// Whether the key is too wide to be remembered: the cut only keeps a segment short.
    pub is_too_wide: bool,
}

/// Finds the cuts; the first is the beginning, with nothing known. With little memory segments have
/// fewer branches.
pub fn find_cuts(
    program: &Program,
    layout: &Layout<'_>,
    options: &Options,
    memory: Option<u64>,
) -> Vec<Cut> {
    let mut reducer = Reducer::new(layout, options);
    let mut boundaries = Vec::new();
    at_decisions(program, layout, |item, live| {
        let key = (live.len() <= 2 * options.widest_key).then(|| reducer.key(live));
        let key = key.filter(|key| key.len() <= options.widest_key);
        boundaries.push(Boundary {
            item,
            width: key.as_ref().map_or(usize::MAX, Vec::len),
            newest_choice: key.and_then(|key| {
                key.iter()
                    .filter_map(|&v| layout.definitions.decision(v))
                    .max()
            }),
            size: Size::of(program, item),
        });
    });
    let chosen = choose(&boundaries, options);
    let chosen = shorten(
        &boundaries,
        &chosen,
        max_bits(memory),
        options.segment_length,
    );
    let mut chosen = chosen.into_iter().peekable();
    let mut cuts = vec![Cut::default()];
    at_decisions(program, layout, |item, live| {
        if chosen.next_if_eq(&item).is_some() {
            let key = reducer.key(live);
            cuts.push(Cut {
                item,
                live: live.to_vec(),
                is_too_wide: key.len() > options.widest_key,
                key,
                winning: Vec::new(),
            });
        }
    });
    cuts
}

/// Calls `visit` before each decision with the live variables there.
fn at_decisions(program: &Program, layout: &Layout<'_>, mut visit: impl FnMut(usize, &[Var])) {
    let mut live: Vec<Var> = Vec::new();
    let mut positions = vec![0u32; layout.variables()];
    for (index, item) in program.items.iter().enumerate() {
        let mut add = |variable: Var, live: &mut Vec<Var>| {
            if layout.last_use(variable).is_some_and(|last| last > index) {
                positions[variable.index()] = live.len() as u32;
                live.push(variable);
            }
        };
        match *item {
            Item::Decision(decision) => {
                visit(index, &live);
                for &variable in &program.decisions[decision].variables {
                    add(variable, &mut live);
                }
            }
            Item::Gate(gate) => add(program.gates[gate].output, &mut live),
            Item::Check(_) => {}
        }
        layout.for_each_use(program, item, |variable| {
            let position = positions[variable.index()] as usize;
            if layout.last_use(variable) == Some(index) && live.get(position) == Some(&variable) {
                live.swap_remove(position);
                if let Some(&moved) = live.get(position) {
                    positions[moved.index()] = position as u32;
                }
            }
        });
    }
}

/// A place before a decision, where a cut could be.
struct Boundary {
    item: usize,
    width: usize,
    /// The latest decision of which a variable is in the key.
    newest_choice: Option<usize>,
    /// The size of the decision behind it.
    size: Size,
}

/// The size that a decision adds to a segment.
#[derive(Clone, Copy)]
struct Size {
    /// The logarithm of the number of its assignments, rounded up.
    bits: u32,
    /// The variables that are decided one after the other.
    stages: u32,
}

impl Size {
    fn of(program: &Program, item: usize) -> Self {
        let Item::Decision(decision) = program.items[item] else {
            unreachable!("boundaries lie before decisions")
        };
        let decision = &program.decisions[decision];
        let variables = decision.variables.len() as u32;
        match &decision.listed {
            None => Size {
                bits: variables,
                stages: variables,
            },
            Some(listed) => Size {
                bits: listed.assignments.len().next_power_of_two().ilog2(),
                stages: 1,
            },
        }
    }
}

/// The branches that a segment may have, as a power of two, within this memory.
fn max_bits(memory: Option<u64>) -> u32 {
    let branches = memory.map_or(u64::MAX, |bytes| (bytes / BYTES_PER_BRANCH).max(1));
    MAX_BRANCH_BITS.min(branches.ilog2())
}

/// Adds cuts where a segment could have too many branches or stages for a search that holds all of
/// them at once, at whatever width.
fn shorten(boundaries: &[Boundary], cuts: &[usize], max_bits: u32, max_stages: u32) -> Vec<usize> {
    let mut shortened = Vec::new();
    let mut cuts = cuts.iter().copied().peekable();
    let (mut bits, mut stages) = (0, 0);
    for boundary in boundaries {
        let Size {
            bits: more,
            stages: longer,
        } = boundary.size;
        let is_cut = cuts.next_if_eq(&boundary.item).is_some();
        let is_long = bits + more > max_bits || stages + longer > max_stages;
        if is_cut || is_long && stages > 0 {
            shortened.push(boundary.item);
            (bits, stages) = (0, 0);
        }
        bits += more;
        stages += longer;
    }
    shortened
}

/// Chooses cuts among the boundaries (of which number n lies before decision n); gives items.
fn choose(boundaries: &[Boundary], options: &Options) -> Vec<usize> {
    let mut natural = natural_cuts(boundaries);
    natural.push(boundaries.len());
    let mut cuts = Vec::new();
    let mut start = 0;
    let mut next = 0;
    while start < boundaries.len() {
        // As many steps as are likely to fit; of these the one with the narrowest key.
        let mut bits = 0;
        let mut end = natural[next];
        let mut position = start;
        for (index, &candidate) in natural.iter().enumerate().skip(next) {
            bits += boundaries[position..candidate]
                .iter()
                .map(|b| b.size.bits)
                .sum::<u32>();
            position = candidate;
            if index > next && bits > options.segment_bits {
                break;
            }
            let width = |boundary: usize| boundaries.get(boundary).map_or(0, |b| b.width);
            if index == next || width(candidate) <= width(end) {
                (end, next) = (candidate, index);
            }
        }
        next += 1;
        if let Some(boundary) = boundaries.get(end) {
            cuts.push(boundary.item);
        }
        start = end;
    }
    cuts
}

/// The natural cuts: boundaries where the key is smallest, and those where none of the choices made since the
/// last one is part of the key any more.
fn natural_cuts(boundaries: &[Boundary]) -> Vec<usize> {
    let width = |index: usize| boundaries.get(index).map(|boundary| boundary.width);
    let mut natural = Vec::new();
    let mut start = 0;
    for (index, boundary) in boundaries.iter().enumerate().skip(1) {
        let here = boundary.width;
        if here == usize::MAX {
            continue;
        }
        let smallest =
            Some(here) <= width(index - 1) && width(index + 1).is_none_or(|next| here < next);
        let absorbed = boundary.newest_choice.is_none_or(|choice| choice < start);
        if smallest || absorbed {
            natural.push(index);
            start = index;
        }
    }
    natural
}

/// Takes out of live variables what the others determine.
struct Reducer<'a> {
    layout: &'a Layout<'a>,
    enabled: bool,
    /// The stamp of each variable: its entry in `computable` is valid if the stamp is the present one.
    stamps: Vec<u32>,
    computable: Vec<bool>,
    stamp: u32,
}

impl<'a> Reducer<'a> {
    fn new(layout: &'a Layout<'a>, options: &Options) -> Self {
        Reducer {
            layout,
            enabled: options.reduce_keys,
            stamps: vec![0; layout.variables()],
            computable: vec![false; layout.variables()],
            stamp: 0,
        }
    }

    /// The key: sorted, so that one set of live variables gives one key.
    ///
    /// A live gate is left out if its inputs can be computed from live variables. Inputs come
    /// strictly before outputs, so by induction all that is left out can be computed from the rest.
    fn key(&mut self, live: &[Var]) -> Vec<Var> {
        self.stamp += 1;
        for &variable in live {
            self.set(variable, true);
        }
        let mut left = MAX_RECOMPUTED;
        let mut key: Vec<Var> = live
            .iter()
            .copied()
            .filter(|&variable| !(self.enabled && self.inputs_computable(variable, &mut left)))
            .collect();
        key.sort_unstable();
        key
    }

    fn set(&mut self, variable: Var, computable: bool) {
        self.stamps[variable.index()] = self.stamp;
        self.computable[variable.index()] = computable;
    }

    fn known(&self, variable: Var) -> Option<bool> {
        let index = variable.index();
        (self.stamps[index] == self.stamp).then_some(self.computable[index])
    }

    /// Whether all inputs of a gate are live or computed from live variables.
    fn inputs_computable(&mut self, variable: Var, left: &mut usize) -> bool {
        // The path of gates under examination, each with the number of inputs found computable.
        let mut path = vec![(variable, 0)];
        while let Some((variable, done)) = path.last_mut() {
            let Some(gate) = self.layout.definitions.gate(*variable) else {
                return self.fail(&path);
            };
            match self.layout.inputs(gate).get(*done) {
                None => {
                    let variable = *variable;
                    self.set(variable, true);
                    path.pop();
                }
                Some(&input) => match self.known(input) {
                    Some(true) => *done += 1,
                    Some(false) => return self.fail(&path),
                    None if *left == 0 => return false,
                    None => {
                        *left -= 1;
                        path.push((input, 0));
                    }
                },
            }
        }
        true
    }

    /// Notes that the variables on this path, but for the live one it starts with, are not
    /// computable.
    fn fail(&mut self, path: &[(Var, usize)]) -> bool {
        for &(variable, _) in &path[1..] {
            self.set(variable, false);
        }
        false
    }
}
