//! Random games with all that rules can say.
//!
//! All are about lamps: a state says which are on, what step it is, and sometimes where a token
//! is. Players press lamps or move the token, the random role flips lamps or throws a die. Edges
//! between lamps make effects spread, through relations that are recursive within a step. The
//! generator draws among the things that a solver could get wrong:
//!
//! - one to three players with unlike names, with or without `random`, which may be any in the list of roles;
//! - moves at the same time or in turn; moves whose legality depends on the state, so that the
//!   number of random moves varies; a role without any other move waits;
//! - recursion inside a step (left- or right-linear or over two relations, with cycles), over facts and over moves;
//! - effects that switch lamps on, off, or over; facts that stay and facts that are derived anew;
//! - several goal values; ends before the last step; lamps that are constants or function terms;
//! - `base` and `input` given or not.
//!
//! Each game is valid: it ends within [`RandomGame::depth`] steps, every role can always move,
//! every player has exactly one goal value in terminal states.
//!
//! ```text
//! (role guest) (role random)
//! (lamp a) (lamp b) (edge a b)
//! (<= (can guest (press ?x)) (mine guest ?x) (not (true (on ?x))))
//! (<= (changed ?x) (does random (flip ?x)) (linked a ?x))
//! (<= (wins guest) (true (on b)) (not (linked b a)))
//! ```

use fastrand::Rng;
use std::fmt::Write;

/// A random game.
#[derive(Clone, Debug)]
pub struct RandomGame {
    /// Its rules in prefix form.
    pub text: String,
    /// The number of joint moves after which it is over at the latest.
    pub depth: u32,
}

/// The random game with this number. Small in every respect: at most four lamps and three steps.
pub fn random_game(seed: u64) -> RandomGame {
    let mut rng = Rng::with_seed(seed);
    let mut names = vec![
        "xplayer", "oplayer", "guest", "red", "robot", "p", "left", "o",
    ];
    rng.shuffle(&mut names);
    // Many games with two players, few with three.
    let players = rng.choice([1, 1, 1, 2, 2, 2, 2, 3]).unwrap_or(1);
    let style = rng.u8(..3);
    let lamp_count = if players == 3 {
        rng.usize(2..4)
    } else {
        rng.usize(2..5)
    };
    let lamp = |number: usize| match style {
        0 => (number + 1).to_string(),
        1 => ["a", "b", "c", "d"][number].to_owned(),
        _ => format!("(l {})", number + 1),
    };
    let generator = Generator {
        players: names[..players].to_vec(),
        random: rng.u8(..8) > 0,
        lamps: (0..lamp_count).map(lamp).collect(),
        depth: rng.choice([1, 2, 2, 3, 3, 3]).unwrap_or(1),
        token: rng.u8(..3) == 0,
        in_turn: rng.bool(),
        text: format!("; random game {seed}\n"),
        rng,
    };
    generator.generate()
}

/// A random game whose steps begin again after the last one.
pub fn endless_random_game(seed: u64) -> String {
    let random = random_game(seed);
    let last = random.depth;
    let end = format!("(<= terminal (true (step {last})))");
    assert!(random.text.contains(&end), "seed {seed}");
    let lamp = random
        .text
        .lines()
        .find_map(|line| line.strip_prefix("(lamp "));
    let lamp = lamp
        .and_then(|line| line.strip_suffix(')'))
        .expect("there is a lamp");
    let again = format!("(succ {last} 0) (<= terminal (true (on {lamp})) (not (true (step 0))))");
    random.text.replace(&end, &again)
}

struct Generator {
    rng: Rng,
    players: Vec<&'static str>,
    random: bool,
    lamps: Vec<String>,
    depth: u32,
    token: bool,
    in_turn: bool,
    text: String,
}

impl Generator {
    fn generate(mut self) -> RandomGame {
        self.roles();
        self.statics();
        self.initial();
        self.helpers();
        for player in self.players.clone() {
            self.player_moves(player);
        }
        if self.random {
            self.random_moves();
        }
        self.next();
        self.end();
        if self.rng.bool() {
            self.base_and_input();
        }
        RandomGame {
            text: self.text,
            depth: self.depth,
        }
    }

    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// A rule; a fact when nothing is left of the body.
    fn rule(&mut self, head: &str, body: &[&str]) {
        let body: Vec<&str> = body
            .iter()
            .copied()
            .filter(|part| !part.is_empty())
            .collect();
        if body.is_empty() {
            self.line(head);
        } else {
            self.line(&format!("(<= {head} {})", body.join(" ")));
        }
    }

    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn lamp(&mut self) -> String {
        let place = self.rng.usize(..self.lamps.len());
        self.lamps[place].clone()
    }

    /// Each lamp with this probability, but at least one.
    fn some_lamps(&mut self, percent: u8) -> Vec<String> {
        let mut lamps = Vec::new();
        for lamp in self.lamps.clone() {
            if self.chance(percent) {
                lamps.push(lamp);
            }
        }
        if lamps.is_empty() {
            lamps.push(self.lamp());
        }
        lamps
    }

    /// A literal about the state, without variables.
    fn condition(&mut self) -> String {
        let (first, second) = (self.lamp(), self.lamp());
        let sentence = match self.rng.u8(..10) {
            0..4 => format!("(true (on {first}))"),
            4..6 => format!("(linked {first} {second})"),
            6 => "several".to_owned(),
            7 if self.token => format!("(true (at {first}))"),
            7 => format!("(true (step {}))", self.rng.u32(..=self.depth)),
            8 => format!("(reached {first})"),
            _ => {
                let (left, right) = (self.condition(), self.condition());
                return format!("(or {left} {right})");
            }
        };
        if self.chance(35) {
            format!("(not {sentence})")
        } else {
            sentence
        }
    }

    /// Nothing, or a condition.
    fn maybe_condition(&mut self, percent: u8) -> String {
        if self.chance(percent) {
            self.condition()
        } else {
            String::new()
        }
    }

    fn roles(&mut self) {
        let mut roles = self.players.clone();
        if self.random {
            let place = self.rng.usize(..=roles.len());
            roles.insert(place, "random");
        }
        for role in roles {
            self.line(&format!("(role {role})"));
        }
    }

    fn statics(&mut self) {
        for lamp in self.lamps.clone() {
            self.line(&format!("(lamp {lamp})"));
        }
        let edges = self.rng.usize(self.lamps.len() - 1..2 * self.lamps.len());
        let mut known = Vec::new();
        for _ in 0..edges {
            let edge = (self.lamp(), self.lamp());
            if edge.0 != edge.1 && !known.contains(&edge) {
                self.line(&format!("(edge {} {})", edge.0, edge.1));
                known.push(edge);
            }
        }
        if known.is_empty() {
            let (first, second) = (self.lamps[0].clone(), self.lamps[1].clone());
            self.line(&format!("(edge {first} {second})"));
        }
        for step in 0..self.depth {
            self.line(&format!("(succ {step} {})", step + 1));
            if self.in_turn {
                let place = self.rng.usize(..self.players.len());
                let player = self.players[place];
                self.line(&format!("(turn {step} {player})"));
            }
        }
        if self.in_turn {
            let body = ["(true (step ?n))", "(turn ?n ?r)"];
            self.rule("(active ?r)", &body);
        }
        let source = self.lamp();
        self.line(&format!("(source {source})"));
    }

    fn initial(&mut self) {
        self.line("(init (step 0))");
        for lamp in self.lamps.clone() {
            if self.chance(40) {
                self.line(&format!("(init (on {lamp}))"));
            }
        }
        if self.token {
            let lamp = self.lamp();
            self.line(&format!("(init (at {lamp}))"));
        }
    }

    /// Relations on the state that conditions are about.
    fn helpers(&mut self) {
        let body = ["(true (on ?x))", "(true (on ?y))", "(distinct ?x ?y)"];
        self.rule("several", &body);
        self.rule("(linked ?x ?y)", &["(edge ?x ?y)", "(true (on ?x))"]);
        let body = if self.rng.bool() {
            ["(linked ?x ?y)", "(edge ?y ?z)", "(true (on ?y))"]
        } else {
            ["(edge ?x ?y)", "(true (on ?x))", "(linked ?y ?z)"]
        };
        self.rule("(linked ?x ?z)", &body);
        self.rule("(reached ?x)", &["(source ?x)"]);
        let (between, lit) = if self.rng.bool() {
            ("(beyond ?y)", "")
        } else {
            ("(beyond ?y)", "(true (on ?y))")
        };
        self.rule("(reached ?y)", &[between, lit]);
        let body = ["(reached ?x)", "(edge ?x ?y)", "(true (on ?x))"];
        self.rule("(beyond ?y)", &body);
        self.rule("(legal ?r ?m)", &["(can ?r ?m)"]);
        self.rule("(busy ?r)", &["(can ?r ?m)"]);
    }

    fn player_moves(&mut self, player: &str) {
        let active = if self.in_turn {
            format!("(active {player})")
        } else {
            String::new()
        };
        let percent = if self.players.len() == 3 { 40 } else { 65 };
        for lamp in self.some_lamps(percent) {
            self.line(&format!("(mine {player} {lamp})"));
        }
        let mine = format!("(mine {player} ?x)");
        let state = self
            .rng
            .choice(["", "", "(true (on ?x))", "(not (true (on ?x)))"])
            .unwrap_or("");
        let condition = self.maybe_condition(15);
        let press = format!("(can {player} (press ?x))");
        self.rule(&press, &[&active, &mine, state, &condition]);
        if self.token && self.chance(60) {
            let head = format!("(can {player} (go ?y))");
            self.rule(&head, &[&active, "(true (at ?x))", "(edge ?x ?y)"]);
        }
        self.wait(player, 60);
    }

    /// The role may always wait, or must when it can do nothing else.
    fn wait(&mut self, role: &str, always_percent: u8) {
        let legal = format!("(legal {role} wait)");
        if self.chance(always_percent) {
            self.line(&legal);
        } else {
            self.rule(&legal, &[&format!("(not (busy {role}))")]);
        }
    }

    fn random_moves(&mut self) {
        if self.rng.bool() {
            // A die; the number of faces is the number of moves, whether or not they do anything.
            for face in 1..=self.rng.u32(2..5) {
                let condition = self.maybe_condition(15);
                self.rule(&format!("(legal random (throw {face}))"), &[&condition]);
                for _ in 0..self.rng.usize(1..3) {
                    let lamp = self.lamp();
                    let does = format!("(does random (throw {face}))");
                    let condition = self.maybe_condition(20);
                    self.rule(&format!("(changed {lamp})"), &[&does, &condition]);
                }
            }
            self.line("(legal random (throw 0))");
        } else {
            let state = self
                .rng
                .choice(["", "(true (on ?x))", "(not (true (on ?x)))", "(reached ?x)"])
                .unwrap_or("");
            let condition = self.maybe_condition(15);
            let body = ["(lamp ?x)", state, &condition];
            self.rule("(can random (flip ?x))", &body);
            self.wait("random", 30);
            let condition = self.maybe_condition(20);
            let body = ["(does random (flip ?x))", &condition];
            self.rule("(changed ?x)", &body);
        }
    }

    fn next(&mut self) {
        let body = ["(true (step ?n))", "(succ ?n ?m)"];
        self.rule("(next (step ?m))", &body);
        // The effect of pressing, for all players or for each.
        for player in self.players.clone() {
            let condition = self.maybe_condition(30);
            let does = format!("(does {player} (press ?x))");
            match self.rng.u8(..4) {
                0 => self.rule("(changed ?x)", &[&does, &condition]),
                1 => self.rule("(changed ?y)", &[&does, "(edge ?x ?y)", &condition]),
                2 => self.rule("(lit ?x)", &[&does, &condition]),
                _ => self.rule("(spreads ?x)", &[&does, &condition]),
            }
        }
        let (first, second) = (self.condition(), self.condition());
        self.rule("(lit ?x)", &["(source ?x)", &first, &second]);
        self.rule("(spreads ?x)", &["(lit ?x)", "(not (true (on ?x)))"]);
        let body = ["(spreads ?x)", "(edge ?x ?y)", "(true (on ?y))"];
        self.rule("(spreads ?y)", &body);
        let condition = self.maybe_condition(50);
        self.rule("(changed ?x)", &["(spreads ?x)", "(lamp ?x)", &condition]);
        self.rule("(next (on ?x))", &["(lit ?x)"]);
        let body = ["(true (on ?x))", "(not (changed ?x))"];
        self.rule("(next (on ?x))", &body);
        let body = ["(changed ?x)", "(not (true (on ?x)))"];
        self.rule("(next (on ?x))", &body);
        if self.token {
            self.rule("(next (at ?y))", &["(does ?r (go ?y))"]);
            self.rule("(next (at ?x))", &["(true (at ?x))", "(not moved)"]);
            self.rule("moved", &["(does ?r (go ?y))"]);
        }
    }

    fn end(&mut self) {
        let last = format!("(true (step {}))", self.depth);
        self.rule("terminal", &[&last]);
        if self.chance(40) {
            let (first, second) = (self.condition(), self.condition());
            let later = "(not (true (step 0)))";
            self.rule("terminal", &[later, &first, &second]);
        }
        for player in self.players.clone() {
            let wins = format!("(wins {player})");
            for _ in 0..self.rng.usize(1..3) {
                let lamp = self.lamp();
                let lit = format!("(true (on {lamp}))");
                let condition = self.maybe_condition(60);
                self.rule(&wins, &[&lit, &condition]);
            }
            self.rule(&format!("(goal {player} 100)"), &[&wins]);
            let loses = format!("(not {wins})");
            if self.rng.bool() {
                let value = self.rng.choice([1, 25, 50, 75, 99]).unwrap_or(50);
                let condition = self.condition();
                let draws = format!("(draws {player})");
                self.rule(&draws, &[&condition]);
                let head = format!("(goal {player} {value})");
                self.rule(&head, &[&loses, &draws]);
                let neither = format!("(not {draws})");
                self.rule(&format!("(goal {player} 0)"), &[&loses, &neither]);
            } else {
                self.rule(&format!("(goal {player} 0)"), &[&loses]);
            }
        }
    }

    fn base_and_input(&mut self) {
        self.rule("(base (on ?x))", &["(lamp ?x)"]);
        for step in 0..=self.depth {
            self.line(&format!("(base (step {step}))"));
        }
        if self.token {
            self.rule("(base (at ?x))", &["(lamp ?x)"]);
        }
        for player in self.players.clone() {
            let mine = format!("(mine {player} ?x)");
            self.rule(&format!("(input {player} (press ?x))"), &[&mine]);
            self.line(&format!("(input {player} wait)"));
            if self.token {
                self.rule(&format!("(input {player} (go ?x))"), &["(lamp ?x)"]);
            }
        }
        if self.random {
            self.rule("(input random (flip ?x))", &["(lamp ?x)"]);
            self.line("(input random wait)");
            for face in 0..5 {
                self.line(&format!("(input random (throw {face}))"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_gives_the_same_game() {
        assert_eq!(random_game(7).text, random_game(7).text);
        assert_ne!(random_game(7).text, random_game(8).text);
    }
}
