//! Random games on graphs: each position has its own legal moves, and a table gives the next position for each joint move.

use fastrand::Rng;
use std::fmt::Write;

/// A kind of games on graphs.
#[derive(Clone, Debug)]
pub struct GraphKind {
    /// The roles, perhaps with `random` among them.
    pub roles: Vec<&'static str>,
    /// The number of positions where play goes on, the first of which is the initial one.
    pub positions: usize,
    /// The number of terminal positions.
    pub ends: usize,
    /// Numbers of moves of the first role, one of which is drawn for each position.
    pub moves: &'static [usize],
    /// The same for all other roles.
    pub other_moves: &'static [usize],
    /// Whether only one role has more than one move in each position, beside `random`.
    pub takes_turns: bool,
    /// Whether a position may be met again; otherwise play goes on to positions with higher numbers.
    pub is_endless: bool,
    /// Of eight joint moves how many stay where they are, and how many end play; the others lead on.
    pub stay_and_end: (u8, u8),
    /// Whether roles see percepts instead of the position.
    pub is_hidden: bool,
    pub points: GraphPoints,
}

/// The points of terminal positions.
#[derive(Clone, Debug)]
pub enum GraphPoints {
    /// Each role has one of these.
    Each(&'static [u32]),
    /// The first role has any number up to 100, or 0, 50 or 100; the others have the rest.
    ZeroSum,
}

/// A game that is made of a graph.
pub struct GraphGame {
    /// Its rules in prefix form.
    pub text: String,
    /// The most steps that play takes; none if it can go on for ever.
    pub longest: Option<u32>,
}

/// A random game of this kind.
pub fn graph_game(random: &mut Rng, kind: &GraphKind) -> GraphGame {
    let mut text = String::new();
    for role in &kind.roles {
        let _ = write!(text, "(role {role}) ");
    }
    let _ = writeln!(text, "(init s0)");
    let (positions, all) = (kind.positions, kind.positions + kind.ends);
    let players = || kind.roles.iter().filter(|role| **role != "random");
    let mut successors = vec![Vec::new(); positions];
    for (position, after) in successors.iter_mut().enumerate() {
        let mover = kind.takes_turns.then(|| random.usize(..players().count()));
        let counts = kind
            .roles
            .iter()
            .enumerate()
            .map(|(place, role)| match place {
                _ if *role != "random" && mover.is_some_and(|mover| mover != place) => 1,
                0 => kind.moves[random.usize(..kind.moves.len())],
                _ => kind.other_moves[random.usize(..kind.other_moves.len())],
            });
        let counts: Vec<usize> = counts.collect();
        for (role, &count) in kind.roles.iter().zip(&counts) {
            for action in 0..count {
                let _ = writeln!(text, "(<= (legal {role} m{action}) (true s{position}))");
            }
        }
        for joint in tuples(&counts) {
            let (stay, end) = kind.stay_and_end;
            let next = match random.u8(..8) {
                draw if draw < stay && kind.is_endless => position,
                draw if (stay..stay + end).contains(&draw) => random.usize(positions..all),
                _ if kind.is_endless => random.usize(..positions),
                _ if position + 1 < positions => random.usize(position + 1..positions),
                _ => random.usize(positions..all),
            };
            after.push(next);
            let mut condition = format!("(true s{position})");
            for (role, action) in kind.roles.iter().zip(&joint) {
                let _ = write!(condition, " (does {role} m{action})");
            }
            let _ = writeln!(text, "(<= (next s{next}) {condition})");
            for role in players().filter(|_| kind.is_hidden) {
                if random.bool() {
                    let percept = random.u8(..2);
                    let _ = writeln!(text, "(<= (sees {role} p{percept}) {condition})");
                }
            }
        }
    }
    for end in positions..all {
        let _ = writeln!(text, "(<= terminal (true s{end}))");
        let first = [0, 50, 100, random.u32(..=100)][random.usize(..4)];
        for (place, role) in players().enumerate() {
            let points = match (&kind.points, place) {
                (GraphPoints::Each(points), _) => points[random.usize(..points.len())],
                (GraphPoints::ZeroSum, 0) => first,
                (GraphPoints::ZeroSum, _) => 100 - first,
            };
            let _ = writeln!(text, "(<= (goal {role} {points}) (true s{end}))");
        }
    }
    if kind.is_hidden {
        let role = kind.roles[0];
        let never = "(true never)) (<= (next never) (true never))";
        let _ = writeln!(text, "(<= (sees {role} never) {never}");
    }
    GraphGame {
        text,
        longest: longest(&successors, 0, &mut Vec::new()),
    }
}

/// A game in which two or three players choose at the same time, with a position that may be met again or over after four steps.
pub fn simultaneous_game(seed: u64, is_endless: bool) -> String {
    let random = &mut Rng::with_seed(seed);
    let mut roles = vec!["left", "right"];
    if random.u8(..4) == 0 {
        roles.push("third");
    }
    if random.bool() {
        roles.push("random");
    }
    let kind = GraphKind {
        roles,
        positions: random.usize(2..=3),
        ends: 4,
        moves: &[1, 2, 3],
        other_moves: &[1, 2, 3],
        takes_turns: false,
        is_endless,
        stay_and_end: (0, 4),
        is_hidden: false,
        points: GraphPoints::ZeroSum,
    };
    graph_game(random, &kind).text
}

/// All tuples of numbers below these.
fn tuples(counts: &[usize]) -> Vec<Vec<usize>> {
    counts.iter().fold(vec![Vec::new()], |tuples, &count| {
        let longer = |tuple: Vec<usize>| (0..count).map(move |next| [&tuple[..], &[next]].concat());
        tuples.into_iter().flat_map(longer).collect()
    })
}

/// The most steps from a node of a graph; none if a node can be met twice. Ends have no successors.
fn longest(successors: &[Vec<usize>], node: usize, path: &mut Vec<usize>) -> Option<u32> {
    let Some(targets) = successors.get(node) else {
        return Some(0);
    };
    if path.contains(&node) {
        return None;
    }
    path.push(node);
    let mut most = 0;
    for &target in targets {
        most = most.max(1 + longest(successors, target, path)?);
    }
    path.pop();
    Some(most)
}
