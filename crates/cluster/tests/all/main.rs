//! Processes that finish one table: their packets, and the program.

mod packets;
mod processes;
