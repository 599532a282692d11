//! `sqasp table`: values of all positions in a folder.

use super::load::load_game;
use crate::cli::args::{
    TableArguments, TableCommand, TableProbeArguments, TableQuestionArguments, TableVerifyArguments,
};
use crate::cli::request::{limits, single_depth, single_question, threads};
use crate::cli::run::{print_result, spinner};
use crate::cli::start::start_facts;
use crate::cli::watchdog::{Watchdog, guarded};
use crate::cli::{Exit, Failure, files, malloc};
use crate::{Limits, Question};
use engines::Fraction;
use engines::answer::{Mixtures, MoveValue, counted, move_lines, ranked, shortened};
use engines::table::{
    CheckedFiles, DiskTable, DiskTableError, LayerInfo, Probe, TableFailure, TableProgress, build,
    check_files, open,
};
use gdl::game::{Aim, Game, Unit};
use gdl::{Term, visible};
use limits::StopReason;
use serde::Serialize;
use std::fmt;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

pub(super) fn table(arguments: &TableArguments) -> Result<Exit, Failure> {
    match &arguments.command {
        TableCommand::Build(arguments) => build_table(arguments),
        TableCommand::Info { folder, form } => info(folder, form.is_json()),
        TableCommand::Probe(arguments) => probe(arguments),
        TableCommand::Verify(arguments) => verify(arguments),
    }
}

fn build_table(arguments: &TableQuestionArguments) -> Result<Exit, Failure> {
    if arguments.work.limits.memory.is_some() {
        // The work is divided so that it takes what it may; so nothing else may take much.
        malloc::give_back();
    }
    let limits = limits(&arguments.work.limits)?;
    let (game, question) = asked(arguments, &limits)?;
    let _watch = watch(&limits);
    let (folder, threads) = (&arguments.output, threads(&arguments.work.threads));
    let table = with_progress(arguments.work.report.quiet, folder, |tell| {
        build(&game, &question, folder, &limits, threads, tell)
    })?;
    let value = Probe::open(folder, &limits)?.initial_value()?;
    let built = BuiltTable {
        value: Fraction::from(&value),
        unit: arguments.question.objective.unit(),
        size: TableSize::of(&table)?,
    };
    print_result(&built, arguments.work.report.form.is_json())?;
    Ok(Exit::Answered)
}

/// A table that is finished.
#[derive(Serialize)]
struct BuiltTable {
    value: Fraction,
    #[serde(skip)]
    unit: Unit,
    size: TableSize,
}

impl fmt::Display for BuiltTable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(to, "{}", self.unit.text(self.value.value()))?;
        write!(to, "{}", self.size)
    }
}

/// The game, and the question about it.
fn asked(arguments: &TableQuestionArguments, limits: &Limits) -> Result<(Game, Question), Failure> {
    let depth = single_depth(&arguments.question)?;
    let (game, start) = guarded(limits, || -> Result<_, Failure> {
        let game = load_game(&arguments.game, arguments.work.report.quiet, limits)?;
        let start = start_facts(&game, &arguments.start, arguments.work.report.quiet, limits)?;
        Ok((game, start))
    })?;
    let mut question = single_question(&arguments.question, &game, depth)?;
    question.start = start;
    Ok((game, question.mixed(arguments.mixed)))
}

/// Checks the limits of work that can go on later.
fn watch(limits: &Limits) -> Watchdog {
    Watchdog::start(limits, |_, _| {
        files::tell("sqasp: finished layers are kept; run the command again to continue");
    })
}

/// Shows the progress of long work, the size of the folder, and the time that the layer will take.
fn with_progress<T>(
    quiet: bool,
    folder: &Path,
    work: impl FnOnce(&mut dyn FnMut(TableProgress)) -> Result<T, TableFailure>,
) -> Result<T, TableFailure> {
    let bar = spinner(quiet);
    bar.set_message("preparing");
    let mut began = ((false, 0), Instant::now());
    let mut size = (0, None::<Instant>);
    let mut tell = |progress: TableProgress| {
        if bar.is_hidden() {
            return;
        }
        let layer = (progress.is_listing, progress.layer);
        if began.0 != layer {
            began = (layer, Instant::now());
        }
        let part = progress.done as f64 / progress.states.max(1) as f64;
        let left = began.1.elapsed().as_secs_f64() * (1.0 - part) / part.max(1e-9);
        let left = Duration::try_from_secs_f64(left).map_or(0, |left| left.as_secs());
        // Layers may have thousands of files.
        if size.1.is_none_or(|looked| looked.elapsed() > LOOK_AT_SIZE) {
            size = (bytes_of_files(folder), Some(Instant::now()));
        }
        let megabytes = size.0 as f64 / 1e6;
        bar.set_message(format!(
            "{progress}, {megabytes:.1} MB, {left} s left for this layer"
        ));
    };
    let done = work(&mut tell);
    bar.finish_and_clear();
    done
}

/// The time between two looks at the size of a folder.
const LOOK_AT_SIZE: Duration = Duration::from_secs(1);

/// The bytes of the files in a folder, as far as they can be seen: files come and go.
fn bytes_of_files(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}

/// The size of a table.
#[derive(Serialize)]
struct TableSize {
    states: u64,
    layers: usize,
    bytes: u64,
}

impl TableSize {
    fn of(table: &DiskTable) -> Result<Self, Failure> {
        Ok(TableSize {
            states: table.states(),
            layers: table.layers().len(),
            bytes: table.folder().bytes().map_err(TableFailure::from)?,
        })
    }
}

impl fmt::Display for TableSize {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (states, layers, bytes) = (self.states, counted(self.layers, "layer"), self.bytes);
        write!(to, "{states} states in {layers}, {bytes} bytes")
    }
}

fn info(folder: &Path, is_json: bool) -> Result<Exit, Failure> {
    let table = open(folder)?;
    let about = table.manifest();
    let summary = TableSummary {
        game: &about.game,
        role: &about.role,
        objective: &about.objective,
        depth: about.depth,
        endless: about.endless,
        mixed: about.mixed,
        cuts_off: table.cuts_off(),
        size: TableSize::of(&table)?,
        layers: table.layers(),
    };
    print_result(&summary, is_json)?;
    Ok(Exit::Answered)
}

/// The question of a table, and the size of each layer.
#[derive(Serialize)]
struct TableSummary<'a> {
    game: &'a str,
    role: &'a str,
    objective: &'a str,
    depth: usize,
    endless: bool,
    mixed: bool,
    cuts_off: bool,
    size: TableSize,
    layers: &'a [LayerInfo],
}

impl fmt::Display for TableSummary<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_once = match self.mixed {
            true => ", where roles choose at the same time",
            false => "",
        };
        let question = format!(
            "{}: {} of {}{at_once}",
            self.game, self.objective, self.role
        );
        writeln!(to, "{}", line(&question))?;
        match self.endless {
            true => writeln!(
                to,
                "play may go on for ever: all positions are in one layer"
            )?,
            false => writeln!(
                to,
                "layers are numbers of steps left, {} at the start",
                self.depth
            )?,
        }
        if self.cuts_off {
            writeln!(
                to,
                "some plays are not over after the last step; they are worth 0"
            )?;
        }
        writeln!(to, "{}", self.size)?;
        writeln!(to, "layer  states  bytes of a key and of a value")?;
        self.layers.iter().rev().try_for_each(|info| {
            let (layer, states) = (info.layer, info.states);
            writeln!(
                to,
                "{layer}  {states}  {} {}",
                info.key_bytes, info.value_bytes
            )
        })
    }
}

/// Text of a file, on one line of a terminal.
fn line(text: &str) -> String {
    visible(text).replace('\n', "\\n")
}

/// The entry of a table for a position.
#[derive(Serialize)]
struct Probed {
    game: String,
    role: String,
    objective: String,
    /// Whether play may go on for ever, so that entries have no number of steps left.
    endless: bool,
    entries: Vec<ProbedLayer>,
}

/// The entry in one layer.
#[derive(Serialize)]
struct ProbedLayer {
    layer: usize,
    key: String,
    value: Fraction,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<ProbedMove>>,
    /// The best mixtures of both sides, where roles choose at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    mixtures: Option<Mixtures>,
    /// Moves and mixtures for people.
    #[serde(skip)]
    lines: Vec<String>,
}

#[derive(Serialize)]
struct ProbedMove {
    #[serde(rename = "move")]
    action: Term,
    value: Fraction,
}

impl ProbedMove {
    fn new(of: MoveValue) -> Self {
        ProbedMove {
            value: Fraction::from(&of.outcome.bounds().0),
            action: of.action,
        }
    }
}

fn probe(arguments: &TableProbeArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.limits)?;
    let probed = guarded(&limits, || look_up(arguments, &limits))?;
    if probed.entries.is_empty() {
        let message =
            "this position is not in the table: play is over there, or does not lead to it";
        return Err(Failure::new(Exit::InvalidInput, message));
    }
    print_result(&probed, arguments.form.is_json())?;
    Ok(Exit::Answered)
}

impl fmt::Display for Probed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = unit_of(&self.objective);
        for entry in &self.entries {
            let (value, layer) = (unit.text(entry.value.value()), entry.layer);
            match self.endless {
                true => writeln!(to, "{value}")?,
                false => writeln!(to, "{value} with {} left", counted(layer, "step"))?,
            }
            for line in &entry.lines {
                writeln!(to, "{}", shortened(line))?;
            }
        }
        Ok(())
    }
}

fn look_up(arguments: &TableProbeArguments, limits: &Limits) -> Result<Probed, Failure> {
    let mut probe = Probe::open(&arguments.folder, limits)?;
    let facts = start_facts(probe.written(), &arguments.start, false, limits)?;
    let unit = unit_of(&probe.table().manifest().objective);
    let mut entries = Vec::new();
    for entry in probe.entries(facts.as_deref())? {
        let (mut moves, mut mixtures, mut lines) = (None, None, Vec::new());
        if arguments.moves {
            let values = move_values(&mut probe, facts.as_deref(), entry.layer)?;
            let play = probe.mixture(facts.as_deref(), entry.layer)?;
            mixtures = play.as_ref().map(Mixtures::from);
            lines = move_lines(&values, unit, false);
            lines.extend(mixtures.iter().flat_map(Mixtures::lines));
            let told = ranked(&values, None, false).into_iter();
            moves = Some(told.map(|each| ProbedMove::new(each.value)).collect());
        }
        entries.push(ProbedLayer {
            layer: entry.layer,
            key: digits(&entry.key),
            value: Fraction::from(&entry.value),
            moves,
            mixtures,
            lines,
        });
    }
    let about = probe.table().manifest();
    Ok(Probed {
        game: about.game.clone(),
        role: about.role.clone(),
        objective: about.objective.clone(),
        endless: about.endless,
        entries,
    })
}

/// The unit of values for this objective.
fn unit_of(objective: &str) -> Unit {
    let objective = objective.parse::<Aim>();
    objective.map_or(Unit::Percent, Aim::unit)
}

/// The worth of each move.
fn move_values(
    probe: &mut Probe,
    facts: Option<&[Term]>,
    layer: usize,
) -> Result<Vec<MoveValue>, Failure> {
    let found = probe.moves(facts, layer)?;
    let moves = found.ok_or_else(|| {
        let message = "too many positions may follow to value each move";
        Failure::new(Exit::Limit, message)
    })?;
    Ok(moves.into_iter().map(MoveValue::exact).collect())
}

/// The most files that are named which are not part of a table.
const MAX_NAMED: usize = 10;

fn verify(arguments: &TableVerifyArguments) -> Result<Exit, Failure> {
    let limits = limits(&arguments.work.limits)?;
    let folder = &arguments.folder;
    let seed = arguments.seed.number;
    let (checked, positions, all) = guarded(&limits, || -> Result<_, TableFailure> {
        let checked = check_files(&open(folder)?)?;
        let mut probe = Probe::open(folder, &limits)?;
        let positions = probe.sample(arguments.plays, seed, &limits)?;
        let all = if arguments.all {
            Some(with_progress(
                arguments.work.report.quiet,
                folder,
                |tell| probe.check_all(&limits, threads(&arguments.work.threads), tell),
            )?)
        } else {
            None
        };
        Ok((checked, positions, all))
    })?;
    let verified = VerifiedTable {
        checked,
        plays: arguments.plays,
        seed,
        positions,
        all,
    };
    print_result(&verified, arguments.work.report.form.is_json())?;
    Ok(Exit::Answered)
}

/// A table that was found to be right.
#[derive(Serialize)]
struct VerifiedTable {
    #[serde(flatten)]
    checked: CheckedFiles,
    plays: usize,
    seed: u64,
    /// The number of positions in these plays whose values were compared with the rules.
    positions: u64,
    /// The number of states whose values follow from those behind them, if all were checked.
    all: Option<u64>,
}

impl fmt::Display for VerifiedTable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CheckedFiles {
            files,
            states,
            others,
        } = &self.checked;
        writeln!(to, "{files} files are whole; {states} states")?;
        for name in others.iter().take(MAX_NAMED) {
            writeln!(to, "{}: this file is not part of the table", line(name))?;
        }
        if let more @ 1.. = others.len().saturating_sub(MAX_NAMED) {
            writeln!(to, "{more} more files are not part of the table")?;
        }
        let VerifiedTable {
            plays,
            seed,
            positions,
            ..
        } = self;
        writeln!(
            to,
            "{positions} positions of {plays} plays are worth what the rules say (--seed {seed})"
        )?;
        match self.all {
            Some(states) => writeln!(
                to,
                "the values of all {states} states follow from those behind them"
            ),
            None => Ok(()),
        }
    }
}

/// Bytes as hexadecimal digits.
fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl From<TableFailure> for Failure {
    fn from(failure: TableFailure) -> Self {
        let exit = match &failure {
            TableFailure::Search(error) => return crate::Error::from(error.clone()).into(),
            TableFailure::Empty | TableFailure::Endless | TableFailure::Steps(_) => Exit::Usage,
            TableFailure::Disk(error) => match error {
                DiskTableError::Foreign(_)
                | DiskTableError::Busy(_)
                | DiskTableError::Network(_)
                | DiskTableError::NotShared(_)
                | DiskTableError::OneProcess(_)
                | DiskTableError::Other { .. } => Exit::Usage,
                DiskTableError::Missing(_) | DiskTableError::Unfinished(_) => Exit::Unreadable,
                DiskTableError::Damaged { .. } | DiskTableError::Flaw(_) => Exit::InvalidInput,
                DiskTableError::File { what, .. } => match *what {
                    "read" | "open" => Exit::Unreadable,
                    _ => Exit::Unwritable,
                },
                DiskTableError::Full { .. } => Exit::Unwritable,
                DiskTableError::Wrong { .. } => Exit::Internal,
                DiskTableError::TooLarge
                | DiskTableError::LargeEndless
                | DiskTableError::LongFractions => Exit::Limit,
                DiskTableError::Lost { .. } => Exit::ProgramMissing,
                DiskTableError::Stopped(StopReason::Interrupted) => Exit::Interrupted,
                DiskTableError::Stopped(_) => Exit::Limit,
            },
        };
        Failure::new(exit, failure)
    }
}
