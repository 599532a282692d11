//! Proofs of strategies for games.

use crate::report::VerificationReport;
use engines::{Error, ErrorKind, starts_elsewhere};
use gdl::game::Game;
use limits::Limits;
use std::time::Instant;
use verify::{AnyStrategy, VerifyError};

/// Proves what a strategy of both sides promises, or refuses it with the position that shows what is wrong. Where players do not know the moves
/// of others, or roles do not see everything, both sides get a best response.
///
/// # Errors
/// If the strategy is not for this game, or the game is not valid.
pub fn verify(
    game: &Game,
    strategy: &AnyStrategy,
    limits: &Limits,
) -> Result<VerificationReport, Error> {
    let rest = limits.for_engine();
    let heading = strategy.heading();
    let game = &game.with_team(&heading.role)?;
    let begin = Instant::now();
    let elsewhere = starts_elsewhere(game, &heading.start, limits);
    let verified = elsewhere.and_then(|elsewhere| {
        let verification = match strategy {
            AnyStrategy::Mixed(strategy) => verify::verify_mixed(game, strategy, &rest),
            AnyStrategy::Hidden(strategy) => verify::verify_hidden(game, strategy, &rest),
            AnyStrategy::Known(strategy) => verify::verify(game, strategy, &rest),
            AnyStrategy::Equilibrium(strategy) => verify::verify_equilibrium(game, strategy, &rest),
        };
        Ok((elsewhere, verification.map_err(refused)?))
    });
    let time = begin.elapsed();
    let report = VerificationReport::unproved(game, strategy);
    match verified {
        Ok((elsewhere, verification)) => {
            let start = elsewhere.then(|| heading.start.clone());
            Ok(report.verified(verification, start, time))
        }
        // A limit came before play was followed.
        Err(error) => Ok(report.cut_short(error.stopped_by().ok_or(error)?, time)),
    }
}

fn refused(error: VerifyError) -> Error {
    match error {
        VerifyError::Rules(error) => Error::from(error),
        error => Error::from_part(ErrorKind::Game, error),
    }
}
