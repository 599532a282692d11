//! Nodes of the exported game graph, and the trait of those that write them.

use crate::actions::Actions;
use crate::error::ExportError;
use crate::{Scope, WriteOnce};
use gdl::Term;
use gdl::game::{Game, Objective, Points};
use num_traits::One;
use verify::Side;

/// The kind of a node: a choice, or an end of play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Choice(Side),
    /// Play is over, with these points for the role.
    Terminal(Points),
    /// No steps are left.
    Cut,
    /// The last node: nothing happens any more.
    Over,
}

/// A choice: an action, and where its branches end in the list of the node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) action: u32,
    pub(crate) end: usize,
    /// The sum of the weights of its branches.
    pub(crate) total: u64,
}

/// A target, and how many of the choice's outcomes lead there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Branch {
    pub(crate) target: u32,
    pub(crate) weight: u64,
}

impl Branch {
    /// Its probability in lowest terms.
    pub(crate) fn probability(self, total: u64) -> (u64, u64) {
        let (mut a, mut b) = (self.weight, total);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        (self.weight / a, total / a)
    }
}

/// A node with its choices.
pub(crate) struct Node<'a> {
    pub(crate) kind: Kind,
    /// A bit for each fact of the circuit.
    pub(crate) facts: &'a [u64],
    /// The steps left; 0 where they are not counted.
    pub(crate) steps: u32,
    /// The action of the role that is made already.
    pub(crate) made: Option<u32>,
    pub(crate) choices: &'a [Choice],
    pub(crate) branches: &'a [Branch],
}

impl Node<'_> {
    /// Each choice with its branches.
    pub(crate) fn choices(&self) -> impl Iterator<Item = (Choice, &[Branch])> {
        let mut start = 0;
        self.choices.iter().map(move |&choice| {
            let begin = std::mem::replace(&mut start, choice.end);
            (choice, &self.branches[begin..choice.end])
        })
    }
}

/// How many nodes, choices and branches there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) states: u64,
    pub(crate) choices: u64,
    pub(crate) branches: u64,
}

/// The receiver of the nodes, in the order of their numbers.
pub(crate) trait Sink {
    /// The next node; the actions are those that came up so far.
    fn node(&mut self, node: &Node<'_>, actions: &Actions) -> Result<(), ExportError>;
}

/// A file that is made of the nodes.
pub(crate) trait FileSink: Sink {
    /// No more nodes: the file.
    fn finish(self: Box<Self>, actions: &Actions) -> Result<WriteOnce, ExportError>;
}

/// The policy of a side that does not choose any more.
pub(crate) trait Policy {
    fn side(&self) -> Side;

    /// The index of the choice in a node with this key, of rows with the moves of the side.
    fn choice(&self, key: &[u64], rows: &[Vec<u32>]) -> Result<usize, ExportError>;
}

/// The data that all nodes share.
#[derive(Clone)]
pub(crate) struct GraphHeader {
    pub(crate) name: String,
    /// The names of both sides.
    pub(crate) names: [String; 2],
    /// The sides that choose: those that are there and not fixed.
    pub(crate) players: Vec<Side>,
    /// The names of all facts, in the order of their bits.
    pub(crate) facts: Vec<String>,
    pub(crate) counts_steps: bool,
    pub(crate) objective: Objective,
}

impl GraphHeader {
    /// Of a game of which one side may be fixed.
    pub(crate) fn new(game: &Game, scope: &Scope, fixed: Option<Side>, facts: &[Term]) -> Self {
        let role = &game.roles()[scope.role];
        let others = game.players().filter(|other| *other != role);
        let others: Vec<&str> = others.map(|other| other.as_str()).collect();
        let mut players = vec![Side::Role, Side::Opponents];
        players.retain(|&side| fixed != Some(side) && (side == Side::Role || !others.is_empty()));
        GraphHeader {
            name: game.name().to_owned(),
            names: [role.to_string(), others.join(" ")],
            players,
            facts: facts.iter().map(ToString::to_string).collect(),
            counts_steps: scope.depth.is_some(),
            objective: scope.objective,
        }
    }

    /// Whether points count as a win: where values are means, 100 do.
    pub(crate) fn wins(&self, points: Points) -> bool {
        let objective = if self.objective.is_mean() {
            Objective::Win
        } else {
            self.objective
        };
        objective.worth(points).is_one()
    }

    /// The reward `score` for these points: numerator and denominator.
    ///
    /// # Errors
    /// If they are below 0: files of this form have no such rewards.
    pub(crate) fn score(points: Points) -> Result<(u64, u64), ExportError> {
        let (numerator, denominator) = points.score().into_raw();
        let numerator = u64::try_from(numerator).map_err(|_| ExportError::BelowZero)?;
        Ok((numerator, denominator as u64))
    }

    /// The index of a side in the list of players; 0 if it is not among them.
    pub(crate) fn player(&self, kind: Kind) -> u32 {
        let Kind::Choice(side) = kind else { return 0 };
        let index = self.players.iter().position(|&other| other == side);
        index.unwrap_or(0) as u32
    }

    /// The names of the players.
    pub(crate) fn player_names(&self) -> Vec<String> {
        let name = |side: &Side| self.names[usize::from(*side == Side::Opponents)].clone();
        self.players.iter().map(name).collect()
    }

    /// The facts that hold.
    pub(crate) fn held<'a>(&'a self, facts: &'a [u64]) -> impl Iterator<Item = &'a str> {
        let all = self.facts.iter().enumerate();
        let held = all.filter(|(index, _)| facts[index / 64] >> (index % 64) & 1 == 1);
        held.map(|(_, fact)| fact.as_str())
    }
}
