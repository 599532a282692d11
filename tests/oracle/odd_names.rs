//! Names must not matter, however much they look like something else: numbers, keywords with a
//! twist, the predicates that the translation adds, the quantifiers of the program.

use crate::common::rounds;
use crate::common::{game, in_parallel, logical_value, question, read_game, say};
use formula::BigRational;
use gdl::game::Game;
use gdl::game::Objective;
use generators::random_game;
use logic::sqasp::PrefixMethod;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names that could be taken for something else: predicates of the translation, and what could be derived from them; the quantifiers of a program, and
/// names for clauses; almost keywords; what clingo does not take as a name; numbers, and what only looks like one.
const ODD_NAMES: &str = "
    time step ended ended_2 ended_3 decide maximizer minimiser order bit coin follows count total won succeeds pays payoff move not_ n_x n__exists
    _exists _forall _chance _quantify #body #rank exists forall chance
    random2 random_ role2 init_ true1 nexts legals sees2 knows
    +x - a-b a_b a.b x' _ __x $x @f a/b a:b * #inf #sup
    7771 -3 +3 007 -0 2147483647 2147483648 -2147483648 1e3 0x1f 99999999999999999999 1/2 1..3";

fn odd_names() -> Vec<&'static str> {
    ODD_NAMES.split_whitespace().collect()
}

/// Relations that are keywords for one number of arguments and free names for others.
const KEYWORDS: &[&str] = &[
    "role", "init", "true", "next", "legal", "does", "terminal", "goal", "base", "input",
];

/// Words that mean something to GDL.
fn is_fixed(word: &str) -> bool {
    KEYWORDS.contains(&word)
        || ["random", "distinct", "not", "and", "or", "<=", "sees"].contains(&word)
        || word.starts_with('?')
        || word.parse::<i64>().is_ok()
}

/// Words and parentheses of a description, without comments.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default();
        let spaced = line.replace('(', " ( ").replace(')', " ) ");
        tokens.extend(spaced.split_whitespace().map(str::to_owned));
    }
    tokens
}

fn replace(tokens: &[String], names: &BTreeMap<String, String>) -> String {
    let words: Vec<&str> = tokens
        .iter()
        .map(|token| names.get(token).unwrap_or(token).as_str())
        .collect();
    words.join(" ").replace("( ", "(").replace(" )", ")")
}

fn value(game: &Game, role: &str, depth: u32, objective: Objective) -> BigRational {
    let question = question(role, depth, objective);
    logical_value(game, &question, PrefixMethod::Dependency)
}

#[test]
fn renamed_random_games_keep_their_values() {
    let (refused, renamed) = (AtomicU64::new(0), AtomicU64::new(0));
    in_parallel((0..rounds(150)).collect(), |seed| {
        let random = random_game(seed);
        let original = game("random", &random.text);
        let role = original.players().next().expect("a player").as_str();
        let tokens = tokens(&random.text);
        let words: BTreeSet<&String> = tokens
            .iter()
            .filter(|word| !is_fixed(word) && !["(", ")"].contains(&word.as_str()))
            .collect();
        let mut rng = fastrand::Rng::with_seed(seed);
        for objective in [Objective::Win, Objective::Score] {
            let expected = value(&original, role, random.depth, objective);
            let mut odd = odd_names();
            rng.shuffle(&mut odd);
            // Variables with names near those of the program's own.
            let mut names: BTreeMap<String, String> = [
                ("?x", "?t"),
                ("?y", "?t_2"),
                ("?z", "?1"),
                ("?n", "?-t"),
                ("?m", "?_t"),
                ("?r", "?p"),
            ]
            .map(|(from, to)| (from.to_owned(), to.to_owned()))
            .into();
            for (word, odd) in words.iter().zip(odd) {
                names.insert((*word).clone(), odd.to_owned());
            }
            let text = replace(&tokens, &names);
            let Ok(game) = read_game("renamed", &text) else {
                refused.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            renamed.fetch_add(1, Ordering::Relaxed);
            let found = value(&game, &names[role], random.depth, objective);
            if found != expected {
                return Err(format!(
                    "seed {seed}, {objective}: {found}, it was {expected}\n{names:?}\n{text}"
                ));
            }
        }
        Ok(())
    });
    let (refused, renamed) = (refused.into_inner(), renamed.into_inner());
    say(&format!(
        "{renamed} random games renamed, {refused} not valid with the new names"
    ));
    assert!(renamed > 5 * refused, "too many names are no names");
}

/// A game with a static and a dynamic relation of every small number of arguments, and functions.
///
const GAME: &str = "
(role one) (role random) (role two)
(init (at 0)) (init s0)
(<= s0d (true s0)) (<= (s1d ?x) (true (at ?x))) (<= (s2d ?x ?y) (true (at ?x)) (s2 ?x ?y))
(<= (s3d ?x ?y ?z) (true (at ?x)) (s3 ?x ?y ?z))
ss0 (s1 0) (s1 1) (s1 2) (s2 0 1) (s2 1 2) (s3 0 1 a) (s3 1 2 b) (s4 0 1 2 3)
(<= (next (at ?y)) (s2d ?x ?y))
(<= (next (got ?z ?m)) (s3d ?x ?y ?z) (does random ?m) ss0)
(<= (next (got ?z ?m)) (true (got ?z ?m)))
(<= (next s0) s0d)
(<= (next (told ?k)) (does one (say ?k ?j)))
(<= (next (told ?k)) (true (told ?k)))
(legal random m1) (legal random m2)
(<= (legal random m3) (s1d 1)) (<= (legal random (m 4)) (s1d 1))
(<= (legal one (say k1 j)) (s1d ?x)) (<= (legal one (say k2 j)) (true (at 0)))
(<= (legal two (hear ?x)) (s1d ?x)) (<= (legal two (hear 9)) (s1d 0))
(<= (next heard) (does two (hear 9))) (<= (next heard) (true heard))
(<= terminal (s1d 2) (s4 0 1 2 3))
(<= luck (true (got a m1)) (true (told k1)))
(<= (more ?r) (true (got b m3)) (does ?r ?m))
(<= luck (true (got b (m 4))) (true (told k2)) (true (got a m2)))
(<= (luckier one) luck (s1d 2))
(<= (goal one 100) (luckier one))
(<= (goal one 0) (not luck))
(<= (goal two 100) (not luck))
(<= (goal two 25) luck (true heard))
(<= (goal two 0) luck (not (true heard)))
";

#[test]
fn names_of_the_translation_may_be_names_of_the_game() {
    let original = game("original", GAME);
    let tokens = tokens(GAME);
    let words: BTreeSet<String> = tokens
        .iter()
        .filter(|word| !is_fixed(word) && !["(", ")"].contains(&word.as_str()))
        .cloned()
        .collect();
    let questions = [("one", Objective::Win), ("two", Objective::Score)];
    let expected = questions.map(|(role, objective)| value(&original, role, 2, objective));
    // The new name would mean something: `s1` holds of 0, which would be a role then.
    let another_game = |word: &str, odd: &str| {
        matches!(
            (word, odd),
            ("s1" | "s1d", "role" | "init" | "next")
                | ("s0d" | "ss0" | "luck" | "heard", "terminal")
                | ("s2" | "s2d", "goal" | "input" | "legal" | "does")
        )
    };
    let mut jobs = Vec::new();
    for word in &words {
        for odd in odd_names().iter().chain(KEYWORDS) {
            if another_game(word, odd) {
                continue;
            }
            // One of the two questions each, in turn.
            jobs.push((word.clone(), (*odd).to_owned(), jobs.len() % 2));
        }
    }
    fastrand::Rng::with_seed(0).shuffle(&mut jobs);
    jobs.truncate(rounds(1000) as usize);
    let (all, refused) = (jobs.len() as u64, AtomicU64::new(0));
    in_parallel(jobs, |(word, odd, number)| {
        let names = BTreeMap::from([(word.clone(), odd.clone())]);
        let text = replace(&tokens, &names);
        let Ok(game) = read_game("renamed", &text) else {
            refused.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        let (role, objective) = questions[number];
        let role = if word == role { odd.as_str() } else { role };
        let found = value(&game, role, 2, objective);
        if found == expected[number] {
            Ok(())
        } else {
            Err(format!(
                "`{odd}` for `{word}`: {role} has {found}, it was {}",
                expected[number]
            ))
        }
    });
    let refused = refused.into_inner();
    say(&format!(
        "{all} renamings of one word, {refused} not valid with the new name"
    ));
    assert!(all > 4 * refused, "too many names are no names");
}

/// A legal move of something that is no role concerns nobody. (This went on forever once.)
#[test]
fn moves_of_what_is_no_role_are_ignored() {
    let original = value(&game("original", GAME), "one", 2, Objective::Win);
    let more = format!("{GAME} (legal nobody jump)");
    let found = value(&game("more", &more), "one", 2, Objective::Win);
    assert_eq!(found, original);
}
