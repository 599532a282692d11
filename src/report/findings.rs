//! Findings about properties.

use super::{Report, ReportEnd};
use gdl::{Term, texts};
use limits::StopReason;
use prove::{Counterexample, Finding, Property, Verdict, Witness};
use serde::{Serialize, Serializer};

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

/// An array with one object for each property.
impl Serialize for ProofReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.findings.iter().map(FindingView::from))
    }
}

impl Report for ProofReport {
    fn text(&self) -> String {
        let texts: Vec<String> = self.findings.iter().map(finding_text).collect();
        texts.join("\n")
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
    let joint = joint_moves.iter();
    let joint = joint.map(|moves| format!("({})", joined(moves)));
    joint.collect::<Vec<_>>().join(" ")
}

fn joined(terms: &[Term]) -> String {
    texts(terms).join(" ")
}

/// One object for a property.
#[derive(Default, Serialize)]
struct FindingView<'a> {
    property: String,
    verdict: &'static str,
    using: &'a [String],
    witness: Option<WitnessView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tried: Option<&'a [String]>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WitnessView<'a> {
    Play(&'a Witness),
    Step(&'a Counterexample),
}

impl<'a> From<&'a Finding> for FindingView<'a> {
    fn from(finding: &'a Finding) -> Self {
        let mut view = FindingView {
            property: finding.property.to_string(),
            verdict: finding.verdict.word(),
            ..FindingView::default()
        };
        match &finding.verdict {
            Verdict::Proved(proof) => {
                view.using = &proof.using;
                (view.steps, view.method) = (Some(proof.steps), Some(proof.method));
            }
            Verdict::Refuted(witness) => view.witness = Some(WitnessView::Play(witness)),
            Verdict::NotInductive(step) => view.witness = Some(WitnessView::Step(step)),
            Verdict::Unknown(tried) => view.tried = Some(tried),
        }
        view
    }
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
            say(format!("in {{{}}}", joined(&witness.state)));
        }
        Verdict::NotInductive(step) => {
            say(format!("from {{{}}}", joined(&step.state)));
            say(format!("by ({})", joined(&step.joint_move)));
            say(format!("to {{{}}}", joined(&step.next)));
            say(format!("which violates {}", step.violated));
        }
        Verdict::Unknown(tried) => tried.iter().for_each(|tried| say(format!("tried {tried}"))),
    }
    lines.join("\n")
}
