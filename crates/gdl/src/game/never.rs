//! Success that no play reaches, whatever all roles do and chance brings: shown by the domains of the rules, which are
//! supersets of the facts that can hold (relaxed reachability without negation).
//!
//! ```text
//! (<= (goal x 100) (wins x))   (<= (wins ?p) (true (scor ?p 15)))
//!
//! (goal x 100) needs (wins x), which needs (true (scor x 15)), and nothing makes that true
//! ```
//!
//! Where the domains do not show it, nothing is claimed.

use super::domains::positive;
use super::{Domains, Game, GoalValues, Objective, Points, points};
use crate::{Name, Rule, Sentence, Term};
use num_traits::Zero;
use serde::Serialize;

/// Why no play at all is worth anything to a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Never {
    /// The reason, as a sentence.
    pub because: String,
    /// The most points that the role can get, as far as the rules show.
    pub most_points: Points,
    /// Chains of conditions of the end or of success: each sentence needs the next, and the last can never hold.
    #[doc(hidden)]
    pub needs: Vec<Vec<Sentence>>,
}

/// The most chains of conditions that are told.
const MAX_NEEDS: usize = 3;

/// The longest chain of conditions.
const MAX_CHAIN: usize = 6;

/// Why no play of the game is worth anything to the role, if that is shown.
pub fn never(game: &Game, role: &Name, objective: Objective) -> Option<Never> {
    let is_worth = |value: &Term| points(value).is_some_and(|p| !objective.worth(p).is_zero());
    let domains = game.domains();
    let goals = domains.goals(role);
    let terminal = Sentence {
        relation: Name::new("terminal"),
        arguments: Vec::new(),
    };
    let ends = domains.may_hold([&terminal]);
    if ends && goals.iter().any(is_worth) {
        return None;
    }
    let mut needs = Vec::new();
    if !ends {
        needs.push(chain(game, domains, terminal, None));
    }
    for rule in game.rules().iter().filter(|_| ends) {
        let [whose, value] = &rule.head.arguments[..] else {
            continue;
        };
        let rule = match whose {
            _ if rule.head.relation.as_str() != "goal" || !is_worth(value) => continue,
            Term::Variable(name) => with(rule, name, role),
            Term::Constant(name) if name == role => rule.clone(),
            Term::Constant(_) | Term::Function(..) => continue,
        };
        needs.push(chain(game, domains, rule.head.clone(), Some(&rule)));
    }
    let most_points = GoalValues::of_terms(goals)
        .points
        .last()
        .copied()
        .unwrap_or_default();
    let because = match (needs.is_empty(), most_points) {
        (false, _) => because(&needs),
        (true, most) if most.is_zero() => format!("{role} gets no points, however play goes"),
        (true, most) => format!(
            "{role} never gets more than {most} points, however play goes; the objective `points` asks for its expected points"
        ),
    };
    Some(Never {
        because,
        most_points,
        needs,
    })
}

/// From a sentence that can never hold to a condition that keeps it from that, as far as only one rule gives each.
fn chain(game: &Game, domains: &Domains, first: Sentence, rule: Option<&Rule>) -> Vec<Sentence> {
    let mut chain = vec![first];
    let mut rule = rule.cloned();
    while chain.len() < MAX_CHAIN {
        let key = chain[chain.len() - 1].key();
        let mut rules = (game.rules().iter()).filter(|rule| rule.head.key() == key);
        let given = match rule.take() {
            Some(rule) => rule,
            None => match (rules.next(), rules.next()) {
                (Some(rule), None) => rule.clone(),
                _ => break,
            },
        };
        let Some(sentence) = positive(&given).find(|sentence| !domains.may_hold([*sentence]))
        else {
            break;
        };
        chain.push(sentence.clone());
    }
    chain
}

fn because(needs: &[Vec<Sentence>]) -> String {
    let chains = needs.iter().take(MAX_NEEDS).map(|chain| {
        let quoted: Vec<String> = chain.iter().map(|it| format!("`{it}`")).collect();
        match &quoted[..] {
            [first, others @ ..] if !others.is_empty() => format!(
                "{first} needs {}, which nothing makes true",
                others.join(", which needs ")
            ),
            first => format!("the conditions of {} never hold together", first.concat()),
        }
    });
    let mut chains: Vec<String> = chains.collect();
    if let more @ 1.. = needs.len().saturating_sub(MAX_NEEDS) {
        chains.push(format!("and {more} more"));
    }
    format!(
        "no play reaches this, even if all roles and chance help: {}",
        chains.join("; ")
    )
}

/// The rule with a constant in place of a variable.
fn with(rule: &Rule, variable: &Name, constant: &Name) -> Rule {
    let mut rule = rule.clone();
    rule.change_terms(&mut |term| {
        if matches!(term, Term::Variable(name) if name == variable) {
            *term = Term::Constant(constant.clone());
        }
    });
    rule
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use generators::rows;

    const GAME: &str = "(role x) (role o) (init (score x 0)) (init (turn x))
        (succ 0 1) (succ 1 2) (<= (legal ?p wait) (role ?p)) (<= (legal ?p add) (true (turn ?p)))
        (<= (next (score x ?n)) (true (score x ?m)) (does x add) (succ ?m ?n))
        (<= (next (turn ?p)) (true (turn ?p)))";

    fn why(rules: &str, objective: Objective) -> Option<String> {
        let text = format!("{GAME} {rules}");
        let reading = crate::game::read("test", text.as_bytes(), &Options::default());
        let game = reading.unwrap_or_else(|refused| panic!("{refused}")).game;
        never(&game, &Name::new("x"), objective).map(|never| never.because)
    }

    #[test]
    fn what_no_play_reaches_is_told_with_its_condition() {
        let ends = "(<= terminal (true (score x 2)))";
        for [rules, expected] in rows(
            r"
                (<= (goal ?p 100) (wins ?p)) (<= (wins ?p) (true (scor ?p 15))) => \
                    `(goal x 100)` needs `(wins x)`, which needs `(true (scor ?p 15))`, which nothing makes true
                (<= (goal x 100) (true (score x 3))) => needs `(true (score x 3))`
                (<= (goal x 100) (true (score x 2))) =>
                // A relation without arguments, and one that two rules could give.
                (<= (goal x 100) won) (<= won (true (trun x))) => needs `won`, which needs `(true (trun x))`
                (<= (goal x 100) won) (<= won (true a)) (<= won (true b)) => `(goal x 100)` needs `won`, which nothing makes true
                (<= (goal x 100) won) (<= won (true a)) (<= won (true (turn x))) =>
                // A condition of others' moves, and one that is negated.
                (<= (next done) (does o ad)) (<= (goal x 100) (true done)) => needs `(true done)`
                (<= (goal x 100) (not (true (turn o)))) =>
                (<= (goal x 100) (not (true (turn x)))) =>
                (goal x 50) (<= (goal x 70) (true (turn x))) => x never gets more than 70 points
                (<= (goal x ?n) (true (score x ?n))) => x never gets more than 2 points
                (goal x 0) => x gets no points
                (<= (goal x 100) (true (score x ?n)) (true (turn ?n))) => the conditions of `(goal x 100)` never hold together
                ",
        ) {
            let text = format!("{ends} (goal o 0) (goal x 0) {rules}");
            let found = why(&text, Objective::Win).unwrap_or_default();
            let is_right = found.contains(&expected) && found.is_empty() == expected.is_empty();
            assert!(is_right, "{rules}: {found}");
        }
        let found = why(
            "(goal x 50) (goal o 50) (<= terminal (true (score o 1)))",
            Objective::Points,
        );
        let found = found.expect("play does not end");
        assert!(
            found.contains("`terminal` needs `(true (score o 1))`"),
            "{found}"
        );
        let ends = format!("{ends} (goal x 50) (goal o 50)");
        assert_eq!(why(&ends, Objective::Points), None);
        assert_eq!(why(&ends, Objective::GoalAtLeast(50.into())), None);
        assert!(why(&ends, Objective::GoalAtLeast(51.into())).is_some());
    }
}
