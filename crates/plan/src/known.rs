//! Bounds on the plans of a game, as they grow.
//!
//! Every method of planning contributes statements of two kinds, each true for itself: *this plan
//! reaches p points*, and *no plan of at most n moves reaches p points*. So methods can
//! work side by side, and be stopped at any time. The answers known so far follow from the statements:
//!
//! ```text
//! plan of 5 moves, 90 points;  90 points ruled out up to 4 moves;  100 points ruled out for ever
//!     => the best plan, and no shorter one is as good
//! ```

use super::{FoundBy, Goal, Plan, Question};
use gdl::game::Points;

/// More moves than any play has: a level that is ruled out up to this number is ruled out for ever.
const EVER: u32 = u32::MAX;

/// The bounds known so far.
#[derive(Clone, Debug)]
pub struct PlanBounds {
    /// The numbers of points that make a difference, smallest first.
    levels: Vec<Points>,
    /// For each level, up to how many moves no plan reaches it.
    ruled_out: Vec<Option<u32>>,
    depth: Option<u32>,
    /// The most moves that a play can have, if that is known.
    longest: Option<u32>,
    best: Option<(Plan, FoundBy)>,
}

impl PlanBounds {
    /// Nothing, about a question, where the rules can give these points (smallest first).
    pub fn nothing(question: &Question, points: &[Points]) -> Self {
        let levels: Vec<Points> = match question.goal {
            Goal::Best => points.to_vec(),
            Goal::AtLeast(least) => vec![least],
        };
        let possible = |level: &Points| points.last().is_some_and(|most| most >= level);
        PlanBounds {
            ruled_out: levels
                .iter()
                .map(|level| (!possible(level)).then_some(EVER))
                .collect(),
            levels,
            depth: question.depth,
            longest: None,
            best: None,
        }
    }

    /// The best plan so far, and the method that found it.
    pub fn best(&self) -> Option<(&Plan, FoundBy)> {
        self.best.as_ref().map(|(plan, by)| (plan, *by))
    }

    /// The numbers of points that make a difference, smallest first.
    pub fn levels(&self) -> &[Points] {
        &self.levels
    }

    /// Takes note of a plan; returns whether it is better than the one before.
    pub fn found(&mut self, plan: Plan, by: FoundBy) -> bool {
        let Some(level) = self.level_of(plan.points) else {
            return false;
        };
        let better = plan.moves.len() <= self.depth.map_or(usize::MAX, |depth| depth as usize)
            && self.best.as_ref().is_none_or(|(best, _)| {
                let before = self.level_of(best.points);
                (Some(level), best.moves.len()) > (before, plan.moves.len())
            });
        if better {
            self.best = Some((plan, by));
        }
        better
    }

    /// Takes note that no plan of at most `moves` moves (of any length, if `None`) reaches the
    /// points of a level, by its place, nor those above.
    pub fn rule_out(&mut self, level: usize, moves: Option<u32>) {
        let moves = moves.unwrap_or(EVER);
        for known in &mut self.ruled_out[level..] {
            *known = Some(known.map_or(moves, |known| known.max(moves)));
        }
        self.close();
    }

    /// Takes note that no plan of exactly `moves` moves reaches a level; this is of use only where
    /// those of fewer moves are ruled out already.
    pub fn rule_out_length(&mut self, level: usize, moves: u32) {
        if moves
            .checked_sub(1)
            .is_none_or(|fewer| self.is_ruled_out(level, fewer))
        {
            self.rule_out(level, Some(moves));
        }
    }

    /// Takes note that every play is over after at most `moves` moves.
    pub fn bound_plays(&mut self, moves: u32) {
        self.longest = Some(self.longest.map_or(moves, |known| known.min(moves)));
        self.close();
    }

    /// Rules out a level for ever if it is ruled out for the longest plays.
    fn close(&mut self) {
        let Some(longest) = self.longest else { return };
        for known in self.ruled_out.iter_mut().flatten() {
            if *known >= longest {
                *known = EVER;
            }
        }
    }

    /// Whether no plan of at most `moves` moves reaches a level.
    pub fn is_ruled_out(&self, level: usize, moves: u32) -> bool {
        self.ruled_out[level].is_some_and(|known| known >= moves)
    }

    /// The highest level of which it is open whether and how soon it can be reached, and up to how
    /// many moves that matters; none if the question is answered.
    pub fn target(&self) -> Option<(usize, Option<u32>)> {
        let bound = self.depth.into_iter().chain(self.longest).min();
        let most = bound.unwrap_or(EVER - 1);
        let best = self.best.as_ref();
        let reached = best.and_then(|(best, _)| self.level_of(best.points));
        let open = |&level: &usize| !self.is_ruled_out(level, most);
        let above = reached.map_or(0, |level| level + 1);
        if let Some(level) = (above..self.levels.len()).rev().find(open) {
            return Some((level, bound));
        }
        let shorter = (best?.0.moves.len() as u32).checked_sub(1)?;
        (!self.is_shortest()).then_some((reached?, Some(shorter)))
    }

    /// The lowest level that is worth reaching with `moves` moves; none if there is nothing to gain.
    pub fn worth_reaching(&self, moves: u32) -> Option<usize> {
        let level = match &self.best {
            None => 0,
            Some((best, _)) => {
                let level = self.level_of(best.points)?;
                level + usize::from(best.moves.len() <= moves as usize)
            }
        };
        let open = |&level: &usize| !self.is_ruled_out(level, moves);
        (level..self.levels.len()).find(open)
    }

    /// Up to how many moves it is proved that nothing better than the best plan is possible, where all
    /// that counts are points. The first is whether that is so for any number of moves.
    pub fn nothing_better(&self) -> (bool, Option<u32>) {
        let above = self
            .best
            .as_ref()
            .and_then(|(best, _)| self.level_of(best.points))
            .map_or(0, |level| level + 1);
        match self.ruled_out.get(above) {
            None => (true, None),
            Some(&known) => (known == Some(EVER), known.filter(|&known| known != EVER)),
        }
    }

    /// Up to how many moves it is proved that the goal is not reached: what was asked for, or the
    /// most points that the rules know. None if not even that no move suffices.
    pub fn empty_up_to(&self) -> Option<u32> {
        let shorter = |(best, _): &(Plan, FoundBy)| {
            let is_top = self.level_of(best.points) == self.levels.len().checked_sub(1);
            is_top.then(|| (best.moves.len() as u32).checked_sub(1))
        };
        let top = *self.ruled_out.last()?;
        match (self.best.as_ref().and_then(shorter), top) {
            (Some(shorter), Some(known)) => shorter.map(|most| most.min(known)),
            (Some(_), None) => None,
            (None, Some(EVER)) => self.depth,
            (None, top) => top,
        }
    }

    /// Whether it is proved that no plan of any length reaches the goal: what was asked for, or the most
    /// points that the rules know.
    pub fn is_out_of_reach(&self) -> bool {
        let top = self.ruled_out.last();
        self.best()
            .is_none_or(|(best, _)| self.level_of(best.points) != self.levels.len().checked_sub(1))
            && top.is_none_or(|&known| known == Some(EVER))
    }

    /// Whether the best plan is as good as any within the depth.
    pub fn is_best(&self) -> bool {
        match self.nothing_better() {
            (true, _) => true,
            (false, known) => known.is_some_and(|known| self.depth.is_some_and(|d| known >= d)),
        }
    }

    /// Whether no shorter plan is as good as the best plan.
    pub fn is_shortest(&self) -> bool {
        self.best.as_ref().is_some_and(|(best, _)| {
            match (self.level_of(best.points), best.moves.len().checked_sub(1)) {
                (_, None) => true,
                (Some(level), Some(fewer)) => self.is_ruled_out(level, fewer as u32),
                (None, _) => false,
            }
        })
    }

    /// Whether there is nothing left to find out.
    pub fn is_answered(&self) -> bool {
        self.is_best() && (self.best.is_none() || self.is_shortest())
    }

    /// The highest level that this many points reach.
    fn level_of(&self, points: Points) -> Option<usize> {
        self.levels.iter().rposition(|&level| level <= points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::{Name, Term};

    fn question(goal: Goal, depth: Option<u32>) -> Question {
        Question {
            role: Name::new("p"),
            goal,
            depth,
        }
    }

    fn plan(moves: usize, points: u32) -> Plan {
        let action = Term::Constant(Name::new("a"));
        Plan {
            moves: vec![action; moves],
            points: points.into(),
        }
    }

    #[test]
    fn an_answer_follows_from_statements() {
        let mut known =
            PlanBounds::nothing(&question(Goal::Best, None), &[0, 50, 100].map(Points::from));
        assert_eq!(known.worth_reaching(0), Some(0));
        known.rule_out(0, Some(2));
        assert_eq!(
            (known.worth_reaching(2), known.worth_reaching(3)),
            (None, Some(0))
        );
        assert!(known.found(plan(5, 50), FoundBy::Logic));
        assert!(!known.found(plan(6, 50), FoundBy::Logic));
        assert!(!known.found(plan(4, 0), FoundBy::Logic));
        // Fewer moves for as many points, or more points.
        assert_eq!(
            (known.worth_reaching(4), known.worth_reaching(5)),
            (Some(1), Some(2))
        );
        assert!(!known.is_shortest() && !known.is_best());
        known.rule_out(1, Some(4));
        assert!(known.is_shortest() && !known.is_best());
        assert_eq!(known.nothing_better(), (false, Some(4)));
        known.rule_out(2, None);
        assert!(known.is_answered());
        assert_eq!(known.empty_up_to(), None);
    }

    #[test]
    fn the_aim_is_the_highest_level_that_is_open() {
        let mut known =
            PlanBounds::nothing(&question(Goal::Best, None), &[0, 50, 100].map(Points::from));
        assert_eq!(known.target(), Some((2, None)));
        known.rule_out_length(2, 0);
        known.rule_out_length(2, 1);
        // Two moves are missing.
        known.rule_out_length(2, 3);
        assert!(known.is_ruled_out(2, 1) && !known.is_ruled_out(2, 2));
        known.rule_out(2, Some(3));
        assert_eq!(known.target(), Some((2, None)));
        known.bound_plays(3);
        assert_eq!(known.target(), Some((1, Some(3))));
        known.found(plan(3, 50), FoundBy::DepthFirst);
        assert_eq!(known.target(), Some((1, Some(2))));
        known.rule_out(1, Some(2));
        assert_eq!(known.target(), None);
        assert!(known.is_answered());
    }

    #[test]
    fn a_depth_bounds_what_is_asked() {
        let mut known = PlanBounds::nothing(
            &question(Goal::AtLeast(60.into()), Some(7)),
            &[0, 50, 100].map(Points::from),
        );
        assert!(!known.found(plan(8, 100), FoundBy::Logic));
        assert!(!known.found(plan(5, 50), FoundBy::Logic));
        known.rule_out(0, Some(6));
        assert!(!known.is_answered());
        assert_eq!(known.empty_up_to(), Some(6));
        known.rule_out(0, Some(7));
        assert!(known.is_answered() && known.best().is_none());
    }

    #[test]
    fn points_that_no_rule_gives_are_ruled_out() {
        let known = PlanBounds::nothing(
            &question(Goal::AtLeast(60.into()), Some(7)),
            &[0, 50].map(Points::from),
        );
        assert!(known.is_answered());
        assert_eq!(known.empty_up_to(), Some(7));
    }
}
