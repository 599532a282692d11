//! All that states of a game can be made of: facts, moves and goal values, numbered.
//!
//! Proofs need supersets: everything that can ever hold must be in these lists. The sharper they
//! are, the fewer unreachable states get in the way of a proof. The lists of
//! the circuit of one step are used where there is one: they come from *relaxed reachability*,
//! where facts stay true once they were, which knows the values that occur together. For other games
//! the domains of single arguments, from the dependency graph, have to do
//! (section 5 of the paper; see [`gdl::game::Domains`]).

use super::bounds::MAX_TERMS;
use gdl::game::{Game, Points};
use gdl::{Name, Term};
use limits::Limits;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use step::GroundStep;

/// Supersets of the facts, moves and goal values that can hold in states of a game.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The roles, in order.
    pub roles: Vec<Name>,
    /// Facts, sorted by text.
    pub facts: Vec<Term>,
    /// For each role its moves, sorted by text.
    pub moves: Vec<Vec<Term>>,
    /// Why moves are not listed, if they are not. Much can be said of facts without them.
    pub unlisted_moves: Option<String>,
    /// For each role its goal values.
    pub goals: Vec<Vec<Term>>,
    /// The sum of the players' goal values at each end of a zero-sum game: 100 unless the game says otherwise.
    pub zero_sum_total: Points,
    fact_numbers: FxHashMap<Term, usize>,
    move_numbers: Vec<FxHashMap<Term, usize>>,
    goal_numbers: Vec<FxHashMap<Term, usize>>,
}

fn numbers(terms: &[Term]) -> FxHashMap<Term, usize> {
    let pairs = terms.iter().cloned().enumerate();
    pairs.map(|(number, term)| (term, number)).collect()
}

impl Vocabulary {
    fn new(
        roles: Vec<Name>,
        facts: Vec<Term>,
        moves: Vec<Vec<Term>>,
        goals: Vec<Vec<Term>>,
    ) -> Self {
        Vocabulary {
            fact_numbers: numbers(&facts),
            move_numbers: moves.iter().map(|moves| numbers(moves)).collect(),
            goal_numbers: goals.iter().map(|goals| numbers(goals)).collect(),
            roles,
            facts,
            moves,
            goals,
            zero_sum_total: Points::WIN,
            unlisted_moves: None,
        }
    }

    /// The vocabulary of the circuit of one step.
    pub fn of_step(ground: &GroundStep) -> Self {
        let goals = ground.goals.iter();
        let goals = goals.map(|goals| goals.iter().map(|(value, _)| value.clone()).collect());
        let (roles, facts) = (ground.roles.clone(), ground.facts.clone());
        Vocabulary::new(roles, facts, ground.moves.clone(), goals.collect())
    }

    /// The number of a fact, if it can ever hold.
    pub fn fact(&self, fact: &Term) -> Option<usize> {
        self.fact_numbers.get(fact).copied()
    }

    /// The number of a move of a role, if it can ever be legal.
    pub fn action(&self, role: usize, action: &Term) -> Option<usize> {
        self.move_numbers[role].get(action).copied()
    }

    /// The number of a goal value of a role, if it can ever have it.
    pub fn goal(&self, role: usize, value: &Term) -> Option<usize> {
        self.goal_numbers[role].get(value).copied()
    }

    /// By the domains of single arguments.
    pub fn of_domains(game: &Game, limits: &Limits) -> Result<Self, String> {
        let domains = game.domains();
        let list = |domain: Result<std::sync::Arc<gdl::game::Domain>, _>| {
            let domain = domain.map_err(|error: gdl::game::InfiniteDomain| error.to_string())?;
            if domain.count() > MAX_TERMS {
                let count = domain.count();
                return Err(format!(
                    "one state has up to {count} facts or moves: too many"
                ));
            }
            let mut terms: Vec<(String, Term)> = domain
                .terms()
                .take_while(|_| !limits.is_over())
                .map(|term| (term.to_string(), term))
                .collect();
            limits.check().map_err(|reason| reason.to_string())?;
            terms.sort();
            Ok(terms.into_iter().map(|(_, term)| term).collect::<Vec<_>>())
        };
        let roles = game.roles();
        let moves = roles.iter().map(|role| list(domains.moves(role)));
        let (moves, unlisted_moves) = match moves.collect::<Result<_, _>>() {
            Ok(moves) => (moves, None),
            Err(why) => (vec![Vec::new(); roles.len()], Some(why)),
        };
        let goals = roles.iter().map(|role| goal_values(game, role));
        let goals = goals.collect::<Result<_, _>>()?;
        Ok(Vocabulary {
            unlisted_moves,
            ..Vocabulary::new(roles.to_vec(), list(domains.facts())?, moves, goals)
        })
    }

    /// The roles that choose, by number.
    pub fn players(&self) -> Vec<usize> {
        (0..self.roles.len())
            .filter(|&role| !self.roles[role].is_random())
            .collect()
    }

    /// The kinds of facts, for messages: `(control _), (cell _ _ _)`.
    pub fn features(&self) -> String {
        let shape = |fact: &Term| match fact {
            Term::Function(name, arguments) => format!("({name}{})", " _".repeat(arguments.len())),
            other => other.to_string(),
        };
        let shapes: BTreeSet<String> = self.facts.iter().map(shape).collect();
        let few: Vec<String> = shapes.into_iter().take(30).collect();
        few.join(", ")
    }
}

/// All goal values that a role can have, sorted.
fn goal_values(game: &Game, role: &Name) -> Result<Vec<Term>, String> {
    let values: BTreeSet<Term> = game.domains().goals(role).into_iter().collect();
    let unlisted = values.iter().find(|value| !value.is_ground());
    match unlisted {
        Some(value) => Err(format!("a goal value of {role} may be like {value}")),
        None => Ok(values.into_iter().collect()),
    }
}
