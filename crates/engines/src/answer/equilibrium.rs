//! The values of all roles, where each plays for itself.

use super::Subject;
use super::text::{in_columns, value_columns};
use super::worth::{is_false, worth};
use formula::Outcome;
use gdl::Name;
use serde::Serialize;

/// The values of all roles in equilibria of a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct EquilibriumValues {
    /// Whether these are the values of all subgame perfect equilibria in pure moves, and not of one that was found.
    pub all: bool,
    /// Whether equilibria are too many, so that intervals may be wider than their values are.
    #[serde(skip_serializing_if = "is_false")]
    pub wide: bool,
    /// One for each role that chooses, in their order.
    pub roles: Vec<RoleValue>,
}

/// The value of a role, or the interval of its values.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RoleValue {
    /// The role.
    pub role: Name,
    /// Its value, or the interval of its values.
    #[serde(flatten, serialize_with = "worth")]
    pub outcome: Outcome,
}

impl EquilibriumValues {
    /// A line for each role, below one that says of which equilibria the values are.
    pub(super) fn lines(&self, subject: &Subject) -> Vec<String> {
        let has_ties = self
            .roles
            .iter()
            .any(|each| each.outcome.stopped_by().is_some());
        let heading = match (self.all, has_ties, self.wide) {
            (false, ..) => "values in an equilibrium that was found (there may be others):",
            (true, false, _) => "values of all roles:",
            (true, true, false) => "values of all roles, over all ways to break ties:",
            (true, true, true) => {
                "values of all roles, over all ways to break ties, which are too many to list: these intervals hold, and may be wide:"
            }
        };
        let roles = self.roles.iter().map(|RoleValue { role, outcome }| {
            [format!("  {role}"), value_columns(outcome, subject)]
        });
        let roles = in_columns(&roles.collect::<Vec<_>>());
        std::iter::once(heading.to_owned()).chain(roles).collect()
    }
}
