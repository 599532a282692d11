//! The program whose answer sets are the plans of a single player, step by step.
//!
//! This is the temporal extension of Thielscher, *Answer Set Programming for Single-Player Games in
//! General Game Playing*, 2009 (Definition 2 and clauses (2)), cut into parts so that the horizon can
//! grow within one solver:
//!
//! | part | grounded | says |
//! |---|---|---|
//! | `fixed` | once | what does not change; the initial state, at time 0 |
//! | `state` | for the times 0, 1, 2, ... | what is legal, whether play is over, and with how many points |
//! | `step` | for a time, when plans are to be longer | play is not over; one legal move is made; the next state |
//!
//! A time stands in the program as the constant [`NOW`]. With `fixed`, `state` for 0 to n and `step`
//! for 0 to n-1, the answer sets in which `ends_with(v,n)` holds are exactly the plans of n moves after
//! which play is over and gives at least v points. The clauses of the paper about
//! `terminated` are not needed: shorter plans were looked for before, so play is not over earlier.
//!
//! ```text
//! #program step(_now).
//! { does(robot,A,_now) : legal(robot,A,_now) } = 1.
//! true(on(X,Y),_now+1) :- does(robot,stack(X,Y),_now).
//! ```
//!
//! Moves need no domain here, whether or not the game has `input`: when a step is grounded, the
//! moves that may be legal then are known, which is a subset of any domain that the rules alone
//! give.

use super::extend::extend_by_steps;
use super::names::Names;
use super::objective::possible_points;
use crate::asp::{Atom, Choice, Head, Literal, Program, Rule, Term};
use crate::game::Game;
use crate::gdl::Name;

/// The constant that stands for the time of a part. No name of a game begins with an underscore.
pub const NOW: &str = "_now";

/// A planning problem as a logic program in parts; see the module.
#[derive(Clone, Debug)]
pub struct PlanningProgram {
    /// What holds at all times, and the initial state.
    pub fixed: Program,
    /// What a state tells.
    pub state: Program,
    /// A move and the next state.
    pub step: Program,
    /// The points that the rules can give the role, smallest first.
    pub points: Vec<u32>,
}

impl PlanningProgram {
    /// All parts as text for clingo, `fixed` as its part `base`.
    pub fn text(&self) -> String {
        format!(
            "{}\n#program state({NOW}).\n{}\n#program step({NOW}).\n{}",
            self.fixed, self.state, self.step
        )
    }

    /// The program for all plans of up to so many moves at once, to tell how large it is.
    pub fn text_at(&self, depth: u32) -> String {
        let at = |part: &Program, time: u32| part.to_string().replace(NOW, &time.to_string());
        let mut text = self.fixed.to_string();
        for time in 0..=depth {
            text += &at(&self.state, time);
            if time < depth {
                text += &at(&self.step, time);
            }
        }
        text
    }

    /// The atom that says that play ends at a time with at least so many points.
    pub fn ends_with(points: u32, time: u32) -> String {
        Atom::new("ends_with", [number(points), number(time)]).to_string()
    }
}

/// The planning problem of a role that is alone in its game.
pub fn planning_program(game: &Game, role: &Name, names: &Names) -> PlanningProgram {
    let parts = extend_by_steps(game, NOW, names);
    let (fixed, mut state, mut step) = (parts.fixed, parts.state, parts.step);
    let (now, role_term) = (Term::constant(NOW), names.role(role));
    let terminal = Literal::Positive(Atom::new("terminal", [now.clone()]));

    state.remark("With how many points play ends, at least");
    let points: Vec<u32> = possible_points(game, role).into_iter().collect();
    let ends_with = |points: u32| Atom::new("ends_with", [number(points), now.clone()]);
    for (place, &least) in points.iter().enumerate() {
        let goal = Atom::new("goal", [role_term.clone(), number(least), now.clone()]);
        state.rule(
            ends_with(least),
            [terminal.clone(), Literal::Positive(goal)],
        );
        if let Some(&more) = points.get(place + 1) {
            state.rule(ends_with(least), [Literal::Positive(ends_with(more))]);
        }
    }

    step.remark("Play goes on with one legal move");
    step.constraint([terminal]);
    let arguments = [role_term, Term::variable("A"), now];
    step.push(Rule {
        head: Head::Choice(Choice {
            atom: Atom::new("does", arguments.clone()),
            condition: vec![Atom::new("legal", arguments)],
            exactly: Some(1),
        }),
        body: Vec::new(),
    });
    PlanningProgram {
        fixed,
        state,
        step,
        points,
    }
}

fn number(value: u32) -> Term {
    Term::Integer(value.into())
}
