//! Variables and literals as small integers of distinct types.

use std::fmt;
use std::ops::Not;

/// A boolean variable. Variables of a formula are numbered from 0; in DIMACS text from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

impl Var {
    /// The largest index a variable may have: DIMACS numbers are 32-bit signed.
    pub const MAX_INDEX: usize = (i32::MAX - 1) as usize / 2;

    /// The variable with this index, counted from 0.
    ///
    /// # Panics
    /// If the index is above [`Var::MAX_INDEX`].
    #[inline]
    pub fn new(index: usize) -> Self {
        assert!(
            index <= Self::MAX_INDEX,
            "variable index {index} is too large"
        );
        Var(index as u32)
    }

    /// The index, counted from 0.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The number in DIMACS text, counted from 1.
    #[inline]
    pub fn to_dimacs(self) -> i32 {
        self.0 as i32 + 1
    }

    /// The literal that is true when this variable is true.
    #[inline]
    pub fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }

    /// The literal that is true when this variable is false.
    #[inline]
    pub fn negative(self) -> Lit {
        Lit(self.0 << 1 | 1)
    }

    /// The literal of this variable that is true exactly when the variable has the given value.
    #[inline]
    pub fn literal(self, value: bool) -> Lit {
        Lit(self.0 << 1 | u32::from(!value))
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.to_dimacs())
    }
}

/// A variable or its negation.
///
/// ```
/// use sqasp_formula::{Lit, Var};
/// let lit = Var::new(2).negative();
/// assert_eq!(lit.to_dimacs(), -3);
/// assert_eq!(!lit, Var::new(2).positive());
/// assert_eq!(Lit::from_dimacs(-3), Some(lit));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal written as this non-zero number in DIMACS text; `None` for 0 and for numbers
    /// beyond [`Var::MAX_INDEX`].
    pub fn from_dimacs(number: i32) -> Option<Self> {
        let index = (number.unsigned_abs() as usize).checked_sub(1)?;
        (index <= Var::MAX_INDEX).then(|| Var::new(index).literal(number > 0))
    }

    /// The signed number in DIMACS text.
    #[inline]
    pub fn to_dimacs(self) -> i32 {
        let number = self.var().to_dimacs();
        if self.is_negative() { -number } else { number }
    }

    /// The variable of this literal.
    #[inline]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether this is the negation of its variable.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// A dense index for tables over literals: `2 * variable + (1 if negative)`.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal with this [`code`](Lit::code).
    #[inline]
    pub fn from_code(code: usize) -> Self {
        Var::new(code >> 1).literal(code & 1 == 0)
    }

    /// Whether this literal is true when its variable has the given value.
    #[inline]
    pub fn holds(self, value: bool) -> bool {
        value != self.is_negative()
    }
}

impl Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_dimacs())
    }
}
