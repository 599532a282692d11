//! Findings about properties as text and as JSON.

use super::{Report, ReportEnd};
use gdl::{Term, texts};
use limits::StopReason;
use prove::{Finding, Property, Verdict};
use serde_json::{Value, json};

/// The findings about properties.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProofReport {
    /// The findings in the order in which they were made.
    pub findings: Vec<Finding>,
    /// Whether more time may tell more.
    pub is_cut: bool,
    /// The request to stop that ended the work.
    pub stopped: Option<StopReason>,
    /// The properties that were to be proved; all that can be if there are none.
    pub properties: Vec<Property>,
    /// The properties that were to be used.
    pub assumed: Vec<Property>,
}

impl ProofReport {
    /// Nothing yet.
    pub(crate) fn new(properties: &[Property], assumed: &[Property]) -> Self {
        ProofReport {
            findings: Vec::new(),
            is_cut: false,
            stopped: None,
            properties: properties.to_vec(),
            assumed: assumed.to_vec(),
        }
    }

    /// Adds that nothing was found about the properties that are left.
    pub(crate) fn cut_short(&mut self, reason: StopReason) {
        let properties = &self.properties;
        for property in &properties[self.findings.len().min(properties.len())..] {
            self.findings.push(Finding {
                property: property.clone(),
                verdict: Verdict::Unknown(vec![reason.to_string()]),
            });
        }
    }

    /// Whether nothing was left to find out by everything that can be proved.
    fn is_all_known(&self) -> bool {
        let is_known =
            |finding: &Finding| matches!(finding.verdict, Verdict::Proved(_) | Verdict::Refuted(_));
        let is_bound = |finding: &Finding| matches!(finding.property, Property::Terminates(_));
        self.findings.iter().all(is_known) && self.findings.iter().any(is_bound)
    }
}

impl Report for ProofReport {
    fn text(&self) -> String {
        let texts: Vec<String> = self.findings.iter().map(finding_text).collect();
        texts.join("\n")
    }

    /// An array with one object for each property.
    fn json(&self) -> String {
        Value::Array(self.findings.iter().map(finding_json).collect()).to_string()
    }

    fn ending(&self) -> ReportEnd {
        let is_unknown = |finding: &Finding| matches!(finding.verdict, Verdict::Unknown(_));
        let is_wrong = |finding: &Finding| {
            let is_assumed = self.assumed.contains(&finding.property);
            is_assumed && matches!(finding.verdict, Verdict::Refuted(_))
        };
        let is_open = self.findings.iter().any(is_unknown);
        let asks_for_all = self.properties.is_empty();
        match self.stopped {
            Some(reason) => ReportEnd::Stopped(reason),
            None if asks_for_all && self.is_cut && !self.is_all_known() => ReportEnd::Open,
            None if asks_for_all => ReportEnd::Complete,
            None if is_open && self.findings.iter().any(is_wrong) => ReportEnd::Refused,
            None if is_open => ReportEnd::Open,
            None => ReportEnd::Complete,
        }
    }
}

/// Joint moves as `--after` reads them.
fn moves_text(joint_moves: &[Vec<Term>]) -> String {
    let joint: Vec<String> = joint_moves
        .iter()
        .map(|moves| format!("({})", texts(moves).join(" ")))
        .collect();
    joint.join(" ")
}

/// One object for a property.
fn finding_json(finding: &Finding) -> Value {
    let mut object = json!({
        "property": finding.property.to_string(),
        "verdict": finding.verdict.word(),
        "using": [],
        "witness": null,
    });
    match &finding.verdict {
        Verdict::Proved(proof) => {
            object["using"] = json!(proof.using);
            object["steps"] = json!(proof.steps);
            object["method"] = json!(proof.method);
        }
        Verdict::Refuted(witness) => {
            let moves: Vec<Vec<String>> = witness.joint_moves.iter().map(|m| texts(m)).collect();
            object["witness"] = json!({
                "moves": moves,
                "state": texts(&witness.state),
                "violated": witness.violated,
            });
        }
        Verdict::NotInductive(counterexample) => {
            object["witness"] = json!({
                "state": texts(&counterexample.state),
                "move": texts(&counterexample.joint_move),
                "next": texts(&counterexample.next),
                "violated": counterexample.violated,
            });
        }
        Verdict::Unknown(tried) => object["tried"] = json!(tried),
    }
    object
}

/// A verdict for people: one line, and its explanation.
fn finding_text(finding: &Finding) -> String {
    let mut lines = vec![format!(
        "{:<14} {}",
        finding.verdict.word(),
        finding.property
    )];
    let mut say = |text: String| lines.push(format!("{:<14}   {text}", ""));
    match &finding.verdict {
        Verdict::Proved(proof) => {
            let how = match proof.steps {
                0 => "it holds in every state".to_owned(),
                1 => "by induction".to_owned(),
                steps => format!("by induction over {steps} steps"),
            };
            say(format!("{how} ({})", proof.method));
            if !proof.using.is_empty() {
                say(format!("using {}", proof.using.join("; ")));
            }
        }
        Verdict::Refuted(witness) => {
            if witness.joint_moves.is_empty() {
                say("in the initial state".to_owned());
            } else {
                say(format!("after {}", moves_text(&witness.joint_moves)));
            }
            say(format!("violates {}", witness.violated));
            say(format!("in {{{}}}", texts(&witness.state).join(" ")));
        }
        Verdict::NotInductive(counterexample) => {
            say(format!(
                "from {{{}}}",
                texts(&counterexample.state).join(" ")
            ));
            say(format!(
                "by ({})",
                texts(&counterexample.joint_move).join(" ")
            ));
            say(format!("to {{{}}}", texts(&counterexample.next).join(" ")));
            say(format!("which violates {}", counterexample.violated));
        }
        Verdict::Unknown(tried) => tried.iter().for_each(|tried| say(format!("tried {tried}"))),
    }
    lines.join("\n")
}
