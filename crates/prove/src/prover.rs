//! One property at a time: base case, induction step, and further methods when they fail.
//!
//! In this order, from cheap to dear, until something is known:
//!
//! 1. the base case; a violation there refutes the property without a move;
//! 2. for properties of `legal`, `goal` or `terminal`: does any state violate it at all?
//! 3. the induction step with the rules that matter, then the whole step;
//! 4. random play, which refutes most properties that do not hold;
//! 5. plays of 1, 2, ... steps from the start (a violation refutes) and, once there is none within k-1
//!    steps, induction over k steps: no k states in a row that have the property lead to one without.
//!
//! A property that is still open is not inductive, and the step of 3. shows it. The rules themselves check
//! that step before it is reported, as they check every play that refutes.

use super::answer_sets::{AnswerSets, stop_of};
use super::bounds::{MAX_PREDICTED, MAX_QUESTIONS, step_limits};
use super::clauses::Clauses;
use super::condition::{Condition, instances};
use super::program::{self, Scope, Writer};
use super::property::Property;
use super::steps::{Play, Steps, Stop};
use super::verdict::{Proof, Verdict};
use super::vocabulary::Vocabulary;
use circuit::Literal;
use circuit::invariants::find_one;
use gdl::game::Game;
use limits::Limits;
use logic::asp::{Program, Symbol};
use logic::ground::{AspAnswer, AspSolver, GroundLimits};
use logic::translate::Names;
use rules::{Reasoner, ReasonerError};
use step::{GroundStep, StateMachine};

/// How proofs are searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Route {
    /// Answer set programs where grounding them is not too much, else the circuit of one step.
    #[default]
    Auto,
    /// Answer set programs only.
    AnswerSets,
    /// The circuit only.
    Circuit,
}

/// How much may be done.
#[derive(Clone, Debug)]
pub struct Settings {
    pub route: Route,
    pub limits: Limits,
    /// The most rules of a ground program.
    pub rules: usize,
    /// The most steps that an induction looks back.
    pub max_steps: usize,
    /// The most random plays in search of a violation.
    pub plays: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            route: Route::Auto,
            limits: Limits::default(),
            rules: 10_000_000,
            max_steps: 3,
            plays: 200,
        }
    }
}

impl Settings {
    /// A short look: few random plays, and inductions that look back one step. The circuit of one step answers where there is one: it is made once,
    /// programs are grounded for each question.
    #[must_use]
    pub fn brief(limits: Limits) -> Self {
        Settings {
            route: Route::Circuit,
            limits,
            max_steps: 1,
            plays: 5,
            ..Settings::default()
        }
    }
}

/// Nothing can be proved about this game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProveError {
    /// The property makes no sense in this game.
    #[error("{0}")]
    Property(String),
    /// Facts and moves cannot be listed.
    #[error("what states are made of cannot be listed: {0}")]
    Vocabulary(String),
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Rules(#[from] rules::ReasonerError),
    /// Two ways gave different answers, or an answer does not pass its check: a mistake of this
    /// program.
    #[error("{0}; please report this with the game")]
    Contradiction(String),
}

/// Proves properties of one game.
pub struct Prover<'a> {
    pub(super) game: &'a Game,
    pub(super) names: Names,
    pub(super) vocabulary: Vocabulary,
    pub(super) ground: Option<GroundStep>,
    pub(super) machine: StateMachine,
    /// The rules themselves, which every witness has to pass.
    pub(super) rules: StateMachine,
    pub(super) settings: Settings,
    is_cut: bool,
}

/// A property, its instances in the game, and a name for them.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) property: Property,
    pub(super) instances: Vec<Condition>,
}

impl<'a> Prover<'a> {
    /// Grounds one step of the game, if that is possible within the limits.
    pub fn new(game: &'a Game, settings: Settings) -> Result<Self, ProveError> {
        let step = step_limits(&settings.limits);
        let limits = rules::RuleLimits::within(&settings.limits);
        let machine = StateMachine::new(game, &step, limits.clone())?;
        // Each of these takes a while where a step is large.
        let check = || settings.limits.check().map_err(ReasonerError::Stopped);
        check()?;
        let ground = machine.circuit().ok().cloned();
        check()?;
        let mut vocabulary = match &ground {
            Some(ground) => Vocabulary::of_step(ground),
            None => {
                Vocabulary::of_domains(game, &settings.limits).map_err(ProveError::Vocabulary)?
            }
        };
        vocabulary.zero_sum_total = game.zero_sum_total();
        Ok(Prover {
            names: Names::of(game),
            rules: StateMachine::by_rules(Reasoner::with_limits(game, limits)?),
            game,
            vocabulary,
            ground,
            machine,
            settings,
            is_cut: false,
        })
    }

    /// Whether the time of some stage was over before its end, so that more time may tell more.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The roles, facts, moves and goal values of the game's states.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The instances of a property in this game.
    ///
    /// # Errors
    /// A message: the mistake of the property, and the text to write instead.
    pub fn instances(&self, property: &Property) -> Result<Vec<Condition>, String> {
        instances(property, &self.vocabulary, &self.settings.limits)
    }

    /// The programs of base case and induction step, for reading.
    ///
    /// # Errors
    /// A message: the mistake of the property, and the text to write instead.
    pub fn programs(
        &self,
        property: &Property,
        assumed: &[Property],
    ) -> Result<(Program, Program), String> {
        let property = self.instances(property)?;
        let mut known = Vec::new();
        for property in assumed {
            known.extend(self.instances(property)?);
        }
        let base = program::base_case(self.writer(), &property);
        let step = program::induction_step(self.writer(), &property, &known, Scope::Relevant);
        let complete = self.settings.limits.check();
        complete.map_err(|reason| format!("{reason} before the programs were written"))?;
        Ok((base, step))
    }

    pub(super) fn writer(&self) -> Writer<'_> {
        Writer {
            game: self.game,
            names: &self.names,
            vocabulary: &self.vocabulary,
            limits: &self.settings.limits,
        }
    }

    pub(super) fn ground_limits(&self) -> GroundLimits {
        GroundLimits {
            overall: self.settings.limits.clone(),
            rules: Some(self.settings.rules),
            progress: None,
        }
    }

    pub(super) fn claim(&self, property: &Property) -> Result<Claim, ProveError> {
        let instances =
            self.instances(property)
                .map_err(|problem| match self.settings.limits.check() {
                    Ok(()) => ProveError::Property(problem),
                    Err(reason) => ProveError::Rules(ReasonerError::Stopped(reason)),
                });
        Ok(Claim {
            property: property.clone(),
            instances: instances?,
        })
    }

    /// Whether grounding a program of the game is expected to be bearable.
    pub(super) fn may_ground(&self, rules: &[&gdl::Rule]) -> bool {
        match self.settings.route {
            Route::AnswerSets => true,
            Route::Circuit => self.ground.is_none(),
            Route::Auto => {
                self.ground.is_none()
                    || gdl::game::predict_instances(
                        self.game,
                        self.game.domains(),
                        rules.iter().copied(),
                    ) <= MAX_PREDICTED
            }
        }
    }

    /// The name of the method that answers questions about plays of some steps.
    pub(super) fn steps_by(&self) -> &'static str {
        match (self.settings.route, &self.ground) {
            (Route::AnswerSets, _) | (_, None) => "answer sets",
            (_, Some(_)) => "circuit",
        }
    }

    /// Plays of some steps, by the route that was chosen.
    pub(super) fn steps(
        &self,
        steps: usize,
        from_start: bool,
    ) -> Result<Box<dyn Steps + '_>, Stop> {
        let by_clauses = match (self.settings.route, &self.ground) {
            (Route::AnswerSets, _) => None,
            (_, ground) => ground.as_ref(),
        };
        Ok(match by_clauses {
            Some(ground) => Box::new(Clauses::new(
                ground,
                steps,
                from_start,
                &self.settings.limits,
            )?),
            None => {
                if let Some(why) = &self.vocabulary.unlisted_moves {
                    return Err(Stop::Cannot(why.clone()));
                }
                let limits = self.ground_limits();
                Box::new(AnswerSets::new(self.writer(), steps, from_start, &limits)?)
            }
        })
    }

    /// The verdict about a property, given properties that hold.
    pub fn prove(
        &mut self,
        property: &Property,
        assumed: &[Property],
    ) -> Result<Verdict, ProveError> {
        or_unknown(self.search_proof_of(property, assumed))
    }

    fn search_proof_of(
        &mut self,
        property: &Property,
        assumed: &[Property],
    ) -> Result<Verdict, ProveError> {
        let claim = self.claim(property)?;
        let known = assumed.iter().map(|property| self.claim(property));
        let known: Vec<Claim> = known.collect::<Result<_, _>>()?;
        match property {
            Property::Terminates(steps) => self.prove_termination(*steps, &known),
            _ => self.search_proof(&claim, &known),
        }
    }

    /// The same for a claim.
    pub(super) fn prove_claim(
        &mut self,
        claim: &Claim,
        known: &[Claim],
    ) -> Result<Verdict, ProveError> {
        or_unknown(self.search_proof(claim, known))
    }

    fn search_proof(&mut self, claim: &Claim, known: &[Claim]) -> Result<Verdict, ProveError> {
        if let Some(witness) = self.violated_initially(claim)? {
            return Ok(Verdict::Refuted(witness));
        }
        let assumed: Vec<Condition> = known.iter().flat_map(|k| k.instances.clone()).collect();
        let using: Vec<String> = known.iter().map(|k| k.property.to_string()).collect();
        let proved = |steps, method| {
            Ok(Verdict::Proved(Proof {
                using: using.clone(),
                steps,
                method,
            }))
        };
        let mut tried = Vec::new();
        if !claim.instances.iter().all(Condition::is_about_facts) {
            match self.within(4, |this| this.ask(claim, &assumed, Question::AnyState)) {
                (method, Ok(Response::Holds)) => return proved(0, method),
                (_, Ok(_)) => {}
                (method, Err(stop)) => tried.push(format!("every state, by {method}: {stop}")),
            }
        }
        let mut counterexample = None;
        for scope in [Scope::Relevant, Scope::Whole] {
            let asked = self.within(3, |this| this.ask(claim, &assumed, Question::Step(scope)));
            match asked {
                (method, Ok(Response::Holds)) => return proved(1, method),
                (_, Ok(Response::Violated(play))) if scope == Scope::Whole => {
                    counterexample = Some(play)
                }
                (_, Ok(_)) => {}
                (method, Err(stop)) => tried.push(format!("induction step, by {method}: {stop}")),
            }
        }
        if let Some(witness) = self.violated_in_play(claim, &mut tried)? {
            return Ok(Verdict::Refuted(witness));
        }
        match self.deeper(claim, &assumed, &mut tried) {
            Ok(InductionOutcome::Proved(steps)) => return proved(steps, self.steps_by()),
            Ok(InductionOutcome::Violated(play)) => {
                return self.witness_of_play(claim, &play).map(Verdict::Refuted);
            }
            Ok(InductionOutcome::Neither) => {}
            Err(stop) => tried.push(format!("several steps: {stop}")),
        }
        if let Some(play) = counterexample {
            match self.counterexample(claim, known, &play)? {
                Some(counterexample) => return Ok(Verdict::NotInductive(counterexample)),
                None => tried.push("the step that was found is none by the rules".to_owned()),
            }
        }
        Ok(Verdict::Unknown(tried))
    }

    /// Does something in a part of the time that is left, so that one stage does not use it all.
    pub fn within<T>(&mut self, part: u32, run: impl FnOnce(&mut Self) -> T) -> T {
        let limits = self.settings.limits.clone();
        if let Some(left) = limits.time_left() {
            self.settings.limits = limits.within(left / part);
        }
        let result = run(self);
        self.is_cut |= self.settings.limits.is_over();
        self.settings.limits = limits;
        result
    }

    /// Whether the induction step of a claim has moves.
    pub(super) fn depends_on_moves(&self, claim: &Claim) -> bool {
        let scope = Some(Scope::Relevant);
        program::rules_needed(self.writer(), &claim.instances, &[], scope).1
    }

    /// The two programs of the paper and nothing else: proved, refuted by the initial state, or nothing.
    pub(super) fn prove_by_program(
        &mut self,
        claim: &Claim,
    ) -> Result<Option<Verdict>, ProveError> {
        match self.violated_initially(claim) {
            Ok(None) => {}
            Ok(Some(witness)) => return Ok(Some(Verdict::Refuted(witness))),
            Err(ProveError::Rules(_)) => return Ok(None),
            Err(error) => return Err(error),
        }
        let step = self.ask(claim, &[], Question::Step(Scope::Relevant));
        Ok(match step {
            (method, Ok(Response::Holds)) => Some(Verdict::Proved(Proof {
                using: Vec::new(),
                steps: 1,
                method,
            })),
            _ => None,
        })
    }

    /// Runs a program to the end; a model as a play.
    pub(super) fn solve(&self, program: Program) -> Result<Option<Play>, Stop> {
        let limits = self.ground_limits();
        let text = program.text(&limits.overall).map_err(Stop::Limit)?;
        let mut solver = AspSolver::new(&text, &limits).map_err(stop_of)?;
        match solver.solve(&[]).map_err(stop_of)? {
            AspAnswer::None => Ok(None),
            AspAnswer::Stopped(reason) => Err(Stop::Limit(reason)),
            AspAnswer::Model => Ok(Some(self.play_of_model(&solver))),
        }
    }

    /// The state and the moves of a model of a step.
    fn play_of_model(&self, solver: &AspSolver) -> Play {
        // With a time in some programs, without in others.
        let holds = |predicate: &str, arguments: &[Symbol]| {
            let times = [None, Some(Symbol::number(0))];
            times.into_iter().any(|time| {
                let arguments = arguments.iter().cloned().chain(time);
                solver.is_true(&Symbol::function(predicate, arguments))
            })
        };
        let facts = self.vocabulary.facts.iter().enumerate();
        let facts = facts.filter(|(_, fact)| {
            let fact = self.names.ground_term(fact).symbol();
            holds("true", &[fact])
        });
        let moves = self.vocabulary.roles.iter().zip(&self.vocabulary.moves);
        let moves = moves.map(|(role, moves)| {
            let role = self.names.role(role).symbol();
            let made = moves.iter().position(|action| {
                let action = self.names.ground_term(action).symbol();
                holds("does", &[role.clone(), action])
            });
            made.unwrap_or(0)
        });
        Play {
            states: vec![facts.map(|(number, _)| number).collect()],
            moves: vec![moves.collect()],
        }
    }

    /// Asks a question by program, or where that is too large by the circuit; and which it was.
    fn ask(
        &self,
        claim: &Claim,
        assumed: &[Condition],
        question: Question,
    ) -> (&'static str, Result<Response, Stop>) {
        let (writer, property) = (self.writer(), claim.instances.as_slice());
        let (rules, moves) = program::rules_needed(writer, property, assumed, question.scope());
        if let (true, Some(why)) = (moves, &self.vocabulary.unlisted_moves) {
            return ("answer sets", Err(Stop::Cannot(why.clone())));
        }
        if self.may_ground(&rules) {
            let program = match question {
                Question::AnyState => program::any_state(writer, property, assumed),
                Question::Step(scope) => program::induction_step(writer, property, assumed, scope),
            };
            return ("answer sets", self.solve(program).map(Response::new));
        }
        // The circuit has the whole step, so there is nothing to gain from less.
        if question == Question::Step(Scope::Relevant) {
            return ("circuit", Ok(Response::Skipped));
        }
        let found = self.ask_circuit(property, assumed, question);
        ("circuit", found.map(Response::new))
    }

    fn ask_circuit(
        &self,
        property: &[Condition],
        assumed: &[Condition],
        question: Question,
    ) -> Result<Option<Play>, Stop> {
        let last = usize::from(question != Question::AnyState);
        let mut steps = self.steps(last, false)?;
        if last == 1 {
            require_all(&mut *steps, property, 0)?;
        }
        require_all(&mut *steps, assumed, 0)?;
        find_violation(&mut *steps, property, last)
    }

    /// Plays from the start and inductions of more and more steps.
    fn deeper(
        &mut self,
        claim: &Claim,
        assumed: &[Condition],
        tried: &mut Vec<String>,
    ) -> Result<InductionOutcome, Stop> {
        for steps in 2..=self.settings.max_steps {
            let mut from_start = self.steps(steps - 1, true)?;
            if let Some(mut play) = find_violation(&mut *from_start, &claim.instances, steps - 1)? {
                play.moves.truncate(steps - 1);
                return Ok(InductionOutcome::Violated(play));
            }
            drop(from_start);
            let mut any = self.steps(steps, false)?;
            for time in 0..steps {
                require_all(&mut *any, &claim.instances, time)?;
                require_all(&mut *any, assumed, time)?;
            }
            if find_violation(&mut *any, &claim.instances, steps)?.is_none() {
                return Ok(InductionOutcome::Proved(steps));
            }
        }
        tried.push(format!(
            "induction over up to {} steps",
            self.settings.max_steps
        ));
        Ok(InductionOutcome::Neither)
    }
}

/// When the rules take too long to evaluate, nothing is known.
fn or_unknown(verdict: Result<Verdict, ProveError>) -> Result<Verdict, ProveError> {
    match verdict {
        Err(ProveError::Rules(error)) => Ok(Verdict::Unknown(vec![error.to_string()])),
        other => other,
    }
}

/// A question about one state or step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    AnyState,
    Step(Scope),
}

/// The answer to a question.
enum Response {
    /// Nothing is violated.
    Holds,
    /// This violates something.
    Violated(Play),
    /// It was not asked, since another question asks for more and costs the same.
    Skipped,
}

impl Response {
    fn new(violation: Option<Play>) -> Self {
        violation.map_or(Response::Holds, Response::Violated)
    }
}

impl Question {
    fn scope(self) -> Option<Scope> {
        match self {
            Question::AnyState => None,
            Question::Step(scope) => Some(scope),
        }
    }
}

/// The result for several steps.
enum InductionOutcome {
    Proved(usize),
    Violated(Play),
    Neither,
}

/// Requires conditions at a time.
pub(super) fn require_all(
    steps: &mut dyn Steps,
    conditions: &[Condition],
    time: usize,
) -> Result<(), Stop> {
    for condition in conditions {
        let literal = steps.literal(condition, time)?;
        steps.require(&[literal]);
    }
    Ok(())
}

/// A play in which some instance is violated at this time. Instances are asked about a few at a time: that
/// a certain cell is wrong leaves little to choose, that some cell is wrong leaves everything.
pub(super) fn find_violation(
    steps: &mut dyn Steps,
    property: &[Condition],
    time: usize,
) -> Result<Option<Play>, Stop> {
    for part in property.chunks(property.len().div_ceil(MAX_QUESTIONS).max(1)) {
        let literals = part.iter().map(|condition| steps.literal(condition, time));
        let literals: Vec<Literal> = literals.collect::<Result<_, Stop>>()?;
        let violated = literals.iter().map(|&literal| !literal);
        let found = find_one(steps, violated, &[], |steps| steps.play())?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
