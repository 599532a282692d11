//! Verdicts about properties as text and as JSON.

use gdl::Term;
use prove::{Finding, Verdict};
use serde_json::{Value, json};

fn texts(terms: &[Term]) -> Vec<String> {
    terms.iter().map(Term::to_string).collect()
}

/// Joint moves as `--after` reads them.
pub fn moves_text(joint_moves: &[Vec<Term>]) -> String {
    let joint: Vec<String> = joint_moves
        .iter()
        .map(|moves| format!("({})", texts(moves).join(" ")))
        .collect();
    joint.join(" ")
}

/// One object for a property.
pub fn finding_json(finding: &Finding) -> Value {
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
pub fn finding_text(finding: &Finding) -> String {
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
