//! The linear program of a game by the self-dual parametric simplex method (Dantzig 1963; Vanderbei: *Linear Programming*, chapter 7), in
//! floating-point numbers.
//!
//! Player 0 chooses weights `x` of sequences such that the value is largest:
//!
//! ```text
//! maximize v    x = 1 at the root, x of a sequence = the sum of x over the moves of a set that it leads to
//!               r(t) = gain of player 0 from sequence t of player 1 + worth of the sets that t leads to - worth of the set of t >= 0
//! ```
//!
//! Each set has a first choice. That of player 0 has the weight that other moves leave over, and that of player 1 determines the worth of
//! its set. So the equations are gone, and the *dictionary* has a row for each first choice of player 0 and each other move of
//! player 1, and a column for the rest: it begins with a pair of pure strategies. The weights of player 1 are the coefficients
//! of the slacks `r` in the objective.
//!
//! A dictionary need not be feasible on either side. With enough of a positive perturbation on both sides it is optimal. As the perturbation
//! shrinks, the first row or column that it no longer saves leaves by a dual or primal pivot. So the method begins with any basis,
//! and does not cycle where games are degenerate, as most are.

use crate::basis::Basis;
use crate::game::SequenceGame;

/// A variable of the linear program: the weight of a sequence of player 0, or the slack of one of player 1.
#[derive(Clone, Copy)]
enum Variable {
    Weight(u32),
    Slack(u32),
}

/// The outcome of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A variable entered the basis.
    Pivoted,
    /// The basis is optimal within the tolerance.
    Optimal,
    /// Rounding leaves no pivot.
    Stuck,
}

/// Smaller entries are no pivots.
const PIVOT: f64 = 1e-9;

/// Ratios that are this close are equal, so the larger pivot is taken.
const TIE: f64 = 1e-12;

/// A dictionary.
pub struct Simplex {
    /// A row for each variable in the basis, then the objective and its perturbation; a column for each other variable, then the
    /// constants and their perturbation.
    table: Vec<Vec<f64>>,
    inside: Vec<Variable>,
    outside: Vec<Variable>,
    /// By player: the sequences that each basis uses.
    always: [Vec<bool>; 2],
    /// The factor of all payoffs.
    scale: f64,
    tolerance: f64,
}

impl Simplex {
    /// The rows and columns of the dictionary of a game.
    pub fn size(game: &SequenceGame) -> [usize; 2] {
        let count = |player: usize, first: bool| -> usize {
            let tree = game.tree(player);
            let sets = (0..tree.sets()).map(|set| tree.moves(set).len());
            let sets = sets.filter(|&moves| moves > 1);
            sets.map(|moves| if first { 1 } else { moves - 1 }).sum()
        };
        [
            count(0, true) + count(1, false),
            count(0, false) + count(1, true),
        ]
    }

    /// The dictionary of a game; `choice` gives the first choice of a player in a set.
    pub fn new(game: &SequenceGame, choice: impl Fn(usize, usize) -> usize) -> Self {
        let [own, other] = [game.tree(0), game.tree(1)];
        let mut always = [0, 1].map(|player| vec![false; game.tree(player).sequences()]);
        let mut outside = Vec::new();
        let columns = Simplex::size(game)[1];
        let width = columns + 2;
        // The weights of player 0 by those outside; the constant is 1.
        let mut weights: Vec<Vec<(u32, f64)>> = vec![Vec::new(); own.sequences()];
        weights[0].push((columns as u32, 1.0));
        let mut inside = Vec::new();
        for set in 0..own.sets() {
            let first = choice(0, set);
            weights[first] = weights[own.parent(set)].clone();
            for sequence in own.moves(set).filter(|&sequence| sequence != first) {
                let column = outside.len() as u32;
                weights[first].push((column, -1.0));
                weights[sequence].push((column, 1.0));
                outside.push(Variable::Weight(sequence as u32));
            }
            match own.moves(set).len() {
                1 => always[0][first] = true,
                _ => inside.push(Variable::Weight(first as u32)),
            }
        }
        let largest = (0..own.sequences()).flat_map(|sequence| game.row(sequence));
        let largest = largest.map(|(_, payoff)| payoff.unsigned_abs()).max();
        let scale = 1.0 / largest.unwrap_or(1) as f64;
        let mut gains = vec![Vec::new(); other.sequences()];
        gains.iter_mut().for_each(|row| row.resize(width, 0.0));
        for (sequence, weight) in weights.iter().enumerate() {
            for (column, payoff) in game.row(sequence) {
                for &(variable, factor) in weight {
                    gains[column][variable as usize] += factor * scale * payoff as f64;
                }
            }
        }
        let mut table = Vec::new();
        for &variable in &inside {
            let Variable::Weight(sequence) = variable else { continue };
            let mut row = vec![0.0; width];
            for &(column, factor) in &weights[sequence as usize] {
                row[column as usize] += factor;
            }
            table.push(row);
        }
        for set in (0..other.sets()).rev() {
            let first = choice(1, set);
            let mut worth = std::mem::take(&mut gains[first]);
            match other.moves(set).len() {
                1 => always[1][first] = true,
                _ => {
                    worth[outside.len()] -= 1.0;
                    outside.push(Variable::Slack(first as u32));
                }
            }
            for sequence in other.moves(set).filter(|&sequence| sequence != first) {
                let mut row = std::mem::take(&mut gains[sequence]);
                add(&mut row, -1.0, &worth);
                table.push(row);
                inside.push(Variable::Slack(sequence as u32));
            }
            add(&mut gains[other.parent(set)], 1.0, &worth);
        }
        table.push(std::mem::take(&mut gains[0]));
        table.push(vec![0.0; width]);
        always.iter_mut().for_each(|always| always[0] = true);
        let mut simplex = Simplex {
            table,
            inside,
            outside,
            always,
            scale,
            tolerance: 1e-10,
        };
        simplex.perturb();
        simplex
    }

    /// A new perturbation on both sides.
    fn perturb(&mut self) {
        let (rows, columns) = (self.inside.len(), self.outside.len());
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut noise = || {
            // Xorshift (Marsaglia 2003): all that matters is that no two are equal.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            1.0 + (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for row in &mut self.table[..rows] {
            row[columns + 1] = noise();
        }
        for entry in &mut self.table[rows + 1][..columns] {
            *entry = -noise();
        }
    }

    /// Replaces constants and objective by exact ones, of the plans of both players in this basis: weights and slacks as functions of
    /// player and sequence. Gives the largest violation.
    pub fn refine(&mut self, weight: impl Fn(usize, usize) -> f64, slack: impl Fn(usize, usize) -> f64) -> f64 {
        let (rows, columns) = (self.inside.len(), self.outside.len());
        let mut violation = 0.0f64;
        for (row, variable) in self.table.iter_mut().zip(&self.inside) {
            row[columns] = match *variable {
                Variable::Weight(sequence) => weight(0, sequence as usize),
                Variable::Slack(sequence) => slack(1, sequence as usize) * self.scale,
            };
            violation = violation.max(-row[columns]);
        }
        for (entry, variable) in self.table[rows].iter_mut().zip(&self.outside) {
            *entry = match *variable {
                Variable::Weight(sequence) => -slack(0, sequence as usize) * self.scale,
                Variable::Slack(sequence) => -weight(1, sequence as usize),
            };
            violation = violation.max(*entry);
        }
        self.tolerance = violation * 1e-6;
        self.perturb();
        violation
    }

    /// Pivots towards a basis in which these sequences are used, as far as there are pivots.
    pub fn approach(&mut self, basis: &Basis) {
        let is_used = |variable: Variable| match variable {
            Variable::Weight(sequence) => basis.used[0][sequence as usize],
            Variable::Slack(sequence) => !basis.used[1][sequence as usize],
        };
        for column in 0..self.outside.len() {
            if !is_used(self.outside[column]) {
                continue;
            }
            let rows = (0..self.inside.len()).filter(|&row| !is_used(self.inside[row]));
            let size = |row: &usize| self.table[*row][column].abs();
            let row = rows.max_by(|one, other| size(one).total_cmp(&size(other)));
            if let Some(row) = row.filter(|row| size(row) > 1e-6) {
                self.pivot(row, column);
            }
        }
    }

    /// The basis at hand.
    pub fn basis(&self) -> Basis {
        let mut used = self.always.clone();
        for variable in &self.inside {
            if let Variable::Weight(sequence) = variable {
                used[0][*sequence as usize] = true;
            }
        }
        for variable in &self.outside {
            if let Variable::Slack(sequence) = variable {
                used[1][*sequence as usize] = true;
            }
        }
        Basis { used }
    }

    /// One pivot, where the perturbation that is needed is largest.
    pub fn step(&mut self) -> Step {
        let (rows, columns) = (self.inside.len(), self.outside.len());
        let (objective, slope) = (&self.table[rows], &self.table[rows + 1]);
        let (mut most, mut place) = (self.tolerance, None);
        for (row, entries) in self.table[..rows].iter().enumerate() {
            let (constant, rise) = (entries[columns], entries[columns + 1]);
            if constant < 0.0 && rise > 0.0 && -constant > most * rise {
                (most, place) = (-constant / rise, Some((true, row)));
            }
        }
        for column in 0..columns {
            let (cost, rise) = (objective[column], -slope[column]);
            if cost > 0.0 && rise > 0.0 && cost > most * rise {
                (most, place) = (cost / rise, Some((false, column)));
            }
        }
        let Some((is_row, index)) = place else {
            return Step::Optimal;
        };
        let mut best: Option<(f64, f64, usize)> = None;
        let mut consider = |entry: f64, rest: f64, index: usize| {
            if entry > PIVOT {
                let ratio = rest.max(0.0) / entry;
                let is_better = best.is_none_or(|(least, pivot, _)| {
                    ratio < least - TIE || ratio <= least + TIE && entry > pivot
                });
                if is_better {
                    best = Some((ratio, entry, index));
                }
            }
        };
        if is_row {
            let row = &self.table[index];
            for column in 0..columns {
                consider(row[column], -(objective[column] + most * slope[column]), column);
            }
        } else {
            for (row, entries) in self.table[..rows].iter().enumerate() {
                let rest = entries[columns] + most * entries[columns + 1];
                consider(-entries[index], rest, row);
            }
        }
        let Some((_, _, across)) = best else {
            return Step::Stuck;
        };
        match is_row {
            true => self.pivot(index, across),
            false => self.pivot(across, index),
        }
        Step::Pivoted
    }

    /// Exchanges the variable of a row with that of a column.
    fn pivot(&mut self, row: usize, column: usize) {
        let mut line = std::mem::take(&mut self.table[row]);
        let inverse = 1.0 / line[column];
        line.iter_mut().for_each(|entry| *entry *= -inverse);
        line[column] = inverse;
        let filled = line.iter().filter(|entry| **entry != 0.0).count();
        let sparse: Option<Vec<usize>> = (4 * filled < line.len())
            .then(|| (0..line.len()).filter(|&one| line[one] != 0.0).collect());
        for entries in self.table.iter_mut().filter(|entries| !entries.is_empty()) {
            let factor = std::mem::replace(&mut entries[column], 0.0);
            if factor != 0.0 {
                match &sparse {
                    Some(sparse) => sparse.iter().for_each(|&one| entries[one] += factor * line[one]),
                    None => add(entries, factor, &line),
                }
            }
        }
        self.table[row] = line;
        std::mem::swap(&mut self.inside[row], &mut self.outside[column]);
    }

    /// The plans of both players in this basis, as far as rounding allows.
    pub fn plans(&self, game: &SequenceGame) -> [Vec<f64>; 2] {
        let (rows, columns) = (self.inside.len(), self.outside.len());
        let mut plans = [0, 1].map(|player| vec![0.0; game.tree(player).sequences()]);
        for (entries, variable) in self.table.iter().zip(&self.inside) {
            if let Variable::Weight(sequence) = variable {
                plans[0][*sequence as usize] = entries[columns].max(0.0);
            }
        }
        for (entry, variable) in self.table[rows].iter().zip(&self.outside) {
            if let Variable::Slack(sequence) = variable {
                plans[1][*sequence as usize] = (-entry).max(0.0);
            }
        }
        for (player, plan) in plans.iter_mut().enumerate() {
            let tree = game.tree(player);
            plan[0] = 1.0;
            for set in (0..tree.sets()).filter(|&set| tree.moves(set).len() == 1) {
                plan[tree.moves(set).start] = plan[tree.parent(set)];
            }
        }
        plans
    }
}

/// Adds a multiple of a row to another one.
fn add(to: &mut [f64], factor: f64, row: &[f64]) {
    to.iter_mut().zip(row).for_each(|(to, entry)| *to += factor * entry);
}
