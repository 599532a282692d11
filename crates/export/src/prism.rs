//! The explicit files of PRISM and PRISM-games: transitions (`.tra`), states (`.sta`), labels (`.lab`) and rewards
//! (`.srew`).
//!
//! PRISM reads fractions in its exact mode (`-exact`), and decimal numbers without it. Games it solves with decimal numbers only.

use crate::Part;
use crate::actions::Actions;
use crate::error::ExportError;
use crate::node::{About, Counts, Kind, Node, Sink};
use ::umb::{NumberForm, Spool};
use rustc_hash::FxHashMap;
use std::io::{self, Write};

/// The files under construction.
pub(crate) struct Prism {
    about: About,
    numbers: NumberForm,
    next: u64,
    transitions: Spool,
    states: Spool,
    labels: Spool,
    rewards: Spool,
    rewarded: u64,
}

/// The text as an identifier of PRISM: letters, digits and `_`.
fn identifier(text: &str) -> String {
    let text = text.trim_matches(|c| c == '(' || c == ')');
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name
    } else {
        format!("_{name}")
    }
}

/// Identifiers for texts; those that would be the same get numbers.
fn identifiers(texts: &[String]) -> Vec<String> {
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    let mut all = Vec::with_capacity(texts.len());
    for text in texts {
        let name = identifier(text);
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        all.push(match *count {
            1 => name,
            count => format!("{name}__{count}"),
        });
    }
    all
}

/// A decimal number has the fewest digits that give the same floating-point number again.
fn write_number(
    to: &mut Spool,
    numbers: NumberForm,
    (numerator, denominator): (u64, u64),
) -> io::Result<()> {
    match numbers {
        _ if denominator == 1 => write!(to, "{numerator}"),
        NumberForm::Fractions => write!(to, "{numerator}/{denominator}"),
        NumberForm::Decimals => write!(to, "{}", numerator as f64 / denominator as f64),
    }
}

impl Prism {
    pub(crate) fn new(about: About, numbers: NumberForm) -> Result<Self, ExportError> {
        let mut names = vec!["made__".to_owned(), "over__".to_owned()];
        if about.counts_steps {
            names.push("steps__".to_owned());
        }
        names.extend(identifiers(&about.facts));
        let mut states = Spool::new()?;
        writeln!(states, "({})", names.join(","))?;
        Ok(Prism {
            about,
            numbers,
            next: 0,
            transitions: Spool::new()?,
            states,
            labels: Spool::new()?,
            rewards: Spool::new()?,
            rewarded: 0,
        })
    }

    fn write_state(&mut self, node: &Node<'_>) -> io::Result<()> {
        let made = node.made.map_or(0, |action| action + 1);
        let over = node.kind == Kind::Over;
        write!(self.states, "{}:({made},{over}", self.next)?;
        if self.about.counts_steps {
            write!(self.states, ",{}", node.steps)?;
        }
        for index in 0..self.about.facts.len() {
            let holds = node.facts[index / 64] >> (index % 64) & 1 == 1;
            write!(self.states, ",{holds}")?;
        }
        writeln!(self.states, ")")
    }

    fn write_label(&mut self, node: &Node<'_>) -> io::Result<()> {
        let mut labels = Vec::new();
        if self.next == 0 {
            labels.push(" 0");
        }
        if let Kind::Terminal(points) = node.kind {
            if self.about.wins(points) {
                labels.push(" 2");
            }
            labels.push(" 3");
            if points > 0 {
                write!(self.rewards, "{} ", self.next)?;
                write_number(&mut self.rewards, self.numbers, About::score(points))?;
                writeln!(self.rewards)?;
                self.rewarded += 1;
            }
        }
        if labels.is_empty() {
            Ok(())
        } else {
            writeln!(self.labels, "{}:{}", self.next, labels.concat())
        }
    }
}

impl Sink for Prism {
    fn node(&mut self, node: &Node<'_>, actions: &Actions) -> Result<(), ExportError> {
        self.write_state(node)?;
        self.write_label(node)?;
        let (number, players) = (self.next, self.about.players.len());
        let player = self.about.player(node.kind);
        let to = &mut self.transitions;
        for (index, (choice, branches)) in node.choices().enumerate() {
            let action = identifier(&actions.names()[choice.action as usize]);
            for branch in branches {
                match players {
                    0 => write!(to, "{number}")?,
                    1 => write!(to, "{number} {index}")?,
                    _ => write!(to, "{number}:{player} {index}")?,
                }
                let (numerator, denominator) = branch.probability(choice.total);
                write!(to, " {} ", branch.target)?;
                write_number(to, self.numbers, (numerator, denominator))?;
                match players {
                    0 => writeln!(to)?,
                    _ => writeln!(to, " {action}")?,
                }
            }
        }
        self.next += 1;
        Ok(())
    }

    fn finish(self: Box<Self>, _: &Actions, counts: Counts) -> Result<Vec<Part>, ExportError> {
        let Counts {
            states,
            choices,
            branches,
        } = counts;
        let sizes = match self.about.players.len() {
            0 => format!("{states} {branches}\n"),
            1 => format!("{states} {choices} {branches}\n"),
            players => format!("{states}:{players} {choices} {branches}\n"),
        };
        let labels = "0=\"init\" 1=\"deadlock\" 2=\"win\" 3=\"terminal\"\n".to_owned();
        let rewarded = self.rewarded;
        let rewards =
            format!("# Reward structure \"score\"\n# State rewards\n{states} {rewarded}\n");
        let part = |ending, head: String, rest: Spool| {
            Part::new(Some(ending), move |to: &mut dyn Write| {
                to.write_all(head.as_bytes())?;
                rest.copy_to(to)
            })
        };
        Ok(vec![
            part("tra", sizes, self.transitions),
            part("sta", String::new(), self.states),
            part("lab", labels, self.labels),
            part("srew", rewards, self.rewards),
        ])
    }
}
