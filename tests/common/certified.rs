//! Worth of both sides' play when the search is asked for it position by position.

use engines::search::{Search, SearchPolicy};
use formula::BigRational;
use gdl::Name;
use gdl::game::{Game, Objective};
use limits::Limits;
use rules::Reasoner;
use step::StepLimits;
use strategy::{Certified, Certifier, PolicyQuestion, certify};
use verify::Side;

/// Whether the search's play proves this value from both sides; else what is wrong, in words.
pub fn proves(
    game: &Game,
    search: &mut Search,
    (role, objective, depth): (&Name, Objective, u32),
    value: &BigRational,
) -> Result<(), String> {
    let mut reasoner = Reasoner::new(game).expect("a game");
    let start = reasoner.initial().expect("a state");
    let asked = PolicyQuestion {
        role: role.clone(),
        start: reasoner.facts(&start),
        depth,
        objective,
    };
    let certifier = Certifier::new::<()>(game, asked, &StepLimits::default());
    let mut certifier = certifier.map_err(|error| format!("no certifier: {error:?}"))?;
    let policy = SearchPolicy::new(search, certifier.ground(), objective, Limits::default());
    let mut policy = policy.expect("there is one circuit");
    for side in [Side::Role, Side::Opponents] {
        match certify(&mut certifier, side, &mut policy, &Limits::default()) {
            Ok((Certified::Worth(found), _)) if found == *value => {}
            other => return Err(format!("{side:?}, for {value}: {other:?}")),
        }
    }
    Ok(())
}
