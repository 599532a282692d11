//! Reading inputs and writing outputs.

use super::{Exit, Failure};
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// The bytes of a file, or of standard input for `-`.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let unreadable = |error| {
        Failure::new(
            Exit::Unreadable,
            format!("cannot read {}: {error}", path.display()),
        )
    };
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        return Ok(bytes);
    }
    fs::read(path).map_err(unreadable)
}

/// A short name for what was read: the file's name without its ending.
pub(super) fn short_name(path: &Path) -> String {
    match path.file_stem() {
        Some(stem) if path != Path::new("-") => stem.to_string_lossy().into_owned(),
        _ => "stdin".to_owned(),
    }
}

/// Writes to a file, or to standard output without one. A file appears whole or not at all.
pub(super) fn write(
    path: Option<&Path>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        return match content(&mut io::stdout().lock()) {
            // Whoever reads our output may stop early.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
                Exit::Unwritable,
                format!("cannot write the output: {error}"),
            )),
            _ => Ok(()),
        };
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        content(&mut file)?;
        // Temporary files are private; outputs have the usual rights.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file()
                .set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error: io::Error| {
        Failure::new(
            Exit::Unwritable,
            format!("cannot write {}: {error}", path.display()),
        )
    })
}
