//! The proof that a group is a selection: evaluation for all values of its inputs, 64 cases at a
//! time, one in each bit of a word.
//!
//! In a case, every assignment of the decided variables leaves some of the allowed patterns: those
//! that satisfy all demands. The maximizer gets the best of these. Hence
//!
//! * *for all*: if each assignment leaves at least one pattern, and each allowed pattern is the only
//!   one that some assignment leaves, the minimum over the assignments is the minimum over the
//!   allowed patterns. (An assignment that leaves several is no better for the minimizer
//!   than the one that leaves only the worst of them.)
//! * *chance*: the demands are sorted by their cubes (conjunctions of literals of decided
//!   variables). If the cubes active in a case are n, contradict each other in pairs, are true with
//!   probability 1/n each, and leave one pattern each, a different one for each cube and every
//!   allowed one for some cube, then the mean over the assignments is the plain mean over the
//!   allowed patterns.
//!
//! Where nothing is demanded the maximizer is free. Such cases are admitted if at most one
//! pattern is allowed, or if one literal says exactly which cases these are. Where nothing is
//! allowed the value is 0 whatever happens.

use crate::policy::{MAX_INPUTS, MAX_UNIVERSALS};
use formula::{BigRational, Quantifier};
use num_traits::One;
use rustc_hash::FxHashMap;

/// A group in which variables are numbered by their index in the evaluation: groups of different
/// steps that are alike are equal. A literal is `2 * variable + (1 if negated)`.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// The player who decides the variables that are to disappear.
    pub quantifier: Quantifier,
    /// The probabilities of these variables; for universal ones any number.
    pub chances: Vec<BigRational>,
    /// How many patterns the existential decision has, at most 64.
    pub patterns: usize,
    /// How many variables are evaluated.
    pub variables: usize,
    /// Those of them that are given, in all combinations.
    pub inputs: Vec<u32>,
    /// How the others are computed, in order.
    pub gates: Vec<LocalGate>,
    /// Clauses that are known to be true.
    pub known: Vec<Vec<u32>>,
    /// Clauses that are required of certain patterns (bits).
    pub base: Vec<(u64, Vec<u32>)>,
    /// Conjunctions of literals of the variables to disappear, sorted by number.
    pub cubes: Vec<Vec<u32>>,
    /// The demands of all cubes.
    pub demands: Vec<Demand>,
}

/// A gate of a [`Case`].
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct LocalGate {
    /// The variable that is defined.
    pub output: u32,
    /// Whether it is the negation of the conjunction.
    pub inverted: bool,
    /// The clauses of the conjunction.
    pub conjuncts: Vec<Vec<u32>>,
}

/// If the cube is true and the rest is not, these patterns are lost.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Demand {
    /// The number of the cube.
    pub cube: usize,
    /// The patterns that violate the demand, as bits.
    pub lost: u64,
    /// The other literals of the check.
    pub rest: Vec<u32>,
}

/// The result of a proof: the group is a selection unless this literal is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// A literal of the case.
    pub unless: Option<u32>,
}

/// The lowest bits of the number of a case, for all cases of a word.
const LOW_BITS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Proves a group to be a selection, if it can within this effort (in words visited).
pub fn prove(case: &Case, effort: &mut u64) -> Option<Proof> {
    let universal = case.quantifier == Quantifier::Forall;
    if case.inputs.len() > MAX_INPUTS
        || case.patterns > 64
        || universal && case.chances.len() > MAX_UNIVERSALS
    {
        return None;
    }
    let words = 1u64 << case.inputs.len().saturating_sub(6);
    let cost = words.saturating_mul(case.size());
    if cost > *effort {
        return None;
    }
    *effort -= cost;
    let mut prover = Prover::new(case);
    (0..words).try_for_each(|word| prover.word(word).then_some(()))?;
    prover.finish()
}

impl Case {
    /// About how many words are visited for 64 cases.
    fn size(&self) -> u64 {
        let gates = self.gates.iter().flat_map(|gate| &gate.conjuncts);
        let clauses = gates
            .chain(&self.known)
            .chain(self.base.iter().map(|(_, rest)| rest))
            .chain(self.demands.iter().map(|demand| &demand.rest));
        let literals: usize = clauses.map(|clause| clause.len() + 1).sum();
        let branches = match self.quantifier {
            Quantifier::Forall => 1 << self.chances.len().min(MAX_UNIVERSALS),
            _ => self.cubes.len(),
        };
        (literals + 2 * self.variables + 4 * branches * (self.patterns + 4)) as u64
    }
}

/// The data that all words share, and the state of one word.
struct Prover<'c> {
    case: &'c Case,
    /// For all variables, their values in the 64 cases of the present word.
    values: Vec<u64>,
    /// By pattern: where it is allowed.
    allowed: Vec<u64>,
    /// By demand: where its rest is false.
    violated: Vec<u64>,
    /// By assignment (universal) or cube (chance): the demands.
    branches: Vec<Vec<usize>>,
    /// For sets of cubes, whether they are even: contradictory in pairs, and of equal probabilities that add
    /// up to one.
    even: FxHashMap<Vec<usize>, bool>,
    /// The probability of each cube.
    probabilities: Vec<BigRational>,
    /// Whether the player was free somewhere, with several patterns to choose from.
    must_be_told: bool,
    /// Literals that agree with where the player was found to be free and not.
    candidates: Vec<u32>,
}

impl<'c> Prover<'c> {
    fn new(case: &'c Case) -> Self {
        let numbered = || case.demands.iter().enumerate();
        let branches: Vec<Vec<usize>> = if case.quantifier == Quantifier::Forall {
            let assignments = 0..1u32 << case.chances.len();
            let agrees = |assignment: u32, literal: u32| {
                (assignment >> (literal >> 1) & 1 == 1) != (literal & 1 == 1)
            };
            let active = |assignment: u32| {
                let agreeing = numbered().filter(move |(_, demand)| {
                    let cube = case.cubes[demand.cube].iter();
                    cube.clone().all(|&literal| agrees(assignment, literal))
                });
                agreeing.map(|(number, _)| number).collect()
            };
            assignments.map(active).collect()
        } else {
            let mut by_cube = vec![Vec::new(); case.cubes.len()];
            for (number, demand) in numbered() {
                by_cube[demand.cube].push(number);
            }
            by_cube
        };
        let probability = |cube: &Vec<u32>| {
            let mut probability = BigRational::one();
            for &literal in cube {
                let chance = case.chances[(literal >> 1) as usize].clone();
                probability *= if literal & 1 == 1 {
                    BigRational::one() - chance
                } else {
                    chance
                };
            }
            probability
        };
        let probabilities = match case.quantifier {
            Quantifier::Chance => case.cubes.iter().map(probability).collect(),
            _ => Vec::new(),
        };
        Prover {
            case,
            values: vec![0; case.variables],
            allowed: vec![0; case.patterns],
            violated: vec![0; case.demands.len()],
            branches,
            even: FxHashMap::default(),
            probabilities,
            must_be_told: false,
            candidates: (0..2 * case.variables as u32).collect(),
        }
    }

    fn literal(&self, literal: u32) -> u64 {
        let value = self.values[(literal >> 1) as usize];
        if literal & 1 == 1 { !value } else { value }
    }

    fn clause(&self, clause: &[u32]) -> u64 {
        clause
            .iter()
            .fold(0, |any, &literal| any | self.literal(literal))
    }

    /// Examines the cases of one word; says whether all is well.
    fn word(&mut self, word: u64) -> bool {
        let case = self.case;
        for (number, &input) in case.inputs.iter().enumerate() {
            self.values[input as usize] = match number.checked_sub(6) {
                None => LOW_BITS[number],
                Some(bit) if word >> bit & 1 == 1 => u64::MAX,
                Some(_) => 0,
            };
        }
        for gate in &case.gates {
            let conjuncts = gate.conjuncts.iter();
            let conjunction = conjuncts.fold(u64::MAX, |all, clause| all & self.clause(clause));
            self.values[gate.output as usize] = if gate.inverted {
                !conjunction
            } else {
                conjunction
            };
        }
        let known = case.known.iter();
        let mut cases = known.fold(u64::MAX, |all, clause| all & self.clause(clause));
        self.allowed.fill(u64::MAX);
        for (patterns, rest) in &case.base {
            let rest = self.clause(rest);
            for pattern in bits(*patterns) {
                self.allowed[pattern] &= rest;
            }
        }
        // Where no pattern is allowed, all is lost whatever is decided.
        cases &= self.allowed.iter().fold(0, |any, allowed| any | allowed);
        if cases == 0 {
            return true;
        }
        for (number, demand) in case.demands.iter().enumerate() {
            self.violated[number] = !self.clause(&demand.rest);
        }
        let (selected, free) = match case.quantifier {
            Quantifier::Forall => self.examine_universal(),
            _ => match self.examine_chance(cases) {
                Some(found) => found,
                None => return false,
            },
        };
        if cases & !(selected | free) != 0 {
            return false;
        }
        let (free, selected) = (cases & free & !selected, cases & selected & !free);
        self.must_be_told |= free != 0;
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.retain(|&literal| {
            let value = self.literal(literal);
            free & !value == 0 && selected & value == 0
        });
        self.candidates = candidates;
        true
    }

    /// The patterns that a branch leaves, one after the other.
    fn left<'a>(&'a self, branch: usize, left: &'a mut Vec<u64>, within: u64) -> &'a [u64] {
        left.clone_from(&self.allowed);
        for &demand in &self.branches[branch] {
            let violated = self.violated[demand];
            if violated & within != 0 {
                for pattern in bits(self.case.demands[demand].lost) {
                    left[pattern] &= !violated;
                }
            }
        }
        left
    }

    /// Where the group selects, and where it leaves all free.
    fn examine_universal(&self) -> (u64, u64) {
        let mut buffer = Vec::new();
        let mut forced = vec![0; self.allowed.len()];
        let (mut never_empty, mut free) = (u64::MAX, u64::MAX);
        for assignment in 0..self.branches.len() {
            let left = self.left(assignment, &mut buffer, u64::MAX);
            let (some, single) = count(left.iter().copied());
            never_empty &= some;
            for ((forced, &left), &allowed) in forced.iter_mut().zip(left).zip(&self.allowed) {
                *forced |= left & single;
                free &= !(left ^ allowed);
            }
        }
        let pairs = self.allowed.iter().zip(&forced);
        let all_forced = pairs.fold(u64::MAX, |all, (allowed, forced)| all & (!allowed | forced));
        (never_empty & all_forced, free)
    }

    /// Where the group selects, and where it leaves all free; `None` if it does neither somewhere.
    fn examine_chance(&mut self, cases: u64) -> Option<(u64, u64)> {
        let any = |cube: &Vec<usize>| cube.iter().fold(0, |any, &d| any | self.violated[d]);
        let active: Vec<u64> = self.branches.iter().map(any).collect();
        let free = !active.iter().fold(0, |any, active| any | active);
        let (_, single) = count(self.allowed.iter().copied());
        let mut selected = free & single;
        let mut open = cases & !free;
        let mut buffer = Vec::new();
        while open != 0 {
            // All cases with the same active cubes as the first open one.
            let first = open.trailing_zeros();
            let (mut region, mut cubes) = (open, Vec::new());
            for (cube, &active) in active.iter().enumerate() {
                if active >> first & 1 == 1 {
                    cubes.push(cube);
                    region &= active;
                } else {
                    region &= !active;
                }
            }
            let mut left_by = vec![(0, 0); self.allowed.len()];
            for &cube in &cubes {
                let left = self.left(cube, &mut buffer, region);
                let (_, single) = count(left.iter().copied());
                if region & !single != 0 {
                    return None;
                }
                for ((once, twice), &left) in left_by.iter_mut().zip(left) {
                    *twice |= *once & left;
                    *once |= left;
                }
            }
            let pairs = left_by.iter().zip(&self.allowed);
            let wrong = pairs.fold(0, |wrong, ((once, twice), allowed)| {
                wrong | twice | (once ^ allowed)
            });
            if region & wrong != 0 || !self.is_even(cubes) {
                return None;
            }
            selected |= region;
            open &= !region;
        }
        Some((selected, free))
    }

    /// Whether exactly one of these cubes is true, each with the same probability.
    fn is_even(&mut self, cubes: Vec<usize>) -> bool {
        if let Some(&even) = self.even.get(&cubes) {
            return even;
        }
        let share = BigRational::new(1.into(), cubes.len().into());
        let contradict = |first: usize, second: usize| {
            let second = &self.case.cubes[second];
            let mut literals = self.case.cubes[first].iter();
            literals.any(|&literal| second.contains(&(literal ^ 1)))
        };
        let even = cubes.iter().enumerate().all(|(index, &cube)| {
            let mut later = cubes[index + 1..].iter();
            self.probabilities[cube] == share && later.all(|&other| contradict(cube, other))
        });
        self.even.insert(cubes, even);
        even
    }

    fn finish(self) -> Option<Proof> {
        if !self.must_be_told {
            return Some(Proof { unless: None });
        }
        let unless = self.candidates.first().copied();
        unless.map(|literal| Proof {
            unless: Some(literal),
        })
    }
}

/// Where at least one of these is true, and where exactly one is.
fn count(words: impl Iterator<Item = u64>) -> (u64, u64) {
    let (once, twice) = words.fold((0, 0), |(once, twice), word| {
        (once | word, twice | once & word)
    });
    (once, once & !twice)
}

/// The numbers of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A case without inputs: the number of patterns, chances as fractions, and for each cube the pattern
    /// it demands.
    fn plain(
        quantifier: Quantifier,
        patterns: usize,
        chances: &[(u64, u64)],
        cubes: &[(&[u32], u64)],
    ) -> Case {
        let fraction = |&(n, d): &(u64, u64)| BigRational::new(n.into(), d.into());
        let all = (1 << patterns) - 1;
        let demand = |(cube, &(_, demanded)): (usize, &(&[u32], u64))| Demand {
            cube,
            lost: all & !(1 << demanded),
            rest: Vec::new(),
        };
        Case {
            quantifier,
            chances: chances.iter().map(fraction).collect(),
            patterns,
            variables: 0,
            inputs: Vec::new(),
            gates: Vec::new(),
            known: Vec::new(),
            base: Vec::new(),
            cubes: cubes.iter().map(|(cube, _)| cube.to_vec()).collect(),
            demands: cubes.iter().enumerate().map(demand).collect(),
        }
    }

    fn is_selection(case: &Case) -> bool {
        prove(case, &mut u64::MAX.clone()) == Some(Proof { unless: None })
    }

    #[test]
    fn a_chain_of_chances_is_even() {
        let chain = |chances| {
            let cubes: [(&[u32], u64); 3] = [(&[0], 0), (&[1, 2], 1), (&[1, 3], 2)];
            is_selection(&plain(Quantifier::Chance, 3, chances, &cubes))
        };
        assert!(chain(&[(1, 3), (1, 2)]));
        assert!(!chain(&[(1, 2), (1, 2)]));
        assert!(!chain(&[(1, 3), (1, 3)]));
    }

    /// Two coins, each of which demands something: both may do so, or none.
    #[test]
    fn cubes_must_contradict_each_other() {
        let halves = [(1, 2), (1, 2)];
        let both = plain(Quantifier::Chance, 2, &halves, &[(&[0], 0), (&[2], 1)]);
        assert!(!is_selection(&both));
        let one = plain(Quantifier::Chance, 2, &halves, &[(&[0], 0), (&[1], 1)]);
        assert!(is_selection(&one));
    }

    #[test]
    fn no_pattern_may_be_demanded_twice() {
        let cubes: [(&[u32], u64); 3] = [(&[0], 0), (&[1, 2], 1), (&[1, 3], 1)];
        let case = plain(Quantifier::Chance, 2, &[(1, 3), (1, 2)], &cubes);
        assert!(!is_selection(&case));
    }

    #[test]
    fn no_pattern_may_be_left_out() {
        for quantifier in [Quantifier::Chance, Quantifier::Forall] {
            let halves: [(u64, u64); 1] = [(1, 2)];
            let cubes: [(&[u32], u64); 2] = [(&[0], 0), (&[1], 1)];
            assert!(is_selection(&plain(quantifier, 2, &halves, &cubes)));
            assert!(!is_selection(&plain(quantifier, 3, &halves, &cubes)));
        }
    }

    /// Of two bits, 11 demands nothing: no harm to the minimum, but the mean is another.
    #[test]
    fn an_assignment_may_demand_nothing_of_a_minimum() {
        let chances = [(1, 2), (1, 2)];
        let cubes: [(&[u32], u64); 3] = [(&[1, 3], 0), (&[0, 3], 1), (&[1, 2], 2)];
        assert!(is_selection(&plain(
            Quantifier::Forall,
            3,
            &chances,
            &cubes
        )));
        assert!(!is_selection(&plain(
            Quantifier::Chance,
            3,
            &chances,
            &cubes
        )));
    }

    /// Two moves, said by one bit, unless the input is true.
    #[test]
    fn one_literal_says_where_the_player_is_free() {
        let mut case = plain(Quantifier::Forall, 2, &[(1, 2)], &[(&[0], 0), (&[1], 1)]);
        case.variables = 1;
        case.inputs = vec![0];
        for demand in &mut case.demands {
            demand.rest = vec![0];
        }
        let mut effort = u64::MAX;
        assert_eq!(prove(&case, &mut effort), Some(Proof { unless: Some(0) }));
        assert_eq!(prove(&case, &mut 1), None, "the effort is bounded");
    }
}
