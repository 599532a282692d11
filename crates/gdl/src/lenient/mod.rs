//! Lenient reading: the habits of old and careless descriptions, written out properly.
//!
//! The rules of the result are those that a strict reader takes, so everything later, the checks included, sees
//! nothing unusual. Each thing that was mended is told with its place, by a code that starts with `lenient-`.
//!
//! - `connectives`: `and`, and `not` around `or`, `and`, `not` or `distinct`;
//! - `equality`: the last of these, rules in which two terms are the same;
//! - `domains`: `base` and `input` in a form that has no meaning are left out; a variable of the head of
//!   `legal` or `next` that no condition binds ranges over `input` or `base`.

mod connectives;
mod domains;
mod equality;

use super::check::check;
use super::description::Description;
use super::diagnostic::{Diagnostics, Options};
use super::source::Source;

/// Mends the description and checks the result. `complete` says whether every form could be read.
pub(crate) fn mend_and_check(
    source: &Source,
    description: &mut Description,
    complete: bool,
    options: &Options,
    diagnostics: &mut Diagnostics,
) {
    let checked = |description: &Description| {
        let mut found = Diagnostics::default();
        check(source, description, complete, &mut found);
        found.finish(options);
        found
    };
    connectives::mend(description, diagnostics);
    let mut found = checked(description);
    for mend in [domains::drop_ill_formed, domains::bind_heads] {
        if complete && found.has_errors() && mend(description, &found, diagnostics) {
            found = checked(description);
        }
    }
    diagnostics.append(found);
}

#[cfg(test)]
mod tests {
    use crate::{Code, Options, Severity, format, parse};

    const GAME: &str =
        "(role p) (n 1) (n 2) (init (s 0)) (legal p go) terminal (goal p 100) (a) (b) (c) (d)\n";

    /// The forms after the game's own, one a line, as they are after mending, and the codes of the things mended;
    /// the errors where there are some.
    fn mended(forms: &str) -> (String, Vec<Code>) {
        let text = format!("{GAME}{forms}");
        let parsed = parse("test", text.as_bytes(), &Options::default());
        let said = |severity: Severity, prefix: &str| {
            let told = parsed.diagnostics.iter();
            let of = told.filter(|d| d.severity == severity && d.code.as_str().starts_with(prefix));
            of.map(|d| d.code).collect::<Vec<_>>()
        };
        let errors = said(Severity::Error, "");
        if !errors.is_empty() {
            return (String::new(), errors);
        }
        let strict = parse("test", text.as_bytes(), &Options::strict());
        let mut codes = said(Severity::Warning, "lenient-");
        assert_eq!(
            codes.is_empty(),
            !strict.diagnostics.has_errors(),
            "{forms}"
        );
        codes.sort_unstable();
        codes.dedup();
        let printed = format(&parsed.description);
        let own = |line: &&str| {
            !parse("own", GAME.as_bytes(), &Options::default())
                .source
                .text()
                .contains(*line)
        };
        let lines: Vec<&str> = printed.lines().filter(own).collect();
        (lines.join(" "), codes)
    }

    #[test]
    fn connectives_are_written_out() {
        let (and, not) = (Code::LenientAnd, Code::LenientNot);
        let both = vec![and, not];
        for (written, expected, codes) in [
            ("(<= h (and a b) c)", "(<= h a b c)", vec![and]),
            ("(<= h (and a (and b c)))", "(<= h a b c)", vec![and]),
            ("(<= h (and))", "(<= h)", vec![and]),
            (
                "(<= h (and (n ?x) (distinct ?x 1) (not a)))",
                "(<= h (n ?x) (distinct ?x 1) (not a))",
                vec![and],
            ),
            (
                "(<= h (or a b (and c d)))",
                "(<= h (or a b)) (<= h c d)",
                vec![and],
            ),
            ("(<= h (and a (or b c)))", "(<= h a (or b c))", vec![and]),
            (
                "(<= h (not (or a (n 1))))",
                "(<= h (not a) (not (n 1)))",
                vec![not],
            ),
            ("(<= h (not (not a)))", "(<= h a)", vec![not]),
            (
                "(<= h (not (and a b)))",
                "(<= h (or (not a) (not b)))",
                both.clone(),
            ),
            (
                "(<= h (not (or a (and b (not c)))))",
                "(<= h (not a) (or (not b) c))",
                both.clone(),
            ),
            (
                "(<= h (or (not (or a b)) c))",
                "(<= h c) (<= h (not a) (not b))",
                vec![not],
            ),
            // Two terms that are not distinct are the same.
            (
                "(<= (h ?x) (n ?x) (m ?y) (not (distinct ?x ?y)))",
                "(<= (h ?y) (n ?y) (m ?y))",
                vec![not],
            ),
            (
                "(<= (h ?x) (n ?x) (not (or a (distinct ?x 1))))",
                "(<= (h 1) (n 1) (not a))",
                vec![not],
            ),
            (
                "(<= (h ?x ?z) (m ?x ?z) (not (distinct (f ?x 2) (f (g ?z) ?z))))",
                "(<= (h (g 2) 2) (m (g 2) 2))",
                vec![not],
            ),
            (
                "(<= (h ?x) (n ?x) (not (and a (or (distinct ?x 1) b))))",
                "(<= (h ?x) (n ?x) (not a)) (<= (h 1) (n 1) (not b))",
                both.clone(),
            ),
            (
                "(<= h (not (distinct a b)))",
                "(<= h (distinct same same))",
                vec![not],
            ),
            ("(<= h a (not (distinct b b)))", "(<= h a)", vec![not]),
            // As GDL has it.
            ("(<= h (not a) (or b c))", "(<= h (not a) (or b c))", vec![]),
            (
                "(and 0 0 0) (<= h (and 0 0 ?x) (n ?x))",
                "(and 0 0 0) (<= h (and 0 0 ?x) (n ?x))",
                vec![],
            ),
        ] {
            assert_eq!(mended(written), (expected.to_owned(), codes), "{written}");
        }
    }

    /// `&` in the parentheses of infix form is the `and` of prefix form.
    #[test]
    fn both_forms_are_read_alike() {
        let rest = "(role p) (init a) (legal p go) (<= terminal (not (true a))) (goal p 100)";
        for (kif, infix) in [
            ("(and (true a) (true b))", "(true(a) & true(b))"),
            ("(and (true a) (true b))", "((true(a), true(b)))"),
            (
                "(or (and (true a) (true b)) (true c))",
                "(true(a) & true(b) | true(c))",
            ),
            (
                "(not (and (true a) (or (true b) (does p go)) (distinct a b)))",
                "~(true(a) & (true(b) | does(p, go)) & distinct(a, b))",
            ),
            (
                "(or (not (and (true a) (not (true b)))) (true c))",
                "(~(true(a) & ~true(b)) | true(c))",
            ),
        ] {
            let kif = format!("{rest} (<= (next a) {kif})");
            let read = |text: &str| parse("test", text.as_bytes(), &Options::default());
            let infix = format!(
                "role(p). init(a). legal(p, go). terminal :- ~true(a). goal(p, 100). next(a) :- {infix}."
            );
            let printed = |text: &str| format(&read(text).description);
            assert_eq!(printed(&infix), printed(&kif), "{infix}");
            let codes = |text: &str| {
                let told = read(text).diagnostics;
                let mut codes: Vec<Code> = told.iter().map(|d| d.code).collect();
                codes.sort_unstable();
                codes
            };
            assert_eq!(codes(&infix), codes(&kif), "{infix}");
        }
        let defined = "and(a, b).\nrole(p).\nterminal :- (and(a, b) & and(b, a)).";
        let read = parse("test", defined.as_bytes(), &Options::default());
        let told = read.diagnostics.iter();
        let first = told.filter(|d| d.code == Code::UnexpectedText).count();
        assert_eq!(first, 1);
    }

    #[test]
    fn what_has_no_meaning_stays_an_error() {
        for (written, code) in [
            ("(<= h (n ?x) (not (or (n ?y) a)))", Code::UnsafeNegation),
            ("(<= (h ?x) (and a b))", Code::UnsafeHead),
            ("(legal p ?x)", Code::VariableInFact),
            ("(<= (next (s ?x)) a)", Code::UnsafeHead),
        ] {
            assert_eq!(mended(written), (String::new(), vec![code]), "{written}");
        }
        // 128 rules are too many.
        let parts = "(or (and a b) (and c d)) ".repeat(7);
        let (_, codes) = mended(&format!("(<= h {parts})"));
        assert_eq!(codes, vec![Code::NotASentence; 14]);
    }

    #[test]
    fn ill_formed_domains_are_left_out() {
        let domain = vec![Code::LenientDomain];
        for written in [
            "(base s 0) (base (s 1))",
            "(base (s ?x))",
            "(<= (base (s ?x)) a)",
            "(<= (base (s ?x)) (true (s ?x)))",
            "(input p go now) (input p go)",
            "(<= (input ?r go) (role ?r) (input ?r stay))",
            "(base s 0) (input p)",
        ] {
            let (left, codes) = mended(written);
            assert_eq!((left.as_str(), &codes), ("", &domain), "{written}");
        }
        let (left, codes) = mended("(base s 0) (input p go)");
        assert_eq!((left.as_str(), &codes), ("(input p go)", &domain));
    }

    #[test]
    fn heads_range_over_what_is_listed() {
        let range = vec![Code::LenientRange];
        let input = "(<= (input p (add ?x)) (n ?x))";
        let copy = "(<= (input_values_1 p (add ?x)) (n ?x))";
        for (written, expected) in [
            (
                "(<= (legal p (add ?x)) a)",
                "(<= (legal p (add ?x)) a (input_values_1 p (add ?x)))",
            ),
            (
                "(legal p (add ?x))",
                "(<= (legal p (add ?x)) (input_values_1 p (add ?x)))",
            ),
            (
                "(<= (legal ?r ?m) a)",
                "(<= (legal ?r ?m) a (input_values_1 ?r ?m))",
            ),
        ] {
            let (forms, codes) = mended(&format!("{input} {written}"));
            assert_eq!(forms, format!("{copy} {input} {expected}"), "{written}");
            assert_eq!(codes, range, "{written}");
        }
        let (forms, codes) = mended("(base (s 1)) (<= (next (s ?x)) a (not (true (s ?x))))");
        let rule = "(<= (next (s ?x)) a (not (true (s ?x))) (base_values_1 (s ?x)))";
        assert_eq!(forms, format!("(base_values_1 (s 1)) (base (s 1)) {rule}"));
        assert_eq!(codes, range);
    }
}
