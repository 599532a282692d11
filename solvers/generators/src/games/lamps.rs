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

    /// A rule; a fact when there is nothing in the body.
    fn rule(&mut self, head: &str, body: &str) {
        match body.split_whitespace().collect::<Vec<_>>().join(" ") {
            body if body.is_empty() => self.line(head),
            body => self.line(&format!("(<= {head} {body})")),
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
            self.rule("(active ?r)", "(true (step ?n)) (turn ?n ?r)");
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
        let linked = match self.rng.bool() {
            true => "(linked ?x ?y) (edge ?y ?z) (true (on ?y))",
            false => "(edge ?x ?y) (true (on ?x)) (linked ?y ?z)",
        };
        let lit = ["", " (true (on ?y))"][usize::from(!self.rng.bool())];
        self.line(&format!(
            "(<= several (true (on ?x)) (true (on ?y)) (distinct ?x ?y))
(<= (linked ?x ?y) (edge ?x ?y) (true (on ?x)))
(<= (linked ?x ?z) {linked})
(<= (reached ?x) (source ?x))
(<= (reached ?y) (beyond ?y){lit})
(<= (beyond ?y) (reached ?x) (edge ?x ?y) (true (on ?x)))
(<= (legal ?r ?m) (can ?r ?m))
(<= (busy ?r) (can ?r ?m))"
        ));
    }

    fn player_moves(&mut self, player: &str) {
        let active = match self.in_turn {
            true => format!("(active {player})"),
            false => String::new(),
        };
        let percent = if self.players.len() == 3 { 40 } else { 65 };
        for lamp in self.some_lamps(percent) {
            self.line(&format!("(mine {player} {lamp})"));
        }
        let states = ["", "", "(true (on ?x))", "(not (true (on ?x)))"];
        let state = self.rng.choice(states).unwrap_or("");
        let condition = self.maybe_condition(15);
        let body = format!("{active} (mine {player} ?x) {state} {condition}");
        self.rule(&format!("(can {player} (press ?x))"), &body);
        if self.token && self.chance(60) {
            let head = format!("(can {player} (go ?y))");
            self.rule(&head, &format!("{active} (true (at ?x)) (edge ?x ?y)"));
        }
        self.wait(player, 60);
    }

    /// The role may always wait, or must when it can do nothing else.
    fn wait(&mut self, role: &str, always_percent: u8) {
        let condition = match self.chance(always_percent) {
            true => String::new(),
            false => format!("(not (busy {role}))"),
        };
        self.rule(&format!("(legal {role} wait)"), &condition);
    }

    fn random_moves(&mut self) {
        if self.rng.bool() {
            // A die; the number of faces is the number of moves, whether or not they do anything.
            for face in 1..=self.rng.u32(2..5) {
                let condition = self.maybe_condition(15);
                self.rule(&format!("(legal random (throw {face}))"), &condition);
                for _ in 0..self.rng.usize(1..3) {
                    let head = format!("(changed {})", self.lamp());
                    let condition = self.maybe_condition(20);
                    let body = format!("(does random (throw {face})) {condition}");
                    self.rule(&head, &body);
                }
            }
            self.line("(legal random (throw 0))");
        } else {
            let states = ["", "(true (on ?x))", "(not (true (on ?x)))", "(reached ?x)"];
            let state = self.rng.choice(states).unwrap_or("");
            let condition = self.maybe_condition(15);
            let body = format!("(lamp ?x) {state} {condition}");
            self.rule("(can random (flip ?x))", &body);
            self.wait("random", 30);
            let condition = self.maybe_condition(20);
            let body = format!("(does random (flip ?x)) {condition}");
            self.rule("(changed ?x)", &body);
        }
    }

    fn next(&mut self) {
        self.line("(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))");
        // The effect of pressing, for all players or for each.
        for player in self.players.clone() {
            let condition = self.maybe_condition(30);
            let (head, edge) = match self.rng.u8(..4) {
                0 => ("(changed ?x)", ""),
                1 => ("(changed ?y)", "(edge ?x ?y)"),
                2 => ("(lit ?x)", ""),
                _ => ("(spreads ?x)", ""),
            };
            let body = format!("(does {player} (press ?x)) {edge} {condition}");
            self.rule(head, &body);
        }
        let (first, second) = (self.condition(), self.condition());
        self.rule("(lit ?x)", &format!("(source ?x) {first} {second}"));
        self.line(
            "(<= (spreads ?x) (lit ?x) (not (true (on ?x))))
(<= (spreads ?y) (spreads ?x) (edge ?x ?y) (true (on ?y)))",
        );
        let condition = self.maybe_condition(50);
        let body = format!("(spreads ?x) (lamp ?x) {condition}");
        self.rule("(changed ?x)", &body);
        self.line(
            "(<= (next (on ?x)) (lit ?x))
(<= (next (on ?x)) (true (on ?x)) (not (changed ?x)))
(<= (next (on ?x)) (changed ?x) (not (true (on ?x))))",
        );
        if self.token {
            self.line(
                "(<= (next (at ?y)) (does ?r (go ?y)))
(<= (next (at ?x)) (true (at ?x)) (not moved))
(<= moved (does ?r (go ?y)))",
            );
        }
    }

    fn end(&mut self) {
        self.line(&format!("(<= terminal (true (step {})))", self.depth));
        if self.chance(40) {
            let (first, second) = (self.condition(), self.condition());
            let body = format!("(not (true (step 0))) {first} {second}");
            self.rule("terminal", &body);
        }
        for player in self.players.clone() {
            let wins = format!("(wins {player})");
            for _ in 0..self.rng.usize(1..3) {
                let lamp = self.lamp();
                let condition = self.maybe_condition(60);
                self.rule(&wins, &format!("(true (on {lamp})) {condition}"));
            }
            self.rule(&format!("(goal {player} 100)"), &wins);
            let mut loses = format!("(not {wins})");
            if self.rng.bool() {
                let value = self.rng.choice([1, 25, 50, 75, 99]).unwrap_or(50);
                let condition = self.condition();
                let draws = format!("(draws {player})");
                self.rule(&draws, &condition);
                let body = format!("{loses} {draws}");
                self.rule(&format!("(goal {player} {value})"), &body);
                loses += &format!(" (not {draws})");
            }
            self.rule(&format!("(goal {player} 0)"), &loses);
        }
    }

    fn base_and_input(&mut self) {
        self.line("(<= (base (on ?x)) (lamp ?x))");
        for step in 0..=self.depth {
            self.line(&format!("(base (step {step}))"));
        }
        if self.token {
            self.line("(<= (base (at ?x)) (lamp ?x))");
        }
        for player in self.players.clone() {
            self.line(&format!(
                "(<= (input {player} (press ?x)) (mine {player} ?x))\n(input {player} wait)"
            ));
            if self.token {
                self.rule(&format!("(input {player} (go ?x))"), "(lamp ?x)");
            }
        }
        if self.random {
            self.line("(<= (input random (flip ?x)) (lamp ?x))\n(input random wait)");
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
