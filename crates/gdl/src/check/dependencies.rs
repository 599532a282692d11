//! Checks of the dependency graph: keywords that must occur, unused relations, and rules that may not depend on the state or on moves.

use super::keywords::{KEYWORDS, keyword_arity};
use super::names::instead_of;
use super::relations::Relations;
use super::{has_percepts, is_sees};
use crate::description::{Description, Form, Word, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::game::COUNTED_STEP;
use crate::library::{self, library_with};
use crate::similar::Suggestions;
use crate::source::Source;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn check(
    source: &Source,
    description: &Description,
    relations: &Relations,
    diagnostics: &mut Diagnostics,
) {
    check_missing(description, diagnostics);
    let on_state = Forbidden::new(relations, &["true", "does"]);
    let on_moves = Forbidden::new(relations, &["does"]);
    for form in &description.forms {
        match form.head.name() {
            "init" | "base" | "input" => on_state.check(
                form,
                Code::DependsOnState,
                "`init`, `base` and `input` are the same in every state; use facts here",
                diagnostics,
            ),
            "legal" | "goal" | "terminal" | COUNTED_STEP => on_moves.check(
                form,
                Code::DependsOnMoves,
                "these are asked for before moves are made; use `true` here",
                diagnostics,
            ),
            _ => {}
        }
    }
    check_use(source, description, diagnostics);
    check_roles(description, diagnostics);
    check_percepts(description, diagnostics);
}

fn check_missing(description: &Description, diagnostics: &mut Diagnostics) {
    let heads: FxHashSet<&str> = description.forms.iter().map(|f| f.head.name()).collect();
    for (name, hint) in [
        ("role", "state each role: (role white)"),
        (
            "legal",
            "say what players can do: (<= (legal ?role noop) (role ?role))",
        ),
        ("goal", "say who gets what: (<= (goal white 100) (line x))"),
        ("terminal", "say when the game ends: (<= terminal (line x))"),
    ] {
        if !heads.contains(name) {
            let message = format!("there is no `{name}`");
            diagnostics.push(Diagnostic::of_file(Code::MissingRelation, message, hint));
        }
    }
    for name in ["base", "input"] {
        if !heads.contains(name) {
            let what = if name == "base" {
                "facts of a state"
            } else {
                "moves"
            };
            diagnostics.push(Diagnostic::of_file(
                Code::DomainDerived,
                format!("there is no `{name}`: a superset of the {what} is derived from the rules"),
                "",
            ));
        }
    }
}

/// Relations that some heads must not depend on.
struct Forbidden<'a> {
    relations: &'a Relations,
    targets: Vec<usize>,
    depending: Vec<bool>,
}

impl<'a> Forbidden<'a> {
    fn new(relations: &'a Relations, targets: &[&str]) -> Self {
        let targets: Vec<_> = targets.iter().filter_map(|t| relations.number(t)).collect();
        Forbidden {
            depending: relations.depending_on(&targets),
            relations,
            targets,
        }
    }

    /// Reports each relation in the body that depends on a forbidden one, and through which.
    fn check(&self, form: &Form, code: Code, hint: &str, diagnostics: &mut Diagnostics) {
        let mut reported = FxHashSet::default();
        for (sentence, _) in form.body_sentences() {
            let Some(from) = self.relations.number(sentence.name()) else {
                continue;
            };
            if !self.depending[from] || !reported.insert(from) || diagnostics.is_full() {
                continue;
            }
            let path = |&to: &usize| self.relations.path(from, to);
            let Some(path) = self.targets.iter().find_map(path) else {
                continue;
            };
            let head = form.head.name();
            let chain: Vec<_> = path.iter().map(|name| format!("`{name}`")).collect();
            let last = &chain[chain.len() - 1];
            let through = match chain.len() {
                1 => String::new(),
                _ => format!(" (through {})", chain[..chain.len() - 1].join(", ")),
            };
            diagnostics.push(Diagnostic::new(
                code,
                sentence.word.span,
                format!("`{head}` must not depend on {last}{through}"),
                hint,
            ));
        }
    }
}

fn check_use(source: &Source, description: &Description, diagnostics: &mut Diagnostics) {
    let mut derived: FxHashMap<&str, &Word> = FxHashMap::default();
    let mut used: FxHashMap<&str, &Word> = FxHashMap::default();
    for form in &description.forms {
        derived.entry(form.head.name()).or_insert(&form.head.word);
        for (sentence, _) in form.body_sentences() {
            used.entry(sentence.name()).or_insert(&sentence.word);
        }
    }
    let mut suggestions = Suggestions::new();
    for (name, word) in &used {
        if diagnostics.is_full() {
            break;
        }
        if !derived.contains_key(name) && keyword_arity(name).is_none() {
            let known = derived.keys().copied();
            let (meant, hint) = match library_with(&word.name) {
                Some(library) => (
                    format!("; the library `{library}` defines it"),
                    format!("write a line `; uses {library}` in the game"),
                ),
                None => {
                    let known = known.chain(KEYWORDS.map(|(keyword, _)| keyword));
                    let known = known.chain(library::relations());
                    let meant = suggestions.did_you_mean(name, known);
                    (meant, "is it misspelled?".to_owned())
                }
            };
            diagnostics.push(Diagnostic::new(
                Code::Unproduced,
                word.span,
                format!(
                    "no fact or rule gives `{}`, so it never holds{meant}",
                    word.spelling
                ),
                instead_of(name).map_or(hint, str::to_owned),
            ));
        }
    }
    let percepts = has_percepts(description);
    for (name, word) in &derived {
        let special =
            keyword_arity(name).is_some() || (percepts && *name == "sees") || *name == COUNTED_STEP;
        // Another file may be a library, of which a game uses a part.
        let is_own = source.file_at(word.span.range().start) == 0;
        if !used.contains_key(name) && !special && is_own {
            diagnostics.push(Diagnostic::new(
                Code::Unused,
                word.span,
                format!("`{}` is used by no rule", word.spelling),
                "remove it, or is it misspelled somewhere?",
            ));
        }
    }
}

fn check_roles(description: &Description, diagnostics: &mut Diagnostics) {
    let mut roles: FxHashMap<&str, &Word> = FxHashMap::default();
    for form in &description.forms {
        if let ("role", [WrittenTerm::Constant(word)]) =
            (form.head.name(), &form.head.arguments[..])
            && let Some(first) = roles.insert(word.as_str(), word)
        {
            let message = format!("the role `{}` is stated twice", word.spelling);
            diagnostics.push(
                Diagnostic::new(Code::DuplicateRole, word.span, message, "once is enough")
                    .with_related(first.span, "first stated here"),
            );
        }
    }
    let percepts = has_percepts(description);
    let mut reported = FxHashSet::default();
    let mut suggestions = Suggestions::new();
    for form in &description.forms {
        for sentence in form.sentences() {
            let code = match sentence.name() {
                "legal" | "does" | "goal" | "input" => Code::NotARole,
                "sees" if percepts => Code::PerceptOfNoRole,
                _ => continue,
            };
            if let [WrittenTerm::Constant(word), _] = &sentence.arguments[..]
                && !roles.contains_key(word.as_str())
                && reported.insert(word.as_str())
            {
                let meant = suggestions.did_you_mean(word.as_str(), roles.keys().copied());
                diagnostics.push(Diagnostic::new(
                    code,
                    word.span,
                    format!("`{}` is no role{meant}", word.spelling),
                    "roles are what `role` facts state",
                ));
            }
        }
    }
}

fn check_percepts(description: &Description, diagnostics: &mut Diagnostics) {
    let mut heads = (description.forms.iter()).map(|form| &form.head);
    let Some(first) = heads.find(|head| is_sees(head)) else {
        return;
    };
    if has_percepts(description) {
        diagnostics.push(Diagnostic::new(
            Code::ImperfectInformation,
            first.word.span,
            "`sees` makes this a game of hidden information (GDL-II)".to_owned(),
            "a role knows its own moves and what it sees; to assume perfect information is to ask about another game, \
             in which all roles see everything",
        ));
        return;
    }
    let mut asked = description.forms.iter().flat_map(Form::body_sentences);
    if let Some((sentence, _)) = asked.find(|(sentence, _)| is_sees(sentence)) {
        diagnostics.push(Diagnostic::new(
            Code::SeesInBody,
            sentence.word.span,
            "`sees` is a relation like any other here, and hides nothing from anybody".to_owned(),
            "in GDL-II it is in heads only: rename it, or leave it out of the body",
        ));
    }
}
