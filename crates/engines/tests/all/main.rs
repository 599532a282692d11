//! Answers of work that was stopped: random games of all kinds, stopped at random places, against the answer of work that went on.
//!
//! A count of checks of the limits stops the work, so it stops at the same places on a slow machine. Every interval that an answer reports on the way or
//! in the end contains the value, none is wider than one before, and each sentence about plays that were not seen is true. How long plays are is known
//! from the graph that a game is made of. Values within a number of steps are those of minimax where all roles see everything; in all games they are
//! lower bounds without a number of steps.

mod answers;
mod mixed;
mod selfish;
mod symmetries;

use formula::{BigRational, Outcome};
use gdl::game::{Game, Objective};
use generators::{GraphGame, GraphKind, GraphPoints, graph_game};
use limits::{Interrupt, lock, share_out, thread_count};
use num_traits::Zero;
use rules::{Minimax, Reasoner};
use sqasp_engines::answer::{Answer, Subject};
use sqasp_engines::{self as engines, Observer, Options, Question};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A kind of games, and how they are asked about.
#[derive(Clone, Copy, Debug)]
struct Kind {
    name: &'static str,
    is_hidden: bool,
    is_endless: bool,
    is_mixed: bool,
}

const fn kind(name: &'static str, is_hidden: bool, is_endless: bool, is_mixed: bool) -> Kind {
    Kind {
        name,
        is_hidden,
        is_endless,
        is_mixed,
    }
}

/// A random game of a kind, and what is known of it.
fn game_of(random: &mut fastrand::Rng, kind: Kind) -> GraphGame {
    let mut roles = vec!["x"];
    if !(kind.is_hidden && kind.is_endless) && random.u8(..4) > 0 {
        roles.push("o");
    }
    if kind.is_hidden || random.u8(..3) > 0 {
        roles.push("random");
    }
    // A role knows its moves whatever it sees.
    let moves: &[usize] = match kind.is_hidden {
        true => &[2],
        false => &[1, 2, 2, 3],
    };
    let kind = GraphKind {
        roles,
        positions: random.usize(2..7),
        ends: random.usize(2..4),
        moves,
        other_moves: moves,
        takes_turns: false,
        is_endless: kind.is_endless,
        stay_and_end: (0, 2),
        is_hidden: kind.is_hidden,
        points: GraphPoints::Each(&[0, 0, 30, 50, 100, 100]),
    };
    graph_game(random, &kind)
}

/// Everything that an answer says on the way.
#[derive(Default)]
struct Heard(Mutex<Vec<Answer>>);

impl Observer for Heard {
    fn answer(&self, answer: &Answer) {
        lock(&self.0).push(answer.clone());
    }

    fn period(&self) -> Duration {
        Duration::ZERO
    }
}

/// A question, with bounds of its value that are known without stopping.
struct Asked {
    game: Game,
    longest: Option<u32>,
    question: Question,
    options: Options,
    known: Answer,
    /// The value of the whole game.
    whole: Outcome,
    /// Lower bounds by play within a number of steps, and the value if it is known otherwise.
    least: BigRational,
}

impl Asked {
    /// The options with an interrupt after this number of checks, and the listener.
    fn stopped_after(&self, checks: u64) -> (Options, Arc<Heard>) {
        let heard = Arc::new(Heard::default());
        let mut options = self.options.clone();
        options.limits.interrupt = Interrupt::after_checks(checks);
        options.observer = heard.clone();
        (options, heard)
    }

    /// The fault of an interval.
    fn interval(&self, found: &Outcome, known: &Outcome, about: &str) -> Result<(), String> {
        let ((lower, upper), (least, most)) = (found.bounds(), known.bounds());
        match lower <= upper && lower <= most && least <= upper {
            true => Ok(()),
            false => Err(format!(
                "{about} [{lower}, {upper}], known [{least}, {most}]"
            )),
        }
    }

    /// The fault of an answer that was stopped, after those that came before it.
    fn check(&self, answer: &Answer, before: &[Answer]) -> Result<(), String> {
        let mut last = self.known.subject.range().largest();
        let mut first = BigRational::zero();
        for each in before.iter().chain([answer]) {
            self.interval(&each.outcome, &self.known.outcome, "the value is in")?;
            let (lower, upper) = each.outcome.bounds();
            if lower < first || upper > last || upper < self.least {
                return Err(format!(
                    "[{lower}, {upper}] after [{first}, {last}], at least {}",
                    self.least
                ));
            }
            (first, last) = (lower, upper);
            self.check_words(each)?;
            for (own, known) in each
                .moves
                .iter()
                .flatten()
                .zip(self.known.moves.iter().flatten())
            {
                if own.action != known.action {
                    return Err("the moves are others".to_owned());
                }
                // With hidden or simultaneous moves the worth of a move is that against a mixture, which need not be the same.
                if !self.game.has_percepts() && !self.question.mixed {
                    self.interval(&own.outcome, &known.outcome, "a move is in")?;
                }
            }
        }
        // All forms of the answer can be made.
        let _ = (answer.text(), answer.json(), answer.competition_lines());
        Ok(())
    }

    /// The fault of what an answer says about plays.
    fn check_words(&self, answer: &Answer) -> Result<(), String> {
        let Subject::Game(subject) = &answer.subject else {
            return Err("no game".to_owned());
        };
        if subject.depth_found
            && self
                .longest
                .is_none_or(|longest| subject.depth.steps() < Some(longest))
        {
            return Err(format!(
                "plays take {:?} steps, and {:?} is told",
                self.longest, subject.depth
            ));
        }
        let Some(depth) = subject.depth.steps() else {
            return Ok(());
        };
        let is_longer = self.longest.is_none_or(|longest| longest > depth);
        match (is_longer && !answer.cut_off, answer.value()) {
            (false, _) => Ok(()),
            (true, None) => Err(format!("some plays are not over after {depth} steps")),
            // They do not count in a value that is that of the whole game.
            (true, Some(_)) => self.interval(&answer.outcome, &self.whole, "the whole game is in"),
        }
    }
}

/// A random question about a game.
fn asked(
    random: &mut fastrand::Rng,
    kind: Kind,
    made: &GraphGame,
    budget: u64,
) -> Result<Asked, String> {
    let game = engines::read("random", made.text.as_bytes()).map_err(|error| error.to_string())?;
    let objectives = [Objective::Win, Objective::Points, Objective::Score];
    let objective = objectives[random.usize(..3)];
    let depth = (random.u8(..3) == 0).then(|| random.u32(1..8));
    let mut question = Question::new(game.roles()[0].clone()).objective(objective);
    question.depth = depth;
    question.mixed = kind.is_mixed;
    let mut options = Options::default();
    options.use_threads(Some(1));
    options.extras.moves = random.bool();
    options.extras.winning_move = random.bool();
    let is_open = !kind.is_hidden && !kind.is_mixed;
    if is_open && random.bool() {
        let names = ["table", "xssat", "frontier", "learning"];
        // Formulas need a number of steps.
        let takes_all = kind.is_endless && depth.is_none();
        let name = names[random.usize(..if takes_all { 1 } else { 4 })];
        options = options.engine(name).map_err(|error| error.to_string())?;
    } else if random.u8(..4) == 0 {
        options.extras.strategy = Some(1000);
    }
    let patient = |question: &Question| {
        let mut patient = Options::default();
        patient.use_threads(Some(1));
        patient.extras.moves = options.extras.moves;
        patient.limits.interrupt = Interrupt::after_checks(budget);
        engines::solve(&game, question, &patient).map_err(|error| error.to_string())
    };
    let known = patient(&question)?;
    let mut all_steps = question.clone();
    all_steps.depth = None;
    let whole = patient(&all_steps)?;
    let mut asked = Asked {
        longest: made.longest,
        least: BigRational::zero(),
        known,
        whole: whole.outcome,
        game,
        question,
        options,
    };
    if is_open {
        let minimax = |depth| {
            let reasoner = Reasoner::new(&asked.game).ok()?;
            Minimax::new(reasoner, 0, objective)
                .initial_value(depth)
                .ok()
        };
        asked.least = minimax(depth.unwrap_or(7)).ok_or("no minimax")?;
        let is_whole = depth.is_some() || made.longest.is_some_and(|longest| longest <= 7);
        if is_whole && asked.known.value() != Some(&asked.least) {
            return Err(format!("{:?} is not {}", asked.known.outcome, asked.least));
        }
    } else if depth.is_none() {
        let mut steps = asked.question.clone();
        steps.depth = Some(5);
        let found = engines::solve(&asked.game, &steps, &Options::default());
        asked.least = found.map_err(|error| error.to_string())?.outcome.bounds().0;
    }
    Ok(asked)
}

/// The number of answers of work that was stopped; or the first fault.
fn stop_at_random(seed: u64, kind: Kind, budget: u64) -> Result<u64, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let made = game_of(&mut random, kind);
    let text = &made.text;
    let asked =
        asked(&mut random, kind, &made, budget).map_err(|error| format!("{error}\n{text}"))?;
    let mut stopped = 0;
    let (options, heard) = asked.stopped_after(budget);
    let whole = engines::solve(&asked.game, &asked.question, &options);
    let left = options.limits.interrupt.checks_left().unwrap_or(0);
    let all = budget - left;
    let mut run = |options: &Options, heard: &Heard, found: Result<Answer, _>, at: u64| {
        let found: Answer = found.map_err(|error: engines::Error| {
            format!("after {at} of {all} checks: {error}\n{text}")
        })?;
        stopped += u64::from(options.limits.interrupt.is_raised());
        let before = std::mem::take(&mut *lock(&heard.0));
        asked.check(&found, &before).map_err(|error| {
            format!(
                "after {at} of {all} checks: {error}\n{:?}\n{text}",
                asked.question
            )
        })
    };
    run(&options, &heard, whole, budget)?;
    for _ in 0..4 {
        let most = if random.bool() { all } else { all.min(100) };
        let checks = random.u64(..=most);
        let (options, heard) = asked.stopped_after(checks);
        let found = engines::solve(&asked.game, &asked.question, &options);
        run(&options, &heard, found, checks)?;
    }
    Ok(stopped)
}

/// Every interval of work on games of this kind that was stopped contains the value.
fn stop_games(kind: Kind) {
    const BUDGET: u64 = 20_000;
    let seeds: Vec<u64> = (0..generators::rounds(30)).collect();
    let games = seeds.len() as u64;
    let found = share_out(0..thread_count(0), seeds, |_, seed| {
        let run = || stop_at_random(seed, kind, BUDGET);
        let found = catch_unwind(AssertUnwindSafe(run));
        let found = found.unwrap_or_else(|_| Err("a panic, see above".to_owned()));
        found.map_err(|error| format!("{}, seed {seed}: {error}", kind.name))
    });
    let faults: Vec<&String> = found
        .iter()
        .filter_map(|found| found.as_ref().err())
        .collect();
    for fault in &faults {
        eprintln!("{}", fault.lines().next().unwrap_or_default());
    }
    assert!(faults.is_empty(), "{} faults; {}", faults.len(), faults[0]);
    let stopped: u64 = found.iter().flatten().sum();
    eprintln!(
        "{}: {games} games from seed 0, {stopped} times stopped",
        kind.name
    );
    assert!(stopped >= games, "{}: too seldom stopped", kind.name);
}

#[test]
fn stopped_work_on_ordinary_games() {
    stop_games(kind("ordinary", false, false, false));
}

#[test]
fn stopped_work_on_endless_games() {
    stop_games(kind("endless", false, true, false));
}

#[test]
fn stopped_work_on_mixed_games() {
    stop_games(kind("mixed", false, false, true));
}

#[test]
fn stopped_work_on_mixed_games_without_end() {
    stop_games(kind("mixed without end", false, true, true));
}

#[test]
fn stopped_work_on_hidden_games() {
    stop_games(kind("hidden", true, false, false));
}

#[test]
fn stopped_work_on_hidden_games_without_end() {
    stop_games(kind("hidden without end", true, true, false));
}
