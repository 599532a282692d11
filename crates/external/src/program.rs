//! Outside programs as data: name, purpose, installation and path.

use formula::SolverError;
use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExternalProgram {
    /// Its name for people.
    pub name: &'static str,
    /// The names its command may have.
    pub commands: &'static [&'static str],
    /// The purpose of the program.
    pub purpose: &'static str,
    pub install: &'static str,
    /// The option that makes it print its version; `None` if it has none.
    pub version_option: Option<&'static str>,
}

/// Stochastic SAT with universals.
pub(crate) const SHARP_SSAT: ExternalProgram = ExternalProgram {
    name: "sharpSSAT",
    commands: &["sharpSSAT", "SharpSSAT", "sharpssat"],
    purpose: "cross-check of stochastic formulas in floating point",
    install: "build it from https://github.com/NTU-ALComLab/SharpSSAT",
    version_option: None,
};

/// Search for quantified boolean formulas.
pub(crate) const DEPQBF: ExternalProgram = ExternalProgram {
    name: "depqbf",
    commands: &["depqbf"],
    purpose: "solving formulas without chance",
    install: "on Debian: apt install depqbf",
    version_option: Some("--version"),
};

/// Clausal abstraction for quantified boolean formulas.
pub(crate) const CAQE: ExternalProgram = ExternalProgram {
    name: "caqe",
    commands: &["caqe"],
    purpose: "solving formulas without chance",
    install: "build it from https://github.com/ltentrup/caqe",
    version_option: Some("--version"),
};

const ASPTOOLS: &str = "build it from the asptools collection of Aalto University";

/// Ground programs to ground programs with normal rules only.
pub(crate) const LP2NORMAL: ExternalProgram = ExternalProgram {
    name: "lp2normal2",
    commands: &["lp2normal2", "lp2normal"],
    purpose: "comparison of clauses: removes extended rules",
    install: ASPTOOLS,
    version_option: Some("--version"),
};

/// Normal programs to normal programs with conditions of acyclicity, for their recursion.
pub(crate) const LP2ACYC: ExternalProgram = ExternalProgram {
    name: "lp2acyc",
    commands: &["lp2acyc"],
    purpose: "comparison of clauses: adds acyclicity",
    install: ASPTOOLS,
    version_option: Some("--version"),
};

/// Normal programs with conditions of acyclicity to clauses.
pub(crate) const LP2SAT: ExternalProgram = ExternalProgram {
    name: "lp2sat",
    commands: &["lp2sat"],
    purpose: "comparison of clauses: translates to CNF",
    install: ASPTOOLS,
    version_option: Some("--version"),
};

/// All outside programs that some part of the project can use. None is necessary.
pub const PROGRAMS: &[ExternalProgram] = &[
    SHARP_SSAT,
    DEPQBF,
    CAQE,
    LP2NORMAL,
    LP2ACYC,
    LP2SAT,
    ExternalProgram {
        name: "clingo",
        commands: &["clingo"],
        purpose: "comparison of ground programs and answer sets",
        install: "on Debian: apt install gringo",
        version_option: Some("--version"),
    },
];

impl ExternalProgram {
    /// The first file on the PATH with one of the program's names.
    pub fn find(&self) -> Option<PathBuf> {
        self.commands.iter().find_map(|name| search_path(name))
    }

    /// The program in a folder, or else on the PATH.
    pub(crate) fn locate_in(&self, folder: Option<&Path>) -> Result<PathBuf, SolverError> {
        let Some(folder) = folder else {
            return self.locate(None);
        };
        let files = self.commands.iter().map(|name| folder.join(name));
        let found = files.clone().find(|file| is_program(file));
        match found.or_else(|| files.clone().next()) {
            Some(file) => self.locate(Some(&file)),
            None => self.locate(None),
        }
    }

    /// The program at an explicit place, or else on the PATH.
    pub fn locate(&self, explicit: Option<&Path>) -> Result<PathBuf, SolverError> {
        let Some(path) = explicit else {
            return self
                .find()
                .ok_or_else(|| self.missing("it is not on the PATH"));
        };
        if path.components().count() == 1 && !path.exists() {
            // A bare name, as one types it in a shell.
            let found = path.to_str().and_then(search_path);
            return found.ok_or_else(|| {
                self.missing(&format!(
                    "there is no {} here or on the PATH",
                    path.display()
                ))
            });
        }
        if !path.is_file() {
            return Err(self.missing(&format!("there is no file {}", path.display())));
        }
        if !is_program(path) {
            return Err(self.missing(&format!("{} is not executable", path.display())));
        }
        // The child runs in another directory.
        Ok(std::path::absolute(path)?)
    }

    fn missing(&self, why: &str) -> SolverError {
        SolverError::Missing {
            program: self.name.to_owned(),
            hint: format!("{why} ({})", self.install),
        }
    }

    /// An error about a program that is there but gave no answer.
    pub(crate) fn failed(&self, reason: impl Into<String>) -> SolverError {
        SolverError::Failed {
            program: self.name.to_owned(),
            reason: reason.into(),
        }
    }
}

fn search_path(command: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|directory| directory.join(command))
        .find(|file| is_program(file))
        .and_then(|file| std::path::absolute(file).ok())
}

fn is_program(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_the_remedy() {
        let directory = tempfile::tempdir().unwrap();
        let text = directory.path().join("text");
        std::fs::write(&text, "no program").unwrap();
        for (path, message) in [
            (text.as_path(), "is not executable"),
            (
                Path::new("/nowhere/depqbf"),
                "there is no file /nowhere/depqbf",
            ),
            (Path::new("no-such-program-anywhere"), "here or on the PATH"),
        ] {
            let error = DEPQBF.locate(Some(path)).unwrap_err();
            assert!(matches!(error, SolverError::Missing { .. }));
            let error = error.to_string();
            assert!(error.starts_with("depqbf was not found: "), "{error}");
            assert!(
                error.contains(message) && error.contains("apt install depqbf"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_bare_name_is_looked_for_on_the_path() {
        assert!(DEPQBF.locate(Some(Path::new("sh"))).unwrap().is_absolute());
    }
}
