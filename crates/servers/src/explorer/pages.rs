//! Access to the pages: requests that may pass, and the part that answers them.

use super::access::AccessControl;
use super::folder::GameFolder;
use super::objectives::missing;
use super::{Explorer, files};
use crate::http::{Incoming, Outgoing, Service};
use engines::Error;

/// The pages of a game, or of a folder of games, for the browsers of this machine.
pub struct Pages {
    access: AccessControl,
    content: Content,
}

/// The content of the pages.
pub enum Content {
    Game(Box<Explorer>),
    /// The games of a folder.
    Folder(GameFolder),
}

impl Pages {
    /// The pages for the browsers that come to this port.
    pub fn new(content: Content, port: u16) -> Result<Self, Error> {
        let access = AccessControl::new(port).map_err(missing)?;
        Ok(Pages { access, content })
    }

    /// The address of the first page.
    pub fn address(&self) -> String {
        self.access.address()
    }
}

impl Service for Pages {
    fn refusal(&self, head: &Incoming) -> Option<Outgoing> {
        Some(denied(self.access.open(head).err()?))
    }

    fn answer(&self, incoming: &Incoming) -> Outgoing {
        let path = match self.access.open(incoming) {
            Ok(path) => path,
            Err(reason) => return denied(reason),
        };
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let kind = incoming.header("content-type");
        let is_json = matches!(kind, Ok(Some(kind)) if kind.starts_with("application/json"));
        secured(match &self.content {
            _ if incoming.method == "POST" && !is_json => {
                Outgoing::text(415, "send JSON, with the type application/json\n")
            }
            Content::Game(explorer) => explorer.answer(path, query, incoming),
            Content::Folder(folder) => folder.answer(path, query, incoming),
        })
    }
}

fn denied((status, text): (u16, &str)) -> Outgoing {
    secured(Outgoing::text(status, &format!("{text}\n")))
}

/// The response with headers that keep browsers from doing anything else with it.
fn secured(mut outgoing: Outgoing) -> Outgoing {
    let headers = [
        ("Content-Security-Policy", files::POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ];
    outgoing
        .headers
        .extend(headers.map(|(name, value)| (name, value.to_owned())));
    outgoing
}
