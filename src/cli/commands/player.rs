//! `sqasp player`: a player of the general game playing protocol.

use crate::Limits;
use crate::cli::args::PlayerArguments;
use crate::cli::files::{self, tell};
use crate::cli::{Exit, Failure, malloc};
use limits::memory;
use servers::http::{self, ServerLimits};
use servers::player::Player;
use std::time::Duration;

/// The least and the most bytes of a message. The data made of rules take up to five hundred times their length; those of
/// the longest public game have 69,000.
const MESSAGE: (u64, u64) = (1 << 17, 1 << 20);

pub(super) fn player(arguments: &PlayerArguments) -> Result<Exit, Failure> {
    let taken = |error| {
        let message = format!(
            "cannot listen at {}: {error}; choose another --port",
            arguments.port
        );
        Failure::new(Exit::Unwritable, message)
    };
    let listener = http::bind(arguments.port.ip(), arguments.port.port()).map_err(taken)?;
    let address = listener.local_addr().map_err(taken)?;
    files::print(|to| writeln!(to, "{address}"))?;
    malloc::give_back();
    let is_quiet = arguments.quiet;
    let memory = Limits::with_memory(arguments.memory.memory).memory;
    let memory = memory.map(memory::from_now_on);
    let player = Player::new("sqasp", memory, move |line| {
        if !is_quiet {
            tell(line);
        }
    });
    let part = memory.map_or(u64::MAX, |memory| memory / 1000);
    let message = part.clamp(MESSAGE.0, MESSAGE.1) as usize;
    let limits = ServerLimits {
        // Old managers put the message into the address.
        head: message,
        body: message,
        reading: Duration::from_secs(5),
        connections: 32,
        reads_to_end: true,
        ..ServerLimits::within(memory)
    };
    let player = player.allowing(arguments.allow.clone());
    let error = http::run(&listener, &limits, player);
    Err(Failure::new(
        Exit::Internal,
        format!("the server ended: {error}"),
    ))
}
