//! Lenient reading: the habits of old and careless descriptions, written out properly.
//!
//! The rules of the result are those that a strict reader takes, so everything later, the checks included, sees
//! nothing unusual. Each thing that was mended is told with its place, by a code that starts with `lenient-`.
//!
//! - `connectives`: `and`, and `not` around `or`, `and`, `not` or `distinct`;
//! - `equality`: the last of these, rules in which two terms are the same;
//! - `domains`: `base` and `input` in a form that has no meaning are left out; a variable of the head of
//!   `legal` or `next` that no condition binds ranges over `input` or `base`;
//! - `functions`: tuples, and keywords in percepts;
//! - `relations`: `next` as a condition, and relations of one name;
//! - `none`: `not` with variables that nothing binds: there is none;
//! - `recursion`: arguments that are bounded inside of terms;
//! - `calls`: rules that are written like functions;
//! - `left_out`: rules that never fire, and `outcome`.

mod calls;
mod connectives;
mod domains;
mod equality;
mod functions;
mod left_out;
mod none;
mod recursion;
mod relations;

pub(crate) use functions::name_tuples;
pub(crate) use none::name_anonymous;

use super::check::check;
use super::description::Description;
use super::diagnostic::{Code, Diagnostic, Diagnostics, Options};
use super::source::Source;
use super::span::Span;

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
    left_out::drop_outcomes(description, diagnostics);
    functions::rename_percepts(description, diagnostics);
    none::mend(description, diagnostics);
    let mut found = checked(description);
    for mend in [
        domains::drop_ill_formed,
        domains::bind_heads,
        relations::copy_next,
        relations::split_arities,
        left_out::drop_never_firing,
        recursion::bound_arguments,
        calls::bind_by_calls,
    ] {
        if complete && found.has_errors() && mend(description, &found, diagnostics) {
            found = checked(description);
        }
    }
    diagnostics.append(found);
}

/// The first of the places where one thing was mended, with its standard form, and their number.
#[derive(Default)]
struct Mended {
    first: Option<(Span, String)>,
    count: usize,
}

impl Mended {
    fn note(&mut self, span: Span, standard: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(|| (span, standard()));
    }

    /// Tells the first place, if there is one.
    fn tell(self, code: Code, unusual: &str, hint: &str, diagnostics: &mut Diagnostics) -> bool {
        let more = more(self.count);
        let told = self.first.map(|(span, standard)| {
            let message = format!("{unusual}: in standard form {standard}{more}");
            Diagnostic::new(code, span, message, hint)
        });
        let is_told = told.is_some();
        diagnostics.extend(told);
        is_told
    }
}

/// The end of a message about the first of several places.
fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        _ => format!(", and {} more like it", count - 1),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Code, Options, Severity, format, parse};
    use generators::rows;

    const GAME: &str =
        "(role p) (n 1) (n 2) (init (s 0)) (legal p go) terminal (goal p 100) (a) (b) (c) (d)\n";

    /// The forms after the game's own, one a line, as they are after mending, and the codes of the things mended;
    /// the errors where there are some.
    fn mended(forms: &str) -> (String, String) {
        let text = format!("{GAME}{forms}");
        let parsed = parse("test", text.as_bytes(), &Options::default());
        let said = |severity: Severity, prefix: &str| {
            let told = parsed.diagnostics.iter();
            let of = told.filter(|d| d.severity == severity && d.code.as_str().starts_with(prefix));
            of.map(|d| d.code.as_str()).collect::<Vec<_>>()
        };
        let errors = said(Severity::Error, "");
        if !errors.is_empty() {
            return (String::new(), errors.join(" "));
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
        (lines.join(" "), codes.join(" "))
    }

    #[test]
    fn connectives_are_written_out() {
        for [written, expected, codes] in rows(
            r"
                (<= h (and a b) c) => (<= h a b c) => lenient-and
                (<= h (and a (and b c))) => (<= h a b c) => lenient-and
                (<= h (and)) => (<= h) => lenient-and
                (<= h (and (n ?x) (distinct ?x 1) (not a))) => (<= h (n ?x) (distinct ?x 1) (not a)) => lenient-and
                (<= h (or a b (and c d))) => (<= h (or a b)) (<= h c d) => lenient-and
                (<= h (and a (or b c))) => (<= h a (or b c)) => lenient-and
                (<= h (not (or a (n 1)))) => (<= h (not a) (not (n 1))) => lenient-not
                (<= h (not (not a))) => (<= h a) => lenient-not
                (<= h (not (and a b))) => (<= h (or (not a) (not b))) => lenient-and lenient-not
                (<= h (not (or a (and b (not c))))) => (<= h (not a) (or (not b) c)) => lenient-and lenient-not
                (<= h (or (not (or a b)) c)) => (<= h c) (<= h (not a) (not b)) => lenient-not
                // Two terms that are not distinct are the same.
                (<= (h ?x) (n ?x) (m ?y) (not (distinct ?x ?y))) => (<= (h ?y) (n ?y) (m ?y)) => lenient-not
                (<= (h ?x) (n ?x) (not (or a (distinct ?x 1)))) => (<= (h 1) (n 1) (not a)) => lenient-not
                (<= (h ?x ?z) (m ?x ?z) (not (distinct (f ?x 2) (f (g ?z) ?z)))) => (<= (h (g 2) 2) (m (g 2) 2)) => lenient-not
                (<= (h ?x) (n ?x) (not (and a (or (distinct ?x 1) b)))) => (<= (h ?x) (n ?x) (not a)) (<= (h 1) (n 1) (not b)) => \
                    lenient-and lenient-not
                (<= h (not (distinct a b))) => (<= h (distinct same same)) => lenient-not
                (<= h a (not (distinct b b))) => (<= h a) => lenient-not
                // As GDL has it.
                (<= h (not a) (or b c)) => (<= h (not a) (or b c)) =>
                (and 0 0 0) (<= h (and 0 0 ?x) (n ?x)) => (and 0 0 0) (<= h (and 0 0 ?x) (n ?x)) =>
                ",
        ) {
            assert_eq!(mended(&written), (expected, codes), "{written}");
        }
    }

    /// `&` in the parentheses of infix form is the `and` of prefix form.
    #[test]
    fn both_forms_are_read_alike() {
        let rest = "(role p) (init a) (legal p go) (<= terminal (not (true a))) (goal p 100)";
        for [kif, infix] in rows(
            r"
                (and (true a) (true b)) => (true(a) & true(b))
                (and (true a) (true b)) => ((true(a), true(b)))
                (or (and (true a) (true b)) (true c)) => (true(a) & true(b) | true(c))
                (not (and (true a) (or (true b) (does p go)) (distinct a b))) => ~(true(a) & (true(b) | does(p, go)) & distinct(a, b))
                (or (not (and (true a) (not (true b)))) (true c)) => (~(true(a) & ~true(b)) | true(c))
                ",
        ) {
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
        for [written, code] in rows(
            r"
                (<= (h ?x) (n ?x) (not (or (n ?x1) a))) => unsafe-negation
                (<= (h ?x) (and a b)) => unsafe-head
                (legal p ?x) => variable-in-fact
                (<= (next (s ?x)) a) => unsafe-head
                ",
        ) {
            assert_eq!(mended(&written), (String::new(), code), "{written}");
        }
        // 128 rules are too many.
        let parts = "(or (and a b) (and c d)) ".repeat(7);
        let (_, codes) = mended(&format!("(<= h {parts})"));
        assert_eq!(codes, ["not-a-sentence"; 14].join(" "));
    }

    #[test]
    fn a_negation_with_unbound_variables_says_that_there_is_none() {
        for [written, expected] in rows(
            r"
                (<= h a (not (n ?_any))) => (<= some_n (n ?_any)) (<= h a (not some_n))
                (<= h a (not (n _))) => (<= some_n (n ?_any_1)) (<= h a (not some_n))
                (m 1 2) (<= (h ?x) (n ?x) (not (m ?x ?y)) (not (m ?z ?x))) => \
                    (m 1 2) (<= (some_m ?x) (m ?x ?y)) (<= (some_m_1 ?x) (m ?z ?x)) (<= (h ?x) (n ?x) (not (some_m ?x)) (not (some_m_1 ?x)))
                // The same relation serves both, whatever the variables are called.
                (<= h a (not (true (s ?_x)))) (<= h (or b (not (true (s ?y))))) => \
                    (<= some_s (true (s ?_x))) (<= h a (not some_s)) (<= h (or b (not some_s)))
                (some_n) (m 1 1) (<= h (not (m ?_x ?_x)) (not (n ?x))) => \
                    (some_n) (m 1 1) (<= some_m (m ?_x ?_x)) (<= some_n_1 (n ?x)) (<= h (not some_m) (not some_n_1))
                ",
        ) {
            let code = "lenient-none".to_owned();
            assert_eq!(mended(&written), (expected, code), "{written}");
        }
        // Slips of the pen, and a variable of two conditions.
        for written in [
            "(<= (h ?row) (n ?row) (not (n ?rwo)))",
            "(<= (h ?x) (n ?x) (not (m ?x1 1)))",
            "(<= h (not (n ?x)) (not (true (s ?x))))",
            "(<= h (n 1) (not (n ?y)) (not (m ?y ?y)))",
        ] {
            let (_, codes) = mended(&format!("(m 1 1) {written}"));
            let codes = codes.replace("unsafe-negation unsafe-negation", "unsafe-negation");
            assert_eq!(codes, "unsafe-negation", "{written}");
        }
    }

    #[test]
    fn what_published_files_have_is_written_out() {
        for [written, expected, code] in rows(
            r"
                (<= (sees ?r (does ?r ?m)) (does ?r ?m)) (did 1) => (<= (sees ?r (did_1 ?r ?m)) (does ?r ?m)) (did 1) => lenient-percept
                (<= (sees p ?f) (next ?f)) (<= (next (s 1)) a) => (<= (sees p ?f) (next_values_1 ?f)) (<= (next_values_1 (s 1)) a) (<= (next (s 1)) a) => \
                    lenient-next
                (<= (done ?x) (n ?x)) (<= done (done ?_x)) => (<= (done_1 ?x) (n ?x)) (<= done (done_1 ?_x)) => lenient-arity
                (<= (h ?x ?y) (true (t ?x))) =>  => lenient-never
                (<= (h ?y) (h (f ?y))) (h 1) => (h 1) => lenient-never
                (t 1 1) (<= (best ?z) (n ?x) (n ?y) (low ?x ?y ?z)) (<= (low ?x ?y ?x) (not (t ?x ?y))) => \
                    (t 1 1) (<= (best ?z) (n ?x) (n ?y) (low ?x ?y ?z)) (<= (low_called ?x ?y) (n ?x) (n ?y)) (<= (low ?x ?y ?x) (not (t ?x ?y)) (low_called ?x ?y)) => \
                    lenient-call
                (outcome ?r ?m (set (does ?r ?m)) (set 1)) =>  => lenient-outcome
                (e (f 1 2)) (h 1) (<= (h ?y) (h ?x) (e (f ?x ?y))) => \
                    (e (f 1 2)) (h 1) (<= (bound_1 ?x) (e (f ?x ?y))) (<= (h ?y) (h ?x) (e (f ?x ?y)) (bound_1 ?x)) => lenient-recursion
                ",
        ) {
            assert_eq!(mended(&written), (expected, code), "{written}");
        }
        let chance = "(<= (outcome p go (set (does p go) (does p stay)) (set 0.5 0.5)) a)";
        assert_eq!(mended(chance), (String::new(), "outcome".to_owned()));
        // It may fire: the condition of another rule with an error makes it true.
        let (_, codes) = mended("(<= (h ?x) a) (<= (g ?x) (h ?y))");
        assert_eq!(codes, "unsafe-head unsafe-head");
    }

    #[test]
    fn tuples_get_a_function() {
        let game = "role(p). init((a, 1)). legal(p, (go, (X))) :- true((a, X)). goal(p, 100). terminal :- distinct((a, b), tuple).";
        let parsed = parse("test", game.as_bytes(), &Options::default());
        let codes: Vec<Code> = (parsed.diagnostics.iter())
            .filter(|d| d.severity > Severity::Note)
            .map(|d| d.code)
            .collect();
        assert_eq!(codes, [Code::LenientTuple]);
        assert_eq!(
            format(&parsed.description).replace("\n", " "),
            "(role p) (init (tuple_1 a 1)) (<= (legal p (tuple_1 go ?X)) (true (tuple_1 a ?X))) (goal p 100) \
             (<= terminal (distinct (tuple_1 a b) tuple)) "
        );
        let strict = parse("test", game.as_bytes(), &Options::strict());
        assert!(strict.diagnostics.has_errors());
    }

    #[test]
    fn ill_formed_domains_are_left_out() {
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
            assert_eq!((&*left, &*codes), ("", "lenient-domain"), "{written}");
        }
        let (left, codes) = mended("(base s 0) (input p go)");
        assert_eq!((&*left, &*codes), ("(input p go)", "lenient-domain"));
    }

    #[test]
    fn heads_range_over_what_is_listed() {
        let input = "(<= (input p (add ?x)) (n ?x))";
        let copy = "(<= (input_values_1 p (add ?x)) (n ?x))";
        for [written, expected] in rows(
            r"
                (<= (legal p (add ?x)) a) => (<= (legal p (add ?x)) a (input_values_1 p (add ?x)))
                (legal p (add ?x)) => (<= (legal p (add ?x)) (input_values_1 p (add ?x)))
                (<= (legal ?r ?m) a) => (<= (legal ?r ?m) a (input_values_1 ?r ?m))
                ",
        ) {
            let (forms, codes) = mended(&format!("{input} {written}"));
            assert_eq!(forms, format!("{copy} {input} {expected}"), "{written}");
            assert_eq!(codes, "lenient-range", "{written}");
        }
        let (forms, codes) = mended("(base (s 1)) (<= (next (s ?x)) a (not (true (s ?x))))");
        let rule = "(<= (next (s ?x)) a (not (true (s ?x))) (base_values_1 (s ?x)))";
        assert_eq!(forms, format!("(base_values_1 (s 1)) (base (s 1)) {rule}"));
        assert_eq!(codes, "lenient-range");
    }
}
