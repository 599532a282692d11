//! `sqasp player`: a player of the general game playing protocol.

use crate::cli::args::PlayerArguments;
use crate::cli::files::{self, tell};
use crate::cli::{Exit, Failure};
use crate::http::{self, ServerLimits};
use crate::player::Player;
use crate::{Budget, memory};
use std::time::Duration;

/// Rules of games can be long.
const MAX_MESSAGE: usize = 1 << 24;

pub(super) fn player(arguments: &PlayerArguments) -> Result<Exit, Failure> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
    if arguments.name.is_empty() || !arguments.name.chars().all(is_word) {
        let message = format!(
            "--name `{}` must be one word of letters, digits, `_`, `-` and `.`",
            arguments.name
        );
        return Err(Failure::new(Exit::Usage, message));
    }
    let taken = |error| {
        let message = format!(
            "cannot listen at {}:{}: {error}; choose another --port",
            arguments.host, arguments.port
        );
        Failure::new(Exit::Unwritable, message)
    };
    let listener = http::bind(arguments.host, arguments.port).map_err(taken)?;
    let address = listener.local_addr().map_err(taken)?;
    files::print(|to| writeln!(to, "{address}"))?;
    let is_quiet = arguments.quiet;
    // Half of what may be used is for tables; the sampler and what is not counted take the rest.
    let budget = Budget::with_memory(arguments.memory.memory).memory;
    let tables = budget.map(|all| all.saturating_sub(memory::in_use().unwrap_or(0)) / 2);
    let player = Player::new(&arguments.name, tables, move |line| {
        if !is_quiet {
            tell(line);
        }
    });
    let limits = ServerLimits {
        head: MAX_MESSAGE,
        body: MAX_MESSAGE,
        reading: Duration::from_secs(5),
        connections: 32,
        reads_to_end: true,
    };
    let error = http::run(&listener, &limits, move |incoming| player.answer(incoming));
    Err(Failure::new(
        Exit::Internal,
        format!("the server ended: {error}"),
    ))
}
