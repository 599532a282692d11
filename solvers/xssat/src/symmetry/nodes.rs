//! A program as a coloured graph: automorphisms of one are automorphisms of the other.
//!
//! Nodes are the literals, the clauses of gates and checks, and the listed assignments. Edges join a
//! literal with its negation and with the clauses and assignments it is in, and the output of a
//! gate with the clauses of its definition (with the literal itself where the clause has only one).
//! Colours tell apart what must not be mapped to each other: kinds of nodes, eras, the depth of
//! gates within an era, probabilities. With them, inputs and outputs of a gate need no direction.
//!
//! If the graph has a symmetry that the program does not have, nothing is lost but time: what is
//! found is tested.

use super::automorphism::Automorphism;
use super::statements::Statements;
use base::graph::Graph;
use formula::{Lit, Probability, Var};

/// The graph of a program.
pub struct ProgramGraph {
    /// The graph; every edge in both directions.
    pub graph: Graph,
    /// The colours, by node.
    pub colours: Vec<u32>,
    /// The variables that occur; the literals of number n are the nodes 2n and 2n + 1.
    variables: Vec<Var>,
}

/// The common properties of nodes of one colour: the era, the depth within it, the kind of node, and
/// something more.
type Colour = [u32; 4];

const DECIDED: u32 = 0;
const COMPUTED: u32 = 1;
const CONJUNCT: u32 = 2;
const CHECK: u32 = 3;
const LEGALITY: u32 = 4;
const ASSIGNMENT: u32 = 5;
const UNLESS: u32 = 6;

struct Builder {
    colours: Vec<Colour>,
    edges: Vec<(u32, u32)>,
    variables: Vec<Var>,
    /// Node of the positive literal and colour, by variable.
    first: Vec<u32>,
}

impl Builder {
    /// Adds the two literals of a variable.
    fn literals(&mut self, variable: Var, positive: Colour, negative: Colour) {
        let node = self.colours.len() as u32;
        self.first[variable.index()] = node;
        self.variables.push(variable);
        self.colours.extend([positive, negative]);
        self.edges.push((node, node + 1));
    }

    fn literal(&self, literal: Lit) -> u32 {
        self.first[literal.var().index()] + u32::from(literal.is_negative())
    }

    /// Adds a node next to these literals.
    fn group(&mut self, colour: Colour, literals: impl IntoIterator<Item = Lit>) -> u32 {
        let node = self.colours.len() as u32;
        self.colours.push(colour);
        for literal in literals {
            let literal = self.literal(literal);
            self.edges.push((node, literal));
        }
        node
    }
}

impl ProgramGraph {
    /// The number of nodes there would be.
    pub fn size(statements: &Statements<'_>) -> usize {
        let definitions = statements.definitions.iter();
        let conjuncts = definitions.flat_map(|definition| &definition.clauses);
        let long = conjuncts.filter(|clause| clause.len() > 1).count();
        let literals = 2 * statements.definitions.len();
        let decisions = statements.decisions.iter();
        let decided = decisions.map(|decision| {
            let listed = decision.listed.as_ref();
            2 * decision.variables.len() + listed.map_or(0, |listed| listed.assignments.len())
        });
        statements.conditions.len() + literals + long + decided.sum::<usize>()
    }

    /// Builds the graph. `chances` are the probabilities of all variables.
    pub fn new(statements: &Statements<'_>, chances: &[Option<Probability>]) -> Self {
        let mut builder = Builder {
            colours: Vec::new(),
            edges: Vec::new(),
            variables: Vec::new(),
            first: vec![u32::MAX; chances.len()],
        };
        // Literals first, so that they are numbered without gaps.
        let probabilities = Probabilities::new(statements, chances);
        for (era, decision) in statements.decisions.iter().enumerate() {
            // Of listed assignments only the true literals are joined with them: negations must
            // not be confused. Where all are possible, they may be.
            let all = 1_usize.checked_shl(decision.variables.len() as u32);
            let listed = decision.listed.as_ref();
            let free = listed.is_none_or(|listed| Some(listed.assignments.len()) == all);
            for &variable in &decision.variables {
                let colours = [variable.positive(), variable.negative()].map(|literal| {
                    let chance = probabilities.number(literal);
                    let sign = if free {
                        0
                    } else {
                        u32::from(literal.is_negative())
                    };
                    [era as u32, 0, DECIDED, 2 * chance + sign]
                });
                builder.literals(variable, colours[0], colours[1]);
            }
        }
        let depths = depths(statements, chances.len());
        for (definition, &depth) in statements.definitions.iter().zip(&depths) {
            let colour = |literal: Lit| {
                let side = match definition.copied() {
                    Some(_) => 0,
                    None => 1 + u32::from(literal != definition.output),
                };
                [definition.era, depth, COMPUTED, side]
            };
            let variable = definition.output.var();
            let [positive, negative] = [variable.positive(), variable.negative()].map(colour);
            builder.literals(variable, positive, negative);
        }
        for (definition, &depth) in statements.definitions.iter().zip(&depths) {
            let output = builder.literal(definition.output);
            if let Some(input) = definition.copied() {
                let negated = builder.literal(!definition.output);
                let [input, negation] = [input, !input].map(|literal| builder.literal(literal));
                builder.edges.extend([(output, input), (negated, negation)]);
                continue;
            }
            for clause in &definition.clauses {
                let node = match clause.as_slice() {
                    &[literal] => builder.literal(literal),
                    clause => {
                        let colour = [definition.era, depth, CONJUNCT, 0];
                        builder.group(colour, clause.iter().copied())
                    }
                };
                builder.edges.push((output, node));
            }
        }
        for condition in &statements.conditions {
            let kind = if condition.is_legality {
                LEGALITY
            } else {
                CHECK
            };
            let literals = condition.clause.iter().copied();
            builder.group([condition.era, 0, kind, 0], literals);
        }
        for (era, decision) in statements.decisions.iter().enumerate() {
            let era = era as u32;
            let listed = decision.listed.iter();
            for assignment in listed.flat_map(|listed| &listed.assignments) {
                let indices = assignment.iter();
                let literals =
                    indices.map(|&index| decision.variables[usize::from(index)].positive());
                builder.group([era, 0, ASSIGNMENT, 0], literals);
            }
            if let Some(literal) = decision.unless() {
                builder.group([era, 0, UNLESS, 0], [literal]);
            }
        }
        let Builder {
            colours,
            edges,
            variables: occurring,
            ..
        } = builder;
        let mut distinct = colours.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let number = |colour| distinct.binary_search(colour).expect("it is among them") as u32;
        ProgramGraph {
            graph: Graph::new(colours.len(), |edge| {
                for &(left, right) in &edges {
                    edge(left as usize, right as usize);
                    edge(right as usize, left as usize);
                }
            }),
            colours: colours.iter().map(number).collect(),
            variables: occurring,
        }
    }

    /// A permutation of the nodes as one of the literals.
    pub fn on_literals(&self, moves: &[(u32, u32)]) -> Automorphism {
        let moves = moves.iter().filter_map(|&(from, to)| {
            let [variable, image] =
                [from, to].map(|node| self.variables.get(node as usize / 2).copied());
            (from % 2 == 0).then_some((variable?, image?.literal(to % 2 == 0)))
        });
        Automorphism::new(moves.collect())
    }
}

/// The longest chain of gates of one era that ends with each gate.
fn depths(statements: &Statements<'_>, variables: usize) -> Vec<u32> {
    let mut of_variable = vec![(u32::MAX, 0); variables];
    let mut depths = Vec::with_capacity(statements.definitions.len());
    for definition in &statements.definitions {
        let inputs = definition.clauses.iter().flatten();
        let below = inputs.map(|input| match of_variable[input.var().index()] {
            (era, depth) if era == definition.era => depth,
            _ => 0,
        });
        let depth = 1 + below.max().unwrap_or(0);
        of_variable[definition.output.var().index()] = (definition.era, depth);
        depths.push(depth);
    }
    depths
}

/// Numbers for the probabilities of literals: equal ones have one number.
struct Probabilities<'a> {
    chances: &'a [Option<Probability>],
    distinct: Vec<Probability>,
}

impl<'a> Probabilities<'a> {
    fn new(statements: &Statements<'_>, chances: &'a [Option<Probability>]) -> Self {
        let decided = statements
            .decisions
            .iter()
            .flat_map(|decision| &decision.variables);
        let known = decided.filter_map(|variable| chances[variable.index()].as_ref());
        let mut distinct: Vec<&Probability> = known.collect();
        distinct.sort_unstable();
        distinct.dedup();
        let both = distinct
            .into_iter()
            .flat_map(|chance| [chance.clone(), chance.complement()]);
        let mut distinct: Vec<Probability> = both.collect();
        distinct.sort_unstable();
        distinct.dedup();
        Probabilities { chances, distinct }
    }

    fn number(&self, literal: Lit) -> u32 {
        let Some(chance) = &self.chances[literal.var().index()] else {
            return 0;
        };
        let found = if literal.is_negative() {
            self.distinct.binary_search(&chance.complement())
        } else {
            self.distinct.binary_search(chance)
        };
        1 + found.expect("all were collected") as u32
    }
}
