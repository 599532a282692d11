//! Libraries: rules that a game asks for in a comment, `; uses numbers dice`.
//!
//! A name stands for the file `NAME.gdl` beside the game; if there is none, for a library that is built in. Files beside the game are
//! read whole, like files of the game. Of a built-in library only the rules enter that the game needs, directly or through
//! others, and its numbers go as far as the game states, so that what is not used costs nothing.

use crate::description::{Comment, Description, Form, WrittenTerm};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::kif;
use crate::similar::did_you_mean;
use crate::source::{Source, is_same_file};
use crate::span::Span;
use crate::syntax::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// The libraries that are built in, each with its name.
const BUILT_IN: [(&str, &str); 4] = [
    ("boards", include_str!("../libraries/boards.gdl")),
    ("cards", include_str!("../libraries/cards.gdl")),
    ("dice", include_str!("../libraries/dice.gdl")),
    ("numbers", include_str!("../libraries/numbers.gdl")),
];

/// The relations with which a game states how far it counts.
const SIZES: [&str; 4] = ["columns", "line_length", "rows", "up_to"];

/// The largest number of the library `numbers`.
pub const MAX_NUMBER: u32 = 100_000;

/// Adds the files beside the game that `uses` comments name, with those that these use. `read` gives the content of a
/// file, nothing where there is no such file.
///
/// # Errors
/// The first of `read`.
pub fn add_files_beside<E>(
    files: &mut Vec<(String, Vec<u8>)>,
    mut read: impl FnMut(&str) -> Result<Option<Vec<u8>>, E>,
) -> Result<(), E> {
    let mut looked_at = 0;
    while let Some((user, bytes)) = files.get(looked_at) {
        looked_at += 1;
        let text = String::from_utf8_lossy(bytes);
        let comments = if text.contains("uses") {
            crate::read(&text, 0, &mut Diagnostics::default()).comments
        } else {
            Vec::new()
        };
        let names = comments.iter().flat_map(|comment| uses(&comment.text));
        let places: Vec<(String, String)> = names
            .map(|name| (name.to_owned(), beside(user, name)))
            .collect();
        for (name, place) in places {
            if files.iter().any(|(file, _)| is_same_file(file, &place)) {
                continue;
            }
            let is_built_in = |content: &Vec<u8>| {
                built_in(&name).is_some_and(|(_, text)| text.as_bytes() == &content[..])
            };
            let found = read(&place)?.filter(|content| !is_built_in(content));
            files.extend(found.map(|content| (place, content)));
        }
    }
    Ok(())
}

/// The names in a comment that asks for libraries.
fn uses(comment: &str) -> Vec<&str> {
    let mut words = comment
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty());
    let names: Vec<&str> = match words.next() {
        Some("uses") => words.collect(),
        _ => Vec::new(),
    };
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name = |name: &&str| name.chars().all(of_name) && !name.starts_with('.');
    // Anything else is a sentence for people.
    if names.iter().all(is_name) {
        names
    } else {
        Vec::new()
    }
}

/// The file of a library in the folder of the file that uses it.
fn beside(user: &str, name: &str) -> String {
    let folder = user.rfind(['/', '\\']).map_or("", |end| &user[..=end]);
    let ending = if name.contains('.') { "" } else { ".gdl" };
    format!("{folder}{name}{ending}")
}

fn built_in(name: &str) -> Option<&'static (&'static str, &'static str)> {
    BUILT_IN.iter().find(|(library, _)| *library == name)
}

/// A built-in library that a comment names.
struct UsedLibrary {
    name: &'static str,
    text: &'static str,
    /// The first comment that names it.
    at: Span,
}

/// Whether a comment names libraries, and is no sentence for people.
pub(crate) fn is_use(comment: &Comment, source: &Source) -> bool {
    let names = uses(&comment.text);
    let user = source.name_at(comment.span.range().start);
    let is_known = |name: &&str| built_in(name).is_some() || source.has_file(&beside(user, name));
    // One unknown word may be a slip.
    names.len() == 1 || names.iter().any(is_known)
}

/// Warns of the first comment by which a file beside the game uses itself, by way of others or not.
fn warn_of_cycle(source: &Source, comments: &[Comment], diagnostics: &mut Diagnostics) {
    let mut used: Vec<(&str, String, Span)> = Vec::new();
    for comment in comments.iter().filter(|comment| is_use(comment, source)) {
        let user = source.name_at(comment.span.range().start);
        let files = uses(&comment.text)
            .into_iter()
            .map(|name| beside(user, name));
        let files = files.filter(|file| source.has_file(file));
        used.extend(files.map(|file| (user, file, comment.span)));
    }
    let closes_cycle = |(user, file, _): &&(&str, String, Span)| {
        let mut reached = vec![file.as_str()];
        let mut looked_at = 0;
        while let Some(&from) = reached.get(looked_at) {
            looked_at += 1;
            for (_, file, _) in used.iter().filter(|(user, ..)| is_same_file(user, from)) {
                if !reached.iter().any(|other| is_same_file(other, file)) {
                    reached.push(file);
                }
            }
        }
        reached.iter().any(|file| is_same_file(file, user))
    };
    diagnostics.extend(used.iter().find(closes_cycle).map(|(user, file, at)| {
        let message = match is_same_file(user, file) {
            true => format!("{user} uses itself"),
            false => format!("{user} uses {file}, which uses it, too"),
        };
        let hint =
            "each file is read once; a file beside the game goes before the library of its name";
        Diagnostic::new(Code::CyclicUse, *at, message, hint)
    }));
}

/// The built-in libraries that comments name, and those that these use. Refuses names of none.
fn used_libraries(
    source: &Source,
    comments: &[Comment],
    diagnostics: &mut Diagnostics,
) -> Vec<UsedLibrary> {
    let mut used: Vec<UsedLibrary> = Vec::new();
    for comment in comments.iter().filter(|comment| is_use(comment, source)) {
        let user = source.name_at(comment.span.range().start);
        for name in uses(&comment.text) {
            let place = beside(user, name);
            if source.has_file(&place) {
                continue;
            }
            let Some((name, text)) = built_in(name) else {
                let known = BUILT_IN.map(|(name, _)| name);
                let meant = did_you_mean(name, known);
                let hint = format!(
                    "there are {}, and files beside the game: here {place}",
                    known.join(", ")
                );
                let message = format!("there is no library `{name}`{meant}");
                diagnostics.push(Diagnostic::new(Code::Library, comment.span, message, hint));
                continue;
            };
            add_used(name, text, comment.span, &mut used);
        }
    }
    used
}

/// Adds a library and those that it uses.
fn add_used(name: &'static str, text: &'static str, at: Span, used: &mut Vec<UsedLibrary>) {
    if used.iter().any(|other| other.name == name) {
        return;
    }
    used.push(UsedLibrary { name, text, at });
    let comments = kif::read(text, 0, &mut Diagnostics::default()).comments;
    let further = comments.iter().flat_map(|comment| uses(&comment.text));
    for (name, text) in further.filter_map(built_in) {
        add_used(name, text, at, used);
    }
}

/// The relations of all libraries, each with its library.
static RELATIONS: LazyLock<FxHashMap<Name, &'static str>> = LazyLock::new(|| {
    let mut relations = FxHashMap::default();
    for (library, text) in BUILT_IN {
        let forms = kif::read(text, 0, &mut Diagnostics::default()).forms;
        relations.extend(forms.into_iter().map(|form| (form.head.word.name, library)));
    }
    relations
});

/// The library that defines a relation.
pub(crate) fn library_with(relation: &Name) -> Option<&'static str> {
    RELATIONS.get(relation).copied()
}

/// The relations of all libraries.
pub(crate) fn relations<'a>() -> impl Iterator<Item = &'a str> {
    RELATIONS.keys().map(|name| name.as_str())
}

/// Adds the rules of the built-in libraries that the comments of a description name, as far as it needs them.
pub(crate) fn add(
    source: &mut Source,
    description: &mut Description,
    diagnostics: &mut Diagnostics,
) {
    warn_of_cycle(source, &description.comments, diagnostics);
    let used = used_libraries(source, &description.comments, diagnostics);
    let own: FxHashMap<Name, Span> = (description.forms.iter())
        .map(|form| (form.head.word.name.clone(), form.head.word.span))
        .collect();
    let mut rules: FxHashMap<Name, Vec<Form>> = FxHashMap::default();
    let mut largest = 0;
    for library in &used {
        let mut text = library.text.to_owned();
        if library.name == "numbers" {
            largest = largest_number(&description.forms, library.at, diagnostics);
            text += &successors(largest);
        }
        let start = source.push_library(library.name, &text);
        for form in kif::read(source.text(), start, diagnostics).forms {
            let name = form.head.word.name.clone();
            rules.entry(name).or_default().push(form);
        }
    }
    if refuse_clashes(&own, &rules, source, diagnostics) {
        return;
    }
    let mut open: Vec<Name> = description.forms.iter().flat_map(needs).collect();
    let mut added = Vec::new();
    while let Some(name) = open.pop() {
        let Some(needed) = rules.remove(&name) else {
            continue;
        };
        open.extend(needed.iter().flat_map(needs));
        added.extend(needed);
    }
    if added.iter().any(|form| form.head.name() == "numeral") {
        // Of a board all columns and rows are numbers of the game.
        let has_boards = used.iter().any(|library| library.name == "boards");
        let last = if has_boards { largest } else { 1 };
        let text = numerals(description.forms.iter().chain(&added), 1..=last);
        let start = source.push_library("numbers", &text);
        added.extend(kif::read(source.text(), start, diagnostics).forms);
    }
    added.sort_by_key(|form| form.span);
    let defined: FxHashSet<Name> = (added.iter())
        .map(|form| form.head.word.name.clone())
        .chain(own.into_keys())
        .collect();
    for form in &added {
        if let Some(name) = needs(form).find(|name| !defined.contains(name)) {
            refuse_lacking(&name, &used, diagnostics);
        }
    }
    description.forms.extend(added);
}

/// The relations in the conditions of a rule.
fn needs(form: &Form) -> impl Iterator<Item = Name> {
    let sentences = form.body_sentences();
    sentences.map(|(sentence, _)| sentence.word.name.clone())
}

/// Refuses relations that the game defines and a library, too: its rules would change what those of the library mean. Says whether there
/// are any.
fn refuse_clashes(
    own: &FxHashMap<Name, Span>,
    rules: &FxHashMap<Name, Vec<Form>>,
    source: &Source,
    diagnostics: &mut Diagnostics,
) -> bool {
    let mut clashes = false;
    for (name, span) in own {
        if let Some(forms) = rules.get(name) {
            let library = source.name_at(forms[0].span.range().start);
            clashes = true;
            diagnostics.push(
                Diagnostic::new(
                    Code::Library,
                    *span,
                    format!("the {library} defines `{name}`, too"),
                    "give this one another name, or do without the library",
                )
                .with_related(forms[0].head.word.span, "defined here"),
            );
        }
    }
    clashes
}

/// Refuses a game that does not state what a library needs to know of it.
fn refuse_lacking(relation: &Name, used: &[UsedLibrary], diagnostics: &mut Diagnostics) {
    let users = used
        .iter()
        .filter(|library| library.text.contains(relation.as_str()));
    let first = users.min_by_key(|library| library.at);
    diagnostics.extend(first.map(|library| {
        let message = format!("the library `{}` needs `{relation}`", library.name);
        let hint = format!("state it in the game, such as ({relation} 20)");
        Diagnostic::new(Code::Library, library.at, message, hint)
    }));
}

fn number(term: &WrittenTerm) -> Option<u32> {
    match term {
        WrittenTerm::Constant(word) => word.as_str().parse().ok(),
        _ => None,
    }
}

/// How far a game counts. Its sizes are what it states with [`SIZES`]; where that is no number, any number of the game may be one.
fn largest_number(forms: &[Form], at: Span, diagnostics: &mut Diagnostics) -> u32 {
    let sizes = || {
        forms
            .iter()
            .filter(|form| SIZES.contains(&form.head.name()))
    };
    let bounds = forms.iter().filter(|form| form.head.name() == "up_to");
    for form in bounds.filter(|form| form.body.is_none()) {
        let terms = form.head.arguments.iter();
        let mut wrong = terms.filter(|term| number(term).is_none());
        if let Some(WrittenTerm::Constant(word)) = wrong.next() {
            let message = format!(
                "the library `numbers` goes up to a number, and `{}` is none",
                word.spelling
            );
            let hint = "write a number, such as (up_to 20)";
            diagnostics.push(Diagnostic::new(Code::Library, word.span, message, hint));
        }
    }
    let is_stated = |form: &Form| {
        form.body.is_none()
            && form
                .head
                .arguments
                .iter()
                .all(|term| number(term).is_some())
    };
    let counted: Vec<&Form> = if sizes().all(is_stated) {
        sizes().collect()
    } else {
        forms.iter().collect()
    };
    let counted = counted.into_iter().flat_map(Form::terms);
    let largest = counted.filter_map(number).max().unwrap_or(0);
    if largest > MAX_NUMBER {
        let message = format!(
            "the library `numbers` goes to {MAX_NUMBER} at most, and this game needs {largest}"
        );
        let hint = "count in larger units, or state the facts that the game needs";
        diagnostics.push(Diagnostic::new(Code::Library, at, message, hint));
    }
    largest.min(MAX_NUMBER)
}

/// The facts `(successor 1 2)` and so on.
fn successors(largest: u32) -> String {
    (2..=largest).fold(String::new(), |mut facts, n| {
        let _ = writeln!(facts, "(successor {} {n})", n - 1);
        facts
    })
}

/// The facts `(numeral 6)` and so on: these numbers, and those in the text of rules, but for the successors.
fn numerals<'a>(forms: impl Iterator<Item = &'a Form>, more: RangeInclusive<u32>) -> String {
    let mut found: BTreeSet<u32> = more.collect();
    for form in forms.filter(|form| form.head.name() != "successor") {
        found.extend(form.terms().filter_map(number));
    }
    // The library has it.
    found.remove(&0);
    found.into_iter().fold(String::new(), |mut facts, n| {
        let _ = writeln!(facts, "(numeral {n})");
        facts
    })
}

/// The part of a description that stands in its first `files` files, without what these use.
pub fn without_libraries(
    mut description: Description,
    source: &Source,
    files: usize,
) -> Description {
    let is_own = |span: Span| source.file_at(span.range().start) < files;
    description.forms.retain(|form| is_own(form.span));
    description.comments.retain(|comment| is_own(comment.span));
    description
}

/// A description with all that it uses, as one file that asks for no library.
pub fn standalone(mut description: Description, source: &Source) -> Description {
    description
        .comments
        .retain(|comment| !is_use(comment, source));
    let mut heading = "library";
    for form in &mut description.forms {
        let start = form.span.range().start;
        let name = source.name_at(start);
        if name != heading && name.starts_with("library ") {
            heading = name;
            form.lines_before = 1;
            description.comments.push(Comment {
                marks: 1,
                text: format!(" from the {name} of sqasp"),
                // The text of a library begins with a comment.
                span: Span::new(start - 1, start - 1),
                lines_before: 2,
            });
        }
    }
    description.comments.sort_by_key(|comment| comment.span);
    description
}
