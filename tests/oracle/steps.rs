//! Numbers of steps until play is over: random games against what the rules prove, and against the definition for a number of steps.
//!
//! The reasoner lists all states. With `q` for the side that wants play to be over soon, the values v of all states are right if, by the
//! rules alone,
//!
//! - v is infinite exactly outside the largest set from which `q` can get to an end without leaving it, again and again;
//! - v of a state is its own step, if that counts, and the best that the moves there lead to: then the other side makes play as long as
//!   that, or endless;
//! - by moves that make play no longer than v, `q` gets to an end from all states of that set, whatever the other side does.

use super::endless::Listed;
use crate::common::{AnyError, in_parallel, query, read_game, rounds, say};
use engines::search::SearchOptions;
use engines::{Engine, Position, StepsEngine};
use formula::{BigRational, Bound};
use gdl::game::{Aim, Game, Objective, StepAim};
use generators::{endless_random_game, random_game};
use limits::Limits;
use num_traits::Zero;
use rules::Reasoner;
use sqasp::{Options, Question};
use std::sync::atomic::{AtomicUsize, Ordering};
use verify::{AnyStrategy, Verdict, verify};

/// The listed states of a game for a role, with the steps that count.
struct Counted {
    listed: Listed,
    counts: Vec<bool>,
    aim: StepAim,
}

/// Something that holds of outcomes of a reply.
type OfReply<'a> = &'a dyn Fn(&[usize]) -> bool;

impl Counted {
    /// Whether the side that wants play to be over soon can make a choice in a state after which this holds, whatever the other side does.
    fn quick_can(&self, state: usize, holds: OfReply<'_>) -> bool {
        let mut moves = self.listed.choices[state].iter();
        match self.aim {
            StepAim::Fewest => moves.any(|(_, replies)| replies.iter().all(|it| holds(it))),
            StepAim::Most => moves.all(|(_, replies)| replies.iter().any(|it| holds(it))),
        }
    }

    /// The states from which it gets somewhere: to an end, or to states found before.
    fn found(&self, holds: &dyn Fn(usize, &[usize]) -> bool) -> Vec<bool> {
        let mut found: Vec<bool> = self.listed.ends.iter().map(Option::is_some).collect();
        loop {
            let leads = |state: usize| {
                self.quick_can(state, &|reply| {
                    holds(state, reply) && reply.iter().any(|&it| found[it])
                })
            };
            match (0..found.len()).find(|&state| !found[state] && leads(state)) {
                Some(state) => found[state] = true,
                None => return found,
            }
        }
    }

    /// The states from which it surely gets to an end.
    fn surely_over(&self) -> Vec<bool> {
        let mut inside = vec![true; self.counts.len()];
        loop {
            let found = self.found(&|_, reply| reply.iter().all(|&it| inside[it]));
            if found == inside {
                return inside;
            }
            inside = found;
        }
    }

    /// The length of play from a state if the next states have these values, for each move of the role.
    fn by_moves(&self, state: usize, values: &[Bound]) -> Vec<Bound> {
        let longer = |one: Bound, other| one.max(other);
        let shorter = |one: Bound, other| one.min(other);
        let moves = self.listed.choices[state].iter().map(|(_, replies)| {
            let means = replies.iter().map(|reply| self.mean(state, reply, values));
            let best = match self.aim {
                StepAim::Fewest => means.reduce(longer),
                StepAim::Most => means.reduce(shorter),
            };
            best.expect("opponents answer")
        });
        moves.collect()
    }

    fn best(&self, moves: Vec<Bound>) -> Bound {
        let best = match self.aim {
            StepAim::Fewest => moves.into_iter().min(),
            StepAim::Most => moves.into_iter().max(),
        };
        best.expect("the role has a move")
    }

    fn mean(&self, state: usize, reply: &[usize], values: &[Bound]) -> Bound {
        let mut sum = BigRational::zero();
        for &next in reply {
            match &values[next] {
                Bound::Finite(value) => sum += value,
                Bound::Infinite => return Bound::Infinite,
            }
        }
        let number = |it: usize| BigRational::from_integer(it.into());
        Bound::Finite(sum / number(reply.len()) + number(self.counts[state].into()))
    }

    /// The mean number of steps that count among so many, by the definition.
    fn within(&self, depth: u32) -> Vec<Bound> {
        let mut values = vec![Bound::Finite(BigRational::zero()); self.counts.len()];
        for _ in 0..depth {
            let next = (0..values.len()).map(|state| match self.listed.ends[state] {
                Some(_) => Bound::Finite(BigRational::zero()),
                None => self.best(self.by_moves(state, &values)),
            });
            values = next.collect();
        }
        values
    }

    /// Checks the values of all states.
    fn check(&self, values: &[Bound]) -> Result<(), AnyError> {
        let finite = self.surely_over();
        for state in 0..values.len() {
            let expected = match self.listed.ends[state] {
                Some(_) => Bound::Finite(BigRational::zero()),
                None => self.best(self.by_moves(state, values)),
            };
            if values[state] != expected || (values[state] == Bound::Infinite) == finite[state] {
                let value = &values[state];
                return Err(format!("state {state}: {value}, but moves make {expected}").into());
            }
        }
        let found = self.found(&|state, reply| self.mean(state, reply, values) <= values[state]);
        match found
            .iter()
            .zip(&finite)
            .position(|(found, finite)| finite & !found)
        {
            Some(state) => Err(format!("state {state}: nothing ends play so soon").into()),
            None => Ok(()),
        }
    }
}

/// The numbers of values that were infinite, and of strategies that were proved.
#[derive(Default)]
struct Compared {
    infinite: AtomicUsize,
    proved: AtomicUsize,
    /// Bounds above 0 of values of which not all states were listed.
    partial: AtomicUsize,
}

fn compare(game: &Game, compared: &Compared) -> Result<(), AnyError> {
    for (place, role) in game.roles().iter().enumerate() {
        for aim in [StepAim::Fewest, StepAim::Most] {
            if !role.is_random() {
                compare_for(game, place, aim, compared)
                    .map_err(|error| format!("{role}, {aim:?}: {error}"))?;
            }
        }
    }
    Ok(())
}

fn compare_for(
    game: &Game,
    place: usize,
    aim: StepAim,
    compared: &Compared,
) -> Result<(), AnyError> {
    let mut reasoner = Reasoner::new(game)?;
    let Some(listed) = Listed::new(&mut reasoner, game, place, Objective::Win) else {
        return Ok(());
    };
    let counts = listed
        .states
        .iter()
        .map(|state| reasoner.step_counts(state));
    let counted = Counted {
        counts: counts.collect::<Result<_, _>>()?,
        listed,
        aim,
    };
    let mut engine = StepsEngine::new(game, aim, &SearchOptions::default())?;
    let mut values = Vec::new();
    for state in &counted.listed.states {
        let position = Position::State(reasoner.facts(state));
        let found = engine.evaluate(&query(position, place, None, false))?;
        let (lower, upper) = found.outcome.extent();
        if lower != upper {
            return Err(format!("{lower} to {upper}").into());
        }
        values.push(lower);
    }
    counted.check(&values)?;
    // Where not all states fit into memory, bounds hold the value.
    for memory in [1_000, 3_000, 10_000, 30_000] {
        let mut engine = StepsEngine::new(game, aim, &SearchOptions::default())?;
        for (depth, value) in [(None, &values[0]), (Some(3), &counted.within(3)[0])] {
            let position = Position::State(reasoner.facts(&counted.listed.states[0]));
            let mut query = query(position, place, depth, true);
            query.limits.memory = Some(memory);
            let found = engine.evaluate(&query)?;
            let (lower, upper) = found.outcome.extent();
            if *value < lower || upper < *value {
                return Err(format!("{memory} bytes: {value} from {lower} to {upper}").into());
            }
            let is_partial = lower != upper && lower != Bound::Finite(BigRational::zero());
            let partial = usize::from(is_partial);
            compared.partial.fetch_add(partial, Ordering::Relaxed);
        }
    }
    let question = Question::new(game.roles()[place].clone()).objective(Aim::Steps(aim));
    check_answer(
        game,
        &question,
        &values[0],
        &counted.by_moves(0, &values),
        compared,
    )?;
    for depth in 1..5 {
        let before = counted.within(depth - 1);
        let expected = &counted.within(depth)[0];
        let question = question.clone().depth(depth);
        check_answer(
            game,
            &question,
            expected,
            &counted.by_moves(0, &before),
            compared,
        )
        .map_err(|error| format!("within {depth}: {error}"))?;
    }
    Ok(())
}

/// The answer has this value and these values of moves, and its strategy is proved by the rules.
fn check_answer(
    game: &Game,
    question: &Question,
    value: &Bound,
    moves: &[Bound],
    compared: &Compared,
) -> Result<(), AnyError> {
    let mut options = Options::default();
    options.extras.moves = true;
    options.extras.strategy = Some(10_000);
    let answer = sqasp::solve(game, question, &options)?;
    if answer.outcome.extent() != (value.clone(), value.clone()) {
        return Err(format!("{:?}, not {value}", answer.outcome).into());
    }
    let found = answer.moves.iter().flatten();
    let mut found: Vec<Bound> = found.map(|each| each.outcome.extent().0).collect();
    let mut expected = moves.to_vec();
    found.sort();
    expected.sort();
    if found != expected {
        return Err(format!("moves are worth {found:?}, not {expected:?}").into());
    }
    let Bound::Finite(value) = value else {
        compared.infinite.fetch_add(1, Ordering::Relaxed);
        let is_told = answer.endless.is_some();
        return is_told.then_some(()).ok_or("no state is told".into());
    };
    let strategy = answer.strategy.as_ref().and_then(|it| it.complete());
    // Without a last step there is none where play can come to states of infinite value.
    let Some(AnyStrategy::Known(strategy)) = strategy else {
        return match question.depth {
            None => Ok(()),
            Some(_) => Err(format!("{:?}", answer.strategy).into()),
        };
    };
    let verdict = verify(game, strategy, &Limits::default())?.verdict;
    if verdict != Verdict::Proved(value.clone()) {
        return Err(format!("{verdict:?}, not {value}").into());
    }
    compared.proved.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

#[test]
fn numbers_of_steps_are_what_the_rules_prove() {
    let compared = Compared::default();
    let seeds = 0..rounds(60_u64);
    say(&format!("numbers of steps: seeds {seeds:?}"));
    in_parallel(seeds.collect(), |seed| {
        let text = match seed % 4 {
            0 => random_game(seed).text,
            _ => endless_random_game(seed),
        };
        let lamp = text.lines().find_map(|line| line.strip_prefix("(lamp "));
        let lamp = lamp.and_then(|line| line.strip_suffix(')'));
        let lamp = lamp.expect("there is a lamp");
        let which = match seed % 3 {
            0 => String::new(),
            1 => format!("(<= step_counts (true (on {lamp})))"),
            _ => format!("(<= step_counts (not (true (on {lamp}))))"),
        };
        let text = format!("{text}\n{which}");
        let about = |error: String| format!("seed {seed}: {error}\n{text}");
        let game = read_game("random", &text).map_err(|error| about(error.to_string()))?;
        compare(&game, &compared).map_err(|error| about(error.to_string()))
    });
    let numbers = [&compared.infinite, &compared.proved, &compared.partial];
    let [infinite, proved, partial] = numbers.map(|it| it.load(Ordering::Relaxed));
    say(&format!(
        "{infinite} infinite values, {proved} proved strategies, {partial} bounds of parts"
    ));
    assert!(infinite > 0 && proved > 0 && partial > 0);
}
