//! An extensive game of Gambit: the tree of all plays, with full information; and the lines of such a file.
//!
//! The opponents are one player, who wins the amount that the role loses. A tree repeats a node for each way
//! that leads there, so it is counted before it is written, and refused if it is too large.

use crate::WriteOnce;
use crate::actions::Actions;
use crate::error::ExportError;
use crate::node::{FileSink, GraphHeader, Kind, Node, Sink};
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use std::fmt::Display;
use std::io::{self, Write};
use verify::Side;

/// The most nodes of a tree.
pub(crate) const MAX_NODES: u64 = 1_000_000;

/// A choice: its action, and targets with their probabilities.
type Way = (u32, Vec<(u32, (u64, u64))>);

/// The graph, in memory.
pub(crate) struct Efg {
    about: GraphHeader,
    nodes: Vec<EfgNode>,
}

struct EfgNode {
    kind: Kind,
    ways: Vec<Way>,
}

impl EfgNode {
    fn is_end(&self) -> bool {
        !matches!(self.kind, Kind::Choice(_))
    }

    fn targets(&self) -> impl Iterator<Item = usize> {
        let ways = self.ways.iter().filter(|_| !self.is_end());
        ways.flat_map(|(_, branches)| branches.iter().map(|&(target, _)| target as usize))
    }
}

impl Efg {
    pub(crate) fn new(about: GraphHeader) -> Self {
        Efg {
            about,
            nodes: Vec::new(),
        }
    }

    /// The number of nodes of the tree.
    fn count(&self) -> Result<u64, ExportError> {
        // While the tree below a node is counted, the node is on the path that is being followed.
        const ON_PATH: u64 = 0;
        let mut sizes: Vec<Option<u64>> = vec![None; self.nodes.len()];
        let mut stack = vec![(0, false)];
        while let Some((node, is_done)) = stack.pop() {
            let index = &self.nodes[node];
            if is_done {
                // A chance node for each choice with several outcomes.
                let chances = index.ways.iter().filter(|(_, branches)| branches.len() > 1);
                let below = index
                    .targets()
                    .map(|target| sizes[target].expect("it was counted"));
                let below = below.fold(0, u64::saturating_add);
                sizes[node] = Some(below.saturating_add(1 + chances.count() as u64));
                continue;
            }
            match sizes[node] {
                Some(ON_PATH) => {
                    return Err(ExportError::Endless);
                }
                Some(_) => continue,
                None => {}
            }
            sizes[node] = Some(ON_PATH);
            stack.push((node, true));
            stack.extend(index.targets().map(|target| (target, false)));
        }
        Ok(sizes[0].expect("it was counted"))
    }

    /// Writes the tree, in prefix order.
    fn write(&self, actions: &[String], to: &mut dyn Write) -> io::Result<()> {
        let mut lines = Lines::begin(&self.about, to)?;
        let mut sets = [0; 2];
        let mut stack: Vec<Step<'_>> = vec![Step::Node(0)];
        while let Some(step) = stack.pop() {
            let number = match step {
                Step::Chance(branches) => {
                    lines.chance(branches.iter().copied())?;
                    let targets = branches.iter().rev();
                    stack.extend(targets.map(|&(target, _)| Step::Node(target as usize)));
                    continue;
                }
                Step::Node(number) => number,
            };
            let index = &self.nodes[number];
            let Kind::Choice(side) = index.kind else {
                lines.end(&match index.kind {
                    Kind::Terminal(points) => self.about.objective.worth(points),
                    _ => BigRational::zero(),
                })?;
                continue;
            };
            // One choice is none.
            if index.ways.len() > 1 {
                let player = usize::from(side == Side::Opponents);
                sets[player] += 1;
                let names = index
                    .ways
                    .iter()
                    .map(|(action, _)| &actions[*action as usize]);
                lines.choice(player, sets[player], names)?;
            }
            let ways = index.ways.iter().rev();
            stack.extend(ways.map(|(_, branches)| match branches[..] {
                [(target, _)] => Step::Node(target as usize),
                _ => Step::Chance(branches),
            }));
        }
        Ok(())
    }
}

/// The lines of a file: those of a node before those of the nodes that follow it.
pub(crate) struct Lines<'a> {
    to: &'a mut dyn Write,
    has_opponents: bool,
    chances: usize,
    /// The numbers of the payoffs.
    outcomes: FxHashMap<BigRational, usize>,
}

impl<'a> Lines<'a> {
    /// Writes the first line.
    pub(crate) fn begin(about: &GraphHeader, to: &'a mut dyn Write) -> io::Result<Self> {
        let has_opponents = !about.names[1].is_empty();
        let players = quoted(&about.names[..1 + usize::from(has_opponents)]);
        writeln!(to, "EFG 2 R \"{}\" {{ {players} }}\n\"\"\n", about.name)?;
        Ok(Lines {
            to,
            has_opponents,
            chances: 0,
            outcomes: FxHashMap::default(),
        })
    }

    /// A node in which chance throws: names and probabilities.
    pub(crate) fn chance(
        &mut self,
        branches: impl Iterator<Item = (impl Display, (u64, u64))>,
    ) -> io::Result<()> {
        self.chances += 1;
        let named = branches.map(|(name, (numerator, denominator))| {
            format!("\"{name}\" {numerator}/{denominator}")
        });
        let named: Vec<String> = named.collect();
        let (number, named) = (self.chances, named.join(" "));
        writeln!(self.to, "c \"\" {number} \"\" {{ {named} }} 0")
    }

    /// A node in which a player chooses: the number of its information set, from 1, and the names of its choices.
    pub(crate) fn choice(
        &mut self,
        player: usize,
        set: usize,
        names: impl IntoIterator<Item = impl Display>,
    ) -> io::Result<()> {
        let (player, names) = (player + 1, quoted(names));
        writeln!(self.to, "p \"\" {player} {set} \"\" {{ {names} }} 0")
    }

    /// A node in which play is over, and the worth for the role.
    pub(crate) fn end(&mut self, worth: &BigRational) -> io::Result<()> {
        let next = self.outcomes.len() + 1;
        let outcome = *self.outcomes.entry(worth.clone()).or_insert(next);
        let payoffs = match self.has_opponents {
            false => format!("{worth}"),
            true => format!("{worth}, {}", -worth),
        };
        writeln!(self.to, "t \"\" {outcome} \"\" {{ {payoffs} }}")
    }
}

fn quoted(names: impl IntoIterator<Item = impl Display>) -> String {
    let names = names.into_iter().map(|name| format!("\"{name}\""));
    names.collect::<Vec<String>>().join(" ")
}

/// A step of writing: a node, or the outcomes of chance.
enum Step<'a> {
    Node(usize),
    Chance(&'a [(u32, (u64, u64))]),
}

impl Sink for Efg {
    fn node(&mut self, node: &Node<'_>, _: &Actions) -> Result<(), ExportError> {
        let ways = node.choices().map(|(choice, branches)| {
            let branches = branches.iter();
            let branches = branches.map(|branch| (branch.target, branch.probability(choice.total)));
            (choice.action, branches.collect())
        });
        self.nodes.push(EfgNode {
            kind: node.kind,
            ways: ways.collect(),
        });
        Ok(())
    }
}

impl FileSink for Efg {
    fn finish(self: Box<Self>, actions: &Actions) -> Result<WriteOnce, ExportError> {
        let nodes = self.count()?;
        if nodes > MAX_NODES {
            return Err(ExportError::Tree(format!(
                "the tree of the game has {nodes} nodes, and at most {MAX_NODES} are written: count fewer steps"
            )));
        }
        let actions = actions.names().to_vec();
        Ok(Box::new(move |to| self.write(&actions, to)))
    }
}
