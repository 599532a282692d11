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
//! Each set has a first choice, and where no other move is allowed no choice at all. That of player 0 has the weight that other moves leave over, and that of player 1 determines the worth of
//! its set. So the equations are gone, and the *dictionary* has a row for each first choice of player 0 and each other move of
//! player 1, and a column for the rest: it begins with a pair of pure strategies. The weights of player 1 are the coefficients
//! of the slacks `r` in the objective.
//!
//! A dictionary need not be feasible on either side. With enough of a positive perturbation on both sides it is optimal. As the perturbation
//! shrinks, the first row or column that it no longer saves leaves by a dual or primal pivot. So the method begins with any basis,
//! and does not cycle where games are degenerate, as most are.

use crate::sequence_form::basis::Used;
use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::support::Support;

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

/// Smaller entries are no pivots where there is a choice.
const SAFE_PIVOT: f64 = 1e-6;

/// The perturbation that is as good as none.
const TOLERANCE: f64 = 1e-10;

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
    /// Entries that pivots visited.
    work: u64,
}

impl Simplex {
    /// The rows and columns of the dictionary of a game.
    pub fn size(game: &SequenceGame, support: &Support) -> [usize; 2] {
        let [mut rows, mut columns] = [0, 0];
        for player in [0, 1] {
            for set in support.sets(game, player) {
                let others = support.moves(game, player, set).count() - 1;
                let first = usize::from(others > 0);
                rows += if player == 0 { first } else { others };
                columns += if player == 0 { others } else { first };
            }
        }
        [rows, columns]
    }

    /// The memory of the dictionary of a game while it is made, in bytes.
    pub fn bytes(game: &SequenceGame, support: &Support) -> u64 {
        let [rows, columns] = Simplex::size(game, support).map(|size| size as u64);
        // Sets of player 1 have a row more for a while: no more of them than columns.
        8 * (columns + 2) * (rows + columns + 2)
    }

    /// The entries that pivots visited so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The factor of payoffs.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The dictionary of a restricted game.
    pub fn new(game: &SequenceGame, support: &Support) -> Self {
        let [own, other] = [game.tree(0), game.tree(1)];
        let mut always = [0, 1].map(|player| vec![false; game.tree(player).sequences()]);
        always.iter_mut().for_each(|always| always[0] = true);
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        let columns = Simplex::size(game, support)[1];
        let width = columns + 2;
        // Weights of player 0 by the variables outside; the constant is 1. Where there is no choice, sequences share a weight.
        let mut weights = vec![vec![(columns as u32, 1.0)]];
        let mut weight_of = vec![0; own.sequences()];
        for set in support.sets(game, 0) {
            let (first, parent) = (support.first(0, set), weight_of[own.parent(set)]);
            let others: Vec<usize> = support
                .moves(game, 0, set)
                .filter(|&one| one != first)
                .collect();
            if others.is_empty() {
                always[0][first] = true;
                weight_of[first] = parent;
                continue;
            }
            let mut rest: Vec<(u32, f64)> = weights[parent].clone();
            for sequence in others {
                let column = outside.len() as u32;
                rest.push((column, -1.0));
                weight_of[sequence] = weights.len();
                weights.push(vec![(column, 1.0)]);
                outside.push(Variable::Weight(sequence as u32));
            }
            inside.push(Variable::Weight(first as u32));
            weight_of[first] = weights.len();
            weights.push(rest);
        }
        // Gains from sequences of player 1. Where there is no choice, they are part of those that lead there.
        let mut gains = vec![vec![0.0; width]];
        let mut gain_of = vec![0; other.sequences()];
        for set in support.sets(game, 1) {
            let moves: Vec<usize> = support.moves(game, 1, set).collect();
            match moves[..] {
                [only] => {
                    always[1][only] = true;
                    gain_of[only] = gain_of[other.parent(set)];
                }
                _ => {
                    for sequence in moves {
                        gain_of[sequence] = gains.len();
                        gains.push(vec![0.0; width]);
                    }
                }
            }
        }
        let payoffs = (0..own.sequences()).flat_map(|sequence| game.row(sequence));
        let largest = payoffs.map(|(_, payoff)| payoff.unsigned_abs()).max();
        let scale = 1.0 / largest.unwrap_or(1) as f64;
        for sequence in (0..own.sequences()).filter(|&one| support.allows(0, one)) {
            for (column, payoff) in game
                .row(sequence)
                .filter(|&(one, _)| support.allows(1, one))
            {
                let gains = &mut gains[gain_of[column]];
                for &(variable, factor) in &weights[weight_of[sequence]] {
                    gains[variable as usize] += factor * scale * payoff as f64;
                }
            }
        }
        let mut table = Vec::new();
        for variable in &inside {
            let mut row = vec![0.0; width];
            if let Variable::Weight(sequence) = *variable {
                for &(column, factor) in &weights[weight_of[sequence as usize]] {
                    row[column as usize] += factor;
                }
            }
            table.push(row);
        }
        let sets: Vec<usize> = support.sets(game, 1).collect();
        for set in sets.into_iter().rev() {
            let first = support.first(1, set);
            if always[1][first] {
                continue;
            }
            let mut worth = std::mem::take(&mut gains[gain_of[first]]);
            worth[outside.len()] -= 1.0;
            outside.push(Variable::Slack(first as u32));
            for sequence in support.moves(game, 1, set).filter(|&one| one != first) {
                let mut row = std::mem::take(&mut gains[gain_of[sequence]]);
                add(&mut row, -1.0, &worth);
                table.push(row);
                inside.push(Variable::Slack(sequence as u32));
            }
            add(&mut gains[gain_of[other.parent(set)]], 1.0, &worth);
        }
        table.push(std::mem::take(&mut gains[0]));
        table.push(vec![0.0; width]);
        let mut simplex = Simplex {
            table,
            inside,
            outside,
            always,
            scale,
            tolerance: TOLERANCE,
            work: 0,
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
    pub fn refine(
        &mut self,
        weight: impl Fn(usize, usize) -> f64,
        slack: impl Fn(usize, usize) -> f64,
    ) -> f64 {
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

    /// Pivots towards a basis that uses these sequences, as far as there are pivots.
    pub fn approach<E>(
        &mut self,
        used: &Used,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let is_used = |variable: Variable| match variable {
            Variable::Weight(sequence) => used[0][sequence as usize],
            Variable::Slack(sequence) => !used[1][sequence as usize],
        };
        for column in 0..self.outside.len() {
            if !is_used(self.outside[column]) {
                continue;
            }
            let rows = (0..self.inside.len()).filter(|&row| !is_used(self.inside[row]));
            let size = |row: &usize| self.table[*row][column].abs();
            let row = rows.max_by(|one, other| size(one).total_cmp(&size(other)));
            if let Some(row) = row.filter(|row| size(row) > SAFE_PIVOT) {
                check()?;
                self.pivot(row, column);
            }
        }
        self.perturb();
        Ok(())
    }

    /// The sequences that the basis at hand uses.
    pub fn used(&self) -> Used {
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
        used
    }

    /// One pivot, where the perturbation that is needed is largest.
    pub fn step(&mut self) -> Step {
        let (rows, columns) = (self.inside.len(), self.outside.len());
        self.work += (rows + columns) as u64;
        let (objective, slope) = (&self.table[rows], &self.table[rows + 1]);
        let (mut most, mut entry) = (self.tolerance, None);
        for (row, entries) in self.table[..rows].iter().enumerate() {
            let (constant, rise) = (entries[columns], entries[columns + 1]);
            if constant < 0.0 && rise > 0.0 && -constant > most * rise {
                (most, entry) = (-constant / rise, Some((true, row)));
            }
        }
        for column in 0..columns {
            let (cost, rise) = (objective[column], -slope[column]);
            if cost > 0.0 && rise > 0.0 && cost > most * rise {
                (most, entry) = (cost / rise, Some((false, column)));
            }
        }
        let Some((is_row, index)) = entry else {
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
                consider(
                    row[column],
                    -(objective[column] + most * slope[column]),
                    column,
                );
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
                self.work += filled as u64;
                match &sparse {
                    Some(sparse) => sparse
                        .iter()
                        .for_each(|&one| entries[one] += factor * line[one]),
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
            for set in 0..tree.sets() {
                let mut moves = tree.moves(set);
                if let Some(only) = moves.find(|&sequence| self.always[player][sequence]) {
                    plan[only] = plan[tree.parent(set)];
                }
            }
        }
        plans
    }
}

/// Adds a multiple of a row to another one.
fn add(to: &mut [f64], factor: f64, row: &[f64]) {
    to.iter_mut()
        .zip(row)
        .for_each(|(to, entry)| *to += factor * entry);
}
