//! The value of a question by definition: expected minimax by the rules as written; matrix games of moves or of all plans, each solution of which
//! is proved by the best responses to both mixtures.

use super::case::{Case, Opponents, Start};
use super::strategy_file::{Mixture, StrategyFile};
use crate::common::legal_moves;
use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rules::{Reasoner, State, worth};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most plans of a side that are written down.
const MAX_PLANS: usize = 80;

/// A memory of a side: what its members did in each step, and what they saw then.
pub(super) type Memory = Vec<(Vec<Term>, Vec<Vec<Term>>)>;

/// Moves of the members of a side by what they remember.
pub(super) type Plan = HashMap<Memory, Vec<Term>>;

/// Equally likely states, with weights.
pub(super) type Belief = HashMap<State, BigRational>;

/// The value by definition.
pub(super) struct Definition {
    pub(super) rules: Reasoner,
    pub(super) own: Vec<usize>,
    pub(super) others: Vec<usize>,
    pub(super) chance: Vec<usize>,
    pub(super) followed: Option<StrategyFile>,
    pub(super) objective: Objective,
    pub(super) mixed: bool,
    pub(super) values: HashMap<(State, u32, u32), BigRational>,
}

impl Definition {
    pub(super) fn new(game: &Game, own: Vec<usize>, opponents: &Opponents, case: &Case) -> Self {
        let followed = match opponents {
            Opponents::Following(followed) => Some(followed.clone()),
            _ => None,
        };
        let roles = 0..game.roles().len();
        let (mut others, mut chance) = (Vec::new(), Vec::new());
        for role in roles.filter(|role| !own.contains(role)) {
            let follows = followed
                .as_ref()
                .is_some_and(|it| it.members.contains(&role));
            match game.roles()[role].is_random() || !matches!(opponents, Opponents::Best) {
                _ if follows => {}
                true => chance.push(role),
                false => others.push(role),
            }
        }
        Definition {
            rules: Reasoner::new(game).expect("rules"),
            own,
            others,
            chance,
            followed,
            objective: case.objective,
            mixed: case.mixed,
            values: HashMap::new(),
        }
    }

    pub(super) fn start(&mut self, case: &Case) -> State {
        match &case.start {
            Start::Initial => self.rules.initial().expect("a state"),
            Start::From(facts) | Start::After(facts, _) => {
                self.rules.state(facts).expect("a state")
            }
        }
    }

    pub(super) fn worth(&mut self, state: &State) -> Option<BigRational> {
        let is_over = self.rules.terminal(state).expect("a state");
        is_over.then(|| {
            let goals = self.rules.goals(state, self.own[0]).expect("goals");
            worth(&goals, self.objective).expect("a number of points")
        })
    }

    pub(super) fn legal(&mut self, state: &State) -> Vec<Vec<Term>> {
        legal_moves(&mut self.rules, state).expect("rules")
    }

    pub(super) fn next(&mut self, state: &State, joint: &[Term]) -> State {
        self.rules.next(state, joint).expect("the next state")
    }

    /// Chance, and the opponent that follows a strategy: roles with their moves, and how likely these are.
    pub(super) fn outcomes(
        &mut self,
        state: &State,
        legal: &[Vec<Term>],
        taken: u32,
    ) -> Vec<(Vec<(usize, Term)>, BigRational)> {
        let mut sides = vec![(self.chance.clone(), uniform(combined(legal, &self.chance)))];
        if let Some(followed) = &self.followed {
            let facts = self.rules.facts(state).into_iter().collect();
            let roles = followed.members.clone();
            let said = followed.at(facts, taken);
            let said = said.unwrap_or_else(|| uniform(combined(legal, &roles)));
            sides.push((roles, said));
        }
        let mut all = vec![(Vec::new(), BigRational::one())];
        for (roles, choices) in sides {
            let mut longer = Vec::new();
            for (moves, share) in &all {
                for (choice, likely) in &choices {
                    let made = roles.iter().copied().zip(choice.iter().cloned());
                    let moves: Vec<(usize, Term)> = moves.iter().cloned().chain(made).collect();
                    longer.push((moves, share * likely));
                }
            }
            all = longer;
        }
        all
    }

    /// The value of a state with some steps left, after `taken` steps.
    pub(super) fn value(&mut self, state: &State, steps: u32, taken: u32) -> BigRational {
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
                    let mut joint: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
                    let made = own.iter().zip(&choice).chain(others.iter().zip(&reply));
                    let made = made.map(|(&role, action)| (role, action.clone()));
                    for (role, action) in made.chain(moves.iter().cloned()) {
                        joint[role] = action;
                    }
                    let next = self.next(state, &joint);
                    sum += share * self.value(&next, steps - 1, taken + 1);
                }
                row.push(sum);
            }
            matrix.push(row);
        }
        let value = match self.mixed {
            true => matrix_value(&matrix),
            false => (matrix
                .iter()
                .map(|row| row.iter().min().expect("a reply").clone()))
            .max()
            .expect("a move"),
        };
        self.values.insert(key, value.clone());
        value
    }

    /// The value where roles see a part; none if it is too much work, or a role does not know its moves.
    pub(super) fn hidden_value(&mut self, start: &State, steps: u32) -> Option<BigRational> {
        if self.others.is_empty() {
            return self.believed(&HashMap::from([(start.clone(), BigRational::one())]), steps);
        }
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
        let matrix: Vec<Vec<BigRational>> = matrix.into_iter().collect();
        Some(matrix_value(&matrix))
    }

    /// The most that the side gets from a belief, whose states it cannot tell apart.
    pub(super) fn believed(&mut self, belief: &Belief, steps: u32) -> Option<BigRational> {
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
                    let next = self.next(state, &joint);
                    let seen = self.seen(&own, state, &joint);
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

    /// What each member of a side sees.
    pub(super) fn seen(&mut self, side: &[usize], state: &State, joint: &[Term]) -> Vec<Vec<Term>> {
        let seen = self.rules.percepts(state, joint).expect("percepts");
        side.iter().map(|&role| seen[role].clone()).collect()
    }

    /// All plans of a side; none if there are too many, or it does not know its moves.
    pub(super) fn plans(&mut self, side: &[usize], start: &State, steps: u32) -> Option<Vec<Plan>> {
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
    #[allow(clippy::type_complexity)]
    pub(super) fn missing(
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
            let mut later = memory.clone();
            later.push((choice.clone(), self.seen(side, state, &joint)));
            let next = self.next(state, &joint);
            if let Some(found) = self.missing(plan, side, &next, &later, steps - 1)? {
                return Some(Some(found));
            }
        }
        Some(None)
    }

    /// The worth of two plans against each other.
    pub(super) fn followed_plans(
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
            let later = sides.clone().map(|(side, plan, mut memory)| {
                memory.push((plan[&memory].clone(), self.seen(side, state, &joint)));
                (side, plan, memory)
            });
            let next = self.next(state, &joint);
            sum += share * self.followed_plans(later, &next, steps - 1);
        }
        sum
    }
}

/// All joint moves of some roles.
pub(super) fn combined(legal: &[Vec<Term>], roles: &[usize]) -> Vec<Vec<Term>> {
    joint_moves(roles.iter().map(|&role| &legal[role][..]))
}

pub(super) fn uniform(choices: Vec<Vec<Term>>) -> Mixture {
    let share = BigRational::new(BigInt::one(), choices.len().into());
    choices.into_iter().map(|it| (it, share.clone())).collect()
}

/// One move of each role.
pub(super) fn joined<'a>(
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
pub(super) fn matrix_value(matrix: &[Vec<BigRational>]) -> BigRational {
    let all = || matrix.iter().flatten();
    let scale = all().fold(BigInt::one(), |scale, worth| scale.lcm(worth.denom()));
    let scale = BigRational::from_integer(scale);
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
