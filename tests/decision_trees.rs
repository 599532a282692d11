//! Decision trees in strategies as text: a reader that knows only the words follows them in every position of the strategy.

use crate::common::brute_force::{BruteForce, heading, strategy};
use crate::common::{game, rounds};
use fastrand::Rng;
use gdl::Name;
use gdl::game::Objective;
use generators::random_game;
use verify::{Strategy, write_text};

/// The move that the lines of a tree name in a position.
fn followed(lines: &[&str], facts: &[String], steps: Option<u32>) -> String {
    let margin = |line: &str| line.len() - line.trim_start().len();
    let (mut index, mut depth) = (0, margin(lines[0]));
    loop {
        let line = lines[index];
        if margin(line) > depth {
            // The lines of a question that was answered with no.
            index += 1;
            continue;
        }
        assert_eq!(margin(line), depth, "{lines:#?}");
        let line = line.trim_start();
        let line = line.strip_prefix("else ").unwrap_or(line);
        let (question, action) = line.rsplit_once(':').expect("a line has a colon");
        if answer(question, facts, steps) {
            if !action.is_empty() {
                return action.trim().to_owned();
            }
            depth = margin(lines[index + 1]);
        }
        index += 1;
    }
}

fn answer(question: &str, facts: &[String], steps: Option<u32>) -> bool {
    if ["always", "else"].contains(&question) {
        return true;
    }
    let steps_of = |text: &str| {
        text.strip_suffix(" steps left")
            .map(|n| n.parse::<u32>().expect("a number"))
    };
    if let Some(most) = question.strip_prefix("at most ").and_then(steps_of) {
        return steps.expect("steps count") <= most;
    }
    if let Some(most) = question.strip_prefix("more than ").and_then(steps_of) {
        return steps.expect("steps count") > most;
    }
    if let Some((kind, rest)) = question.split_once(", N ") {
        let (before, behind) = kind.split_once(" N").expect("a number in the fact");
        let numbers = facts.iter().filter_map(|fact| {
            let rest = fact.strip_prefix(before)?.strip_prefix(' ')?;
            rest.strip_suffix(behind)?.parse::<u64>().ok()
        });
        let numbers: Vec<u64> = numbers.collect();
        assert_eq!(numbers.len(), 1, "{question}: {facts:?}");
        return match rest.rsplit_once(' ').expect("a number") {
            ("at most", most) => numbers[0] <= most.parse().expect("a number"),
            ("above", most) => numbers[0] > most.parse().expect("a number"),
            _ => panic!("{question}"),
        };
    }
    match question.strip_prefix("not ") {
        Some(fact) => facts.iter().all(|other| other != fact),
        None => facts.iter().any(|other| other == question),
    }
}

/// Follows the tree of a strategy, if it has one, and compares: whether there was one, and whether it is exact.
fn check(strategy: &Strategy) -> Option<bool> {
    let mut text = Vec::new();
    write_text(strategy, &mut text).expect("memory can be written to");
    let text = String::from_utf8(text).expect("text");
    let (_, tree) = text.split_once(" in short, those of ")?;
    let (said, tree) = tree.split_once(" positions below:\n\n").expect("a count");
    let (tree, _) = tree.split_once("\n\n").expect("positions follow");
    let lines: Vec<&str> = tree.lines().collect();
    let mut right = 0;
    for decision in &strategy.player {
        let facts = strategy.terms.terms(&decision.position.facts);
        let facts: Vec<String> = facts.iter().map(ToString::to_string).collect();
        let action = strategy.terms.term(decision.action).to_string();
        right += usize::from(followed(&lines, &facts, decision.position.steps) == action);
    }
    let all = strategy.player.len();
    let is_exact = right == all;
    let expected = match is_exact {
        true => format!("all {all}"),
        false => format!("{right} of {all}"),
    };
    assert_eq!(said, expected, "{text}");
    // It is short.
    assert!(lines.len() <= 24 + 23 && lines.len() < 2 * all, "{text}");
    Some(is_exact)
}

#[test]
fn trees_name_the_moves_of_the_strategy() {
    let (mut exact, mut rough) = (0, 0);
    for seed in 0..rounds(200) {
        let random = random_game(seed);
        let game = game("random", &random.text);
        let mut rng = Rng::with_seed(seed);
        let players: Vec<&Name> = game.players().collect();
        let role = rng.choice(&players).expect("a player");
        let mut advisor = BruteForce::new(&game, role, random.depth, Objective::Win);
        let heading = heading(&game, role, random.depth, Objective::Win);
        match check(&strategy(&mut advisor, heading)) {
            Some(true) => exact += 1,
            Some(false) => rough += 1,
            None => {}
        }
    }
    println!("{exact} exact trees, {rough} with exceptions");
    assert!(exact > 10, "{exact}");
}

/// The tree of a large strategy has exceptions, and says how many.
#[test]
fn a_tree_tells_its_exceptions() {
    assert_eq!(check(&solved("endless_cant_stop.gdl")), Some(false));
}

/// The strategy of the first role of a game of ours.
fn solved(file: &str) -> Strategy {
    let game = crate::common::checked_in_game(file);
    let question = sqasp::Question::about(&game).expect("a role");
    let mut options = sqasp::Options::default();
    options.extras.strategy = Some(10_000);
    let answer = sqasp::solve(&game, &question, &options).expect("a value");
    let strategy = crate::common::known_strategy(&answer);
    strategy.expect("a strategy").clone()
}

/// The rule that the game was made for: throw until the pot has five points or more, then hold.
#[test]
fn pig_has_a_short_rule() {
    let strategy = solved("endless_pig.gdl");
    assert_eq!(check(&strategy), Some(true));
    let mut text = Vec::new();
    write_text(&strategy, &mut text).expect("memory can be written to");
    let text = String::from_utf8(text).expect("text");
    assert!(
        text.contains("  else (pot N), N at most 4: roll\n  else: hold\n"),
        "{text}"
    );
}
