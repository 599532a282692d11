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
//! A time stands in the program as the constant [`NOW`]. Let the parts be grounded for some times, and
//! assume that `goes_on(n-1)` holds, `goes_on(n)` does not (where there is such an atom), and
//! `ends_with(v,n)` does: the answer sets are exactly the plans of n moves after which play is over and
//! gives at least v points. So one program answers for all horizons it is grounded for, and needs no
//! clauses about `terminated` as in the paper: play goes on for n moves and no longer. Plans of up to n
//! moves are those in which `reached(v,n)` holds, whenever play stops.
//!
//! ```text
//! #program step(_now).
//! { goes_on(_now) }.     :- goes_on(_now), not goes_on(_now-1).     :- goes_on(_now), terminal(_now).
//! { does(robot,A,_now) : legal(robot,A,_now) } = 1 :- goes_on(_now).
//! true(on(X,Y),_now+1) :- does(robot,stack(X,Y),_now).
//! ```
//!
//! Moves need no domain here, whether or not the game has `input`: when a step is grounded, the
//! moves that may be legal then are known, which is a subset of any domain that the rules alone
//! give.

use super::extend::extend_by_steps;
use super::names::Names;
use crate::asp::{Atom, Choice, Head, Literal, Program, Rule, Term};
use crate::game::{Game, GoalValues};
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

    /// What to assume of plays of exactly so many moves: which atoms hold and which do not.
    pub fn lasts(moves: u32) -> Vec<(String, bool)> {
        let goes_on = |time: u32| Atom::new("goes_on", [number(time)]).to_string();
        let before = moves.checked_sub(1).map(|last| (goes_on(last), true));
        before
            .into_iter()
            .chain([(goes_on(moves), false)])
            .collect()
    }

    /// What to assume of plans of exactly so many moves that give at least so many points.
    pub fn ends_with(points: u32, moves: u32) -> Vec<(String, bool)> {
        let end = Atom::new("ends_with", [number(points), number(moves)]).to_string();
        let mut assumed = Self::lasts(moves);
        assumed.push((end, true));
        assumed
    }

    /// What to assume of plans of one to so many moves that give at least so many points. The part
    /// `step` must be grounded for this number too.
    pub fn ends_by(points: u32, moves: u32) -> Vec<(String, bool)> {
        let end = Atom::new("reached", [number(points), number(moves)]).to_string();
        vec![
            Self::lasts(moves).pop().expect("play does not go on"),
            (end, true),
        ]
    }
}

/// The planning problem of a role that is alone in its game.
pub fn planning_program(game: &Game, role: &Name, names: &Names) -> PlanningProgram {
    let parts = extend_by_steps(game, NOW, names);
    let (fixed, mut state, mut step) = (parts.fixed, parts.state, parts.step);
    let (now, role_term) = (Term::constant(NOW), names.role(role));
    let terminal = Literal::Positive(Atom::new("terminal", [now.clone()]));

    state.remark("With how many points play ends, at least");
    let points: Vec<u32> = GoalValues::of(game, role).points.into_iter().collect();
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

    step.remark("Play goes on with one legal move, or is not looked at any more");
    let goes_on = |time: Term| Atom::new("goes_on", [time]);
    step.push(Rule {
        head: Head::Choice(Choice {
            atom: goes_on(now.clone()),
            condition: Vec::new(),
            exactly: None,
        }),
        body: Vec::new(),
    });
    step.constraint([Literal::Positive(goes_on(now.clone())), terminal]);
    step.constraint([
        Literal::Positive(goes_on(now.clone())),
        Literal::Negative(goes_on(Term::Offset(NOW.to_owned(), -1))),
        Literal::Different(now.clone(), number(0)),
    ]);
    let (level, before) = (Term::variable("V"), Term::Offset(NOW.to_owned(), -1));
    let reached = |time: &Term| Atom::new("reached", [level.clone(), time.clone()]);
    let here = Atom::new("ends_with", [level.clone(), now.clone()]);
    step.rule(
        reached(&now),
        [
            Literal::Positive(here),
            Literal::Positive(goes_on(before.clone())),
            Literal::Negative(goes_on(now.clone())),
        ],
    );
    step.rule(reached(&now), [Literal::Positive(reached(&before))]);
    let arguments = [role_term, Term::variable("A"), now.clone()];
    step.push(Rule {
        head: Head::Choice(Choice {
            atom: Atom::new("does", arguments.clone()),
            condition: vec![Atom::new("legal", arguments)],
            exactly: Some(1),
        }),
        body: vec![Literal::Positive(goes_on(now))],
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
