//! Shell scripts that play outside programs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes an executable shell script in a directory.
#[allow(dead_code)] // Not every test that shares this file needs it.
pub fn script(directory: &Path, body: &str) -> PathBuf {
    script_called(directory, "program", body)
}

/// Makes an executable shell script with this name in a directory.
///
/// Another process writes it: if this one did, a child started meanwhile by a neighbouring test
/// would hold the file open for writing, and the system refuses to execute such files.
pub fn script_called(directory: &Path, name: &str, body: &str) -> PathBuf {
    let file = directory.join(name);
    let status = Command::new("/bin/sh")
        .args([
            "-c",
            r##"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod +x "$0""##,
        ])
        .arg(&file)
        .arg(body)
        .status()
        .unwrap();
    assert!(status.success());
    file
}
