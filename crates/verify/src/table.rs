//! Ground terms by number, so that a strategy holds each fact and each move once.

use gdl::Term;
use rustc_hash::FxHashMap;

/// The number of a term in a [`TermTable`].
pub type TermNumber = u32;

#[derive(Clone, Debug, Default)]
pub struct TermTable {
    terms: Vec<Term>,
    numbers: FxHashMap<Term, TermNumber>,
}

impl TermTable {
    /// The number of a term, which gets one if it has none.
    ///
    /// # Panics
    /// With more than four billion terms, which do not fit the memory of machines.
    pub fn number(&mut self, term: &Term) -> TermNumber {
        if let Some(&number) = self.numbers.get(term) {
            return number;
        }
        let number = TermNumber::try_from(self.terms.len()).expect("fewer than four billion terms");
        self.terms.push(term.clone());
        self.numbers.insert(term.clone(), number);
        number
    }

    /// The numbers of these terms, in their order.
    pub fn numbers(&mut self, terms: &[Term]) -> Box<[TermNumber]> {
        terms.iter().map(|term| self.number(term)).collect()
    }

    /// The term with this number, which comes from this table.
    pub fn term(&self, number: TermNumber) -> &Term {
        &self.terms[number as usize]
    }

    /// All terms, in the order of their numbers.
    pub fn all(&self) -> &[Term] {
        &self.terms
    }

    /// The terms with these numbers.
    pub fn terms(&self, numbers: &[TermNumber]) -> Vec<Term> {
        numbers
            .iter()
            .map(|&number| self.term(number).clone())
            .collect()
    }
}
