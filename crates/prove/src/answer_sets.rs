//! [`Steps`] as an answer set program in clingo's solver.
//!
//! The program is that of all plays (see [`program`](super::program)), to which rules for
//! conditions are added while it is being asked: a literal is an atom `part(N)` that a rule defines.

use super::condition::{Atom, Condition};
use super::program::{Moment, Parts, Writer, plays};
use super::steps::{Play, Steps, Stop};
use circuit::Literal;
use circuit::invariants::Oracle;
use logic::asp::{self, Program};
use logic::ground::{AspAnswer, AspSolver, GroundError, GroundLimits, SolverAtom};

/// Plays of a game as an answer set program.
pub(super) struct AnswerSets<'a> {
    writer: Writer<'a>,
    steps: usize,
    solver: AspSolver,
    /// Rules that the solver has not got yet.
    waiting: Program,
    /// The atom of each literal's variable.
    atoms: Vec<asp::Atom>,
    core: Vec<Literal>,
}

/// Why there is no ground program.
pub(super) fn stop_of(error: GroundError) -> Stop {
    match error {
        GroundError::Stopped { reason, .. } => Stop::Limit(reason),
        other => Stop::Cannot(other.to_string()),
    }
}

impl<'a> AnswerSets<'a> {
    /// Grounds the program of plays from the initial state, or from any state.
    pub(super) fn new(
        writer: Writer<'a>,
        steps: usize,
        from_start: bool,
        limits: &GroundLimits,
    ) -> Result<Self, Stop> {
        let check = || limits.overall.check().map_err(Stop::Limit);
        check()?;
        let mut waiting = plays(writer, steps, from_start);
        check()?;
        let text = waiting.text(&limits.overall).map_err(Stop::Limit)?;
        let solver = AspSolver::new(&text, limits).map_err(stop_of)?;
        waiting.clear();
        Ok(AnswerSets {
            writer,
            steps,
            solver,
            waiting,
            atoms: Vec::new(),
            core: Vec::new(),
        })
    }

    fn new_atom(&mut self) -> (Literal, asp::Atom) {
        let number = self.waiting.new_number();
        let atom = asp::Atom::new("part", [asp::Term::Integer(number)]);
        let variable = self.atoms.len();
        self.atoms.push(atom.clone());
        (Literal::new(variable), atom)
    }

    fn atom(&self, literal: Literal) -> &asp::Atom {
        &self.atoms[literal.node()]
    }

    fn of(&self, literal: Literal) -> asp::Literal {
        let atom = self.atom(literal).clone();
        if literal.is_negated() {
            asp::Literal::Negative(atom)
        } else {
            asp::Literal::Positive(atom)
        }
    }

    /// That a role makes a move at a time.
    fn does(&self, role: usize, action: &gdl::Term, time: usize) -> asp::Atom {
        let arguments = [
            self.writer.names.role(&self.writer.vocabulary.roles[role]),
            self.writer.names.ground_term(action),
            asp::Term::Integer(i64::try_from(time).expect("plays are shorter")),
        ];
        asp::Atom::new("does", arguments)
    }

    fn holds_at(&self, atom: Atom, time: usize) -> bool {
        let atom = self.writer.atom(atom, Moment::At(time));
        self.solver.is_true(&atom.symbol())
    }
}

impl Oracle for AnswerSets<'_> {
    type Stop = Stop;

    fn new_literal(&mut self) -> Literal {
        let (literal, atom) = self.new_atom();
        self.waiting.push(asp::Rule {
            head: asp::Head::Choice(atom),
            body: Vec::new(),
        });
        literal
    }

    fn require(&mut self, clause: &[Literal]) {
        let body: Vec<asp::Literal> = clause.iter().map(|&literal| self.of(!literal)).collect();
        self.waiting.constraint(body);
    }

    fn can_hold(&mut self, literals: &[Literal]) -> Result<bool, Stop> {
        if !self.waiting.is_empty() {
            let text = self
                .waiting
                .text(self.solver.limits())
                .map_err(Stop::Limit)?;
            self.waiting.clear();
            self.solver.extend(&text).map_err(stop_of)?;
        }
        self.core = literals.to_vec();
        let mut assumed: Vec<(SolverAtom, bool)> = Vec::with_capacity(literals.len());
        for &literal in literals {
            let name = self.atom(literal).symbol();
            match self.solver.atom(&name) {
                Some(atom) => assumed.push((atom, !literal.is_negated())),
                None if self.solver.is_fact(&name) == literal.is_negated() => {
                    self.core = vec![literal];
                    return Ok(false);
                }
                None => {}
            }
        }
        match self.solver.solve(&assumed).map_err(stop_of)? {
            AspAnswer::Model => Ok(true),
            AspAnswer::None => Ok(false),
            AspAnswer::Stopped(reason) => Err(Stop::Limit(reason)),
        }
    }

    fn is_true(&self, literal: Literal) -> bool {
        self.solver.is_true(&self.atom(literal).symbol()) != literal.is_negated()
    }
}

impl Steps for AnswerSets<'_> {
    fn literal(&mut self, condition: &Condition, time: usize) -> Result<Literal, Stop> {
        let (literal, atom) = self.new_atom();
        let mut parts = Parts::new(self.writer, Moment::At(time), &mut self.waiting);
        let body = parts.literals(condition, true);
        self.waiting.rule(atom, body);
        Ok(literal)
    }

    fn made(&mut self, role: usize, action: usize) -> Result<Literal, Stop> {
        let (literal, atom) = self.new_atom();
        let made = self.does(role, &self.writer.vocabulary.moves[role][action], 0);
        self.waiting.rule(atom, vec![asp::Literal::Positive(made)]);
        Ok(literal)
    }

    fn play(&self) -> Play {
        let game = self.writer.vocabulary;
        let facts = |time| {
            let facts = 0..game.facts.len();
            facts.filter(move |&fact| self.holds_at(Atom::True(fact), time))
        };
        let action = |role: usize, time: usize| {
            let moves = game.moves[role].iter();
            let made =
                moves.map(|action| self.solver.is_true(&self.does(role, action, time).symbol()));
            made.enumerate()
                .find(|(_, made)| *made)
                .map_or(0, |(number, _)| number)
        };
        Play {
            states: (0..=self.steps).map(|time| facts(time).collect()).collect(),
            moves: (0..self.steps)
                .map(|time| {
                    (0..game.roles.len())
                        .map(|role| action(role, time))
                        .collect()
                })
                .collect(),
        }
    }

    fn core(&self) -> Vec<Literal> {
        self.core.clone()
    }
}
