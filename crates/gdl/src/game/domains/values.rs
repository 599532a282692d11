//! Sets of values, as lists in ascending order.

use super::Value;
use std::borrow::Cow;

/// The values of a position or of a variable, in ascending order.
pub(super) type Values = [Value];

/// The values that each variable can take; none where no condition binds it.
pub(super) type Bindings<'a> = Vec<Option<Cow<'a, Values>>>;

pub(super) fn contains(values: &Values, value: Value) -> bool {
    values.binary_search(&value).is_ok()
}

/// Adds a value; whether it is new.
pub(super) fn insert(values: &mut Vec<Value>, value: Value) -> bool {
    let place = values.binary_search(&value);
    if let Err(place) = place {
        values.insert(place, value);
    }
    place.is_err()
}

/// The values of the first list that the other has, or those that it lacks.
pub(super) fn filter(values: &Values, other: &Values, is_member: bool) -> Vec<Value> {
    let mut filtered = Vec::with_capacity(values.len());
    let pairs = values.iter().zip(members(values, other));
    let chosen = pairs.filter(|(_, member)| *member == is_member);
    filtered.extend(chosen.map(|(value, _)| *value));
    filtered
}

/// For each value of the first list whether the other has it.
pub(super) fn members(values: &Values, other: &Values) -> impl Iterator<Item = bool> {
    let mut rest = other;
    values.iter().map(move |value| {
        while let [first, others @ ..] = rest
            && first < value
        {
            rest = others;
        }
        rest.first() == Some(value)
    })
}
