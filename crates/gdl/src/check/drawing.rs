//! Mistakes in comments that say how the explorer draws facts.

use crate::description::Description;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::display::DisplayHints;

/// Warns of comments that are not followed.
pub(super) fn check(description: &Description, diagnostics: &mut Diagnostics) {
    for mistake in DisplayHints::of(description).mistakes {
        diagnostics.push(Diagnostic::new(
            Code::DrawingHint,
            mistake.span,
            mistake.message,
            mistake.help,
        ));
    }
}
