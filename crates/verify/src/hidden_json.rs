//! Strategies for games of hidden information as JSON text, with one information on each line (`docs/hidden.md`), and the role's side
//! as a tree for people.

use super::hidden::{Choice, HiddenStrategy, Information};
use super::read::{ReadError, Reader, Wrong, parsed};
use super::shape::{WrittenBounds, WrittenChoice, WrittenNext};
use super::table::TermTable;
use super::text::promise;
use super::write::{fraction, texts, write_sides};
use gdl::{Name, Term};
use std::io::{self, Write};

/// The text in the field `format`.
pub(super) const HIDDEN_FORMAT: &str = "sqasp-hidden-strategy";

pub(super) fn read_hidden(text: &[u8]) -> Result<HiddenStrategy, ReadError> {
    let written: WrittenBounds<'_, Vec<WrittenChoice<'_>>> = parsed(text)?;
    let mut reader = Reader::default();
    let heading = reader.heading(&written.heading)?;
    let upper = reader.value(&written.upper.0)?;
    let coalition = written
        .coalition
        .iter()
        .map(|name| Name::new(&name.to_lowercase()));
    let coalition: Vec<Name> = coalition.collect();
    if let Some(other) = coalition
        .iter()
        .find(|name| heading.opponents().all(|role| role != *name))
    {
        return Err(Wrong::new("coalition", format!("{other} is no opponent")).into());
    }
    let information = |reader: &mut Reader, written: &Vec<WrittenChoice<'_>>| {
        let choices = written.iter().map(|choice| choice_of(reader, choice));
        let choices = choices.collect::<Result<_, _>>()?;
        Ok(Information { choices })
    };
    let player = reader.side("player", &written.player, information)?;
    let opponents = reader.side("opponents", &written.opponents, information)?;
    Ok(HiddenStrategy {
        heading,
        upper,
        coalition,
        terms: reader.terms,
        player,
        opponents,
    })
}

fn choice_of(reader: &mut Reader, written: &WrittenChoice<'_>) -> Result<Choice, Wrong> {
    let mut next = Vec::with_capacity(written.next.len());
    for WrittenNext { sees, then } in &written.next {
        next.push((reader.facts("sees", sees)?, *then));
    }
    Ok(Choice {
        moves: reader.facts("moves", &written.moves)?,
        share: reader.share(&written.probability)?,
        next,
    })
}

/// Writes a strategy as JSON.
pub fn write_hidden(strategy: &HiddenStrategy, to: &mut dyn Write) -> io::Result<()> {
    let coalition: Vec<&str> = strategy.coalition.iter().map(Name::as_str).collect();
    let coalition = serde_json::to_string(&coalition)?;
    let more = format!(
        ",\"upper\":\"{}\",\"coalition\":{coalition}",
        strategy.upper
    );
    let choices = |information: &Information| -> Vec<_> {
        let choices = information.choices.iter();
        choices
            .map(|choice| written_choice(&strategy.terms, choice))
            .collect()
    };
    write_sides(
        HIDDEN_FORMAT,
        &strategy.heading,
        &more,
        strategy.player.iter().map(choices),
        strategy.opponents.iter().map(choices),
        to,
    )
}

fn written_choice<'a>(terms: &'a TermTable, choice: &Choice) -> WrittenChoice<'a> {
    let next = choice.next.iter().map(|(sees, then)| WrittenNext {
        sees: texts(terms, sees),
        then: *then,
    });
    WrittenChoice {
        moves: texts(terms, &choice.moves),
        probability: fraction(&choice.share),
        next: next.collect(),
    }
}

/// Writes the role's side as a tree: its moves, and indented below each the things that it can see then.
pub fn write_tree(strategy: &HiddenStrategy, to: &mut dyn Write) -> io::Result<()> {
    let heading = &strategy.heading;
    let no_more = if heading.value == strategy.upper {
        ", and no more"
    } else {
        ""
    };
    writeln!(to, "{}{no_more}.", promise(heading))?;
    let mut told = vec![false; strategy.player.len()];
    // The informations to tell, the next one last: each with its depth and the things that led there.
    let mut open: Vec<(usize, String, u32)> = Vec::new();
    open.extend((!told.is_empty()).then_some((0, String::new(), 0)));
    while let Some((depth, before, number)) = open.pop() {
        let margin = "  ".repeat(depth);
        let Some(information) = strategy.player.get(number as usize) else {
            continue;
        };
        if std::mem::replace(&mut told[number as usize], true) && !information.choices.is_empty() {
            writeln!(to, "{margin}{before}as in {}", number + 1)?;
            continue;
        }
        let name = |numbers: &[u32]| {
            let terms = strategy.terms.terms(numbers);
            terms
                .iter()
                .map(Term::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let choices = information.choices.iter();
        let moves: Vec<String> = match &information.choices[..] {
            [only] => vec![name(&only.moves)],
            _ => choices
                .map(|choice| format!("{} {}", name(&choice.moves), choice.share))
                .collect(),
        };
        writeln!(to, "{margin}{before}{}. {}", number + 1, moves.join(", "))?;
        for choice in information.choices.iter().rev() {
            let after = match information.choices.len() {
                1 => String::new(),
                _ => format!("after {} ", name(&choice.moves)),
            };
            for (sees, then) in choice.next.iter().rev() {
                let sees = if sees.is_empty() {
                    "nothing".to_owned()
                } else {
                    name(sees)
                };
                open.push((depth + 1, format!("{after}sees {sees}: "), *then));
            }
        }
    }
    Ok(())
}
