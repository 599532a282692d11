//! A graph for Graphviz: boxes where the role chooses, diamonds where its opponents do.

use crate::WriteOnce;
use crate::actions::Actions;
use crate::error::ExportError;
use crate::node::{FileSink, GraphHeader, Kind, Node, Sink};
use ::umb::Spool;
use std::io::{self, Write};
use verify::Side;

/// The graph under construction.
pub(crate) struct Dot {
    about: GraphHeader,
    next: u64,
    text: Spool,
}

/// The text inside quotes.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

impl Dot {
    pub(crate) fn new(about: GraphHeader) -> io::Result<Self> {
        let mut text = Spool::new()?;
        writeln!(text, "digraph \"{}\" {{", quoted(&about.name))?;
        Ok(Dot {
            about,
            next: 0,
            text,
        })
    }
}

impl Sink for Dot {
    fn node(&mut self, node: &Node<'_>, actions: &Actions) -> Result<(), ExportError> {
        let (number, to) = (self.next, &mut self.text);
        self.next += 1;
        if node.kind == Kind::Over {
            return Ok(());
        }
        let facts: Vec<String> = self.about.held(node.facts).map(quoted).collect();
        let mut label = facts.join("\\n");
        if self.about.counts_steps {
            label += &format!("\\nsteps left: {}", node.steps);
        }
        if let Some(action) = node.made {
            label += &format!("\\nmade: {}", quoted(&actions.names()[action as usize]));
        }
        let shape = match node.kind {
            Kind::Choice(Side::Role) => "box",
            Kind::Choice(Side::Opponents) => "diamond",
            Kind::Terminal(points) => {
                label += &format!("\\npoints: {points}");
                "doubleoctagon"
            }
            Kind::Cut | Kind::Over => "octagon",
        };
        writeln!(to, "  {number} [shape={shape}, label=\"{label}\"];")?;
        if matches!(node.kind, Kind::Terminal(_) | Kind::Cut) {
            return Ok(());
        }
        for (index, (choice, branches)) in node.choices().enumerate() {
            let action = quoted(&actions.names()[choice.action as usize]);
            if let [branch] = branches {
                writeln!(to, "  {number} -> {} [label=\"{action}\"];", branch.target)?;
                continue;
            }
            let chance = format!("\"{number}.{index}\"");
            writeln!(to, "  {chance} [shape=point];")?;
            writeln!(to, "  {number} -> {chance} [label=\"{action}\"];")?;
            for branch in branches {
                let (numerator, denominator) = branch.probability(choice.total);
                let target = branch.target;
                writeln!(
                    to,
                    "  {chance} -> {target} [label=\"{numerator}/{denominator}\"];"
                )?;
            }
        }
        Ok(())
    }
}

impl FileSink for Dot {
    fn finish(mut self: Box<Self>, _: &Actions) -> Result<WriteOnce, ExportError> {
        writeln!(self.text, "}}")?;
        Ok(Box::new(move |to| self.text.copy_to(to)))
    }
}
