//! Reading inputs and writing outputs.
//!
//! Nothing here takes more memory or time than a command may use: inputs are read up to a bound, and
//! what may block for ever, such as a pipe, is left to [`super::pipes`]. A file appears whole or not at all. One
//! that is there keeps its mode, and a link stays a link.

use super::pipes::{self, Trouble};
use super::{Exit, Failure};
use crate::Limits;
use flate2::bufread::GzDecoder;
use gdl::visible;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// The first bytes of files packed by gzip.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The most text that is read, in bytes.
const MAX_TEXT: u64 = 4 << 30;

/// Files up to this size are always read, and in one go.
const SMALL: u64 = 1 << 24;

/// How many links to links are followed: as many as the system follows.
const MAX_LINKS: usize = 40;

/// The bytes of a file, or of standard input for `-`.
pub(super) fn read(path: &Path, limits: &Limits) -> Result<Vec<u8>, Failure> {
    if path.as_os_str().is_empty() {
        let message = "the name of a file is missing; write one, or `-` for standard input";
        return Err(Failure::new(Exit::Usage, message));
    }
    let most = max_text(limits);
    let (name, found) = if path == Path::new("-") {
        ("standard input".to_owned(), None)
    } else {
        (path.display().to_string(), Some(fs::metadata(path)))
    };
    let bytes = match found {
        None => pipes::read(|| Ok(io::stdin()), most, limits),
        Some(Err(error)) => Err(Trouble::Io(error)),
        Some(Ok(file)) if !file.is_dir() && (!file.is_file() || file.len() > SMALL) => {
            let path = path.to_owned();
            pipes::read(move || File::open(&path), most, limits)
        }
        Some(Ok(_)) => fs::read(path).map_err(Trouble::Io),
    };
    let bytes = bytes.and_then(|bytes| {
        if bytes.len() as u64 > most {
            Err(Trouble::TooLarge)
        } else {
            Ok(bytes)
        }
    });
    bytes.map_err(|trouble| match trouble {
        Trouble::TooLarge => too_large(&name, "", most),
        Trouble::Stopped(reason) => Failure::new(
            Exit::for_stop(reason),
            format!("cannot read {name}: {}", reason),
        ),
        Trouble::Io(error) => {
            Failure::new(Exit::Unreadable, format!("cannot read {name}: {error}"))
        }
    })
}

/// The most text that is read, in bytes: the data made of it need memory too.
fn max_text(limits: &Limits) -> u64 {
    limits
        .memory
        .map_or(MAX_TEXT, |memory| (memory / 4 * 3).clamp(SMALL, MAX_TEXT))
}

fn too_large(name: &str, when: &str, most: u64) -> Failure {
    let most = most as f64 / 1e6;
    let message = format!(
        "cannot read {name}: it has more than {most:.1} MB{when}, and no more of one file is read; \
         that is three quarters of --memory, and never more than 4295 MB"
    );
    Failure::new(Exit::Limit, message)
}

/// The bytes of a file, unpacked if it is compressed with gzip: all members, whose lengths and checksums are verified.
pub(super) fn read_unpacked(path: &Path, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let packed = read(path, limits)?;
    if !packed.starts_with(&GZIP_MAGIC) {
        return Ok(packed);
    }
    let most = max_text(limits);
    let (mut rest, mut bytes) = (&packed[..], Vec::new());
    // A file may have several members, and zeros behind the last one.
    while bytes.len() as u64 <= most && rest.iter().any(|&byte| byte != 0) {
        let mut member = GzDecoder::new(rest);
        let room = most + 1 - bytes.len() as u64;
        let unpacked = (&mut member).take(room).read_to_end(&mut bytes);
        unpacked.map_err(|error| invalid(path, &format!("cannot unpack this: {error}")))?;
        rest = member.into_inner();
    }
    if bytes.len() as u64 > most {
        Err(too_large(
            &path.display().to_string(),
            " when unpacked",
            most,
        ))
    } else {
        Ok(bytes)
    }
}

/// The text of a file, which may be compressed with gzip.
pub(super) fn read_text(path: &Path, limits: &Limits) -> Result<String, Failure> {
    let bytes = read_unpacked(path, limits)?;
    String::from_utf8(bytes).map_err(|_| invalid(path, &"this is not UTF-8 text"))
}

fn invalid(path: &Path, what: &dyn std::fmt::Display) -> Failure {
    Failure::new(Exit::InvalidInput, format!("{}: {what}", path.display()))
}

/// A short name for a file: its name without its ending.
pub(super) fn short_name(path: &Path) -> String {
    match path.file_stem() {
        Some(stem) if path != Path::new("-") => stem.to_string_lossy().into_owned(),
        _ => "stdin".to_owned(),
    }
}

/// Prints a message to standard error, if it can be written to. Text from files cannot command the
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

/// Writes to standard output. Its reader may stop early.
pub(super) fn print(content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut to = BufWriter::new(io::stdout().lock());
    match content(&mut to).and_then(|()| to.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unprintable(&error)),
        _ => Ok(()),
    }
}

/// Standard output does not take what is written.
pub(super) fn unprintable(error: &io::Error) -> Failure {
    let message = format!("cannot write to standard output: {error}");
    Failure::new(Exit::Unwritable, message)
}

/// Writes to a file, or to standard output without one. A file appears whole or not at all.
pub(super) fn write(
    path: Option<&Path>,
    limits: &Limits,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        return print(content);
    };
    if !is_special(path) {
        return Target::of(path)?.replace(content);
    }
    pipes::write(path, limits, content).map_err(|trouble| match trouble {
        Trouble::Io(error) => unwritable(path, &error),
        Trouble::Stopped(reason) => Failure::new(
            Exit::for_stop(reason),
            format!(
                "cannot write {}: {} before it was read",
                path.display(),
                reason
            ),
        ),
        Trouble::TooLarge => unreachable!("there is no bound for outputs"),
    })
}

/// Refuses a place for a file that cannot be written, as far as that shows before there is
/// anything to write, or that is one of the command's inputs under any name.
pub(super) fn check_writable<'a>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    if path == Path::new("-") || is_special(path) {
        return Ok(());
    }
    let target = Target::of(path)?;
    let identity = |file: &fs::Metadata| (file.dev(), file.ino());
    let written = target.old.as_ref().map(identity);
    let is_written = |input: &&Path| {
        let input = fs::metadata(input).ok();
        written.is_some() && written == input.as_ref().map(identity)
    };
    if let Some(input) = inputs.into_iter().find(is_written) {
        let (path, input) = (path.display(), input.display());
        let message = format!("writing {path} would destroy the input {input}; name another file");
        return Err(Failure::new(Exit::Usage, message));
    }
    target.temporary().map(drop)
}

/// Where a file is to appear.
struct Target {
    /// The place as it was named, for messages.
    named: PathBuf,
    /// The same with links followed.
    path: PathBuf,
    folder: PathBuf,
    /// The file that is there.
    old: Option<fs::Metadata>,
}

impl Target {
    fn of(named: &Path) -> Result<Self, Failure> {
        let mut path = named.to_owned();
        for _ in 0..MAX_LINKS {
            let Ok(to) = fs::read_link(&path) else {
                break;
            };
            path = path.parent().unwrap_or(Path::new("")).join(to);
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        if !folder.is_dir() {
            let missing = format!("there is no folder {}", folder.display());
            return Err(unwritable(named, &missing));
        }
        let old = fs::metadata(&path).ok();
        if path.is_dir() || path.file_name().is_none() {
            return Err(unwritable(named, &"it is a folder"));
        }
        if old.is_some() {
            // A file that may not be changed is not replaced by another one either.
            let opened = OpenOptions::new().append(true).open(&path);
            opened.map_err(|error| unwritable(named, &error))?;
        }
        Ok(Target {
            named: named.to_owned(),
            path,
            folder,
            old,
        })
    }

    /// An empty file next to the place, or elsewhere if only the file that is there may be changed.
    fn temporary(&self) -> Result<NamedTempFile, Failure> {
        let mut builder = Builder::new();
        // Temporary files are private; outputs have the usual rights.
        builder.permissions(fs::Permissions::from_mode(0o666));
        let made = builder.tempfile_in(&self.folder);
        let made = match &self.old {
            Some(_) => made.or_else(|_| builder.tempfile()),
            None => made,
        };
        // The text of errors of that crate ends in the name of the temporary file.
        made.map_err(|error| unwritable(&self.named, &error.kind()))
    }

    /// Writes the content beside the place, and moves it there. A file with other names, or of another user, stays the same file and gets
    /// the content.
    fn replace(
        self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut file = self.temporary()?;
        let written = || {
            let mut buffer = BufWriter::new(&mut file);
            content(&mut buffer)?;
            buffer.flush()?;
            drop(buffer);
            match &self.old {
                Some(old) => file.as_file().set_permissions(old.permissions()),
                None => Ok(()),
            }
        };
        written().map_err(|error| unwritable(&self.named, &error.kind()))?;
        let is_ours = |old: &fs::Metadata| {
            let new = file.as_file().metadata();
            old.nlink() == 1
                && new.is_ok_and(|new| new.uid() == old.uid() && new.gid() == old.gid())
        };
        let is_near = file.path().parent() == Some(&self.folder);
        let placed = match &self.old {
            Some(old) if !is_near || !is_ours(old) => fs::copy(file.path(), &self.path).map(drop),
            _ => file
                .persist(&self.path)
                .map(drop)
                .map_err(|error| error.error),
        };
        placed.map_err(|error| unwritable(&self.named, &error))
    }
}

/// A folder that cannot be made.
pub(super) fn unmakable(folder: &Path, reason: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        Exit::Unwritable,
        format!("cannot make {}: {reason}", folder.display()),
    )
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
