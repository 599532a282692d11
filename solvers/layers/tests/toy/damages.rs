//! Damaged tables of four kinds: whatever happens to a file, nothing is answered that an undamaged table would not say.

use crate::race::random_race;
use crate::random_games::manifest;
use crate::{Toy, files};
use arena::StochasticGame;
use emm::{Engine, Layering, Options};
use fastrand::Rng;
use generators::rounds;
use limits::Limits;
use num_bigint::BigUint;
use num_rational::BigRational;
use sqasp_layers::{DiskTable, DiskTableError, Manifest, build, check};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

type Files = BTreeMap<String, Vec<u8>>;

/// Layer, key and numerator of a state.
type Record = (usize, Vec<u8>, BigUint);

/// A table of a game, and its contents.
struct Known<'a, G> {
    game: &'a G,
    state: &'a [u64],
    manifest: Manifest,
    files: Files,
    value: BigRational,
    records: Vec<Record>,
}

impl<'a, G: StochasticGame> Known<'a, G> {
    fn new(game: &'a G, state: &'a [u64], manifest: Manifest) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut known = Known {
            game,
            state,
            manifest,
            files: Files::new(),
            value: BigRational::default(),
            records: Vec::new(),
        };
        let mut table = known.build(folder.path(), u64::MAX).expect("a table");
        check(&table).expect("whole");
        known.files = files(folder.path());
        known.value = known.start(&mut table).expect("whole").expect("a value");
        known.records = records(&table).expect("whole");
        known
    }

    /// Builds the table, or goes on with it. An interrupt comes after some reports.
    fn build(&self, folder: &Path, reports: u64) -> Result<DiskTable, DiskTableError> {
        let limits = Limits::with_memory(Some(200_000));
        let interrupt = limits.interrupt.clone();
        let mut told = 0;
        let mut tell = |_| {
            told += 1;
            if told > reports {
                interrupt.raise();
            }
        };
        let (game, state, manifest) = (self.game, self.state, &self.manifest);
        build(game, state, manifest, folder, &limits, 1, &mut tell)
    }

    fn start(&self, table: &mut DiskTable) -> Result<Option<BigRational>, DiskTableError> {
        let found = table.entry(self.game, self.manifest.depth, self.state)?;
        Ok(found.map(|(_, value)| value))
    }

    /// Damages the finished table, and looks at all that reads it.
    fn damage_finished(&self, random: &mut Rng) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let (damaged, how) = damaged(&self.files, random);
        write(path, &damaged);
        self.check_answers(path, &how);
        let built = self.build(path, u64::MAX);
        match built {
            Ok(mut table) => assert!(
                (self.start(&mut table)).is_err_and(is_damage)
                    || self.start(&mut table).ok().flatten().as_ref() == Some(&self.value),
                "{how}"
            ),
            Err(error) => assert!(is_damage(error), "{how}"),
        }
        assert!(files(path) == damaged, "{how}: the folder was changed");
        how
    }

    /// Damages a table that is not finished, and goes on with it.
    fn damage_unfinished(&self, random: &mut Rng) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        if self.build(path, random.u64(..12)).is_ok() {
            return "finished".to_owned();
        }
        let (damaged, how) = damaged(&files(path), random);
        let how = format!("{how}, not finished");
        fs::remove_dir_all(path).expect("ours");
        write(path, &damaged);
        match self.build(path, u64::MAX) {
            Ok(_) => self.check_answers(path, &how),
            Err(error) => assert!(is_damage(error), "{how}"),
        }
        how
    }

    /// Whatever the folder answers is right, and it passes the check only if it has the right bytes.
    fn check_answers(&self, path: &Path, how: &str) {
        let is_right = files(path) == self.files;
        let mut table = match DiskTable::open(path) {
            Ok(table) => table,
            Err(error) => return assert!(!is_right && is_damage(error), "{how}"),
        };
        match check(&table) {
            Ok(_) => assert!(is_right, "{how}: it passed the check"),
            Err(error) => assert!(!is_right && is_damage(error), "{how}"),
        }
        match self.start(&mut table) {
            Ok(found) => assert_eq!(found.as_ref(), Some(&self.value), "{how}"),
            Err(error) => assert!(is_damage(error), "{how}"),
        }
        match records(&table) {
            Ok(found) => assert!(found == self.records, "{how}"),
            Err(error) => assert!(is_damage(error), "{how}"),
        }
    }
}

fn records(table: &DiskTable) -> Result<Vec<Record>, DiskTableError> {
    let mut found = Vec::new();
    for info in table.layers() {
        table.records(info, |key, value| {
            found.push((info.layer, key.to_vec(), value.clone()));
            Ok::<_, DiskTableError>(())
        })?;
    }
    Ok(found)
}

/// Whether people are told what is wrong with the files.
fn is_damage(error: DiskTableError) -> bool {
    use DiskTableError::{Damaged, Other, Unfinished};
    matches!(error, Damaged { .. } | Other { .. } | Unfinished(_))
}

fn write(folder: &Path, files: &Files) {
    fs::create_dir_all(folder).expect("a folder");
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).expect("written");
    }
}

/// Other files, and the damage to them.
fn damaged(whole: &Files, random: &mut Rng) -> (Files, String) {
    loop {
        let mut files = whole.clone();
        let names: Vec<&String> = whole.keys().collect();
        let name = names[random.usize(..names.len())];
        let other = names[random.usize(..names.len())];
        let bytes = files.get_mut(name).expect("there");
        let index = random.usize(..bytes.len());
        let end = (index + random.usize(1..200)).min(bytes.len());
        let how = match random.u32(..8) {
            0 => {
                bytes[index] ^= 1 << random.u32(..8);
                format!("a bit of {name} at {index} flipped")
            }
            1 => {
                bytes.truncate(index);
                format!("{name} cut at {index}")
            }
            2 => {
                let more = (1..random.usize(2..200)).map(|_| random.u8(..));
                bytes.extend(more);
                format!("{name} made longer")
            }
            3 => {
                bytes.extend(whole[name].iter());
                format!("{name} doubled")
            }
            4 => {
                bytes[index..end].fill(0);
                format!("{name} zero from {index} to {end}")
            }
            5 => {
                bytes.clone_from(&whole[other]);
                files.insert(other.clone(), whole[name].clone());
                format!("{name} and {other} swapped")
            }
            6 => {
                bytes.drain(index..end);
                format!("{name} without {index} to {end}")
            }
            _ => {
                // A digit stays a digit, so that JSON stays JSON.
                let digits: Vec<usize> = (0..bytes.len())
                    .filter(|index| bytes[*index].is_ascii_digit())
                    .collect();
                let Some(&index) = random.choice(&digits) else {
                    continue;
                };
                bytes[index] = b'0' + (bytes[index] - b'0' + random.u8(1..10)) % 10;
                format!("a digit of {name} at {index} changed")
            }
        };
        if files != *whole {
            return (files, how);
        }
    }
}

/// Damages a table many times; tells how often a finished one was.
fn campaign(kind: &str, known: &Known<'_, impl StochasticGame>) {
    let seed = fastrand::u64(..);
    println!("{kind}: seed {seed}, {} files", known.files.len());
    let mut random = Rng::with_seed(seed);
    for _ in 0..rounds(200) {
        known.damage_finished(&mut random);
        if random.u32(..4) == 0 {
            known.damage_unfinished(&mut random);
        }
    }
}

fn campaign_of(kind: &str, toy: &Toy, depth: usize) {
    let (game, start) = (toy.game(), toy.state(0));
    campaign(kind, &Known::new(&game, &start, toy.manifest(depth)));
}

#[test]
fn damaged_tables_by_steps_give_no_other_answer() {
    campaign_of("steps", &Toy::new(3_000), 6);
}

#[test]
fn damaged_tables_without_keys_of_their_own_give_no_other_answer() {
    let toy = Toy {
        has_key: false,
        ..Toy::new(50)
    };
    campaign_of("states", &toy, 20);
}

#[test]
fn damaged_tables_of_matrix_games_give_no_other_answer() {
    campaign_of("mixed", &Toy::mixed(1_000), 5);
}

#[test]
fn damaged_tables_of_endless_games_give_no_other_answer() {
    let mut random = Rng::with_seed(1);
    let problem = random_race(&mut random);
    let mut engine = Engine::new(problem, Options::default()).expect("it makes sense");
    let start = engine.initial().to_vec();
    let layer = engine.prepare_layers(&start, Layering::Endless, &Limits::default());
    assert_eq!(layer, Ok(None));
    let state = engine.layered_state(&start).expect("play goes on");
    let game = engine.layered_game();
    campaign("endless", &Known::new(game, &state, manifest(None, false)));
}
