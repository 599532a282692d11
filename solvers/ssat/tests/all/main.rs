//! Tests of the solver by clause learning, and of the strategies that it finds.

mod certain;
mod circuits;
mod engine;
mod flaws;
mod mixture;
mod play;
mod portfolio;
mod strategies;
mod threads;
