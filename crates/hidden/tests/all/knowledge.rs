//! The knowledge of a role in the middle of a play, compared with its definition: the rules give all plays that look the same to the role.

use super::definition::Definition;
use super::{answer, definition, game, joint_moves};
use gdl::Term;
use gdl::game::Objective;
use generators::rounds;
use generators::{one_hidden_role, two_hidden_roles};
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rules::State;
use sqasp_hidden::{HiddenError, HiddenQuestion, KnownStep, solve};
use std::collections::{BTreeMap, HashMap};
use verify::HiddenStrategy;

/// The moves of a role, and what it saw after each.
type Memory = Vec<(Term, Vec<Term>)>;

/// A play that a role holds possible: the state, what the opponent remembers, and the probability of chance and of the opponent's moves.
type Possible = (State, Memory, BigRational);

/// The mixture of the opponent after what it remembers; none where the strategy has no entry.
fn mixture(strategy: &HiddenStrategy, memory: &Memory) -> Option<HashMap<Term, BigRational>> {
    let terms = |numbers: &[u32]| strategy.terms.terms(numbers);
    let mut at = strategy.opponents.first()?;
    for (action, seen) in memory {
        let made = |choice: &&verify::Choice| terms(&choice.moves)[0] == *action;
        let choice = at.choices.iter().find(made)?;
        let next = choice.next.iter().find(|next| terms(&next.0) == *seen)?;
        at = &strategy.opponents[next.1 as usize];
    }
    let choices = at.choices.iter();
    let choices = choices.map(|choice| (terms(&choice.moves)[0].clone(), choice.share.clone()));
    Some(choices.collect())
}

struct Plays<'a> {
    definition: Definition,
    strategy: &'a HiddenStrategy,
    /// Whether the second role is an opponent and not chance.
    is_opposed: bool,
}

impl Plays<'_> {
    /// All plays after a move of the role, by what it sees then; and the worth of those that are over.
    fn after(
        &mut self,
        possible: &[Possible],
        action: &Term,
    ) -> (BTreeMap<Vec<Term>, Vec<Possible>>, BigRational) {
        let (mut next, mut worth) = (BTreeMap::<_, Vec<Possible>>::new(), BigRational::zero());
        for (state, memory, weight) in possible {
            let mut legal = self.definition.legal(state);
            legal[0] = vec![action.clone()];
            let throws = BigRational::from_integer(legal.last().expect("chance").len().into());
            let mixture = mixture(self.strategy, memory).filter(|_| self.is_opposed);
            for joint_move in joint_moves(&legal) {
                let share = match &mixture {
                    Some(mixture) => mixture.get(&joint_move[1]).cloned().unwrap_or_default(),
                    None => BigRational::one(),
                };
                let (then, sees) = self.definition.after(state, &joint_move);
                let mut memory = memory.clone();
                memory.push((joint_move[1].clone(), sees[1].clone()));
                let weight = weight * share / &throws;
                match self.definition.worth(&then) {
                    Some(payoff) => worth += payoff * weight,
                    None => {
                        let group = next.entry(sees[0].clone()).or_default();
                        group.push((then, memory, weight));
                    }
                }
            }
        }
        (next, worth)
    }

    /// The worth of each legal move, if the role goes on as well as it can.
    fn worths(&mut self, possible: &[Possible], steps: u32) -> Vec<(Term, BigRational)> {
        let moves = self.definition.legal(&possible[0].0).swap_remove(0);
        let worths = moves.into_iter().map(|action| {
            let (next, mut worth) = self.after(possible, &action);
            for possible in next.values().filter(|_| steps > 1) {
                let worths = self.worths(possible, steps - 1).into_iter();
                worth += worths.map(|each| each.1).max().expect("a move");
            }
            (action, worth)
        });
        worths.collect()
    }
}

/// Compares all that the role can know in a game, and counts it.
fn compare(text: &str, objective: Objective, depth: u32) -> Option<[usize; 2]> {
    let game = game(text);
    let solution = match answer(&game, 0, objective, Some(depth)) {
        Err(HiddenError::InTheDark(_)) => return None,
        other => other.unwrap_or_else(|error| panic!("{error}: {text}")),
    };
    let strategy = solution.strategy(100_000, &Limits::default()).expect(text);
    let (definition, start) = definition(&game, objective);
    let mut plays = Plays {
        definition,
        strategy: &strategy,
        is_opposed: game.players().count() > 1,
    };
    let mut open = vec![(Vec::new(), vec![(start, Memory::new(), BigRational::one())])];
    let [mut known, mut mixed] = [0, 0];
    while let Some((steps, possible)) = open.pop() {
        let context = format!("{steps:?}, {objective}, {depth} steps\n{text}");
        let found = solution
            .knowledge(&steps, &Limits::default())
            .expect(&context);
        let whole: BigRational = possible.iter().map(|each| &each.2).sum();
        let mut states: HashMap<Vec<Term>, BigRational> = HashMap::new();
        for (state, _, weight) in &possible {
            let facts = plays.definition.rules.facts(state);
            *states.entry(facts).or_default() += weight;
        }
        assert_eq!(states.len(), found.states.len(), "{context}");
        for (facts, share) in &found.states {
            let expected = (!whole.is_zero()).then(|| &states[facts] / &whole);
            assert_eq!(*share, expected, "{context}");
        }
        known += 1;
        let left = depth - steps.len() as u32;
        if left == 0 {
            assert!(
                found.bounds.is_none_or(|(worth, _)| worth.is_zero()),
                "{context}"
            );
            continue;
        }
        let worths = plays.worths(&possible, left);
        assert_eq!(worths.len(), found.moves.len(), "{context}");
        for ((action, worth), told) in worths.iter().zip(&found.moves) {
            assert_eq!(*action, told.action, "{context}");
            let expected = (!whole.is_zero()).then(|| worth / &whole);
            let told = told
                .bounds
                .clone()
                .inspect(|(lower, upper)| assert_eq!(lower, upper));
            assert_eq!(told.map(|bounds| bounds.0), expected, "{context}");
        }
        let best = worths.iter().map(|each| &each.1).max().expect("a move");
        let expected = (!whole.is_zero()).then(|| best / &whole);
        assert_eq!(found.bounds.map(|bounds| bounds.0), expected, "{context}");
        let shares: Vec<_> = found
            .moves
            .iter()
            .filter_map(|each| each.share.clone())
            .collect();
        assert!(
            shares.is_empty() || shares.iter().sum::<BigRational>().is_one(),
            "{context}"
        );
        mixed += usize::from(
            shares
                .iter()
                .any(|share| !share.is_zero() && !share.is_one()),
        );
        for (action, _) in worths {
            let (next, _) = plays.after(&possible, &action);
            open.extend(next.into_iter().map(|(sees, possible)| {
                let moves = vec![action.clone()];
                (
                    [&steps[..], &[KnownStep { moves, sees }]].concat(),
                    possible,
                )
            }));
        }
    }
    Some([known, mixed])
}

#[test]
fn what_a_role_knows_is_what_all_plays_that_look_alike_tell() {
    let objectives = [Objective::Win, Objective::Points, Objective::Score];
    let (mut games, mut all) = (0, [0, 0]);
    for seed in 0..rounds(150u64) {
        let text = match seed % 3 {
            0 => one_hidden_role(seed),
            _ => two_hidden_roles(seed),
        };
        let depth = 1 + (seed / 3 % 3) as u32;
        if let Some(found) = compare(&text, objectives[seed as usize % 7 % 3], depth) {
            games += 1;
            all = [all[0] + found[0], all[1] + found[1]];
        }
    }
    let [known, mixed] = all;
    assert!(games > rounds(100) && mixed > rounds(20), "{games} {mixed}");
    eprintln!("{known} informations of {games} games, {mixed} of them with a mixture");
}

#[test]
fn a_play_that_cannot_be_is_refused() {
    let game = game(&two_hidden_roles(1));
    let solution = answer(&game, 0, Objective::Win, None).expect("a value");
    let step = |action: &str| KnownStep {
        moves: vec![Term::Constant(gdl::Name::new(action))],
        sees: Vec::new(),
    };
    for steps in [vec![step("fly")], vec![step("m0"); 9]] {
        let refused = solution
            .knowledge(&steps, &Limits::default())
            .map_err(|error| error.to_string());
        let text = refused.expect_err("no such play");
        assert!(
            text.contains("has these moves and percepts of x in step"),
            "{text}"
        );
    }
}

/// Wherever a limit ends the work, a play is answered by what is known of it, and bounds hold.
#[test]
fn a_stopped_solution_knows_no_more_than_it_listed() {
    let game = game(
        "(role x) (role random) (succ 0 1) (succ 1 2) (init (step 0))
        (legal x high) (legal x low) (legal random high) (legal random low)
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= (next (won ?n)) (does ?p ?side) (does random ?side) (distinct ?p random) (true (step ?n)))
        (<= (next (won ?n)) (true (won ?n)))
        (<= (sees x met) (does x ?side) (does random ?side))
        (<= terminal (true (step 2)))
        (<= (goal x 100) (true (won 0)) (true (won 1)))
        (<= (goal x 0) (or (not (true (won 0))) (not (true (won 1)))))",
    );
    let term = |name: &str| Term::Constant(gdl::Name::new(name));
    let steps = [KnownStep {
        moves: vec![term("high")],
        sees: vec![term("met")],
    }];
    let question = HiddenQuestion::new(game.roles()[0].clone(), Objective::Win, None);
    let quarter = BigRational::new(1.into(), 4.into());
    let (mut stopped, mut solved) = (0, 0);
    for checks in 0..400 {
        let limits = Limits::after_checks(checks);
        let Ok(solution) = solve(&game, &question, &limits) else {
            continue;
        };
        let (lower, upper) = solution.bounds();
        assert!(
            lower <= quarter && quarter <= upper,
            "after {checks} checks"
        );
        let known = solution.knowledge(&steps, &Limits::default());
        match solution.stopped() {
            Some(_) => stopped += 1,
            None => {
                assert_eq!(known.expect("it was listed").moves.len(), 2);
                solved += 1;
            }
        }
    }
    assert!(stopped > 2 && solved > 2, "{stopped} {solved}");
}
