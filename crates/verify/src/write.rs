//! A strategy as JSON: one object, with one position on each line.

use super::policy::{Answer, Decision, Heading, Response, Strategy};
use super::shape::{
    Depth, FORMAT, Text, UNBOUNDED, VERSION, WrittenAnswer, WrittenDecision, WrittenHeading,
    WrittenResponse,
};
use super::table::{TermNumber, TermTable};
use gdl::Term;
use num_rational::BigRational;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes a strategy as JSON (`docs/strategy-format.md`).
pub fn write_json(strategy: &Strategy, to: &mut dyn Write) -> io::Result<()> {
    let (player, opponents) = (strategy.player.iter(), strategy.opponents.iter());
    write_sides(
        FORMAT,
        &strategy.heading,
        "",
        player.map(|decision| written_decision(strategy, decision)),
        opponents.map(|response| written_response(strategy, response)),
        to,
    )
}

/// Writes a strategy in this format, with these fields more behind its heading, each of which begins with a comma.
pub(super) fn write_sides<P: Serialize, O: Serialize>(
    format: &str,
    heading: &Heading,
    more: &str,
    player: impl Iterator<Item = P>,
    opponents: impl Iterator<Item = O>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let fields = written_heading(heading)?;
    write!(
        to,
        "{{\"format\":\"{format}\",\"version\":{VERSION},\n{fields}{more},"
    )?;
    write!(to, "\n\"player\":[")?;
    write_lines(player, to)?;
    write!(to, "],\n\"opponents\":[")?;
    write_lines(opponents, to)?;
    writeln!(to, "]}}")
}

/// The fields of a heading, without braces.
pub(super) fn written_heading(heading: &Heading) -> io::Result<String> {
    let written = WrittenHeading {
        game: heading.game.clone(),
        rules_sha256: heading.rules.clone(),
        roles: heading.roles.iter().map(ToString::to_string).collect(),
        role: heading.role.to_string(),
        depth: match heading.depth {
            Some(steps) => Depth::Steps(steps),
            None => Depth::Word(UNBOUNDED.to_owned()),
        },
        objective: heading.objective.to_string(),
        start: sorted(heading.start.iter()),
        value: heading.value.to_string(),
    };
    let written = serde_json::to_string(&written)?;
    Ok(written[1..written.len() - 1].to_owned())
}

pub(super) fn write_lines<T: Serialize>(
    items: impl Iterator<Item = T>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut separator = "\n";
    for item in items {
        write!(to, "{separator}")?;
        serde_json::to_writer(&mut *to, &item)?;
        separator = ",\n";
    }
    Ok(())
}

fn written_decision<'a>(strategy: &'a Strategy, decision: &Decision) -> WrittenDecision<'a> {
    WrittenDecision {
        state: state(&strategy.terms, &decision.position.facts),
        steps: decision.position.steps,
        action: text(strategy.terms.term(decision.action)),
        value: decision.value.as_ref().map(fraction),
    }
}

fn written_response<'a>(strategy: &'a Strategy, response: &Response) -> WrittenResponse<'a> {
    let answers = response.answers.iter();
    WrittenResponse {
        state: state(&strategy.terms, &response.position.facts),
        steps: response.position.steps,
        value: response.value.as_ref().map(fraction),
        answers: answers
            .map(|answer| written_answer(strategy, answer))
            .collect(),
    }
}

fn written_answer<'a>(strategy: &'a Strategy, answer: &Answer) -> WrittenAnswer<'a> {
    let reply = strategy.heading.opponents().zip(&answer.reply);
    let reply = reply.map(|(role, &action)| (role.to_string(), text(strategy.terms.term(action))));
    WrittenAnswer {
        action: text(strategy.terms.term(answer.action)),
        reply: reply.collect(),
        value: answer.value.as_ref().map(fraction),
    }
}

pub(super) fn state<'a>(terms: &'a TermTable, facts: &[TermNumber]) -> Vec<Text<'a>> {
    sorted(facts.iter().map(|&fact| terms.term(fact)))
}

/// Terms as texts, sorted.
fn sorted<'a>(terms: impl Iterator<Item = &'a Term>) -> Vec<Text<'a>> {
    let mut texts: Vec<Text<'a>> = terms.map(text).collect();
    texts.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    texts
}

/// Terms as texts, in their order.
pub(super) fn texts<'a>(terms: &'a TermTable, numbers: &[TermNumber]) -> Vec<Text<'a>> {
    let numbers = numbers.iter();
    numbers.map(|&number| text(terms.term(number))).collect()
}

pub(super) fn text(term: &Term) -> Text<'_> {
    Text(match term {
        Term::Constant(name) => Cow::Borrowed(name.as_str()),
        term => Cow::Owned(term.to_string()),
    })
}

pub(super) fn fraction<'a>(value: &BigRational) -> Text<'a> {
    Text(Cow::Owned(value.to_string()))
}
