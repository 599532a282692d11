//! `sqasp doctor`: the programs that are there to work with.

use crate::cli::args::DoctorArguments;
use crate::cli::run::print_result;
use crate::cli::{Exit, Failure};
use logic::ground::clingo_version;
use serde::Serialize;
use std::fmt;

#[derive(Serialize)]
struct Diagnosis {
    sqasp: &'static str,
    clingo_built_in: String,
    programs: Vec<ProgramEntry>,
}

#[derive(Serialize)]
struct ProgramEntry {
    program: &'static str,
    purpose: &'static str,
    path: Option<String>,
    version: Option<String>,
}

pub(super) fn doctor(arguments: &DoctorArguments) -> Result<Exit, Failure> {
    let programs = external::doctor()
        .into_iter()
        .map(|finding| ProgramEntry {
            program: finding.program.name,
            purpose: finding.program.purpose,
            path: finding.path.map(|path| path.display().to_string()),
            version: finding.version,
        })
        .collect();
    let diagnosis = Diagnosis {
        sqasp: env!("CARGO_PKG_VERSION"),
        clingo_built_in: clingo_version(),
        programs,
    };
    print_result(&diagnosis, arguments.form.is_json())?;
    Ok(Exit::Answered)
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(to, "sqasp {}", self.sqasp)?;
        writeln!(to, "clingo {} (built in)", self.clingo_built_in)?;
        for entry in &self.programs {
            let ProgramEntry {
                program,
                purpose,
                path,
                version,
            } = entry;
            match path {
                Some(path) => {
                    let version = version.as_deref().unwrap_or("version unknown");
                    writeln!(to, "{program:<12} found    {path} ({version})  {purpose}")?;
                }
                None => writeln!(to, "{program:<12} missing  {purpose}")?,
            }
        }
        Ok(())
    }
}
