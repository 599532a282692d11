//! Messages of match managers, as text: `(PLAY match_7 ((mark 1 1) noop))`.

use gdl::{Term, items, parse_terms};
use std::time::Duration;

/// A message of a manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A question whether the player is there, and for its name.
    Info,
    /// A game that may be played soon; nothing need be done.
    Preview,
    Start {
        /// The name of the match.
        id: String,
        /// The role to play.
        role: String,
        /// The rules, in prefix form.
        rules: String,
        /// How long preparing may take.
        start_clock: Duration,
        /// How long a move may take.
        play_clock: Duration,
    },
    /// A step was made; the next move is asked for.
    Play {
        /// The name of the match.
        id: String,
        /// The step; nothing at the start.
        step: Option<ToldStep>,
    },
    /// The last step was made: the match is over.
    Stop {
        /// The name of the match.
        id: String,
    },
    /// The match is broken off.
    Abort {
        /// The name of the match.
        id: String,
    },
}

/// The last step, as a manager tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToldStep {
    /// The moves of all roles.
    Moves(Vec<Term>),
    /// Where the rules say what roles see (GDL-II).
    Seen {
        /// The move of the player that counted.
        action: Term,
        /// The things that it saw then.
        percepts: Vec<Term>,
    },
}

impl Message {
    /// Reads a message.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        // Some managers leave out the parentheses of `INFO`.
        let parts = items(list(text).unwrap_or(text)).map_err(|error| error.to_string())?;
        let parts: Vec<&str> = parts.iter().map(|part| part.text).collect();
        let word = parts
            .first()
            .map_or(String::new(), |word| word.to_lowercase());
        let wrong = |form: &str| Err(format!("write {form}"));
        match (word.as_str(), &parts[..]) {
            ("info", _) => Ok(Message::Info),
            ("preview", _) => Ok(Message::Preview),
            ("start", [_, id, role, rules, start_clock, play_clock, ..]) => Ok(Message::Start {
                id: name(id),
                role: name(role),
                rules: list(rules).ok_or("the rules are no list")?.to_owned(),
                start_clock: seconds(start_clock)?,
                play_clock: seconds(play_clock)?,
            }),
            ("start", _) => wrong("(START MATCH ROLE (RULES) STARTCLOCK PLAYCLOCK)"),
            ("play", [_, id, moves]) => Ok(Message::Play {
                id: name(id),
                step: terms(moves)?.map(ToldStep::Moves),
            }),
            ("play", [_, id, turn, action, percepts]) => {
                let parsed = turn.parse::<u32>();
                parsed.map_err(|_| format!("`{turn}` is no number of a turn"))?;
                Ok(Message::Play {
                    id: name(id),
                    step: seen(action, percepts)?,
                })
            }
            ("play", _) => wrong("(PLAY MATCH MOVES) or (PLAY MATCH TURN MOVE PERCEPTS)"),
            ("stop", [_, id, ..]) => Ok(Message::Stop { id: name(id) }),
            ("abort", [_, id, ..]) => Ok(Message::Abort { id: name(id) }),
            ("stop" | "abort", _) => wrong("(STOP MATCH MOVES) or (ABORT MATCH)"),
            _ => Err("this is none of INFO, PREVIEW, START, PLAY, STOP and ABORT".to_owned()),
        }
    }
}

/// Names are the same in any case.
fn name(text: &str) -> String {
    text.to_lowercase()
}

fn seconds(text: &str) -> Result<Duration, String> {
    // A week is more than any clock.
    const LONGEST: u64 = 7 * 24 * 3600;
    let seconds = text
        .parse::<u64>()
        .map_err(|_| format!("`{text}` is no number of seconds"))?;
    Ok(Duration::from_secs(seconds.min(LONGEST)))
}

/// A step as a player sees it; nothing where there was none.
fn seen(action: &str, percepts: &str) -> Result<Option<ToldStep>, String> {
    if action.eq_ignore_ascii_case("nil") {
        return Ok(None);
    }
    let mut actions = parse_terms(action).map_err(|error| error.to_string())?;
    let action = actions.pop().filter(|_| actions.is_empty());
    Ok(Some(ToldStep::Seen {
        action: action.ok_or("the move is no term")?,
        percepts: terms(percepts)?.unwrap_or_default(),
    }))
}

/// The terms of a list; nothing for `nil` and the empty list.
fn terms(text: &str) -> Result<Option<Vec<Term>>, String> {
    if text.eq_ignore_ascii_case("nil") {
        return Ok(None);
    }
    let inner = list(text).ok_or("the moves or percepts are no list")?;
    let moves = parse_terms(inner).map_err(|error| error.to_string())?;
    Ok((!moves.is_empty()).then_some(moves))
}

/// The text between the parentheses of a list.
fn list(text: &str) -> Option<&str> {
    text.trim().strip_prefix('(')?.strip_suffix(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_in_any_case_and_spacing() {
        assert_eq!(Message::read("(INFO)"), Ok(Message::Info));
        assert_eq!(Message::read(" info "), Ok(Message::Info));
        let start =
            Message::read("(start M.1 X\n((role x) (<= (legal ?r a)(role ?r))) 30 10 more)");
        let Ok(Message::Start {
            id,
            role,
            rules,
            start_clock,
            play_clock,
        }) = start
        else {
            panic!("{start:?}");
        };
        assert_eq!((id.as_str(), role.as_str()), ("m.1", "x"));
        assert_eq!(rules, "(role x) (<= (legal ?r a)(role ?r))");
        assert_eq!((start_clock.as_secs(), play_clock.as_secs()), (30, 10));
        let moves = |text: &str| match Message::read(text) {
            Ok(Message::Play { step, .. }) => step,
            other => panic!("{other:?}"),
        };
        assert_eq!(moves("(PLAY m NIL)"), None);
        let Some(ToldStep::Moves(made)) = moves("(play m ((mark 1 2) noop))") else {
            panic!("no moves");
        };
        assert_eq!(made.len(), 2);
        assert_eq!(moves("(PLAY m 0 NIL NIL)"), None);
        for (text, count) in [
            ("(PLAY m 2 (mark 1 2) (a (b c)))", 2),
            ("(PLAY m 2 (mark 1 2) nil)", 0),
        ] {
            match moves(text) {
                Some(ToldStep::Seen { action, percepts }) => {
                    assert_eq!(
                        (action.to_string().as_str(), percepts.len()),
                        ("(mark 1 2)", count)
                    );
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(matches!(
            Message::read("(STOP m (a b))"),
            Ok(Message::Stop { .. })
        ));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for text in [
            "",
            "(",
            "())",
            "(HELLO)",
            "(PLAY)",
            "(START m x y 1 2)",
            "(START m x () one 2)",
            "(PLAY m ((a b))) (",
            "(PLAY m 1 a b)",
            "(PLAY m one a (b))",
            "(PLAY m 1 (a) b) (c)",
        ] {
            assert!(Message::read(text).is_err(), "{text}");
        }
    }
}
