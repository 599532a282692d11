//! The games of a folder: a page that lists them, and an explorer for the one that was opened last.
//!
//! Only the page of a game opens it, so that two tabs with different games do not start them in turns.

use super::{Explored, Explorer, files, json, not_understood, to_response, wrong};
use crate::http::{Incoming, Outgoing};
use engines::Error;
use limits::lock;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};

/// A game of a folder.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ListedGame {
    name: String,
    title: String,
    /// The name as a part of an address.
    link: String,
}

impl ListedGame {
    /// A game with this name, and a title if its rules have one.
    pub fn new(name: &str, title: &str) -> Self {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let encoded = |byte: u8| match is_plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        ListedGame {
            name: name.to_owned(),
            title: title.to_owned(),
            link: name.bytes().map(encoded).collect(),
        }
    }
}

/// A question about a game of the list, without opening it.
#[derive(Deserialize)]
struct CardRequest {
    /// The name of the game as a part of an address.
    link: String,
}

/// A part of a card, or why there is none.
fn part(found: Result<impl Serialize, Error>) -> Outgoing {
    to_response(found.map_err(|error| error.to_string()))
}

/// Reads the game with this index, or says why it cannot.
type Read = Box<dyn Fn(usize) -> Result<Explored, String> + Send + Sync>;

/// Makes the explorer of a game, or says why there is none.
type Start = Box<dyn Fn(Explored) -> Result<Explorer, String> + Send + Sync>;

/// Answers the pages of a folder.
pub struct GameFolder {
    games: Vec<ListedGame>,
    read: Read,
    start: Start,
    /// The game that was opened last.
    open: Mutex<Option<(usize, Arc<Explorer>)>>,
    /// Cards are made one at a time, however many pages ask for them.
    cards: Mutex<()>,
}

impl GameFolder {
    /// A folder of these games. `read` reads the game with an index, `start` makes its explorer; or they say why they cannot.
    pub fn new(
        games: Vec<ListedGame>,
        read: impl Fn(usize) -> Result<Explored, String> + Send + Sync + 'static,
        start: impl Fn(Explored) -> Result<Explorer, String> + Send + Sync + 'static,
    ) -> Self {
        GameFolder {
            games,
            read: Box::new(read),
            start: Box::new(start),
            open: Mutex::new(None),
            cards: Mutex::new(()),
        }
    }

    /// The response to a request for a path below that of the folder. Each game is a folder in it.
    pub(super) fn answer(&self, path: &str, query: &str, incoming: &Incoming) -> Outgoing {
        let Some((link, rest)) = path.split_once('/') else {
            return match incoming.method.as_str() {
                "GET" | "HEAD" => files::response(path, "games.html"),
                "POST" if path == "games" => json(200, &self.games),
                "POST" if path == "card" => self.of_card(&incoming.body, |it| part(it.card())),
                "POST" if path == "value" => {
                    self.of_card(&incoming.body, |it| part(it.start_value()))
                }
                "POST" => Outgoing::text(404, "there is no such question\n"),
                _ => not_understood(),
            };
        };
        let Some(index) = self.index(link) else {
            return Outgoing::text(404, "there is no such game in this folder\n");
        };
        let opens = rest.is_empty() && incoming.method == "GET";
        match self.explorer(index, opens) {
            Ok(explorer) => explorer.answer(rest, query, incoming),
            Err(reason) => Outgoing::text(409, &format!("{reason}\n")),
        }
    }

    fn index(&self, link: &str) -> Option<usize> {
        self.games.iter().position(|game| game.link == link)
    }

    /// A part of the card of a game, which needs not be open.
    fn of_card(&self, body: &[u8], part: impl FnOnce(&Explored) -> Outgoing) -> Outgoing {
        let request: Option<CardRequest> = serde_json::from_slice(body).ok();
        let Some(index) = request.and_then(|request| self.index(&request.link)) else {
            return Outgoing::text(404, "there is no such game in this folder\n");
        };
        let _one = lock(&self.cards);
        match (self.read)(index) {
            Ok(explored) => part(&explored),
            Err(reason) => wrong(&reason),
        }
    }

    /// The explorer of a game, which is the one that is open or becomes it.
    fn explorer(&self, index: usize, opens: bool) -> Result<Arc<Explorer>, String> {
        let mut open = lock(&self.open);
        if let Some((_, explorer)) = open.as_ref().filter(|(other, _)| *other == index) {
            return Ok(Arc::clone(explorer));
        }
        if !opens {
            return Err("another game was opened: load this page again".to_owned());
        }
        // The memory of the other game is needed for this one.
        *open = None;
        let explorer = Arc::new((self.start)((self.read)(index)?)?);
        *open = Some((index, Arc::clone(&explorer)));
        Ok(explorer)
    }
}
