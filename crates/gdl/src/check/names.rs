//! Names: one spelling, one arity, one kind, and the usual characters.

use super::keywords::keyword_arity;
use crate::description::{Description, Form, Word, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::game::Points;
use crate::syntax::Name;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn check(description: &Description, diagnostics: &mut Diagnostics) {
    check_spelling(constant_words(description), diagnostics);
    for form in &description.forms {
        check_spelling(form.variables(), diagnostics);
    }
    check_kinds(description, diagnostics);
    check_characters(description, diagnostics);
}

/// The names of all relations, functions and constants.
fn constant_words(description: &Description) -> impl Iterator<Item = &Word> {
    description.forms.iter().flat_map(|form| {
        let relations = form.sentences().map(|sentence| &sentence.word);
        let terms = (form.terms()).filter(|term| !matches!(term, WrittenTerm::Variable(_)));
        relations.chain(terms.map(WrittenTerm::word))
    })
}

fn check_spelling<'a>(words: impl Iterator<Item = &'a Word>, diagnostics: &mut Diagnostics) {
    let mut first: FxHashMap<&Name, &Word> = FxHashMap::default();
    let mut reported = FxHashSet::default();
    for word in words {
        let seen = *first.entry(&word.name).or_insert(word);
        if seen.spelling != word.spelling && reported.insert(&word.spelling) {
            clash(seen, word, diagnostics);
        }
    }
}

fn clash(first: &Word, second: &Word, diagnostics: &mut Diagnostics) {
    diagnostics.push(
        Diagnostic::new(
            Code::Capitalisation,
            second.span,
            format!(
                "`{}` and `{}` are one name, since GDL does not tell upper from lower case",
                first.spelling, second.spelling
            ),
            "spell it in one way; if two names are meant, rename one",
        )
        .with_related(first.span, "the first spelling"),
    );
}

/// Advice: the GDL to write instead of a name of comparison or arithmetic.
pub(super) fn instead_of(name: &str) -> Option<&'static str> {
    match name {
        "!=" | "/=" | "\\=" | "<>" | "\\==" => Some("write (distinct ?x ?y)"),
        "=" | "==" => Some(
            "use one variable for both; GDL has no arithmetic, so a sum is looked up in a table: (sum ?a ?b ?n)",
        ),
        "+" | "-" | "*" | "/" | "<" | ">" | "<=" | ">=" | "=<" => Some(
            "GDL has no arithmetic: state a table of facts, such as (sum 1 2 3) or (less 1 2), and ask for (sum ?a ?b ?n); a line `; uses numbers` gives such tables",
        ),
        _ => None,
    }
}

/// The arity a name was first used with, and where.
type Arities<'a> = FxHashMap<&'a Name, (usize, &'a Word)>;

/// Notes the arity of a name and warns, once per name, when it was another one before.
fn note_arity<'a>(
    known: &mut Arities<'a>,
    code: Code,
    word: &'a Word,
    arity: usize,
    reported: &mut FxHashSet<(Code, &'a Name)>,
    diagnostics: &mut Diagnostics,
) {
    let (first, at) = *known.entry(&word.name).or_insert((arity, word));
    if first == arity || !reported.insert((code, &word.name)) {
        return;
    }
    let kind = match code {
        Code::RelationArity => "relation",
        _ => "function",
    };
    let name = &word.spelling;
    diagnostics.push(
        Diagnostic::new(
            code,
            word.span,
            format!("the {kind} `{name}` has {arity} arguments here, {first} before"),
            "with another number of arguments it is another one; give it its own name",
        )
        .with_related(at.span, "first used here"),
    );
}

/// Arities of relations and functions, and names that are both.
fn check_kinds(description: &Description, diagnostics: &mut Diagnostics) {
    let (mut relations, mut functions) = (Arities::default(), Arities::default());
    let mut reported = FxHashSet::default();
    for form in &description.forms {
        for sentence in form.sentences() {
            if keyword_arity(sentence.name()).is_none() {
                let count = sentence.arguments.len();
                let (code, word) = (Code::RelationArity, &sentence.word);
                note_arity(
                    &mut relations,
                    code,
                    word,
                    count,
                    &mut reported,
                    diagnostics,
                );
            }
        }
        for term in form.terms() {
            if let WrittenTerm::Function(word, arguments) = term
                && !arguments.is_empty()
            {
                let (code, count) = (Code::FunctionArity, arguments.len());
                note_arity(
                    &mut functions,
                    code,
                    word,
                    count,
                    &mut reported,
                    diagnostics,
                );
            }
        }
    }
    let mut both: Vec<_> = (relations.iter())
        .filter_map(|(name, (_, relation))| Some((*relation, functions.get(name)?.1)))
        .collect();
    both.sort_by_key(|(relation, _)| relation.span);
    for (relation, function) in both {
        let name = &relation.spelling;
        diagnostics.push(
            Diagnostic::new(
                Code::RelationAndFunction,
                relation.span,
                format!("`{name}` is both a relation and a function"),
                format!("was `(true ({name} ...))` meant?"),
            )
            .with_related(function.span, "a function here"),
        );
    }
}

fn check_characters(description: &Description, diagnostics: &mut Diagnostics) {
    let mut seen = FxHashSet::default();
    let variables = description.forms.iter().flat_map(Form::variables);
    for word in constant_words(description).chain(variables) {
        let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let is_points = word.as_str().parse::<Points>().is_ok();
        if seen.insert(word.name.clone()) && !is_points && !word.as_str().chars().all(usual) {
            diagnostics.push(Diagnostic::new(
                Code::UnusualCharacters,
                word.span,
                format!("the name `{}` has unusual characters", word.spelling),
                instead_of(word.as_str()).unwrap_or(
                    "it works, but other programs may read only letters, digits, `_` and `-`",
                ),
            ));
        }
    }
}
