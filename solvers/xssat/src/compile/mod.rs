//! Compilation of an order of execution to segments: the cone of influence ([`cone`]), the cuts ([`cuts`]), the
//! circuit in between ([`plan`]) with the questions that spare branches ([`activity`],
//! [`effects`]), winning literals ([`winning`]), and the code ([`segment`]).

mod activity;
mod cone;
mod cuts;
mod effects;
mod layout;
mod plan;
pub mod segment;
mod winning;

use crate::options::Options;
use crate::policy::MAX_WINNING_NODES;
use crate::program::Program;
use crate::symmetry::Symmetry;
use circuit::Code;
pub use cone::prune;
use cuts::{Cut, find_cuts};
use formula::Lit;
use layout::Layout;
use limits::{StopReason, Watch};
use plan::{Planner, SegmentPlan};
use segment::{Segment, emit};
use winning::SegmentTester;

/// A formula ready for the search.
#[derive(Debug)]
pub struct Compiled {
    /// The segments in order. Each starts with a cut; the first with the empty key.
    pub(crate) segments: Vec<Segment>,
    /// The code of the segments.
    pub(crate) code: Code,
    /// The program the segments were made from.
    pub(crate) program: Program,
    /// The cut before each segment and the end.
    pub(crate) cuts: Vec<Cut>,
    /// The number of automorphisms of the program that generate all known ones.
    pub(crate) generators: usize,
}

/// The size of a formula as a program that is cut into segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Variables that are computed.
    pub gates: usize,
    /// Variables that are decided.
    pub decided: usize,
    /// Segments between cuts.
    pub segments: usize,
    /// The bits of the widest key.
    pub widest_key: usize,
}

impl Compiled {
    pub fn shape(&self) -> Shape {
        let decisions = self.program.decisions.iter();
        let keys = self.segments.iter().map(|segment| segment.key.len());
        Shape {
            gates: self.program.gates.len(),
            decided: decisions.map(|decision| decision.variables.len()).sum(),
            segments: self.segments.len(),
            widest_key: keys.max().unwrap_or(0),
        }
    }
}

/// Compiles a program.
pub fn compile(
    program: Program,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Compiled, StopReason> {
    let mut symmetry = if options.use_symmetry {
        Symmetry::find(&program, watch)?
    } else {
        Symmetry::none()
    };
    watch.check("compiling", 0)?;
    let layout = Layout::new(&program);
    let cuts = find_cuts(&program, &layout, options, watch.limits().memory);
    watch.check("compiling", 0)?;
    let mut planner = Planner::new(&program, &layout, options);
    let mut code = Code::default();
    let mut segments = Vec::new();
    let mut passed = Vec::new();
    let mut end = Cut {
        item: program.items.len(),
        ..Cut::default()
    };
    let mut effort = MAX_WINNING_NODES;
    // Backwards, because what wins at the end of a segment decides what wins at its start.
    for (index, mut start) in cuts.into_iter().enumerate().rev() {
        watch.check("compiling", 0)?;
        let mut plan = planner.plan(&start, &end);
        if options.find_winning_literals && index > 0 {
            let is_last = segments.is_empty();
            start.winning = find_winning(&planner, &plan, &start, is_last, &mut effort);
            if !start.winning.is_empty() {
                // In states that are searched these literals are false.
                plan = planner.plan(&start, &end);
            }
        }
        if options.merge_effects {
            effects::merge(&mut planner.circuit, &mut plan);
        }
        let mut segment = emit(&mut planner.circuit, &plan, &mut code);
        segment.symmetry = symmetry.of_key(&segment.key, &start.winning);
        segments.push(segment);
        passed.push(std::mem::replace(&mut end, start));
    }
    passed.push(end);
    segments.reverse();
    passed.reverse();
    Ok(Compiled {
        segments,
        code,
        generators: symmetry.generators(),
        program,
        cuts: passed,
    })
}

/// The winning literals at the start of the segment whose circuit was made last.
fn find_winning(
    planner: &Planner<'_>,
    plan: &SegmentPlan,
    start: &Cut,
    is_last: bool,
    effort: &mut usize,
) -> Vec<Lit> {
    let mut test = SegmentTester::new(&planner.circuit, plan, is_last);
    let mut found = Vec::new();
    for &variable in &start.live {
        let wire = planner.defined(variable);
        // A constant wire is no information.
        let Some(wire) = wire.filter(|wire| wire.node() > 0) else {
            continue;
        };
        match effort.checked_sub(2 * test.effort()) {
            Some(left) => *effort = left,
            None => break,
        }
        let value = [true, false]
            .into_iter()
            .find(|&value| test.wins(wire.negated_if(!value)));
        found.extend(value.map(|value| variable.literal(value)));
    }
    found.sort_unstable();
    found
}
