//! [`Steps`] as clauses of the circuit of one step, in a satisfiability solver.
//!
//! The circuit is unrolled: the facts at time t+1 are the outputs of a copy of the circuit whose facts
//! are those at time t. A play from the initial state starts with constants, and much of its first
//! steps is decided by that. Each gate that is asked about becomes clauses in both directions, so
//! a literal says exactly what its condition says. Sets of moves get literals of their own, with clauses
//! for their constraints that are plain to see ([`choices`]).

use super::bounds::MAX_NODES;
use super::choices::{self, Claim, GateOfSets};
use super::condition::{Atom, Condition};
use super::steps::{Play, Steps, Stop};
use circuit::invariants::Oracle;
use circuit::sat::{BatSat, Cone, Gates};
use circuit::{Circuit, Literal};
use limits::{Limits, StopReason};
use rustc_hash::FxHashMap;
use step::GroundStep;

/// The signals of a state: one for everything that can hold in it.
struct State {
    facts: Vec<Literal>,
    legal: Vec<Vec<Literal>>,
    goals: Vec<Vec<Literal>>,
    terminal: Literal,
}

/// Plays of a game as clauses.
pub(super) struct Clauses {
    circuit: Circuit,
    states: Vec<State>,
    /// For each step and role the input for each move.
    moves: Vec<Vec<Vec<Literal>>>,
    gates: Gates<'static>,
    limits: Limits,
    /// The literals of the circuit. Gates about sets of moves are said by literals for "one of the set is
    /// made".
    cone: Cone,
    assumed: Vec<Literal>,
}

impl Clauses {
    /// The plays of `steps` steps from the initial state, or from any state.
    pub(super) fn new(
        ground: &GroundStep,
        steps: usize,
        from_start: bool,
        limits: &Limits,
    ) -> Result<Self, Stop> {
        let step = &ground.step;
        let first = State {
            facts: step.facts.clone(),
            legal: step.legal.clone(),
            goals: signals_of_goals(ground),
            terminal: step.terminal,
        };
        let mut solver = BatSat::with_long_clauses();
        let asked = limits.clone();
        solver.stop_when(Box::new(move || asked.is_over()));
        let gates = Gates::new(solver);
        let mut clauses = Clauses {
            circuit: step.circuit.clone(),
            states: vec![first],
            moves: Vec::new(),
            cone: Cone::new(&gates),
            gates,
            limits: limits.clone(),
            assumed: Vec::new(),
        };
        let mut roots: Vec<Literal> = step.legal.iter().flatten().copied().collect();
        roots.extend(signals_of_goals(ground).into_iter().flatten());
        roots.push(step.terminal);
        let now = roots.len();
        roots.extend(&step.next);
        let cone = step.circuit.cone(&roots);
        let cone_now = step.circuit.cone(&roots[..now]);
        if from_start {
            let constants: Vec<Literal> = step
                .initial
                .iter()
                .map(|&holds| Literal::FALSE.negated_if(holds))
                .collect();
            clauses.states[0] = clauses.state(ground, constants, &cone_now);
        }
        for _ in 0..steps {
            clauses.step(ground, &roots[now..], &cone, &cone_now)?;
        }
        Ok(clauses)
    }

    /// The state with these facts.
    fn state(&mut self, ground: &GroundStep, facts: Vec<Literal>, cone: &[usize]) -> State {
        let step = &ground.step;
        let inputs = step.facts.iter().map(|fact| fact.node());
        let mut images: FxHashMap<usize, Literal> = inputs.zip(facts.iter().copied()).collect();
        let mut image = |signals: &[Literal]| self.circuit.substitute(signals, cone, &mut images);
        State {
            legal: step.legal.iter().map(|legal| image(legal)).collect(),
            goals: signals_of_goals(ground)
                .iter()
                .map(|goals| image(goals))
                .collect(),
            terminal: image(&[step.terminal])[0],
            facts,
        }
    }

    /// Adds a step after the last state.
    fn step(
        &mut self,
        ground: &GroundStep,
        next: &[Literal],
        cone: &[usize],
        cone_now: &[usize],
    ) -> Result<(), Stop> {
        if self.circuit.node_count() > MAX_NODES {
            return Err(Stop::Limit(StopReason::Memory));
        }
        let step = &ground.step;
        let time = self.moves.len();
        let moves: Vec<Vec<Literal>> = match time {
            0 => step.moves.clone(),
            _ => {
                let inputs = step.moves.iter();
                inputs
                    .map(|moves| moves.iter().map(|_| self.circuit.input(1)).collect())
                    .collect()
            }
        };
        let inputs = step.facts.iter().chain(step.moves.iter().flatten());
        let values = self.states[time].facts.iter().chain(moves.iter().flatten());
        let mut images: FxHashMap<usize, Literal> = inputs
            .zip(values)
            .filter(|(input, value)| input != value)
            .map(|(input, &value)| (input.node(), value))
            .collect();
        let facts = self.circuit.substitute(next, cone, &mut images);
        let over = self.states[time].terminal;
        self.add(&[!over])?;
        for (role, moves) in moves.iter().enumerate() {
            self.add(moves)?;
            for (&made, legal) in moves.iter().zip(self.states[time].legal[role].clone()) {
                self.add(&[!made, legal])?;
            }
            let mut made = Vec::with_capacity(moves.len());
            for &signal in moves {
                made.push(self.lit(signal)?);
            }
            self.gates.at_most_one(&made);
        }
        self.add_choices(&facts, &moves)?;
        self.moves.push(moves);
        let state = self.state(ground, facts, cone_now);
        self.states.push(state);
        Ok(())
    }

    /// Adds the constraints that are plain to see on the moves of the step after the last state, to a state with these
    /// facts.
    fn add_choices(&mut self, facts: &[Literal], moves: &[Vec<Literal>]) -> Result<(), Stop> {
        let state = self.states.last().expect("there is a first state");
        let is_late = || self.limits.is_over();
        let found = choices::find(&self.circuit, facts, moves, &state.legal, &is_late);
        let mut made = Vec::with_capacity(found.sets.len());
        for set in &found.sets {
            let one = self.gates.new_literal();
            let mut some = vec![!one];
            for &number in &set.moves {
                let lit = self.lit(moves[set.role][number])?;
                self.gates.require(&[!lit, one]);
                some.push(lit);
            }
            self.gates.require(&some);
            made.push(one);
        }
        for GateOfSets { node, sets, others } in found.gates {
            let none = sets.iter().map(|&set| !made[set]).collect();
            self.cone.define_by(node, none, others);
        }
        for claim in found.claims {
            let clause = match claim {
                Claim::Excludes(one, other) => vec![!made[one], !made[other]],
                Claim::Needs(set, signal, other) => {
                    let mut clause = vec![!made[set], self.lit(signal)?];
                    clause.extend(other.map(|other| made[other]));
                    clause
                }
            };
            self.gates.require(&clause);
        }
        Ok(())
    }

    /// Requires one of these signals.
    fn add(&mut self, signals: &[Literal]) -> Result<(), Stop> {
        let mut clause = Vec::with_capacity(signals.len());
        for &signal in signals {
            clause.push(self.lit(signal)?);
        }
        self.gates.require(&clause);
        Ok(())
    }

    /// The literal of a signal; its gates become clauses if they are not yet.
    fn lit(&mut self, signal: Literal) -> Result<Literal, Stop> {
        let limits = &self.limits;
        let literal = self
            .cone
            .literal_unless(&mut self.gates, &self.circuit, signal, || limits.is_over());
        // Only the limits stop it.
        literal.ok_or_else(|| Stop::Limit(limits.check().err().unwrap_or(StopReason::Time)))
    }

    /// The signal of a condition.
    fn signal(&mut self, condition: &Condition, time: usize) -> Literal {
        match condition {
            Condition::Constant(value) => Literal::FALSE.negated_if(*value),
            Condition::Atom(atom) => self.atom(*atom, time),
            Condition::Not(inner) => !self.signal(inner, time),
            Condition::All(inner) => {
                let parts: Vec<Literal> =
                    inner.iter().map(|part| self.signal(part, time)).collect();
                self.circuit.and(parts)
            }
            Condition::Any(inner) => {
                let parts: Vec<Literal> =
                    inner.iter().map(|part| self.signal(part, time)).collect();
                self.circuit.or(parts)
            }
            Condition::Count { least, most, atoms } => {
                let signals: Vec<Literal> = atoms.iter().map(|&a| self.atom(a, time)).collect();
                let bound = most.map_or(*least, |most| (most + 1).max(*least));
                let at_least = self.counted(&signals, bound);
                let enough = at_least[*least];
                match most {
                    None => enough,
                    Some(most) => self.circuit.and([enough, !at_least[most + 1]]),
                }
            }
        }
    }

    /// Whether at least 0, 1, ... `bound` of these hold.
    fn counted(&mut self, signals: &[Literal], bound: usize) -> Vec<Literal> {
        let mut at_least = vec![Literal::FALSE; bound + 1];
        at_least[0] = Literal::TRUE;
        for &signal in signals {
            for count in (1..=bound).rev() {
                let one_more = self.circuit.and([signal, at_least[count - 1]]);
                at_least[count] = self.circuit.or([at_least[count], one_more]);
            }
        }
        at_least
    }

    fn atom(&self, atom: Atom, time: usize) -> Literal {
        let state = &self.states[time];
        match atom {
            Atom::True(fact) => state.facts[fact],
            Atom::Legal(role, action) => state.legal[role][action],
            Atom::Goal(role, value) => state.goals[role][value],
            Atom::Terminal => state.terminal,
        }
    }

    fn is_signal_true(&self, signal: Literal) -> bool {
        match self.cone.known(signal) {
            Some(lit) => self.gates.is_true(lit),
            // It is in no query, so it may be anything.
            None => signal.is_negated(),
        }
    }
}

fn signals_of_goals(ground: &GroundStep) -> Vec<Vec<Literal>> {
    let goals = ground.goals.iter();
    goals
        .map(|goals| goals.iter().map(|(_, signal)| *signal).collect())
        .collect()
}

impl Oracle for Clauses {
    type Stop = Stop;

    fn new_literal(&mut self) -> Literal {
        self.gates.new_literal()
    }

    fn require(&mut self, clause: &[Literal]) {
        self.gates.require(clause);
    }

    fn can_hold(&mut self, literals: &[Literal]) -> Result<bool, Stop> {
        self.limits.check().map_err(Stop::Limit)?;
        // Facts that are in no query are needed all the same to report the play.
        let facts = self.states.iter().flat_map(|state| state.facts.clone());
        for fact in facts.collect::<Vec<Literal>>() {
            self.lit(fact)?;
        }
        self.assumed = literals.to_vec();
        self.gates
            .solve(literals)
            .ok_or_else(|| Stop::Limit(self.limits.check().err().unwrap_or(StopReason::Time)))
    }

    fn is_true(&self, literal: Literal) -> bool {
        self.gates.is_true(literal)
    }
}

impl Steps for Clauses {
    fn literal(&mut self, condition: &Condition, time: usize) -> Result<Literal, Stop> {
        let signal = self.signal(condition, time);
        if self.circuit.node_count() > MAX_NODES {
            return Err(Stop::Limit(StopReason::Memory));
        }
        self.lit(signal)
    }

    fn made(&mut self, role: usize, action: usize) -> Result<Literal, Stop> {
        self.lit(self.moves[0][role][action])
    }

    fn play(&self) -> Play {
        let held = |signals: &[Literal]| -> Vec<usize> {
            let numbers = signals.iter().enumerate();
            let held = numbers.filter(|(_, signal)| self.is_signal_true(**signal));
            held.map(|(number, _)| number).collect()
        };
        let made = |moves: &Vec<Literal>| held(moves).first().copied().unwrap_or(0);
        Play {
            states: self.states.iter().map(|state| held(&state.facts)).collect(),
            moves: (self.moves.iter())
                .map(|moves| moves.iter().map(made).collect())
                .collect(),
        }
    }

    fn core(&self) -> Vec<Literal> {
        let is_in = |literal: &&Literal| self.gates.has_failed(**literal);
        self.assumed.iter().filter(is_in).copied().collect()
    }
}
