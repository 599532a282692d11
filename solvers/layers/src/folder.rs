//! The folder of a table: the names of files, and the steps until a file gets its name.

use crate::error::DiskTableError;
use crate::kind::Kind;
use crate::manifest::{FORMAT, Layers, Manifest, VERSION, is_sealed, sealed};
use crate::part::{LayerPart, is_of_part};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// A folder with a manifest.
pub struct Folder {
    path: PathBuf,
    digest: [u8; 32],
    /// The manifest: the game and the question of the table.
    pub manifest: Manifest,
    /// Held while the table is built.
    lock: Option<File>,
    /// The suffix of this process's unfinished files, before `.part`, in a folder where other processes write too.
    tag: String,
}

impl Folder {
    /// Opens the folder of a table to go on with it, or makes one. No other process can until this value is dropped.
    pub fn create(path: &Path, manifest: &Manifest) -> Result<Self, DiskTableError> {
        fs::create_dir_all(path).map_err(DiskTableError::file(path, "create"))?;
        let lock = lock(path, FlockOperation::NonBlockingLockExclusive)?;
        let mut folder = match Folder::open(path) {
            Ok(found) => {
                found.check_same(manifest)?;
                found.remove_unfinished()?;
                found
            }
            Err(DiskTableError::Missing(_)) => {
                // A run that was killed at once leaves a part of the manifest.
                let is_empty = names(path)?.iter().all(|name| name == MANIFEST_PART);
                if !is_empty {
                    return Err(DiskTableError::Foreign(path.to_owned()));
                }
                write_text(
                    &path.join(Manifest::FILE),
                    &path.join(MANIFEST_PART),
                    &manifest.text(),
                )?;
                Folder::open(path)?
            }
            Err(error) => return Err(error),
        };
        folder.lock = lock;
        Ok(folder)
    }

    /// Opens the folder of a table to do a part of the work, beside other processes that do other parts.
    pub fn join(path: &Path, manifest: &Manifest) -> Result<Self, DiskTableError> {
        let folder = Folder::open(path)?;
        folder.check_same(manifest)?;
        folder.share()
    }

    /// This folder, where other processes write too from now on: what they did not finish stays theirs. As long as one of them
    /// works, no process is alone there.
    pub fn share(mut self) -> Result<Self, DiskTableError> {
        // A lock that was exclusive is let go.
        self.lock = None;
        self.lock = lock(&self.path, FlockOperation::NonBlockingLockShared)?;
        // Machines that share files do not share process numbers.
        let number = RandomState::new().build_hasher().finish();
        self.tag = format!(".{number}");
        Ok(self)
    }

    /// Opens the folder of a table.
    pub fn open(path: &Path) -> Result<Self, DiskTableError> {
        let file = path.join(Manifest::FILE);
        let Some(text) = read_text(&file)? else {
            return Err(DiskTableError::Missing(path.to_owned()));
        };
        let damaged = |why: String| DiskTableError::damaged(&file, why);
        let head: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        let asked = [("format", FORMAT.into()), ("version", VERSION.into())];
        if let Some((field, asked)) = asked.into_iter().find(|(it, asked)| head[it] != *asked) {
            return Err(DiskTableError::Other {
                path: path.to_owned(),
                what: match field {
                    "version" => "version of the format",
                    field => field,
                },
                found: head[field].to_string(),
                asked: serde_json::Value::to_string(&asked),
            });
        }
        if !is_sealed(&text, Manifest::FILE, &[]) {
            return Err(damaged(NOT_WRITTEN.to_owned()));
        }
        let manifest: Manifest =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if manifest.text() != text {
            return Err(damaged("it has a field that is not known".to_owned()));
        }
        Ok(Folder {
            path: path.to_owned(),
            digest: manifest.digest(),
            manifest,
            lock: None,
            tag: String::new(),
        })
    }

    /// Whether the table is about the same.
    pub fn check_same(&self, manifest: &Manifest) -> Result<(), DiskTableError> {
        match manifest.difference(&self.manifest) {
            None => Ok(()),
            Some((what, found, asked)) => Err(DiskTableError::Other {
                path: self.path.clone(),
                what,
                found,
                asked,
            }),
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The SHA-256 of the manifest, which each file contains.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The file of a layer.
    pub fn shard(&self, kind: Kind, layer: usize) -> PathBuf {
        self.shard_of(LayerPart::WHOLE, kind, layer)
    }

    /// The file of a part of a layer.
    pub fn shard_of(&self, part: LayerPart, kind: Kind, layer: usize) -> PathBuf {
        self.path.join(part.shard(kind, layer))
    }

    /// Whether the file of a layer is complete.
    pub fn has(&self, kind: Kind, layer: usize) -> bool {
        self.shard(kind, layer).exists()
    }

    /// A working file that is dropped when a run ends, or the next one begins.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{}.part", self.tag))
    }

    /// The name of a file while it is written.
    pub fn part_of(&self, path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.scratch(&name)
    }

    /// Removes a file of a layer, if it is there.
    pub fn remove(&self, kind: Kind, layer: usize) -> Result<(), DiskTableError> {
        remove(&self.shard(kind, layer))
    }

    /// Removes what this process did not finish; if the folder is not shared ([`Folder::share`]), also what others did not.
    pub fn remove_unfinished(&self) -> Result<(), DiskTableError> {
        let ending = format!("{}.part", self.tag);
        self.remove_all(|name| is_unfinished(name) && name.ends_with(&ending))
    }

    /// Removes the files of parts.
    pub fn remove_parts(&self) -> Result<(), DiskTableError> {
        self.remove_all(is_of_part)
    }

    fn remove_all(&self, is_meant: impl Fn(&str) -> bool) -> Result<(), DiskTableError> {
        let names = names(&self.path)?;
        let mut meant = names.iter().filter(|name| is_meant(name));
        meant.try_for_each(|name| remove(&self.path.join(name)))
    }

    /// Writes a file in JSON.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), DiskTableError> {
        let text = sealed(value, name, &self.digest);
        write_text(&self.path.join(name), &self.scratch(name), &text)
    }

    /// Reads a file in JSON, if it is there.
    pub fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, DiskTableError> {
        let path = self.path.join(name);
        let Some(text) = read_text(&path)? else {
            return Ok(None);
        };
        if !is_sealed(&text, name, &self.digest) {
            return Err(DiskTableError::damaged(&path, NOT_WRITTEN));
        }
        let found = serde_json::from_str(&text);
        found
            .map(Some)
            .map_err(|error| DiskTableError::damaged(&path, error.to_string()))
    }

    /// Reads a file in JSON that must be there.
    pub fn read_needed<T: DeserializeOwned>(&self, name: &str) -> Result<T, DiskTableError> {
        let found = self.read_json(name)?;
        found.ok_or_else(|| DiskTableError::damaged(&self.path.join(name), "it is missing"))
    }

    /// The error for a layer that does not agree with the rules.
    pub fn wrong(&self, layer: usize, why: &str) -> DiskTableError {
        DiskTableError::Wrong {
            path: self.path.clone(),
            layer,
            why: why.to_owned(),
        }
    }

    /// The names of all files.
    pub fn names(&self) -> Result<Vec<String>, DiskTableError> {
        names(&self.path)
    }

    /// The bytes of all files.
    pub fn bytes(&self) -> Result<u64, DiskTableError> {
        let mut bytes = 0;
        for name in names(&self.path)? {
            let path = self.path.join(name);
            let found = fs::metadata(&path).map_err(DiskTableError::file(&path, "read"))?;
            bytes += found.len();
        }
        Ok(bytes)
    }
}

/// The reason why a file in JSON is damaged: its text is not the one that was written.
const NOT_WRITTEN: &str = "its checksum does not match";

/// The text of a file, if it is there.
fn read_text(path: &Path) -> Result<Option<String>, DiskTableError> {
    let bytes = match fs::read(path) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(None),
        read => read.map_err(DiskTableError::file(path, "read"))?,
    };
    let text = String::from_utf8(bytes);
    text.map(Some)
        .map_err(|_| DiskTableError::damaged(path, NOT_WRITTEN))
}

/// The name of a manifest while it is written.
const MANIFEST_PART: &str = "table.json.part";

/// The number of tries to take a lock, and the pause between them: processes that were killed may need a moment to end.
const TRIES: u32 = 25;
const PAUSE: Duration = Duration::from_millis(20);

/// Takes the lock of a folder. The system gives it back when the process ends, however it does. Some file systems that
/// machines share know no locks of folders; there is none then.
fn lock(path: &Path, how: FlockOperation) -> Result<Option<File>, DiskTableError> {
    let folder = File::open(path).map_err(DiskTableError::file(path, "open"))?;
    let mut locked = flock(&folder, how);
    for _ in 1..TRIES {
        if locked != Err(Errno::WOULDBLOCK) {
            break;
        }
        sleep(PAUSE);
        locked = flock(&folder, how);
    }
    match locked {
        Ok(()) => Ok(Some(folder)),
        Err(Errno::WOULDBLOCK) => Err(DiskTableError::Busy(path.to_owned())),
        Err(Errno::BADF | Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(None),
        Err(error) => Err(DiskTableError::file(path, "lock")(error.into())),
    }
}

/// Removes a file, if it is there.
pub fn remove(path: &Path) -> Result<(), DiskTableError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != NotFound => Err(DiskTableError::file(path, "remove")(error)),
        _ => Ok(()),
    }
}

/// Whether a file is one of ours that was not finished.
fn is_unfinished(name: &str) -> bool {
    let Some(name) = name.strip_suffix(".part") else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // With the number of a process that worked beside others, or without.
    let is_ours = |name: &str| {
        let is_run = name.strip_prefix("run-").is_some_and(is_number);
        let is_layer = name.split_once('.').is_some_and(|(layer, ending)| {
            let endings = ["json", "0.rows", "0.keys", "0.values"];
            is_number(layer) && endings.contains(&ending)
        });
        let is_list = [Manifest::FILE, Layers::FILE].contains(&name);
        is_run || is_layer || is_list || is_of_part(name)
    };
    let of_process = name.rsplit_once('.');
    is_ours(name) || of_process.is_some_and(|(name, number)| is_number(number) && is_ours(name))
}

fn names(path: &Path) -> Result<Vec<String>, DiskTableError> {
    let entries = fs::read_dir(path).map_err(DiskTableError::file(path, "read"))?;
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let names: Result<Vec<String>, _> = entries.map(|entry| entry.map(name)).collect();
    names.map_err(DiskTableError::file(path, "read"))
}

/// Gives a file its final name when all of it is on the disk.
pub fn publish(file: &File, part: &Path, path: &Path) -> Result<(), DiskTableError> {
    file.sync_all()
        .map_err(DiskTableError::file(part, "sync"))?;
    fs::rename(part, path).map_err(DiskTableError::file(part, "rename"))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(DiskTableError::file(folder, "sync"))
}

fn write_text(path: &Path, part: &Path, text: &str) -> Result<(), DiskTableError> {
    let mut file = File::create(part).map_err(DiskTableError::file(part, "create"))?;
    let written = file.write_all(text.as_bytes());
    written.map_err(DiskTableError::file(part, "write"))?;
    publish(&file, part, path)
}
