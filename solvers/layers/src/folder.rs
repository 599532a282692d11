//! The folder of a table: names of files, and how a file gets its name.

use crate::error::TableError;
use crate::manifest::{FORMAT, Manifest, VERSION, json};
use crate::shard::Kind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder with a manifest.
pub struct Folder {
    path: PathBuf,
    digest: [u8; 32],
    /// What the table is about.
    pub manifest: Manifest,
}

impl Folder {
    /// Opens the folder of a table to go on with it, or makes one.
    ///
    /// # Errors
    /// If the folder holds something else, or a table of something else.
    pub fn create(path: &Path, manifest: &Manifest) -> Result<Self, TableError> {
        fs::create_dir_all(path).map_err(TableError::file(path, "create"))?;
        let mut is_empty = true;
        for name in names(path)? {
            match name.extension().is_some_and(|ending| ending == "part") {
                true => {}
                false => is_empty = false,
            }
        }
        match Folder::open(path) {
            Ok(found) => {
                found.check_same(manifest)?;
                found.remove_parts()?;
                return Ok(found);
            }
            Err(TableError::Missing(_)) if is_empty => {}
            Err(TableError::Missing(_)) => return Err(TableError::Foreign(path.to_owned())),
            Err(error) => return Err(error),
        }
        write_text(&path.join("table.json"), &manifest.text())?;
        Folder::open(path)
    }

    /// Opens the folder of a table.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let file = path.join("table.json");
        if !file.exists() {
            return Err(TableError::Missing(path.to_owned()));
        }
        let text = fs::read_to_string(&file).map_err(TableError::file(&file, "read"))?;
        let head: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| TableError::damaged(&file, error.to_string()))?;
        let other = |what, found: String, asked: String| TableError::Other {
            path: path.to_owned(),
            what,
            found,
            asked,
        };
        if head["format"] != FORMAT {
            return Err(other(
                "format",
                head["format"].to_string(),
                FORMAT.to_owned(),
            ));
        }
        if head["version"] != VERSION {
            let (found, asked) = (head["version"].to_string(), VERSION.to_string());
            return Err(other("version of the format", found, asked));
        }
        let manifest: Manifest = serde_json::from_str(&text)
            .map_err(|error| TableError::damaged(&file, error.to_string()))?;
        if manifest.text() != text {
            return Err(TableError::damaged(&file, "it was changed"));
        }
        Ok(Folder {
            path: path.to_owned(),
            digest: manifest.digest(),
            manifest,
        })
    }

    /// Whether the table is about the same.
    ///
    /// # Errors
    /// How it differs.
    pub fn check_same(&self, manifest: &Manifest) -> Result<(), TableError> {
        match manifest.difference(&self.manifest) {
            None => Ok(()),
            Some((what, found, asked)) => Err(TableError::Other {
                path: self.path.clone(),
                what,
                found,
                asked,
            }),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What each file names: SHA-256 of the manifest.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The file of a layer.
    pub fn shard(&self, kind: Kind, layer: usize) -> PathBuf {
        self.path.join(format!("{layer:05}.0.{}", kind.ending()))
    }

    /// Whether the file of a layer is complete.
    pub fn has(&self, kind: Kind, layer: usize) -> bool {
        self.shard(kind, layer).exists()
    }

    /// A working file that is dropped when a run ends, or the next one begins.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.part"))
    }

    /// Removes a file of a layer, if it is there.
    pub fn remove(&self, kind: Kind, layer: usize) -> Result<(), TableError> {
        let path = self.shard(kind, layer);
        match path.exists() {
            true => fs::remove_file(&path).map_err(TableError::file(&path, "remove")),
            false => Ok(()),
        }
    }

    /// Removes what was not finished.
    pub fn remove_parts(&self) -> Result<(), TableError> {
        for name in names(&self.path)? {
            if name.extension().is_some_and(|ending| ending == "part") {
                let path = self.path.join(name);
                fs::remove_file(&path).map_err(TableError::file(&path, "remove"))?;
            }
        }
        Ok(())
    }

    /// Writes a file in JSON.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), TableError> {
        write_text(&self.path.join(name), &json(value))
    }

    /// Reads a file in JSON, if it is there.
    pub fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, TableError> {
        let path = self.path.join(name);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(TableError::file(&path, "read"))?;
        let found = serde_json::from_str(&text);
        found
            .map(Some)
            .map_err(|error| TableError::damaged(&path, error.to_string()))
    }

    /// The bytes of all files.
    pub fn bytes(&self) -> Result<u64, TableError> {
        let mut bytes = 0;
        for name in names(&self.path)? {
            let path = self.path.join(name);
            let found = fs::metadata(&path).map_err(TableError::file(&path, "read"))?;
            bytes += found.len();
        }
        Ok(bytes)
    }
}

fn names(path: &Path) -> Result<Vec<PathBuf>, TableError> {
    let entries = fs::read_dir(path).map_err(TableError::file(path, "read"))?;
    let names = entries.map(|entry| entry.map(|entry| PathBuf::from(entry.file_name())));
    let names: Result<Vec<PathBuf>, _> = names.collect();
    names.map_err(TableError::file(path, "read"))
}

/// The name of a file while it is written.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Gives a file its final name when all of it is on the disk.
pub fn publish(file: &File, part: &Path, path: &Path) -> Result<(), TableError> {
    file.sync_all().map_err(TableError::file(part, "sync"))?;
    fs::rename(part, path).map_err(TableError::file(part, "rename"))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(TableError::file(folder, "sync"))
}

fn write_text(path: &Path, text: &str) -> Result<(), TableError> {
    let part = part_of(path);
    let mut file = File::create(&part).map_err(TableError::file(&part, "create"))?;
    let written = file.write_all(text.as_bytes());
    written.map_err(TableError::file(&part, "write"))?;
    publish(&file, &part, path)
}
