//! The value of a game by its definition: a matrix of all pure strategies.

use crate::outline::Outline;
use num_bigint::BigInt;
use num_rational::BigRational;

impl Outline {
    /// The number of moves of the set with this first sequence.
    pub fn move_count(&self, player: usize, first: u32) -> u32 {
        let mut next = 1;
        for &(_, moves) in &self.sets[player] {
            if next == first {
                return moves;
            }
            next += moves;
        }
        panic!("no set begins with sequence {first}")
    }

    /// All pure strategies, reduced: the sequences that each of them allows.
    fn strategies(&self, player: usize) -> Vec<Vec<bool>> {
        let sets = &self.sets[player];
        let count = self.sequences[player] as usize;
        let mut first = 1;
        let mut found = vec![vec![false; count]];
        found[0][0] = true;
        for &(parent, moves) in sets {
            let range = first..first + moves as usize;
            first = range.end;
            let mut next = Vec::new();
            for strategy in found {
                if !strategy[parent as usize] {
                    next.push(strategy);
                    continue;
                }
                for sequence in range.clone() {
                    let mut strategy = strategy.clone();
                    strategy[sequence] = true;
                    next.push(strategy);
                }
            }
            found = next;
        }
        found
    }

    /// How many pure strategies the players have.
    pub fn strategy_counts(&self) -> [usize; 2] {
        [0, 1].map(|player| {
            let mut worth = vec![1f64; self.sequences[player] as usize];
            let mut first = self.sequences[player] as usize;
            for &(parent, moves) in self.sets[player].iter().rev() {
                first -= moves as usize;
                let sum: f64 = worth[first..first + moves as usize].iter().sum();
                worth[parent as usize] *= sum;
            }
            worth[0] as usize
        })
    }

    /// The value by the definition: that of the matrix of all pure strategies.
    pub fn value(&self) -> BigRational {
        let [rows, columns] = [0, 1].map(|player| self.strategies(player));
        let mut entries = Vec::new();
        for row in &rows {
            for column in &columns {
                let ends = self.ends.iter();
                let met = ends.filter(|([a, b], _)| row[*a as usize] && column[*b as usize]);
                entries.push(met.map(|(_, payoff)| BigInt::from(*payoff)).sum());
            }
        }
        let matrix = matrix::Matrix::new(columns.len(), entries);
        matrix::solve_matrix(&matrix).value / BigInt::from(self.denominator)
    }
}
