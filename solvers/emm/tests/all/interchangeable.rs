//! Games of dice that may be exchanged, and games in which one rule tells one of them apart: throws are merged, and no value
//! changes.

use crate::definition::{Definition, number, random_options};
use circuit::{Circuit, Literal, Step};
use fastrand::Rng;
use generators::seeds;
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use sqasp_emm::{Agent, Engine, Options, Problem};

/// A rule that tells the first die apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Odd {
    Nothing,
    Throw,
    Keep,
    Legal,
    Chance,
    Goal,
    Score,
    Sum,
}

const ODD: [Odd; 8] = [
    Odd::Nothing,
    Odd::Throw,
    Odd::Keep,
    Odd::Legal,
    Odd::Chance,
    Odd::Goal,
    Odd::Score,
    Odd::Sum,
];

/// Signals of dice, by die and side, and rules about them that do not tell dice apart.
struct Dice<'a> {
    circuit: &'a mut Circuit,
    random: &'a mut Rng,
    odd: Odd,
}

impl Dice<'_> {
    /// Whether at least so many dice show a side, both at random.
    fn shown(&mut self, dice: &[Vec<Literal>]) -> Literal {
        let side = self.random.usize(..dice[0].len());
        let least = self.random.usize(1..=dice.len());
        let sets = (0..1_usize << dice.len()).filter(|set| set.count_ones() as usize == least);
        let mut all = Vec::new();
        for set in sets {
            let chosen = (0..dice.len()).filter(|die| set >> die & 1 == 1);
            let shown: Vec<Literal> = chosen.map(|die| dice[die][side]).collect();
            all.push(self.circuit.and(shown));
        }
        self.circuit.or(all)
    }

    /// Whether what sides are worth makes a sum, or at least that, where dice are added up one after the other.
    fn added(&mut self, dice: &[Vec<Literal>]) -> Literal {
        let worths: Vec<usize> = dice[0].iter().map(|_| self.random.usize(..3)).collect();
        let mut sums = vec![Literal::TRUE];
        for (number, die) in dice.iter().enumerate() {
            let mut next = vec![Literal::FALSE; sums.len() + 3];
            for ((&shows, &worth), side) in die.iter().zip(&worths).zip(0..) {
                let more = usize::from(self.odd == Odd::Sum && number + side == 0);
                for (sum, &before) in sums.iter().enumerate() {
                    let made = self.circuit.and([before, shows]);
                    let to = &mut next[sum + worth + more];
                    *to = self.circuit.or([*to, made]);
                }
            }
            sums = next;
        }
        let least = self.random.usize(1..2 * dice.len());
        match self.random.bool() {
            true => sums[least],
            false => self.circuit.or(sums[least..].iter().copied()),
        }
    }

    /// A combination of two such rules, each perhaps negated.
    fn rule(&mut self, dice: &[Vec<Literal>]) -> Literal {
        let mut one = || {
            let rule = match self.random.bool() {
                true => self.shown(dice),
                false => self.added(dice),
            };
            rule.negated_if(self.random.bool())
        };
        let [one, other] = [one(), one()];
        self.circuit
            .and([one, other])
            .negated_if(self.random.bool())
    }
}

/// A random game: a player keeps some of the dice, and chance throws the others; perhaps an adversary may turn all of them
/// down to one side. A score follows from the dice, and perhaps from what is kept.
fn random_dice(random: &mut Rng, odd: Odd) -> (Problem, u32) {
    let mut circuit = Circuit::new();
    // Three dice with four sides have 64 throws: from there on they are merged while searching, too. Such games are rare here, because the definition takes long on them.
    let most_sides = 3 + usize::from(random.usize(0..8) == 0);
    let (dice, sides, throws) = match random.usize(0..6) {
        0 => (4, 2, random.usize(1..3)),
        _ => (
            random.usize(2..4),
            random.usize(2..=most_sides),
            random.usize(1..4),
        ),
    };
    let has_adversary = random.usize(0..3) == 0;
    let mut facts =
        |count: usize| -> Vec<Literal> { (0..count).map(|_| circuit.input(0)).collect() };
    let shows: Vec<Vec<Literal>> = (0..dice).map(|_| facts(sides)).collect();
    let (score, clock) = (facts(1)[0], facts(throws));
    let mut moves =
        |count: usize| -> Vec<Literal> { (0..count).map(|_| circuit.input(1)).collect() };
    let throw = moves(sides.pow(dice as u32));
    let keep = moves(1 << dice);
    let reply = moves(2);
    let face = |number: usize, die: usize| number / sides.pow(die as u32) % sides;
    // Dice with the last side may stay, whatever is kept: which throws matter depends on the state, then.
    let lock = random.usize(0..3) == 0;
    let (mut next, mut counts) = (Vec::new(), vec![Literal::TRUE]);
    for (die, shows) in shows.iter().enumerate() {
        let kept = (0..keep.len()).filter(|number| number >> die & 1 == 1);
        let kept: Vec<Literal> = kept.map(|number| keep[number]).collect();
        let mut kept = circuit.or(kept);
        if odd == Odd::Keep && die == 0 {
            kept = circuit.and([kept, !score]);
        }
        // By the number of dice: whether this many of those up to this one are kept and show the first side.
        let counted = circuit.and([kept, shows[0]]);
        counts.push(Literal::FALSE);
        for count in (1..counts.len()).rev() {
            let more = circuit.and([counts[count - 1], counted]);
            counts[count] = circuit.or([counts[count], more]);
        }
        if lock {
            kept = circuit.or([kept, shows[sides - 1]]);
        }
        for (side, &now) in shows.iter().enumerate() {
            let thrown = (0..throw.len()).filter(|&number| face(number, die) == side);
            let thrown: Vec<Literal> = thrown.map(|number| throw[number]).collect();
            let mut thrown = circuit.or(thrown);
            if odd == Odd::Throw && die == 0 && side == 0 {
                thrown = circuit.or([thrown, score]);
            }
            let old = circuit.and([kept, now]);
            let new = circuit.and([!kept, thrown]);
            let mut shown = circuit.or([old, new]);
            if has_adversary {
                let turned = Literal::FALSE.negated_if(side == 0);
                let turned = circuit.and([reply[1], turned]);
                let same = circuit.and([!reply[1], shown]);
                shown = circuit.or([turned, same]);
            }
            next.push(shown);
        }
    }
    let [first, second] = [0, 1].map(|die: usize| shows[die][0]);
    let told_apart = circuit.and([first, !second]);
    let mut rules = Dice {
        circuit: &mut circuit,
        random,
        odd,
    };
    let scored = rules.rule(&shows);
    let mut won = rules.rule(&shows);
    let early = rules.rule(&shows);
    // The dice that may be kept show something.
    let kept_side = rules.random.usize(..sides);
    let only_some = rules.random.bool();
    // Chance may throw at most so many dice with the last side.
    let most = rules.random.usize(1..=dice);
    let may_turn = rules.rule(&shows);
    let mut legal_keep = Vec::new();
    for number in 0..keep.len() {
        let kept = (0..dice).filter(|die| number >> die & 1 == 1);
        let shown: Vec<Literal> = kept.map(|die| shows[die][kept_side]).collect();
        let some = circuit.or(shown);
        legal_keep.push(match only_some && number > 0 {
            true => some,
            false => Literal::TRUE,
        });
    }
    if odd == Odd::Legal {
        legal_keep[1] = circuit.and([legal_keep[1], !score]);
    }
    let legal_throw = |number: usize| {
        let high = (0..dice)
            .filter(|&die| face(number, die) == sides - 1)
            .count();
        Literal::FALSE.negated_if(high <= most)
    };
    let mut legal_throw: Vec<Literal> = (0..throw.len()).map(legal_throw).collect();
    if odd == Odd::Chance {
        legal_throw[1] = score;
    }
    let mut scored = circuit.or([score, scored]);
    if random.bool() {
        let counted = counts[random.usize(1..=dice)].negated_if(random.bool());
        scored = circuit.and([scored, counted]);
    }
    if odd == Odd::Score {
        scored = circuit.or([scored, told_apart]);
    }
    if odd == Odd::Goal {
        won = circuit.or([won, told_apart]);
    }
    won = match random.bool() {
        true => won,
        false => circuit.and([won, score]),
    };
    next.push(scored);
    next.push(Literal::FALSE);
    next.extend(&clock[..throws - 1]);
    let runs = circuit.or(clock.iter().copied());
    let terminal = match random.usize(0..3) {
        0 => circuit.or([!runs, early]),
        _ => !runs,
    };
    let mut initial: Vec<bool> = vec![false; dice * sides];
    if random.bool() {
        let start = random.usize(..throw.len());
        (0..dice).for_each(|die| initial[die * sides + face(start, die)] = true);
    }
    initial.push(random.bool());
    initial.extend((0..throws).map(|index| index == 0));
    let mut agents = vec![Agent::Maximizer, Agent::Chance];
    let mut step = Step {
        goals: Vec::new(),
        initial,
        facts: shows
            .into_iter()
            .flatten()
            .chain([score])
            .chain(clock)
            .collect(),
        moves: vec![keep, throw],
        legal: vec![legal_keep, legal_throw],
        terminal,
        next,
        circuit,
    };
    if has_adversary {
        agents.push(Agent::Adversary);
        step.moves.push(reply);
        step.legal.push(vec![Literal::TRUE, may_turn]);
    }
    step.goals = vec![Vec::new(); agents.len()];
    let problem = Problem {
        payoff: vec![(BigRational::one(), won)],
        unfinished: BigRational::default(),
        flaw: Literal::FALSE,
        step,
        agents,
    };
    (problem, throws as u32)
}

#[test]
fn dice_that_may_be_exchanged_have_the_values_of_the_definition() {
    let (mut between, mut symmetric, mut states) = (0, 0, 0);
    for (seed, mut random) in seeds(0, 500) {
        let odd = ODD[random.usize(..ODD.len())];
        let (problem, steps) = random_dice(&mut random, odd);
        let initial = problem.step.initial.clone();
        let mut definition = Definition::new(&problem);
        let expected = definition.value(&initial, steps + 1);
        // Outcomes are compared, however few.
        let comparing = Options {
            many_outcomes: 1,
            ..Options::default()
        };
        let options = match random.bool() {
            true => comparing.clone(),
            false => random_options(&mut random),
        };
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        let answer = engine.solve(&initial, None, &Limits::default());
        let answer = answer.expect("a sound question");
        let found = answer.outcome.value().expect("there are no limits");
        assert_eq!(*found, expected, "seed {seed}, {odd:?}");
        // Throws are merged without a list of all states, too.
        let depth = random.u32(1..=steps);
        let expected_at = definition.value(&initial, depth);
        for merge_outcomes in [true, false] {
            let mut options = comparing.clone();
            options.merge_outcomes = merge_outcomes;
            options.search.induct_backwards = random.bool();
            let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
            let found = engine.solve(&initial, Some(depth), &Limits::default());
            let found = found.expect("a sound question").outcome;
            let found = found.value().expect("there are no limits");
            assert_eq!(*found, expected_at, "seed {seed}, {odd:?}, {depth} steps");
        }
        // In some games no dice matter.
        symmetric += u32::from(odd == Odd::Nothing && number(&answer, "images") > 1);
        between += u32::from(!expected.is_zero() && !expected.is_one());
        states += number(&answer, "states");
    }
    assert!(between > 60, "only {between} values between 0 and 1");
    assert!(symmetric > 30, "only {symmetric} games with symmetry");
    assert!(states > 1000, "only {states} states");
}
