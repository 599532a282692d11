//! Best play of a side, by solving the graph of all nodes.

use crate::actions::Actions;
use crate::error::ExportError;
use crate::explore::Explorer;
use crate::node::{Kind, Node, Policy, Sink};
use base::table::Interner;
use endless::{Builder, GameGraph, Options, Solution, Target, solve};
use gdl::game::{Objective, Points, ValueRange};
use limits::Limits;
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use verify::Side;

/// The choices of a side in all nodes.
pub(crate) struct NodeChoices {
    side: Side,
    keys: Interner,
    choices: Vec<u32>,
    bounds: (BigRational, BigRational),
}

/// The graph under construction.
struct Graph {
    builder: Builder,
    objective: Objective,
    range: ValueRange,
    sides: Vec<Side>,
    payoffs: Vec<BigRational>,
    ends: FxHashMap<Points, u32>,
}

impl NodeChoices {
    /// Lists all nodes and solves the graph.
    pub(crate) fn new(
        mut explorer: Explorer,
        objective: Objective,
        range: ValueRange,
        side: Side,
        limits: &Limits,
    ) -> Result<Self, ExportError> {
        let mut graph = Graph {
            builder: Builder::default(),
            objective,
            range: range.clone(),
            sides: Vec::new(),
            payoffs: vec![BigRational::zero()],
            ends: FxHashMap::default(),
        };
        explorer.run(&mut graph, limits)?;
        let states = graph.sides.len();
        let arena = graph.builder.finish(graph.payoffs.len());
        let arena = arena.map_err(|error| ExportError::Tree(error.to_string()))?;
        let game = GameGraph::new(arena, graph.payoffs).expect("payoffs are parts of the range");
        let solution = solve(&game, &Options::default(), limits);
        if let Some(reason) = solution.stopped {
            return Err(ExportError::Stopped { reason, states });
        }
        let (lower, upper) = solution.bounds(0);
        Ok(NodeChoices {
            side,
            keys: explorer.into_keys(),
            choices: (0..states)
                .map(|state| chosen(&game, &solution, graph.sides[state], state))
                .collect(),
            bounds: (range.value(&lower), range.value(&upper)),
        })
    }

    /// Bounds of the value of the first node.
    pub(crate) fn bounds(&self) -> (BigRational, BigRational) {
        self.bounds.clone()
    }
}

impl Policy for NodeChoices {
    fn side(&self) -> Side {
        self.side
    }

    fn choice(&self, key: &[u64], _: &[Vec<u32>]) -> Result<usize, ExportError> {
        let number = self.keys.find(key);
        Ok(self.choices[number.expect("a side that is fixed leads to no new node")] as usize)
    }
}

/// The index of the best choice among those of a state.
fn chosen(game: &GameGraph, solution: &Solution, side: Side, state: usize) -> u32 {
    let alternative = solution.alternatives[state];
    let (chosen, first) = match side {
        Side::Role => (alternative, game.arena().alternatives(state).start),
        Side::Opponents => (
            solution.replies[alternative as usize],
            game.arena().replies(alternative as usize).start,
        ),
    };
    chosen - first as u32
}

impl Sink for Graph {
    fn node(&mut self, node: &Node<'_>, _: &Actions) -> Result<(), ExportError> {
        self.builder.state();
        let (side, end) = match node.kind {
            Kind::Choice(side) => (side, None),
            Kind::Terminal(points) => {
                let (next, payoffs) = (self.payoffs.len() as u32, &mut self.payoffs);
                let end = self.ends.entry(points).or_insert_with(|| {
                    payoffs.push(self.range.part(&self.objective.worth(points)));
                    next
                });
                (Side::Role, Some(*end))
            }
            Kind::Cut | Kind::Over => (Side::Role, Some(0)),
        };
        self.sides.push(side);
        for (index, (_, branches)) in node.choices().enumerate() {
            if side == Side::Role || index == 0 {
                self.builder.alternative();
            }
            self.builder.reply();
            if let Some(end) = end {
                self.builder.outcome(Target::End(end), 1);
                continue;
            }
            for branch in branches {
                let target = Target::State(branch.target);
                self.builder.outcome(target, branch.weight);
            }
        }
        Ok(())
    }
}
