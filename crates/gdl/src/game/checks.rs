//! What the rules of a description say together that no rule says alone: whether `random` moves without being
//! a role, and which goal values can come through variables.

use super::{Domains, Game, GoalValues};
use crate::{Code, Description, Diagnostic, Diagnostics, MAX_POINTS, Name, Span, WrittenTerm};

/// The largest goal value of GDL.
const USUAL_POINTS: u32 = 100;

/// Adds what there is to say about a description without errors.
pub(super) fn check(game: &Game, description: &Description, diagnostics: &mut Diagnostics) {
    check_random(game, description, diagnostics);
    let Some(variable) = goal_variable(description) else {
        return;
    };
    for player in game.players() {
        let values = GoalValues::of(game, player);
        if values.most() > USUAL_POINTS {
            let most = values.most();
            diagnostics.push(Diagnostic::new(
                Code::LargeGoal,
                variable,
                format!("{player} may get {most} points here, more than {USUAL_POINTS}"),
                "other programs take 0 to 100 points; here 100 and more count as a win, and the \
                 objective `points` is their mean",
            ));
        }
        if let Some(other) = values.others.first() {
            diagnostics.push(Diagnostic::new(
                Code::OddGoal,
                variable,
                format!("the goal value of {player} may be {other} here, as far as the rules show"),
                format!(
                    "goal values are whole numbers from 0 to {MAX_POINTS}; a play that ends with another \
                     value is refused"
                ),
            ));
        }
    }
}

/// Says that `random` may move although it is no role.
fn check_random(game: &Game, description: &Description, diagnostics: &mut Diagnostics) {
    if game.random_role().is_some() {
        return;
    }
    let mut span = None;
    for form in &description.forms {
        form.visit_terms(&mut |term| match term {
            WrittenTerm::Constant(word) if word.as_str() == "random" => {
                span.get_or_insert(word.span);
            }
            _ => {}
        });
    }
    let random = Name::new("random");
    if let Some(span) = span
        && Domains::derive(game).has_mover(&random)
    {
        diagnostics.push(Diagnostic::new(
            Code::RandomNoRole,
            span,
            "`random` has moves, but it is no role".to_owned(),
            "add (role random), so that it moves by chance",
        ));
    }
}

/// The place of the first goal value that is a variable.
fn goal_variable(description: &Description) -> Option<Span> {
    description
        .forms
        .iter()
        .find_map(|form| match (form.head.name(), &form.head.arguments[..]) {
            ("goal", [_, WrittenTerm::Variable(word)]) => Some(word.span),
            _ => None,
        })
}
