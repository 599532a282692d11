//! A strategy for people to read: the role's moves in short, as a decision tree, then every position with the moves in it.
//!
//! ```text
//! What guest does:
//!
//! 1. with 4 steps left, worth 66.6667 % (2/3)
//!    in  (at start)
//!    do  (choose 1)
//! ```

use super::decision_tree::write_decision_tree;
use super::policy::{Heading, Position, Strategy};
use gdl::Term;
use gdl::game::Objective;
use num_rational::BigRational;
use std::io::{self, Write};

/// The width that lists of facts are broken at.
const WIDTH: usize = 100;

/// Writes a strategy as text.
pub fn write_text(strategy: &Strategy, to: &mut dyn Write) -> io::Result<()> {
    let heading = &strategy.heading;
    writeln!(to, "{}, and no more.", promise(heading))?;
    write_decision_tree(strategy, to)?;
    let unit = heading.objective.unit();
    write!(to, "\nWhat {} does:\n", heading.role)?;
    for (index, decision) in strategy.player.iter().enumerate() {
        write_position(
            strategy,
            index,
            &decision.position,
            decision.value.as_ref(),
            to,
        )?;
        writeln!(to, "   do  {}", strategy.terms.term(decision.action))?;
    }
    if heading.opponents().next().is_none() {
        return Ok(());
    }
    let names: Vec<&str> = heading.opponents().map(|role| role.as_str()).collect();
    write!(to, "\nHow {} can answer:\n", names.join(" and "))?;
    for (index, response) in strategy.opponents.iter().enumerate() {
        write_position(
            strategy,
            index,
            &response.position,
            response.value.as_ref(),
            to,
        )?;
        for answer in &response.answers {
            let reply = answer.reply.iter().zip(&names);
            let moves = reply.map(|(&action, role)| {
                let action = strategy.terms.term(action);
                match names.len() {
                    1 => action.to_string(),
                    _ => format!("{role} {action}"),
                }
            });
            let moves: Vec<String> = moves.collect();
            let action = strategy.terms.term(answer.action);
            let worth = answer.value.as_ref();
            let worth = worth.map_or(String::new(), |value| {
                format!(", worth {}", unit.text(value))
            });
            writeln!(to, "   to  {action}  answer  {}{worth}", moves.join(", "))?;
        }
    }
    Ok(())
}

/// The value that a strategy guarantees, as the beginning of a sentence.
pub(crate) fn promise(heading: &Heading) -> String {
    let goal = match heading.objective {
        Objective::Win => "to win with probability".to_owned(),
        Objective::GoalAtLeast(points) => format!("to get {points} points with probability"),
        Objective::Score => "this part of 100 points on average:".to_owned(),
        Objective::Points => "these expected points:".to_owned(),
    };
    let within = match heading.depth {
        Some(steps) => format!("within {steps} {}", steps_word(steps)),
        None => "without a step limit".to_owned(),
    };
    let value = heading.objective.unit().text(&heading.value);
    let (game, role) = (&heading.game, &heading.role);
    format!("{game}: {role} can guarantee {goal} {value} {within}")
}

fn write_position(
    strategy: &Strategy,
    index: usize,
    position: &Position,
    value: Option<&BigRational>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let steps = position
        .steps
        .map(|steps| format!("with {steps} {} left", steps_word(steps)));
    let unit = strategy.heading.objective.unit();
    let worth = value.map(|value| format!("worth {}", unit.text(value)));
    let said: Vec<String> = steps.into_iter().chain(worth).collect();
    let number = format!("{}. {}", index + 1, said.join(", "));
    writeln!(to, "\n{}", number.trim_end())?;
    let facts = strategy.terms.terms(&position.facts);
    if facts.is_empty() {
        return writeln!(to, "   in  the state without facts");
    }
    for (number, line) in broken(&facts).into_iter().enumerate() {
        let margin = if number == 0 { "in" } else { "  " };
        writeln!(to, "   {margin}  {line}")?;
    }
    Ok(())
}

fn steps_word(steps: u32) -> &'static str {
    if steps == 1 { "step" } else { "steps" }
}

/// Terms in lines, sorted by text.
fn broken(terms: &[Term]) -> Vec<String> {
    let mut texts: Vec<String> = terms.iter().map(Term::to_string).collect();
    texts.sort_unstable();
    let mut lines = vec![String::new()];
    for text in texts {
        let last = lines.last_mut().expect("there is a line");
        if last.is_empty() {
            *last = text;
        } else if last.len() + 1 + text.len() <= WIDTH {
            last.push(' ');
            last.push_str(&text);
        } else {
            lines.push(text);
        }
    }
    lines
}
