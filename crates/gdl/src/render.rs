//! Diagnostics as text for people: the place, the line, the problem and advice.
//!
//! Lines are drawn with `ariadne`. It is given only the lines it needs, since it takes time and
//! memory for every line of a source; lines of more than [`LONGEST_LINE`] bytes (rules sent over
//! the network come as one line) are cut and drawn plainly.

use super::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use super::source::Source;
use super::span::Span;
use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The longest line that is drawn in full.
const LONGEST_LINE: usize = 200;

/// The most lines of a text for which lines are drawn in full.
const MAX_LINES: usize = 100_000;

/// Text that a terminal shows as it is: characters that would command the terminal, or turn the direction of
/// writing, are written as `\u{1b}`. Tabs and ends of lines stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let commands = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if commands(c) {
            shown.extend(c.escape_unicode())
        } else {
            shown.push(c)
        }
    }
    Cow::Owned(shown)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Whether to use terminal colours.
    pub colour: bool,
    /// The most diagnostics to draw; of the rest the places are named.
    pub most: usize,
    /// The most diagnostics of one kind to draw.
    pub of_a_kind: usize,
    /// The least severity to draw.
    pub from: Severity,
}

impl Default for Drawing {
    fn default() -> Self {
        Drawing {
            colour: false,
            most: 5,
            of_a_kind: 5,
            from: Severity::Warning,
        }
    }
}

/// The most places told of the diagnostics that are not drawn.
const MAX_PLACES: usize = 12;

/// Draws the diagnostics, errors first, and a line that tells where those left out are.
pub fn render(source: &Source, diagnostics: &Diagnostics, drawing: &Drawing) -> String {
    let mut text = String::new();
    let mut left = Vec::new();
    let mut drawn: Vec<Code> = Vec::new();
    for diagnostic in diagnostics.iter().filter(|d| d.severity >= drawing.from) {
        let of_this = drawn.iter().filter(|code| **code == diagnostic.code);
        if drawn.len() < drawing.most && of_this.count() < drawing.of_a_kind {
            drawn.push(diagnostic.code);
            draw(source, diagnostic, drawing, &mut text);
        } else {
            left.push(diagnostic);
        }
    }
    if !left.is_empty() {
        let place = |d: &&Diagnostic| Some(format!("{} {}", place(source, d.span?), d.code));
        let mut places: Vec<String> = left.iter().filter_map(place).take(MAX_PLACES).collect();
        if left.len() > MAX_PLACES {
            places.push("...".to_owned());
        }
        let places = places.join(", ");
        let _ = writeln!(text, "... and {} more: {places}", left.len());
    }
    text
}

/// One line for each kind of diagnostic from this severity on: the first of them with its place, and how many
/// more there are.
pub fn summary(source: &Source, diagnostics: &Diagnostics, drawing: &Drawing) -> String {
    let mut kinds: Vec<(&Diagnostic, usize)> = Vec::new();
    for diagnostic in diagnostics.iter().filter(|d| d.severity >= drawing.from) {
        match kinds
            .iter_mut()
            .find(|(first, _)| first.code == diagnostic.code)
        {
            Some((_, more)) => *more += 1,
            None => kinds.push((diagnostic, 0)),
        }
    }
    let mut text = String::new();
    for (first, more) in kinds {
        let message = visible(&first.message);
        let place = match first.span {
            Some(span) => place(source, span),
            None => visible(source.name()).into_owned(),
        };
        let header = header(first, drawing);
        let _ = write!(text, "{header}: {place}: {message}");
        let _ = match more {
            0 => writeln!(text),
            _ => writeln!(text, " (and {more} more)"),
        };
    }
    text
}

/// File, line and column where the span begins.
fn place(source: &Source, span: Span) -> String {
    let start = span.start as usize;
    let at = source.position(start);
    let name = visible(source.name_at(start));
    format!("{name}:{}:{}", at.line, at.column)
}

/// The severity and the code.
fn header(diagnostic: &Diagnostic, drawing: &Drawing) -> String {
    let Diagnostic { code, severity, .. } = diagnostic;
    let colour = match severity {
        Severity::Error => 31,
        Severity::Warning => 33,
        Severity::Note => 34,
    };
    if drawing.colour {
        format!("\x1b[1;{colour}m{severity}[{code}]\x1b[0m")
    } else {
        format!("{severity}[{code}]")
    }
}

fn draw(source: &Source, diagnostic: &Diagnostic, drawing: &Drawing, text: &mut String) {
    let message = visible(&diagnostic.message);
    let hint = visible(&diagnostic.hint);
    let header = header(diagnostic, drawing);
    let Some(span) = diagnostic.span else {
        let name = visible(source.name());
        let _ = writeln!(text, "{header}: {name}: {message}");
        if !hint.is_empty() {
            let _ = writeln!(text, "  hint: {hint}");
        }
        return;
    };
    let related = diagnostic.related.as_ref();
    let lines = lines_of(source, span, related.map(|(span, _)| *span));
    if let Some(lines) = lines
        && let Some(drawn) = draw_lines(source, diagnostic, span, lines, drawing)
    {
        let _ = writeln!(text, "{header}: {message}");
        text.push_str(&drawn);
        return;
    }
    let _ = writeln!(text, "{header}: {}: {message}", place(source, span));
    draw_cut_line(source, span, text);
    if let Some((span, message)) = related {
        let _ = writeln!(text, "  {}: {}", place(source, *span), visible(message));
    }
    if !hint.is_empty() {
        let _ = writeln!(text, "  hint: {hint}");
    }
}

/// The byte range of the lines to show; nothing when one is too long.
fn lines_of(source: &Source, span: Span, related: Option<Span>) -> Option<std::ops::Range<usize>> {
    let line = source.line_around(span.start as usize);
    let mut range = line.clone();
    let file_of = |span: Span| source.file_at(span.start as usize);
    if let Some(related) = related
        && file_of(related) == file_of(span)
    {
        let other = source.line_around(related.start as usize);
        let both = range.start.min(other.start)..range.end.max(other.end);
        // Far apart, they are two drawings; the second place is then told in the hint's line.
        let distance = source.text()[both.clone()].lines().count();
        if other.len() <= LONGEST_LINE && distance <= 40 {
            range = both;
        }
    }
    let longest = source.text()[range.clone()].lines().map(str::len).max();
    (longest.unwrap_or(0) <= LONGEST_LINE).then_some(range)
}

fn draw_lines(
    source: &Source,
    diagnostic: &Diagnostic,
    span: Span,
    lines: std::ops::Range<usize>,
    drawing: &Drawing,
) -> Option<String> {
    let excerpt = &source.text()[lines.clone()];
    // Empty lines in front make the line numbers right.
    let lines_before = source.position(lines.start).line - 1;
    if lines_before > MAX_LINES {
        return None;
    }
    let inside = |span: Span| {
        let line_end = source.line_around(span.start as usize).end;
        // Characters that are made visible take more bytes.
        let offset = |at: usize| {
            let before = &source.text()[lines.start..at.clamp(lines.start, lines.end)];
            visible(before).len() + lines_before
        };
        let start = offset(span.start as usize);
        start..offset((span.end as usize).min(line_end)).max(start)
    };
    let name = visible(source.name_at(span.start as usize));
    let name = &*name;
    let colour = match diagnostic.severity {
        Severity::Error => Color::Red,
        Severity::Warning => Color::Yellow,
        Severity::Note => Color::Blue,
    };
    let config = Config::new()
        .with_color(drawing.colour)
        .with_char_set(CharSet::Ascii)
        .with_compact(false)
        .with_index_type(IndexType::Byte);
    let label = |span: Span, message: &str, colour| {
        // Labels that are not in the order of the text would be drawn as separate excerpts.
        let order = span.start.try_into().unwrap_or(i32::MAX);
        let label = Label::new((name, inside(span)))
            .with_color(colour)
            .with_order(order);
        match message {
            "" => label,
            _ => label.with_message(visible(message)),
        }
    };
    let message = if diagnostic.hint.is_empty() {
        "here"
    } else {
        &diagnostic.hint
    };
    let mut report = Report::build(ReportKind::Error, (name, inside(span)))
        .with_config(config)
        .with_label(label(span, message, colour));
    if let Some((span, message)) = &diagnostic.related {
        let start = span.start as usize;
        if lines.contains(&start) {
            report = report.with_label(label(*span, message, Color::Cyan));
        } else {
            let note = format!("{}: {}", place(source, *span), visible(message));
            report = report.with_note(note);
        }
    }
    let excerpt = ariadne::Source::from("\n".repeat(lines_before) + &visible(excerpt));
    let mut drawn = Vec::new();
    report.finish().write((name, excerpt), &mut drawn).ok()?;
    // The first line is a header without our code and severity.
    let drawn = String::from_utf8_lossy(&drawn);
    let (_, body) = drawn.split_once('\n')?;
    let lines = body.lines().map(|line| line.trim_end().to_owned() + "\n");
    Some(lines.collect())
}

/// The surroundings of a place in a very long line, with a mark below.
fn draw_cut_line(source: &Source, span: Span, text: &mut String) {
    let line = source.line_around(span.start as usize);
    let content = &source.text()[line.clone()];
    let at = (span.start as usize - line.start).min(content.len());
    let mut start = at.saturating_sub(60);
    while !content.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = (at + 60).min(content.len());
    while !content.is_char_boundary(end) {
        end += 1;
    }
    let (left, right) = (
        if start > 0 { "..." } else { "" },
        if end < content.len() { "..." } else { "" },
    );
    let blank = |part: &str| visible(part).replace('\t', " ");
    let before = blank(&content[start..at]);
    let _ = writeln!(text, "  {left}{before}{}{right}", blank(&content[at..end]));
    let indent = left.len() + before.chars().count();
    let _ = writeln!(text, "  {}^", " ".repeat(indent));
}
