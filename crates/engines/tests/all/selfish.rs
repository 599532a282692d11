//! Games in which each role plays for itself: the definition of equilibria by enumeration of all pure strategies on trees of random games, today's value
//! for two roles of which one gets what the other loses, and proofs of equilibria by the rules.

use gdl::game::{Game, Objective, joint_moves};
use generators::{GraphKind, GraphPoints, graph_game, rounds, seeds};
use limits::Limits;
use num_rational::BigRational;
use num_traits::One;
use rules::{Reasoner, State, payoff};
use sqasp_engines::strategy::Extracted;
use sqasp_engines::{self as engines, Answer, ErrorKind, Opponents, Options, Question};
use verify::{AnyStrategy, Equilibrium, Flaw, Verdict, verify_equilibrium};

/// The play from a state on as a tree: each way to a state has nodes of its own.
enum Tree {
    /// A value for each role but `random`.
    Over(Vec<BigRational>),
    /// The number of a node, the role that chooses, and for each of its moves what chance may lead to.
    Open(usize, Option<usize>, Vec<Vec<Tree>>),
}

/// Grows trees by the rules as written.
struct Grower {
    reasoner: Reasoner,
    objective: Objective,
    players: Vec<usize>,
    /// For each node with a choice the number of moves.
    choices: Vec<usize>,
}

impl Grower {
    fn tree(&mut self, state: &State) -> Tree {
        if self.reasoner.terminal(state).unwrap() {
            let worth = |&role: &usize| {
                payoff(&mut self.reasoner, state, role, self.objective)
                    .unwrap()
                    .expect("a goal")
            };
            return Tree::Over(self.players.clone().iter().map(worth).collect());
        }
        let roles = 0..self.reasoner.roles().len();
        let legal: Vec<_> = roles
            .map(|role| self.reasoner.legal(state, role).unwrap())
            .collect();
        let mover = self.players.iter().position(|&role| legal[role].len() > 1);
        let number = self.choices.len();
        let count = mover.map_or(1, |mover| legal[self.players[mover]].len());
        self.choices.push(count);
        let mut moves: Vec<Vec<Tree>> = (0..count).map(|_| Vec::new()).collect();
        for joint_move in joint_moves(legal.iter().map(Vec::as_slice)) {
            let index = mover.map_or(0, |mover| {
                let role = self.players[mover];
                let mut own = legal[role].iter();
                own.position(|action| *action == joint_move[role]).unwrap()
            });
            let next = self.reasoner.next(state, &joint_move).unwrap();
            moves[index].push(self.tree(&next));
        }
        Tree::Open(number, mover, moves)
    }
}

/// The values of a tree where all do what is planned for each node, but one player, if it is named: that one does what is best for it.
fn values(tree: &Tree, plan: &[usize], free: Option<usize>) -> Vec<BigRational> {
    let Tree::Open(number, mover, moves) = tree else {
        let Tree::Over(values) = tree else {
            unreachable!()
        };
        return values.clone();
    };
    let mean = |outcomes: &Vec<Tree>| {
        let all: Vec<_> = outcomes
            .iter()
            .map(|next| values(next, plan, free))
            .collect();
        let count = BigRational::from_integer(all.len().into());
        let sum = |player: usize| {
            all.iter()
                .map(|values| &values[player])
                .sum::<BigRational>()
        };
        (0..all[0].len())
            .map(|player| sum(player) / &count)
            .collect::<Vec<_>>()
    };
    match free {
        Some(free) if *mover == Some(free) => moves
            .iter()
            .map(mean)
            .max_by(|one, two| one[free].cmp(&two[free]))
            .unwrap(),
        _ => mean(&moves[plan[*number]]),
    }
}

/// Whether no player gains by any other strategy, in no part of the play.
fn is_perfect(tree: &Tree, plan: &[usize]) -> bool {
    let Tree::Open(_, _, moves) = tree else {
        return true;
    };
    let found = values(tree, plan, None);
    let best = |player: usize| values(tree, plan, Some(player)).swap_remove(player);
    (0..found.len()).all(|player| best(player) == found[player])
        && moves.iter().flatten().all(|next| is_perfect(next, plan))
}

/// The values of all subgame perfect equilibria.
fn by_definition(tree: &Tree, choices: &[usize]) -> Vec<Vec<BigRational>> {
    let mut plan = vec![0; choices.len()];
    let mut found = Vec::new();
    loop {
        if is_perfect(tree, &plan) {
            found.push(values(tree, &plan, None));
        }
        let Some(place) = (0..plan.len()).find(|&place| plan[place] + 1 < choices[place]) else {
            return found;
        };
        plan[place] += 1;
        plan[..place].fill(0);
    }
}

fn game(text: &str) -> Game {
    engines::read("test", text.as_bytes()).unwrap_or_else(|refused| panic!("{refused}: {text}"))
}

fn solve(game: &Game, role: usize, objective: Objective, opponents: Opponents) -> Answer {
    let question = Question::about(game)
        .unwrap()
        .role(game.roles()[role].as_str());
    let question = question.objective(objective).opponents(opponents);
    let mut options = Options::default();
    options.extras.strategy = Some(1000);
    engines::solve(game, &question, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The strategy of an answer, which has the value of its heading by the rules.
fn proved(game: &Game, answer: &Answer, context: &str) -> Equilibrium {
    let Some(Extracted::Complete(strategy)) = &answer.strategy else {
        panic!("there is no strategy: {context}");
    };
    let mut text = Vec::new();
    strategy.write_json(&mut text).unwrap();
    let AnyStrategy::Equilibrium(found) = verify::read_any(&text).expect(context) else {
        panic!("another strategy: {context}");
    };
    let verified = verify_equilibrium(game, &found, &Limits::default()).expect(context);
    assert_eq!(
        verified.verdict,
        Verdict::Proved(found.heading.value.clone()),
        "{context}"
    );
    let (lower, upper) = answer.outcome.bounds();
    let value = &found.heading.value;
    assert!(lower <= *value && *value <= upper, "{value} {context}");
    found
}

fn kind(random: &mut fastrand::Rng, is_endless: bool) -> GraphKind {
    let roles: &[&str] = match random.u8(..4) {
        0 => &["x", "o", "z"],
        1 => &["x", "o", "random"],
        _ => &["x", "o", "z", "random"],
    };
    GraphKind {
        roles: roles.to_vec(),
        positions: random.usize(2..5),
        ends: random.usize(2..5),
        moves: &[1, 2, 2],
        other_moves: &[1, 2, 2],
        takes_turns: true,
        is_endless,
        stay_and_end: (0, 3),
        is_hidden: false,
        points: GraphPoints::Each(&[0, 0, 50, 100]),
    }
}

#[test]
fn intervals_are_those_of_all_equilibria_by_definition() {
    let (mut compared, mut ties) = (0u64, 0u64);
    for (seed, ref mut random) in seeds(0, 300) {
        let kind = kind(random, false);
        let text = graph_game(random, &kind).text;
        let game = game(&text);
        let mut reasoner = Reasoner::new(&game).unwrap();
        let start = reasoner.initial().unwrap();
        let roles = game.roles().iter().enumerate();
        let players = roles.filter(|(_, role)| !role.is_random());
        let mut grower = Grower {
            players: players.map(|(index, _)| index).collect(),
            objective: [Objective::Win, Objective::Points][seed as usize % 2],
            choices: Vec::new(),
            reasoner,
        };
        let tree = grower.tree(&start);
        if grower
            .choices
            .iter()
            .map(|&count| count as f64)
            .product::<f64>()
            > 2048.0
        {
            continue;
        }
        compared += 1;
        let all = by_definition(&tree, &grower.choices);
        for (player, &role) in grower.players.iter().enumerate() {
            let context = format!("seed {seed}, role {role}\n{text}");
            let answer = solve(&game, role, grower.objective, Opponents::Selfish);
            let own = || all.iter().map(|values| values[player].clone());
            let expected = (own().min().unwrap(), own().max().unwrap());
            assert_eq!(answer.outcome.bounds(), expected, "{context}");
            ties += u64::from(expected.0 < expected.1);
            proved(&game, &answer, &context);
        }
    }
    assert!(
        2 * compared > rounds(300) && 20 * ties > rounds(300),
        "{compared} {ties}"
    );
}

#[test]
fn two_roles_of_which_one_gets_what_the_other_loses_have_the_value_of_opponents() {
    for (seed, ref mut random) in seeds(0, 100) {
        let kind = GraphKind {
            roles: if random.bool() {
                vec!["x", "o"]
            } else {
                vec!["x", "o", "random"]
            },
            positions: random.usize(2..8),
            points: GraphPoints::ZeroSum,
            ..kind(random, false)
        };
        let text = graph_game(random, &kind).text;
        let game = game(&text);
        for role in 0..2 {
            let known = solve(&game, role, Objective::Points, Opponents::Best);
            let found = solve(&game, role, Objective::Points, Opponents::Selfish);
            assert_eq!(
                found.value(),
                known.value(),
                "seed {seed}, role {role}\n{text}"
            );
            assert!(found.value().is_some(), "seed {seed}\n{text}");
        }
    }
}

#[test]
fn equilibria_of_endless_games_are_proved() {
    let mut found = 0u64;
    for (seed, ref mut random) in seeds(0, 150) {
        let kind = kind(random, true);
        let text = graph_game(random, &kind).text;
        let game = game(&text);
        let question = Question::about(&game).unwrap().objective(Objective::Points);
        let mut options = Options::default();
        options.extras.strategy = Some(1000);
        match engines::solve(&game, &question.opponents(Opponents::Selfish), &options) {
            Ok(answer) => {
                found += 1;
                proved(&game, &answer, &format!("seed {seed}\n{text}"));
            }
            Err(error) => assert_eq!(
                error.kind(),
                ErrorKind::Depth,
                "seed {seed}: {error}\n{text}"
            ),
        }
    }
    assert!(20 * found >= 19 * rounds(150), "{found}");
}

/// left may stop with a point for itself, or leave it to right, who may stop with two for each or begin again; with `LAST` points for left at the end.
const WAITING: &str = "(role left) (role right) (init (turn left)) (other left right) (other right left)
    (<= (legal ?p stop) (true (turn ?p))) (<= (legal ?p go) (true (turn ?p)))
    (<= (legal ?p noop) (other ?p ?q) (true (turn ?q)))
    (<= (next (turn ?q)) (other ?p ?q) (does ?p go)) (<= (next (over ?p)) (does ?p stop))
    (<= terminal (true (over ?p))) (<= (goal left LAST) (true (over left))) (<= (goal right 0) (true (over left)))
    (<= (goal ?p 2) (role ?p) (true (over right)))";

#[test]
fn flaws_of_equilibria_are_found() {
    let game = game(&WAITING.replace("LAST", "1"));
    let answer = solve(&game, 0, Objective::Points, Opponents::Selfish);
    assert_eq!(answer.value(), Some(&BigRational::from_integer(2.into())));
    let strategy = proved(&game, &answer, "left waits");
    let flaw = |change: &dyn Fn(&mut Equilibrium)| {
        let mut wrong = strategy.clone();
        change(&mut wrong);
        match verify_equilibrium(&game, &wrong, &Limits::default())
            .unwrap()
            .verdict
        {
            Verdict::Refused(refusal) => refusal.flaw,
            other => panic!("{other:?}"),
        }
    };
    let action = |strategy: &mut Equilibrium, text: &str| {
        strategy.terms.number(&gdl::parse_terms(text).unwrap()[0])
    };
    let half = BigRational::new(One::one(), 2.into());
    assert_eq!(flaw(&|it| it.positions.truncate(1)), Flaw::Missing);
    assert_eq!(
        flaw(&|it| it.positions.push(it.positions[0].clone())),
        Flaw::ListedTwice
    );
    assert_eq!(flaw(&|it| it.positions[1].choice = None), Flaw::Missing);
    assert!(matches!(
        flaw(&|it| it.heading.value -= &half),
        Flaw::BrokenPromise { .. }
    ));
    assert!(matches!(
        flaw(&|it| it.positions[0].values[1] += &half),
        Flaw::WrongShare { .. }
    ));
    let set = |it: &mut Equilibrium, position: usize, text: &str, values: [i64; 2]| {
        let action = action(it, text);
        let standing = &mut it.positions[position];
        standing.choice.as_mut().unwrap().action = action;
        standing.values = values
            .map(|value| BigRational::from_integer(value.into()))
            .into();
    };
    assert!(matches!(
        flaw(&|it| set(it, 0, "noop", [2, 2])),
        Flaw::IllegalMove { .. }
    ));
    let stops = |it: &mut Equilibrium| {
        set(it, 0, "stop", [1, 0]);
        it.heading.value = One::one();
    };
    assert!(matches!(flaw(&stops), Flaw::Gain { .. }));
    let second = |it: &mut Equilibrium| it.positions[0].ties = [action(it, "stop")].into();
    assert!(matches!(flaw(&second), Flaw::WrongValue { .. }));
    let waits = |it: &mut Equilibrium| {
        set(it, 0, "go", [2, 2]);
        set(it, 1, "go", [2, 2]);
    };
    assert_eq!(flaw(&waits), Flaw::NeverEnds);
}

#[test]
fn questions_without_an_answer_are_refused() {
    let refused = |text: &str| {
        let game = game(text);
        let question = Question::about(&game)
            .unwrap()
            .opponents(Opponents::Selfish);
        let answer = engines::solve(
            &game,
            &question.objective(Objective::Points),
            &Options::default(),
        );
        answer.map(|answer| answer.text()).unwrap_err().to_string()
    };
    let below = refused(&WAITING.replace("LAST", "-1"));
    assert!(below.contains("goals may be below 0"), "{below}");
    let together = "(role a) (role b) (init s) (legal a x) (legal a y) (legal b x) (legal b y)
        (<= (next over) (does a x)) (<= (next over) (does a y)) (<= terminal (true over)) (goal a 0) (goal b 0)";
    let together = refused(together);
    assert!(
        together.starts_with("a and b choose at the same time in the state {s}"),
        "{together}"
    );
}
