//! Symmetries of play, which change the names of choices only.
//!
//! A symmetry maps states to states, and choices to choices, so that outcomes go to outcomes, payoffs stay, and each player sees the same. With
//! two plans the payoff of their images is the same. So if a plan guarantees a payoff, each image of it does, and so does the mean of all images
//! (payoffs are linear in the plan), which all symmetries keep. Hence both players have best plans that give
//! the same weight to sequences that are images of each other, and only one of these is needed.

use crate::sequence_form::play::{Next, PlayGraph};
use circuit::automorphism::ColouredGraph;
use limits::Watch;
use std::ops::Range;

/// The most symmetries that are used.
const MOST: usize = 128;

/// The memory of a node of the drawing with its edges, in bytes.
const NODE_BYTES: u64 = 130;

/// The search visits each edge about this often at most.
const EFFORT: u64 = 100;

/// A group of symmetries. Number 0 changes nothing.
#[derive(Debug)]
pub struct Symmetries {
    /// By player and menu: the index of its first choice in `images`; then their number.
    starts: [Vec<u32>; 2],
    /// By player, symmetry and choice: the index of its image in the image of the menu.
    images: [Vec<u32>; 2],
    /// By symmetry `a` and symmetry `b`: `b` first, then `a`.
    products: Vec<u8>,
    inverses: Vec<u8>,
}

impl Symmetries {
    /// None but the one that changes nothing.
    pub fn none() -> Self {
        Symmetries {
            starts: [Vec::new(), Vec::new()],
            images: [Vec::new(), Vec::new()],
            products: vec![0],
            inverses: vec![0],
        }
    }

    /// Those of a graph of states. Not all are found if there are many, or the search takes long or much memory.
    pub fn find(graph: &PlayGraph, watch: &mut Watch<'_>) -> Self {
        let mut starts = [vec![0], vec![0]];
        for state in graph.stages() {
            for (player, starts) in starts.iter_mut().enumerate() {
                let (menu, choices) = (graph.menu(state, player), graph.choices(state)[player]);
                if starts.len() < menu as usize + 2 {
                    starts.resize(menu as usize + 2, 0);
                }
                starts[menu as usize + 1] = choices;
            }
        }
        for starts in &mut starts {
            for menu in 1..starts.len() {
                starts[menu] += starts[menu - 1];
            }
        }
        let nodes = starts
            .iter()
            .map(|starts| starts.len() as u64 + u64::from(starts[starts.len() - 1]));
        let bytes = NODE_BYTES * (graph.size() + MOST as u64 * nodes.sum::<u64>() / 8);
        if watch.take_memory(bytes).is_err() {
            return Symmetries::none();
        }
        watch.give_memory_back(bytes);
        let drawn = Drawing::new(graph, &starts);
        let effort = EFFORT * drawn.graph.edges() as u64;
        let found = (drawn.graph).generators(effort, || watch.check_limits().is_ok());
        let all = drawn.choices[1].end;
        let kept = found.generators.into_iter().map(|moves| {
            let mut map: Vec<(u32, bool)> = (0..all as u32).map(|node| (node, false)).collect();
            for (from, to) in moves.into_iter().filter(|(from, _)| (*from as usize) < all) {
                map[from as usize].0 = to;
            }
            map
        });
        let (_, maps) = circuit::automorphism::subgroup(kept, all, MOST);
        let number = |map: &[(u32, bool)]| {
            let same = maps.iter().position(|other| other == map);
            same.expect("a group is closed") as u8
        };
        let mut group = Symmetries::none();
        group.products.clear();
        for one in &maps {
            let after = |other: &Vec<(u32, bool)>| -> Vec<(u32, bool)> {
                other.iter().map(|(node, _)| one[*node as usize]).collect()
            };
            let products = maps.iter().map(|other| number(&after(other)));
            group.products.extend(products);
        }
        let rows = group.products.chunks(maps.len());
        let inverse = |row: &[u8]| row.iter().position(|&product| product == 0);
        group.inverses = rows
            .map(|row| inverse(row).expect("a group has inverses") as u8)
            .collect();
        for (player, starts) in starts.into_iter().enumerate() {
            let (menus, choices) = (drawn.menus[player].clone(), drawn.choices[player].clone());
            for map in &maps {
                for menu in 0..starts.len() - 1 {
                    let image = map[menus.start + menu].0 as usize - menus.start;
                    for choice in starts[menu]..starts[menu + 1] {
                        let to = map[choices.start + choice as usize].0 as usize - choices.start;
                        group.images[player].push(to as u32 - starts[image]);
                    }
                }
            }
            group.starts[player] = starts;
        }
        group
    }

    pub fn order(&self) -> usize {
        self.inverses.len()
    }

    /// The symmetry `one` after `other`.
    #[inline]
    pub fn product(&self, one: u32, other: u32) -> u32 {
        self.products[one as usize * self.order() + other as usize].into()
    }

    /// The symmetry that undoes one.
    #[inline]
    pub fn inverse(&self, one: u32) -> u32 {
        self.inverses[one as usize].into()
    }

    /// The image of a choice.
    #[inline]
    pub fn image(&self, symmetry: u32, player: usize, menu: u32, choice: u32) -> u32 {
        if symmetry == 0 {
            return choice;
        }
        let starts = &self.starts[player];
        let all = starts[starts.len() - 1] as usize;
        let index = all * symmetry as usize + (starts[menu as usize] + choice) as usize;
        self.images[player][index]
    }

    /// For each choice of a menu the first of its images, and a symmetry that leads from that one to it.
    pub fn orbits(&self, player: usize, menu: u32, choices: u32, among: &[u8]) -> Vec<(u32, u8)> {
        let mut orbits = vec![None; choices as usize];
        for choice in 0..choices {
            for &symmetry in among {
                if symmetry == 0 || orbits[choice as usize] == Some((choice, 0)) {
                    let image = self.image(symmetry.into(), player, menu, choice) as usize;
                    orbits[image].get_or_insert((choice, symmetry));
                }
            }
        }
        let known = orbits.into_iter();
        known
            .map(|orbit| orbit.expect("each choice has an image"))
            .collect()
    }
}

/// A graph in colours whose automorphisms are the symmetries. Its nodes are menus, their choices, states, joint choices and outcomes.
struct Drawing {
    graph: ColouredGraph<Colour>,
    /// By player: the nodes of its menus.
    menus: [Range<usize>; 2],
    /// The same for choices.
    choices: [Range<usize>; 2],
}

/// The kind of a node, and what its images have in common with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Colour {
    /// A menu of a player.
    Menu(usize),
    /// A choice of a player.
    Choice(usize),
    /// A state: whether it is the first, and its throws.
    State(bool, u32),
    Joint,
    /// An outcome: the payoff of an end, the throws, and what both players see.
    Outcome(Option<u32>, u32, [u32; 2]),
}

impl Drawing {
    /// Draws play; `starts` are the first choices of each menu.
    fn new(play: &PlayGraph, starts: &[Vec<u32>; 2]) -> Self {
        let mut graph = ColouredGraph::default();
        let mut range = |colour: Colour, count: usize| {
            let first = graph.nodes();
            (0..count).for_each(|_| _ = graph.node(colour));
            first..first + count
        };
        let menus = [0, 1].map(|player| range(Colour::Menu(player), starts[player].len() - 1));
        let choices = [0, 1].map(|player| {
            let all = starts[player].last().map_or(0, |&all| all as usize);
            range(Colour::Choice(player), all)
        });
        for player in [0, 1] {
            for (menu, pair) in starts[player].windows(2).enumerate() {
                for choice in pair[0]..pair[1] {
                    let choice = choices[player].start as u32 + choice;
                    graph.edge((menus[player].start + menu) as u32, choice);
                }
            }
        }
        let stages: Vec<u32> = play.stages().collect();
        let states: Vec<u32> = (stages.iter())
            .map(|&state| graph.node(Colour::State(state == 0, play.throws(state))))
            .collect();
        for (&state, &state_node) in stages.iter().zip(&states) {
            let both = play.choices(state);
            for joint in 0..both[0] * both[1] {
                let made = [joint / both[1], joint % both[1]];
                let node = graph.node(Colour::Joint);
                graph.edge(node, state_node);
                for player in [0, 1] {
                    let choice = starts[player][play.menu(state, player) as usize] + made[player];
                    graph.edge(node, choices[player].start as u32 + choice);
                }
                for outcome in play.outcomes(state, made) {
                    let (end, next) = match play.next(outcome) {
                        Next::State(next) => (None, Some(next)),
                        Next::End(_) => (Some(outcome.next), None),
                    };
                    let colour = Colour::Outcome(end, outcome.throws, outcome.seen);
                    let outcome_node = graph.node(colour);
                    graph.edge(node, outcome_node);
                    if let Some(next) = next {
                        let next = stages.binary_search(&next).expect("play goes on there");
                        graph.edge(outcome_node, states[next]);
                    }
                }
            }
        }
        Drawing {
            graph,
            menus,
            choices,
        }
    }
}
