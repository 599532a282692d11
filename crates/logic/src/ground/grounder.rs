//! Running clingo's grounder and listening to it.

use super::predict::Prediction;
use super::scan::scan;
use super::simplify::simplify;
use super::symbols::SymbolReader;
use clingo::defaults::Non;
use clingo::{
    ClingoError, ControlCtx, ErrorCode, ExternalType, GroundProgramObserver, Logger, Part,
    SolverLiteral, SymbolicAtom, Warning, WeightedLiteral,
};
use limits::{Clock, StopReason};
use lp2sat::{Atom, Body, GroundProgram, Head, Literal};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// What grounding may use.
#[derive(Clone, Default, Debug)]
pub struct GroundLimits {
    /// When to stop.
    pub clock: Clock,
    /// The largest number of rules.
    pub rules: Option<usize>,
    /// Told now and then how many rules there are.
    pub progress: Option<GroundProgress>,
}

impl GroundLimits {
    /// Whether somebody asked to stop, or the deadline has passed.
    pub(super) fn reached(&self) -> Option<StopReason> {
        self.clock.look().err()
    }
}

/// Whoever wants to know how grounding goes on: is called with the number of rules.
#[derive(Clone)]
pub struct GroundProgress(pub Arc<dyn Fn(usize) + Send + Sync>);

impl fmt::Debug for GroundProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroundProgress")
    }
}

/// A ground program and what clingo had to say about it.
#[derive(Clone, Debug)]
pub struct Grounded {
    /// The program, without what nobody needs of what clingo made.
    pub program: GroundProgram,
    /// The size of what clingo made.
    pub made: Prediction,
    /// Remarks for the author of the program.
    pub warnings: Vec<String>,
}

/// A program that could not be grounded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GroundError {
    /// clingo refused the text. The message names places in it.
    #[error("clingo cannot read the program:\n{0}")]
    Rejected(String),
    /// The program uses something that has no meaning for quantified programs.
    #[error("the program uses {what}: {advice}")]
    Unsupported {
        /// What it is.
        what: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// A limit was reached.
    #[error("grounding was stopped after {rules} rules and {atoms} atoms")]
    Stopped {
        /// Which limit.
        reason: StopReason,
        /// Rules made until then.
        rules: usize,
        /// Atoms made until then.
        atoms: usize,
    },
}

/// The version of clingo that is built in.
pub fn clingo_version() -> String {
    let (major, minor, revision) = clingo::version();
    format!("{major}.{minor}.{revision}")
}

/// Held while clingo runs. Its table of symbols is shared by all threads of a process, and using it is
/// not safe while another thread adds to it, not even with separate control objects
/// (<https://github.com/potassco/clingo/issues/641>; seen with the version that is built in).
pub(super) static CLINGO: Mutex<()> = Mutex::new(());

/// The largest number of operators in a statement for which the stack of any thread is enough.
const MAX_OPERATORS_HERE: usize = 1_000;

/// The stack that clingo takes for an operator nested in others; measured: 520 bytes.
const STACK_PER_OPERATOR: usize = 1_000;

/// The stack it takes for everything else.
const STACK: usize = 8 << 20;

/// Grounds a program in clingo's input language. Calls from several threads wait for each other.
///
/// All atoms have their names, whatever `#show` hides.
///
/// # Errors
/// If the text is not a program, uses constructs beyond choice, weight and normal rules, or a limit
/// is reached.
pub fn ground(text: &str, limits: &GroundLimits) -> Result<Grounded, GroundError> {
    let operators = scan(text)?;
    let mut grounded = if operators <= MAX_OPERATORS_HERE {
        ground_here(text, BASE, limits)
    } else {
        ground_deep(text, operators, limits)
    }?;
    grounded.program = simplify(&grounded.program);
    Ok(grounded)
}

/// The size of some parts of a program, each with a number for its parameter if it has one, grounded
/// together.
///
/// # Errors
/// If the text is not a program, or a limit is reached.
pub fn measure(
    text: &str,
    parts: &[(&str, Option<u32>)],
    limits: &GroundLimits,
) -> Result<Prediction, GroundError> {
    Ok(ground_here(text, parts, limits)?.made)
}

/// What is grounded of programs without parts.
const BASE: &[(&str, Option<u32>)] = &[("base", None)];

/// As [`ground_here`], with a stack for this many operators nested in each other.
fn ground_deep(
    text: &str,
    operators: usize,
    limits: &GroundLimits,
) -> Result<Grounded, GroundError> {
    let stack = STACK + operators * STACK_PER_OPERATOR;
    let thread = std::thread::Builder::new().stack_size(stack);
    std::thread::scope(|scope| {
        let started = thread.spawn_scoped(scope, || ground_here(text, BASE, limits));
        let no_memory = GroundError::Stopped {
            reason: StopReason::Memory,
            rules: 0,
            atoms: 0,
        };
        let running = started.map_err(|_| no_memory)?;
        running.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn ground_here(
    text: &str,
    parts: &[(&str, Option<u32>)],
    limits: &GroundLimits,
) -> Result<Grounded, GroundError> {
    let listener = Shared::new(Listener::new(limits.clone()));
    let log = Shared::new(Log::default());
    let context = Context::new(&listener, &log, true);
    let arguments = vec!["--warn=no-atom-undefined".to_owned()];
    let running = CLINGO.lock().unwrap_or_else(PoisonError::into_inner);
    let outcome = clingo::control_with_context(arguments, context).and_then(|mut control| {
        let outcome = control
            .add("base", &[], text)
            .and_then(|()| {
                parts
                    .iter()
                    .map(|&(name, number)| part(name, number))
                    .collect()
            })
            .and_then(|parts: Vec<Part>| control.ground(&parts))
            .and_then(|()| {
                let mut atoms = control.symbolic_atoms()?.iter()?.enumerate();
                atoms.try_for_each(|(number, atom)| {
                    listener.with_mut(|listener| listener.name(number, &atom))
                })
            });
        // The crate does not free a control object that has an observer, but it does free one whose
        // context was exchanged. Nobody calls the observer any more.
        drop(control.register_control_context(Quiet::default()));
        outcome
    });
    drop(running);
    let listener = listener.take();
    let log = log.take();
    if let Some(refusal) = listener.refusal {
        return Err(refusal);
    }
    if let Err(error) = outcome {
        let (rules, atoms) = (listener.program.rule_count(), listener.program.atom_count());
        return Err(refused_by_clingo(&error, &log.messages, rules, atoms));
    }
    let mut warnings = log.messages;
    if listener.minimizes {
        warnings.push(
            "#minimize and weak constraints are ignored: the prefix alone says what is optimised"
                .to_owned(),
        );
    }
    let program = listener.finish()?;
    Ok(Grounded {
        made: Prediction {
            atoms: program.atom_count() as u64,
            rules: program.rule_count() as u64,
        },
        program,
        warnings,
    })
}

/// A part of a program, with a number for its parameter if it has one.
pub(super) fn part(name: &str, parameter: Option<u32>) -> Result<Part, ClingoError> {
    let number = parameter.map(|number| i32::try_from(number).unwrap_or(i32::MAX));
    Part::new(
        name,
        number
            .map(clingo::Symbol::create_number)
            .into_iter()
            .collect(),
    )
}

/// What an error of clingo means, given its messages and the numbers of rules and atoms it had made.
pub(super) fn refused_by_clingo(
    error: &ClingoError,
    messages: &[String],
    rules: usize,
    atoms: usize,
) -> GroundError {
    let out_of_memory = matches!(
        error,
        ClingoError::InternalError {
            code: ErrorCode::BadAlloc,
            ..
        }
    );
    if out_of_memory {
        return GroundError::Stopped {
            reason: StopReason::Memory,
            rules,
            atoms,
        };
    }
    GroundError::Rejected(if messages.is_empty() {
        error.to_string()
    } else {
        messages.join("\n")
    })
}

/// Something that clingo holds while it runs and that we want back afterwards.
pub(super) struct Shared<T>(Rc<RefCell<T>>);

impl<T> Shared<T> {
    pub(super) fn new(inner: T) -> Self {
        Shared(Rc::new(RefCell::new(inner)))
    }

    pub(super) fn clone(&self) -> Self {
        Shared(Rc::clone(&self.0))
    }

    pub(super) fn with<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.0.borrow())
    }

    pub(super) fn with_mut<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut self.0.borrow_mut())
    }
}

impl<T: Default> Shared<T> {
    fn take(self) -> T {
        self.0.take()
    }
}

/// What clingo talks to. It keeps pointers to the first two, so they live on the heap.
pub(super) struct Context<T> {
    observer: Box<Shared<T>>,
    log: Box<Shared<Log>>,
    none: Non,
    functions: Non,
    /// Whether the observer gets the program instead of clingo's own solver.
    replaces_solver: bool,
}

impl<T> Context<T> {
    pub(super) fn new(observer: &Shared<T>, log: &Shared<Log>, replaces_solver: bool) -> Self {
        Context {
            observer: Box::new(observer.clone()),
            log: Box::new(log.clone()),
            none: Non,
            functions: Non,
            replaces_solver,
        }
    }
}

impl<T> ControlCtx for Context<T>
where
    Shared<T>: GroundProgramObserver,
{
    type L = Shared<Log>;
    type P = Non;
    type O = Shared<T>;
    type F = Non;

    fn logger(&mut self) -> (&mut Self::L, u32) {
        (&mut self.log, 20)
    }

    fn propagator(&mut self) -> (&mut Self::P, bool) {
        (&mut self.none, true)
    }

    fn observer(&mut self) -> (&mut Self::O, bool) {
        (&mut self.observer, self.replaces_solver)
    }

    fn function_handler(&mut self) -> &mut Self::F {
        &mut self.functions
    }
}

/// A context that listens to nothing.
pub(super) struct Quiet([Non; 4]);

impl Default for Quiet {
    fn default() -> Self {
        Quiet([Non; 4])
    }
}

impl ControlCtx for Quiet {
    type L = Non;
    type P = Non;
    type O = Non;
    type F = Non;

    fn logger(&mut self) -> (&mut Non, u32) {
        (&mut self.0[0], 0)
    }

    fn propagator(&mut self) -> (&mut Non, bool) {
        (&mut self.0[1], true)
    }

    fn observer(&mut self) -> (&mut Non, bool) {
        (&mut self.0[2], true)
    }

    fn function_handler(&mut self) -> &mut Non {
        &mut self.0[3]
    }
}

/// clingo's messages.
#[derive(Default)]
pub(super) struct Log {
    pub(super) messages: Vec<String>,
}

impl Logger for Shared<Log> {
    fn log(&mut self, _code: Warning, message: &str) {
        let message = message.trim().replace("<block>:", "line ");
        self.0.borrow_mut().messages.push(message);
    }
}

/// Collects the ground program and watches the limits.
#[derive(Default)]
struct Listener {
    program: GroundProgram,
    limits: GroundLimits,
    symbols: SymbolReader,
    minimizes: bool,
    refusal: Option<GroundError>,
    /// The head of the first rule that has several atoms in it.
    disjunction: Option<Vec<Atom>>,
    /// Atoms that something outside of the program decides, unless rules do.
    externals: Vec<(Atom, ExternalType)>,
    heads: Vec<Atom>,
    literals: Vec<Literal>,
    weighted: Vec<(Literal, u64)>,
}

impl Listener {
    fn new(limits: GroundLimits) -> Self {
        Listener {
            limits,
            ..Listener::default()
        }
    }

    /// Gives an atom its name. `#show` hides names from what clingo puts out, but not here.
    fn name(&mut self, number: usize, atom: &SymbolicAtom<'_>) -> Result<(), ClingoError> {
        if self.refusal.is_some() || number.is_multiple_of(1024) && !self.has_time() {
            return Ok(());
        }
        if atom.is_fact()? {
            self.program.add_fact(self.symbols.read(atom.symbol()?)?);
        } else if let Some(number) = Atom::new(atom.literal()?.get_integer().unsigned_abs()) {
            let name = self.symbols.read(atom.symbol()?)?;
            self.program.set_name(number, name);
        }
        // What has no number is in no rule.
        Ok(())
    }

    /// The program, when all of it is known.
    fn finish(mut self) -> Result<GroundProgram, GroundError> {
        if let Some(atoms) = self.disjunction {
            // clingo turns some aggregates into disjunctions of atoms of its own.
            let mut names = atoms.iter().map(|atom| self.program.name(*atom));
            return Err(if names.all(|name| name.is_some()) {
                unsupported("a disjunction in a rule head")
            } else {
                GroundError::Unsupported {
                    what:
                        "an aggregate with negative weights or `!=` over atoms that depend on it, \
                           or a disjunction with conditions in a rule head"
                            .to_owned(),
                    advice: "stochastic quantified programs cannot have it; write the aggregate \
                             without recursion, or with positive weights and `>=`",
                }
            });
        }
        // The last word about an atom counts.
        let mut externals: BTreeMap<Atom, ExternalType> = self.externals.drain(..).collect();
        if !externals.is_empty() {
            for rule in self.program.rules() {
                let headed = match &rule.head {
                    Head::Constraint => &[][..],
                    Head::Atom(atom) => std::slice::from_ref(atom),
                    Head::Choice(atoms) => atoms,
                };
                externals.retain(|atom, _| !headed.contains(atom));
            }
        }
        for (atom, kind) in externals {
            match kind {
                ExternalType::Free => self.program.add_rule(Head::Choice(&[atom]), Body::All(&[])),
                ExternalType::True => self.program.add_rule(Head::Atom(atom), Body::All(&[])),
                ExternalType::False | ExternalType::Release => {}
            }
        }
        Ok(self.program)
    }

    /// Remembers why to stop; `false` makes clingo stop.
    fn refuse(&mut self, refusal: GroundError) -> bool {
        self.refusal.get_or_insert(refusal);
        false
    }

    fn has_time(&mut self) -> bool {
        match self.limits.reached() {
            None => true,
            Some(reason) => self.stop(reason),
        }
    }

    fn stop(&mut self, reason: StopReason) -> bool {
        let (rules, atoms) = (self.program.rule_count(), self.program.atom_count());
        self.refuse(GroundError::Stopped {
            reason,
            rules,
            atoms,
        })
    }

    fn within_limits(&mut self) -> bool {
        let rules = self.program.rule_count();
        if let Some(progress) = &self.limits.progress
            && rules.is_multiple_of(16_384)
        {
            progress.0(rules);
        }
        if self.limits.rules.is_some_and(|most| rules > most) {
            self.stop(StopReason::Memory)
        } else {
            !rules.is_multiple_of(1024) || self.has_time()
        }
    }

    /// Adds the rule whose body was collected in `literals` or, with a bound, in `weighted`.
    fn add(&mut self, choice: bool, head: &[clingo::Atom], bound: Option<u64>) -> bool {
        self.heads.clear();
        self.heads.extend(head.iter().map(|atom| atom_of(*atom)));
        let head = match (choice, self.heads.as_slice()) {
            (true, atoms) => Head::Choice(atoms),
            (false, []) => Head::Constraint,
            (false, [atom]) => Head::Atom(*atom),
            (false, atoms) => {
                self.disjunction.get_or_insert_with(|| atoms.to_vec());
                return self.within_limits();
            }
        };
        let body = match bound {
            None => Body::All(&self.literals),
            Some(bound) => Body::Weighted {
                bound,
                literals: &self.weighted,
            },
        };
        self.program.add_rule(head, body);
        self.within_limits()
    }
}

fn unsupported(what: &str) -> GroundError {
    GroundError::Unsupported {
        what: what.to_owned(),
        advice: "stochastic quantified programs cannot have it; remove it",
    }
}

fn atom_of(atom: clingo::Atom) -> Atom {
    let number = SolverLiteral::from(atom).get_integer().unsigned_abs();
    Atom::new(number).expect("clingo numbers atoms from 1")
}

fn literal_of(literal: SolverLiteral) -> Literal {
    Literal::from_aspif(literal.get_integer()).expect("clingo's literals are not 0")
}

impl GroundProgramObserver for Shared<Listener> {
    fn rule(&mut self, choice: bool, head: &[clingo::Atom], body: &[SolverLiteral]) -> bool {
        let mut listener = self.0.borrow_mut();
        listener.literals.clear();
        listener
            .literals
            .extend(body.iter().map(|literal| literal_of(*literal)));
        listener.add(choice, head, None)
    }

    fn weight_rule(
        &mut self,
        choice: bool,
        head: &[clingo::Atom],
        lower_bound: i32,
        body: &[WeightedLiteral],
    ) -> bool {
        let mut listener = self.0.borrow_mut();
        listener.weighted.clear();
        for literal in body {
            // Grounding makes all weights positive.
            let weight = u64::try_from(literal.weight()).expect("weights are positive");
            listener
                .weighted
                .push((literal_of(literal.literal()), weight));
        }
        listener.add(choice, head, Some(u64::try_from(lower_bound).unwrap_or(0)))
    }

    fn minimize(&mut self, _priority: i32, _literals: &[WeightedLiteral]) -> bool {
        self.0.borrow_mut().minimizes = true;
        true
    }

    fn external(&mut self, atom: clingo::Atom, kind: ExternalType) -> bool {
        self.with_mut(|listener| listener.externals.push((atom_of(atom), kind)));
        true
    }

    fn assume(&mut self, _literals: &[SolverLiteral]) -> bool {
        self.with_mut(|listener| listener.refuse(unsupported("assumptions")))
    }

    fn acyc_edge(&mut self, _from: i32, _to: i32, _condition: &[SolverLiteral]) -> bool {
        self.with_mut(|listener| listener.refuse(unsupported("#edge statements")))
    }

    fn theory_atom(&mut self, _: clingo::Id, _: clingo::Id, _: &[clingo::Id]) -> bool {
        self.with_mut(|listener| listener.refuse(unsupported("theory atoms")))
    }

    fn theory_atom_with_guard(
        &mut self,
        atom_or_zero: clingo::Id,
        term: clingo::Id,
        elements: &[clingo::Id],
        _operator: clingo::Id,
        _right: clingo::Id,
    ) -> bool {
        self.theory_atom(atom_or_zero, term, elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lp2sat::Symbol;

    fn ground_text(text: &str) -> Result<Grounded, GroundError> {
        ground(text, &GroundLimits::default())
    }

    /// The texts of symbols, in order.
    fn texts<'a>(symbols: impl Iterator<Item = &'a Symbol>) -> Vec<String> {
        let mut texts: Vec<String> = symbols.map(ToString::to_string).collect();
        texts.sort();
        texts
    }

    #[test]
    fn rules_names_and_facts_arrive() {
        let program = ground_text("p(1..2). {q(X)} :- p(X). r :- q(1), not q(2). :- r, q(1).")
            .unwrap()
            .program;
        assert_eq!(texts(program.facts()), ["p(1)", "p(2)"]);
        let names = program.names().into_iter().map(|(_, name)| name);
        assert_eq!(texts(names), ["q(1)", "q(2)", "r"]);
        assert!(program.rules().any(|rule| rule.head == Head::Constraint));
    }

    #[test]
    fn an_error_names_the_place() {
        let Err(GroundError::Rejected(message)) = ground_text("p(1).\nq(X) :- not p(X).") else {
            panic!("unsafe rules are refused");
        };
        assert!(message.contains("line 2:"), "{message}");
        assert!(message.contains("unsafe"), "{message}");
        assert!(ground_text("p(").is_err());
        assert!(ground_text("p\0.").is_err());
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(
            ground_text("a ; b.").unwrap_err(),
            unsupported("a disjunction in a rule head")
        );
        for aggregate in [
            "{a; b}. q :- #sum{-1 : q; 2 : a; 1 : b} >= 1.",
            "{a; b}. q :- #count{1 : q; 2 : a; 3 : b} != 1.",
        ] {
            let message = ground_text(aggregate).unwrap_err().to_string();
            assert!(message.contains("uses an aggregate"), "{message}");
        }
        let theory = "#theory t { x { - : 1, unary }; &p/0 : x, {<=}, x, any }.";
        for atom in [":- &p{}.", ":- &p{} <= 1."] {
            let message = ground_text(&format!("{theory} {atom}")).unwrap_err();
            assert!(message.to_string().contains("theory atoms"), "{message}");
        }
        let grounded = ground_text("{a}. #minimize{1 : a}.").unwrap();
        assert_eq!(grounded.warnings.len(), 1);
    }

    #[test]
    fn every_atom_has_its_name_whatever_is_shown() {
        for show in [
            "",
            "#show.",
            "#show q/1. #show x : r. #show r : q(1).",
            "%* %* *% \" *% #show r/0. %*",
        ] {
            let text = format!("p(1). {{q(1..2)}}. r :- q(1), not q(2). {show}\n *% ");
            let text = text.strip_suffix(if show.ends_with('*') { "" } else { "\n *% " });
            let program = ground_text(text.unwrap()).unwrap().program;
            let names = program.names().into_iter().map(|(_, name)| name);
            assert_eq!(texts(names), ["q(1)", "q(2)", "r"], "{show}");
            assert_eq!(texts(program.facts()), ["p(1)"], "{show}");
        }
    }

    #[test]
    fn what_is_external_is_decided_outside_only_without_a_rule() {
        for (text, rules) in [
            ("#external a. {b}. c :- a, b.", 2),
            ("#external a. [true] {b}. c :- a, b.", 3),
            ("#external a. [free] {b}. c :- a, b.", 3),
            ("#external a. [true] {a}. c :- a.", 2),
        ] {
            let program = ground_text(text).unwrap().program;
            assert_eq!(program.rule_count(), rules, "{text}");
        }
    }

    #[test]
    fn operators_may_be_nested_deep() {
        let text = format!("p({}1).", "-".repeat(100_000));
        let program = ground_text(&text).unwrap().program;
        assert_eq!(texts(program.facts()), ["p(1)"]);
    }

    #[test]
    fn several_threads_may_ground() {
        let ground_many = |thread: usize| {
            for round in 0..20 {
                let text = format!("p(0..200). q(f{thread}_{round}(X)) :- p(X).");
                let program = ground_text(&text).unwrap().program;
                assert_eq!(program.facts().len(), 402);
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || ground_many(thread));
            }
        });
    }

    #[test]
    fn a_limit_stops_an_endless_grounding() {
        let limits = GroundLimits {
            rules: Some(1000),
            ..GroundLimits::default()
        };
        let error = ground("p(0). p(X+1) :- p(X).", &limits).unwrap_err();
        let GroundError::Stopped {
            reason: StopReason::Memory,
            rules,
            ..
        } = error
        else {
            panic!("{error:?}");
        };
        assert_eq!(rules, 1001);
        let limits = GroundLimits::default();
        limits.clock.interrupt.raise();
        let error = ground("p(0). p(X+1) :- p(X).", &limits).unwrap_err();
        assert!(
            matches!(
                error,
                GroundError::Stopped {
                    reason: StopReason::Interrupted,
                    ..
                }
            ),
            "{error:?}"
        );
    }
}
