//! Solves an SDIMACS or QDIMACS file and prints what was found and how: for studies of techniques.
//!
//! ```text
//! cargo run --release -p sqasp-ssat --example solve -- FILE
//!     [--engine auto|frontier|learning] [--no-TECHNIQUE]... [--time SECONDS] [--memory MEGABYTES] [--describe | --program]
//! ```

use formula::Solver;
use limits::{Limits, Publisher};
use sqasp_ssat::portfolio::{Engine, Portfolio};
use std::borrow::Cow;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut solver = Portfolio::default();
    let mut limits = Limits::default();
    let mut file = None;
    let mut describe = false;
    let mut program = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if let Some(name) = argument.strip_prefix("--no-") {
            let technique = solver.options.technique(name);
            *technique.ok_or_else(|| format!("there is no technique {name}"))? = false;
        } else if argument == "--engine" {
            solver.options.engine = match arguments.next().as_deref() {
                Some("auto") => Engine::Auto,
                Some("frontier") => Engine::Layered,
                Some("learning") => Engine::Learning,
                other => return Err(format!("there is no engine {other:?}").into()),
            };
        } else if argument == "--time" {
            let seconds = arguments.next().ok_or("--time needs seconds")?;
            limits = limits.within(Duration::from_secs_f64(seconds.parse()?));
        } else if argument == "--memory" {
            let megabytes: u64 = arguments
                .next()
                .ok_or("--memory needs megabytes")?
                .parse()?;
            limits.memory = Some(megabytes << 20);
        } else if argument == "--threads" {
            let threads = arguments.next().ok_or("--threads needs a number")?;
            solver.options.layered.search.threads = threads.parse()?;
            solver.options.learning.threads = solver.options.layered.search.threads;
        } else if argument == "--segment-bits" {
            let bits = arguments.next().ok_or("--segment-bits needs a number")?;
            solver.options.layered.segment_bits = bits.parse()?;
        } else if argument == "--describe" {
            describe = true;
        } else if argument == "--program" {
            program = true;
        } else {
            file = Some(argument);
        }
    }
    let file = file.ok_or("which file?")?;
    let started = Instant::now();
    let formula = formula::read(&std::fs::read(&file)?)?;
    if describe {
        print!("{}", solver.describe(&formula));
        return Ok(());
    }
    if program {
        print!("{}", solver.program(&formula));
        return Ok(());
    }
    let read = started.elapsed();
    let answer = solver.solve_publishing(Cow::Owned(formula), &limits, &Publisher::default())?;
    println!("{:?}", answer.outcome);
    println!(
        "read {:.2} s, solved {:.2} s",
        read.as_secs_f64(),
        (started.elapsed() - read).as_secs_f64()
    );
    for (name, number) in answer.statistics {
        println!("{name} {number}");
    }
    Ok(())
}
