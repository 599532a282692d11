//! Values of games of hidden information against their definition: all policies by what a role saw, and all pure strategies of both roles.

mod games;

use gdl::Term;
use gdl::game::{Game, Objective, Sides, read};
use generators::rounds;
use limits::{Limits, StopReason};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rules::{Reasoner, State, payoff};
use sqasp_hidden::{HiddenError, HiddenQuestion, HiddenSolution, solve};
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;
use verify::{Flaw, Verdict, verify_hidden};

fn game(text: &str) -> Game {
    read("test", text.as_bytes(), &gdl::Options::default())
        .unwrap_or_else(|refused| panic!("{refused}: {text}"))
        .game
}

fn answer(game: &Game, role: usize, objective: Objective, depth: Option<u32>) -> Result<HiddenSolution, HiddenError> {
    let question = HiddenQuestion::new(game.roles()[role].clone(), objective, depth);
    solve(game, &question, &Limits::default())
}

/// The memory of a role: its moves, and what it saw after each.
type Memory = Vec<(Term, Vec<Term>)>;

/// The definition for one role: the best of all deterministic policies. A policy gives each memory a move; here each is written down as far as it
/// matters, and its worth is the mean over all plays.
struct Policies {
    reasoner: Reasoner,
    sides: Sides,
    objective: Objective,
}

impl Policies {
    fn new(game: &Game, objective: Objective) -> Self {
        Policies {
            reasoner: Reasoner::new(game).expect("valid rules"),
            sides: Sides::new(game.roles(), 0),
            objective,
        }
    }

    /// The worths of all policies, each with the decisions that it takes.
    fn worths(&mut self, steps: u32) -> Vec<BigRational> {
        let start = self.reasoner.initial().expect("a state");
        let mut worths = Vec::new();
        // Policies that are written down up to some memory: the first memory without a move branches.
        let mut open: Vec<HashMap<Memory, Term>> = vec![HashMap::new()];
        while let Some(policy) = open.pop() {
            match self.follow(&policy, &start, &Memory::new(), steps) {
                Ok(worth) => worths.push(worth),
                Err((memory, moves)) => open.extend(moves.into_iter().map(|action| {
                    let mut longer = policy.clone();
                    longer.insert(memory.clone(), action);
                    longer
                })),
            }
        }
        worths
    }

    /// The worth of a policy from a state on, or a memory in which it does not say what to do, with the legal moves there.
    fn follow(
        &mut self,
        policy: &HashMap<Memory, Term>,
        state: &State,
        memory: &Memory,
        steps: u32,
    ) -> Result<BigRational, (Memory, Vec<Term>)> {
        if self.reasoner.terminal(state).expect("rules") {
            let worth = payoff(&mut self.reasoner, state, 0, self.objective).expect("rules");
            return Ok(worth.expect("one goal value"));
        }
        if steps == 0 {
            return Ok(BigRational::zero());
        }
        let roles = 0..self.reasoner.roles().len();
        let mut legal: Vec<_> = roles.map(|role| self.reasoner.legal(state, role).expect("rules")).collect();
        let Some(action) = policy.get(memory) else {
            return Err((memory.clone(), legal.swap_remove(0)));
        };
        legal[0] = vec![action.clone()];
        let mut sum = BigRational::zero();
        let joint_moves: Vec<_> = self.sides.joint_moves(&legal).collect();
        for joint_move in &joint_moves {
            let next = self.reasoner.next(state, joint_move).expect("rules");
            let seen = self.reasoner.percepts(state, joint_move).expect("rules");
            let mut memory = memory.clone();
            memory.push((action.clone(), seen[0].clone()));
            sum += self.follow(policy, &next, &memory, steps - 1)?;
        }
        Ok(sum / BigRational::from_integer(joint_moves.len().into()))
    }
}

/// The strategy of a solution proves its value, also when it was written and read.
fn check_proof(game: &Game, solution: &HiddenSolution, context: &str) {
    let strategy = solution.strategy(100_000, &Limits::default()).expect(context);
    let mut text = Vec::new();
    verify::write_hidden(&strategy, &mut text).expect("written");
    let strategy = match verify::read_any(&text) {
        Ok(verify::AnyStrategy::Hidden(strategy)) => strategy,
        other => panic!("{other:?}: {context}"),
    };
    let verified = verify_hidden(game, &strategy, &Limits::default()).expect(context);
    assert_eq!(verified.verdict, Verdict::Proved(solution.bounds().0), "{context}");
}

#[test]
fn one_role_gets_what_the_best_of_all_policies_gets() {
    let objectives = [Objective::Win, Objective::Points, Objective::Score];
    let (mut smaller, mut policies, mut in_the_dark) = (0, 0, 0);
    for seed in 0..rounds(300u64) {
        let text = games::one_role(seed);
        let game = game(&text);
        let objective = objectives[seed as usize % 3];
        let depth = if seed % 5 == 0 { 2 } else { 3 };
        let context = format!("seed {seed}, {objective}, {depth} steps\n{text}");
        let solution = match answer(&game, 0, objective, Some(depth)) {
            Ok(solution) => solution,
            Err(HiddenError::InTheDark(_)) => {
                in_the_dark += 1;
                continue;
            }
            Err(error) => panic!("{error}: {context}"),
        };
        let worths = Policies::new(&game, objective).worths(depth);
        policies += worths.len();
        let expected = worths.into_iter().max().expect("a policy");
        assert_eq!(solution.bounds(), (expected.clone(), expected.clone()), "{context}");
        let best = solution.moves().into_iter().map(|each| each.bounds.0).max();
        assert!(best.is_none_or(|best| best == expected), "{context}");
        check_proof(&game, &solution, &context);
        // With open eyes the role gets at least as much.
        let mut minimax = rules::Minimax::new(Reasoner::new(&game).expect("rules"), 0, objective);
        let seeing = minimax.initial_value(depth).expect("a value");
        assert!(seeing >= expected, "{context}");
        smaller += usize::from(seeing > expected);
    }
    let count = rounds(300usize);
    assert!(smaller > count / 5 && in_the_dark > 0, "{smaller} values are smaller than with open eyes");
    eprintln!("{policies} policies of {count} games, {smaller} values smaller than with open eyes");
}
