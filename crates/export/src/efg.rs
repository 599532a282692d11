//! An extensive game of Gambit: the tree of all plays, in which everybody knows everything.
//!
//! The opponents are one player, who wins the amount that the role loses. A tree repeats a node for each way
//! that leads there, so it is counted before it is written, and refused if it is too large.

use crate::WriteOnce;
use crate::actions::Actions;
use crate::error::ExportError;
use crate::node::{About, FileSink, Kind, Node, Sink};
use num_rational::BigRational;
use num_traits::Zero;
use std::io::{self, Write};
use verify::Side;

/// The most nodes of a tree.
const MAX_NODES: u64 = 1_000_000;

/// A choice: its action, and targets with their probabilities.
type Way = (u32, Vec<(u32, (u64, u64))>);

/// The graph, in memory.
pub(crate) struct Efg {
    about: About,
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
    pub(crate) fn new(about: About) -> Self {
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
        let players = &self.about.names[..if self.about.names[1].is_empty() { 1 } else { 2 }];
        let names: Vec<String> = players.iter().map(|name| format!("\"{name}\"")).collect();
        writeln!(
            to,
            "EFG 2 R \"{}\" {{ {} }}\n\"\"\n",
            self.about.name,
            names.join(" ")
        )?;
        let mut outcomes: Vec<BigRational> = Vec::new();
        let mut sets = [0; 2];
        let mut chances = 0;
        let mut stack: Vec<Step<'_>> = vec![Step::Node(0)];
        while let Some(step) = stack.pop() {
            let number = match step {
                Step::Chance(branches) => {
                    chances += 1;
                    let named = branches.iter().map(|(target, (numerator, denominator))| {
                        format!("\"{target}\" {numerator}/{denominator}")
                    });
                    let named: Vec<String> = named.collect();
                    writeln!(to, "c \"\" {chances} \"\" {{ {} }} 0", named.join(" "))?;
                    let targets = branches.iter().rev();
                    stack.extend(targets.map(|&(target, _)| Step::Node(target as usize)));
                    continue;
                }
                Step::Node(number) => number,
            };
            let index = &self.nodes[number];
            let Kind::Choice(side) = index.kind else {
                let worth = match index.kind {
                    Kind::Terminal(points) => self.about.objective.worth(points),
                    _ => BigRational::zero(),
                };
                let known = outcomes.iter().position(|other| *other == worth);
                let outcome = known.unwrap_or(outcomes.len());
                if known.is_none() {
                    outcomes.push(worth.clone());
                }
                let payoffs = match players {
                    [_] => format!("{worth}"),
                    _ => format!("{worth}, {}", -&worth),
                };
                writeln!(to, "t \"\" {} \"\" {{ {payoffs} }}", outcome + 1)?;
                continue;
            };
            // Nobody chooses where there is one choice.
            if index.ways.len() > 1 {
                let player = usize::from(side == Side::Opponents);
                sets[player] += 1;
                let quoted = |(action, _): &Way| format!("\"{}\"", actions[*action as usize]);
                let ways: Vec<String> = index.ways.iter().map(quoted).collect();
                writeln!(
                    to,
                    "p \"\" {} {} \"\" {{ {} }} 0",
                    player + 1,
                    sets[player],
                    ways.join(" ")
                )?;
            }
            stack.extend(
                index
                    .ways
                    .iter()
                    .rev()
                    .map(|(_, branches)| match branches[..] {
                        [(target, _)] => Step::Node(target as usize),
                        _ => Step::Chance(branches),
                    }),
            );
        }
        Ok(())
    }
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
                "the tree of the game has {nodes} nodes, and at most {MAX_NODES} are written: count fewer steps with \
                 --depth"
            )));
        }
        let actions = actions.names().to_vec();
        Ok(Box::new(move |to| self.write(&actions, to)))
    }
}
