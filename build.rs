//! Links the standard library of C++ into the program, where the compiler has it in that form.
//!
//! clingo needs it. As a library of its own it costs each start half a millisecond, because all its names are looked up.
//! Small formulas are solved in less. Where it cannot be found, it stays a library of its own.

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
        // The linker looks here first, and finds this form only. Libraries and tests are linked as ever.
        println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
    }
}

/// A folder with a link to the library and nothing else.
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
