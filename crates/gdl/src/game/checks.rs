//! Checks of all rules of a description together: facts and moves in conditions that nothing makes true, moves of a `random` that
//! is no role, and goal values that come through variables.

use super::domains::{Misfit, TermKind};
use super::{Domains, Game, GoalValues, Points};
use crate::diagnostic::{HELP_FOR_LARGE_GOALS, HELP_FOR_UNUSUAL_GOALS};
use crate::normalise::term;
use crate::similar::Suggestions;
use crate::{
    Code, Description, Diagnostic, Diagnostics, MAX_POINTS, Name, Span, Term, WrittenSentence,
    WrittenTerm,
};
use rustc_hash::FxHashSet;

/// Adds the diagnostics about a description without errors.
pub(super) fn check(game: &Game, description: &Description, diagnostics: &mut Diagnostics) {
    let domains = game.domains();
    check_conditions(game, domains, description, diagnostics);
    check_random(game, domains, description, diagnostics);
    check_percepts(game, domains, description, diagnostics);
    let Some(variable) = goal_variable(description) else {
        return;
    };
    for player in game.players() {
        let values = GoalValues::of_terms(domains.goals(player));
        let most = values.points.last().filter(|&&most| most > Points::WIN);
        if let Some(most) = most {
            diagnostics.push(Diagnostic::new(
                Code::LargeGoal,
                variable,
                format!(
                    "{player} may get {most} points here, more than {}",
                    Points::WIN
                ),
                HELP_FOR_LARGE_GOALS,
            ));
        }
        let mut all = values.points.iter();
        if let Some(unusual) = all.find(|points| points.is_negative() || points.whole().is_none()) {
            diagnostics.push(Diagnostic::new(
                Code::UnusualGoal,
                variable,
                format!("{player} may get {unusual} points here"),
                HELP_FOR_UNUSUAL_GOALS,
            ));
        }
        if let Some(other) = values.others.first() {
            diagnostics.push(Diagnostic::new(
                Code::OddGoal,
                variable,
                format!("the goal value of {player} may be {other} here, as far as the rules show"),
                format!(
                    "goal values are numbers up to {MAX_POINTS}, such as 50, -3 or 1/2; a play that ends with \
                     another value is refused"
                ),
            ));
        }
    }
}

/// Tells facts and moves in conditions that no state and no play can have, once for each name.
fn check_conditions(
    game: &Game,
    domains: &Domains,
    description: &Description,
    diagnostics: &mut Diagnostics,
) {
    let mut told = FxHashSet::default();
    let mut suggestions = Suggestions::new();
    for form in &description.forms {
        for (sentence, _) in form.body_sentences() {
            if diagnostics.is_full() {
                return;
            }
            let asked = match (sentence.name(), &sentence.arguments[..]) {
                ("true", [fact]) => Some((TermKind::Fact, fact)),
                ("does", [WrittenTerm::Constant(role), action]) => {
                    let role = game.roles().iter().find(|name| **name == role.name);
                    // Another check reports a constant that is no role.
                    role.map(|role| (TermKind::Move(Some(role)), action))
                }
                ("does", [_, action]) => Some((TermKind::Move(None), action)),
                _ => None,
            };
            let Some((asked, written)) = asked else {
                continue;
            };
            let whole = term(written);
            let Some(misfit) = domains.misfit(asked, &whole) else {
                continue;
            };
            let code = match asked {
                TermKind::Fact => Code::NeverTrue,
                TermKind::Move(_) => Code::NeverLegal,
            };
            if let Some(name) = misfit.term.name()
                && told.insert((code, name.clone()))
            {
                diagnostics.push(Diagnostic::new(
                    code,
                    place_of(sentence, name),
                    never(asked, &whole, &misfit, domains, &mut suggestions),
                    match asked {
                        TermKind::Fact => "facts come from `init` and `next`",
                        TermKind::Move(_) => "moves are what `legal` allows",
                    },
                ));
            }
        }
    }
}

/// Where the name stands in a sentence.
fn place_of(sentence: &WrittenSentence, name: &Name) -> Span {
    let mut terms = (sentence.terms()).filter(|term| !matches!(term, WrittenTerm::Variable(_)));
    let found = terms.find(|term| term.word().name == *name);
    found.map_or(sentence.word.span, |term| term.word().span)
}

/// The message about a fact or move that can never be.
fn never(
    asked: TermKind<'_>,
    whole: &Term,
    misfit: &Misfit<'_>,
    domains: &Domains,
    suggestions: &mut Suggestions,
) -> String {
    let name = misfit.term.name().map_or("", Name::as_str);
    let is_known = domains.instead(misfit).any(|other| other == name);
    let part = match (misfit.term, is_known) {
        (Term::Function(_, arguments), true) => {
            let count = arguments.len();
            let plural = if count == 1 { "" } else { "s" };
            format!("`{name}` with {count} argument{plural}")
        }
        (_, true) => format!("`{name}` without arguments"),
        (_, false) => format!("`{name}`"),
    };
    let (what, there) = if std::ptr::eq(misfit.term, whole) {
        (part, String::new())
    } else {
        (format!("`{whole}`"), format!(" with {part} there"))
    };
    let meant = suggestions.did_you_mean(name, domains.instead(misfit));
    match asked {
        TermKind::Fact => {
            format!("no rule or `init` gives {what}{there}, so it is never true{meant}")
        }
        TermKind::Move(None) => {
            format!("no rule makes {what} legal{there}, so it is never made{meant}")
        }
        TermKind::Move(Some(role)) => {
            format!("no rule makes {what} legal for {role}{there}, so it is never made{meant}")
        }
    }
}

/// Says that `random` may move although it is no role.
fn check_random(
    game: &Game,
    domains: &Domains,
    description: &Description,
    diagnostics: &mut Diagnostics,
) {
    if game.random_role().is_some() {
        return;
    }
    let random = Name::new("random");
    let is_random =
        |term: &&WrittenTerm| matches!(term, WrittenTerm::Constant(word) if word.name == random);
    if let Some(term) = description.terms().find(is_random)
        && domains.has_mover(&random)
    {
        diagnostics.push(Diagnostic::new(
            Code::RandomNoRole,
            term.word().span,
            "`random` has moves, but it is no role".to_owned(),
            "add (role random), so that it moves by chance",
        ));
    }
}

/// Tells percepts of a role that never has a choice: they change nothing.
fn check_percepts(
    game: &Game,
    domains: &Domains,
    description: &Description,
    diagnostics: &mut Diagnostics,
) {
    let has_no_choice = |role: &Name| {
        let moves = domains.moves(role);
        role.is_random() || moves.is_ok_and(|moves| moves.count() < 2)
    };
    for form in description.forms.iter().filter(|_| game.has_percepts()) {
        if let ("sees", [WrittenTerm::Constant(role), _]) =
            (form.head.name(), &form.head.arguments[..])
            && game.roles().contains(&role.name)
            && has_no_choice(&role.name)
        {
            diagnostics.push(Diagnostic::new(
                Code::PerceptOfNobody,
                role.span,
                format!(
                    "{} never has a choice, so what it sees changes nothing",
                    role.name
                ),
                "did you mean another role?",
            ));
        }
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
