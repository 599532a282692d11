//! Values of games by definition: expected minimax by the rules as written; matrix games of the moves of both sides; where roles see a part, the
//! best plan of one side by what it saw, or the matrix game of all plans of two. A solution of a matrix game is proved by the best responses to
//! both mixtures.
//!
//! It knows nothing of engines, circuits and strategies, so tests of several crates take it.

#![allow(dead_code, reason = "each user takes a part")]
#![allow(clippy::type_complexity)]

use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rules::{Reasoner, State, payoff};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most plans of a side that are written down.
const MAX_PLANS: usize = 80;

/// A memory of a side: what its members did in each step, and what they saw then.
pub type Memory = Vec<(Vec<Term>, Vec<Vec<Term>>)>;

/// Moves of the members of a side by what they remember.
pub type Plan = HashMap<Memory, Vec<Term>>;

/// Equally likely states, with weights.
pub type Belief = HashMap<State, BigRational>;

/// Moves of the members of a side, with probabilities.
pub type Mixture = Vec<(Vec<Term>, BigRational)>;

/// Fixed moves of roles that do not choose: by state and number of steps; any move where nothing is said.
pub struct Follower {
    pub members: Vec<usize>,
    pub moves: Box<dyn FnMut(&Reasoner, &State, u32) -> Option<Mixture>>,
}

/// The value by definition.
pub struct Definition {
    pub rules: Reasoner,
    pub own: Vec<usize>,
    others: Vec<usize>,
    followers: Vec<Follower>,
    objective: Objective,
    /// Whether the sides move at the same time, so that states are matrix games.
    is_mixed: bool,
    values: HashMap<(State, u32, u32), BigRational>,
    worths: HashMap<State, Option<BigRational>>,
    legal: HashMap<State, Vec<Vec<Term>>>,
    next: HashMap<(State, Vec<Term>), (State, Vec<Vec<Term>>)>,
}

impl Definition {
    /// For a side, against all other roles together.
    pub fn new(game: &Game, own: Vec<usize>, objective: Objective) -> Self {
        let is_other = |role: &usize| !own.contains(role) && !game.roles()[*role].is_random();
        let random = (0..game.roles().len()).filter(|&role| game.roles()[role].is_random());
        Definition {
            rules: Reasoner::new(game).expect("rules"),
            others: (0..game.roles().len()).filter(is_other).collect(),
            followers: random.map(|role| uniformly(vec![role])).collect(),
            own,
            objective,
            is_mixed: false,
            values: HashMap::new(),
            worths: HashMap::new(),
            legal: HashMap::new(),
            next: HashMap::new(),
        }
    }

    /// The sides move at the same time.
    pub fn mixed(mut self, is_mixed: bool) -> Self {
        self.is_mixed = is_mixed;
        self
    }

    /// Some opponents follow something.
    pub fn followed_by(mut self, follower: Follower) -> Self {
        self.others.retain(|role| !follower.members.contains(role));
        self.followers.retain(|it| it.members != follower.members);
        self.followers.push(follower);
        self
    }

    /// The opponents that are left make any moves.
    pub fn against_random(mut self) -> Self {
        let others = std::mem::take(&mut self.others);
        self.followers.push(uniformly(others));
        self
    }

    /// The state in which play begins, and its value within some steps.
    pub fn initial_value(&mut self, steps: u32) -> BigRational {
        let state = self.rules.initial().expect("a state");
        self.value(&state, steps, 0)
    }

    /// The payoff of a state in which play is over.
    pub fn worth(&mut self, state: &State) -> Option<BigRational> {
        if let Some(known) = self.worths.get(state) {
            return known.clone();
        }
        let is_over = self.rules.terminal(state).expect("a state");
        let worth = is_over.then(|| {
            let worth = payoff(&mut self.rules, state, self.own[0], self.objective);
            worth.expect("goals").expect("a number of points")
        });
        self.worths.insert(state.clone(), worth.clone());
        worth
    }

    pub fn legal(&mut self, state: &State) -> Vec<Vec<Term>> {
        if let Some(known) = self.legal.get(state) {
            return known.clone();
        }
        let roles = 0..self.rules.roles().len();
        let legal = roles.map(|role| self.rules.legal(state, role).expect("rules"));
        let legal: Vec<Vec<Term>> = legal.collect();
        self.legal.insert(state.clone(), legal.clone());
        legal
    }

    /// The next state, and what each role sees.
    pub fn after(&mut self, state: &State, joint: &[Term]) -> (State, Vec<Vec<Term>>) {
        let known = self.next.entry((state.clone(), joint.to_vec()));
        let step = || {
            let next = self.rules.next(state, joint).expect("the next state");
            (next, self.rules.percepts(state, joint).expect("percepts"))
        };
        known.or_insert_with(step).clone()
    }

    /// Moves of the roles that do not choose, and how likely these are.
    fn outcomes(
        &mut self,
        state: &State,
        legal: &[Vec<Term>],
        taken: u32,
    ) -> Vec<(Vec<(usize, Term)>, BigRational)> {
        let mut all = vec![(Vec::new(), BigRational::one())];
        for Follower { members, moves } in &mut self.followers {
            let mixture = moves(&self.rules, state, taken);
            let mixture = mixture.unwrap_or_else(|| uniform(combined(legal, members)));
            let mut longer = Vec::new();
            for (moves, share) in &all {
                for (choice, likely) in &mixture {
                    let made = members.iter().copied().zip(choice.iter().cloned());
                    let moves: Vec<(usize, Term)> = moves.iter().cloned().chain(made).collect();
                    longer.push((moves, share * likely));
                }
            }
            all = longer;
        }
        all
    }

    /// The value of a state with some steps left, after `taken` steps.
    pub fn value(&mut self, state: &State, steps: u32, taken: u32) -> BigRational {
        if let Some(worth) = self.worth(state) {
            return worth;
        }
        if steps == 0 {
            return BigRational::zero();
        }
        let key = (state.clone(), steps, taken);
        if let Some(value) = self.values.get(&key) {
            return value.clone();
        }
        let legal = self.legal(state);
        let outcomes = self.outcomes(state, &legal, taken);
        let (own, others) = (self.own.clone(), self.others.clone());
        let mut matrix = Vec::new();
        for choice in combined(&legal, &own) {
            let mut row = Vec::new();
            for reply in combined(&legal, &others) {
                let mut sum = BigRational::zero();
                for (moves, share) in &outcomes {
                    let made = own.iter().zip(&choice).chain(others.iter().zip(&reply));
                    let joint = joined(&legal, made, moves);
                    let next = self.rules.next(state, &joint).expect("the next state");
                    sum += share * self.value(&next, steps - 1, taken + 1);
                }
                row.push(sum);
            }
            matrix.push(row);
        }
        let value = match self.is_mixed {
            true => matrix_value(&matrix),
            false => best_row(&matrix),
        };
        self.values.insert(key, value.clone());
        value
    }

    /// The value where roles see a part; none if it is too much work, or a role does not know its moves.
    pub fn hidden_value(&mut self, start: &State, steps: u32) -> Option<BigRational> {
        if self.others.is_empty() {
            return self.believed(&HashMap::from([(start.clone(), BigRational::one())]), steps);
        }
        Some(matrix_value(&self.plan_matrix(start, steps)?))
    }

    /// The matrix of all plans of both sides, without rows that are the same.
    pub fn plan_matrix(&mut self, start: &State, steps: u32) -> Option<Vec<Vec<BigRational>>> {
        let (own, others) = (self.own.clone(), self.others.clone());
        let rows = self.plans(&own, start, steps)?;
        let columns = self.plans(&others, start, steps)?;
        let mut matrix: BTreeSet<Vec<BigRational>> = BTreeSet::new();
        for row in &rows {
            let worths = columns.iter().map(|column| {
                let sides = [(&own, row, Memory::new()), (&others, column, Memory::new())];
                self.followed_plans(sides, start, steps)
            });
            matrix.insert(worths.collect());
        }
        Some(matrix.into_iter().collect())
    }

    /// The most that the side gets from a belief, whose states it cannot tell apart.
    fn believed(&mut self, belief: &Belief, steps: u32) -> Option<BigRational> {
        let mut sum = BigRational::zero();
        let mut open = Vec::new();
        for (state, share) in belief {
            match self.worth(state) {
                Some(worth) => sum += share * worth,
                None => open.push((state.clone(), share.clone(), self.legal(state))),
            }
        }
        if open.is_empty() || steps == 0 {
            return Some(sum);
        }
        let own = self.own.clone();
        let choices = combined(&open[0].2, &own);
        if open
            .iter()
            .any(|(.., legal)| combined(legal, &own) != choices)
        {
            return None;
        }
        let mut best: Option<BigRational> = None;
        for choice in choices {
            let mut groups: BTreeMap<Vec<Vec<Term>>, Belief> = BTreeMap::new();
            for (state, share, legal) in &open {
                for (moves, likely) in self.outcomes(state, legal, 0) {
                    let joint = joined(legal, own.iter().zip(&choice), &moves);
                    let (next, seen) = self.after(state, &joint);
                    let seen = of_side(&own, &seen);
                    let group = groups.entry(seen).or_default();
                    *group.entry(next).or_default() += share * likely;
                }
            }
            let mut worth = BigRational::zero();
            for group in groups.values() {
                worth += self.believed(group, steps - 1)?;
            }
            best = Some(best.map_or(worth.clone(), |best| best.max(worth)));
        }
        Some(sum + best.expect("a move"))
    }

    /// All plans of a side; none if there are too many, or it does not know its moves.
    fn plans(&mut self, side: &[usize], start: &State, steps: u32) -> Option<Vec<Plan>> {
        let (mut done, mut open) = (Vec::new(), vec![Plan::new()]);
        while let Some(plan) = open.pop() {
            if done.len() + open.len() > MAX_PLANS {
                return None;
            }
            match self.missing(&plan, side, start, &Memory::new(), steps)? {
                None => done.push(plan),
                Some((memory, choices)) => open.extend(choices.into_iter().map(|choice| {
                    let mut longer = plan.clone();
                    longer.insert(memory.clone(), choice);
                    longer
                })),
            }
        }
        Some(done)
    }

    /// A memory that some play with this plan leads to, and for which it says nothing, with the choices there. None of all if the side does
    /// not know its moves.
    fn missing(
        &mut self,
        plan: &Plan,
        side: &[usize],
        state: &State,
        memory: &Memory,
        steps: u32,
    ) -> Option<Option<(Memory, Vec<Vec<Term>>)>> {
        if steps == 0 || self.worth(state).is_some() {
            return Some(None);
        }
        let legal = self.legal(state);
        let choices = combined(&legal, side);
        let Some(choice) = plan.get(memory) else {
            return Some(Some((memory.clone(), choices)));
        };
        if !choices.contains(choice) {
            return None;
        }
        let all: Vec<usize> = (0..legal.len())
            .filter(|role| !side.contains(role))
            .collect();
        for moves in combined(&legal, &all) {
            let others: Vec<(usize, Term)> = all.iter().copied().zip(moves).collect();
            let joint = joined(&legal, side.iter().zip(choice), &others);
            let (next, seen) = self.after(state, &joint);
            let mut later = memory.clone();
            later.push((choice.clone(), of_side(side, &seen)));
            if let Some(found) = self.missing(plan, side, &next, &later, steps - 1)? {
                return Some(Some(found));
            }
        }
        Some(None)
    }

    /// The worth of two plans against each other.
    fn followed_plans(
        &mut self,
        sides: [(&Vec<usize>, &Plan, Memory); 2],
        state: &State,
        steps: u32,
    ) -> BigRational {
        if let Some(worth) = self.worth(state) {
            return worth;
        }
        if steps == 0 {
            return BigRational::zero();
        }
        let legal = self.legal(state);
        let mut sum = BigRational::zero();
        for (moves, share) in self.outcomes(state, &legal, 0) {
            let made = sides
                .iter()
                .flat_map(|(side, plan, memory)| side.iter().zip(&plan[memory]));
            let joint = joined(&legal, made, &moves);
            let (next, seen) = self.after(state, &joint);
            let later = sides.clone().map(|(side, plan, mut memory)| {
                memory.push((plan[&memory].clone(), of_side(side, &seen)));
                (side, plan, memory)
            });
            sum += share * self.followed_plans(later, &next, steps - 1);
        }
        sum
    }
}

/// Roles that make any moves.
fn uniformly(members: Vec<usize>) -> Follower {
    let moves = Box::new(|_: &Reasoner, _: &State, _| None);
    Follower { members, moves }
}

/// Percepts of the members of a side.
fn of_side(side: &[usize], seen: &[Vec<Term>]) -> Vec<Vec<Term>> {
    side.iter().map(|&role| seen[role].clone()).collect()
}

/// The best row, to which the opponents reply.
pub fn best_row(matrix: &[Vec<BigRational>]) -> BigRational {
    let rows = matrix.iter().map(|row| row.iter().min().expect("a reply"));
    rows.max().expect("a move").clone()
}

/// All joint moves of some roles.
pub fn combined(legal: &[Vec<Term>], roles: &[usize]) -> Vec<Vec<Term>> {
    joint_moves(roles.iter().map(|&role| &legal[role][..]))
}

pub fn uniform(choices: Vec<Vec<Term>>) -> Mixture {
    let share = BigRational::new(1.into(), choices.len().into());
    choices.into_iter().map(|it| (it, share.clone())).collect()
}

/// One move of each role.
fn joined<'a>(
    legal: &[Vec<Term>],
    made: impl Iterator<Item = (&'a usize, &'a Term)>,
    moves: &'a [(usize, Term)],
) -> Vec<Term> {
    let mut joint: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
    for (&role, action) in made.chain(moves.iter().map(|(role, action)| (role, action))) {
        joint[role] = action.clone();
    }
    joint
}

/// The value of a matrix game, proved by the best responses to both mixtures.
pub fn matrix_value(matrix: &[Vec<BigRational>]) -> BigRational {
    let all = || matrix.iter().flatten();
    let scale = all().fold(BigRational::one(), |scale, worth| {
        match (worth * &scale).is_integer() {
            true => scale,
            false => scale * BigRational::from_integer(worth.denom().clone()),
        }
    });
    let whole = all().map(|worth| (worth * &scale).to_integer()).collect();
    let solution = matrix::solve_matrix(&matrix::Matrix::new(matrix[0].len(), whole));
    let column = |column: usize| -> BigRational {
        let rows = matrix.iter().zip(&solution.rows);
        rows.map(|(row, share)| &row[column] * share).sum()
    };
    let row = |row: &Vec<BigRational>| -> BigRational {
        row.iter().zip(&solution.columns).map(|(a, b)| a * b).sum()
    };
    let lower = (0..matrix[0].len()).map(column).min().expect("a column");
    let upper = matrix.iter().map(row).max().expect("a row");
    assert_eq!(lower, upper, "{matrix:?}");
    lower
}
