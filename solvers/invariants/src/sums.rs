//! Sums of binary numbers as clauses: the bits of a number are literals, the lowest first.

use crate::houdini::Oracle;
use crate::proof::StepProver;
use circuit_sat::SatLiteral;

/// Makes clauses for sums.
pub(crate) struct Sums {
    zero: SatLiteral,
}

/// A binary number, the lowest bit first.
pub(crate) type Bits = Vec<SatLiteral>;

impl Sums {
    pub(crate) fn new(prover: &mut StepProver) -> Self {
        let zero = prover.new_literal();
        prover.require(&[!zero]);
        Sums { zero }
    }

    /// The number that belongs to the one of these literals that is true; `none` if none is. At most one may be true.
    pub(crate) fn one_of(
        prover: &mut StepProver,
        literals: &[SatLiteral],
        numbers: &[u64],
        none: u64,
    ) -> Bits {
        let nothing = prover.new_literal();
        let mut some = vec![nothing];
        for &literal in literals {
            prover.require(&[!nothing, !literal]);
            some.push(literal);
        }
        prover.require(&some);
        let most = numbers.iter().copied().max().unwrap_or(0).max(none);
        let width = u64::BITS - most.leading_zeros();
        let bit = |prover: &mut StepProver, bit: u32| {
            let out = prover.new_literal();
            let all = literals.iter().zip(numbers).chain([(&nothing, &none)]);
            for (&literal, number) in all {
                match number >> bit & 1 {
                    1 => prover.require(&[!literal, out]),
                    _ => prover.require(&[!literal, !out]),
                }
            }
            out
        };
        (0..width).map(|number| bit(prover, number)).collect()
    }

    /// The sum of some numbers and a constant. Sums of two are added in pairs, so that a difference in one number stays in few sums.
    pub(crate) fn add_all(
        &mut self,
        prover: &mut StepProver,
        mut numbers: Vec<Bits>,
        constant: u64,
    ) -> Bits {
        let bits = (0..u64::BITS - constant.leading_zeros()).map(|bit| match constant >> bit & 1 {
            1 => !self.zero,
            _ => self.zero,
        });
        numbers.push(bits.collect());
        while numbers.len() > 1 {
            let pairs = numbers.chunks(2).map(|pair| match pair {
                [one, other] => self.add(prover, one, other),
                rest => rest[0].clone(),
            });
            numbers = pairs.collect();
        }
        numbers.pop().unwrap_or_default()
    }

    fn add(&self, prover: &mut StepProver, one: &Bits, other: &Bits) -> Bits {
        let bit = |bits: &Bits, index: usize| bits.get(index).copied().unwrap_or(self.zero);
        let mut carry = self.zero;
        let mut sum = Vec::new();
        for index in 0..one.len().max(other.len()) {
            let added = [bit(one, index), bit(other, index), carry];
            sum.push(odd(prover, added));
            carry = majority(prover, added);
        }
        sum.push(carry);
        sum
    }

    /// A literal that is true only if one number is at most the other.
    pub(crate) fn at_most(&self, prover: &mut StepProver, least: &Bits, most: &Bits) -> SatLiteral {
        let bit = |bits: &Bits, index: usize| bits.get(index).copied().unwrap_or(self.zero);
        // Of the lowest bits: whether they are at most those of the other.
        let mut so_far = !self.zero;
        for index in 0..least.len().max(most.len()) {
            let (one, other) = (bit(least, index), bit(most, index));
            so_far = majority(prover, [!one, other, so_far]);
        }
        so_far
    }
}

/// Whether one or all three are true.
fn odd(prover: &mut StepProver, [a, b, c]: [SatLiteral; 3]) -> SatLiteral {
    let out = prover.new_literal();
    for (a, b, c) in [(a, b, c), (a, !b, !c), (!a, b, !c), (!a, !b, c)] {
        prover.require(&[!a, !b, !c, out]);
        prover.require(&[a, b, c, !out]);
    }
    out
}

/// Whether two or three are true.
fn majority(prover: &mut StepProver, [a, b, c]: [SatLiteral; 3]) -> SatLiteral {
    let out = prover.new_literal();
    for (one, other) in [(a, b), (a, c), (b, c)] {
        prover.require(&[!one, !other, out]);
        prover.require(&[one, other, !out]);
    }
    out
}
