//! Conditional literals in rule heads that depend on themselves: `a : p(X)` where `p` rests on `a`.
//!
//! clingo 5 loses the head where the atoms of such a condition become facts while it is grounded: with `a. b :- a. a : a :- b.` it finds no
//! answer set, and there is one. So these programs are refused. The dependencies are those between names of predicates: more than
//! there are between atoms, never fewer.

use super::scan::Tokens;
use base::graph::Graph;
use rustc_hash::FxHashMap;

/// A part of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    /// Behind the colon of a conditional literal in the head.
    Condition,
    Body,
    /// A directive such as `#show`, which has no head.
    Directive,
    /// Brackets behind a statement, as in `#external a. [true]`.
    Annotation,
}

/// The place in a statement that tokens lead to.
pub(super) struct Place {
    part: Part,
    parentheses: usize,
    braces: usize,
    is_first: bool,
}

impl Place {
    pub(super) fn new() -> Self {
        Place {
            part: Part::Head,
            parentheses: 0,
            braces: 0,
            is_first: true,
        }
    }

    /// Goes on behind a token of the text; says whether it begins the condition of a literal in a head, not inside of braces.
    pub(super) fn pass(&mut self, token: &str, tokens: &Tokens<'_>) -> bool {
        let is_first = std::mem::replace(&mut self.is_first, false);
        let in_head = matches!(self.part, Part::Head | Part::Condition);
        match token.as_bytes() {
            b"." if !tokens.is_beside(b'.') => *self = Place::new(),
            [b'#', ..] if is_first => self.part = Part::Directive,
            b"[" if is_first => self.part = Part::Annotation,
            b"]" if self.part == Part::Annotation => *self = Place::new(),
            b"(" => self.parentheses += 1,
            b")" => self.parentheses = self.parentheses.saturating_sub(1),
            b"{" => self.braces += 1,
            b"}" => self.braces = self.braces.saturating_sub(1),
            b";" | b"|" if in_head && self.parentheses == 0 => self.part = Part::Head,
            b":" if in_head && matches!(tokens.following(), Some(b'-' | b'~')) => {
                self.part = Part::Body;
            }
            b":" if in_head && self.parentheses == 0 => {
                self.part = Part::Condition;
                return self.braces == 0;
            }
            _ => {}
        }
        false
    }
}

/// The predicates of a statement's parts.
#[derive(Default)]
struct Statement {
    heads: Vec<usize>,
    /// Those of conditions in the head and of the body.
    conditions: Vec<usize>,
}

/// The line and the name of the first conditional literal in a head that depends on itself, over all these texts.
pub(super) fn recursive_head(texts: &[String]) -> Option<(usize, String)> {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    let mut conditional: Vec<(usize, &str, usize, usize)> = Vec::new();
    for text in texts {
        let mut tokens = Tokens::new(text);
        let mut place = Place::new();
        let mut statement = Statement::default();
        // The predicates of the head literal whose condition is read.
        let (mut open, mut is_conditional) = (Vec::new(), false);
        while let Some(token) = tokens.next() {
            let began = place.pass(token, &tokens);
            if place.is_first {
                let Statement { heads, conditions } = &statement;
                let of_statement = heads.iter();
                edges.extend(of_statement.flat_map(|&h| conditions.iter().map(move |&c| (h, c))));
                statement = Statement::default();
                (open, is_conditional) = (Vec::new(), false);
                continue;
            }
            is_conditional = is_conditional && place.part == Part::Condition || began;
            if token == ";" || token == "|" {
                open.clear();
            }
            let is_name = token
                .trim_start_matches('_')
                .starts_with(|first: char| first.is_ascii_lowercase());
            if !is_name || token == "not" || place.parentheses > 0 {
                continue;
            }
            let new = numbers.len();
            let number = *numbers.entry(token).or_insert(new);
            match place.part {
                Part::Head => {
                    statement.heads.push(number);
                    open.push((number, token));
                }
                Part::Condition if is_conditional => {
                    statement.conditions.push(number);
                    let literals = open.iter();
                    conditional
                        .extend(literals.map(|&(head, name)| (tokens.line(), name, head, number)));
                }
                Part::Condition | Part::Body => statement.conditions.push(number),
                Part::Directive | Part::Annotation => {}
            }
        }
    }
    let graph = Graph::new(numbers.len(), |edge| {
        edges
            .iter()
            .for_each(|&(head, condition)| edge(head, condition));
    });
    let components = graph.components();
    let is_recursive = |&(_, _, head, condition): &(usize, &str, usize, usize)| {
        components.component_of(head) == components.component_of(condition)
    };
    let found = conditional.into_iter().find(is_recursive);
    found.map(|(line, name, ..)| (line, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_that_rest_on_themselves_are_found() {
        for (text, name) in [
            ("a. b :- a. a : a :- b.", Some("a")),
            ("{ c }. q(X) : p(X) :- d(X).\np(X) :- q(X), c.", Some("q")),
            ("a ; b : not c. c :- d. d :- b.", Some("b")),
            ("a : b :- c. b : a. c.", Some("a")),
            ("x :- y(1..2).:- a. a : b, c. c :- { a }.", Some("a")),
            ("a : b. b. c : d. d :- a.", None),
            ("{ a : a }. 1 { a(X) : a(X) ; b : a } 2 :- a.", None),
            (
                ":- a : b. b :- a. c :- a : b. #show a : a. #minimize { 1 : a }.",
                None,
            ),
            ("% a : a.\nb(\"a : a.\").", None),
            (":~ a. [1 : a] a :- b.", None),
            ("#external a. [true] #show a : b. b :- a.", None),
        ] {
            let found = recursive_head(&[text.to_owned()]);
            assert_eq!(found.map(|(_, name)| name).as_deref(), name, "{text}");
        }
        let parts = ["a : b.".to_owned(), "p.\nb :- a.".to_owned()];
        assert_eq!(recursive_head(&parts), Some((1, "a".to_owned())));
    }
}
