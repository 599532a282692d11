//! Which file of `games/lib` defines a relation, for games that use it without the file.

/// The files of `games/lib`, each with the relations that it defines.
pub const LIBRARY: &[(&str, &[&str])] = &[
    (
        "boards.gdl",
        &[
            "beside",
            "beside_column",
            "beside_row",
            "column",
            "neighbour",
            "row",
            "square",
            "step",
            "straight",
        ],
    ),
    (
        "cards.gdl",
        &["card", "higher", "next_rank", "points", "rank", "suit"],
    ),
    (
        "dice.gdl",
        &["coin", "d10", "d12", "d20", "d4", "d6", "d8", "two_d6"],
    ),
    (
        "numbers.gdl",
        &[
            "capped_sum",
            "difference",
            "has_sum",
            "less",
            "number",
            "remaining",
            "succ",
            "successor",
            "sum",
        ],
    ),
];

/// The file of `games/lib` that defines the relation.
pub(super) fn library_file(relation: &str) -> Option<&'static str> {
    let mut files = LIBRARY.iter();
    let file = files.find(|(_, relations)| relations.contains(&relation));
    file.map(|(file, _)| *file)
}
