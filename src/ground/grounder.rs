//! Running clingo's grounder and listening to it.

use clingo::defaults::Non;
use clingo::{
    ClingoError, ControlCtx, ErrorCode, ExternalType, GroundProgramObserver, Logger, Part,
    SolverLiteral, Symbol, Warning, WeightedLiteral,
};
use formula::{Interrupt, StopReason};
use lp2sat::{Atom, Body, GroundProgram, Head, Literal};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What grounding may use.
#[derive(Clone, Default, Debug)]
pub struct GroundLimits {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// The largest number of rules.
    pub rules: Option<usize>,
    /// Raised from outside to stop early.
    pub interrupt: Interrupt,
    /// Told now and then how many rules there are.
    pub progress: Option<GroundProgress>,
}

impl GroundLimits {
    /// Whether somebody asked to stop, or the deadline has passed.
    pub(super) fn reached(&self) -> Option<StopReason> {
        if self.interrupt.is_raised() {
            return Some(StopReason::Interrupted);
        }
        let late = self
            .deadline
            .is_some_and(|deadline| Instant::now() > deadline);
        late.then_some(StopReason::Time)
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
    /// The program.
    pub program: GroundProgram,
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
    #[error("the program uses {0}, which stochastic quantified programs cannot have; remove it")]
    Unsupported(&'static str),
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

/// Grounds a program in clingo's input language. Calls from several threads wait for each other.
///
/// # Errors
/// If the text is not a program, uses constructs beyond choice, weight and normal rules, or a limit
/// is reached.
pub fn ground(text: &str, limits: &GroundLimits) -> Result<Grounded, GroundError> {
    check_text(text)?;
    let listener = Shared::new(Listener::new(limits.clone()));
    let log = Shared::new(Log::default());
    let context = Context::new(&listener, &log, true);
    let arguments = vec!["--warn=no-atom-undefined".to_owned()];
    let running = CLINGO.lock().unwrap_or_else(PoisonError::into_inner);
    let outcome = clingo::control_with_context(arguments, context).and_then(|mut control| {
        let outcome = control
            .add("base", &[], text)
            .and_then(|()| Part::new("base", Vec::new()))
            .and_then(|base| control.ground(&[base]));
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
    Ok(Grounded {
        program: listener.program,
        warnings,
    })
}

/// What an error of clingo means, after it said this and made so many rules and atoms.
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

const SHOW: GroundError = GroundError::Unsupported("#show");

/// The deepest nesting of parentheses. clingo's parser calls itself for each, and would run out of
/// stack.
const MOST_NESTED: usize = 10_000;

/// Refuses text that clingo could not bear: parentheses nested too deep, or masses of them that close
/// nothing, which it would look at one by one. Comments over several lines are not looked for:
/// they would have to be very odd to matter. `#show` is refused since it hides atoms and quantifiers,
/// which would be missing here without a word; an included file with `#show p/1` is not noticed.
pub(super) fn check_text(text: &str) -> Result<(), GroundError> {
    let (mut depth, mut surplus, mut line) = (0_usize, 0_usize, 1_usize);
    let (mut quoted, mut comment) = (false, false);
    let refuse = |line, problem: String| {
        let message = format!("line {line}: error: {problem}");
        Err(GroundError::Rejected(message))
    };
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\n' => {
                line += 1;
                (quoted, comment) = (false, false);
            }
            _ if comment => {}
            b'\\' if quoted => {
                bytes.next();
            }
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'%' => comment = true,
            b'#' if text[at..].starts_with("#show") => return Err(SHOW),
            b'(' => {
                depth += 1;
                if depth > MOST_NESTED {
                    let problem = format!("parentheses are nested more than {MOST_NESTED} deep");
                    return refuse(line, problem);
                }
            }
            b')' if depth == 0 => {
                surplus += 1;
                if surplus > MOST_NESTED {
                    let problem = format!("more than {MOST_NESTED} parentheses close nothing");
                    return refuse(line, problem);
                }
            }
            b')' => depth -= 1,
            _ => {}
        }
    }
    Ok(())
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
    minimizes: bool,
    refusal: Option<GroundError>,
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

    /// Remembers why to stop; `false` makes clingo stop.
    fn refuse(&mut self, refusal: GroundError) -> bool {
        self.refusal.get_or_insert(refusal);
        false
    }

    fn within_limits(&mut self) -> bool {
        let rules = self.program.rule_count();
        if let Some(progress) = &self.limits.progress
            && rules.is_multiple_of(16_384)
        {
            progress.0(rules);
        }
        let reason = if self.limits.rules.is_some_and(|most| rules > most) {
            Some(StopReason::Memory)
        } else if !rules.is_multiple_of(1024) {
            None
        } else {
            self.limits.reached()
        };
        match reason {
            None => true,
            Some(reason) => {
                let atoms = self.program.atom_count();
                self.refuse(GroundError::Stopped {
                    reason,
                    rules,
                    atoms,
                })
            }
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
            (false, _) => {
                return self.refuse(GroundError::Unsupported("a disjunction in a rule head"));
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

/// The atom with clingo's number; `None` for 0, which stands for facts.
fn numbered_atom(atom: clingo::Atom) -> Option<Atom> {
    Atom::new(SolverLiteral::from(atom).get_integer().unsigned_abs())
}

fn atom_of(atom: clingo::Atom) -> Atom {
    numbered_atom(atom).expect("clingo numbers atoms from 1")
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

    fn output_atom(&mut self, symbol: Symbol, atom: clingo::Atom) -> bool {
        let mut listener = self.0.borrow_mut();
        match numbered_atom(atom) {
            Some(atom) => listener.program.set_name(atom, symbol.to_string()),
            None => listener.program.add_fact(symbol.to_string()),
        }
        true
    }

    fn output_term(&mut self, _symbol: Symbol, _condition: &[SolverLiteral]) -> bool {
        // From an included file.
        self.0.borrow_mut().refuse(SHOW)
    }

    fn external(&mut self, atom: clingo::Atom, kind: ExternalType) -> bool {
        let mut listener = self.0.borrow_mut();
        let atom = atom_of(atom);
        match kind {
            ExternalType::Free => {
                listener
                    .program
                    .add_rule(Head::Choice(&[atom]), Body::All(&[]));
            }
            ExternalType::True => listener.program.add_rule(Head::Atom(atom), Body::All(&[])),
            ExternalType::False | ExternalType::Release => {}
        }
        true
    }

    fn acyc_edge(&mut self, _from: i32, _to: i32, _condition: &[SolverLiteral]) -> bool {
        self.0
            .borrow_mut()
            .refuse(GroundError::Unsupported("#edge statements"))
    }

    fn theory_atom(
        &mut self,
        _atom_or_zero: clingo::Id,
        _term: clingo::Id,
        _elements: &[clingo::Id],
    ) -> bool {
        self.0
            .borrow_mut()
            .refuse(GroundError::Unsupported("theory atoms"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ground_text(text: &str) -> Result<Grounded, GroundError> {
        ground(text, &GroundLimits::default())
    }

    #[test]
    fn rules_names_and_facts_arrive() {
        let program = ground_text("p(1..2). {q(X)} :- p(X). r :- q(1), not q(2). :- r, q(1).")
            .unwrap()
            .program;
        let mut facts: Vec<&str> = program.facts().collect();
        facts.sort_unstable();
        assert_eq!(facts, ["p(1)", "p(2)"]);
        let mut names: Vec<&str> = program.names().into_iter().map(|(_, name)| name).collect();
        names.sort_unstable();
        assert_eq!(names, ["q(1)", "q(2)", "r"]);
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
    fn parentheses_without_end_are_refused() {
        let deep = |depth| format!("p({}1{}).", "f(".repeat(depth), ")".repeat(depth));
        assert!(ground_text(&deep(5_000)).is_ok());
        for (text, place) in [
            (deep(MOST_NESTED), "line 1: error: parentheses are nested"),
            (
                format!("p.\n{}", ")".repeat(MOST_NESTED + 1)),
                "line 2: error: more than",
            ),
        ] {
            let message = ground_text(&text).unwrap_err().to_string();
            assert!(message.contains(place), "{message}");
        }
        let text = "p(\")))\\\")\"). % )))\n%* )\n) *%\nq.";
        assert!(ground_text(text).is_ok());
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(
            ground_text("a ; b.").unwrap_err(),
            GroundError::Unsupported("a disjunction in a rule head")
        );
        let grounded = ground_text("{a}. #minimize{1 : a}.").unwrap();
        assert_eq!(grounded.warnings.len(), 1);
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
        let interrupt = Interrupt::default();
        interrupt.raise();
        let limits = GroundLimits {
            interrupt,
            ..GroundLimits::default()
        };
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
