//! Tests of reading and checking as a whole: text in, codes with their places out.

use super::*;
use generators::{damage, rounds, rows};

/// A valid game without warnings, to which other forms are added.
const BASE: &str = "(role p) (init (s 0)) (<= (legal p go) (true (s 0)))
    (<= (next (s 1)) (does p go)) (<= terminal (true (s 1)))
    (<= (goal p 100) (true (s 1))) (<= (goal p 0) (true (s 0)))\n";

fn diagnostics(text: &str, from: Severity) -> String {
    let parsed = parse("test", text.as_bytes(), &Options::strict());
    let told = parsed.diagnostics.iter().filter(|d| d.severity >= from);
    let texts = told.map(|d| match d.span {
        Some(span) => {
            let Position { line, column } = parsed.source.position(span.start as usize);
            format!("{line}:{column} {}", d.code)
        }
        None => d.code.to_string(),
    });
    texts.collect::<Vec<_>>().join(", ")
}

#[test]
fn prefix_form_errors_have_places() {
    for [text, expected] in rows(
        r"
            => empty
            \n; nothing\n => empty
            (a => 1:1 unclosed-parenthesis
            (a (b (c\n(d)\n(e ?x) => 1:1 unclosed-parenthesis, 3:4 variable-in-fact
            (a\n(b\n => 1:1 unclosed-parenthesis, 2:1 unclosed-parenthesis
            (a))\n) => 1:4 unmatched-parenthesis, 2:1 unmatched-parenthesis
            ((a) ?x) (b ?x) => 1:2 consecutive-parentheses, 1:13 variable-in-fact
            (((((a))))) => 1:2 consecutive-parentheses
            (a () b) (c ( ; no\n d)) => 1:4 empty-list
            (a ())\n(?f b)\n?x => 1:4 empty-list, 2:2 variable-as-name, 3:1 not-a-sentence
            (a ?) => 1:4 variable-as-name
            (<=) (<= ?x) (<= (not a) b) => 1:2 rule-without-head, 1:10 head-not-a-sentence, 1:19 head-not-a-sentence
            (<= a (<= b c) (not) (distinct d) ?x or) => \
                1:8 rule-in-rule, 1:17 connective-arity, 1:23 connective-arity, 1:35 not-a-sentence, 1:38 not-a-sentence
            (or a b) not (distinct a b) => 1:2 not-a-sentence, 1:10 not-a-sentence, 1:15 not-a-sentence
            ",
    ) {
        assert_eq!(diagnostics(&text, Severity::Error), expected, "{text}");
    }
}

#[test]
fn infix_form_errors_have_places() {
    let base = "role(p). init(s(0)). legal(p, go) :- true(s(0)). next(s(1)) :- does(p, go).
        terminal :- true(s(1)). goal(p, 100) :- true(s(1)) & ~true(s(0)). goal(p, 0) :- true(s(0)).\n";
    assert_eq!(diagnostics(base, Severity::Error), "");
    for [text, expected] in rows(
        r"
            % only a comment =>
            a => 3:1 unused
            a.\na => 3:1 unused
            goal(p, 50) :- true(s(_)), distinct(1, 2), not true(s(5)) =>
            goal(p, 50) :- true(s(X)) true(s(1)). => 3:27 unexpected-text
            goal(p, 50) :- true(s(X)), .\ngoal(p, Y). => 3:28 unexpected-text, 4:9 variable-in-fact
            goal(p, 50 :- a.\ngoal(p, Y). => 3:12 unexpected-text, 4:9 variable-in-fact
            goal(p, 50\ngoal(p, Y). => 3:5 unclosed-parenthesis, 4:9 variable-in-fact
            goal(p, 50)). => 3:12 unmatched-parenthesis
            goal(p, 50) :- a | b. => 3:18 unexpected-text
            goal(p, 50) :- (a & b). => 3:19 not-a-sentence, 3:19 unproduced
            goal(p, F(1)). => 3:9 variable-as-name
            X. => 3:1 unexpected-text
            ~a. => 3:1 head-not-a-sentence
            distinct(a). => 3:1 connective-arity
            goal(p, 'a b'). => 3:9 unexpected-text, 3:9 unusual-characters, 3:9 goal-value
            goal(p, 'a).\ngoal(p, Y). => 3:5 unclosed-parenthesis, 3:9 unterminated
            /* goal => 3:1 unterminated
            goal(p, 50) <= a. => 3:13 unexpected-text, 3:16 unexpected-text
            ; comment => 3:1 unexpected-text
            ",
    ) {
        let said = diagnostics(&format!("{base}{text}"), Severity::Warning);
        assert_eq!(said, expected, "{text}");
    }
}

#[test]
fn the_form_is_told_by_content() {
    for (text, syntax) in [
        ("(a)", Syntax::Kif),
        ("; c\n% d\n (a)", Syntax::Kif),
        ("a(b).", Syntax::Infix),
        ("\u{FEFF}a(b).", Syntax::Infix),
        ("/* ( */ a", Syntax::Infix),
        ("% c", Syntax::Infix),
        ("a\n(<= b a)", Syntax::Kif),
        ("; c", Syntax::Kif),
        ("", Syntax::Kif),
    ] {
        assert_eq!(
            parse("x", text.as_bytes(), &Options::strict())
                .description
                .syntax,
            syntax,
            "{text}"
        );
    }
}

#[test]
fn several_files_are_one_description() {
    let infix = "% numbers\nnext_to(1, 2).\nnext_to(2, 3).\nodd(X) :- next_to(X, Y)";
    let files = |infix: &'static str| {
        [
            ("game.gdl", BASE.as_bytes()),
            ("numbers.gdl", infix.as_bytes()),
        ]
    };
    let parsed = parse_files(&files(infix), &Options::strict());
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
    let one = format!("{BASE}(next_to 1 2) (next_to 2 3) (<= (odd ?x) (next_to ?x ?y))");
    let one = parse("game.gdl", one.as_bytes(), &Options::strict());
    assert_eq!(parsed.description, one.description);
    let single = parsed
        .diagnostics
        .iter()
        .find(|d| d.code == Code::SingleVariable);
    let message = single.map(|d| d.message.as_str()).unwrap_or_default();
    assert!(message.ends_with("line 4 of numbers.gdl: ?Y"), "{message}");
    // Places are those of the file, also where two files have to do with it.
    for (infix, shown) in [
        ("odd(X).", vec!["numbers.gdl:1:5"]),
        ("odd(1\n\nodd(2).", vec!["numbers.gdl:1:4"]),
        ("P(x).", vec!["numbers.gdl:1:1"]),
        ("role(q).\ninit(S(1)).", vec!["numbers.gdl:2:6"]),
        (
            "role(q).\n init('S'(1)).",
            vec!["numbers.gdl:2:7", "game.gdl:1:17"],
        ),
        ("\u{1}", vec!["numbers.gdl:1:1"]),
    ] {
        let parsed = parse_files(&files(infix), &Options::strict());
        let drawn = render(&parsed.source, &parsed.diagnostics, &Drawing::default());
        for part in shown {
            assert!(drawn.contains(part), "{infix}: {part} in:\n{drawn}");
        }
    }
}

#[test]
fn checks_have_places() {
    for [text, expected] in rows(
        r"
            (goal p 101) (goal p -1) (goal p win) (goal p (f 1)) (goal p 007) => \
                4:9 large-goal, 4:22 unusual-goal, 4:34 goal-value, 4:48 goal-value, 4:62 goal-value
            (role (f a)) => 4:8 role-not-a-constant
            (<= (role q)) => 4:6 empty-body
            (<= (legal p x) a) (<= a b) (<= b (not c)) (<= c (does p go)) => 4:17 depends-on-moves
            (<= (goal p 50) (and (true (s 1)) (does p go))) => \
                4:18 not-a-sentence, 4:23 keyword-as-function, 4:36 keyword-as-function, 4:18 unproduced
            (<= (goal p 50) (not (a ?x)) (distinct ?y 1)) => 4:25 unsafe-negation, 4:40 unsafe-distinct, 4:23 unproduced
            ",
    ) {
        let said = diagnostics(&format!("{BASE}{text}"), Severity::Warning);
        assert_eq!(said, expected, "{text}");
    }
}

#[test]
fn stratification_is_decided_between_sentences() {
    let facts = "(n 1) (n 2) (n 3) (succ 1 2) (succ 2 3) (succ a b)";
    for [rules, expected] in rows(
        r"
            (<= (w ?x) (n ?x) (not (w ?x))) => unstratified
            (<= (w ?x) (succ ?x ?y) (not (w ?y))) => unstratified-by-name
            (<= (w ?x) (succ ?x ?y) (not (w ?y))) (<= (w 3) (w 1)) => unstratified
            (<= (w ?x) (succ ?x ?y) (not (w ?y))) (succ 3 1) => unstratified
            (<= (w ?x) (n ?x) (n ?y) (distinct ?x ?y) (not (w ?y))) => unstratified
            (<= (w ?x ?y) (n ?x) (n ?y) (not (w ?y 0))) => unstratified-by-name
            (<= (w ?x 1) (n ?x) (not (w ?x 2))) (<= (w ?x 2) (n ?x) (not (w ?x 3))) => unstratified-by-name
            (<= (w ?x 1) (n ?x) (not (w ?x 2))) (<= (w ?x 2) (n ?x) (w ?x 1)) => unstratified
            (<= (w (f ?x)) (n ?x) (not (w (g ?x)))) => unstratified-by-name
            (<= (w ?x) (n ?x) (not (v ?x))) (<= (v a) (n ?x) (w b)) => unstratified-by-name
            // Grows without end, so it is refused rather than followed.
            (<= (w ?x) (true ?x) (not (w (f ?x ?x)))) => unstratified
            (<= (w ?x) (n ?x) (or (n 1) (not (w ?x)))) => unstratified
            (<= (w ?x 1) (n ?x) (not (w ?x 2))) (<= (w ?x 2) (n ?x) (does p go)) => unstratified-by-name
            ",
    ) {
        let text = format!("{BASE}{facts} {rules} (<= (next (s 5)) (w 1) (w 1 1))");
        let parsed = parse("test", text.as_bytes(), &Options::strict());
        let said: Vec<_> = parsed
            .diagnostics
            .iter()
            .map(|d| d.code.as_str())
            .filter(|code| code.starts_with("unstratified"))
            .collect();
        assert_eq!(said, [expected], "{rules}");
    }
}

#[test]
fn stratification_along_a_long_table_is_decided() {
    let mut text = BASE.to_owned();
    for i in 0..3000 {
        text += &format!("(succ {i} {})\n", i + 1);
    }
    text += "(<= (even ?y) (succ ?x ?y) (not (even ?x))) (<= (next even) (even 7))";
    let told = diagnostics(&text, Severity::Warning);
    assert_eq!(told, "3004:34 unstratified-by-name");
    let told = diagnostics(&(text + "(succ 3000 7)"), Severity::Warning);
    assert_eq!(told, "3004:34 unstratified");
}

#[test]
fn too_many_combinations_are_refused_quickly() {
    // Each variable is in one disjunct of two neighbours, so no helper relation can be used.
    let conditions: String = (0..40)
        .map(|i| format!("(or (true (s ?x{i})) (true (t ?x{})))", i + 1))
        .collect();
    let told = diagnostics(
        &format!("{BASE}(<= (next c) {conditions})"),
        Severity::Error,
    );
    assert_eq!(told, "4:6 too-many-alternatives");
    let bound: String = (0..41).map(|i| format!("(true (s ?x{i}))")).collect();
    let told = diagnostics(
        &format!("{BASE}(<= (next c) {conditions} {bound})"),
        Severity::Error,
    );
    assert_eq!(told, "");
}

#[test]
fn drawings_show_the_line_and_the_hint() {
    let text = "(role p)\n(foo ?x)\n";
    let parsed = parse("toy.gdl", text.as_bytes(), &Options::strict());
    let drawn = render(&parsed.source, &parsed.diagnostics, &Drawing::default());
    for part in [
        "error[missing-relation]: toy.gdl: there is no `legal`",
        "error[variable-in-fact]: the variable `?x` is in a fact",
        "toy.gdl:2:6",
        "2 | (foo ?x)",
        "facts have no variables",
    ] {
        assert!(drawn.contains(part), "{part} is not in\n{drawn}");
    }
    assert!(!drawn.contains('\x1b'));
    let colour = Drawing {
        colour: true,
        ..Drawing::default()
    };
    assert!(render(&parsed.source, &parsed.diagnostics, &colour).contains('\x1b'));
}

#[test]
fn drawings_are_short_even_of_long_lines_and_many_errors() {
    let long = format!("({}é ?x)", "abc ".repeat(100_000));
    let parsed = parse("long", long.as_bytes(), &Options::strict());
    let drawn = render(&parsed.source, &parsed.diagnostics, &Drawing::default());
    assert!(drawn.len() < 3000, "{}", drawn.len());
    assert!(drawn.contains("long:1:400004: the variable"), "{drawn}");
    let many = "(a ?x)\n".repeat(5000);
    let parsed = parse("many", many.as_bytes(), &Options::strict());
    let drawn = render(&parsed.source, &parsed.diagnostics, &Drawing::default());
    assert!(drawn.contains("... and 9"), "{drawn}");
    assert!(drawn.len() < 30_000, "{}", drawn.len());
}

#[test]
fn huge_and_deep_texts_give_errors() {
    let size = 1_000_000;
    let open = "(".repeat(size);
    let balanced = open.clone() + &")".repeat(size);
    let terms = "(a ".repeat(size) + &")".repeat(size);
    let infix = "a(".repeat(size);
    let negations = "a :- ".to_owned() + &"~".repeat(size);
    let groups = "a :- ".to_owned() + &"(".repeat(size);
    let words = "not ".repeat(size);
    let empty = "()".repeat(size);
    let close = ")".repeat(size);
    let deep_enough = "(a ".repeat(MAXIMUM_NESTING) + &")".repeat(MAXIMUM_NESTING);
    let infix_deep_enough =
        "a(".repeat(MAXIMUM_NESTING - 1) + "a" + &")".repeat(MAXIMUM_NESTING - 1);
    let negated_deep = "a :- ".to_owned() + &"~".repeat(MAXIMUM_NESTING - 1) + "b";
    for (text, code) in [
        (&infix_deep_enough, "missing-relation"),
        (&negated_deep, "negated-non-sentence"),
        (&open, "consecutive-parentheses"),
        (&balanced, "too-deep"),
        (&terms, "too-deep"),
        (&infix, "too-deep"),
        (&negations, "too-deep"),
        (&groups, "too-deep"),
        (&words, "too-deep"),
        (&empty, "too-many-errors"),
        (&close, "too-many-errors"),
        (&deep_enough, "missing-relation"),
    ] {
        let start = &text[..20];
        let parsed = parse("huge", text.as_bytes(), &Options::strict());
        let said: Vec<_> = parsed.diagnostics.iter().map(|d| d.code.as_str()).collect();
        assert!(
            said.contains(&code),
            "{start}: {:?}",
            &said[..said.len().min(9)]
        );
        assert!(said.len() <= 1001, "{start}");
        render(&parsed.source, &parsed.diagnostics, &Drawing::default());
    }
}

const RICH: &str = ";; a game\n(role p) (role q)\n(init (cell 1 1 b)) (succ 1 2) ; facts
    (<= (legal ?r (mark ?x ?y)) (role ?r) (true (cell ?x ?y b)) (not (done ?x)))
    (<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y)) (or (succ ?x 2) (distinct ?x 1)))
    (<= (done ?x) (succ ?x ?y) (not (done ?y)))
    (<= terminal (done 1)) (goal p 100) (<= (goal q 0) (not (goal q 50)) (or a (or b c)))\n";

const RICH_INFIX: &str = "%% a game\nrole(p). role(q).\ninit(cell(1, 1, b)). succ(1, 2). % facts
    legal(R, mark(X, Y)) :- role(R), true(cell(X, Y, b)), ~done(X).
    next(cell(X, Y, R)) :- does(R, mark(X, Y)), (succ(X, 2) | distinct(X, 1)).
    done(X) :- succ(X, Y), ~done(Y).
    terminal :- done(1). goal(p, 100). goal(q, 0) :- ~goal(q, 50), (a | (b | c)).\n";

#[test]
fn random_changes_of_the_text_never_panic() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    println!("seed {seed}");
    let description = |text: &str| parse("x", text.as_bytes(), &Options::default()).description;
    assert!(description(RICH) == description(RICH_INFIX));
    let pieces = [
        "(", ")", "((", "<=", "not", "or", "distinct", "?x", "?", " ", "\n", ";", "%", "é", "\0",
        ":-", ".", "'", "\\", "_", "~", "/*", "|",
    ];
    for round in 0..rounds(3000) {
        let mut bytes = if round % 2 == 0 { RICH } else { RICH_INFIX }
            .as_bytes()
            .to_vec();
        damage(&mut random, &mut bytes, &pieces);
        let result = std::panic::catch_unwind(|| {
            let parsed = parse("random", &bytes, &Options::default());
            render(
                &parsed.source,
                &parsed.diagnostics,
                &Drawing {
                    from: Severity::Note,
                    ..Drawing::default()
                },
            );
            normalise(&parsed.description);
            let printed = format(&parsed.description);
            if parsed.diagnostics.has_errors() || parsed.description.forms.is_empty() {
                return;
            }
            let again = parse("again", printed.as_bytes(), &Options::default());
            if again.description.syntax == Syntax::Kif {
                assert!(again.description == parsed.description, "{printed}");
                assert_eq!(format(&again.description), printed);
            }
        });
        assert!(
            result.is_ok(),
            "seed {seed}, round {round}: {:?}",
            String::from_utf8_lossy(&bytes)
        );
    }
}

/// The sorted codes of a description.
fn codes(text: &str) -> Vec<Code> {
    let parsed = parse("x", text.as_bytes(), &Options::strict());
    let mut codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code).collect();
    codes.sort();
    codes.dedup();
    codes
}

#[test]
fn order_and_names_do_not_matter() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let extra = [
        "(<= (w ?x) (succ ?x ?y) (not (w ?y)))",
        "(<= (w ?x) (w ?x))",
        "(<= (w (f ?x)) (w ?x))",
        "(<= (next ?x) (w ?x))",
        "(<= (w ?x) (not (done ?x)))",
        "(<= (legal p ?x) (v ?x))",
        "(<= (v ?x) (does p ?x))",
        "(<= (v ?x) (w ?x) (not (v 2)))",
        "(<= (w 2) (v ?x))",
        "(init w)",
        "(init (done 1 2))",
    ];
    for round in 0..rounds(300) {
        let parsed = parse("x", RICH.as_bytes(), &Options::default());
        let printed = format(&parsed.description);
        let mut forms: Vec<&str> = printed.lines().filter(|l| !l.starts_with(';')).collect();
        forms.extend(extra.iter().filter(|_| random.bool()));
        let before = codes(&forms.join("\n"));
        random.shuffle(&mut forms);
        let text = forms.join("\n");
        assert_eq!(codes(&text), before, "seed {seed}, round {round}: {text}");
        let mut renamed = text.clone();
        for (from, to) in [
            ("done", "zq1"),
            ("cell", "zq2"),
            ("mark", "zq3"),
            ("succ", "a0"),
            ("?x", "?other"),
        ] {
            renamed = renamed.replace(from, to);
        }
        assert_eq!(
            codes(&renamed),
            before,
            "seed {seed}, round {round}: {renamed}"
        );
    }
}

#[test]
fn hints_show_what_is_taken() {
    for [written, shown] in rows(
        r"
            (<= (next (full ?row)) (true (s ?row)) (not (true (cell ?rwo b)))) => \
                to say that there is none, write (<= some_cell (true (cell ?rwo b))) and here (not some_cell)
            (<= (next (full ?x)) (true (s ?x)) (not (beside ?x ?y)) (not (s ?y))) => \
                write (<= (some_beside ?x) (beside ?x ?y)) and here (not (some_beside ?x))
            (<= (next (s ?n)) (true (s ?a)) (= ?n (+ ?a 1))) => looked up in a table: (sum ?a ?b ?n)
            (<= (next b) (true (s ?a)) (> ?a 1)) => (less 1 2)
            (<= (next b) (true (s ?a)) (\= ?a 1)) => write (distinct ?x ?y)
            (edge 1 2) (<= (next b) (way 1 2)) (<= (way ?x ?y) (edge ?x ?y)) (<= (way ?x ?z) (way ?x ?y) (way ?y ?z)) => \
                does not depend on `way`; this is taken: (<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))
            ",
    ) {
        let parsed = parse(
            "test",
            format!("{BASE}{written}").as_bytes(),
            &Options::default(),
        );
        let mut hints = parsed.diagnostics.iter().map(|d| d.hint.as_str());
        assert!(
            hints.any(|hint| hint.contains(&shown)),
            "{written}: {:?}",
            parsed.diagnostics
        );
    }
    let infix =
        "role(p). legal(p, go). terminal :- s(X), X \\= 1. goal(p, 1) :- ~s(X), ~s(X). s(1).";
    let parsed = parse("test", infix.as_bytes(), &Options::default());
    let hints: Vec<&str> = parsed.diagnostics.iter().map(|d| d.hint.as_str()).collect();
    assert!(
        hints.iter().any(|hint| hint.contains("distinct(X, Y)")),
        "{hints:?}"
    );
    assert!(
        hints
            .iter()
            .any(|hint| hint.ends_with("derive `some_s` from it, and write `~some_s` here")),
        "{hints:?}"
    );
}
