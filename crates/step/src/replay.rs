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
    let mut replay = Replay {
        states: 0,
        difference: None,
    };
    let mut present: Option<Position> = None;
    let lines = (1..).zip(trace.lines());
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        let value: Result<Value, _> = serde_json::from_str(text);
        let value = value.map_err(|error| Stop::Malformed(error.to_string()));
        match value.and_then(|value| follow_line(machine, &value, &mut present, visit)) {
            Ok(states) => replay.states += states,
            Err(Stop::Different {
                what,
                recorded,
                derived,
            }) => {
                replay.difference = Some(Difference {
                    line,
                    what,
                    recorded,
                    derived,
                });
                break;
            }
            Err(Stop::Malformed(message)) => return Err(ReplayError::Malformed { line, message }),
            Err(Stop::Rules(error)) => return Err(ReplayError::Rules { line, error }),
        }
    }
    Ok(replay)
}

/// Why nothing is compared after a line.
enum Stop {
    Different {
        what: String,
        recorded: String,
        derived: String,
    },
    Malformed(String),
    Rules(ReasonerError),
}

impl From<ReasonerError> for Stop {
    fn from(error: ReasonerError) -> Self {
        Stop::Rules(error)
    }
}

fn malformed<T>(message: &str) -> Result<T, Stop> {
    Err(Stop::Malformed(message.to_owned()))
}

fn different(what: &str, recorded: &Value, derived: String) -> Result<(), Stop> {
    Err(Stop::Different {
        what: what.to_owned(),
        recorded: recorded.to_string(),
        derived,
    })
}

/// Compares a line, and gives the number of states in it. `present` is the state that the next line is about.
fn follow_line(
    machine: &mut StateMachine,
    line: &Value,
    present: &mut Option<Position>,
    visit: Visitor<'_>,
) -> Result<usize, Stop> {
    match line["type"].as_str() {
        Some("game") => compare_roles(machine, &line["roles"]).map(|()| 0),
        Some("state") => follow_state(machine, line, present, visit).map(|()| 1),
        Some("static") => compare_static(machine, line).map(|()| 0),
        Some("end") => Ok(0),
        _ => malformed("no known `type`"),
    }
}

fn compare_roles(machine: &StateMachine, recorded: &Value) -> Result<(), Stop> {
    let roles: Vec<&str> = machine.roles().iter().map(Name::as_str).collect();
    if *recorded == Value::from(roles.clone()) {
        return Ok(());
    }
    different("roles", recorded, roles.join(" "))
}

fn follow_state(
    machine: &mut StateMachine,
    line: &Value,
    present: &mut Option<Position>,
    visit: Visitor<'_>,
) -> Result<(), Stop> {
    let state = match present.take() {
        Some(state) if line["i"] != 0 => state,
        _ if line["i"] == 0 => machine.initial()?,
        _ => return malformed("the state before it has no moves"),
    };
    let compared = compare_state(machine, &state, line);
    let joint_move = match &compared {
        Ok(()) => joint_move(machine, &state, &line["move"])?,
        Err(Stop::Different { .. }) => None,
        Err(_) => return compared,
    };
    let number = |field: &str| line[field].as_u64().unwrap_or_default();
    let replayed = Replayed {
        playout: number("p"),
        step: number("i"),
        position: &state,
        joint_move: joint_move.as_deref(),
    };
    visit(machine, &replayed)?;
    if let Some(joint_move) = joint_move {
        *present = Some(machine.next(&state, &joint_move)?);
    }
    compared
}

fn compare_state(machine: &mut StateMachine, state: &Position, line: &Value) -> Result<(), Stop> {
    let facts = texts(&machine.facts(state));
    compare_list("facts", line, &facts)?;
    compare_list("facts", &line["facts"], &facts)?;
    let (terminal, recorded) = (machine.terminal(state)?, &line["terminal"]);
    if *recorded != terminal {
        return different("terminal", recorded, terminal.to_string());
    }
    for (index, role) in machine.roles().to_vec().iter().enumerate() {
        let moves = texts(&machine.legal(state, index)?);
        let what = format!("legal moves of {role}");
        compare_list(&what, &line["legal"][index], &moves)?;
        if !line["goals"].is_null() {
            let goals = texts(&machine.goals(state, index)?);
            let what = format!("goal values of {role}");
            compare_list(&what, &line["goals"][index], &goals)?;
        }
    }
    Ok(())
}

/// The recorded joint move; none where play ends.
fn joint_move(
    machine: &mut StateMachine,
    state: &Position,
    recorded: &Value,
) -> Result<Option<Vec<Term>>, Stop> {
    if recorded.is_null() {
        return Ok(None);
    }
    let Some(recorded) = recorded.as_array() else {
        return malformed("`move` is not a list");
    };
    let mut joint_move = Vec::new();
    for (index, action) in recorded.iter().enumerate().take(machine.roles().len()) {
        let text = action.as_str().unwrap_or_default();
        let legal = machine.legal(state, index)?;
        let names = texts(&legal);
        // A trace from elsewhere may hold anything: only a legal term is a move.
        let action = names.iter().zip(legal).find(|(name, _)| *name == text);
        let Some((_, action)) = action else {
            let meant = did_you_mean(text, names.iter().map(String::as_str));
            return malformed(&format!("the move `{text}` is not legal{meant}"));
        };
        joint_move.push(action);
    }
    Ok(Some(joint_move))
}

fn compare_static(machine: &mut StateMachine, line: &Value) -> Result<(), Stop> {
    let (base, input) = (&line["base"], &line["input"]);
    if base.is_null() || !base["n"].is_null() {
        match machine.reasoner().base()? {
            Some(facts) if !base.is_null() => compare_list("base", base, &texts(&facts))?,
            derived => compare_presence("base", base, derived.is_some())?,
        }
    }
    if input["n"].is_null() {
        match machine.reasoner().input()? {
            Some(moves) if !input.is_null() => {
                for (role, moves) in machine.roles().iter().zip(moves) {
                    let what = format!("inputs of {role}");
                    compare_list(&what, &input[role.as_str()], &texts(&moves))?;
                }
            }
            derived => compare_presence("input", input, derived.is_some())?,
        }
    }
    Ok(())
}

/// Compares whether the game has a relation with whether it was recorded.
fn compare_presence(what: &str, recorded: &Value, is_there: bool) -> Result<(), Stop> {
    if is_there != recorded.is_null() {
        return Ok(());
    }
    let verb = if is_there { "are" } else { "are not" };
    different(what, recorded, format!("that they {verb} in the game"))
}

/// Compares with a recorded list, or with number and hash; a list that is not recorded is no difference.
fn compare_list(what: &str, recorded: &Value, derived: &[String]) -> Result<(), Stop> {
    let same = match recorded {
        Value::Array(list) => list
            .iter()
            .map(Value::as_str)
            .eq(derived.iter().map(|text| Some(text.as_str()))),
        Value::Object(map) => {
            let count = map.get("n").is_none_or(|n| *n == derived.len());
            let hash = map.get("sha256");
            count && hash.is_none_or(|hash| hash.as_str() == Some(&hash_of(derived)))
        }
        _ => true,
    };
    if same {
        return Ok(());
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
    different(what, &shown, derived)
}

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
