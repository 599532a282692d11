//! Lenient reading: a game with what only careless descriptions have means the same as the game written out properly.

use crate::common::{first_player, game, minimax_value, rounds};
use fastrand::Rng;
use gdl::game::{Game, Objective};
use gdl::{Code, Name, Options, Term, parse_patterns};
use generators::random_game;
use std::collections::BTreeSet;

/// The forms of a text; rules are terms with the arrow as their function.
fn forms(text: &str) -> Vec<Term> {
    parse_patterns(text).expect("forms")
}

fn form(text: &str) -> Term {
    forms(text).remove(0)
}

fn call(name: &str, arguments: Vec<Term>) -> Term {
    Term::Function(Name::new(name), arguments)
}

/// The sentence that `not` stands before.
fn negated(condition: &Term) -> Option<&Term> {
    match condition {
        Term::Function(name, inner) if name.as_str() == "not" => inner.first(),
        _ => None,
    }
}

/// The condition in another way that GDL does not have.
fn mangled(condition: &Term, rng: &mut Rng) -> Term {
    let same = || condition.clone();
    match (rng.u8(..5), negated(condition).cloned()) {
        (0, _) => same(),
        (1, _) => call("and", vec![same(), same()]),
        (2, _) => call("or", vec![call("and", vec![same(), same()]), same()]),
        (3, Some(inner)) => {
            let both = call("and", vec![inner.clone(), inner.clone()]);
            call("not", vec![call("or", vec![inner, both])])
        }
        (4, Some(inner)) => {
            let never = form("(distinct a a)");
            call("not", vec![call("or", vec![never, inner])])
        }
        (_, None) => call("not", vec![call("not", vec![same()])]),
        _ => same(),
    }
}

/// The game with some of its conditions in ways that GDL does not have, and with old forms of `base`.
fn careless(text: &str, rng: &mut Rng) -> String {
    let mut forms = forms(text);
    for form in &mut forms {
        let Term::Function(arrow, parts) = form else {
            continue;
        };
        if arrow.as_str() != "<=" {
            continue;
        }
        for condition in &mut parts[1..] {
            *condition = mangled(condition, rng);
        }
        if parts.len() > 2 && rng.bool() {
            let tail = parts.split_off(1 + rng.usize(..parts.len() - 1));
            parts.push(call("and", tail));
        }
    }
    let mut lines: Vec<String> = forms.iter().map(Term::to_string).collect();
    if rng.bool() {
        lines.push("(base on a) (input somebody)".to_owned());
    }
    lines.join("\n")
}

/// The game as published files have it: with variables that nothing binds below `not`, rules that never fire, and `outcome`.
fn published(text: &str, rng: &mut Rng) -> Vec<Term> {
    let mut published = Vec::new();
    let mut helpers = 0;
    for mut form in forms(text) {
        let parts = match &mut form {
            Term::Function(_, parts) => &mut parts[1..],
            _ => &mut [],
        };
        for part in parts {
            let Some(inner) = negated(part).filter(|_| rng.bool()).cloned() else {
                continue;
            };
            helpers += 1;
            let variables: BTreeSet<String> =
                inner.variables().map(|it| format!("?{it}")).collect();
            let variables: String = variables.into_iter().map(|it| it + " ").collect();
            let tagged = |tag: &str| self::form(&format!("(tagged{helpers} {variables}{tag})"));
            for tag in ["one", "two"] {
                published.push(call("<=", vec![tagged(tag), inner.clone()]));
            }
            let any = ["?_any", "?tag"][rng.usize(..2)];
            *part = call("not", vec![tagged(&format!("{any}{helpers}"))]);
        }
        published.push(form);
    }
    if rng.bool() {
        published.extend(forms("(<= (true_for ?r) (true (unheard of)))"));
    }
    if rng.bool() {
        published.extend(forms("(outcome ?r ?m (set (does ?r ?m)) (set 1))"));
    }
    published
}

/// A form in infix form, in which every term with arguments is a tuple of its function and these.
fn infix(form: &Term, is_term: bool) -> String {
    let (name, parts) = match form {
        Term::Variable(_) => return form.to_string(),
        Term::Constant(name) => return format!("'{name}'"),
        Term::Function(name, parts) => (name.as_str(), &parts[..]),
    };
    let join = |parts: &[Term], is_term: bool, with: &str| {
        let parts: Vec<String> = parts.iter().map(|part| infix(part, is_term)).collect();
        parts.join(with)
    };
    match (name, parts) {
        ("<=", [head, body @ ..]) => {
            format!("{} :- {}.", infix(head, false), join(body, false, ", "))
        }
        ("not", [inner]) if !is_term => format!("~{}", infix(inner, false)),
        ("or", _) if !is_term => format!("({})", join(parts, false, " | ")),
        ("distinct", _) => format!("distinct({})", join(parts, true, ", ")),
        _ if is_term => format!("('{name}', {})", join(parts, true, ", ")),
        _ => format!("'{name}'({})", join(parts, true, ", ")),
    }
}

fn value(game: &Game, depth: u32) -> String {
    let value = minimax_value(game, first_player(game), Objective::Win, depth);
    value.expect("a small game").to_string()
}

/// Reads random games as they are and as they are written carelessly, which mean the same; each kind of carelessness is warned of, and
/// the strict reader refuses it. The standard form of what was read is read without a warning. The kinds that were met; `is_told_once` is whether
/// there is one warning for each.
fn compare(is_told_once: bool, written: impl Fn(&str, &mut Rng) -> String) -> BTreeSet<Code> {
    let mut seen = BTreeSet::new();
    for seed in 0..rounds(150) {
        let proper = random_game(seed);
        let text = written(&proper.text, &mut Rng::with_seed(seed));
        let expected = value(&game("proper", &proper.text), proper.depth);
        let read = |text: &str| {
            let reading = gdl::game::read("careless", text.as_bytes(), &Options::default());
            let reading = reading.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            let found = value(&reading.game, proper.depth);
            assert_eq!(found, expected, "seed {seed}\n{text}");
            let codes = reading.diagnostics.iter().map(|d| d.code);
            let codes: Vec<Code> = codes
                .filter(|code| code.as_str().starts_with("lenient-"))
                .collect();
            (gdl::format(&reading.description), codes)
        };
        let (standard, codes) = read(&text);
        let kinds: BTreeSet<Code> = codes.iter().copied().collect();
        let is_expected = !is_told_once || kinds.len() == codes.len();
        assert!(is_expected, "seed {seed}: {codes:?}\n{text}");
        let strict = gdl::game::read("careless", text.as_bytes(), &Options::strict());
        assert_eq!(kinds.is_empty(), strict.is_ok(), "seed {seed}\n{text}");
        assert_eq!(read(&standard).1, [], "seed {seed}\n{standard}");
        seen.extend(kinds);
    }
    seen
}

#[test]
fn published_forms_have_the_values_of_the_standard_form() {
    let seen = compare(true, |proper, rng| {
        let forms = published(proper, rng);
        let has_tuples = rng.bool();
        // Its terms are functions, which are tuples then.
        let is_written = |form: &&Term| !has_tuples || !form.to_string().starts_with("(outcome");
        let lines = forms
            .iter()
            .filter(is_written)
            .map(|form| match has_tuples {
                true if form.to_string().starts_with("(<=") => infix(form, false),
                true => format!("{}.", infix(form, false)),
                false => form.to_string(),
            });
        lines.collect::<Vec<_>>().join("\n")
    });
    let expected = [
        Code::LenientTuple,
        Code::LenientNone,
        Code::LenientNever,
        Code::LenientOutcome,
    ];
    assert_eq!(seen, BTreeSet::from(expected));
}

#[test]
fn careless_games_have_the_values_of_the_games_written_out() {
    let expected = [Code::LenientAnd, Code::LenientNot, Code::LenientDomain];
    assert_eq!(compare(false, careless), BTreeSet::from(expected));
}

/// Two take turns to add 1 or 2 beads to a string, or it is random that does; who makes it 7 long wins. The
/// conditions of `legal` and of `next` are given.
fn beads(legal: &str, next: &str) -> String {
    format!(
        "(role ann) (role random) (role bob) (beads 1) (beads 2)
        (plus 0 1 1) (plus 1 1 2) (plus 2 1 3) (plus 3 1 4) (plus 4 1 5) (plus 5 1 6) (plus 6 1 7)
        (plus 0 2 2) (plus 1 2 3) (plus 2 2 4) (plus 3 2 5) (plus 4 2 6) (plus 5 2 7) (plus 6 2 7)
        (after ann random) (after random bob) (after bob ann)
        (init (length 0)) (init (turn ann))
        (<= (input ?r (add ?n)) (role ?r) (beads ?n)) (<= (input ?r wait) (role ?r))
        (base (length 0)) (<= (base (length ?n)) (plus ?m ?k ?n)) (<= (base (turn ?r)) (role ?r))
        (<= (legal ?r (add ?n)) (true (turn ?r)) {legal})
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (length ?n)) (does ?r (add ?k)) (true (length ?m)) (plus ?m ?k ?n))
        (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
        (<= (next (seen ?n)) (true (seen ?n)))
        (<= (next (turn ?t)) (true (length 3)) {next} (not (true (turn ?t))))
        (<= terminal (true (length 7))) (<= terminal (true (length 6)) (true (turn random)))
        (<= (wins ?r) (true (length 7)) (true (turn ?s)) (after ?r ?s))
        (<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (role ?r) (not (wins ?r)))"
    )
}

#[test]
fn unbound_variables_range_over_what_is_listed() {
    let proper = game("proper", &beads("(beads ?n)", "(role ?t)"));
    for (legal, next) in [("", "(role ?t)"), ("(beads ?n)", ""), ("", "")] {
        let text = beads(legal, next);
        let strict = gdl::game::read("careless", text.as_bytes(), &Options::strict());
        assert!(strict.is_err(), "{text}");
        let careless = game("careless", &text);
        for depth in 0..9 {
            assert_eq!(value(&careless, depth), value(&proper, depth), "{text}");
        }
    }
}
