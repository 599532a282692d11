//! Running clingo's grounder.

use super::context::{Context, Log, Quiet, Shared};
use super::listener::Listener;
use super::predict::Prediction;
use super::scan::{ShownPredicates, scan};
use super::simplify::simplify;
use clingo::{ClingoError, ErrorCode, Part};
use limits::{Limits, OwnThread, StopReason, lock};
use lp2sat::GroundProgram;
use std::fmt;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default, Debug)]
pub struct GroundLimits {
    /// The limits of all work.
    pub overall: Limits,
    /// The largest number of rules.
    pub rules: Option<usize>,
    /// A callback that gets the number of rules now and then.
    pub progress: Option<GroundProgress>,
}

impl GroundLimits {
    /// Whether the interrupt was raised, or the deadline has passed.
    pub(super) fn reached(&self) -> Option<StopReason> {
        self.overall.check().err()
    }
}

/// Is called while grounding goes on, with the number of rules.
#[derive(Clone)]
pub struct GroundProgress(pub Arc<dyn Fn(usize) + Send + Sync>);

impl fmt::Debug for GroundProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroundProgress")
    }
}

/// A ground program and the remarks of clingo about it.
#[derive(Clone, Debug)]
pub struct Grounded {
    /// The program, without the parts of clingo's output that have no use here.
    pub program: GroundProgram,
    /// The size of the program that clingo made.
    pub made: Prediction,
    /// Remarks for the author of the program.
    pub warnings: Vec<String>,
    /// The atoms that the program shows.
    pub shown: ShownPredicates,
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
        /// The construct that is not supported.
        what: String,
        advice: &'static str,
    },
    #[error("grounding was stopped after {rules} rules and {atoms} atoms")]
    Stopped {
        reason: StopReason,
        /// Rules made until then.
        rules: usize,
        /// Atoms made until then.
        atoms: usize,
    },
}

impl GroundError {
    /// A limit was reached before anything was grounded.
    pub fn stopped(reason: StopReason) -> Self {
        GroundError::Stopped {
            reason,
            rules: 0,
            atoms: 0,
        }
    }
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
pub(super) const STACK: usize = 8 << 20;

/// Grounds a program in clingo's input language. Calls from several threads wait for each other.
///
/// All atoms have their names, whatever `#show` hides.
pub fn ground(text: &str, limits: &GroundLimits) -> Result<Grounded, GroundError> {
    let scanned = scan(text, &limits.overall)?;
    let grounded = ground_aside(text, scanned.operators, BASE, limits, |grounded| Grounded {
        program: simplify(&grounded.program),
        ..grounded
    })?;
    Ok(Grounded {
        shown: scanned.shown,
        ..grounded
    })
}

/// The size of some parts of a program, each with a number for its parameter if it has one, grounded
/// together.
pub fn measure(
    text: &str,
    parts: &[(&str, Option<u32>)],
    limits: &GroundLimits,
) -> Result<Prediction, GroundError> {
    ground_aside(text, 0, parts, limits, |grounded| grounded.made)
}

/// The part of a program that is written without parts.
const BASE: &[(&str, Option<u32>)] = &[("base", None)];

/// Grounds some parts and hands the result to `look`, both in a thread of its own. The thread has a stack for this many nested
/// operators, and is left alone where clingo does not stop in time.
fn ground_aside<T: Send + 'static>(
    text: &str,
    operators: usize,
    parts: &[(&str, Option<u32>)],
    limits: &GroundLimits,
    look: fn(Grounded) -> T,
) -> Result<T, GroundError> {
    let stack = STACK + operators * STACK_PER_OPERATOR;
    let Ok(mut thread) = OwnThread::start(stack, || ()) else {
        if operators <= MAX_OPERATORS_HERE {
            return ground_here(text, parts, limits).map(look);
        }
        return Err(GroundError::stopped(StopReason::Memory));
    };
    let owned: Vec<(String, Option<u32>)> = parts
        .iter()
        .map(|&(name, number)| (name.to_owned(), number))
        .collect();
    let (text, inner) = (text.to_owned(), limits.clone());
    let done = thread.call(
        || limits.reached(),
        move |()| {
            let parts: Vec<_> = owned.iter().map(|(name, n)| (name.as_str(), *n)).collect();
            ground_here(&text, &parts, &inner).map(look)
        },
    );
    done.unwrap_or_else(|reason| Err(GroundError::stopped(reason)))
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
    let running = lock(&CLINGO);
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
        // context was exchanged. The observer is not called any more.
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
        shown: ShownPredicates::default(),
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

/// The meaning of an error of clingo, given its messages and the numbers of rules and atoms it had made.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn ground_text(text: &str) -> Result<Grounded, GroundError> {
        ground(text, &GroundLimits::default())
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
    fn operators_may_be_nested_deep() {
        let text = format!("p({}1).", "-".repeat(100_000));
        let program = ground_text(&text).unwrap().program;
        assert_eq!(
            program.facts().map(ToString::to_string).collect::<Vec<_>>(),
            ["p(1)"]
        );
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
        limits.overall.interrupt.raise();
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
