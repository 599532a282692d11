//! The reasoner against a second, naive evaluation of rules: everything bottom-up, by plain
//! substitution.
//!
//! Relations are taken in strata by name; within a stratum all rules are tried on all derived
//! sentences until nothing new comes. No indexes, no numbers for terms, no order of literals
//! except that negative ones come last: it shares nothing with the reasoner but the types.

use crate::common::{game, game_with, rounds};
use gdl::game::{Game, RelationKey};
use gdl::{Literal, Name, Options, Rule, Sentence, Term};
use generators::random_game;
use rules::Reasoner;
use std::collections::{BTreeMap, BTreeSet};

type Derived = BTreeMap<RelationKey, BTreeSet<Vec<Term>>>;
type Values = BTreeMap<Name, Term>;

fn key(sentence: &Sentence) -> RelationKey {
    (sentence.relation.clone(), sentence.arguments.len())
}

/// Everything that follows in a state (its facts given) with these moves.
fn derive(game: &Game, facts: &[Term], moves: &[(Name, Term)]) -> Derived {
    let mut derived = Derived::new();
    for fact in facts {
        let key = (Name::new("true"), 1);
        derived.entry(key).or_default().insert(vec![fact.clone()]);
    }
    for (role, action) in moves {
        let row = vec![Term::Constant(role.clone()), action.clone()];
        let key = (Name::new("does"), 2);
        derived.entry(key).or_default().insert(row);
    }
    for stratum in strata(game) {
        loop {
            let mut new = Vec::new();
            for rule in &stratum {
                let mut body: Vec<&Literal> = rule.body.iter().collect();
                body.sort_by_key(|literal| !matches!(literal, Literal::Positive(_)));
                apply(rule, &body, Values::new(), &derived, &mut new);
            }
            let mut changed = false;
            for (key, row) in new {
                changed |= derived.entry(key).or_default().insert(row);
            }
            if !changed {
                break;
            }
        }
    }
    derived
}

/// The rows of a relation.
fn rows(derived: &Derived, relation: &str, arity: usize) -> BTreeSet<Vec<Term>> {
    let key = (Name::new(relation), arity);
    derived.get(&key).cloned().unwrap_or_default()
}

fn strata(game: &Game) -> Vec<Vec<&Rule>> {
    let mut stratum: BTreeMap<RelationKey, usize> = BTreeMap::new();
    let count = game.rules().len() + 1;
    loop {
        let mut changed = false;
        for rule in game.rules() {
            let mut least = 0;
            for literal in &rule.body {
                let (sentence, above) = match literal {
                    Literal::Positive(sentence) => (sentence, 0),
                    Literal::Negative(sentence) => (sentence, 1),
                    Literal::Distinct(..) => continue,
                };
                let below = stratum.get(&key(sentence)).copied().unwrap_or(0);
                least = least.max(below + above);
            }
            assert!(least <= count, "not stratified by name");
            let own = stratum.entry(key(&rule.head)).or_insert(0);
            if *own < least {
                *own = least;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let last = stratum.values().max().copied().unwrap_or(0);
    let mut strata = vec![Vec::new(); last + 1];
    for rule in game.rules() {
        strata[stratum[&key(&rule.head)]].push(rule);
    }
    strata
}

fn apply(
    rule: &Rule,
    body: &[&Literal],
    values: Values,
    derived: &Derived,
    new: &mut Vec<(RelationKey, Vec<Term>)>,
) {
    let Some((first, rest)) = body.split_first() else {
        let row = rule.head.arguments.iter();
        new.push((
            key(&rule.head),
            row.map(|term| put(term, &values)).collect(),
        ));
        return;
    };
    match first {
        Literal::Positive(sentence) => {
            for row in derived.get(&key(sentence)).into_iter().flatten() {
                let mut values = values.clone();
                let mut pairs = sentence.arguments.iter().zip(row);
                if pairs.all(|(pattern, term)| unify(pattern, term, &mut values)) {
                    apply(rule, rest, values, derived, new);
                }
            }
        }
        Literal::Negative(sentence) => {
            let arguments = sentence.arguments.iter();
            let row: Vec<Term> = arguments.map(|term| put(term, &values)).collect();
            let holds = derived.get(&key(sentence));
            if !holds.is_some_and(|rows| rows.contains(&row)) {
                apply(rule, rest, values, derived, new);
            }
        }
        Literal::Distinct(left, right) => {
            if put(left, &values) != put(right, &values) {
                apply(rule, rest, values, derived, new);
            }
        }
    }
}

fn put(term: &Term, values: &Values) -> Term {
    match term {
        Term::Constant(_) => term.clone(),
        Term::Variable(name) => values[name].clone(),
        Term::Function(name, arguments) => Term::Function(
            name.clone(),
            arguments.iter().map(|term| put(term, values)).collect(),
        ),
    }
}

fn unify(pattern: &Term, term: &Term, values: &mut Values) -> bool {
    match (pattern, term) {
        (Term::Variable(name), _) => values.entry(name.clone()).or_insert(term.clone()) == term,
        (Term::Function(f, patterns), Term::Function(g, terms)) => {
            f == g
                && patterns.len() == terms.len()
                && patterns.iter().zip(terms).all(|(p, t)| unify(p, t, values))
        }
        _ => pattern == term,
    }
}

fn column(rows: BTreeSet<Vec<Term>>, role: &Name) -> BTreeSet<Term> {
    let role = Term::Constant(role.clone());
    let rows = rows.into_iter().filter(|row| row[0] == role);
    rows.map(|row| row[1].clone()).collect()
}

/// Follows a playout and compares everything with what follows bottom-up.
fn compare(game: &Game, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut reasoner = Reasoner::new(game).unwrap();
    let mut state = reasoner.initial().unwrap();
    let start: BTreeSet<Vec<Term>> = rows(&derive(game, &[], &[]), "init", 1);
    let facts = reasoner.facts(&state).into_iter().map(|fact| vec![fact]);
    assert_eq!(start, facts.collect(), "init, seed {seed}");
    loop {
        let facts = reasoner.facts(&state);
        let derived = derive(game, &facts, &[]);
        let terminal = reasoner.terminal(&state).unwrap();
        assert_eq!(
            !rows(&derived, "terminal", 0).is_empty(),
            terminal,
            "seed {seed}"
        );
        let mut moves = Vec::new();
        for (place, role) in game.roles().iter().enumerate() {
            let legal = reasoner.legal(&state, place).unwrap();
            let expected = column(rows(&derived, "legal", 2), role);
            assert_eq!(expected, legal.iter().cloned().collect(), "seed {seed}");
            let goals = reasoner.goals(&state, place).unwrap();
            let expected = column(rows(&derived, "goal", 2), role);
            assert_eq!(expected, goals.into_iter().collect(), "seed {seed}");
            moves.push((role.clone(), rng.choice(legal).unwrap()));
        }
        if terminal {
            break;
        }
        let derived = derive(game, &facts, &moves);
        let joint_move: Vec<Term> = moves.into_iter().map(|(_, action)| action).collect();
        state = reasoner.next(&state, &joint_move).unwrap();
        let facts = reasoner.facts(&state).into_iter().map(|fact| vec![fact]);
        assert_eq!(rows(&derived, "next", 1), facts.collect(), "seed {seed}");
    }
}

#[test]
fn the_reasoner_agrees_with_bottom_up_evaluation_on_random_games() {
    for seed in 0..rounds(300) {
        let text = random_game(seed).text;
        compare(&game_with("random", &text, &Options::strict()), seed);
    }
}

/// Rules over two groups of relations that are recursive in every way; the second group may negate
/// the first. The goal values are what some questions with known and unknown arguments give.
fn random_rules(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let nodes = ["a", "b", "c", "d"];
    let mut text = format!("; random rules {seed}\n(role p) (init s) (legal p wait) (next s)\n");
    text += "(<= terminal (true s) (not (true t)))\n";
    for node in nodes {
        text += &format!("(node {node})\n");
    }
    for _ in 0..rng.usize(2..7) {
        let (from, to) = (rng.choice(nodes).unwrap(), rng.choice(nodes).unwrap());
        text += &format!("(edge {from} {to})\n");
    }
    let term = |rng: &mut fastrand::Rng| rng.choice(["?x", "?y", "?z", "?x", "?y", "b"]).unwrap();
    for group in ["low", "high"] {
        for number in 0..2 {
            text += &format!("(<= ({group}{number} ?x ?y) (edge ?x ?y) (true s))\n");
            for _ in 0..rng.usize(1..3) {
                text += &format!("(<= ({group}{number} ?x ?y)");
                for _ in 0..rng.usize(1..4) {
                    let (left, right) = (term(&mut rng), term(&mut rng));
                    text += &match rng.u8(..6) {
                        0 => format!(" (edge {left} {right})"),
                        1 if group == "high" => format!(" (low0 {left} {right})"),
                        2 if group == "high" => format!(" (not (low1 {left} {right}))"),
                        3 => format!(" (distinct {left} {right})"),
                        _ => format!(" ({group}{} {left} {right})", rng.u8(..2)),
                    };
                }
                // Safe, and within the restriction on recursion.
                text += " (node ?x) (node ?y) (node ?z))\n";
            }
        }
    }
    for relation in ["low0", "low1", "high0", "high1"] {
        for (value, arguments) in [
            (format!("({relation} ?x ?y)"), "?x ?y"),
            (format!("({relation} first ?y)"), "a ?y"),
            (format!("({relation} second ?x)"), "?x c"),
            (format!("({relation} both)"), "d a"),
        ] {
            if rng.bool() {
                text += &format!("(<= (goal p {value}) ({relation} {arguments}))\n");
            }
        }
    }
    text + "(goal p 0)\n"
}

#[test]
fn the_reasoner_agrees_with_bottom_up_evaluation_on_random_recursive_rules() {
    let mut rows_seen = 0;
    for seed in 0..rounds(500) {
        let text = random_rules(seed);
        let options = Options {
            as_validators: true,
            ..Options::default()
        };
        let game = game_with("random", &text, &options);
        let mut reasoner = Reasoner::new(&game).unwrap();
        let state = reasoner.initial().unwrap();
        let goals = reasoner.goals(&state, 0).unwrap();
        rows_seen += goals.len();
        let derived = derive(&game, &reasoner.facts(&state), &[]);
        let expected = column(rows(&derived, "goal", 2), &game.roles()[0]);
        assert_eq!(expected, goals.into_iter().collect(), "seed {seed}\n{text}");
    }
    eprintln!("{rows_seen} goal values agree");
}

/// Rules for the sentences (v 0) to (v 7), stratified between ground sentences but not by name. In the
/// second text each of them is a relation of its own, so that names do.
fn random_stratified_sentences(seed: u64) -> (String, String) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut text = String::from("(role p) (init s) (legal p wait) (next s)\n");
    text += "(<= terminal (true s) (not (true t)))\n";
    for place in 0..8 {
        for _ in 0..rng.usize(1..3) {
            text += &format!("(<= (v {place}) (true s)");
            for _ in 0..rng.usize(0..4) {
                // Two neighbours make a stratum; only lower strata are negated.
                let stratum = place / 2 * 2;
                text += &if stratum > 0 && rng.bool() {
                    format!(" (not (v {}))", rng.usize(..stratum))
                } else {
                    format!(" (v {})", rng.usize(..stratum + 2))
                };
            }
            text += ")\n";
        }
    }
    let mut split = text.clone();
    for place in 0..8 {
        split = split.replace(&format!("(v {place})"), &format!("v{place}"));
        split += &format!("(<= (goal p {place}) v{place})\n");
    }
    (text + "(<= (goal p ?x) (v ?x))\n", split)
}

#[test]
fn sentences_need_to_be_stratified_only_one_by_one() {
    for seed in 0..rounds(500) {
        let (text, split) = random_stratified_sentences(seed);
        let mut reasoner = Reasoner::new(&game("random", &text)).unwrap();
        let state = reasoner.initial().unwrap();
        let goals = reasoner.goals(&state, 0);
        let goals = goals.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let game = game("random", &split);
        let derived = derive(&game, &reasoner.facts(&state), &[]);
        let expected = column(rows(&derived, "goal", 2), &game.roles()[0]);
        assert_eq!(expected, goals.into_iter().collect(), "seed {seed}\n{text}");
    }
}
