//! States of value 1: almost-sure and limit-sure reachability (de Alfaro, Henzinger, Kupferman: *Concurrent reachability games*, 2007).
//!
//! From an *almost-sure* state the row side gets payoff 1 with probability 1. From a *limit-sure* one it gets as near to that as it wants: with
//! some rows it risks to lose, and makes these so rarely that it has come nearer to its goal long before. Both are greatest sets of states from which a smaller
//! set comes nearer to the goal, and play does not leave the greater one, or does so as rarely as wanted.

use crate::bounds::Bounds;
use crate::stages::{Node, Stages};
use limits::{StopReason, Watch};
use num_traits::One;
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds the members of a component that are limit-sure, but not almost-sure, to a list of such states. Gives those that are almost-sure; none at a limit. Other
/// states have their bounds.
pub fn find_sure(
    stages: &Stages,
    members: &[u32],
    bounds: &[Bounds],
    limit_sure: &mut FxHashSet<u32>,
    watch: &mut Watch<'_>,
) -> SureRows {
    let indices = members.iter().zip(0..);
    let reachability = Reachability {
        stages,
        members,
        indices: indices.map(|(&member, index)| (member, index)).collect(),
        bounds,
        limit_sure,
    };
    let almost = reachability.sure(false, watch);
    let both = almost.and_then(|almost| Ok((almost, reachability.sure(true, watch)?)));
    let Ok((almost, limit)) = both else {
        return vec![None; members.len()];
    };
    let sure = members.iter().zip(almost.iter().zip(&limit));
    let only_in_limit = sure.filter(|(_, (almost, limit))| almost.is_none() && limit.is_some());
    limit_sure.extend(only_in_limit.map(|(&member, _)| member));
    almost
}

struct Reachability<'a> {
    stages: &'a Stages,
    members: &'a [u32],
    /// The index of each member in the list.
    indices: FxHashMap<u32, usize>,
    bounds: &'a [Bounds],
    limit_sure: &'a FxHashSet<u32>,
}

/// For each member that is sure the rows that stay among these.
pub type SureRows = Vec<Option<Vec<bool>>>;

impl Reachability<'_> {
    /// The almost-sure members; or if `may_risk` those that are limit-sure.
    ///
    /// # Errors
    /// If a limit is reached.
    fn sure(&self, may_risk: bool, watch: &mut Watch<'_>) -> Result<SureRows, StopReason> {
        let mut within = vec![true; self.members.len()];
        loop {
            let mut rows = vec![None; within.len()];
            loop {
                watch.check_limits()?;
                let mut grows = false;
                // The goal is mostly behind.
                for index in (0..within.len()).rev().filter(|&index| within[index]) {
                    if rows[index].is_none() {
                        let nearer = |index: usize| rows[index].is_some();
                        rows[index] = self.rows(index, &within, nearer, may_risk);
                        grows |= rows[index].is_some();
                    }
                }
                if !grows {
                    break;
                }
            }
            let is_same =
                (within.iter().zip(&rows)).all(|(within, rows)| *within == rows.is_some());
            if is_same {
                return Ok(rows);
            }
            within = rows.iter().map(Option::is_some).collect();
        }
    }

    /// The rows of a member with which play comes nearer to the goal whatever column is chosen, and stays within a set. Later ones are made ever more
    /// rarely: they may leave the set where earlier ones come nearer.
    fn rows(
        &self,
        index: usize,
        within: &[bool],
        nearer: impl Fn(usize) -> bool,
        may_risk: bool,
    ) -> Option<Vec<bool>> {
        let Node::Stage { columns, cells } = &self.stages.nodes[self.members[index] as usize]
        else {
            unreachable!("states of a component lead to states");
        };
        let is_in = |target: u32, set: &dyn Fn(usize) -> bool| match self.indices.get(&target) {
            Some(&index) => set(index),
            None => {
                self.bounds[target as usize].lower().is_one()
                    || may_risk && self.limit_sure.contains(&target)
            }
        };
        let outcomes = |row: usize, column: usize| {
            self.stages
                .outcomes(cells.start + row * columns + column)
                .iter()
        };
        let stays = |row, column| {
            outcomes(row, column).all(|&(target, _)| is_in(target, &|index| within[index]))
        };
        let comes_nearer =
            |row, column| outcomes(row, column).any(|&(target, _)| is_in(target, &nearer));
        let mut rows = vec![false; cells.len() / columns];
        let mut covered = vec![false; *columns];
        loop {
            let mut grows = false;
            for (row, is_made) in rows.iter_mut().enumerate() {
                let is_safe = |column: usize| may_risk && covered[column] || stays(row, column);
                if !*is_made && (0..*columns).all(is_safe) {
                    *is_made = true;
                    grows = true;
                }
            }
            for (column, is_covered) in covered.iter_mut().enumerate() {
                let mut made = (0..rows.len()).filter(|&row| rows[row]);
                if !*is_covered && made.any(|row| comes_nearer(row, column)) {
                    *is_covered = true;
                    grows = true;
                }
            }
            if !grows {
                break;
            }
        }
        covered.iter().all(|covered| *covered).then_some(rows)
    }
}
