//! The value of a stochastic quantified program, and the values of the choices of its first block.
//!
//! A choice is a set of atoms of the block: its value is that of the formula in which they are true, and the others of the block false. Choices that no
//! answer set has are left out; the others are found atom by atom: a formula solver says whether some answer set has these atoms.
//! Where they are many, one best choice is found: an atom is left out if the value stays.

use super::others::{entry, evaluate, evaluate_with_strategy, xssat};
use super::peak;
use crate::answer::{Answer, MoveValue, Subject};
use crate::engine::{Entry, Options, StrategyOutcome};
use crate::error::{Error, ErrorKind};
use formula::{Formula, Lit, Names, Outcome, Prefix, Solver, SolverError, Value, Var};
use gdl::{Name, Term};
use limits::StopReason;
use logic::route::{FirstBlock, ProgramRoute, route_program};
use num_traits::Zero;

/// The most choices that are all valued, so that people can read them.
const MAX_CHOICES: usize = 64;

/// The most questions that it takes to list them.
const MAX_QUESTIONS: usize = 2_000;

/// All stages of the translation of a stochastic quantified program, up to its formula.
///
/// # Errors
/// If the program is not valid, or a limit is reached.
pub fn translate_program(text: &str, options: &Options) -> Result<ProgramRoute, Error> {
    options.observer.stage("translating and grounding");
    let route = route_program(text, &options.route())?;
    let warnings = route.warnings.iter();
    warnings.for_each(|text| options.observer.remark(&format!("warning: {text}")));
    Ok(route)
}

/// The value of a stochastic quantified answer set program with this name and text. With [`Extras::moves`](crate::Extras::moves) also those of
/// the choices of its first block.
///
/// ```
/// use sqasp_engines::Options;
///
/// let text = "1 { heads ; tails } 1. win :- heads. :- not win. _chance(1,1,2,heads).";
/// let answer = sqasp_engines::solve_program("coin", text, &Options::default())?;
/// assert_eq!(answer.value(), Some(&"1/2".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the program is not valid, the engine cannot answer, or choices are asked for and the first level is not the player's.
pub fn solve_program(name: &str, text: &str, options: &Options) -> Result<Answer, Error> {
    let entry = entry(options);
    let mut answer = about_program(name, entry, options);
    let mut solver = entry.solver(options)?;
    let mut route = match translate_program(text, options) {
        Ok(route) => route,
        Err(error) => {
            let reason = error.stopped_by().ok_or_else(|| error.clone())?;
            options.observer.remark(&error.to_string());
            answer = answer.cut_short(reason);
            answer.statistics.extend(peak());
            return Ok(answer);
        }
    };
    answer.sizes = route.sizes();
    entry.check_formula(&route.formula)?;
    let times = std::mem::take(&mut route.times);
    if !options.extras.moves {
        let question = route.formula.into();
        return evaluate(answer, &mut *solver, question, times, options);
    }
    let block = FirstBlock::of(&route);
    let block = block.map_err(|error| Error::from_part(ErrorKind::Question, error))?;
    let question = route.formula.clone().into();
    let mut answer = evaluate(answer, &mut *solver, question, times, options)?;
    let mut times = std::mem::take(&mut answer.times);
    let mut choices = Choices {
        block: &block,
        formula: &route.formula,
        solver: &mut *solver,
        options,
    };
    times.measure("choices", || choices.add_to(&mut answer))?;
    answer.times = times;
    Ok(answer)
}

/// The value of a program that was translated with these options, and the trace that proves it, with the names of its atoms.
///
/// # Errors
/// If the formula is too large.
pub fn solve_program_with_strategy(
    name: &str,
    route: &ProgramRoute,
    options: &Options,
) -> Result<(Answer, StrategyOutcome), Error> {
    let mut answer = about_program(name, xssat(), options);
    answer.sizes = route.sizes();
    let (formula, times) = (&route.formula, route.times.clone());
    let (answer, mut found) = evaluate_with_strategy(name, answer, formula, times, options)?;
    if let StrategyOutcome::Strategy(trace) = &mut found {
        trace.quant = Some(options.prefix.to_string());
    }
    Ok((answer, found))
}

/// An answer of which only the program is known.
fn about_program(name: &str, entry: &Entry, options: &Options) -> Answer {
    let subject = Subject::Program {
        name: name.to_owned(),
        prefix: options.prefix,
    };
    Answer::unknown(subject, entry.name)
}

/// The search for values of choices.
struct Choices<'a> {
    block: &'a FirstBlock,
    formula: &'a Formula,
    solver: &'a mut dyn Solver,
    options: &'a Options,
}

/// The result of a list of choices.
enum Listed {
    All(Vec<Vec<Lit>>),
    TooMany,
    Stopped(StopReason),
}

impl Choices<'_> {
    /// Adds the values of all choices to an answer, or one best choice where they are many.
    fn add_to(&mut self, answer: &mut Answer) -> Result<(), Error> {
        let observer = &self.options.observer;
        observer.stage("listing the choices of the first block");
        let choices = match self.list()? {
            Listed::All(choices) => choices,
            Listed::TooMany => return self.add_best(answer),
            Listed::Stopped(reason) => {
                observer.remark(&format!("choices were not listed: {reason}"));
                return Ok(());
            }
        };
        let range = answer.subject.range();
        let actions = choices.iter().map(|choice| self.action(choice));
        let unsolved = actions.map(|action| MoveValue::unknown(action, &range));
        let mut moves: Vec<MoveValue> = unsolved.collect();
        let count = choices.len();
        for (index, choice) in choices.iter().enumerate() {
            observer.stage(&format!("choice {} of {count}: solving", index + 1));
            moves[index].outcome = self.value(choice)?;
            answer.moves = Some(moves.clone());
            observer.answer(answer);
        }
        answer.moves = Some(moves);
        Ok(())
    }

    /// The choices that some answer set has, unless they are too many.
    fn list(&mut self) -> Result<Listed, SolverError> {
        let formula = self.formula;
        // Whether there is an answer set: all variables are the player's.
        let matrix = formula.matrix().clone();
        let satisfiable =
            Formula::new(formula.variables(), Prefix::new(), matrix, Names::default());
        let variables: Vec<Var> = self.block.variables().collect();
        let (mut found, mut questions) = (Vec::new(), 0);
        let mut open: Vec<Vec<Lit>> = vec![Vec::new()];
        while let Some(made) = open.pop() {
            questions += 1;
            if found.len() >= MAX_CHOICES || questions > MAX_QUESTIONS {
                return Ok(Listed::TooMany);
            }
            let limits = &self.options.limits;
            let restricted = satisfiable.restricted(&made);
            match self.solver.solve(&restricted, limits)?.outcome {
                Outcome::Stopped { reason, .. } => return Ok(Listed::Stopped(reason)),
                Outcome::Solved(Value::Exact(value)) if value.is_zero() => continue,
                Outcome::Solved(Value::Float(0.0)) => continue,
                _ => {}
            }
            match variables.get(made.len()) {
                None => found.push(made),
                Some(variable) => open.extend([true, false].map(|value| {
                    let last = variable.literal(value);
                    made.iter().copied().chain([last]).collect()
                })),
            }
        }
        Ok(Listed::All(found))
    }

    /// Adds a best choice of few atoms, whose value is that of the program.
    fn add_best(&mut self, answer: &mut Answer) -> Result<(), Error> {
        let observer = &self.options.observer;
        let Some(best) = answer.value().cloned() else {
            observer.remark("no choice is known to be best: the value is not exact");
            return Ok(());
        };
        let variables: Vec<Var> = self.block.variables().collect();
        let mut made: Vec<Lit> = Vec::new();
        for (index, variable) in variables.iter().enumerate() {
            let count = variables.len();
            observer.stage(&format!("a best choice: atom {} of {count}", index + 1));
            made.push(variable.negative());
            match self.value(&made)? {
                Outcome::Solved(Value::Exact(value)) if value == best => {}
                Outcome::Solved(_) => *made.last_mut().expect("one is there") = variable.positive(),
                stopped => {
                    let reason = stopped.stopped_by().unwrap_or(StopReason::Precision);
                    observer.remark(&format!("no best choice was found: {reason}"));
                    return Ok(());
                }
            }
        }
        observer.remark(
            "the first block has many choices, of which one of the best is shown; with `#show`, fewer atoms tell them apart",
        );
        answer.moves = Some(vec![MoveValue {
            action: self.action(&made),
            outcome: answer.outcome.clone(),
        }]);
        Ok(())
    }

    /// The value where these literals are true.
    fn value(&mut self, literals: &[Lit]) -> Result<Outcome, SolverError> {
        let formula = self.formula.restricted(literals);
        Ok(self.solver.solve(&formula, &self.options.limits)?.outcome)
    }

    fn action(&self, choice: &[Lit]) -> Term {
        Term::Constant(Name::new(&self.block.text(choice)))
    }
}
