//! The games in `games/`: their known values, and the scripts that print some of them.
//!
//! `games/expect.toml` holds what is known; an entry there is a test, no Rust is needed to add one.

use crate::common::{
    PREFIX_METHODS, checked_in_game, file_name, game, game_files, in_parallel, question, read_text,
    root, say, takes_all, verdict,
};
use engines::search::{Search, SearchOptions};
use engines::strategy::Extracted;
use engines::{Opponents, Options, Question};
use formula::{Outcome, Value};
use gdl::game::{Aim, Objective};
use gdl::{MAX_POINTS, Name, parse_terms};
use generators::rows;
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use serde::Deserialize;
use std::collections::{BTreeSet, HashSet};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use verify::Verdict;

/// One `[[entry]]` of `games/expect.toml`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) file: String,
    pub(crate) role: String,
    /// All steps count without a number.
    pub(crate) depth: Option<u32>,
    /// Facts, if play starts elsewhere.
    pub(crate) start: Option<String>,
    #[serde(default = "win")]
    pub(crate) objective: String,
    pub(crate) value: String,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    entry: Vec<Entry>,
    /// Values with mixed strategies.
    mixed: Vec<Entry>,
    /// Values of games of hidden information.
    hidden: Vec<Entry>,
    /// Values of roles that play for themselves.
    selfish: Vec<Entry>,
}

impl Entry {
    pub(crate) fn name(&self) -> String {
        let steps = self.depth.map(|depth| format!(" {depth}"));
        let steps = steps.unwrap_or_default();
        format!("{} {}{steps} {}", self.file, self.role, self.objective)
    }
}

fn win() -> String {
    "win".into()
}

fn expectations() -> Expectations {
    let text = read_text(root().join("games/expect.toml"));
    toml::from_str(&text).expect("games/expect.toml")
}

pub(crate) fn entries() -> Vec<Entry> {
    expectations().entry
}

#[test]
fn every_entry_is_well_formed() {
    let Expectations {
        entry,
        mixed,
        hidden,
        selfish,
    } = expectations();
    let known = entry.into_iter().map(|entry| (false, entry));
    let mut seen = HashSet::new();
    let others = mixed.into_iter().chain(hidden).chain(selfish);
    let others = others.map(|entry| (true, entry));
    for (is_mixed, entry) in known.chain(others) {
        let name = entry.name();
        let text = read_text(root().join("games").join(&entry.file));
        let declared = [
            format!("(role {})", entry.role),
            format!("role({})", entry.role),
        ];
        assert!(
            declared.iter().any(|fact| text.contains(fact)) && entry.role != "random",
            "{name}: the game has no player of this name"
        );

        let value: BigRational = entry.value.parse().expect(&name);
        let most = BigRational::from_integer(MAX_POINTS.into());
        let largest = if entry.objective == "points" {
            most
        } else {
            One::one()
        };
        assert!(
            value <= largest && (value >= Zero::zero() || entry.objective == "points"),
            "{name}: over {largest} or below 0"
        );
        let reduced = format!("{}/{}", value.numer(), value.denom());
        assert_eq!(
            entry.value, reduced,
            "{name}: write the value as a reduced fraction"
        );

        let bound = entry
            .objective
            .strip_prefix("goal>=")
            .map(str::parse::<u32>);
        assert!(
            matches!(entry.objective.as_str(), "win" | "score" | "points")
                || matches!(bound, Some(Ok(0..=MAX_POINTS))),
            "{name}: objective {}",
            entry.objective
        );
        assert!(
            !entry.source.is_empty(),
            "{name}: where is the value known from?"
        );
        assert!(
            seen.insert((
                is_mixed,
                entry.file,
                entry.role,
                entry.depth,
                entry.start,
                entry.objective
            )),
            "{name}: stands there twice"
        );
    }
}

/// The heart of the project: known values come out exactly, through every stage of the logical
/// route, however the prefix is chosen.
#[test]
fn every_value_comes_out_by_the_logical_route() {
    let mut jobs = Vec::new();
    for entry in entries() {
        let depth = entry.depth;
        let with = |prefix| Some((entry.clone(), depth?, prefix));
        let mut both: Vec<_> = PREFIX_METHODS.into_iter().filter_map(with).collect();
        // In turns, where one is enough.
        if !takes_all() && both.len() > 1 {
            both.remove(jobs.len() % 2);
        }
        jobs.extend(both);
    }
    assert!(jobs.len() > 50, "only {} values to find", jobs.len());
    in_parallel(jobs, |(entry, depth, prefix)| {
        let name = format!("{} {prefix}", entry.name());
        let start = Instant::now();
        let game = checked_in_game(&entry.file);
        let objective = entry.objective.parse().expect("an objective");
        let question = question(&entry.role, depth, objective);
        let value = crate::common::logical_value(&game, &question, prefix);
        eprintln!("{:8.3} s  {name}", start.elapsed().as_secs_f64());
        let found = format!("{}/{}", value.numer(), value.denom());
        if found == entry.value {
            Ok(())
        } else {
            Err(format!("{name}: {found}, but it is {}", entry.value))
        }
    });
}

/// Games on boards so large that their values are not proved here.
const LARGE_BOARDS: [&str; 2] = ["connect", "4x4"];

/// The most positions of a strategy that is verified.
fn max_positions() -> usize {
    match takes_all() {
        true => 100_000,
        false => 3_000,
    }
}

/// Whether the strategy of an answer proves the value of an entry; it may be too large to be written down. The value is what is known.
fn is_proved(
    entry: &Entry,
    positions: Option<usize>,
    change: impl Fn(Question) -> Question,
) -> Result<bool, String> {
    let name = entry.name();
    let mut game = checked_in_game(&entry.file);
    if let Some(start) = &entry.start {
        game = game.starting_from(&parse_terms(start).expect("facts"));
    }
    let question = Question::new(Name::new(&entry.role)).depth(entry.depth);
    let question = question.objective(entry.objective.parse::<Aim>().expect("an objective"));
    let mut options = Options::default();
    options.extras.strategy = positions;
    let answer = engines::solve(&game, &change(question), &options);
    let answer = answer.map_err(|error| format!("{name}: {error}"))?;
    let value: BigRational = entry.value.parse().expect("a fraction");
    if answer.value() != Some(&value) {
        return Err(format!("{name}: {:?}, but it is {value}", answer.outcome));
    }
    match answer.strategy.as_ref().map(Extracted::complete) {
        None | Some(None) => Ok(false),
        Some(Some(strategy)) => match verdict(&game, strategy) {
            Ok(Verdict::Proved(found)) if found == value => Ok(true),
            other => Err(format!("{name}: the strategy for {value}: {other:?}")),
        },
    }
}

/// The same values by the engine that suits the question, which shares nothing with the logical route but the game. What it
/// advises both sides to do is a strategy that proves the value by the rules alone.
#[test]
fn every_value_comes_out_and_its_strategy_proves_it() {
    let proved = AtomicUsize::new(0);
    let mut entries = entries();
    // The other role of these games is as much work again.
    let is_long = |entry: &Entry| {
        let long = ["stochastic_ttt_4x4.gdl", "endless_ludo.gdl"];
        entry.role == "oplayer" && long.contains(&&*entry.file)
    };
    entries.retain(|entry| takes_all() || !is_long(entry));
    in_parallel(entries, |entry| {
        let is_large = LARGE_BOARDS.iter().any(|board| entry.file.contains(board));
        let positions = (!is_large).then(max_positions);
        let is_proved = is_proved(&entry, positions, |question| question)?;
        proved.fetch_add(usize::from(is_proved), Ordering::Relaxed);
        Ok(())
    });
    let proved = proved.into_inner();
    say(&format!(
        "strategies prove {proved} known values by the rules"
    ));
    assert!(proved > 70, "only {proved} strategies were verified");
}

/// Values with mixed strategies, of games of hidden information, and of roles that play for themselves: all have strategies that prove them.
#[test]
fn every_value_of_other_kinds_is_proved() {
    let Expectations {
        mixed,
        hidden,
        selfish,
        ..
    } = expectations();
    let others = mixed.into_iter().chain(hidden);
    let others = others.map(|entry| (entry, false));
    let selfish = selfish.into_iter().map(|entry| (entry, true));
    in_parallel(others.chain(selfish).collect(), |(entry, is_selfish)| {
        // Policies by what a role sees are written for a number of steps.
        let has_strategy = !entry.file.starts_with("hidden_endless");
        let positions = has_strategy.then_some(1_000_000);
        let is_proved = is_proved(&entry, positions, |question| match is_selfish {
            true => question.opponents(Opponents::Selfish),
            false => question.mixed(true),
        })?;
        match is_proved == has_strategy {
            true => Ok(()),
            false => Err(format!("{}: no strategy", entry.name())),
        }
    });
}

#[test]
fn every_game_has_a_value() {
    let known = entries().into_iter().chain(expectations().hidden);
    let known = known.chain(expectations().selfish);
    let known: HashSet<String> = known.map(|entry| entry.file).collect();
    for path in game_files() {
        let name = file_name(&path);
        assert!(
            known.contains(&name),
            "games/{name}: no entry in games/expect.toml"
        );
    }
}

/// Runs a script of this repository.
fn run_script(command: &str) -> Output {
    let mut words = command.split_whitespace();
    let script = words.next().expect("a command");
    let result = Command::new("python3")
        .arg(root().join(script))
        .args(words)
        .output();
    result.expect("python3 is installed (scripts/setup --test)")
}

#[test]
fn written_games_are_what_their_script_prints() {
    let mut written = BTreeSet::new();
    for path in game_files() {
        let name = file_name(&path);
        let text = read_text(&path);
        let marker = "; Written by: ";
        let Some(command) = text.lines().find_map(|line| line.strip_prefix(marker)) else {
            continue;
        };
        written.insert(name.clone());
        let output = run_script(command);
        assert!(output.status.success(), "{command}: {output:?}");
        assert!(
            String::from_utf8(output.stdout).expect("UTF-8") == text,
            "games/{name} is not what this prints any more: {command}"
        );
    }
    for name in ["stochastic_ttt.gdl", "connect_4_random_second.gdl"] {
        assert!(
            written.contains(name),
            "games/{name} does not say how it was written"
        );
    }
}

/// Pig as it was solved by hand, and Farkle, of which `tests/by_hand/endless_dice.py farkle 3 3` says 0.648865153548.
#[test]
fn endless_games_of_dice_have_the_values_of_other_programs() {
    for (script, expected) in [
        ("scripts/dice-game pig --goal 5 --sides 3", "27/43"),
        ("scripts/dice-game farkle --goal 3 --dice 3", "486/749"),
    ] {
        let output = run_script(script);
        let game = game("dice", &String::from_utf8(output.stdout).expect("UTF-8"));
        let role = Name::new("xplayer");
        let search = Search::new(&game, &role, Objective::Win, &SearchOptions::default());
        let mut search = search.expect("a step");
        let answer = search.solve(&search.initial(), None, &Limits::default());
        let value = Outcome::Solved(Value::Exact(expected.parse().expect("a fraction")));
        assert_eq!(answer.expect("an answer").outcome, value, "{script}");
    }
}

/// Games of dice, and programs that know nothing of GDL: both have the same fraction.
#[test]
fn games_of_dice_have_the_values_that_were_computed_by_hand() {
    for (options, sizes) in [
        ("shut-the-box --tiles 5", "shut-the-box 5"),
        ("yahtzee --categories 2 --goal 6", "yahtzee 2 6"),
        ("2048 --width 2 --height 2 --tile 16", "2048 2 2 16"),
        ("2048 --width 3 --height 2 --tile 8", "2048 3 2 8"),
        ("einstein --size 3 --stones 2", "einstein 3 2"),
        ("blackjack", "blackjack"),
        ("race --length 8", "race 8"),
        ("rerolls --dice 3 --alike 3", "rerolls 3 3 0"),
        ("rerolls --dice 4 --alike 3", "rerolls 4 3 0"),
        ("rerolls --dice 4 --total 18", "rerolls 4 0 18"),
    ] {
        let output = run_script(&format!("scripts/dice-game {options}"));
        let game = game("dice", &String::from_utf8(output.stdout).expect("UTF-8"));
        let role = game.players().next().expect("a player").clone();
        let search = Search::new(&game, &role, Objective::Win, &SearchOptions::default());
        let mut search = search.expect("a step");
        let output = run_script(&format!("tests/by_hand/dice.py {sizes}"));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let value = text.split(' ').next().expect("a value");
        let value = Outcome::Solved(Value::Exact(value.parse().expect("a fraction")));
        let has_four_dice = options.starts_with("rerolls --dice 4");
        // Within a number of steps the search answers, which keeps no list of states.
        for depth in [Some(3), None]
            .into_iter()
            .skip(usize::from(!has_four_dice))
        {
            let answer = search.solve(&search.initial(), depth, &Limits::default());
            let answer = answer.expect("an answer");
            assert_eq!(answer.outcome, value, "{options}");
            // Dice are exchanged, and where they are added up one after the other, too; sides where all of them count alike.
            let images = answer.statistics.iter().find(|(name, _)| *name == "images");
            assert!(
                !has_four_dice || images.is_some_and(|(_, images)| *images >= 24),
                "{options}"
            );
        }
    }
}

/// The programs that know nothing of GDL have the values of `games/expect.toml`.
#[test]
fn games_of_hidden_information_have_the_values_that_were_computed_by_hand() {
    let output = run_script("tests/by_hand/hidden.py all");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let known = expectations().hidden;
    let by_hand = known
        .iter()
        .filter(|entry| entry.source.contains("by_hand/hidden.py,"));
    let mut found = 0;
    for entry in by_hand {
        let game = entry
            .file
            .trim_start_matches("hidden_")
            .trim_end_matches(".gdl");
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        let (_, value) = lines.find(|(name, _)| *name == game).expect("a line");
        assert_eq!(
            value.parse::<BigRational>(),
            entry.value.parse(),
            "{}",
            entry.file
        );
        found += 1;
    }
    assert_eq!(found, 8);
}

#[test]
fn scripts_refuse_what_makes_no_game() {
    for [command, message] in rows(
        r"
            board-game --rule mark --width 3 --height 3 => required: --line
            board-game --rule mark --width 3 --height 3 --line 4 => --line 4 fits nowhere on a 3x3 board
            board-game --rule mark --width 3 --height 3 --line 0 => --line must be at least 1
            board-game --rule mark --width 3 --height 3 --line three => invalid int value: 'three'
            board-game --rule mark --width 3 --height 3 --line 3 --keep 4 => --keep and --flip go together
            board-game --rule mark --width 3 --height 3 --line 3 --keep 0 --flip 0 => cannot both be 0
            board-game --rule mark --width 3 --height 3 --line 3 --keep -1 --flip 2 => cannot be negative
            board-game --rule mark --width 3 --height 3 --line 3 --against random => go together
            board-game --rule mark --width 3 --height 3 --line 3 --player first => go together
            board-game --rule mark --width 3 --height 3 --line 3 --against random --player first --keep 1 --flip 1 => cannot be combined
            board-game --rule go --width 3 --height 3 --line 3 => invalid choice: 'go'
            dice-game 2048 --tile 24 => the tile is a power of 2
            ",
    ) {
        let output = run_script(&format!("scripts/{command}"));
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {complaint}");
        assert!(complaint.contains(&message), "{command}: {complaint}");
        assert!(output.stdout.is_empty(), "{command} wrote something");
    }
}
