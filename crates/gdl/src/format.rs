//! Descriptions as text in prefix form: the output of `sqasp translate --to kif`.
//!
//! A form that fits into [`WIDTH`] columns is one line; a longer rule has a line for each
//! condition. Comments and single blank lines between forms are kept; a comment inside a form
//! moves in front of it. Names keep their spelling. Printing the output again changes nothing, and
//! reading it gives an equal description.

use super::description::{Comment, Condition, Description, Form, WrittenSentence, WrittenTerm};

/// The longest line of a rule that is not broken.
const WIDTH: usize = 96;

/// Prints a description in prefix form.
pub fn format(description: &Description) -> String {
    let mut page = Page::default();
    let mut comments = description.comments.iter().peekable();
    for (number, form) in description.forms.iter().enumerate() {
        while let Some(comment) = comments.next_if(|c| c.span.start < form.span.start) {
            page.comment(comment);
        }
        let mut blank_line = form.lines_before > 1;
        while let Some(comment) = comments.next_if(|c| c.span.start < form.span.end) {
            page.line(blank_line, &comment_text(comment));
            blank_line = false;
        }
        page.line(blank_line, &form_text(form));
        let next = description
            .forms
            .get(number + 1)
            .map_or(u32::MAX, |f| f.span.start);
        let is_beside = |c: &&Comment| c.lines_before == 0 && c.span.start < next;
        if let Some(comment) = comments.next_if(is_beside) {
            page.append(&comment_text(comment));
        }
    }
    for comment in comments {
        page.comment(comment);
    }
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn comment(&mut self, comment: &Comment) {
        self.line(comment.lines_before > 1, &comment_text(comment));
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

fn comment_text(comment: &Comment) -> String {
    ";".repeat(comment.marks) + &comment.text
}

pub(crate) fn form_text(form: &Form) -> String {
    let head = sentence_text(&form.head);
    let Some(body) = &form.body else {
        return head;
    };
    let conditions: Vec<_> = body.iter().map(condition_text).collect();
    let mut text = format!("(<= {head}");
    let length: usize = conditions.iter().map(|c| c.chars().count() + 1).sum();
    let between = if text.chars().count() + length <= WIDTH {
        " "
    } else {
        "\n    "
    };
    for condition in conditions {
        text += between;
        text += &condition;
    }
    text + ")"
}

pub(crate) fn condition_text(condition: &Condition) -> String {
    match condition {
        Condition::Sentence(sentence) => sentence_text(sentence),
        Condition::Not(_, inner) => format!("(not {})", condition_text(inner)),
        Condition::Or(_, inner) => applied("or", inner.iter().map(condition_text)),
        Condition::Distinct(_, left, right) => {
            applied("distinct", [left, right].into_iter().map(term_text))
        }
    }
}

pub(crate) fn sentence_text(sentence: &WrittenSentence) -> String {
    let name = sentence.word.spelling.as_str();
    if sentence.parenthesised {
        applied(name, sentence.arguments.iter().map(term_text))
    } else {
        name.to_owned()
    }
}

pub(crate) fn term_text(term: &WrittenTerm) -> String {
    match term {
        WrittenTerm::Constant(word) => word.spelling.as_str().to_owned(),
        WrittenTerm::Variable(word) => format!("?{}", word.spelling),
        WrittenTerm::Function(word, arguments) => {
            applied(word.spelling.as_str(), arguments.iter().map(term_text))
        }
    }
}

fn applied(name: &str, arguments: impl Iterator<Item = String>) -> String {
    let mut text = format!("({name}");
    for argument in arguments {
        text.push(' ');
        text += &argument;
    }
    text + ")"
}

#[cfg(test)]
mod tests {
    use super::super::{Diagnostics, Syntax, infix, kif};
    use super::*;
    use generators::rows;

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
        for [kif, infix] in rows(
            r"
                (role p) => role(p).
                terminal => terminal.
                (terminal) => terminal().
                (<= a) => a :-.
                (<= a b (not c)) => a :- b, ~c.
                (<= a (or b (not c)) d) => a :- (b | ~c), d.
                (<= a (or) (or b) (or b (or c d))) => a :- or(), or(b), (b | (c | d)).
                (<= (p ?X) (q ?X 1) (distinct ?X 1)) => p(X) :- q(X, 1), distinct(X, 1).
                (init (cell 1 (f b) +1)) => init(cell(1, f(b), +1)).
                (init (c (flag) map+ < ' _a a.b \)) => init(c(flag(), 'map+', '<', '\'', '_a', 'a.b', '\\')).
                (<= (p ?1 ?_ ?_x ?X-y ?a+) q) => p(?1, ?_, _x, X-y, ?'a+') :- q.
                ",
        ) {
            let from_kif = read(&kif, Syntax::Kif);
            let from_infix = read(&infix, Syntax::Infix);
            assert_eq!(from_kif, from_infix, "{kif}");
            for description in [from_kif, from_infix] {
                assert_eq!(format(&description), format!("{kif}\n"));
            }
        }
    }

    #[test]
    fn spelling_is_kept() {
        let description = read("(Role Xplayer oP) (<= (P ?x) (Q ?x))", Syntax::Kif);
        assert_eq!(
            format(&description),
            "(Role Xplayer oP)\n(<= (P ?x) (Q ?x))\n"
        );
    }

    #[test]
    fn comments_and_blank_lines_are_kept() {
        let text = ";; title\n\n(a)(b) ; two\n; of c\n(<= c ; why\n d) ; end\n\n\n\ne ;last";
        let expected = ";; title\n\n(a)\n(b) ; two\n; of c\n; why\n(<= c d) ; end\n\ne ;last\n";
        let description = read(text, Syntax::Kif);
        assert_eq!(format(&description), expected);
        let infix = "%% title\n\na(). b(). % two\n% of c\nc :- % why\n d. % end\n\n\n\ne. %last";
        assert_eq!(format(&read(infix, Syntax::Infix)), expected);
        let block = read("a. /* one\n two */ b.\n% x\n", Syntax::Infix);
        assert_eq!(format(&block), "a ; one\n; two\nb\n; x\n");
    }

    #[test]
    fn long_rules_have_a_line_for_each_condition() {
        let condition = "(true (cell 1 2 3 4 5 6 7 8 9))";
        let text = format!("(<= (next x) {condition} {condition} {condition} {condition})");
        let description = read(&text, Syntax::Kif);
        let printed = format(&description);
        assert_eq!(printed.lines().count(), 5, "{printed}");
        assert_eq!(read(&printed, Syntax::Kif), description);
    }
}
