//! [`Model::read`]: a model from a file, with all that it says about states and chances.

use crate::index::{self, Index, TransitionSystem, Type};
use crate::model::{Model, ModelError};
use crate::numbers::{rational, simplest};
use flate2::read::GzDecoder;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::collections::{BTreeMap, HashMap};
use std::io::Read;

/// The largest common denominator of the probabilities of a choice.
const MAX_TOTAL: u64 = 1 << 62;

fn wrong(text: impl Into<String>) -> ModelError {
    ModelError::Format(text.into())
}

/// The files of an archive.
struct Tables(HashMap<String, Vec<u8>>);

impl Tables {
    fn read(mut file: impl Read) -> Result<Self, ModelError> {
        let mut start = [0; 6];
        let mut count = 0;
        while count < start.len() {
            match file.read(&mut start[count..])? {
                0 => break,
                more => count += more,
            }
        }
        let whole = start[..count].chain(file);
        match &start[..count] {
            [0x1f, 0x8b, ..] => Tables::unpack(GzDecoder::new(whole)),
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Err(ModelError::Unsupported(
                "the file is compressed with xz: run `xz -d` on it first".to_owned(),
            )),
            _ => Tables::unpack(whole),
        }
    }

    fn unpack(file: impl Read) -> Result<Self, ModelError> {
        let mut tables = HashMap::new();
        let mut archive = tar::Archive::new(file);
        let no_archive = |error| {
            wrong(format!(
                "this is no UMB file, which is a tar archive: {error}"
            ))
        };
        for entry in archive.entries().map_err(no_archive)? {
            let mut entry = entry.map_err(no_archive)?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let name = name
                .trim_start_matches("./")
                .trim_start_matches('/')
                .to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(no_archive)?;
            tables.insert(name, bytes);
        }
        Ok(Tables(tables))
    }

    fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
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

    /// A set of `count` things; no member if the table is missing.
    fn set(&self, name: &str, count: usize) -> Result<Vec<bool>, ModelError> {
        let Some(words) = self.numbers(name, count.div_ceil(64))? else {
            return Ok(vec![false; count]);
        };
        Ok((0..count)
            .map(|place| words[place / 64] >> (place % 64) & 1 == 1)
            .collect())
    }
}

fn size(count: u64) -> Result<usize, ModelError> {
    match count < 1 << 31 {
        true => Ok(count as usize),
        false => Err(ModelError::Unsupported(format!(
            "the model has {count} states, choices or branches: that is too many"
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
    ///
    /// # Errors
    /// If it cannot be read, is not in the format, or has a model of another kind.
    pub fn read(file: impl Read) -> Result<Model, ModelError> {
        let tables = Tables::read(file)?;
        let text = tables.get(index::NAME);
        let text = text.ok_or_else(|| wrong("this is no UMB file: index.json is missing"))?;
        let index: Index =
            serde_json::from_slice(text).map_err(|error| wrong(format!("index.json: {error}")))?;
        supported(&index)?;
        let system = &index.transition_system;
        let states = size(system.states)?;
        let choices = size(system.choices)?;
        let branches = size(system.branches)?;
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
        let (Some(initial), None) = (starts.next(), starts.next()) else {
            return Err(ModelError::Unsupported(
                "a model needs exactly one initial state".to_owned(),
            ));
        };
        let mut labels = BTreeMap::new();
        for (id, annotation) in index.annotations.get("aps").into_iter().flatten() {
            let name = annotation.alias.as_ref().unwrap_or(id);
            let table = format!("annotations/aps/{id}/states/values.bin");
            labels.insert(name.clone(), tables.set(&table, states)?);
        }
        let (weights, totals) = chances(&tables, system, &first_branch)?;
        Ok(Model {
            name: index.model_data.name.clone(),
            players: players(system),
            initial,
            labels,
            has_decimals: system
                .branch_probability_type
                .as_ref()
                .is_some_and(|kind| kind.kind == "double"),
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
    let name = |place: u64| {
        let given = system.player_names.get(place as usize).cloned();
        given.unwrap_or_else(|| format!("player{place}"))
    };
    (0..system.players.min(1 << 16)).map(name).collect()
}

fn owners(
    tables: &Tables,
    system: &TransitionSystem,
    states: usize,
) -> Result<Vec<u32>, ModelError> {
    let Some(bytes) = tables.get("state-to-player.bin") else {
        return Ok(vec![0; states]);
    };
    let numbers = bytes
        .chunks_exact(4)
        .map(|number| u32::from_le_bytes(number.try_into().expect("4 bytes")));
    let owners: Vec<u32> = numbers.collect();
    match owners.len() == states
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

/// The weights of all branches, and their sum by choice.
fn chances(
    tables: &Tables,
    system: &TransitionSystem,
    first_branch: &[usize],
) -> Result<(Vec<u64>, Vec<u64>), ModelError> {
    let choices = first_branch.len() - 1;
    let branches = first_branch[choices];
    let Some(kind) = &system.branch_probability_type else {
        // Without probabilities a choice leads to one state.
        return match choices == branches {
            true => Ok((vec![1; branches], vec![1; choices])),
            false => Err(ModelError::Unsupported(
                "choices with several branches and no probabilities are not supported".to_owned(),
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
    let number = |branch: usize| -> Result<BigRational, ModelError> {
        let bytes = &bytes[branch * width..][..width];
        let number = match kind.kind == "double" {
            true => simplest(f64::from_le_bytes(bytes.try_into().expect("8 bytes"))),
            false => rational(bytes),
        };
        number.ok_or_else(|| wrong(format!("{name}: number {branch} is no probability")))
    };
    let mut weights = Vec::with_capacity(branches);
    let mut totals = Vec::with_capacity(choices);
    for choice in 0..choices {
        let numbers: Vec<BigRational> = (first_branch[choice]..first_branch[choice + 1])
            .map(number)
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
    Ok((weights, totals))
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
