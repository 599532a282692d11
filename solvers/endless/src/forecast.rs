//! A forecast of the work for exact values: whether the work that is allowed will be enough.
//!
//! Fractions get longer from level to level: each value is a mean of those before. Where they get too long, the first state has
//! bounds only, and what was spent on fractions before is lost. So after each level the rest is forecast from what this level took.
//! A state is taken to cost no less than before, except in smaller components: the work for a component grows at least with its
//! number of states, and at most with the cube of it.

/// When one part in this many of the allowed work is spent, forecasts begin.
const FIRST_LOOK: u64 = 64;

/// The size of some components.
#[derive(Clone, Copy, Default)]
struct Size {
    states: f64,
    /// The sum of the cubes of their numbers of states.
    cubes: f64,
}

impl Size {
    fn of<'a>(components: impl Iterator<Item = &'a Vec<u32>>) -> Self {
        let mut size = Size::default();
        for members in components {
            let states = members.len() as f64;
            size.states += states;
            size.cubes += states.powi(3);
        }
        size
    }
}

/// The components that are left to solve, and the work that is left to spend.
pub struct Forecast {
    left: Size,
    /// All work that is allowed.
    allowed: u64,
    /// The work that was left after the last level.
    work: u64,
}

impl Forecast {
    /// Before any of these components is solved.
    pub fn new<'a>(components: impl Iterator<Item = &'a Vec<u32>>, allowed: u64) -> Self {
        Forecast {
            left: Size::of(components),
            allowed,
            work: allowed,
        }
    }

    /// Whether the work that is left may be enough for the other components, after these were solved.
    pub fn may_be_enough<'a>(
        &mut self,
        solved: impl Iterator<Item = &'a Vec<u32>>,
        work: u64,
    ) -> bool {
        let solved = Size::of(solved);
        self.left.states -= solved.states;
        self.left.cubes -= solved.cubes;
        let spent = (self.work - work) as f64;
        self.work = work;
        let times = (self.left.states / solved.states).min(self.left.cubes / solved.cubes);
        self.allowed - work <= self.allowed / FIRST_LOOK || spent * times <= work as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_enough_if_states_cost_no_more_than_before() {
        let components: Vec<Vec<u32>> = [10, 10, 100].map(|size| vec![0; size]).to_vec();
        let after_the_first = |work| {
            let mut forecast = Forecast::new(components.iter(), 10_000);
            forecast.may_be_enough(components[..1].iter(), work)
        };
        // Nearly nothing was spent, or 11 times as much is left.
        assert!(after_the_first(9_900) && after_the_first(9_200));
        assert!(!after_the_first(9_100));
    }

    #[test]
    fn one_large_component_says_little_of_small_ones() {
        let mut components: Vec<Vec<u32>> = vec![vec![0; 2]; 1000];
        components[0] = vec![0; 100];
        let mut forecast = Forecast::new(components.iter(), 10_000);
        assert!(forecast.may_be_enough(components[..1].iter(), 100));
        // But small ones do.
        assert!(!forecast.may_be_enough(components[1..2].iter(), 99));
    }
}
