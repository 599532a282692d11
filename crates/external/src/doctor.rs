//! The outside programs that are installed, with path and version.

use crate::child;
use crate::program::{ExternalProgram, PROGRAMS};
use limits::Limits;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The state of one program on this machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramState {
    pub program: ExternalProgram,
    /// Where it is; `None` if it was not found on the PATH.
    pub path: Option<PathBuf>,
    /// The first line it prints when asked for its version.
    pub version: Option<String>,
}

/// Looks for all outside programs on the PATH and asks each for its version.
pub fn doctor() -> Vec<ProgramState> {
    PROGRAMS
        .iter()
        .map(|program| {
            let path = program.find();
            let version = path.as_deref().and_then(|path| version(program, path));
            ProgramState {
                program: *program,
                path,
                version,
            }
        })
        .collect()
}

/// The first line with a digit. Some programs print it as an error or end with an odd code.
fn version(program: &ExternalProgram, path: &Path) -> Option<String> {
    let option = program.version_option?;
    let directory = tempfile::tempdir().ok()?;
    let limits = Limits::default().within(Duration::from_secs(5));
    let run = child::run(
        path,
        &[option.into()],
        directory.path(),
        &limits,
        Instant::now(),
    )
    .ok()?;
    let mut lines = run.output.lines().chain(run.errors.lines());
    let line = lines.find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    Some(line.trim().to_owned())
}
