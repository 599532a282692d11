//! Features that are boards: two arguments are coordinates and determine the others.
//!
//! `(cell ?x ?y _)` is a board if for every `x` and `y` at most one such fact holds; that must be proved,
//! else drawing one content for a cell would be a guess.

use super::property::Property;
use super::vocabulary::Vocabulary;
use gdl::{Name, Term};
use std::collections::BTreeSet;

/// The most rows, and the most columns, of a board that is drawn.
const MAX_LINES: usize = 26;

/// A feature with coordinates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    feature: Name,
    arity: usize,
    /// The argument that is the row, and the one that is the column.
    indices: [usize; 2],
    /// Values of both, in order.
    lines: [Vec<Term>; 2],
}

impl Board {
    /// The board of a property that was proved, if it is about one.
    pub fn of(property: &Property, game: &Vocabulary) -> Option<Self> {
        let Property::Unique { pattern, .. } = property else {
            return None;
        };
        let Term::Function(feature, arguments) = pattern else {
            return None;
        };
        let is_variable = |index: &usize| matches!(arguments[*index], Term::Variable(_));
        let indices: Vec<usize> = (0..arguments.len()).filter(is_variable).collect();
        let &[row, column] = indices.as_slice() else {
            return None;
        };
        if arguments.len() < 3 {
            return None;
        }
        let mut lines: [BTreeSet<(i64, String, Term)>; 2] = [BTreeSet::new(), BTreeSet::new()];
        for fact in &game.facts {
            if let Term::Function(name, values) = fact
                && name == feature
                && values.len() == arguments.len()
            {
                for (lines, index) in lines.iter_mut().zip([row, column]) {
                    // Numbers in their order, other names after them by their text.
                    let text = values[index].to_string();
                    let number = text.parse().unwrap_or(i64::MAX);
                    lines.insert((number, text, values[index].clone()));
                }
            }
        }
        let fits = |lines: &BTreeSet<(i64, String, Term)>| {
            (2..=MAX_LINES).contains(&lines.len())
                && lines.iter().all(|(_, text, _)| is_coordinate(text, game))
        };
        if !lines.iter().all(fits) {
            return None;
        }
        Some(Board {
            feature: feature.clone(),
            arity: arguments.len(),
            indices: [row, column],
            lines: lines.map(|lines| lines.into_iter().map(|(.., term)| term).collect()),
        })
    }

    /// The name of the feature.
    pub fn feature(&self) -> &Name {
        &self.feature
    }

    /// The number of arguments of the feature.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The arguments that are the row and the column.
    pub fn indices(&self) -> [usize; 2] {
        self.indices
    }

    /// The values of both, in order.
    pub fn lines(&self) -> &[Vec<Term>; 2] {
        &self.lines
    }

    /// Whether a fact is on this board.
    pub fn shows(&self, fact: &Term) -> bool {
        matches!(fact, Term::Function(name, values)
            if *name == self.feature && values.len() == self.arity)
    }

    /// The rows of the board in a state. `.` is a cell without a fact.
    pub fn cells(&self, facts: &[Term]) -> Vec<Vec<String>> {
        let [rows, columns] = &self.lines;
        let mut cells = vec![vec![".".to_owned(); columns.len()]; rows.len()];
        for fact in facts.iter().filter(|fact| self.shows(fact)) {
            let Term::Function(_, values) = fact else {
                continue;
            };
            let at = |line: usize| {
                let value = &values[self.indices[line]];
                self.lines[line].iter().position(|known| known == value)
            };
            let (Some(row), Some(column)) = (at(0), at(1)) else {
                continue;
            };
            let rest = values.iter().enumerate();
            let rest = rest.filter(|(index, _)| !self.indices.contains(index));
            let rest: Vec<String> = rest.map(|(_, value)| value.to_string()).collect();
            cells[row][column] = rest.join(",");
        }
        cells
    }

    /// The board in a state as lines of text; the first has the columns.
    pub fn draw(&self, facts: &[Term]) -> Vec<String> {
        let (cells, [rows, columns]) = (self.cells(facts), &self.lines);
        let heads: Vec<String> = columns.iter().map(Term::to_string).collect();
        let width = |column: usize| {
            let cells = cells.iter().map(|row| row[column].chars().count());
            cells
                .chain([heads[column].chars().count()])
                .max()
                .unwrap_or(1)
        };
        let widths: Vec<usize> = (0..columns.len()).map(width).collect();
        let names: Vec<String> = rows.iter().map(Term::to_string).collect();
        let margin = names
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or(1);
        let line = |head: &str, cells: &[String]| {
            let cells = cells.iter().zip(&widths);
            let cells = cells.map(|(cell, &width)| format!(" {cell:<width$}"));
            format!("{head:>margin$} {}", cells.collect::<String>())
                .trim_end()
                .to_owned()
        };
        let mut text = vec![line("", &heads)];
        text.extend(names.iter().zip(&cells).map(|(name, row)| line(name, row)));
        text
    }
}

/// Whether this says where something is: a number, a letter, or both as in `c4`. Owners and pieces have names.
fn is_coordinate(text: &str, game: &Vocabulary) -> bool {
    let is_role = game.roles.iter().any(|role| role.as_str() == text);
    let rest = text.strip_prefix(|c: char| c.is_ascii_alphabetic());
    let is_letter = rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    !is_role && (is_letter || text.parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::{Options, parse_terms};
    use step::{StepLimits, ground_step};

    #[test]
    fn boards_are_drawn_with_their_coordinates() {
        let rules =
            b"(role p) (role q) (legal q wait) (line 1) (line 2) (line 10) (<= (init (cell ?x ?y b)) (line ?x) (line ?y))
            (init (at p 1 a)) (init (at q 2 b)) (init (piece rook 1 a)) (init (piece king 2 b))
            (<= (legal p (mark ?x ?y)) (true (cell ?x ?y b)))
            (<= (next (cell ?x ?y stone)) (does p (mark ?x ?y)))
            (<= terminal (not (true (cell 1 1 b)))) (goal p 100)";
        let reading = gdl::game::read("test", rules, &Options::default());
        let game = reading.unwrap_or_else(|refused| panic!("{refused}")).game;
        let vocabulary = Vocabulary::of_step(&ground_step(&game, &StepLimits::default()).unwrap());
        let board = |text: &str| Board::of(&Property::parse(text).unwrap(), &vocabulary);
        let found = board("unique (cell ?x ?y _)").unwrap();
        let facts = parse_terms("(cell 1 2 stone) (cell 10 10 b) (other 1 1 x)").unwrap();
        assert_eq!(
            found.draw(&facts),
            [
                "    1 2     10",
                " 1  . stone .",
                " 2  . .     .",
                "10  . .     b"
            ]
        );
        assert!(board("unique (at _ ?y ?z)").is_some());
        assert!(board("unique (at ?x ?y _)").is_none());
        assert!(board("unique (piece ?x ?y _)").is_none());
        assert!(board("unique (cell _ ?y _)").is_none());
        assert!(board("unique (cell ?x ?y ?z)").is_none());
    }
}
