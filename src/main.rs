//! The `sqasp` command.

fn main() {}
