//! Messages in, answers out, one match at a time.

use super::message::Message;
use super::play::Match;
use crate::game::Game;
use crate::http::{Incoming, Outgoing};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Somebody who hears what happens, as a line of text.
type Log = Box<dyn Fn(&str) + Send + Sync>;

/// A player.
pub struct Player {
    name: String,
    memory: Option<u64>,
    log: Log,
    current: Mutex<Current>,
}

enum Current {
    Free,
    /// A match is being prepared.
    Preparing(String),
    Playing(Arc<Match>),
}

impl Player {
    /// A player with this name, which is one word, and this memory for its tables, in bytes.
    pub fn new(
        name: &str,
        memory: Option<u64>,
        log: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Player {
            name: name.to_owned(),
            memory,
            log: Box::new(log),
            current: Mutex::new(Current::Free),
        }
    }

    /// The response to a request of the protocol.
    pub fn answer(&self, incoming: &Incoming) -> Outgoing {
        let heard = Instant::now();
        let text = match incoming.method.as_str() {
            "OPTIONS" => String::new(),
            "POST" => self.reply(&String::from_utf8_lossy(&incoming.body), heard),
            // Old managers put the message into the address.
            "GET" => self.reply(&decoded(incoming.target.trim_start_matches('/')), heard),
            _ => return Outgoing::text(405, "send a message of the GGP protocol by POST\n"),
        };
        let mut outgoing = Outgoing::new(200, "text/acl", text);
        let headers = [
            ("Access-Control-Allow-Origin", "*"),
            ("Access-Control-Allow-Methods", "POST, GET, OPTIONS"),
            ("Access-Control-Allow-Headers", "Content-Type"),
            ("Access-Control-Allow-Age", "86400"),
        ];
        outgoing
            .headers
            .extend(headers.map(|(name, value)| (name, value.to_owned())));
        outgoing
    }

    /// The reply to a message that was heard at this moment.
    pub fn reply(&self, text: &str, heard: Instant) -> String {
        let message = match Message::read(text) {
            Ok(message) => message,
            Err(problem) => {
                (self.log)(&format!("a message makes no sense: {problem}"));
                return "nil".to_owned();
            }
        };
        match message {
            Message::Info => {
                let status = match *self.current() {
                    Current::Free => "available",
                    _ => "busy",
                };
                format!(
                    "( ( name {} ) ( status {status} ) ( species computer ) )",
                    self.name
                )
            }
            Message::Preview => match *self.current() {
                Current::Free => "ready".to_owned(),
                _ => "busy".to_owned(),
            },
            Message::Start {
                id,
                role,
                rules,
                start_clock,
                play_clock,
            } => self.start(id, &role, &rules, (start_clock, play_clock), heard),
            Message::Play { id, moves } => match self.playing(&id) {
                None => "busy".to_owned(),
                Some(played) => match played.play(moves, heard) {
                    Ok(action) => action.to_string(),
                    Err(problem) => {
                        (self.log)(&format!("{id}: no move: {problem}"));
                        "nil".to_owned()
                    }
                },
            },
            Message::Stop { id } => self.end(&id, "done"),
            Message::Abort { id } => self.end(&id, "aborted"),
        }
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The match with this name, if it is being played.
    fn playing(&self, id: &str) -> Option<Arc<Match>> {
        match &*self.current() {
            Current::Playing(played) if played.id == id => Some(Arc::clone(played)),
            _ => None,
        }
    }

    fn start(
        &self,
        id: String,
        role: &str,
        rules: &str,
        clocks: (Duration, Duration),
        heard: Instant,
    ) -> String {
        {
            let mut current = self.current();
            let is_free = match &*current {
                Current::Free => true,
                Current::Preparing(_) => false,
                Current::Playing(old) => old.is_forgotten(),
            };
            if !is_free {
                return "busy".to_owned();
            }
            *current = Current::Preparing(id.clone());
        }
        let made = read(rules, role).and_then(|(game, place)| {
            let started = Match::start(id.clone(), &game, place, clocks, heard, self.memory);
            started.map_err(|error| error.to_string())
        });
        let mut current = self.current();
        // It may have been aborted meanwhile.
        let is_wanted = matches!(&*current, Current::Preparing(name) if *name == id);
        match made {
            Ok(made) if is_wanted => {
                *current = Current::Playing(Arc::new(made));
                drop(current);
                (self.log)(&format!("{id}: plays {role}"));
                "ready".to_owned()
            }
            Ok(_) => "busy".to_owned(),
            Err(problem) => {
                if is_wanted {
                    *current = Current::Free;
                }
                drop(current);
                (self.log)(&format!("{id}: refused: {problem}"));
                "busy".to_owned()
            }
        }
    }

    fn end(&self, id: &str, word: &str) -> String {
        let mut current = self.current();
        match &*current {
            Current::Playing(played) if played.id == id => played.end(),
            Current::Preparing(name) if name == id => {}
            _ => return "busy".to_owned(),
        }
        *current = Current::Free;
        drop(current);
        (self.log)(&format!("{id}: {word}"));
        word.to_owned()
    }
}

/// The game with these rules, and the place of a role that may play it.
fn read(rules: &str, role: &str) -> Result<(Game, usize), String> {
    let game = crate::read("match", rules.as_bytes()).map_err(|refused| refused.to_string())?;
    let place = game.roles().iter().position(|name| name.as_str() == role);
    let place = place.filter(|_| role != "random");
    let place = place.ok_or_else(|| format!("`{role}` is not a role that plays"))?;
    Ok((game, place))
}

/// Text in which `%28` stands for `(`, and so on.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::new();
    let mut place = 0;
    while place < bytes.len() {
        let code = bytes
            .get(place + 1..place + 3)
            .filter(|_| bytes[place] == b'%');
        let code =
            code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        decoded.push(match (code, bytes[place]) {
            (Some(byte), _) => byte,
            (None, b'+') => b' ',
            (None, byte) => byte,
        });
        place += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
