//! A strategy as a graph for Graphviz: positions, and how each side's strategy leads from one to the
//! next.
//!
//! One cluster shows the role's side, with an edge for each joint answer of the opponents; the
//! other shows the opponents' side, with an edge for each move of the role. An outcome of chance is a
//! probability on the edge. Positions in which play is over have a double border.

use super::outcome::{EarlyEnd, Side, VerifyError};
use super::policy::{Decision, Response, Strategy};
use super::walk::{Kind, Walk};
use gdl::game::Game;
use limits::Limits;
use num_rational::BigRational;
use rules::Reasoner;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Why there is no graph.
#[derive(Debug, thiserror::Error)]
pub enum DotError {
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] VerifyError),
    /// The strategy gives no move in a position that can be reached, or its move is
    /// against the rules.
    #[error("the strategy cannot be drawn, since it is wrong; `sqasp verify` says where")]
    Wrong,
    /// Writing failed.
    #[error("cannot write the graph: {0}")]
    Io(#[from] io::Error),
}

/// Writes a strategy as a graph in the language of Graphviz. The game tells which position follows
/// which.
///
/// # Errors
/// See [`DotError`].
pub fn write_dot(strategy: &Strategy, game: &Game, to: &mut dyn Write) -> Result<(), DotError> {
    let mut reasoner = Reasoner::new(game).map_err(VerifyError::from)?;
    let heading = &strategy.heading;
    writeln!(to, "digraph strategy {{")?;
    writeln!(
        to,
        "  node [shape=box, fontname=\"monospace\", fontsize=9];"
    )?;
    writeln!(to, "  edge [fontname=\"monospace\", fontsize=9];")?;
    let role = format!("{}: {} {}", heading.game, heading.role, heading.value);
    cluster(strategy, Side::Role, &role, &mut reasoner, to)?;
    if heading.opponents().next().is_some() {
        let names: Vec<&str> = heading.opponents().map(|role| role.as_str()).collect();
        let title = format!("{}: {}", heading.game, names.join(", "));
        cluster(strategy, Side::Opponents, &title, &mut reasoner, to)?;
    }
    writeln!(to, "}}")?;
    Ok(())
}

fn cluster(
    strategy: &Strategy,
    side: Side,
    title: &str,
    reasoner: &mut Reasoner,
    to: &mut dyn Write,
) -> Result<(), DotError> {
    let limits = Limits::default();
    let mut walk = Walk::new(reasoner, strategy, side, &limits).map_err(from_cut)?;
    walk.explore().map_err(from_cut)?;
    let mark = match side {
        Side::Role => 'p',
        Side::Opponents => 'o',
    };
    writeln!(to, "  subgraph cluster_{mark} {{")?;
    writeln!(to, "    label={};", quoted(title))?;
    for number in 0..walk.nodes.len() {
        let facts = walk.facts(number as u32);
        let node = &walk.nodes[number];
        let mut label = String::new();
        for fact in facts {
            let _ = writeln!(label, "{fact}");
        }
        let border = match &node.kind {
            Kind::Leaf(value) => {
                let _ = write!(label, "worth {value}");
                ", peripheries=2"
            }
            Kind::Inner { entry, .. } => {
                let left = node.steps.map(|steps| format!("{steps} left"));
                label.push_str(left.as_deref().unwrap_or("play goes on"));
                if let Some(entry) = entry {
                    label.push_str(&advice(strategy, side, *entry as usize));
                }
                ""
            }
            Kind::New => unreachable!("every node was looked at"),
        };
        let label = quoted(&label).replace("\\n", "\\l");
        writeln!(to, "    {mark}{number} [label={label}{border}];")?;
    }
    for number in 0..walk.nodes.len() {
        let Kind::Inner { groups, .. } = &walk.nodes[number].kind else {
            continue;
        };
        let groups = groups.start as usize..groups.end as usize;
        let labels = walk.group_labels(number as u32).map_err(from_cut)?;
        for (group, label) in walk.groups[groups].iter().zip(labels) {
            let successors = &walk.successors[group.successors.clone()];
            let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
            for &next in successors {
                *counts.entry(next).or_default() += 1;
            }
            for (&next, &count) in &counts {
                let mut label = label.clone();
                if counts.len() > 1 {
                    let chance = BigRational::new(count.into(), successors.len().into());
                    let separator = if label.is_empty() { "" } else { ", " };
                    let _ = write!(label, "{separator}chance {chance}");
                }
                let label = quoted(&label);
                writeln!(to, "    {mark}{number} -> {mark}{next} [label={label}];")?;
            }
        }
    }
    writeln!(to, "  }}")?;
    Ok(())
}

/// The label of a position: its value, and on the role's side its move.
fn advice(strategy: &Strategy, side: Side, entry: usize) -> String {
    let (value, action) = match side {
        Side::Role => {
            let Decision { action, value, .. } = &strategy.player[entry];
            (value, Some(strategy.terms.term(*action)))
        }
        Side::Opponents => {
            let Response { value, .. } = &strategy.opponents[entry];
            (value, None)
        }
    };
    let mut text = String::new();
    if let Some(value) = value {
        let _ = write!(text, ", worth {value}");
    }
    if let Some(action) = action {
        let _ = write!(text, "\n{action}\n");
    }
    text
}

fn from_cut(cut: EarlyEnd) -> DotError {
    match cut {
        EarlyEnd::Failed(error) => error.into(),
        // There are no limits, so nothing was stopped.
        EarlyEnd::Refused(_) | EarlyEnd::Stopped(_) => DotError::Wrong,
    }
}

/// A string of the language.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}
