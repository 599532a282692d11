//! Boolean circuits, and code that evaluates them for many assignments at once.
//!
//! A [`Circuit`] is built once: inputs, conjunctions, and negation as a mark on each wire.
//! Constants are folded and equal gates shared while building. [`Code`] is the flat program it is
//! compiled to; it works on machine words, one assignment per bit (a *lane*), so one pass over the
//! code evaluates 64 assignments. [`lanes`] moves assignments between lanes: it makes a copy of a
//! lane for each thing that may happen next. [`sat`] asks whether signals can be true together, [`automorphism`] finds symmetries,
//! and [`invariants`] proves what holds in all states that a step leads to.
//!
//! ```text
//! lane        3 2 1 0
//! a           1 1 0 0          one word per wire
//! b           1 0 1 0
//! a and b     1 0 0 0          one instruction for all lanes
//! ```
//!
//! ```
//! use sqasp_circuit::{Circuit, Code, Slots};
//!
//! let mut circuit = Circuit::new();
//! let [a, b] = [circuit.input(0), circuit.input(0)];
//! let differ = {
//!     let both = circuit.and([a, b]);
//!     let neither = circuit.and([!a, !b]);
//!     circuit.and([!both, !neither])
//! };
//! // Wires are given the slots of an array of words; slot 0 holds false in all lanes.
//! let mut slots = Slots::new();
//! let (slot_a, slot_b) = (slots.add(a), slots.add(b));
//! let mut code = Code::default();
//! let block = code.push(&circuit, [differ], &mut slots);
//! let mut values = Slots::values(slots.len());
//! sqasp_circuit::set(&mut values, slot_a, 0b1100);
//! sqasp_circuit::set(&mut values, slot_b, 0b1010);
//! code.run(block, &mut values);
//! assert_eq!(sqasp_circuit::word(&values, slots.literal(differ)) & 0b1111, 0b0110);
//! ```

pub mod automorphism;
mod circuit;
mod code;
pub mod invariants;
pub mod lanes;
pub mod sat;
mod step;
mod ternary;
mod transition;

pub use circuit::{Circuit, Literal};
pub use code::{Block, Code, Slots, set, word};
pub use step::Step;
pub use ternary::May;
pub use transition::Transition;
