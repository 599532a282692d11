//! Reading inputs and writing outputs.

use super::{Exit, Failure};
use crate::gdl::visible;
use flate2::read::GzDecoder;
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What files packed by gzip begin with.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The most text that is unpacked, in bytes.
const MOST_UNPACKED: u64 = 4 << 30;

/// The bytes of a file, or of standard input for `-`.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        return match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(Failure::new(
                Exit::Unreadable,
                format!("cannot read standard input: {error}"),
            )),
        };
    }
    fs::read(path).map_err(|error| {
        Failure::new(
            Exit::Unreadable,
            format!("cannot read {}: {error}", path.display()),
        )
    })
}

/// The text of a file, which may be compressed with gzip.
pub(super) fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read(path)?;
    let failure = |exit, what: &dyn std::fmt::Display| {
        Failure::new(exit, format!("{}: {what}", path.display()))
    };
    if !bytes.starts_with(&GZIP_MAGIC) {
        return String::from_utf8(bytes)
            .map_err(|_| failure(Exit::InvalidInput, &"this is not UTF-8 text"));
    }
    let mut text = String::new();
    GzDecoder::new(&bytes[..])
        .take(MOST_UNPACKED)
        .read_to_string(&mut text)
        .map_err(|error| failure(Exit::InvalidInput, &format!("cannot unpack this: {error}")))?;
    if text.len() as u64 == MOST_UNPACKED {
        return Err(failure(
            Exit::InvalidInput,
            &"this is more than four gigabytes when unpacked",
        ));
    }
    Ok(text)
}

/// A short name for what was read: the file's name without its ending.
pub(super) fn short_name(path: &Path) -> String {
    match path.file_stem() {
        Some(stem) if path != Path::new("-") => stem.to_string_lossy().into_owned(),
        _ => "stdin".to_owned(),
    }
}

/// Says something to the person who runs this, if there still is one. Text from files cannot command the
/// terminal.
pub(super) fn tell(text: &str) {
    tell_drawn(&visible(text));
}

/// Says something that may have colours; text from files in it was made visible before.
pub(super) fn tell_drawn(text: &str) {
    let mut to = io::stderr().lock();
    let _ = to.write_all(text.as_bytes());
    if !text.is_empty() && !text.ends_with('\n') {
        let _ = to.write_all(b"\n");
    }
}

/// Writes to standard output. Whoever reads it may stop early.
pub(super) fn print(content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut to = BufWriter::new(io::stdout().lock());
    match content(&mut to).and_then(|()| to.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Exit::Unwritable,
            format!("cannot write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Writes to a file, or to standard output without one. A file appears whole or not at all.
pub(super) fn write(
    path: Option<&Path>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        return print(content);
    };
    if is_special(path) {
        let write = || {
            let mut file = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
            content(&mut file)?;
            file.flush()
        };
        return write().map_err(|error: io::Error| unwritable(path, &error));
    }
    Unplaced::write(path.to_owned(), content)?.place()
}

/// A file that is written but not yet in its place; dropped, it leaves nothing behind.
pub(super) struct Unplaced {
    file: NamedTempFile,
    path: PathBuf,
}

impl Unplaced {
    /// Writes the content next to its place.
    pub(super) fn write(
        path: PathBuf,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Failure> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let missing = format!("there is no folder {}", folder.display());
            return Err(unwritable(&path, &missing));
        }
        let file = NamedTempFile::new_in(folder).and_then(|mut file| {
            let mut buffer = BufWriter::new(&mut file);
            content(&mut buffer)?;
            buffer.flush()?;
            drop(buffer);
            // Temporary files are private; outputs have the usual rights.
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                file.as_file()
                    .set_permissions(fs::Permissions::from_mode(0o644))?;
            }
            Ok(file)
        });
        match file {
            Ok(file) => Ok(Unplaced { file, path }),
            // The text of errors of that crate ends in the name of the temporary file.
            Err(error) => Err(unwritable(&path, &error.kind())),
        }
    }

    /// Moves the file to its place.
    pub(super) fn place(self) -> Result<(), Failure> {
        let Unplaced { file, path } = self;
        match file.persist(&path) {
            Ok(_) => Ok(()),
            Err(error) => Err(unwritable(&path, &error.error)),
        }
    }
}

fn unwritable(path: &Path, reason: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        Exit::Unwritable,
        format!("cannot write {}: {reason}", path.display()),
    )
}

/// Whether this is a device, a pipe or the like, which is written to and must never be replaced.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}
