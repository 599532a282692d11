//! Paths in small random systems, against listing all states one by one.

use circuit::{Circuit, Literal, Step};
use fastrand::Rng;
use generators::{random_signal, seeds, signals};
use sqasp_plan::paths::{Method, Paths, Problem, SearchEnd, Watcher};
use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;

/// A random system with its levels. Some facts count steps, some never change.
fn random_system(random: &mut Rng) -> (Step, Vec<Literal>) {
    let mut circuit = Circuit::new();
    let facts: Vec<Literal> = (0..random.usize(2..7)).map(|_| circuit.input(0)).collect();
    let moves: Vec<Literal> = (0..random.usize(1..5)).map(|_| circuit.input(1)).collect();
    let both: Vec<Literal> = facts.iter().chain(&moves).copied().collect();
    let counters = random.usize(..3).min(facts.len() - 1);
    let mut next = Vec::new();
    for number in 0..facts.len() {
        next.push(match number {
            // A chain: a fact holds when the one before did.
            number if number < counters && number > 0 => facts[number - 1],
            0 if counters > 0 => facts[0],
            _ if random.u8(..8) == 0 => facts[number],
            _ => random_signal(&mut circuit, &both, random),
        });
    }
    let legal: Vec<Literal> = moves
        .iter()
        .map(|_| match random.u8(..3) {
            0 => Literal::TRUE,
            _ => random_signal(&mut circuit, &facts, random),
        })
        .collect();
    let count = random.usize(2..4);
    let first: Vec<Literal> = (0..count)
        .map(|_| facts[random.usize(..facts.len())])
        .collect();
    let terminal = match random.bool() {
        true => circuit.and(first.iter().map(|f| f.negated_if(random.bool()))),
        false => random_signal(&mut circuit, &facts, random),
    };
    // A play that reaches a level reaches those below.
    let high = random_signal(&mut circuit, &facts, random);
    let middle = random_signal(&mut circuit, &facts, random);
    let low = circuit.or([high, middle]);
    let step = Step {
        initial: (0..facts.len())
            .map(|number| number == 0 || random.bool())
            .collect(),
        moves: vec![moves],
        legal: vec![legal],
        goals: vec![Vec::new()],
        circuit,
        facts,
        terminal,
        next,
    };
    (step, vec![low, high])
}

/// Evaluates a system one state at a time.
struct Plain<'a>(&'a Step, &'a [Literal]);

impl Plain<'_> {
    fn values(&self, state: &[bool], action: Option<usize>) -> impl Fn(Literal) -> bool {
        signals(self.0, state, action.as_slice())
    }

    /// If the state is terminal, its level plus 1, or 0.
    fn end(&self, state: &[bool]) -> Option<usize> {
        let values = self.values(state, None);
        let level = self.1.iter().rposition(|&level| values(level));
        values(self.0.terminal).then(|| level.map_or(0, |level| level + 1))
    }

    fn next(&self, state: &[bool], action: usize) -> Option<Vec<bool>> {
        let is_legal = self.values(state, None)(self.0.legal[0][action]);
        let values = self.values(state, Some(action));
        is_legal.then(|| self.0.next.iter().map(|&next| values(next)).collect())
    }

    /// For each number of levels reached, the fewest moves; and the most moves of any path, if no state
    /// comes twice on one.
    fn shortest(&self, depth: u32) -> BTreeMap<usize, u32> {
        let mut shortest = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut layer = vec![self.0.initial.clone()];
        for moves in 0..=depth {
            let mut following = Vec::new();
            for state in layer {
                if !seen.insert(state.clone()) {
                    continue;
                }
                if let Some(end) = self.end(&state) {
                    for levels in 1..=end {
                        shortest.entry(levels).or_insert(moves);
                    }
                    continue;
                }
                let actions = 0..self.0.moves[0].len();
                following.extend(actions.filter_map(|action| self.next(&state, action)));
            }
            layer = following;
        }
        shortest
    }
}

/// Writes everything down, and checks paths as they come.
struct Clerk<'a> {
    plain: &'a Plain<'a>,
    case: String,
    /// For each number of levels the fewest moves found.
    found: Mutex<BTreeMap<usize, u32>>,
    ruled_out: Mutex<Vec<(usize, Option<u32>)>>,
    bound: Mutex<Option<u32>>,
}

impl<'a> Clerk<'a> {
    fn new(plain: &'a Plain<'a>, case: String) -> Self {
        Clerk {
            plain,
            case,
            found: Mutex::default(),
            ruled_out: Mutex::default(),
            bound: Mutex::default(),
        }
    }

    /// Checks everything that was ruled out.
    fn check(&self, shortest: &BTreeMap<usize, u32>) {
        for &(level, moves) in self.ruled_out.lock().unwrap().iter() {
            let fewest = shortest.get(&(level + 1));
            let holds = fewest.is_none_or(|&fewest| moves.is_some_and(|moves| fewest > moves));
            assert!(
                holds,
                "{}: level {level}, {moves:?} moves, {fewest:?}",
                self.case
            );
        }
    }
}

impl Watcher for Clerk<'_> {
    fn go_on(&self, _states: u64, _depth: u32) -> bool {
        true
    }

    fn least_useful(&self, moves: u32) -> Option<usize> {
        let found = self.found.lock().unwrap();
        (0..2).find(|level| found.get(&(level + 1)).is_none_or(|&known| known > moves))
    }

    fn found(&self, moves: &[usize], _by: Method) {
        let mut state = self.plain.0.initial.clone();
        for &action in moves {
            assert_eq!(self.plain.end(&state), None, "{}", self.case);
            state = self.plain.next(&state, action).expect("a legal move");
        }
        let end = self.plain.end(&state).expect("an end");
        let mut found = self.found.lock().unwrap();
        for levels in 1..=end {
            let known = found.entry(levels).or_insert(u32::MAX);
            *known = (*known).min(moves.len() as u32);
        }
    }

    fn rule_out(&self, level: usize, moves: Option<u32>) {
        if level < 2 {
            self.ruled_out.lock().unwrap().push((level, moves));
        }
    }

    fn bound(&self, moves: u32) {
        *self.bound.lock().unwrap() = Some(moves);
    }
}

#[test]
fn paths_and_what_is_ruled_out_are_right() {
    let first = fastrand::u64(..1 << 40);
    let (mut reached, mut bounded, mut contradictions) = (0, 0, 0);
    for (seed, mut random) in seeds(first, 400) {
        let (step, levels) = random_system(&mut random);
        let plain = Plain(&step, &levels);
        let problem = Problem {
            step: &step,
            levels: &levels,
        };
        let paths = Paths::new(&problem).expect("one agent");
        for depth in [None, Some(random.u32(..6))] {
            let shortest = plain.shortest(depth.unwrap_or(200));
            reached += shortest.len();
            let case = |what: &str| format!("seed {seed}, depth {depth:?}, {what}");

            let clerk = Clerk::new(&plain, case("breadth first"));
            let ended = paths.breadth_first(depth, u64::MAX, &clerk);
            assert_eq!(ended, SearchEnd::Complete, "{}", clerk.case);
            clerk.check(&shortest);
            let settled = |clerk: &Clerk<'_>, level: usize| {
                let ruled_out = clerk.ruled_out.lock().unwrap();
                ruled_out
                    .iter()
                    .any(|&(other, moves)| other <= level && (moves.is_none() || moves == depth))
            };
            for level in 0..2 {
                let found = clerk.found.lock().unwrap().get(&(level + 1)).copied();
                assert_eq!(found, shortest.get(&(level + 1)).copied(), "{}", clerk.case);
                assert!(found.is_some() || settled(&clerk, level), "{}", clerk.case);
            }

            let clerk = Clerk::new(&plain, case("depth first"));
            let ended = paths.depth_first(depth, u64::MAX, seed, &clerk);
            assert_eq!(ended, SearchEnd::Complete, "{}", clerk.case);
            clerk.check(&shortest);
            for level in 0..2 {
                let found = clerk.found.lock().unwrap().contains_key(&(level + 1));
                assert_eq!(found, shortest.contains_key(&(level + 1)), "{}", clerk.case);
            }

            let clerk = Clerk::new(&plain, case("side by side"));
            paths.side_by_side(&problem, depth, &clerk);
            clerk.check(&shortest);
            contradictions += clerk.ruled_out.lock().unwrap().len();

            let clerk = Clerk::new(&plain, case("look ahead"));
            Paths::look_ahead(&problem, depth, &clerk);
            clerk.check(&shortest);
            if let Some(bound) = *clerk.bound.lock().unwrap() {
                bounded += 1;
                // Whatever is done, play is over by then.
                let mut state = step.initial.clone();
                for _ in 0..=bound {
                    let actions = 0..step.moves[0].len();
                    let legal: Vec<_> = actions.filter_map(|a| plain.next(&state, a)).collect();
                    if plain.end(&state).is_some() || legal.is_empty() {
                        break;
                    }
                    state = legal[random.usize(..legal.len())].clone();
                }
                let is_stuck = (0..step.moves[0].len()).all(|a| plain.next(&state, a).is_none());
                assert!(is_stuck || plain.end(&state).is_some(), "{}", clerk.case);
            }
        }
    }
    assert!(
        reached > 100 && bounded > 10 && contradictions > 10,
        "{reached} ends, {bounded} bounds, {contradictions} contradictions"
    );
}

/// A random system in which each move has fixed effects; with a clock, play lasts for `length` moves.
fn fixed_effects(random: &mut Rng, length: Option<usize>) -> (Step, Vec<Literal>) {
    let mut circuit = Circuit::new();
    let facts: Vec<Literal> = (0..random.usize(3..7)).map(|_| circuit.input(0)).collect();
    let moves: Vec<Literal> = (0..random.usize(2..7)).map(|_| circuit.input(1)).collect();
    let clock: Vec<Literal> = (0..length.unwrap_or(0)).map(|_| circuit.input(0)).collect();
    let mut changers = vec![[Vec::new(), Vec::new()]; facts.len()];
    let mut legal = Vec::new();
    for &made in &moves {
        let mut chosen: Vec<usize> = (0..facts.len()).collect();
        random.shuffle(&mut chosen);
        for &fact in &chosen[..random.usize(1..3)] {
            changers[fact][usize::from(random.bool())].push(made);
        }
        let needed = &chosen[..random.usize(..3)];
        let needed = needed.iter().map(|&f| facts[f].negated_if(random.bool()));
        let needed: Vec<Literal> = needed.collect();
        legal.push(match random.bool() {
            true => circuit.and(needed),
            false => circuit.or(needed),
        });
    }
    let mut next: Vec<Literal> = Vec::new();
    for (&fact, [off, on]) in facts.iter().zip(&changers) {
        let off = circuit.or(off.iter().copied());
        let stays = circuit.and([fact, !off]);
        next.push(circuit.or(on.iter().copied().chain([stays])));
    }
    // One place of the clock after the other comes to hold.
    next.extend((0..clock.len()).map(|index| match index {
        0 => Literal::TRUE,
        index => clock[index - 1],
    }));
    let count = random.usize(1..facts.len());
    let goal = circuit.and(facts[..count].iter().map(|f| f.negated_if(random.bool())));
    let mut initial: Vec<bool> = facts.iter().map(|_| random.bool()).collect();
    initial.extend(clock.iter().map(|_| false));
    let step = Step {
        terminal: clock.last().copied().unwrap_or(goal),
        facts: facts.into_iter().chain(clock).collect(),
        initial,
        moves: vec![moves],
        legal: vec![legal],
        goals: vec![Vec::new()],
        circuit,
        next,
    };
    (step, vec![goal, goal])
}

#[test]
fn paths_of_moves_side_by_side_are_found_where_there_are_short_ones() {
    let first = fastrand::u64(..1 << 40);
    let (mut reached, mut missed) = (0, 0);
    for (seed, mut random) in seeds(first, 600) {
        let length = (random.bool()).then(|| random.usize(1..5));
        let (step, levels) = fixed_effects(&mut random, length);
        let plain = Plain(&step, &levels);
        let problem = Problem {
            step: &step,
            levels: &levels,
        };
        let paths = Paths::new(&problem).expect("one agent");
        let clerk = Clerk::new(&plain, format!("seed {seed}, length {length:?}"));
        let ended = paths.side_by_side(&problem, None, &clerk);
        assert_eq!(ended, SearchEnd::Complete, "{}", clerk.case);
        let shortest = plain.shortest(12);
        let found = clerk.found.lock().unwrap().contains_key(&2);
        assert!(!found || shortest.contains_key(&2), "{}", clerk.case);
        reached += usize::from(found);
        missed += usize::from(!found && shortest.contains_key(&2));
    }
    // Some systems are left alone, since a fact is changed by all moves.
    assert!(reached > 100 && missed < reached, "{reached}, {missed}");
}

/// A Latin square of this order, of which the first row is given.
fn latin_square(order: usize) -> (Step, Vec<Literal>) {
    let mut circuit = Circuit::new();
    let indices = order * order * order;
    let facts: Vec<Literal> = (0..indices).map(|_| circuit.input(0)).collect();
    let moves: Vec<Literal> = (0..indices).map(|_| circuit.input(1)).collect();
    let at = |row: usize, column: usize, number: usize| (row * order + column) * order + number;
    let mut legal = Vec::new();
    for index in 0..indices {
        let (row, column, number) = (index / order / order, index / order % order, index % order);
        let others = (0..order).flat_map(|other| {
            [
                at(row, other, number),
                at(other, column, number),
                at(row, column, other),
            ]
        });
        legal.push(circuit.and(others.map(|other| !facts[other])));
    }
    let next = (0..indices)
        .map(|p| circuit.or([facts[p], moves[p]]))
        .collect();
    let filled: Vec<Literal> = (0..order * order)
        .map(|cell| circuit.or((0..order).map(|number| facts[cell * order + number])))
        .collect();
    let terminal = circuit.and(filled);
    let step = Step {
        initial: (0..indices)
            .map(|p| p < order * order && p / order == p % order)
            .collect(),
        moves: vec![moves],
        legal: vec![legal],
        goals: vec![Vec::new()],
        circuit,
        facts,
        terminal,
        next,
    };
    (step, vec![terminal, terminal])
}

#[test]
fn a_latin_square_is_filled_at_once() {
    let order = 7;
    let (step, levels) = latin_square(order);
    let plain = Plain(&step, &levels);
    let problem = Problem {
        step: &step,
        levels: &levels,
    };
    let clerk = Clerk::new(&plain, "Latin square".to_owned());
    let paths = Paths::new(&problem).expect("one agent");
    paths.side_by_side(&problem, None, &clerk);
    let moves = (order * (order - 1)) as u32;
    assert_eq!(clerk.found.lock().unwrap().get(&2), Some(&moves));
}
