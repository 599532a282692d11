//! Recorded play checked against the rules: does another reasoner's record agree with ours?
//!
//! A trace is text, one JSON object per line: the roles, then states of several playouts with the
//! moves made, then the terms that `base` and `input` list. Facts and moves are sorted lists of canonical
//! text, or, when long, their number and the SHA-256 of the list joined by newlines.
//!
//! ```text
//! {"type":"game","name":"switch","format":1,"roles":["x"],"forms":7}
//! {"type":"state","p":0,"i":0,"n":1,"sha256":"..","terminal":false,"legal":[["go"]],"move":["go"]}
//! {"type":"state","p":0,"i":1,"n":0,"sha256":"..","terminal":true,"legal":[[]],"goals":[["100"]]}
//! ```

use super::{Position, StateMachine};
use gdl::{Name, Term, did_you_mean, texts};
use rules::ReasonerError;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The result of a [`replay()`].
#[derive(Clone, Debug)]
pub struct Replay {
    /// The number of recorded states that were compared.
    pub states: usize,
    /// The first difference between rules and record; nothing was compared after it.
    pub difference: Option<Difference>,
}

/// A difference between rules and record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line of the trace, from 1.
    pub line: usize,
    /// The thing that differs, as `legal moves of xplayer`.
    pub what: String,
    /// The value in the trace.
    pub recorded: String,
    /// The value by the rules.
    pub derived: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "line {}: {}: recorded {}, but the rules say {}",
            self.line, self.what, self.recorded, self.derived
        )
    }
}

/// Why a trace could not be compared.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The trace is not in the format.
    #[error("line {line} of the trace: {message}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        message: String,
    },
    /// The rules could not be evaluated.
    #[error("at line {line} of the trace: {error}")]
    Rules {
        /// The line, from 1.
        line: usize,
        error: ReasonerError,
    },
}

/// Follows the moves of a trace and compares everything recorded, up to the first difference.
pub fn replay(machine: &mut StateMachine, trace: &str) -> Result<Replay, ReplayError> {
    replay_with(machine, trace, &mut |_, _| Ok(()))
}

/// A state of a trace as the rules have it.
#[derive(Clone, Copy, Debug)]
pub struct Replayed<'a> {
    /// The number of the playout, as recorded.
    pub playout: u64,
    /// The number of the state within it, as recorded.
    pub step: u64,
    pub position: &'a Position,
    /// The joint move that was made there, if play went on.
    pub joint_move: Option<&'a [Term]>,
}

/// A visitor of each state of a trace.
pub type Visitor<'a> =
    &'a mut dyn FnMut(&mut StateMachine, &Replayed<'_>) -> Result<(), ReasonerError>;

/// Like [`replay()`], and shows every state, that with the first difference included.
pub fn replay_with(
    machine: &mut StateMachine,
    trace: &str,
    visit: Visitor<'_>,
) -> Result<Replay, ReplayError> {
    let mut states = 0;
    let mut present: Option<Position> = None;
    for (index, text) in trace.lines().enumerate() {
        if text.trim().is_empty() {
            continue;
        }
        let line = Line {
            number: index + 1,
            value: serde_json::from_str(text).map_err(|error| ReplayError::Malformed {
                line: index + 1,
                message: error.to_string(),
            })?,
        };
        let difference = match line.value["type"].as_str() {
            Some("game") => line.compare_roles(machine),
            Some("state") => {
                let state = match present.take() {
                    Some(state) if line.value["i"] != 0 => state,
                    _ if line.value["i"] == 0 => line.rules(machine.initial())?,
                    _ => return Err(line.malformed("the state before it has no moves")),
                };
                let difference = line.compare_state(machine, &state)?;
                let joint_move = match difference {
                    None => line.joint_move(machine, &state)?,
                    Some(_) => None,
                };
                let number = |field: &str| line.value[field].as_u64().unwrap_or_default();
                let replayed = Replayed {
                    playout: number("p"),
                    step: number("i"),
                    position: &state,
                    joint_move: joint_move.as_deref(),
                };
                line.rules(visit(machine, &replayed))?;
                if difference.is_none() {
                    states += 1;
                }
                if let Some(joint_move) = joint_move {
                    present = Some(line.rules(machine.next(&state, &joint_move))?);
                }
                difference
            }
            Some("static") => line.compare_static(machine)?,
            Some("end") => None,
            _ => return Err(line.malformed("no known `type`")),
        };
        if difference.is_some() {
            return Ok(Replay { states, difference });
        }
    }
    Ok(Replay {
        states,
        difference: None,
    })
}

struct Line {
    number: usize,
    value: Value,
}

impl Line {
    fn malformed(&self, message: &str) -> ReplayError {
        ReplayError::Malformed {
            line: self.number,
            message: message.to_owned(),
        }
    }

    fn rules<T>(&self, result: Result<T, ReasonerError>) -> Result<T, ReplayError> {
        result.map_err(|error| ReplayError::Rules {
            line: self.number,
            error,
        })
    }

    fn difference(&self, what: String, recorded: &Value, derived: String) -> Option<Difference> {
        Some(Difference {
            line: self.number,
            what,
            recorded: recorded.to_string(),
            derived,
        })
    }

    fn compare_roles(&self, machine: &StateMachine) -> Option<Difference> {
        let roles: Vec<&str> = machine.roles().iter().map(Name::as_str).collect();
        if self.value["roles"] == Value::from(roles.clone()) {
            return None;
        }
        self.difference("roles".to_owned(), &self.value["roles"], roles.join(" "))
    }

    fn compare_state(
        &self,
        machine: &mut StateMachine,
        state: &Position,
    ) -> Result<Option<Difference>, ReplayError> {
        let facts = texts(&machine.facts(state));
        if let Some(difference) = self
            .compare_list("facts", &self.value, &facts)
            .or_else(|| self.compare_list("facts", &self.value["facts"], &facts))
        {
            return Ok(Some(difference));
        }
        let terminal = self.rules(machine.terminal(state))?;
        if self.value["terminal"] != terminal {
            let recorded = &self.value["terminal"];
            return Ok(self.difference("terminal".to_owned(), recorded, terminal.to_string()));
        }
        for (index, role) in machine.roles().to_vec().iter().enumerate() {
            let moves = texts(&self.rules(machine.legal(state, index))?);
            let what = format!("legal moves of {role}");
            let difference = self.compare_list(&what, &self.value["legal"][index], &moves);
            if difference.is_some() {
                return Ok(difference);
            }
            if self.value["goals"].is_null() {
                continue;
            }
            let goals = texts(&self.rules(machine.goals(state, index))?);
            let what = format!("goal values of {role}");
            let difference = self.compare_list(&what, &self.value["goals"][index], &goals);
            if difference.is_some() {
                return Ok(difference);
            }
        }
        Ok(None)
    }

    /// The recorded joint move; none where play ends.
    fn joint_move(
        &self,
        machine: &mut StateMachine,
        state: &Position,
    ) -> Result<Option<Vec<Term>>, ReplayError> {
        if self.value["move"].is_null() {
            return Ok(None);
        }
        let recorded = self.value["move"]
            .as_array()
            .ok_or_else(|| self.malformed("`move` is not a list"))?;
        let mut joint_move = Vec::new();
        for (index, action) in recorded.iter().enumerate().take(machine.roles().len()) {
            let text = action.as_str().unwrap_or_default();
            let legal = self.rules(machine.legal(state, index))?;
            let names = texts(&legal);
            // A trace from elsewhere may hold anything: only a legal term is a move.
            let action = names.iter().zip(legal).find(|(name, _)| *name == text);
            let (_, action) = action.ok_or_else(|| {
                let meant = did_you_mean(text, names.iter().map(String::as_str));
                self.malformed(&format!("the move `{text}` is not legal{meant}"))
            })?;
            joint_move.push(action);
        }
        Ok(Some(joint_move))
    }

    fn compare_static(
        &self,
        machine: &mut StateMachine,
    ) -> Result<Option<Difference>, ReplayError> {
        let (base, input) = (&self.value["base"], &self.value["input"]);
        if base.is_null() || !base["n"].is_null() {
            match self.rules(machine.reasoner().base())? {
                Some(facts) if !base.is_null() => {
                    let difference = self.compare_list("base", base, &texts(&facts));
                    if difference.is_some() {
                        return Ok(difference);
                    }
                }
                None if base.is_null() => {}
                derived => return Ok(self.difference("base".to_owned(), base, presence(&derived))),
            }
        }
        if !input.is_null() && input.as_object().is_some_and(|map| map.contains_key("n")) {
            return Ok(None);
        }
        match self.rules(machine.reasoner().input())? {
            Some(moves) if !input.is_null() => {
                for (role, moves) in machine.roles().iter().zip(moves) {
                    let recorded = &input[role.as_str()];
                    if recorded.is_null() && moves.is_empty() {
                        continue;
                    }
                    let what = format!("inputs of {role}");
                    let difference = self.compare_list(&what, recorded, &texts(&moves));
                    if difference.is_some() || recorded.is_null() {
                        return Ok(difference);
                    }
                }
                Ok(None)
            }
            None if input.is_null() => Ok(None),
            derived => Ok(self.difference("input".to_owned(), input, presence(&derived))),
        }
    }

    /// Compares with a recorded list, or with number and hash; a list that is not recorded is no
    /// difference.
    fn compare_list(&self, what: &str, recorded: &Value, derived: &[String]) -> Option<Difference> {
        let same = match recorded {
            Value::Array(list) => list
                .iter()
                .map(Value::as_str)
                .eq(derived.iter().map(|text| Some(text.as_str()))),
            Value::Object(map) => {
                let count = map.get("n").is_none_or(|n| *n == derived.len());
                count
                    && map
                        .get("sha256")
                        .is_none_or(|hash| hash.as_str() == Some(&hash_of(derived)))
            }
            _ => true,
        };
        if same {
            return None;
        }
        let shown = match recorded {
            Value::Object(map) => Value::from(format!(
                "{} texts with hash {}",
                map.get("n").unwrap_or(&Value::Null),
                map.get("sha256").unwrap_or(&Value::Null)
            )),
            list => list.clone(),
        };
        let derived = format!("{} texts: {}", derived.len(), derived.join(" "));
        self.difference(what.to_owned(), &shown, derived)
    }
}

fn presence<T>(derived: &Option<T>) -> String {
    let verb = if derived.is_some() { "are" } else { "are not" };
    format!("that they {verb} in the game")
}

/// Terms as canonical text.
/// SHA-256 of the texts joined by newlines, in hexadecimal.
fn hash_of(texts: &[String]) -> String {
    let digest = Sha256::digest(texts.join("\n").as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_games::reasoner;

    const SWITCH: &str = "(role x) (init off) (<= (legal x press) (true off)) (legal x wait)
        (<= (next on) (does x press)) (<= (next off) (true off) (does x wait))
        (<= terminal (true on)) (<= (goal x 100) (true on)) (<= (goal x 0) (true off))
        (base on) (base off)";

    /// A play of the switch with one wait, as it should be recorded.
    fn trace() -> String {
        let hash =
            |texts: &[&str]| hash_of(&texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        let (off, on) = (hash(&["off"]), hash(&["on"]));
        let (moves, base) = (hash(&["press", "wait"]), hash(&["off", "on"]));
        [
            r#"{"type":"game","name":"switch","format":1,"roles":["x"],"forms":11}"#.to_owned(),
            format!(
                r#"{{"type":"state","p":0,"i":0,"n":1,"facts":["off"],"sha256":"{off}","terminal":false,"legal":[["press","wait"]],"goals":[["0"]],"move":["wait"]}}"#
            ),
            format!(
                r#"{{"type":"state","p":0,"i":1,"n":1,"sha256":"{off}","terminal":false,"legal":[{{"n":2,"sha256":"{moves}"}}],"move":["press"]}}"#
            ),
            format!(
                r#"{{"type":"state","p":0,"i":2,"n":1,"sha256":"{on}","terminal":true,"legal":[["wait"]],"goals":[["100"]]}}"#
            ),
            format!(r#"{{"type":"static","base":{{"n":2,"sha256":"{base}"}},"input":null}}"#),
            r#"{"type":"end","complete":true,"playouts":[{"plies":2,"end":"terminal"}]}"#.to_owned(),
        ]
        .join("\n")
    }

    #[test]
    fn a_hash_is_that_of_the_joined_texts() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(empty, hash_of(&[]));
        // printf 'a\nb' | sha256sum
        let two = "7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78";
        assert_eq!(two, hash_of(&["a".to_owned(), "b".to_owned()]));
    }

    #[test]
    fn a_right_record_agrees_and_each_wrong_one_is_found_out() {
        let right = trace();
        let result = replay(&mut StateMachine::by_rules(reasoner(SWITCH)), &right).unwrap();
        assert_eq!(None, result.difference);
        assert_eq!(3, result.states);
        for (line, from, to, what) in [
            (1, r#"["x"]"#, r#"["x","y"]"#, "roles"),
            (2, r#""facts":["off"]"#, r#""facts":["on"]"#, "facts"),
            (2, r#""terminal":false"#, r#""terminal":true"#, "terminal"),
            (2, r#"["press","wait"]"#, r#"["press"]"#, "legal moves of x"),
            (2, r#"["0"]"#, r#"["0","100"]"#, "goal values of x"),
            (2, r#"["wait"]}"#, r#"["press"]}"#, "facts"),
            (3, r#""n":2"#, r#""n":3"#, "legal moves of x"),
            (
                3,
                r#""n":2,"sha256":""#,
                r#""n":2,"sha256":"0"#,
                "legal moves of x",
            ),
            (4, r#""sha256":""#, r#""sha256":"0"#, "facts"),
            (5, r#""base":{"n":2"#, r#""base":{"n":1"#, "base"),
            (5, r#""input":null"#, r#""input":{"x":{"n":1}}"#, "input"),
        ] {
            let lines: Vec<&str> = right.lines().collect();
            let changed = lines[line - 1].replace(from, to);
            assert_ne!(lines[line - 1], changed, "{from} is not in line {line}");
            let wrong = right.replace(lines[line - 1], &changed);
            let result = replay(&mut StateMachine::by_rules(reasoner(SWITCH)), &wrong).unwrap();
            let difference = result.difference.expect(to);
            assert_eq!(what, difference.what, "{to}");
            // The effect of another move is seen one line later.
            let seen = if from.ends_with('}') { line + 1 } else { line };
            assert_eq!(seen, difference.line, "{to}");
        }
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        for (text, message) in [
            ("{}", "line 1 of the trace: no known `type`"),
            (
                "\n[1",
                "line 2 of the trace: EOF while parsing a list at line 1 column 2",
            ),
            (
                r#"{"type":"state","p":0,"i":1}"#,
                "line 1 of the trace: the state before it has no moves",
            ),
            (
                r#"{"type":"state","p":0,"i":0,"terminal":false,"move":["fly"]}"#,
                "line 1 of the trace: the move `fly` is not legal",
            ),
            (
                r#"{"type":"state","p":0,"i":0,"terminal":false,"move":["pres"]}"#,
                "line 1 of the trace: the move `pres` is not legal; did you mean `press`?",
            ),
        ] {
            let error = replay(&mut StateMachine::by_rules(reasoner(SWITCH)), text).unwrap_err();
            assert_eq!(message, error.to_string());
        }
    }
}
