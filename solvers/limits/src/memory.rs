//! Memory of the machine and of this process, as the system tells.

use rustix::process::{Resource, getrlimit};
use std::fs::File;
use std::io::Read as _;

/// Four fifths of the memory of the machine, or of the container that this process runs in, in
/// bytes, as far as the system says how much there is.
pub fn default_limit() -> Option<u64> {
    let machine = field("/proc/meminfo", "MemTotal:").map(|kilobytes| kilobytes * 1024);
    let all = machine.into_iter().chain(container_limits()).min()?;
    Some(all / 5 * 4)
}

/// The limits of the control groups of this process.
fn container_limits() -> impl Iterator<Item = u64> {
    let groups = text_of("/proc/self/cgroup").unwrap_or_default();
    let mut files = vec![
        "/sys/fs/cgroup/memory.max".to_owned(),
        "/sys/fs/cgroup/memory/memory.limit_in_bytes".to_owned(),
    ];
    for line in groups.lines() {
        match line.splitn(3, ':').collect::<Vec<&str>>()[..] {
            [_, "", path] => files.push(format!("/sys/fs/cgroup{path}/memory.max")),
            [_, "memory", path] => {
                files.push(format!("/sys/fs/cgroup/memory{path}/memory.limit_in_bytes"));
            }
            _ => {}
        }
    }
    // Without a limit the word `max` stands there.
    let limit = |file: String| text_of(&file)?.trim().parse().ok();
    files.into_iter().filter_map(limit)
}

/// How much of a limit on the address space (`ulimit -v`) can be used, in bytes, if there is one.
/// Allocations fail when it is reached, so the limit obeyed must lie clearly below: tables double
/// their size, and the watch looks from time to time only.
pub fn address_space() -> Option<u64> {
    Some(unmapped()? / 2 + in_use()?)
}

/// Whether the address space has room for this many bytes more. Ask before you start a thread: one that finds no room
/// for its stack ends the process.
pub fn has_room(bytes: u64) -> bool {
    unmapped().is_none_or(|left| left > bytes)
}

/// Whether the address space has room for many threads: each maps much more than it uses.
pub fn has_room_for_threads() -> bool {
    has_room(300_000_000)
}

/// How much address space is left under a limit of the system, in bytes, if there is one.
pub fn unmapped() -> Option<u64> {
    let all = getrlimit(Resource::As).current?;
    let mapped = field("/proc/self/status", "VmSize:")? * 1024;
    Some(all.saturating_sub(mapped))
}

/// The text of such a file. The buffer has room for all of it, because each call of the system makes the text anew.
fn text_of(file: &str) -> Option<String> {
    let mut text = String::with_capacity(4096);
    File::open(file).ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}

/// The number after a word at the start of a line.
fn field(file: &str, word: &str) -> Option<u64> {
    let text = text_of(file)?;
    let line = text.lines().find(|line| line.starts_with(word))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The memory this process uses now, in bytes, as far as the system says so.
pub fn in_use() -> Option<u64> {
    field("/proc/self/status", "VmRSS:").map(|kilobytes| kilobytes * 1024)
}

/// Whether this process uses more than its limit, by at least a given percentage.
pub fn exceeds(allowed: Option<u64>, percent: u64) -> bool {
    match (allowed, in_use()) {
        (Some(allowed), Some(used)) => used > allowed.saturating_add(allowed / 100 * percent),
        _ => false,
    }
}

/// A limit leaves at least this many bytes beside what the process takes when it is set: less would be over
/// before any work is done.
const LEAST_ROOM: u64 = 32_000_000;

/// A limit of memory that leaves room for some work from now on.
pub fn from_now_on(allowed: u64) -> u64 {
    allowed.max(in_use().unwrap_or(0) + LEAST_ROOM)
}

/// The most memory this process has used so far, in bytes, as far as the system says so.
pub fn peak() -> Option<u64> {
    field("/proc/self/status", "VmHWM:").map(|kilobytes| kilobytes * 1024)
}
