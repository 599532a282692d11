//! Proofs of strategies for games.

use crate::report::{StrategyKind, VerificationReport};
use engines::{Error, ErrorKind, starts_elsewhere};
use gdl::game::Game;
use limits::Limits;
use std::collections::BTreeMap;
use std::time::Instant;
use verify::{AnyStrategy, Heading, Verification, VerifyError};

/// Proves what a strategy of both sides promises, or refuses it with the position that shows what is wrong. Where nobody knows the moves
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
    let verify = |game: &Game| match strategy {
        AnyStrategy::Mixed(strategy) => {
            verify::verify_mixed(game, strategy, &rest).map_err(refused)
        }
        AnyStrategy::Hidden(strategy) => {
            verify::verify_hidden(game, strategy, &rest).map_err(refused)
        }
        AnyStrategy::Known(strategy) => verify::verify(game, strategy, &rest).map_err(refused),
    };
    let heading = strategy.heading();
    let game = &game.with_team(&heading.role)?;
    let kind = StrategyKind::of(strategy, game);
    report(game, heading, kind, limits, verify)
}

fn refused(error: VerifyError) -> Error {
    match error {
        VerifyError::Rules(error) => Error::from(error),
        error => Error::from_part(ErrorKind::Game, error),
    }
}

/// The report of a verification within limits.
fn report(
    game: &Game,
    heading: &Heading,
    kind: StrategyKind,
    limits: &Limits,
    verify: impl Fn(&Game) -> Result<Verification, Error>,
) -> Result<VerificationReport, Error> {
    let begin = Instant::now();
    let starts_elsewhere = starts_elsewhere(game, &heading.start, limits);
    let verified = starts_elsewhere.and_then(|elsewhere| Ok((elsewhere, verify(game)?)));
    let (starts_elsewhere, verification) = match verified {
        // Nothing is known where a limit comes before play is followed.
        Err(error) => {
            let reason = error.stopped_by().ok_or(error)?;
            return Ok(VerificationReport::cut_short(
                game,
                heading,
                kind,
                reason,
                begin.elapsed(),
            ));
        }
        Ok(verified) => verified,
    };
    Ok(VerificationReport {
        game: game.name().to_owned(),
        assumes_perfect_information: game.assumes_perfect_information(),
        starts_elsewhere,
        heading: heading.clone(),
        kind,
        verification,
        seconds: BTreeMap::from([("verify", begin.elapsed().as_secs_f64())]),
    })
}
