//! Roles that can be asked for, by name.

use super::Game;
use crate::{Name, did_you_mean};

/// No role that chooses has the name that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct NoSuchRole {
    /// The name.
    pub name: Name,
    /// The roles that choose.
    pub players: Vec<Name>,
}

impl NoSuchRole {
    /// None of these roles has the name, or it is that of chance.
    pub fn among(roles: &[Name], name: &Name) -> Self {
        let players = roles.iter().filter(|role| !is_chance(role));
        NoSuchRole {
            name: name.clone(),
            players: players.cloned().collect(),
        }
    }

    fn text(&self) -> String {
        let players: Vec<&str> = self.players.iter().map(Name::as_str).collect();
        let listed = match &players[..] {
            [] => "nobody chooses in this game".to_owned(),
            [only] => format!("its role is {only}"),
            _ => format!("its roles are {}", players.join(", ")),
        };
        let name = &self.name;
        if is_chance(name) {
            let listed = listed.replace("its", "this game's");
            return format!("`{name}` is chance and cannot be asked for; {listed}");
        }
        let meant = did_you_mean(name.as_str(), players.iter().copied());
        format!("`{name}` is not a role of this game; {listed}{meant}")
    }
}

fn is_chance(name: &Name) -> bool {
    name.as_str() == "random"
}

/// The place of a role that chooses in a list of roles.
///
/// # Errors
/// If there is none with this name.
pub fn player_place(roles: &[Name], name: &Name) -> Result<usize, NoSuchRole> {
    let place = roles.iter().position(|role| role == name);
    let place = place.filter(|_| !is_chance(name));
    place.ok_or_else(|| NoSuchRole::among(roles, name))
}

impl Game {
    /// The place of a role that chooses in the list of roles.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn player(&self, name: &Name) -> Result<usize, NoSuchRole> {
        player_place(self.roles(), name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_role_is_answered_with_those_there_are() {
        for (roles, name, expected) in [
            (
                &["white", "black", "random"][..],
                "wite",
                "`wite` is not a role of this game; its roles are white, black; did you mean `white`?",
            ),
            (
                &["random", "guest"],
                "random",
                "`random` is chance and cannot be asked for; this game's role is guest",
            ),
            (
                &["a", "b"],
                "random",
                "`random` is chance and cannot be asked for; this game's roles are a, b",
            ),
            (
                &["random"],
                "x",
                "`x` is not a role of this game; nobody chooses in this game",
            ),
        ] {
            let roles: Vec<Name> = roles.iter().map(|role| Name::new(role)).collect();
            let found = player_place(&roles, &Name::new(name)).expect_err("no such role");
            assert_eq!(found.to_string(), expected);
        }
        let roles = [Name::new("random"), Name::new("x")];
        assert_eq!(player_place(&roles, &roles[1]), Ok(1));
    }
}
