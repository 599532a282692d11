//! From a game to a formula.

use super::program::{ProgramError, ProgramRoute, RouteOptions, StageTimes, finish};
use crate::asp::Program;
use crate::ground::{
    DomainError, GroundError, Prediction, find_moves, ground, measure, predict, undeclared_moves,
};
use crate::sqasp::Quantifiers;
use crate::translate::{Moves, Names, Question, payoffs_fit, translate};
use gdl::game::{Game, NoSuchRole, ValueRange};
use limits::StopReason;
use lp2sat::GroundProgram;
use std::fmt::Write;

/// A game on its way to a formula, with every stage.
#[derive(Clone, Debug)]
pub struct GameRoute {
    /// The moves each role may have.
    #[doc(hidden)]
    pub moves: Moves,
    /// The stochastic quantified program.
    #[doc(hidden)]
    pub program: Program,
    /// The stages behind it.
    pub stages: ProgramRoute,
    /// The range of the role's values; the value of the formula is a part of it.
    pub range: ValueRange,
}

/// A game that does not become a formula.
#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    /// The role is none that chooses.
    #[error(transparent)]
    Role(#[from] NoSuchRole),
    /// The grounding would not fit.
    #[error(
        "grounding {depth} steps would give about {} rules and {} atoms and take about {}, more \
         than the {} allowed; count fewer steps, or allow more memory",
        predicted.rules, predicted.atoms, size(predicted.bytes()), size(*allowed)
    )]
    TooLarge {
        /// The horizon asked for.
        depth: u32,
        predicted: Prediction,
        /// The memory allowed, in bytes.
        allowed: u64,
    },
    /// Payoffs are no short fractions.
    #[error(
        "the points of this game, as parts of their range, have denominators over 2^31, more than a program can have: emm searches the game itself"
    )]
    Payoffs,
    /// The moves cannot be listed.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The ground program does not have the form that the encoding relies on.
    #[error("the ground program of this game is not as it should be: {0}")]
    Assumption(#[from] lp2sat::AssumptionError),
    /// A later stage failed.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

impl RouteError {
    /// The limit that ended the work, if it was one.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            RouteError::TooLarge { .. } => Some(StopReason::Memory),
            RouteError::Domain(DomainError::Ground(GroundError::Stopped { reason, .. })) => {
                Some(*reason)
            }
            RouteError::Program(error) => error.stopped_by(),
            _ => None,
        }
    }
}

/// A size for people.
fn size(bytes: u64) -> String {
    if bytes < 1_000_000 {
        format!("{bytes} bytes")
    } else {
        format!("{} MB", bytes.div_ceil(1_000_000))
    }
}

/// Turns a question about a game into a formula whose value is the answer, or the part that the answer is of
/// [`GameRoute::range`]. A state without a value counts as lost.
pub fn route_game(
    game: &Game,
    question: &Question,
    options: &RouteOptions,
) -> Result<GameRoute, RouteError> {
    game.role(&question.role)?;
    if !payoffs_fit(game, question) {
        return Err(RouteError::Payoffs);
    }
    let mut times = StageTimes::default();
    let mut warnings = Vec::new();
    let names = Names::of(game);
    let found = times.measure("domains", || find_moves(game, &names, &options.limits))?;
    let mut moves = found.moves;
    for role in &found.undeclared {
        warnings.push(format!(
            "`input` states no move of {role}; those that may be legal are allowed all the same: add \
             (input {role} ...) for them"
        ));
    }
    let text = |program: &Program| {
        let text = program.text(&options.limits.overall);
        text.map_err(GroundError::stopped)
    };
    if let Some(allowed) = options.memory {
        let size_at = |depth| {
            let shorter = Question {
                depth,
                ..question.clone()
            };
            let program = translate(game, &shorter, &moves, &names);
            measure(&text(&program)?, &[("base", None)], &options.limits)
        };
        let depth = question.depth;
        let predicted = times.measure("predict", || {
            // Far below the limit even if each step costs as much as all before it: no longer probes, which take time.
            let few = size_at(depth.min(2))?;
            let growth = u64::from(depth / 2 + 1).pow(2);
            if few.bytes().saturating_mul(growth) < allowed / 10 {
                return Ok(few);
            }
            predict(size_at, depth)
        });
        let predicted = predicted.map_err(ProgramError::from)?;
        if predicted.bytes() > allowed {
            return Err(RouteError::TooLarge {
                depth,
                predicted,
                allowed,
            });
        }
    }
    loop {
        let program = times.measure("translate", || translate(game, question, &moves, &names));
        let grounded = times
            .measure("ground", || ground(&text(&program)?, &options.limits))
            .map_err(ProgramError::from)?;
        let mut undeclared = undeclared_moves(&grounded.program, &names)?;
        // Rules may call moves legal for a term that is no role; no play has those.
        undeclared.retain(|(role, _)| game.roles().contains(role));
        if undeclared.is_empty() {
            warnings.extend(grounded.warnings);
            let quantifiers = Quantifiers::read(&grounded.program).map_err(ProgramError::from)?;
            times.measure("check", || {
                check_assumptions(&grounded.program, &quantifiers)
            })?;
            let mut stages = finish(grounded.program, quantifiers, options, times)?;
            stages.warnings = warnings;
            return Ok(GameRoute {
                moves,
                program,
                stages,
                range: ValueRange::of(game, &question.role, question.objective),
            });
        }
        // `input` is incomplete. Every legal move can be played, whatever `input` says.
        let mut list = String::new();
        for (role, action) in undeclared.iter().take(5) {
            write!(list, " (input {role} {action})").expect("strings can be written to");
        }
        warnings.push(format!(
            "{} moves may be legal but are not among the `input` moves; they are allowed all the \
             same; add{list}{}",
            undeclared.len(),
            if undeclared.len() > 5 { " ..." } else { "" }
        ));
        moves = moves.extended(undeclared);
    }
}

/// Checks the assumptions of the encoding about its own ground program instead of trusting the
/// grounder: quantified atoms are still choices, and all others are functions of them.
fn check_assumptions(program: &GroundProgram, quantifiers: &Quantifiers) -> Result<(), RouteError> {
    lp2sat::check_decided(program, quantifiers.open_atoms())?;
    Ok(lp2sat::check_stratified(program)?)
}
