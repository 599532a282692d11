//! From an order of execution to segments: what is needed ([`cone`]), where to cut ([`cuts`]),
//! where all is won ([`winning`]), and the code in between ([`segment`]).

mod activity;
mod code;
mod cone;
mod cuts;
mod demands;
mod layout;
mod segment;
mod winning;

pub use activity::Readers;
pub use code::{Code, is_true};
pub use cuts::Cut;
pub use layout::Layout;
pub use segment::{Choice, Segment, Stage};

use crate::options::{Engine, Options};
use crate::order::Program;
use crate::symmetry::Symmetry;
use cuts::find_cuts;
use formula::{Lit, Probability};
use limits::{StopReason, Watch};
use segment::{Compiler, Part};

/// The search for winning literals visits at most this many slots, so that formulas on which it is
/// futile do not suffer from it.
const MAX_SLOTS_VISITED: usize = 400_000_000;

/// A formula ready for the search.
#[derive(Debug)]
pub struct Compiled {
    /// The segments in order. Each starts with a cut; the first with the empty key.
    pub segments: Vec<Segment>,
    /// The code of the segments.
    pub code: Code,
    /// The initial values of the slots.
    pub values: Vec<u8>,
    /// The program the segments were made from.
    pub program: Program,
    /// The cut before each segment and the end, each with the literals that win there.
    pub cuts: Vec<(Cut, Vec<Lit>)>,
    /// The number of automorphisms of the program that generate all known ones.
    pub generators: usize,
}

/// Compiles a program; `chances` are the probabilities of all variables.
///
/// # Errors
/// If a limit is reached.
pub fn compile(
    program: Program,
    chances: &[Option<Probability>],
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Compiled, StopReason> {
    let variables = chances.len();
    let program = if options.prune_cone {
        cone::prune(&program, variables)
    } else {
        program
    };
    let mut symmetry = if options.use_symmetry && options.engine != Engine::Reference {
        Symmetry::find(&program, chances, watch)?
    } else {
        Symmetry::none()
    };
    watch.look("compiling", 0)?;
    let layout = Layout::new(&program, variables);
    let cuts = find_cuts(&program, &layout, options, watch.memory_limit());
    watch.look("compiling", 0)?;
    let readers = Readers::new(&program, &layout);
    let mut compiler = Compiler::new(&program, &layout, &readers, options);
    let mut segments = Vec::new();
    let mut passed = Vec::new();
    let mut end = Cut {
        item: program.items.len(),
        ..Cut::default()
    };
    let mut winning: Vec<Lit> = Vec::new();
    let mut effort = MAX_SLOTS_VISITED;
    // Backwards, because what wins at the end of a segment decides what wins at its start.
    for (index, start) in cuts.into_iter().enumerate().rev() {
        watch.look("compiling", 0)?;
        let mut part = Part {
            items: start.item..end.item,
            start: &start,
            constants: &[],
            end: &end,
            winning: &winning,
        };
        let extent = compiler.code.extent();
        let first_slot = compiler.values.len();
        let mut segment = compiler.compile(&part);
        let mut found = Vec::new();
        if options.find_winning_literals && index > 0 {
            let is_last = segments.is_empty();
            found = find_winning(
                &mut compiler,
                &segment,
                &start,
                first_slot,
                is_last,
                &mut effort,
            );
        }
        if !found.is_empty() {
            // Where we still play, these literals are false.
            let constants: Vec<Lit> = found.iter().map(|&literal| !literal).collect();
            part.constants = &constants;
            compiler.code.truncate(extent);
            compiler.truncate_slots(first_slot);
            segment = compiler.compile(&part);
        }
        segment.symmetry = symmetry.of_key(&segment.key, &found);
        segments.push(segment);
        passed.push((end, winning));
        winning = found;
        end = start;
    }
    passed.push((end, winning));
    segments.reverse();
    passed.reverse();
    let Compiler { code, values, .. } = compiler;
    Ok(Compiled {
        segments,
        code,
        values,
        generators: symmetry.generators(),
        program,
        cuts: passed,
    })
}

/// The winning literals at the start of the segment that was compiled last.
fn find_winning(
    compiler: &mut Compiler<'_>,
    segment: &Segment,
    start: &Cut,
    first_slot: usize,
    is_last: bool,
    effort: &mut usize,
) -> Vec<Lit> {
    let slots = first_slot..compiler.values.len();
    let mut values = std::mem::take(&mut compiler.values);
    let mut found = Vec::new();
    for &variable in &start.live {
        let Some(slot) = compiler.slot(variable) else {
            continue;
        };
        if *effort < 2 * slots.len() {
            break;
        }
        *effort -= 2 * slots.len();
        let value = [true, false].into_iter().find(|&value| {
            winning::wins(
                &compiler.code,
                segment,
                &mut values,
                slots.clone(),
                slot,
                value,
                is_last,
            )
        });
        found.extend(value.map(|value| variable.literal(value)));
    }
    values[slots].fill(0);
    compiler.values = values;
    found.sort_unstable();
    found
}
