//! Every question that options can put about small random games: the value is that of a definition by the rules as written, or the question is
//! refused with a sentence.
//!
//! In the definition each role belongs to a side. It is expected minimax; with `--mixed` each state is a matrix game, whose solution is
//! proved by the best responses to both mixtures; where roles see a part, it is the best plan of one side by what it saw, or the matrix game of all
//! plans of two.

use super::{Ended, Place, end};
use crate::common::random_game::random_game;
use crate::common::{in_parallel, read_game, rounds, say};
use fastrand::Rng;
use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rules::{Reasoner, State, worth};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

#[path = "../../crates/hidden/tests/all/games.rs"]
#[allow(dead_code)]
mod hidden_games;

/// The most plans of a side that are written down.
const MAX_PLANS: usize = 80;

/// The seed of the first question.
const FIRST_SEED: u64 = 5_000_000;

/// Moves of the members of a side, with probabilities.
type Mixture = Vec<(Vec<Term>, BigRational)>;

/// A strategy of an opponent, read from its file by what the page about the format says.
#[derive(Clone)]
struct Followed {
    name: String,
    members: Vec<usize>,
    depth: Option<u32>,
    counts_steps: bool,
    /// By the facts of a state and the steps left, if they matter.
    choices: HashMap<(BTreeSet<Term>, Option<u32>), Mixture>,
}

impl Followed {
    fn read(game: &Game, text: &str) -> Self {
        let strategy: Value = serde_json::from_str(text).expect("JSON");
        let name = strategy["role"].as_str().expect("a role").to_owned();
        let members = members(game, &name);
        let mut choices = HashMap::new();
        let mut counts_steps = false;
        let made = |text: &Value| match (term(text), members.len()) {
            (Term::Function(_, moves), 2..) => moves,
            (action, _) => vec![action],
        };
        for entry in list(&strategy["player"]) {
            let facts = list(&entry["state"]).iter().map(term).collect();
            let steps = entry["steps"].as_u64().map(|steps| steps as u32);
            counts_steps |= steps.is_some();
            let share = |text: &Value| text.as_str().expect("text").parse().expect("a fraction");
            let said = match entry["mixture"].as_array() {
                Some(mixture) => (mixture.iter())
                    .map(|it| (made(&it["moves"][0]), share(&it["probability"])))
                    .collect(),
                None => vec![(made(&entry["move"]), BigRational::one())],
            };
            choices.insert((facts, steps), said);
        }
        let depth = strategy["depth"].as_u64().map(|depth| depth as u32);
        Followed {
            name,
            depth,
            counts_steps,
            choices,
            members,
        }
    }

    /// What it says after some steps in a state with these facts.
    fn at(&self, facts: BTreeSet<Term>, taken: u32) -> Option<Mixture> {
        let left = self.depth.and_then(|depth| depth.checked_sub(taken));
        let exact = left.and_then(|left| self.choices.get(&(facts.clone(), Some(left))));
        exact.or_else(|| self.choices.get(&(facts, None))).cloned()
    }
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn term(text: &Value) -> Term {
    let terms = gdl::parse_terms(text.as_str().expect("text")).expect("a term");
    terms.into_iter().next().expect("a term")
}

/// The indexes of the roles of a team, or of one role.
fn members(game: &Game, name: &str) -> Vec<usize> {
    let index = |name: &str| (game.roles().iter()).position(|role| role.as_str() == name);
    name.split('+').filter_map(index).collect()
}

/// A memory of a side: what its members did in each step, and what they saw then.
type Memory = Vec<(Vec<Term>, Vec<Vec<Term>>)>;

/// Moves of the members of a side by what they remember.
type Plan = HashMap<Memory, Vec<Term>>;

/// Equally likely states, with weights.
type Belief = HashMap<State, BigRational>;

/// The value by definition.
struct Definition {
    rules: Reasoner,
    own: Vec<usize>,
    others: Vec<usize>,
    chance: Vec<usize>,
    followed: Option<Followed>,
    objective: Objective,
    mixed: bool,
    values: HashMap<(State, u32, u32), BigRational>,
}

impl Definition {
    fn new(game: &Game, own: Vec<usize>, opponents: &Opponents, case: &Case) -> Self {
        let followed = match opponents {
            Opponents::Following(followed) => Some(followed.clone()),
            _ => None,
        };
        let roles = 0..game.roles().len();
        let (mut others, mut chance) = (Vec::new(), Vec::new());
        for role in roles.filter(|role| !own.contains(role)) {
            let follows = followed
                .as_ref()
                .is_some_and(|it| it.members.contains(&role));
            match game.roles()[role].is_random() || !matches!(opponents, Opponents::Best) {
                _ if follows => {}
                true => chance.push(role),
                false => others.push(role),
            }
        }
        Definition {
            rules: Reasoner::new(game).expect("rules"),
            own,
            others,
            chance,
            followed,
            objective: case.objective,
            mixed: case.mixed,
            values: HashMap::new(),
        }
    }

    fn start(&mut self, case: &Case) -> State {
        match &case.start {
            Start::Initial => self.rules.initial().expect("a state"),
            Start::From(facts) | Start::After(facts, _) => {
                self.rules.state(facts).expect("a state")
            }
        }
    }

    fn worth(&mut self, state: &State) -> Option<BigRational> {
        let is_over = self.rules.terminal(state).expect("a state");
        is_over.then(|| {
            let goals = self.rules.goals(state, self.own[0]).expect("goals");
            worth(&goals, self.objective).expect("a number of points")
        })
    }

    fn legal(&mut self, state: &State) -> Vec<Vec<Term>> {
        let roles = 0..self.rules.roles().len();
        roles
            .map(|role| self.rules.legal(state, role).expect("moves"))
            .collect()
    }

    fn next(&mut self, state: &State, joint: &[Term]) -> State {
        self.rules.next(state, joint).expect("the next state")
    }

    /// Chance, and the opponent that follows a strategy: roles with their moves, and how likely these are.
    fn outcomes(
        &mut self,
        state: &State,
        legal: &[Vec<Term>],
        taken: u32,
    ) -> Vec<(Vec<(usize, Term)>, BigRational)> {
        let mut sides = vec![(self.chance.clone(), uniform(combined(legal, &self.chance)))];
        if let Some(followed) = &self.followed {
            let facts = self.rules.facts(state).into_iter().collect();
            let roles = followed.members.clone();
            let said = followed.at(facts, taken);
            let said = said.unwrap_or_else(|| uniform(combined(legal, &roles)));
            sides.push((roles, said));
        }
        let mut all = vec![(Vec::new(), BigRational::one())];
        for (roles, choices) in sides {
            let mut longer = Vec::new();
            for (moves, share) in &all {
                for (choice, likely) in &choices {
                    let made = roles.iter().copied().zip(choice.iter().cloned());
                    let moves: Vec<(usize, Term)> = moves.iter().cloned().chain(made).collect();
                    longer.push((moves, share * likely));
                }
            }
            all = longer;
        }
        all
    }

    /// The value of a state with some steps left, after `taken` steps.
    fn value(&mut self, state: &State, steps: u32, taken: u32) -> BigRational {
        if let Some(worth) = self.worth(state) {
            return worth;
        }
        if steps == 0 {
            return BigRational::zero();
        }
        let key = (state.clone(), steps, taken);
        if let Some(value) = self.values.get(&key) {
            return value.clone();
        }
        let legal = self.legal(state);
        let outcomes = self.outcomes(state, &legal, taken);
        let (own, others) = (self.own.clone(), self.others.clone());
        let mut matrix = Vec::new();
        for choice in combined(&legal, &own) {
            let mut row = Vec::new();
            for reply in combined(&legal, &others) {
                let mut sum = BigRational::zero();
                for (moves, share) in &outcomes {
                    let mut joint: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
                    let made = own.iter().zip(&choice).chain(others.iter().zip(&reply));
                    let made = made.map(|(&role, action)| (role, action.clone()));
                    for (role, action) in made.chain(moves.iter().cloned()) {
                        joint[role] = action;
                    }
                    let next = self.next(state, &joint);
                    sum += share * self.value(&next, steps - 1, taken + 1);
                }
                row.push(sum);
            }
            matrix.push(row);
        }
        let value = match self.mixed {
            true => matrix_value(&matrix),
            false => (matrix
                .iter()
                .map(|row| row.iter().min().expect("a reply").clone()))
            .max()
            .expect("a move"),
        };
        self.values.insert(key, value.clone());
        value
    }

    /// The value where roles see a part; none if it is too much work, or a role does not know its moves.
    fn hidden_value(&mut self, start: &State, steps: u32) -> Option<BigRational> {
        if self.others.is_empty() {
            return self.believed(&HashMap::from([(start.clone(), BigRational::one())]), steps);
        }
        let (own, others) = (self.own.clone(), self.others.clone());
        let rows = self.plans(&own, start, steps)?;
        let columns = self.plans(&others, start, steps)?;
        let mut matrix: BTreeSet<Vec<BigRational>> = BTreeSet::new();
        for row in &rows {
            let worths = columns.iter().map(|column| {
                let sides = [(&own, row, Memory::new()), (&others, column, Memory::new())];
                self.followed_plans(sides, start, steps)
            });
            matrix.insert(worths.collect());
        }
        let matrix: Vec<Vec<BigRational>> = matrix.into_iter().collect();
        Some(matrix_value(&matrix))
    }

    /// The most that the side gets from a belief, whose states it cannot tell apart.
    fn believed(&mut self, belief: &Belief, steps: u32) -> Option<BigRational> {
        let mut sum = BigRational::zero();
        let mut open = Vec::new();
        for (state, share) in belief {
            match self.worth(state) {
                Some(worth) => sum += share * worth,
                None => open.push((state.clone(), share.clone(), self.legal(state))),
            }
        }
        if open.is_empty() || steps == 0 {
            return Some(sum);
        }
        let own = self.own.clone();
        let choices = combined(&open[0].2, &own);
        if open
            .iter()
            .any(|(.., legal)| combined(legal, &own) != choices)
        {
            return None;
        }
        let mut best: Option<BigRational> = None;
        for choice in choices {
            let mut groups: BTreeMap<Vec<Vec<Term>>, Belief> = BTreeMap::new();
            for (state, share, legal) in &open {
                for (moves, likely) in self.outcomes(state, legal, 0) {
                    let joint = joined(legal, own.iter().zip(&choice), &moves);
                    let next = self.next(state, &joint);
                    let seen = self.seen(&own, state, &joint);
                    let group = groups.entry(seen).or_default();
                    *group.entry(next).or_default() += share * likely;
                }
            }
            let mut worth = BigRational::zero();
            for group in groups.values() {
                worth += self.believed(group, steps - 1)?;
            }
            best = Some(best.map_or(worth.clone(), |best| best.max(worth)));
        }
        Some(sum + best.expect("a move"))
    }

    /// What each member of a side sees.
    fn seen(&mut self, side: &[usize], state: &State, joint: &[Term]) -> Vec<Vec<Term>> {
        let seen = self.rules.percepts(state, joint).expect("percepts");
        side.iter().map(|&role| seen[role].clone()).collect()
    }

    /// All plans of a side; none if there are too many, or it does not know its moves.
    fn plans(&mut self, side: &[usize], start: &State, steps: u32) -> Option<Vec<Plan>> {
        let (mut done, mut open) = (Vec::new(), vec![Plan::new()]);
        while let Some(plan) = open.pop() {
            if done.len() + open.len() > MAX_PLANS {
                return None;
            }
            match self.missing(&plan, side, start, &Memory::new(), steps)? {
                None => done.push(plan),
                Some((memory, choices)) => open.extend(choices.into_iter().map(|choice| {
                    let mut longer = plan.clone();
                    longer.insert(memory.clone(), choice);
                    longer
                })),
            }
        }
        Some(done)
    }

    /// A memory that some play with this plan leads to, and for which it says nothing, with the choices there. None of all if the side does
    /// not know its moves.
    #[allow(clippy::type_complexity)]
    fn missing(
        &mut self,
        plan: &Plan,
        side: &[usize],
        state: &State,
        memory: &Memory,
        steps: u32,
    ) -> Option<Option<(Memory, Vec<Vec<Term>>)>> {
        if steps == 0 || self.worth(state).is_some() {
            return Some(None);
        }
        let legal = self.legal(state);
        let choices = combined(&legal, side);
        let Some(choice) = plan.get(memory) else {
            return Some(Some((memory.clone(), choices)));
        };
        if !choices.contains(choice) {
            return None;
        }
        let all: Vec<usize> = (0..legal.len())
            .filter(|role| !side.contains(role))
            .collect();
        for moves in combined(&legal, &all) {
            let others: Vec<(usize, Term)> = all.iter().copied().zip(moves).collect();
            let joint = joined(&legal, side.iter().zip(choice), &others);
            let mut later = memory.clone();
            later.push((choice.clone(), self.seen(side, state, &joint)));
            let next = self.next(state, &joint);
            if let Some(found) = self.missing(plan, side, &next, &later, steps - 1)? {
                return Some(Some(found));
            }
        }
        Some(None)
    }

    /// The worth of two plans against each other.
    fn followed_plans(
        &mut self,
        sides: [(&Vec<usize>, &Plan, Memory); 2],
        state: &State,
        steps: u32,
    ) -> BigRational {
        if let Some(worth) = self.worth(state) {
            return worth;
        }
        if steps == 0 {
            return BigRational::zero();
        }
        let legal = self.legal(state);
        let mut sum = BigRational::zero();
        for (moves, share) in self.outcomes(state, &legal, 0) {
            let made = sides
                .iter()
                .flat_map(|(side, plan, memory)| side.iter().zip(&plan[memory]));
            let joint = joined(&legal, made, &moves);
            let later = sides.clone().map(|(side, plan, mut memory)| {
                memory.push((plan[&memory].clone(), self.seen(side, state, &joint)));
                (side, plan, memory)
            });
            let next = self.next(state, &joint);
            sum += share * self.followed_plans(later, &next, steps - 1);
        }
        sum
    }
}

/// All joint moves of some roles.
fn combined(legal: &[Vec<Term>], roles: &[usize]) -> Vec<Vec<Term>> {
    joint_moves(roles.iter().map(|&role| &legal[role][..]))
}

fn uniform(choices: Vec<Vec<Term>>) -> Mixture {
    let share = BigRational::new(BigInt::one(), choices.len().into());
    choices.into_iter().map(|it| (it, share.clone())).collect()
}

/// One move of each role.
fn joined<'a>(
    legal: &[Vec<Term>],
    made: impl Iterator<Item = (&'a usize, &'a Term)>,
    moves: &'a [(usize, Term)],
) -> Vec<Term> {
    let mut joint: Vec<Term> = legal.iter().map(|moves| moves[0].clone()).collect();
    for (&role, action) in made.chain(moves.iter().map(|(role, action)| (role, action))) {
        joint[role] = action.clone();
    }
    joint
}

/// The value of a matrix game, proved by the best responses to both mixtures.
fn matrix_value(matrix: &[Vec<BigRational>]) -> BigRational {
    let all = || matrix.iter().flatten();
    let scale = all().fold(BigInt::one(), |scale, worth| scale.lcm(worth.denom()));
    let scale = BigRational::from_integer(scale);
    let whole = all().map(|worth| (worth * &scale).to_integer()).collect();
    let solution = matrix_game::solve(&matrix_game::Matrix::new(matrix[0].len(), whole));
    let column = |column: usize| -> BigRational {
        let rows = matrix.iter().zip(&solution.rows);
        rows.map(|(row, share)| &row[column] * share).sum()
    };
    let row = |row: &Vec<BigRational>| -> BigRational {
        row.iter().zip(&solution.columns).map(|(a, b)| a * b).sum()
    };
    let lower = (0..matrix[0].len()).map(column).min().expect("a column");
    let upper = matrix.iter().map(row).max().expect("a row");
    assert_eq!(lower, upper, "{matrix:?}");
    lower
}

#[derive(Clone)]
enum Opponents {
    Best,
    Random,
    Following(Followed),
}

/// A game, and a question about it.
struct Case {
    game: Game,
    is_hidden: bool,
    /// After how many steps every play is over.
    length: u32,
    /// The name of a role or team, or `all`; none for the first role.
    role: Option<String>,
    opponents: Opponents,
    objective: Objective,
    depth: Option<u32>,
    /// Whether all numbers of steps up to this one are asked for.
    is_range: bool,
    start: Start,
    mixed: bool,
    engine: Option<&'static str>,
    extra: Option<&'static str>,
}

/// The place where play starts: the facts of a state, and the moves that lead there, if it is named so.
enum Start {
    Initial,
    From(Vec<Term>),
    After(Vec<Term>, Vec<Vec<Term>>),
}

/// The roles that choose.
fn players(game: &Game) -> Vec<String> {
    game.players().map(ToString::to_string).collect()
}

/// A role or a team, or all, as a user may type it.
fn any_role(game: &Game, rng: &mut Rng) -> Option<String> {
    let mut names = players(game);
    rng.shuffle(&mut names);
    match rng.u8(..10) {
        0 => None,
        1 => Some("all".to_owned()),
        2..6 if names.len() > 1 => {
            names.truncate(rng.usize(2..=names.len()));
            Some(names.join("+"))
        }
        _ => names.pop(),
    }
}

/// A state that random moves lead to, and these moves; play may be over there.
fn played(rules: &mut Reasoner, from: State, steps: u32, rng: &mut Rng) -> (State, Vec<Vec<Term>>) {
    let (mut state, mut moves) = (from, Vec::new());
    for _ in 0..steps {
        if rules.terminal(&state).expect("a state") {
            break;
        }
        let roles = 0..rules.roles().len();
        let joint: Vec<Term> = roles
            .map(|role| {
                rng.choice(rules.legal(&state, role).expect("moves"))
                    .expect("a move")
            })
            .collect();
        state = rules.next(&state, &joint).expect("the next state");
        moves.push(joint);
    }
    (state, moves)
}

fn text_of(joint_moves: &[Vec<Term>]) -> String {
    let one = |joint: &Vec<Term>| {
        joint
            .iter()
            .map(Term::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    joint_moves
        .iter()
        .map(|joint| format!("({})", one(joint)))
        .collect()
}

impl Case {
    /// The first half of a game: a case without opponents that follow a strategy, and the rules.
    fn random(seed: u64, rng: &mut Rng) -> (Self, String) {
        let is_hidden = rng.u8(..4) == 0;
        let (text, length) = match is_hidden {
            false => loop {
                let random = random_game(rng.u64(..));
                let game = read_game("game", &random.text).expect("a valid game");
                if game.players().count() > 1 || rng.u8(..4) == 0 {
                    break (random.text, random.depth);
                }
            },
            true => {
                let movers = match rng.u8(..6) {
                    0 => vec![("x", 2), ("random", 2)],
                    1 | 2 => vec![("x", 2), ("y", 2), ("z", 2), ("random", 2)],
                    _ => vec![("x", 2), ("y", 2), ("random", 2)],
                };
                let steps = rng.usize(1..=2);
                (
                    hidden_games::random_game(rng.u64(..), &movers, steps),
                    steps as u32,
                )
            }
        };
        let game = read_game("game", &text).expect("a valid game");
        let mut rules = Reasoner::new(&game).expect("rules");
        let initial = rules.initial().expect("a state");
        let steps = rng.u32(0..=length);
        let start = match rng.u8(..6) {
            kind @ 0..2 => {
                let (state, moves) = played(&mut rules, initial, steps, rng);
                let facts = rules.facts(&state);
                match kind {
                    0 => Start::From(facts),
                    _ => Start::After(facts, moves),
                }
            }
            _ => Start::Initial,
        };
        let objectives = [
            Objective::Win,
            Objective::GoalAtLeast(50),
            Objective::Points,
            Objective::Score,
        ];
        // Formulas about the joint moves of several roles are large.
        let engines = match game.players().count() {
            0..=2 => &["emm", "table", "xssat", "learning", "frontier"][..],
            _ => &["emm", "table"],
        };
        let extras = ["--moves", "--strategy", "--statistics"];
        let depth = (rng.u8(..3) > 0).then(|| rng.u32(0..=length + 1));
        let case = Case {
            role: any_role(&game, rng),
            opponents: match rng.u8(..3) {
                0 => Opponents::Random,
                _ => Opponents::Best,
            },
            objective: rng.choice(objectives).expect("one"),
            is_range: depth.is_some() && rng.u8(..6) == 0,
            depth,
            start,
            mixed: rng.u8(..3) == 0,
            engine: (rng.u8(..5) == 0).then(|| *rng.choice(engines).expect("one")),
            extra: (rng.u8(..4) == 0).then(|| rng.choice(extras).expect("one")),
            game,
            is_hidden,
            length,
        };
        (case, format!("; seed {seed}\n{text}"))
    }

    /// Lets an opponent follow a strategy, which is written for some question about the same game.
    fn add_strategy(&mut self, place: &Place, rng: &mut Rng) {
        let Some(role) = any_role(&self.game, rng).filter(|role| role != "all") else {
            return;
        };
        // Mostly a question that makes sense.
        let follower = members(&self.game, &role);
        let rest: Vec<String> = players(&self.game)
            .into_iter()
            .filter(|name| {
                !follower
                    .iter()
                    .any(|&it| self.game.roles()[it].as_str() == name)
            })
            .collect();
        if rng.u8(..6) > 0 && !rest.is_empty() {
            self.role = Some(rest[..rng.usize(1..=rest.len())].join("+"));
            self.mixed &= rng.u8(..6) == 0;
            self.is_range &= rng.u8(..6) == 0;
            self.engine = self.engine.filter(|_| rng.u8(..6) == 0);
            self.extra = self.extra.filter(|_| rng.u8(..6) == 0);
        }
        let depth = (rng.bool()).then(|| format!(" --depth {}", rng.u32(1..=self.length + 1)));
        let mixed = if rng.bool() { " --mixed" } else { "" };
        let command = format!(
            "solve game.gdl -q --role {role} --strategy followed.json{}{mixed}",
            depth.unwrap_or_default()
        );
        let ended = place.run(&command);
        assert_eq!(ended.code, Some(0), "{command}: {ended:?}");
        let mut text = std::fs::read_to_string(place.path("followed.json")).expect("a strategy");
        if rng.bool() {
            let mut strategy: Value = serde_json::from_str(&text).expect("JSON");
            let positions = strategy["player"].as_array_mut().expect("a list");
            positions.retain(|_| rng.bool());
            text = strategy.to_string();
            place.write("followed.json", &text);
        }
        self.opponents = Opponents::Following(Followed::read(&self.game, &text));
    }

    /// The arguments of the question, and whether the answers for all roles are asked for.
    fn arguments(&self, place: &Place) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut add = |option: &str, value: String| arguments.extend([option.to_owned(), value]);
        if let Some(role) = &self.role {
            add("--role", role.clone());
        }
        match &self.opponents {
            Opponents::Best => {}
            Opponents::Random => add("--opponents", "random".to_owned()),
            Opponents::Following(_) => add("--opponents", "followed.json".to_owned()),
        }
        add("--objective", self.objective.to_string());
        match self.depth {
            Some(depth) if self.is_range => add("--depth", format!("0..{depth}")),
            Some(depth) => add("--depth", depth.to_string()),
            None => {}
        }
        match &self.start {
            Start::Initial => {}
            Start::From(facts) => {
                let facts: Vec<String> = facts.iter().map(Term::to_string).collect();
                place.write("start.txt", facts.join("\n"));
                add("--from", "start.txt".to_owned());
            }
            Start::After(_, moves) => add("--after", text_of(moves)),
        }
        arguments
    }

    fn own(&self, role: &str) -> Vec<usize> {
        members(&self.game, role)
    }

    /// The roles or teams that are asked about.
    fn asked(&self) -> Vec<String> {
        match self.role.as_deref() {
            None => vec![players(&self.game)[0].clone()],
            Some("all") => players(&self.game),
            Some(role) => vec![role.to_owned()],
        }
    }

    fn starts_elsewhere(&self) -> bool {
        let mut rules = Reasoner::new(&self.game).expect("rules");
        let initial = rules.initial().expect("a state");
        let set = |facts: Vec<Term>| facts.into_iter().collect::<BTreeSet<_>>();
        match &self.start {
            Start::Initial => false,
            Start::From(facts) | Start::After(facts, _) => {
                set(rules.facts(&initial)) != set(facts.clone())
            }
        }
    }

    /// Why `solve` refuses the question, if it is not meant: a part of the sentence.
    fn refusal(&self) -> Option<&'static str> {
        let follows = match &self.opponents {
            Opponents::Following(followed) => Some(followed),
            _ => None,
        };
        let (extra, engine) = (
            self.extra.unwrap_or_default(),
            self.engine.unwrap_or_default(),
        );
        let needs_advice = ["--strategy", "--statistics"].contains(&extra);
        let own = self.own(&self.asked()[0]);
        let is_all = self.role.as_deref() == Some("all");
        let refusals = [
            (
                self.is_range && !extra.is_empty(),
                "is for one number of steps",
            ),
            (
                needs_advice && !["", "emm"].contains(&engine),
                "needs an engine that",
            ),
            (self.mixed && !engine.is_empty(), "does not go with --mixed"),
            (
                self.is_hidden && matches!(self.start, Start::After(..)),
                "leave out --after",
            ),
            (is_all && follows.is_some(), "one of all roles follows"),
            (
                is_all && extra == "--strategy",
                "--strategy is for one role",
            ),
            (self.is_range && follows.is_some(), "only single values"),
            (
                self.mixed && follows.is_some(),
                "mixed strategies are about opponents that choose",
            ),
            (
                follows
                    .is_some_and(|it| it.members == own && Some(&it.name) == self.asked().first()),
                "the strategy is one of",
            ),
            (
                follows.is_some_and(|it| own.iter().any(|role| it.members.contains(role))),
                "is not a role of this game",
            ),
            (
                !matches!(self.opponents, Opponents::Best) && extra == "--strategy",
                "for opponents that play as well as possible",
            ),
            (
                self.is_hidden && !engine.is_empty(),
                "everybody sees everything",
            ),
            (
                follows.is_some() && !engine.is_empty(),
                "does not follow strategies",
            ),
            (
                follows.is_some() && extra == "--statistics",
                "for opponents that play as well as possible",
            ),
            (
                follows.is_some_and(|it| it.counts_steps) && self.starts_elsewhere(),
                "it counts steps from its own start",
            ),
        ];
        let found = refusals.into_iter().find(|(is_refused, _)| *is_refused);
        found.map(|(_, sentence)| sentence)
    }

    /// The value for a role or team with some steps, or all; none if the definition is too much work.
    fn expected(&self, role: &str, depth: Option<u32>) -> Option<BigRational> {
        let mut definition = Definition::new(&self.game, self.own(role), &self.opponents, self);
        let start = definition.start(self);
        let steps = depth.unwrap_or(self.length);
        match self.is_hidden {
            true => definition.hidden_value(&start, steps),
            false => Some(definition.value(&start, steps, 0)),
        }
    }
}

/// A fraction of JSON output.
fn fraction(value: &Value) -> Option<BigRational> {
    let part = |name: &str| value[name].as_str()?.parse::<BigInt>().ok();
    Some(BigRational::new(part("num")?, part("den")?))
}

/// The numbers of cases by kind.
type Counts = Mutex<BTreeMap<String, u64>>;

fn count(counts: &Counts, kind: impl Into<String>) {
    *counts
        .lock()
        .expect("counting does not panic")
        .entry(kind.into())
        .or_default() += 1;
}

/// Runs the command with a question, and compares.
fn check_solve(seed: u64, counts: &Counts) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let place = Place::new();
    let (mut case, text) = Case::random(seed, &mut rng);
    place.write("game.gdl", &text);
    if !case.is_hidden && rng.u8(..3) == 0 {
        case.add_strategy(&place, &mut rng);
    }
    let mut arguments: Vec<String> = ["solve", "game.gdl", "--json"].map(str::to_owned).to_vec();
    arguments.extend(case.arguments(&place));
    if case.mixed {
        arguments.push("--mixed".to_owned());
    }
    if let Some(engine) = case.engine {
        arguments.extend(["--engine", engine].map(str::to_owned));
    }
    if let Some(extra) = case.extra {
        arguments.push(extra.to_owned());
        if extra == "--strategy" {
            arguments.push("written.json".to_owned());
        }
    }
    let ended = end(&mut place.command_with(&arguments));
    let context = || format!("seed {seed}: sqasp {arguments:?}\n{text}\n{ended:?}");
    ended.check_manners(&context());
    if let Some(sentence) = case.refusal() {
        count(counts, format!("refused: {sentence}"));
        let is_refused = [Some(2), Some(65)].contains(&ended.code) && ended.out.is_empty();
        return match is_refused && ended.err.contains(sentence) {
            true => Ok(()),
            false => Err(format!("not refused with `{sentence}`: {}", context())),
        };
    }
    if case.is_hidden && ended.code == Some(65) {
        for known in ["does not know its legal moves", "see different things"] {
            if ended.err.contains(known) {
                count(counts, format!("hidden, {known}"));
                return Ok(());
            }
        }
    }
    if ended.code != Some(0) {
        return Err(format!("no answer: {}", context()));
    }
    let answers: Value = serde_json::from_str(&ended.out).expect("JSON");
    let answers = match case.role.as_deref() {
        Some("all") => list(&answers),
        _ => vec![answers],
    };
    let asked = case.asked();
    if asked.len() != answers.len() {
        return Err(format!("answers are missing: {}", context()));
    }
    for (role, answer) in asked.iter().zip(answers) {
        let points = match case.is_range {
            true => list(&answer["curve"]),
            false => vec![answer.clone()],
        };
        let depths = match (case.is_range, case.depth) {
            (true, Some(last)) => (0..=last).map(Some).collect(),
            _ => vec![case.depth],
        };
        if points.len() != depths.len() {
            return Err(format!("values are missing: {}", context()));
        }
        for (point, depth) in points.iter().zip(depths) {
            let Some(expected) = case.expected(role, depth) else {
                count(counts, "hidden, too many plans");
                continue;
            };
            let found = fraction(&point["value"]);
            if found.as_ref() != Some(&expected) {
                return Err(format!("{expected} is right for {role}: {}", context()));
            }
            if case.extra == Some("--moves") && !case.mixed && !case.is_hidden {
                let moves = list(&point["moves"]);
                let best = moves
                    .iter()
                    .filter_map(|each| fraction(&each["value"]))
                    .max();
                if best.is_some_and(|best| best != expected) {
                    return Err(format!(
                        "{expected} is right for the best move: {}",
                        context()
                    ));
                }
            }
        }
        let is_shared = answer["shared_percepts"].as_bool().unwrap_or(false);
        if is_shared != (case.is_hidden && role.contains('+')) {
            return Err(format!("what a team shares: {}", context()));
        }
    }
    if case.extra == Some("--strategy") && place.path("written.json").exists() {
        let verified = place.run("verify game.gdl written.json --json");
        let verdict: Value = serde_json::from_str(&verified.out).unwrap_or_default();
        if verdict["status"] != "proved" {
            return Err(format!("{verified:?} by verify: {}", context()));
        }
        count(counts, "verified strategies");
    }
    count(counts, kind(&case));
    Ok(())
}

fn kind(case: &Case) -> String {
    let team = case.role.as_ref().is_some_and(|role| role.contains('+'));
    format!(
        "{}{}{}",
        if case.is_hidden {
            "hidden"
        } else if case.mixed {
            "mixed"
        } else {
            "known"
        },
        if team { ", team" } else { "" },
        match case.opponents {
            Opponents::Best => "",
            Opponents::Random => ", random",
            Opponents::Following(_) => ", strategy",
        }
    )
}

/// Builds a table for a question, and looks up the start and a later position by moves of the roles as they are written.
fn check_table(seed: u64, counts: &Counts) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let place = Place::new();
    let (case, text) = Case::random(seed, &mut rng);
    let (mut case, text) = match case.is_hidden {
        true => return Ok(()),
        false => (case, text),
    };
    case.role = case.role.filter(|role| role != "all");
    case.is_range = false;
    place.write("game.gdl", &text);
    let mut arguments: Vec<String> = ["table", "build", "game.gdl", "-q", "--json", "-o", "table"]
        .map(str::to_owned)
        .to_vec();
    arguments.extend(case.arguments(&place));
    if case.mixed {
        arguments.push("--mixed".to_owned());
    }
    let ended = end(&mut place.command_with(&arguments));
    let context = |ended: &Ended| format!("seed {seed}: sqasp {arguments:?}\n{text}\n{ended:?}");
    ended.check_manners(&context(&ended));
    let role = &case.asked()[0];
    let mut definition = Definition::new(&case.game, case.own(role), &case.opponents, &case);
    let start = definition.start(&case);
    let is_empty = definition.worth(&start).is_some() || case.depth == Some(0);
    if is_empty {
        count(counts, "empty tables");
        return match ended.code == Some(2) && ended.err.contains("nothing to put into a table") {
            true => Ok(()),
            false => Err(format!("an empty table: {}", context(&ended))),
        };
    }
    let steps = case.depth.unwrap_or(case.length);
    let value = definition.value(&start, steps, 0);
    let built: Value = serde_json::from_str(&ended.out).unwrap_or_default();
    if fraction(&built["value"]).as_ref() != Some(&value) {
        return Err(format!("{value} is right: {}", context(&ended)));
    }
    let taken = rng.u32(0..=steps);
    let (state, moves) = played(&mut definition.rules, start, taken, &mut rng);
    let mut probe = vec!["table", "probe", "table", "--json", "--moves"];
    let after = text_of(&moves);
    if !moves.is_empty() {
        probe.extend(["--after", &after]);
    }
    let ended = end(&mut place.command_with(&probe));
    ended.check_manners(&context(&ended));
    let left = steps - moves.len() as u32;
    if definition.worth(&state).is_some() || left == 0 {
        return match ended.code == Some(65) {
            true => Ok(()),
            false => Err(format!("nothing is there: {}", context(&ended))),
        };
    }
    let found: Value = serde_json::from_str(&ended.out).unwrap_or_default();
    let is_measure = found["measure"].as_bool().unwrap_or(false);
    // Layers are numbers of steps until every play is over, if the question does not say how many count.
    let value = definition.value(&state, left, moves.len() as u32);
    let entries = list(&found["entries"]);
    let layer = json!(left);
    let fits = |entry: &&Value| is_measure || case.depth.is_none() || entry["layer"] == layer;
    let entry = entries.iter().find(fits).cloned().unwrap_or_default();
    let best = list(&entry["moves"]);
    let best = best
        .iter()
        .filter_map(|each| fraction(&each["value"]))
        .max();
    for found in [fraction(&entry["value"]), best] {
        if found.as_ref() != Some(&value) {
            return Err(format!(
                "{value} is right after {after}: {}",
                context(&ended)
            ));
        }
    }
    count(counts, format!("tables, {}", kind(&case)));
    Ok(())
}

/// Asks an evaluator for the value of a position, by its facts and by the moves that lead there.
fn check_evaluate(seed: u64, counts: &Counts) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let place = Place::new();
    let (mut case, text) = Case::random(seed, &mut rng);
    if case.is_hidden {
        return Ok(());
    }
    case.role = case.role.filter(|role| role != "all");
    case.opponents = Opponents::Best;
    place.write("game.gdl", &text);
    let role = &case.asked()[0];
    let own = case.own(role);
    let mut definition = Definition::new(&case.game, own.clone(), &case.opponents, &case);
    let initial = definition.rules.initial().expect("a state");
    let steps = rng.u32(0..=case.length);
    let (state, moves) = played(&mut definition.rules, initial, steps, &mut rng);
    let facts: Vec<String> = definition
        .rules
        .facts(&state)
        .iter()
        .map(Term::to_string)
        .collect();
    // The team stands where its first member in the order of the game does.
    let first = own.iter().min().expect("a member");
    let as_told = |joint: &Vec<Term>| -> Vec<String> {
        let together = || {
            let moves: Vec<String> = own.iter().map(|&role| joint[role].to_string()).collect();
            format!("(together {})", moves.join(" "))
        };
        (0..joint.len())
            .filter(|index| own.len() == 1 || index == first || !own.contains(index))
            .map(|index| match own.len() > 1 && index == *first {
                true => together(),
                false => joint[index].to_string(),
            })
            .collect()
    };
    let history: Vec<Vec<String>> = moves.iter().map(as_told).collect();
    let mut lines = String::new();
    for position in [json!({"state": facts}), json!({"history": history})] {
        let mut request = position;
        if let Some(depth) = case.depth {
            request["depth"] = depth.into();
        }
        lines += &format!("{request}\n");
    }
    place.write("requests", &lines);
    let objective = case.objective.to_string();
    let mut arguments = vec![
        "evaluate",
        "game.gdl",
        "-q",
        "--role",
        role,
        "--objective",
        &objective,
    ];
    if case.mixed {
        arguments.push("--mixed");
    }
    let mut command = place.command_with(&arguments);
    command.stdin(std::fs::File::open(place.path("requests")).expect("requests"));
    let ended = end(&mut command);
    let context = || format!("seed {seed}: sqasp {arguments:?}\n{lines}{text}\n{ended:?}");
    ended.check_manners(&context());
    let value = definition.value(&state, case.depth.unwrap_or(case.length), 0);
    let replies: Vec<Value> = (ended.out.lines().skip(1))
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if replies.len() != 2
        || replies
            .iter()
            .any(|it| fraction(&it["value"]).as_ref() != Some(&value))
    {
        return Err(format!("{value} is right: {}", context()));
    }
    count(counts, format!("evaluated, {}", kind(&case)));
    Ok(())
}

#[test]
fn questions_about_random_games_have_the_values_of_the_definition() {
    let counts = Counts::default();
    let total = rounds(600u64);
    let seeds: Vec<u64> = (0..total).map(|seed| FIRST_SEED + seed).collect();
    in_parallel(seeds, |seed| match seed % 9 {
        0 => check_table(seed, &counts),
        1 => check_evaluate(seed, &counts),
        _ => check_solve(seed, &counts),
    });
    let counts = counts.into_inner().expect("counting does not panic");
    let rows = counts
        .iter()
        .map(|(kind, number)| format!("  {number:6}  {kind}"));
    say(&format!(
        "questions from seed {FIRST_SEED} on:\n{}",
        rows.collect::<Vec<_>>().join("\n")
    ));
    let number = |part: &str| -> u64 {
        let kinds = counts.iter().filter(|(kind, _)| kind.contains(part));
        kinds.map(|(_, number)| number).sum()
    };
    for part in [
        "team",
        "mixed",
        "hidden",
        "random",
        "strategy",
        "refused",
        "tables",
        "evaluated",
    ] {
        assert!(
            40 * number(part) > total,
            "{part} in {} of {total} questions",
            number(part)
        );
    }
}
