//! Descriptions as text, in either form: the output of `sqasp fmt`.
//!
//! A form that fits into [`WIDTH`] columns is one line; a longer rule has a line for each
//! condition. Comments and single blank lines between forms are kept; a comment inside a form
//! moves in front of it. Printing the output again changes nothing, and reading it gives an equal
//! description.
//!
//! Names keep their spelling in prefix form. Infix form tells variables by their upper-case first
//! letter, so there a constant that starts with one is printed in lower case, a variable that does
//! not gets one (`?x` becomes `X`), and names with unusual characters stand in quotes: `'map+'`,
//! `?'1+'`.

use super::description::{
    Comment, Condition, Description, Form, Syntax, Word, WrittenSentence, WrittenTerm,
};
use super::infix_tokens::{is_bare_name, is_bare_variable};

/// The longest line of a rule that is not broken.
const WIDTH: usize = 96;

/// Prints a description in one of the two forms.
pub fn format(description: &Description, syntax: Syntax) -> String {
    let mut page = Page {
        syntax,
        text: String::new(),
    };
    let mut comments = description.comments.iter().peekable();
    for (number, form) in description.forms.iter().enumerate() {
        while let Some(comment) = comments.next_if(|c| c.span.start < form.span.start) {
            page.comment(comment);
        }
        let mut blank_line = form.lines_before > 1;
        while let Some(comment) = comments.next_if(|c| c.span.start < form.span.end) {
            page.line(blank_line, &comment_text(comment, syntax));
            blank_line = false;
        }
        page.line(blank_line, &form_text(form, syntax));
        let next = description
            .forms
            .get(number + 1)
            .map_or(u32::MAX, |f| f.span.start);
        let is_beside = |c: &&Comment| c.lines_before == 0 && c.span.start < next;
        if let Some(comment) = comments.next_if(is_beside) {
            page.append(&comment_text(comment, syntax));
        }
    }
    for comment in comments {
        page.comment(comment);
    }
    page.text
}

struct Page {
    syntax: Syntax,
    text: String,
}

impl Page {
    fn comment(&mut self, comment: &Comment) {
        self.line(
            comment.lines_before > 1,
            &comment_text(comment, self.syntax),
        );
    }

    fn line(&mut self, blank_line: bool, line: &str) {
        if blank_line && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds to the line written last.
    fn append(&mut self, more: &str) {
        self.text.pop();
        self.text.push(' ');
        self.text.push_str(more);
        self.text.push('\n');
    }
}

/// Notes how many line ends, at most 2, stand before each form and each comment.
pub(crate) fn note_layout(text: &str, description: &mut Description) {
    let line_ends = |from: usize, to: usize| {
        let between = text.get(from..to).unwrap_or_default();
        between
            .split_inclusive(['\n'])
            .filter(|l| l.ends_with('\n'))
            .count()
            .min(2) as u8
    };
    let mut comments = description.comments.iter_mut().peekable();
    let mut end = 0;
    for form in &mut description.forms {
        while let Some(comment) = comments.next_if(|c| c.span.start < form.span.start) {
            comment.lines_before = line_ends(end, comment.span.start as usize);
            end = comment.span.end as usize;
        }
        form.lines_before = line_ends(end, form.span.start as usize);
        while let Some(comment) = comments.next_if(|c| c.span.start < form.span.end) {
            comment.lines_before = 1;
        }
        end = form.span.end as usize;
    }
    for comment in comments {
        comment.lines_before = line_ends(end, comment.span.start as usize);
        end = comment.span.end as usize;
    }
}

fn comment_text(comment: &Comment, syntax: Syntax) -> String {
    let mark = match syntax {
        Syntax::Kif => ";",
        Syntax::Infix => "%",
    };
    mark.repeat(comment.marks) + &comment.text
}

pub(crate) fn form_text(form: &Form, syntax: Syntax) -> String {
    let head = sentence_text(&form.head, syntax);
    let Some(body) = &form.body else {
        return match syntax {
            Syntax::Kif => head,
            Syntax::Infix => head + ".",
        };
    };
    let conditions: Vec<_> = body.iter().map(|c| condition_text(c, syntax)).collect();
    let (start, join, end) = match (syntax, conditions.is_empty()) {
        (Syntax::Kif, _) => (format!("(<= {head}"), "", ")"),
        (Syntax::Infix, true) => (format!("{head} :-"), "", "."),
        (Syntax::Infix, false) => (format!("{head} :-"), ",", "."),
    };
    let length: usize = conditions
        .iter()
        .map(|c| c.chars().count() + 1 + join.len())
        .sum();
    let between = if start.chars().count() + length <= WIDTH {
        format!("{join} ")
    } else {
        format!("{join}\n    ")
    };
    let mut text = start;
    for (i, condition) in conditions.iter().enumerate() {
        text.push_str(if i == 0 {
            &between[join.len()..]
        } else {
            &between
        });
        text.push_str(condition);
    }
    text + end
}

pub(crate) fn condition_text(condition: &Condition, syntax: Syntax) -> String {
    match (condition, syntax) {
        (Condition::Sentence(sentence), _) => sentence_text(sentence, syntax),
        (Condition::Not(_, inner), Syntax::Kif) => {
            format!("(not {})", condition_text(inner, syntax))
        }
        (Condition::Not(_, inner), Syntax::Infix) => format!("~{}", condition_text(inner, syntax)),
        (Condition::Or(_, inner), _) => {
            let parts: Vec<_> = inner.iter().map(|c| condition_text(c, syntax)).collect();
            match syntax {
                Syntax::Kif if parts.is_empty() => "(or)".to_owned(),
                Syntax::Kif => format!("(or {})", parts.join(" ")),
                Syntax::Infix if parts.len() < 2 => format!("or({})", parts.concat()),
                Syntax::Infix => format!("({})", parts.join(" | ")),
            }
        }
        (Condition::Distinct(_, left, right), _) => {
            let terms = [term_text(left, syntax), term_text(right, syntax)];
            applied("distinct", &terms, syntax)
        }
    }
}

fn sentence_text(sentence: &WrittenSentence, syntax: Syntax) -> String {
    let name = name_text(&sentence.word, syntax);
    if !sentence.parenthesised {
        return name;
    }
    applied(&name, &terms_text(&sentence.arguments, syntax), syntax)
}

fn terms_text(terms: &[WrittenTerm], syntax: Syntax) -> Vec<String> {
    terms.iter().map(|term| term_text(term, syntax)).collect()
}

fn term_text(term: &WrittenTerm, syntax: Syntax) -> String {
    match term {
        WrittenTerm::Constant(word) => name_text(word, syntax),
        WrittenTerm::Variable(word) => variable_text(word, syntax),
        WrittenTerm::Function(word, arguments) => applied(
            &name_text(word, syntax),
            &terms_text(arguments, syntax),
            syntax,
        ),
    }
}

fn applied(name: &str, arguments: &[String], syntax: Syntax) -> String {
    match syntax {
        Syntax::Kif if arguments.is_empty() => format!("({name})"),
        Syntax::Kif => format!("({name} {})", arguments.join(" ")),
        Syntax::Infix => format!("{name}({})", arguments.join(", ")),
    }
}

fn name_text(word: &Word, syntax: Syntax) -> String {
    let spelling = word.spelling.as_str();
    if syntax == Syntax::Kif || is_bare_name(spelling) {
        return spelling.to_owned();
    }
    if is_bare_name(word.as_str()) {
        word.as_str().to_owned()
    } else {
        quoted(spelling)
    }
}

fn variable_text(word: &Word, syntax: Syntax) -> String {
    let spelling = word.spelling.as_str();
    if syntax == Syntax::Kif {
        return format!("?{spelling}");
    }
    let mut letters = spelling.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let capitalised = first + letters.as_str();
    if is_bare_variable(&capitalised) && capitalised.to_lowercase() == word.as_str() {
        return capitalised;
    }
    let plain = spelling.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain {
        format!("?{spelling}")
    } else {
        format!("?{}", quoted(spelling))
    }
}

fn quoted(name: &str) -> String {
    let escaped = name.replace('\\', "\\\\").replace('\'', "\\'");
    format!("'{escaped}'")
}

#[cfg(test)]
mod tests {
    use super::super::{Diagnostics, infix, kif};
    use super::*;

    fn read(text: &str, syntax: Syntax) -> Description {
        let mut diagnostics = Diagnostics::default();
        let mut description = match syntax {
            Syntax::Kif => kif::read(text, 0, &mut diagnostics),
            Syntax::Infix => infix::read(text, 0, &mut diagnostics),
        };
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        note_layout(text, &mut description);
        description
    }

    #[test]
    fn both_forms_correspond() {
        for (kif, infix) in [
            ("(role p)", "role(p)."),
            ("terminal", "terminal."),
            ("(terminal)", "terminal()."),
            ("(<= a)", "a :-."),
            ("(<= a b (not c))", "a :- b, ~c."),
            ("(<= a (or b (not c)) d)", "a :- (b | ~c), d."),
            (
                "(<= a (or) (or b) (or b (or c d)))",
                "a :- or(), or(b), (b | (c | d)).",
            ),
            (
                "(<= (p ?X) (q ?X 1) (distinct ?X 1))",
                "p(X) :- q(X, 1), distinct(X, 1).",
            ),
            ("(init (cell 1 (f b) +1))", "init(cell(1, f(b), +1))."),
            (
                "(init (c (flag) map+ < ' _a a.b \\))",
                "init(c(flag(), 'map+', '<', '\\'', '_a', 'a.b', '\\\\')).",
            ),
            (
                "(<= (p ?1 ?_ ?_x ?X-y ?a+) q)",
                "p(?1, ?_, _x, X-y, ?'a+') :- q.",
            ),
        ] {
            let from_kif = read(kif, Syntax::Kif);
            let from_infix = read(infix, Syntax::Infix);
            assert_eq!(from_kif, from_infix, "{kif}");
            assert_eq!(format(&from_kif, Syntax::Infix), format!("{infix}\n"));
            assert_eq!(format(&from_infix, Syntax::Kif), format!("{kif}\n"));
        }
    }

    #[test]
    fn spelling_is_kept_where_the_form_allows() {
        let description = read("(Role Xplayer oP) (<= (P ?x) (Q ?x))", Syntax::Kif);
        assert_eq!(
            format(&description, Syntax::Infix),
            "role(xplayer, oP).\np(X) :- q(X).\n"
        );
        assert_eq!(
            format(&description, Syntax::Kif),
            "(Role Xplayer oP)\n(<= (P ?x) (Q ?x))\n"
        );
    }

    #[test]
    fn comments_and_blank_lines_are_kept() {
        let text = ";; title\n\n(a)(b) ; two\n; of c\n(<= c ; why\n d) ; end\n\n\n\ne ;last";
        let expected = ";; title\n\n(a)\n(b) ; two\n; of c\n; why\n(<= c d) ; end\n\ne ;last\n";
        let description = read(text, Syntax::Kif);
        assert_eq!(format(&description, Syntax::Kif), expected);
        let infix = format(&description, Syntax::Infix);
        assert!(
            infix.starts_with("%% title\n\na().\nb(). % two\n"),
            "{infix}"
        );
        let again = format(&read(&infix, Syntax::Infix), Syntax::Kif);
        assert_eq!(again, expected);
        let block = read("a. /* one\n two */ b.\n% x\n", Syntax::Infix);
        assert_eq!(format(&block, Syntax::Kif), "a ; one\n; two\nb\n; x\n");
    }

    #[test]
    fn long_rules_have_a_line_for_each_condition() {
        let condition = "(true (cell 1 2 3 4 5 6 7 8 9))";
        let text = format!("(<= (next x) {condition} {condition} {condition} {condition})");
        let description = read(&text, Syntax::Kif);
        let printed = format(&description, Syntax::Kif);
        assert_eq!(printed.lines().count(), 5, "{printed}");
        assert_eq!(read(&printed, Syntax::Kif), description);
        assert_eq!(format(&description, Syntax::Infix).lines().count(), 5);
    }
}
