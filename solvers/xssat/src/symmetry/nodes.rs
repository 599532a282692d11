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
use circuit::automorphism::ColouredGraph;
use formula::{Lit, Probability, Var};

/// The graph of a program.
pub struct ProgramGraph {
    pub graph: ColouredGraph<Colour>,
    /// The variables that occur; the literals of number n are the nodes 2n and 2n + 1.
    variables: Vec<Var>,
    /// Node of the positive literal, by variable.
    first: Vec<u32>,
}

/// The common properties of nodes of one colour: the era, the depth within it, the kind of node, the probability of a literal, and
/// something more.
pub type Colour = (u32, u32, u32, Option<Probability>, u32);

const DECIDED: u32 = 0;
const COMPUTED: u32 = 1;
const CONJUNCT: u32 = 2;
const CHECK: u32 = 3;
const LEGALITY: u32 = 4;
const ASSIGNMENT: u32 = 5;
const UNLESS: u32 = 6;

impl ProgramGraph {
    /// Adds the two literals of a variable.
    fn literals(&mut self, variable: Var, positive: Colour, negative: Colour) {
        let [node, negation] = [positive, negative].map(|colour| self.graph.node(colour));
        self.first[variable.index()] = node;
        self.variables.push(variable);
        self.graph.edge(node, negation);
    }

    fn literal(&self, literal: Lit) -> u32 {
        self.first[literal.var().index()] + u32::from(literal.is_negative())
    }

    /// Adds a node next to these literals.
    fn group(&mut self, colour: Colour, literals: impl IntoIterator<Item = Lit>) -> u32 {
        let node = self.graph.node(colour);
        for literal in literals {
            self.graph.edge(node, self.literal(literal));
        }
        node
    }

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
        let mut drawn = ProgramGraph {
            graph: ColouredGraph::default(),
            variables: Vec::new(),
            first: vec![u32::MAX; chances.len()],
        };
        // Literals first, so that they are numbered without gaps.
        for (era, decision) in statements.decisions.iter().enumerate() {
            // Of listed assignments only the true literals are joined with them: negations must
            // not be confused. Where all are possible, they may be.
            let all = 1_usize.checked_shl(decision.variables.len() as u32);
            let listed = decision.listed.as_ref();
            let free = listed.is_none_or(|listed| Some(listed.assignments.len()) == all);
            for &variable in &decision.variables {
                let chance = chances[variable.index()].as_ref();
                let sign = u32::from(!free);
                drawn.literals(
                    variable,
                    (era as u32, 0, DECIDED, chance.cloned(), 0),
                    (
                        era as u32,
                        0,
                        DECIDED,
                        chance.map(Probability::complement),
                        sign,
                    ),
                );
            }
        }
        let depths = depths(statements, chances.len());
        for (definition, &depth) in statements.definitions.iter().zip(&depths) {
            let colour = |literal: Lit| {
                let side = match definition.copied() {
                    Some(_) => 0,
                    None => 1 + u32::from(literal != definition.output),
                };
                (definition.era, depth, COMPUTED, None, side)
            };
            let variable = definition.output.var();
            let [positive, negative] = [variable.positive(), variable.negative()].map(colour);
            drawn.literals(variable, positive, negative);
        }
        for (definition, &depth) in statements.definitions.iter().zip(&depths) {
            let output = drawn.literal(definition.output);
            if let Some(input) = definition.copied() {
                let negated = drawn.literal(!definition.output);
                let [input, negation] = [input, !input].map(|literal| drawn.literal(literal));
                drawn.graph.edge(output, input);
                drawn.graph.edge(negated, negation);
                continue;
            }
            for clause in &definition.clauses {
                let node = match clause.as_slice() {
                    &[literal] => drawn.literal(literal),
                    clause => {
                        let colour = (definition.era, depth, CONJUNCT, None, 0);
                        drawn.group(colour, clause.iter().copied())
                    }
                };
                drawn.graph.edge(output, node);
            }
        }
        for condition in &statements.conditions {
            let kind = if condition.is_legality {
                LEGALITY
            } else {
                CHECK
            };
            let literals = condition.clause.iter().copied();
            drawn.group((condition.era, 0, kind, None, 0), literals);
        }
        for (era, decision) in statements.decisions.iter().enumerate() {
            let era = era as u32;
            let listed = decision.listed.iter();
            for assignment in listed.flat_map(|listed| &listed.assignments) {
                let indices = assignment.iter();
                let literals =
                    indices.map(|&index| decision.variables[usize::from(index)].positive());
                drawn.group((era, 0, ASSIGNMENT, None, 0), literals);
            }
            if let Some(literal) = decision.unless() {
                drawn.group((era, 0, UNLESS, None, 0), [literal]);
            }
        }
        drawn
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
