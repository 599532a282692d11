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
use super::mixed::MixedStrategy;
use super::policy::{Heading, Position, Strategy};
use super::table::{TermNumber, TermTable};
use gdl::Term;
use gdl::game::{Aim, Objective, StepAim, Unit};
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
        let value = decision.value.as_ref();
        write_position(
            (heading, &strategy.terms),
            index,
            &decision.position,
            value,
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
        let value = response.value.as_ref();
        write_position(
            (heading, &strategy.terms),
            index,
            &response.position,
            value,
            to,
        )?;
        for answer in &response.answers {
            let moves = joint_move(&answer.reply, &names, &strategy.terms);
            let action = strategy.terms.term(answer.action);
            let worth = answer.value.as_ref();
            let worth = worth.map_or(String::new(), |value| {
                format!(", worth {}", unit.text(value))
            });
            writeln!(to, "   to  {action}  answer  {moves}{worth}")?;
        }
    }
    Ok(())
}

/// Writes a strategy of moves at the same time as text: the mixtures of both sides.
pub fn write_mixtures(strategy: &MixedStrategy, to: &mut dyn Write) -> io::Result<()> {
    let heading = &strategy.heading;
    let unit = heading.objective.unit();
    let most = match strategy.upper == heading.value {
        true => "no more".to_owned(),
        false => format!("no more than {}", unit.text(&strategy.upper)),
    };
    writeln!(to, "{}, and {most}.", promise(heading))?;
    let own = vec![heading.role.as_str()];
    let others: Vec<&str> = heading.opponents().map(|role| role.as_str()).collect();
    for (names, mixings) in [(own, &strategy.player), (others, &strategy.opponents)] {
        if mixings.is_empty() {
            continue;
        }
        let does = if names.len() == 1 { "does" } else { "do" };
        writeln!(to, "\nWhat {} {does}:", names.join(" and "))?;
        for (index, mixing) in mixings.iter().enumerate() {
            let (about, value) = ((heading, &strategy.terms), mixing.value.as_ref());
            write_position(about, index, &mixing.position, value, to)?;
            let choices = mixing.choices.iter();
            let moves = choices.map(|(moves, _)| joint_move(moves, &names, &strategy.terms));
            let moves: Vec<String> = moves.collect();
            let width = moves.iter().map(|text| text.chars().count()).max();
            let width = width.unwrap_or(0);
            for (number, (text, (_, share))) in moves.iter().zip(&mixing.choices).enumerate() {
                let margin = if number == 0 { "do" } else { "or" };
                let share = Unit::Percent.text(share);
                writeln!(to, "   {margin}  {text:width$}  with {share}")?;
            }
        }
    }
    Ok(())
}

/// Moves of roles, with their names if they are several.
fn joint_move(moves: &[TermNumber], names: &[&str], terms: &TermTable) -> String {
    let each = moves.iter().zip(names).map(|(&action, role)| {
        let action = terms.term(action);
        match names.len() {
            1 => action.to_string(),
            _ => format!("{role} {action}"),
        }
    });
    each.collect::<Vec<String>>().join(", ")
}

/// The value that a strategy guarantees, as the beginning of a sentence.
pub(crate) fn promise(heading: &Heading) -> String {
    let objective = match heading.objective {
        Aim::Payoff(objective) => Ok(objective),
        Aim::Steps(aim) => Err(aim),
    };
    let goal = match objective {
        Err(StepAim::Fewest) => "to end play after this number of steps on average:".to_owned(),
        Err(StepAim::Most) => "to make play last this number of steps on average:".to_owned(),
        Ok(Objective::Win) => "to win with probability".to_owned(),
        Ok(Objective::GoalAtLeast(points)) => format!("to get {points} points with probability"),
        Ok(Objective::Score) => "this part of 100 points on average:".to_owned(),
        Ok(Objective::Points) => "these expected points:".to_owned(),
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
    (heading, terms): (&Heading, &TermTable),
    index: usize,
    position: &Position,
    value: Option<&BigRational>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let steps = position
        .steps
        .map(|steps| format!("with {steps} {} left", steps_word(steps)));
    let unit = heading.objective.unit();
    let worth = value.map(|value| format!("worth {}", unit.text(value)));
    let said: Vec<String> = steps.into_iter().chain(worth).collect();
    let number = format!("{}. {}", index + 1, said.join(", "));
    writeln!(to, "\n{}", number.trim_end())?;
    let facts = terms.terms(&position.facts);
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
