//! Random 3-clauses on a grid: formulas whose treewidth is about the number of rows.
//!
//! Each cell of a grid has a variable. Each square of four neighbouring cells has a clause over three of them, with random signs.
//! Variables have shuffled numbers, so that neither their order nor that of the blocks of the prefix tells where a cell is.
//! To decide a column cuts the grid in two: a solver that finds that out does work that grows with the number of columns, and
//! others may need time exponential in the number of cells.
//!
//! The prefix has blocks of equal size. Chance is fair. The value is known if all variables are of chance: by dynamic programming
//! over the cells, column by column.

use super::build;
use fastrand::Rng;
use formula::{BigRational, Formula, Lit, Prefix, Probability, Quantifier, Var};
use num_bigint::BigInt;
use num_traits::Zero;

#[derive(Clone, Debug)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
    /// The quantifiers of the blocks.
    pub quantifiers: Vec<Quantifier>,
    /// The variables of the cells, column by column.
    pub variables: Vec<Var>,
    /// Three literals of cells for each square, column by column; they number the cells.
    pub clauses: Vec<[Lit; 3]>,
}

impl Grid {
    /// A random grid with these blocks.
    ///
    /// # Panics
    /// If there are no quantifiers.
    pub fn random(rng: &mut Rng, rows: usize, columns: usize, quantifiers: &[Quantifier]) -> Self {
        assert!(
            !quantifiers.is_empty(),
            "a quantifier decides the variables"
        );
        let mut variables: Vec<Var> = (0..rows * columns).map(Var::new).collect();
        rng.shuffle(&mut variables);
        let mut clauses = Vec::new();
        for column in 1..columns {
            for row in 1..rows {
                let last = column * rows + row;
                let mut corners = [last, last - 1, last - rows, last - rows - 1];
                rng.shuffle(&mut corners);
                let [first, second, third, _] = corners;
                clauses.push([first, second, third].map(|cell| Var::new(cell).literal(rng.bool())));
            }
        }
        Grid {
            rows,
            columns,
            quantifiers: quantifiers.to_vec(),
            variables,
            clauses,
        }
    }

    /// The probability that all clauses are true, if chance decides all variables.
    pub fn value(&self) -> Option<BigRational> {
        if self
            .quantifiers
            .iter()
            .any(|&one| one != Quantifier::Chance)
        {
            return None;
        }
        // By the values of the last cells, the last one in the lowest bit, the number of assignments.
        let kept = self.rows + 1;
        let mut counts = vec![BigInt::zero(); 1 << kept];
        counts[0] = 1.into();
        for cell in 0..self.variables.len() {
            let (column, row) = (cell / self.rows, cell % self.rows);
            let square = || (column - 1) * (self.rows - 1) + row - 1;
            let clause = (column > 0 && row > 0).then(|| &self.clauses[square()]);
            let mut next = vec![BigInt::zero(); 1 << kept];
            for (values, count) in counts.iter().enumerate() {
                for value in 0..2 {
                    let values = values << 1 | value;
                    let holds = |literal: &Lit| {
                        let is_true = values >> (cell - literal.var().index()) & 1 == 1;
                        literal.holds(is_true)
                    };
                    if clause.is_none_or(|clause| clause.iter().any(holds)) {
                        next[values & ((1 << kept) - 1)] += count;
                    }
                }
            }
            counts = next;
        }
        let models: BigInt = counts.into_iter().sum();
        Some(BigRational::new(
            models,
            BigInt::from(1) << self.variables.len(),
        ))
    }
}

/// A grid as a formula.
pub fn grid(problem: &Grid) -> Formula {
    let cells = problem.variables.len();
    let size = cells.div_ceil(problem.quantifiers.len()).max(1);
    let mut prefix = Prefix::new();
    for variable in (0..cells).map(Var::new) {
        match problem.quantifiers[variable.index() / size] {
            Quantifier::Chance => prefix.push_chance(variable, Probability::ratio(1, 2)),
            player => prefix.push(player, [variable]),
        }
    }
    let name =
        |literal: Lit| problem.variables[literal.var().index()].literal(!literal.is_negative());
    let clauses = problem.clauses.iter();
    build(
        cells,
        prefix,
        clauses.map(|clause| clause.map(name).to_vec()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_equal_sizes() {
        let quantifiers = [Quantifier::Exists, Quantifier::Chance];
        let problem = Grid::random(&mut Rng::with_seed(4), 3, 5, &quantifiers);
        assert_eq!(problem.value(), None);
        let formula = grid(&problem);
        let sizes: Vec<usize> = formula
            .prefix()
            .blocks()
            .iter()
            .map(|b| b.variables.len())
            .collect();
        assert_eq!((sizes, formula.matrix().len()), (vec![8, 7], 8));
    }
}
