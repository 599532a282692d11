//! Ways of writing a game that must not matter for its value: the order of rules, rules that
//! nothing asks for, stated domains or none, a horizon past the end.

use crate::common::rounds;
use crate::common::{game, in_parallel, logical_value, question};
use gdl::game::Objective;
use generators::random_game;
use logic::sqasp::PrefixMethod;

/// Rules that nothing asks for, with names that stand in no random game.
const UNUSED: &str = "
(spare a) (spare 7) (pair a b) (pair b c)
(<= (joined ?x ?y) (pair ?x ?y))
(<= (joined ?x ?z) (joined ?x ?y) (pair ?y ?z))
(<= (spareable ?x) (spare ?x) (true (step 0)))
(<= (spared ?r ?x) (spareable ?x) (does ?r wait))
(<= neverAsked (not (spareable a)) (true (step 1)))
";

/// The game's text written otherwise, by the name of what was done to it.
fn variants(text: &str, rng: &mut fastrand::Rng) -> Vec<(&'static str, String)> {
    let mut lines: Vec<&str> = text.lines().collect();
    rng.shuffle(&mut lines);
    let shuffled = lines.join("\n");
    let domains = ["(base ", "(input ", "(<= (base ", "(<= (input "];
    let without_domains: Vec<&str> = text
        .lines()
        .filter(|line| !domains.iter().any(|start| line.starts_with(start)))
        .collect();
    vec![
        ("rules in another order", shuffled),
        ("rules that nothing asks for", format!("{text}{UNUSED}")),
        ("without base and input", without_domains.join("\n")),
    ]
}

#[test]
fn ways_of_writing_do_not_matter() {
    in_parallel((0..rounds(60)).collect(), |seed| {
        let random = random_game(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let value = |text: &str, role: &str, depth, objective| {
            let question = question(role, depth, objective);
            logical_value(&game("random", text), &question, PrefixMethod::Dependency)
        };
        let roles = game("random", &random.text);
        let role = roles.players().next().expect("a player").as_str();
        for objective in [Objective::Win, Objective::Score] {
            let expected = value(&random.text, role, random.depth, objective);
            for (what, text) in variants(&random.text, &mut rng) {
                let found = value(&text, role, random.depth, objective);
                if found != expected {
                    return Err(format!(
                        "seed {seed}, {objective}, {what}: {found}, it was {expected}\n{text}"
                    ));
                }
            }
            let later = value(&random.text, role, random.depth + 3, objective);
            if later != expected {
                return Err(format!(
                    "seed {seed}, {objective}, three steps more: {later}, it was {expected}"
                ));
            }
        }
        Ok(())
    });
}
