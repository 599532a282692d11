//! [`Model::read`]: a model from a file, with all that it says about states and chances.

use crate::index::{self, Index, TransitionSystem, Type};
use crate::model::{Decimals, Model, ModelError};
use crate::numbers::{rational, simplest};
use flate2::read::MultiGzDecoder;
use limits::{Limits, Watch};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;

const MAX_PLAYERS: u64 = 1 << 16;

/// Bytes of memory for a branch, a choice and a state while a file is read.
const BRANCH_BYTES: u64 = 32;
const CHOICE_BYTES: u64 = 32;
const STATE_BYTES: u64 = 32;

/// Between two checks of the limits, so many choices are read.
const CHOICES_PER_CHECK: usize = 1 << 12;

/// The largest common denominator of the probabilities of a choice.
const MAX_TOTAL: u64 = 1 << 62;

fn wrong(text: impl Into<String>) -> ModelError {
    ModelError::Format(text.into())
}

/// The bytes of a file, unpacked if it is compressed with gzip. All its members are read, and their lengths and checksums verified.
fn unpacked<'a>(file: &'a [u8], watch: &mut Watch<'_>) -> Result<Cow<'a, [u8]>, ModelError> {
    match file {
        [0x1f, 0x8b, ..] => {
            let mut bytes = Vec::new();
            let most = watch
                .limits()
                .memory
                .map_or(u64::MAX - 1, |limit| limit / 2);
            let unpacked = MultiGzDecoder::new(file)
                .take(most + 1)
                .read_to_end(&mut bytes);
            unpacked
                .map_err(|error| wrong(format!("this cannot be unpacked with gzip: {error}")))?;
            watch.take_memory(2 * bytes.len() as u64)?;
            Ok(bytes.into())
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Err(ModelError::Unsupported(
            "the file is compressed with xz: run `xz -d` on it first".to_owned(),
        )),
        _ => Ok(file.into()),
    }
}

/// The files of an archive.
struct Tables<'a>(HashMap<String, &'a [u8]>);

impl<'a> Tables<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, ModelError> {
        let mut tables = HashMap::new();
        let mut archive = tar::Archive::new(bytes);
        let no_archive = |error| {
            wrong(format!(
                "this is no UMB file, which is a tar archive: {error}"
            ))
        };
        for entry in archive.entries().map_err(no_archive)? {
            let entry = entry.map_err(no_archive)?;
            let kind = entry.header().entry_type();
            if kind.is_dir() || kind.is_pax_global_extensions() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let name = name.trim_start_matches("./").trim_start_matches('/');
            if !kind.is_file() && !kind.is_contiguous() {
                return Err(wrong(format!("{name} is a link or the like, not a file")));
            }
            let start = entry.raw_file_position() as usize;
            let end = usize::try_from(entry.size())
                .ok()
                .and_then(|size| start.checked_add(size));
            let table = end.and_then(|end| bytes.get(start..end));
            let table =
                table.ok_or_else(|| wrong(format!("the archive is cut short in {name}")))?;
            if tables.insert(name.to_owned(), table).is_some() {
                return Err(wrong(format!("the archive has {name} twice")));
            }
        }
        Ok(Tables(tables))
    }

    fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.0.get(name).copied()
    }

    /// The numbers of a table, of which there are `count`.
    fn numbers(&self, name: &str, count: usize) -> Result<Option<Vec<u64>>, ModelError> {
        let Some(bytes) = self.get(name) else {
            return Ok(None);
        };
        if bytes.len() != count.saturating_mul(8) {
            let found = bytes.len();
            return Err(wrong(format!(
                "{name} has {found} bytes, and 8 x {count} are needed"
            )));
        }
        let words = bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
        Ok(Some(words.collect()))
    }

    /// Where the parts of `count` things begin, and the end of the last; `parts` is how many there are in all.
    fn starts(&self, name: &str, count: usize, parts: usize) -> Result<Vec<usize>, ModelError> {
        let Some(numbers) = self.numbers(name, count + 1)? else {
            return match count == parts {
                true => Ok((0..=count).collect()),
                false => Err(wrong(format!("{name} is missing"))),
            };
        };
        let grows = numbers.windows(2).all(|pair| pair[0] <= pair[1]);
        match numbers[0] == 0 && numbers[count] == parts as u64 && grows {
            true => Ok(numbers.into_iter().map(|number| number as usize).collect()),
            false => Err(wrong(format!(
                "{name} is not a growing list from 0 to {parts}"
            ))),
        }
    }

    /// A set of `count` things.
    fn set(&self, name: &str, count: usize) -> Result<Vec<bool>, ModelError> {
        let words = self.numbers(name, count.div_ceil(64))?;
        let words = words.ok_or_else(|| wrong(format!("{name} is missing")))?;
        Ok((0..count)
            .map(|number| words[number / 64] >> (number % 64) & 1 == 1)
            .collect())
    }
}

fn size(count: u64) -> Result<usize, ModelError> {
    match count < 1 << 31 {
        true => Ok(count as usize),
        false => Err(ModelError::Unsupported(format!(
            "the model has {count} states, choices, branches or the like: that is too many"
        ))),
    }
}

fn supported(index: &Index) -> Result<(), ModelError> {
    let system = &index.transition_system;
    let refuse = |what: &str| {
        Err(ModelError::Unsupported(format!(
            "{what}: this is not supported"
        )))
    };
    match () {
        () if index.format_version != 1 => {
            refuse(&format!("version {} of the format", index.format_version))
        }
        () if system.time != "discrete" => refuse(&format!("a model in {} time", system.time)),
        () if system.observations > 0 => refuse("a model with observations"),
        () => Ok(()),
    }
}

impl Model {
    /// Reads a file, compressed with gzip or not.
    pub fn read(file: &[u8]) -> Result<Model, ModelError> {
        Model::read_within(file, &Limits::default())
    }

    /// The same with limits for time and memory.
    pub fn read_within(file: &[u8], limits: &Limits) -> Result<Model, ModelError> {
        let watch = &mut Watch::new(limits);
        let bytes = unpacked(file, watch)?;
        let tables = Tables::read(&bytes)?;
        let text = tables.get(index::NAME);
        let text = text.ok_or_else(|| wrong("this is no UMB file: index.json is missing"))?;
        let index: Index =
            serde_json::from_slice(text).map_err(|error| wrong(format!("index.json: {error}")))?;
        supported(&index)?;
        let system = &index.transition_system;
        let states = size(system.states)?;
        let choices = size(system.choices)?;
        let branches = size(system.branches)?;
        for other in [system.choice_actions, system.branch_actions] {
            size(other)?;
        }
        if system.players > MAX_PLAYERS {
            return Err(ModelError::Unsupported(format!(
                "the model has {} players: that is too many",
                system.players
            )));
        }
        let labels = index.annotations.get("aps").map_or(0, BTreeMap::len);
        let needed = [
            (branches, BRANCH_BYTES),
            (choices, CHOICE_BYTES),
            (states, STATE_BYTES + labels as u64),
        ];
        watch.take_memory(
            needed
                .map(|(count, bytes)| count as u64 * bytes)
                .iter()
                .sum(),
        )?;
        let targets = tables.numbers("branch-to-target.bin", branches)?;
        let targets = targets.ok_or_else(|| wrong("branch-to-target.bin is missing"))?;
        // From the table that must be there to those that may be missing, so that no number in the index asks for much memory.
        let first_branch = tables.starts("choice-to-branches.bin", choices, branches)?;
        let first_choice = tables.starts("state-to-choices.bin", states, choices)?;
        if let Some(target) = targets.iter().find(|&&target| target >= states as u64) {
            return Err(wrong(format!(
                "a branch leads to state {target} of {states}"
            )));
        }
        let initial = tables.set("state-is-initial.bin", states)?;
        let mut starts = (0..states).filter(|&state| initial[state]);
        let (Some(initial), None, 1) = (starts.next(), starts.next(), system.initial_states) else {
            return Err(ModelError::Unsupported(
                "a model needs exactly one initial state".to_owned(),
            ));
        };
        let mut labels = BTreeMap::new();
        for (id, annotation) in index.annotations.get("aps").into_iter().flatten() {
            if !annotation.applies_to.iter().any(|what| what == "states") {
                continue;
            }
            let name = annotation.alias.as_ref().unwrap_or(id);
            let table = format!("annotations/aps/{id}/states/values.bin");
            if labels
                .insert(name.clone(), tables.set(&table, states)?)
                .is_some()
            {
                return Err(wrong(format!("two labels are called {name}")));
            }
        }
        let Chances {
            weights,
            totals,
            decimals,
        } = chances(&tables, system, &first_branch, watch)?;
        Ok(Model {
            name: index.model_data.name.clone(),
            players: players(system),
            initial,
            labels,
            decimals,
            owners: owners(&tables, system, states)?,
            first_choice,
            first_branch,
            totals,
            targets: targets.into_iter().map(|target| target as u32).collect(),
            weights,
        })
    }
}

fn players(system: &TransitionSystem) -> Vec<String> {
    let name = |number: u64| {
        let given = system.player_names.get(number as usize).cloned();
        given.unwrap_or_else(|| format!("player{number}"))
    };
    (0..system.players).map(name).collect()
}

fn owners(
    tables: &Tables<'_>,
    system: &TransitionSystem,
    states: usize,
) -> Result<Vec<u32>, ModelError> {
    let Some(bytes) = tables.get("state-to-player.bin") else {
        return match system.players {
            0 | 1 => Ok(vec![0; states]),
            several => Err(wrong(format!(
                "state-to-player.bin is missing, and the model has {several} players"
            ))),
        };
    };
    let numbers = bytes
        .chunks_exact(4)
        .map(|number| u32::from_le_bytes(number.try_into().expect("4 bytes")));
    let owners: Vec<u32> = numbers.collect();
    match bytes.len() == 4 * states
        && owners
            .iter()
            .all(|&owner| u64::from(owner) < system.players)
    {
        true => Ok(owners),
        false => Err(wrong(
            "state-to-player.bin does not name one player for each state",
        )),
    }
}

/// The weights of all branches, and their sum by choice; and which decimal numbers were taken for fractions.
struct Chances {
    weights: Vec<u64>,
    totals: Vec<u64>,
    decimals: Option<Decimals>,
}

fn chances(
    tables: &Tables<'_>,
    system: &TransitionSystem,
    first_branch: &[usize],
    watch: &mut Watch<'_>,
) -> Result<Chances, ModelError> {
    let choices = first_branch.len() - 1;
    let branches = first_branch[choices];
    let Some(kind) = &system.branch_probability_type else {
        // Without probabilities a choice leads to one state.
        return match first_branch.iter().copied().eq(0..=choices) {
            true => Ok(Chances {
                weights: vec![1; branches],
                totals: vec![1; choices],
                decimals: None,
            }),
            false => Err(ModelError::Unsupported(
                "choices with several branches or none, and no probabilities, are not supported"
                    .to_owned(),
            )),
        };
    };
    let name = "branch-to-probability.bin";
    let bytes = tables
        .get(name)
        .ok_or_else(|| wrong(format!("{name} is missing")))?;
    let width = width(kind)?;
    if bytes.len() != branches * width {
        return Err(wrong(format!(
            "{name} has {} bytes, and {width} x {branches} are needed",
            bytes.len()
        )));
    }
    let mut decimals: Option<Decimals> = None;
    let mut number = |branch: usize| -> Result<BigRational, ModelError> {
        let bytes = &bytes[branch * width..][..width];
        let none = || wrong(format!("{name}: number {branch} is no probability"));
        if kind.kind != "double" {
            return rational(bytes).ok_or_else(none);
        }
        let decimal = f64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let fraction = simplest(decimal).ok_or_else(none)?;
        if BigRational::from_float(decimal).as_ref() != Some(&fraction) {
            let first = || Decimals {
                count: 0,
                branch,
                decimal,
                fraction: fraction.clone(),
            };
            decimals.get_or_insert_with(first).count += 1;
        }
        Ok(fraction)
    };
    let mut weights = Vec::with_capacity(branches);
    let mut totals = Vec::with_capacity(choices);
    for choice in 0..choices {
        if choice % CHOICES_PER_CHECK == 0 {
            watch.check_limits()?;
        }
        let numbers: Vec<BigRational> = (first_branch[choice]..first_branch[choice + 1])
            .map(&mut number)
            .collect::<Result<_, _>>()?;
        let sum: BigRational = numbers.iter().sum();
        if !sum.is_one() {
            let help = match kind.kind == "double" {
                true => "; write the file with exact rational numbers",
                false => "",
            };
            return Err(wrong(format!(
                "the probabilities of choice {choice} sum up to {sum}, not 1{help}"
            )));
        }
        let total = numbers
            .iter()
            .fold(num_bigint::BigInt::one(), |all, number| {
                all.lcm(number.denom())
            });
        let total_word = total.to_u64().filter(|&total| total <= MAX_TOTAL).ok_or_else(|| {
            ModelError::Unsupported(format!("the probabilities of choice {choice} have the common denominator {total}, above 2^62"))
        })?;
        totals.push(total_word);
        for number in numbers {
            if number < BigRational::zero() {
                return Err(wrong(format!(
                    "choice {choice} has the negative probability {number}"
                )));
            }
            let weight = (number * &total).to_integer();
            weights.push(weight.to_u64().expect("at most the total"));
        }
    }
    Ok(Chances {
        weights,
        totals,
        decimals,
    })
}

/// The bytes of a number.
fn width(kind: &Type) -> Result<usize, ModelError> {
    match (kind.kind.as_str(), kind.size) {
        ("double", None | Some(64)) => Ok(8),
        ("rational", None) => Ok(16),
        ("rational", Some(bits)) if bits > 0 && bits.is_multiple_of(128) && bits < 1 << 20 => {
            Ok(bits as usize / 8)
        }
        (other, _) => Err(ModelError::Unsupported(format!(
            "probabilities of type {other} are not supported"
        ))),
    }
}
