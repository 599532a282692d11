//! Tests of the solver by clause learning, and of the strategies that it finds.

mod certain;
mod circuits;
mod engine;
mod strategies;
mod threads;
