//! Random games, written, read and solved, against all pairs of positional strategies.

use crate::{Header, Model, Reach, StateRow, Writer};
use fastrand::Rng;
use limits::Limits;
use num_rational::BigRational;

/// A state: its player, its label and its choices, each with weights of targets.
#[derive(Clone, Debug)]
struct State {
    player: u32,
    is_goal: bool,
    choices: Vec<Vec<(u64, u64)>>,
}

fn random_game(rng: &mut Rng) -> Vec<State> {
    let count = rng.u64(2..7);
    let choice = |rng: &mut Rng| {
        (0..rng.usize(1..4))
            .map(|_| (rng.u64(..count), rng.u64(1..5)))
            .collect()
    };
    let state = |number: u64, rng: &mut Rng| State {
        player: rng.u32(..2),
        is_goal: number == count - 1,
        choices: (0..rng.usize(1..3)).map(|_| choice(rng)).collect(),
    };
    (0..count).map(|number| state(number, rng)).collect()
}

fn write(states: &[State], players: &[&str]) -> Vec<u8> {
    let header = Header {
        players: players.iter().map(|&name| name.to_owned()).collect(),
        ..Header::new("random", &["goal"])
    };
    let mut writer = Writer::new(header).unwrap();
    for state in states {
        let row = StateRow {
            player: state.player,
            labels: u64::from(state.is_goal),
            valuation: &[],
            reward: (0, 1),
        };
        writer.state(&row).unwrap();
        for choice in &state.choices {
            writer.choice(0).unwrap();
            let total: u64 = choice.iter().map(|(_, weight)| weight).sum();
            for &(target, weight) in choice {
                writer.branch(target, weight, total).unwrap();
            }
        }
    }
    let mut file = Vec::new();
    writer.finish(&["go".to_owned()], &mut file).unwrap();
    file
}

fn value(file: &[u8], steps: Option<u64>) -> BigRational {
    let model = Model::read(file).unwrap();
    let reach = Reach {
        steps,
        ..Reach::label("goal")
    };
    let found = model.solve(&reach, &Limits::default()).unwrap();
    found.value().expect("a small game").clone()
}

/// All ways to leave one choice to each state of a player.
fn fixed(states: &[State], player: u32) -> Vec<Vec<State>> {
    let mut all = vec![states.to_vec()];
    for number in 0..states.len() {
        if states[number].player != player {
            continue;
        }
        let each = |game: &Vec<State>| {
            let choices = game[number].choices.clone().into_iter();
            let game = game.clone();
            choices.map(move |choice| {
                let mut game = game.clone();
                game[number].choices = vec![choice];
                game
            })
        };
        all = all.iter().flat_map(each).collect::<Vec<_>>();
    }
    all
}

#[test]
fn values_are_those_of_the_best_pair_of_strategies() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    for _ in 0..60 {
        let game = random_game(&mut rng);
        let worst = |game: &Vec<State>| {
            let chains = fixed(game, 1);
            chains
                .iter()
                .map(|chain| value(&write(chain, &[]), None))
                .min()
                .unwrap()
        };
        let best = fixed(&game, 0).iter().map(worst).max().unwrap();
        let file = write(&game, &["max", "min"]);
        assert_eq!(value(&file, None), best, "{game:?}");
        // Fewer steps are never worth more.
        let steps: Vec<BigRational> = (0..6).map(|steps| value(&file, Some(steps))).collect();
        assert!(steps.is_sorted() && steps[5] <= best, "{game:?}");
    }
}

#[test]
fn broken_files_are_refused() {
    let file = write(&random_game(&mut Rng::with_seed(1)), &["max", "min"]);
    for length in [0, 1, 100, 512, 2000, file.len() / 2] {
        assert!(Model::read(&file[..length]).is_err(), "{length}");
    }
    // Whatever single bytes are changed to: an error or a model, never a panic.
    let mut rng = Rng::with_seed(2);
    for _ in 0..3000 {
        let mut file = file.clone();
        for _ in 0..rng.usize(1..4) {
            let place = rng.usize(..file.len());
            file[place] = rng.u8(..);
        }
        if let Ok(model) = Model::read(&file[..]) {
            let _ = model.solve(&Reach::label("goal").within(2), &Limits::default());
        }
    }
}

/// The files of an archive.
fn files(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(archive);
    let entries = archive.entries().expect("an archive");
    entries
        .map(|entry| {
            let mut entry = entry.expect("an entry");
            let name = String::from_utf8(entry.path_bytes().into_owned()).expect("a name");
            let mut bytes = Vec::new();
            std::io::copy(&mut entry, &mut bytes).expect("bytes");
            (name, bytes)
        })
        .collect()
}

fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder
            .append_data(&mut header, name, &bytes[..])
            .expect("memory");
    }
    builder.into_inner().expect("memory")
}

/// A file after a change, and why it is refused.
fn refusal(change: impl FnOnce(&mut Vec<(String, Vec<u8>)>)) -> String {
    let file = write(&random_game(&mut Rng::with_seed(1)), &["max", "min"]);
    let mut files = files(&file);
    assert!(Model::read(&archive(&files)).is_ok());
    change(&mut files);
    Model::read(&archive(&files))
        .expect_err("a broken file")
        .to_string()
}

/// The bytes of one of the files.
fn named<'a>(files: &'a mut [(String, Vec<u8>)], name: &str) -> &'a mut Vec<u8> {
    let file = files.iter_mut().find(|(other, _)| other == name);
    &mut file.expect("it is there").1
}

/// Replaces what stands in the index from one text up to the first of these letters.
fn index_with(files: &mut [(String, Vec<u8>)], from: &str, to: &[char], new: &str) {
    let bytes = named(files, "index.json");
    let text = String::from_utf8(bytes.clone()).expect("text");
    let start = text.find(from).expect("it is there");
    let end = start + text[start..].find(to).expect("an end");
    *bytes = [&text[..start], new, &text[end..]].concat().into_bytes();
}

#[test]
fn files_that_lack_something_are_refused() {
    for name in [
        "state-to-player.bin",
        "annotations/aps/goal/states/values.bin",
        "branch-to-target.bin",
        "branch-to-probability.bin",
        "state-is-initial.bin",
    ] {
        let reason = refusal(|files| {
            let before = files.len();
            files.retain(|(other, _)| other != name);
            assert_eq!(files.len() + 1, before, "{name}");
        });
        let is_named = reason.contains(name) || name == "state-is-initial.bin";
        assert!(is_named && reason.contains("missing"), "{name}: {reason}");
        let twice = refusal(|files| {
            let mut bytes = named(files, name).clone();
            bytes[0] ^= 1;
            files.push((name.to_owned(), bytes));
        });
        assert!(twice.contains(&format!("has {name} twice")), "{twice}");
    }
}

#[test]
fn counts_that_cannot_be_are_refused() {
    for (name, new) in [
        ("#players", "9000000000000000000"),
        ("#players", "100000"),
        ("#states", "2000000000"),
        ("#states", "9000000000000000000"),
        ("#choices", "2000000000"),
        ("#branches", "2000000000"),
        ("#initial-states", "7"),
        ("#choice-actions", "9000000000000000000"),
        ("#branch-actions", "9000000000000000000"),
    ] {
        refusal(|files| {
            let new = format!("\"{name}\":{new}");
            index_with(files, &format!("\"{name}\""), &[',', '}', '\n'], &new);
        });
    }
}

#[test]
fn without_probabilities_each_choice_has_one_branch() {
    // Two choices and two branches in all, and both belong to the second choice.
    let game = State {
        player: 0,
        is_goal: false,
        choices: vec![vec![(1, 1)], vec![(1, 1)]],
    };
    let goal = State {
        is_goal: true,
        choices: Vec::new(),
        ..game.clone()
    };
    let mut files = files(&write(&[game, goal], &["max"]));
    files.retain(|(name, _)| name != "branch-to-probability.bin");
    index_with(&mut files, "branch-probability-type", &['"'], "other");
    assert_eq!(value(&archive(&files), Some(1)).to_string(), "1");
    let starts = named(&mut files, "choice-to-branches.bin");
    assert_eq!(starts[8], 1);
    starts[8] = 0;
    let reason = Model::read(&archive(&files)).expect_err("a choice without a branch");
    assert!(reason.to_string().contains("no probabilities"), "{reason}");
}

/// All members of a packed file are read, and what is packed is compared with its checksum and its length.
#[test]
fn packed_files_are_verified() {
    use flate2::{Compression, write::GzEncoder};
    let pack = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        std::io::Write::write_all(&mut encoder, bytes).expect("memory");
        encoder.finish().expect("memory")
    };
    let file = write(&random_game(&mut Rng::with_seed(3)), &["max", "min"]);
    let model = Model::read(&file).expect("a model");
    let packed = pack(&file);
    assert_eq!(Model::read(&packed).expect("a packed model"), model);
    let members = [pack(&file[..700]), pack(&file[700..])].concat();
    assert_eq!(Model::read(&members).expect("two members"), model);
    let end = packed.len();
    for place in end - 8..end {
        let mut changed = packed.clone();
        changed[place] ^= 1;
        assert!(Model::read(&changed).is_err(), "{place}");
        assert!(Model::read(&packed[..place]).is_err(), "{place}");
    }
}

/// Whatever the limit: the value, or bounds.
#[test]
fn limits_are_obeyed() {
    let file = write(&random_game(&mut Rng::with_seed(5)), &["max", "min"]);
    let exact = value(&file, None);
    for memory in [0, 100, 1000, 10_000, 1_000_000] {
        let limits = Limits::with_memory(Some(memory));
        let model = match Model::read_within(&file, &limits) {
            Err(crate::ModelError::Stopped(limits::StopReason::Memory)) => continue,
            model => model.expect("a model"),
        };
        let found = model
            .solve(&Reach::label("goal"), &limits)
            .expect("a label");
        assert!(found.lower <= exact && exact <= found.upper, "{memory}");
    }
    let limits = Limits::default();
    limits.interrupt.raise();
    let stopped = Model::read_within(&file, &limits).expect_err("it was interrupted");
    assert_eq!(stopped.to_string(), "interrupted");
}

/// A number that is not quite a fraction is named, and one that is exact is not.
#[test]
fn decimals_that_were_rounded_are_named() {
    let read = |chance: f64| {
        let file = write(&random_game(&mut Rng::with_seed(1)), &["max", "min"]);
        let model = Model::read(&file).expect("a model");
        let mut files = files(&file);
        let numbers: Vec<u8> = (0..model.choices())
            .flat_map(|choice| {
                let count = model.first_branch[choice + 1] - model.first_branch[choice];
                let rest = (1.0 - chance) / (count - 1).max(1) as f64;
                (0..count).map(move |branch| match (count, branch) {
                    (1, _) => 1.0,
                    (_, 0) => chance,
                    _ => rest,
                })
            })
            .flat_map(f64::to_le_bytes)
            .collect();
        *named(&mut files, "branch-to-probability.bin") = numbers;
        let double = "\"branch-probability-type\":{\"type\":\"double\",\"size\":64";
        index_with(&mut files, "\"branch-probability-type\"", &['}'], double);
        Model::read(&archive(&files)).expect("decimal numbers")
    };
    assert_eq!(read(0.5).decimals.map(|decimals| decimals.count), None);
    let decimals = read(1.0 / 3.0)
        .decimals
        .expect("a third is no decimal number");
    assert!(decimals.count > 0);
    assert_eq!(decimals.fraction.denom(), &3.into());
}
