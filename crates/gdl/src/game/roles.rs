//! The roles of a game: those that can be asked for by name, and the sides of a question.

use super::Game;
use crate::{Name, did_you_mean};

/// No role that chooses has the name that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct NoSuchRole {
    pub name: Name,
    /// The roles that choose.
    pub players: Vec<Name>,
}

impl NoSuchRole {
    /// None of these roles has the name, or it is that of chance.
    pub fn among(roles: &[Name], name: &Name) -> Self {
        let players = roles.iter().filter(|role| !role.is_random());
        NoSuchRole {
            name: name.clone(),
            players: players.cloned().collect(),
        }
    }

    fn text(&self) -> String {
        let players: Vec<&str> = self.players.iter().map(Name::as_str).collect();
        let listed = match &players[..] {
            [] => "no role chooses in this game".to_owned(),
            [only] => format!("its role is {only}"),
            _ => format!("its roles are {}", players.join(", ")),
        };
        let name = &self.name;
        if name.is_random() {
            let listed = listed.replace("its", "this game's");
            return format!("`{name}` is chance and cannot be asked for; {listed}");
        }
        let meant = did_you_mean(name.as_str(), players.iter().copied());
        format!("`{name}` is not a role of this game; {listed}{meant}")
    }
}

/// Indexes of the roles as a question divides them: expected minimax is the maximum over the moves of the role, of the
/// minimum over those of its opponents, of the mean over those of chance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The role that is asked about.
    pub role: usize,
    /// All others that choose, in order.
    pub opponents: Vec<usize>,
    /// The role that moves at random, if there is one.
    pub random: Option<usize>,
}

impl Sides {
    /// The sides of a question about the role with this index.
    pub fn new(roles: &[Name], role: usize) -> Self {
        let others = (0..roles.len()).filter(|&other| other != role);
        let (random, opponents): (Vec<_>, _) = others.partition(|&other| roles[other].is_random());
        Sides {
            role,
            opponents,
            random: random.first().copied(),
        }
    }

    /// The sides of a question about the role with this name.
    ///
    /// # Errors
    /// If no role that chooses has this name.
    pub fn of(roles: &[Name], name: &Name) -> Result<Self, NoSuchRole> {
        let role = roles
            .iter()
            .position(|role| role == name && !role.is_random());
        let role = role.ok_or_else(|| NoSuchRole::among(roles, name))?;
        Ok(Sides::new(roles, role))
    }

    /// Indexes in the order of decision: the role, its opponents, chance.
    pub fn order(&self) -> impl DoubleEndedIterator<Item = usize> {
        let opponents = self.opponents.iter().copied();
        (std::iter::once(self.role).chain(opponents)).chain(self.random)
    }

    /// All joint moves of these legal moves: the role's changes slowest, and that of chance fastest. So what belongs to
    /// one choice of all players, and to one of the role, comes in a row.
    pub fn joint_moves<'a, T: Clone>(
        &'a self,
        legal: &'a [Vec<T>],
    ) -> impl Iterator<Item = Vec<T>> + 'a {
        (0..count_joint_moves(legal)).map(|number| {
            let mut rest = number;
            let mut chosen = vec![0; legal.len()];
            for role in self.order().rev() {
                chosen[role] = rest % legal[role].len();
                rest /= legal[role].len();
            }
            let moves = legal.iter().zip(chosen);
            moves.map(|(moves, index)| moves[index].clone()).collect()
        })
    }
}

impl Game {
    /// The index of a role that chooses.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn role(&self, name: &Name) -> Result<usize, NoSuchRole> {
        Ok(Sides::of(self.roles(), name)?.role)
    }
}

/// The number of joint moves of some roles, given the moves of each; the largest number there is stands for more.
pub fn count_joint_moves<T>(legal: &[Vec<T>]) -> usize {
    let counts = legal.iter().map(Vec::len);
    match counts.clone().min() {
        Some(0) => 0,
        _ => counts.fold(1, usize::saturating_mul),
    }
}

/// All joint moves of some roles, given the moves of each: the Cartesian product, in which the last role's move changes
/// fastest.
pub fn joint_moves<'a, T: Clone + 'a>(moves: impl IntoIterator<Item = &'a [T]>) -> Vec<Vec<T>> {
    moves.into_iter().fold(vec![Vec::new()], |shorter, moves| {
        let longer = shorter.iter().flat_map(|joint_move: &Vec<T>| {
            let one = |action: &T| [&joint_move[..], std::slice::from_ref(action)].concat();
            moves.iter().map(one)
        });
        longer.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use generators::rows;

    #[test]
    fn a_wrong_role_is_answered_with_those_there_are() {
        for [roles, name, expected] in rows(
            r"
                white black random => wite => `wite` is not a role of this game; its roles are white, black; did you mean `white`?
                random guest => random => `random` is chance and cannot be asked for; this game's role is guest
                a b => random => `random` is chance and cannot be asked for; this game's roles are a, b
                random => x => `x` is not a role of this game; no role chooses in this game
                ",
        ) {
            let roles: Vec<Name> = roles.split(' ').map(Name::new).collect();
            let found = Sides::of(&roles, &Name::new(&name)).expect_err("no such role");
            assert_eq!(found.to_string(), expected);
        }
        let roles = ["y", "random", "x"].map(Name::new);
        let sides = Sides::of(&roles, &roles[2]).expect("x chooses");
        assert_eq!(sides.order().collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!(joint_moves::<u8>([]).len(), 1);
        let legal = [vec![1, 2], vec![3, 4], vec![5, 6]];
        let all: Vec<Vec<u8>> = sides.joint_moves(&legal).collect();
        assert_eq!(
            (all.len(), &all[..3]),
            (8, &[vec![1, 3, 5], vec![1, 4, 5], vec![2, 3, 5]][..])
        );
        let many = vec![vec![1, 2]; 80];
        assert_eq!(count_joint_moves(&many), usize::MAX);
        assert_eq!(count_joint_moves(&[&many[..], &[vec![]]].concat()), 0);
        let moves = [&[1, 2][..], &[3], &[4, 5]];
        assert_eq!(
            joint_moves(moves),
            [[1, 3, 4], [1, 3, 5], [2, 3, 4], [2, 3, 5]]
        );
    }
}
