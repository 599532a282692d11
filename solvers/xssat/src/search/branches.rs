//! The branches of a decision in the present state, without those that nothing can notice.

use crate::compile::{Choice, Code};
use formula::{Probability, Quantifier};

/// An assignment to try. For listed assignments, `pattern` is the place in the list; otherwise the
/// values of the variables as bits, and `decided` tells which variables were branched on (the rest
/// have no influence).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Branch {
    /// The assignment.
    pub pattern: u16,
    /// The variables that were branched on.
    pub decided: u16,
}

/// Fills `branches` with those of a decision. Overwrites the decision's slots.
///
/// `probabilities` are those of chance variables: what has probability 0 is left out.
pub fn list(
    choice: &Choice,
    code: &Code,
    probabilities: &[Probability],
    values: &mut [u8],
    branches: &mut Vec<Branch>,
) {
    branches.clear();
    if let Some(demands) = &choice.demands {
        let mut allowed = demands.allowed(code, values);
        while allowed != 0 {
            branches.push(Branch {
                pattern: allowed.trailing_zeros() as u16,
                decided: u16::MAX,
            });
            allowed &= allowed - 1;
        }
        return;
    }
    let mut lister = Lister {
        choice,
        code,
        probabilities,
        values,
        branches,
    };
    lister.extend(
        0,
        Branch {
            pattern: 0,
            decided: 0,
        },
    );
}

struct Lister<'a> {
    choice: &'a Choice,
    code: &'a Code,
    probabilities: &'a [Probability],
    values: &'a mut [u8],
    branches: &'a mut Vec<Branch>,
}

impl Lister<'_> {
    /// Decides the variable at this place in all ways that matter. At most eight deep.
    fn extend(&mut self, place: usize, branch: Branch) {
        let Some(&slot) = self.choice.slots.get(place) else {
            self.branches.push(branch);
            return;
        };
        let (tries, decided) = self.tries(place);
        for &value in tries {
            self.values[slot as usize] = u8::from(value);
            self.extend(
                place + 1,
                Branch {
                    pattern: branch.pattern | u16::from(value) << place,
                    decided: branch.decided | u16::from(decided) << place,
                },
            );
        }
    }

    /// The values to try, and whether they are a real choice.
    fn tries(&self, place: usize) -> (&'static [bool], bool) {
        const BOTH: &[bool] = &[true, false];
        const TRUE: &[bool] = &[true];
        const FALSE: &[bool] = &[false];
        let quantifier = self.choice.quantifier;
        if let Some(probability) = self.probabilities.get(place) {
            if probability.is_one() {
                return (TRUE, false);
            }
            if probability.is_zero() {
                return (FALSE, false);
            }
        }
        let [positive, negative] = &self.choice.interest[place];
        let positive = positive.holds(self.code, self.values);
        // For chance, interest of one side is enough.
        if positive && quantifier == Quantifier::Chance {
            return (BOTH, true);
        }
        let negative = negative.holds(self.code, self.values);
        match (quantifier, positive, negative) {
            (_, true, true) | (Quantifier::Chance, _, true) => (BOTH, true),
            // Open checks want it true: the maximising player gives it, the minimising does not.
            (Quantifier::Exists, true, false) | (Quantifier::Forall, false, true) => (TRUE, true),
            _ => (FALSE, positive || negative),
        }
    }
}

/// Puts a branch into the decision's slots.
pub fn apply(choice: &Choice, branch: Branch, values: &mut [u8]) {
    if choice.demands.is_some() {
        for &slot in &choice.slots {
            values[slot as usize] = 0;
        }
        for &slot in &choice.patterns[usize::from(branch.pattern)] {
            values[slot as usize] = 1;
        }
    } else {
        for (place, &slot) in choice.slots.iter().enumerate() {
            values[slot as usize] = (branch.pattern >> place & 1) as u8;
        }
    }
}
