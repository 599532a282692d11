//! Strategies of both sides as data, and the proof that they are as good as they claim.
//!
//! A [`Strategy`] answers one question about a game (which role, within how many steps, to what
//! end) by giving each role its moves. The *role's side* maps a position, that is a state and the
//! number of steps left, to the role's move. The *opponents' side* maps a position and the role's
//! move to the joint answer of all opponents. With both at hand the value needs no faith in a
//! solver: the role's side guarantees a lower bound against every answer, the opponents' side
//! allows an upper bound at most, and where the two meet is the value. [`verify`] computes both by
//! plain evaluation of the rules. Strategies come from anywhere; the crate `strategy` asks a solver for them.
//!
//! Listed are exactly the positions that can be reached: on the role's side under any answers and
//! any chance, on the opponents' side under any moves of the role and any chance. A position need not
//! tell the steps left; then it stands for its state with any number of them.
//!
//! ```text
//! strategy --write_json--> text --read--> Strategy --verify--> Verdict
//! Strategy --write_text, write_mixtures--> for people
//! ```
//!
//! Invariant: [`verify`] knows the rules and the strategy, and nothing else: no solver, no circuit,
//! no values computed elsewhere. This crate depends on none of them.
//!
//! ```
//! use gdl::game;
//!
//! let rules = b"(role guest) (role random) (door a) (door b)
//!     (<= (legal ?role (open ?door)) (role ?role) (door ?door))
//!     (<= (next won) (does guest (open ?door)) (does random (open ?door)))
//!     (<= (next over) (role ?role)) (<= terminal (true over))
//!     (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))";
//! let game = game::read("doors", rules, &gdl::Options::default())?.game;
//! let text = format!(
//!     r#"{{"format": "sqasp-strategy", "version": 1, "game": "doors", "rules_sha256": "{}",
//!          "roles": ["guest", "random"], "role": "guest", "depth": 1, "objective": "win",
//!          "start": [], "value": "1/2",
//!          "player": [{{"state": [], "move": "(open a)", "value": "1/2"}}], "opponents": []}}"#,
//!     sqasp_verify::fingerprint(&game)
//! );
//! let guess = sqasp_verify::read(text.as_bytes())?;
//! let verification = sqasp_verify::verify(&game, &guess, &limits::Limits::default())?;
//! assert_eq!(verification.verdict, sqasp_verify::Verdict::Proved("1/2".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where opponents know the role's move no side needs to mix moves. Where they do not, sides do: [`verify_mixed`].
//! Where each role plays for itself, no role may gain by another move: [`verify_equilibrium`].
//! Where roles do not know the state, they depend on the past, as far as it was seen: [`verify_hidden`].

mod any;
mod decision_tree;
mod deviations;
mod equilibrium;
mod fingerprint;
mod hidden;
mod hidden_json;
mod listing;
mod mixed;
mod mixed_json;
mod outcome;
mod play_ends;
mod policy;
mod read;
mod shape;
mod table;
mod text;
mod verify;
mod walk;
mod write;

pub use any::{AnyStrategy, read, read_any};
pub use deviations::verify_equilibrium;
pub use equilibrium::{Equilibrium, Move, Standing, write_equilibrium_text};
pub use fingerprint::fingerprint;
pub use hidden::{Choice, HiddenStrategy, Information, verify_hidden};
pub use hidden_json::{write_hidden, write_tree};
pub use mixed::{MixedStrategy, Mixing};
pub use mixed_json::write_mixed;
pub use outcome::{Flaw, Refusal, Side, Verdict, Verification, VerifyError};
pub use play_ends::{PlayEnds, play_ends};
pub use policy::{Answer, Decision, Heading, Position, Response, Strategy};
pub use read::ReadError;
pub use table::{TermNumber, TermTable};
pub use text::{write_mixtures, write_text};
pub use verify::{check_heading, positions_name, verify, verify_mixed};
pub use write::write_json;
