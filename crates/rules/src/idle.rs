//! Moves that `random` has beside its throws and that no rule asks for: a rule such as `(<= (legal ?p wait) (role ?p) ...)` gives them to
//! `random` as well, and each takes the chance of a throw.

use gdl::game::Game;
use gdl::{Name, Term};
use rustc_hash::FxHashSet;

/// A name and a number of arguments: `wait`, or `die` with one.
type Shape = (Name, usize);

/// The shapes of moves in a game with `random`.
pub(super) struct IdleMoves {
    /// Those that some rule asks of random.
    asked: FxHashSet<Shape>,
    /// Those that players have, too.
    of_players: FxHashSet<Shape>,
}

fn shape_of(action: &Term) -> Option<Shape> {
    match action {
        Term::Constant(name) => Some((name.clone(), 0)),
        Term::Function(name, arguments) => Some((name.clone(), arguments.len())),
        Term::Variable(_) => None,
    }
}

impl IdleMoves {
    /// The shapes of the moves in a game; none if nothing moves at random.
    pub(super) fn of(game: &Game) -> Option<Self> {
        game.random_role()?;
        let is_random = |role: &Term| match role {
            Term::Constant(name) => name.is_random(),
            _ => true,
        };
        let is_player = |role: &Term| !matches!(role, Term::Constant(name) if name.is_random());
        let mut shapes = IdleMoves {
            asked: FxHashSet::default(),
            of_players: FxHashSet::default(),
        };
        for rule in game.rules() {
            if let ("legal", [role, action]) =
                (rule.head.relation.as_str(), &rule.head.arguments[..])
                && is_player(role)
            {
                shapes.of_players.extend(shape_of(action));
            }
            for sentence in rule.sentences().skip(1) {
                if let ("does", [role, action]) =
                    (sentence.relation.as_str(), &sentence.arguments[..])
                    && is_random(role)
                {
                    shapes.asked.extend(shape_of(action));
                }
            }
        }
        Some(shapes)
    }

    /// The first of these moves of random that players have, too, and no rule asks of random, while others are its own and are asked for.
    pub(super) fn find<'a>(&self, moves: &'a [Term]) -> Option<&'a Term> {
        let shapes: Vec<Shape> = moves.iter().filter_map(shape_of).collect();
        let is_idle =
            |shape: &Shape| self.of_players.contains(shape) && !self.asked.contains(shape);
        let is_throw =
            |shape: &Shape| !self.of_players.contains(shape) && self.asked.contains(shape);
        let idle = shapes.iter().position(is_idle)?;
        shapes.iter().any(is_throw).then(|| &moves[idle])
    }
}
