//! UMB: facts are variables of states, with the steps left and the role's move where it waits for a reply.

use crate::WriteOnce;
use crate::actions::Actions;
use crate::error::ExportError;
use crate::node::{FileSink, GraphHeader, Kind, Node, Sink};
use ::umb::{Header, NumberForm, StateRow, Variable, Writer};

/// The bits of labels.
const WIN: u64 = 1;
const TERMINAL: u64 = 2;

/// A file under construction.
pub(crate) struct Umb {
    about: GraphHeader,
    writer: Writer,
    valuation: Vec<u8>,
}

impl Umb {
    pub(crate) fn new(about: GraphHeader, numbers: NumberForm) -> Result<Self, ExportError> {
        let mut variables = Vec::new();
        if about.counts_steps {
            variables.push(Variable::Number("steps".to_owned()));
        }
        variables.push(Variable::Number("made".to_owned()));
        variables.extend(about.facts.iter().cloned().map(Variable::Bool));
        variables.push(Variable::Bool("over".to_owned()));
        let header = Header {
            description: format!(
                "The game {} for {} (objective {}). Variables: the facts; `made`, 1 + the number of the action that \
                 {1} has chosen, where its opponents still have to reply; `over`, after the end. Label `win`: a terminal \
                 state that counts; reward `score`: points / 100",
                about.name, about.names[0], about.objective
            ),
            players: about.player_names(),
            labels: vec!["win".to_owned(), "terminal".to_owned()],
            reward: Some("score".to_owned()),
            numbers,
            variables,
            ..Header::new(&about.name, &[])
        };
        Ok(Umb {
            valuation: vec![0; header.valuation_bytes()],
            writer: Writer::new(header)?,
            about,
        })
    }

    fn fill(&mut self, node: &Node<'_>) {
        let bytes = &mut self.valuation;
        bytes.fill(0);
        let mut start = 0;
        if self.about.counts_steps {
            bytes[..4].copy_from_slice(&node.steps.to_le_bytes());
            start = 4;
        }
        let made = node.made.map_or(0, |action| action + 1);
        bytes[start..start + 4].copy_from_slice(&made.to_le_bytes());
        start += 4;
        let facts = node.facts.iter().flat_map(|word| word.to_le_bytes());
        for (to, byte) in bytes[start..].iter_mut().zip(facts) {
            *to = byte;
        }
        if node.kind == Kind::Over {
            let index = self.about.facts.len();
            bytes[start + index / 8] |= 1 << (index % 8);
        }
    }
}

impl Sink for Umb {
    fn node(&mut self, node: &Node<'_>, _: &Actions) -> Result<(), ExportError> {
        self.fill(node);
        let (labels, reward) = match node.kind {
            Kind::Terminal(points) => {
                let wins = if self.about.wins(points) { WIN } else { 0 };
                (TERMINAL | wins, GraphHeader::score(points)?)
            }
            _ => (0, (0, 1)),
        };
        self.writer.state(&StateRow {
            player: self.about.player(node.kind),
            labels,
            valuation: &self.valuation,
            reward,
        })?;
        for (choice, branches) in node.choices() {
            self.writer.choice(choice.action)?;
            for branch in branches {
                let (numerator, denominator) = branch.probability(choice.total);
                let target = u64::from(branch.target);
                self.writer.branch(target, numerator, denominator)?;
            }
        }
        Ok(())
    }
}

impl FileSink for Umb {
    fn finish(self: Box<Self>, actions: &Actions) -> Result<WriteOnce, ExportError> {
        let actions = actions.names().to_vec();
        Ok(Box::new(move |to| {
            self.writer.finish(&actions, to).map(drop)
        }))
    }
}
