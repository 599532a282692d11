//! Makes the standard library of C++, which clingo needs, a part of the program `sqasp`.
//!
//! Otherwise the system loads it at every start and looks up its names. That takes half a millisecond, longer than many small
//! formulas take to solve. If the compiler does not have the library as an archive, it is loaded at the start as usual.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CXX");
    let is_gnu = |name: &str, value: &str| std::env::var(name).as_deref() == Ok(value);
    if !is_gnu("CARGO_CFG_TARGET_OS", "linux")
        || !is_gnu("CARGO_CFG_TARGET_ENV", "gnu")
        || std::env::var("HOST") != std::env::var("TARGET")
    {
        return;
    }
    if let Some(folder) = alone_in_folder() {
        // The linker looks here first, and finds the archive only. Libraries and tests are linked as usual.
        println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
    }
}

/// A folder with a link to the archive and nothing else.
fn alone_in_folder() -> Option<PathBuf> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let question = Command::new(compiler)
        .arg("-print-file-name=libstdc++.a")
        .output()
        .ok()?;
    let library = PathBuf::from(String::from_utf8(question.stdout).ok()?.trim());
    // A compiler that does not have it repeats the name.
    if !library.is_absolute() || !library.exists() {
        return None;
    }
    let folder = Path::new(&std::env::var_os("OUT_DIR")?).join("c++");
    std::fs::create_dir_all(&folder).ok()?;
    let link = folder.join("libstdc++.a");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&library, &link).ok()?;
    Some(folder)
}
