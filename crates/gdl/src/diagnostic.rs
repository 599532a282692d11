//! Diagnostics of a description: errors, warnings and notes, each with a place and a hint.
//!
//! A [`Diagnostic`] has a stable [`Code`] such as `unsafe-head`. The code alone fixes the severity
//! in strict mode; [`Options`] may change a few of them, so a diagnostic knows both. Nothing is
//! printed here; `render` draws and `cli` prints.

use super::span::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know; says nothing against the description.
    Note,
    /// The meaning is clear, but is it what was meant?
    Warning,
    /// The description has no meaning and is refused.
    Error,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// The leniency of a reader of descriptions.
///
/// The default is lenient, for reading a game to play or solve it; [`Options::strict`] gives the verdict of a
/// validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Text that has a clear meaning, though a validator refuses it, is read with a warning: two spellings of a name
    /// in upper and lower case, goal values over 100, and everything with a code that starts with `lenient-`.
    pub lenient: bool,
    /// `sees` rules are dropped with a warning: every player is taken to see everything.
    pub assume_perfect_information: bool,
    /// The verdict of usual validators: goal values that are no numbers of points are a warning, not an error,
    /// and names that nothing makes true are none where validators do not look.
    pub as_validators: bool,
}

impl Options {
    /// No leniency: the verdict of a validator.
    pub fn strict() -> Self {
        Options {
            lenient: false,
            assume_perfect_information: false,
            as_validators: true,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            lenient: true,
            assume_perfect_information: false,
            as_validators: false,
        }
    }
}

macro_rules! codes {
    ($($severity:ident $variant:ident $text:literal $doc:literal;)*) => {
        /// The kind of a diagnostic. Stable: scripts may rely on the text of a code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $doc] $variant,)*
        }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }

            /// The severity without any leniency.
            pub fn strict_severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    Error TooLarge "too-large" "The file is larger than what is read.";
    Error NotText "not-text" "The bytes are not UTF-8 text.";
    Error Empty "empty" "There are no sentences and no rules.";
    Error TooManyErrors "too-many-errors" "Reading was given up after very many errors.";
    Error TooDeep "too-deep" "Parentheses are nested deeper than the limit.";
    Error UnclosedParenthesis "unclosed-parenthesis" "An opening parenthesis is never closed.";
    Error UnmatchedParenthesis "unmatched-parenthesis" "A closing parenthesis has no opening one.";
    Error ConsecutiveParentheses "consecutive-parentheses" "A list starts with a list.";
    Error EmptyList "empty-list" "A pair of parentheses holds nothing.";
    Error UnexpectedText "unexpected-text" "Text that cannot stand at this place (infix form).";
    Error Unterminated "unterminated" "A quote or comment without its end (infix form).";
    Error NotASentence "not-a-sentence" "Something else stands where a sentence must.";
    Error VariableAsName "variable-as-name" "A variable is used as relation or function.";
    Error RuleWithoutHead "rule-without-head" "A rule has no head.";
    Error HeadNotASentence "head-not-a-sentence" "The head of a rule is not a sentence.";
    Error RuleInRule "rule-in-rule" "A rule stands inside a rule.";
    Error ConnectiveArity "connective-arity" "`not` or `distinct` has the wrong number of arguments.";
    Error ConnectiveAsName "connective-as-name" "A connective is used as a constant or function.";
    Error NegatedNonSentence "negated-non-sentence" "Something other than a sentence is negated.";
    Error TooManyAlternatives "too-many-alternatives" "The `or` of a rule have too many combinations.";
    Error MissingRelation "missing-relation" "`role`, `legal`, `goal` or `terminal` is missing.";
    Error KeywordArity "keyword-arity" "A keyword has the wrong number of arguments.";
    Error KeywordAsFunction "keyword-as-function" "A keyword is used as a function.";
    Error KeywordInHead "keyword-in-head" "`role`, `true` or `does` is the head of a rule.";
    Error KeywordStated "keyword-stated" "`true` or `does` is stated as a fact.";
    Error KeywordInBody "keyword-in-body" "`init`, `next`, `base` or `input` is in a body.";
    Error RoleNotAConstant "role-not-a-constant" "A role is a function term.";
    Error DependsOnState "depends-on-state" "`init`, `base` or `input` depends on state or moves.";
    Error DependsOnMoves "depends-on-moves" "`legal`, `goal` or `terminal` depends on moves.";
    Error VariableInFact "variable-in-fact" "A variable is in a sentence that is no rule.";
    Error UnsafeHead "unsafe-head" "A variable of the head is bound by no positive sentence.";
    Error UnsafeNegation "unsafe-negation" "A variable of a negated sentence is bound nowhere.";
    Error UnsafeDistinct "unsafe-distinct" "A variable of a `distinct` is bound nowhere.";
    Error Unstratified "unstratified" "A sentence depends on its own negation.";
    Error Recursion "recursion" "A recursive rule breaks the recursion restriction.";
    Error Capitalisation "capitalisation" "One name in two spellings, of upper and lower case.";
    Error PerceptOfNoRole "percept-of-no-role" "A name that is no role sees something.";
    Error Library "library" "A `uses` comment asks for something that there is not, or that does not fit the game.";
    Error Parameter "parameter" "A `parameter` comment has no number in the game that it is about.";
    Error LargeGoal "large-goal" "A goal value is over 100.";
    Warning UnusualGoal "unusual-goal" "A goal value is below 0 or no whole number.";
    Error RandomNoRole "random-no-role" "`random` has moves and is no role.";
    Error LenientAnd "lenient-and" "`and` was read as conditions one after the other.";
    Error LenientNot "lenient-not" "`not` around `or`, `and` or `not` was moved to the sentences inside.";
    Error LenientDomain "lenient-domain" "`base` or `input` has no meaning in its form, and was left out.";
    Error LenientRange "lenient-range" "An unbound variable of a head ranges over `base` or `input`.";
    Error LenientTuple "lenient-tuple" "A tuple of infix form was given a function.";
    Error LenientPercept "lenient-percept" "A keyword in what a role sees was given another name.";
    Error LenientNext "lenient-next" "`next` as a condition was read as a relation with the same rules.";
    Error LenientNone "lenient-none" "A negation with variables that nothing binds was read as: there is none.";
    Error LenientArity "lenient-arity" "One name for two relations with different numbers of arguments was split.";
    Error LenientRecursion "lenient-recursion" "An argument of a recursion, bounded inside a term, got a condition of its own.";
    Error LenientCall "lenient-call" "Variables of a rule were bound by the values that its relation is asked for.";
    Error LenientNever "lenient-never" "A rule that breaks the rules of GDL was left out, since it never fires.";
    Error LenientOutcome "lenient-outcome" "`outcome` without chances was left out.";
    Error Outcome "outcome" "`outcome` gives a move several outcomes, which GDL has by moves of `random`.";
    Warning UnstratifiedByName "unstratified-by-name" "Relation names are in a cycle through `not`, ground sentences are not.";
    Warning KeywordAsConstant "keyword-as-constant" "A keyword is used as a constant.";
    Warning RelationArity "relation-arity" "A relation with two numbers of arguments.";
    Warning FunctionArity "function-arity" "A function with two numbers of arguments.";
    Warning RelationAndFunction "relation-and-function" "A name is both relation and function.";
    Warning Unproduced "unproduced" "A relation is used but never derived.";
    Warning Unused "unused" "A relation is derived but never used.";
    Warning EmptyBody "empty-body" "A rule has no conditions.";
    Warning NeedlessParentheses "needless-parentheses" "A lone name is in parentheses.";
    Warning NestedOr "nested-or" "`or` directly in `or`.";
    Warning EmptyOr "empty-or" "`or` without disjuncts.";
    Warning UnusualCharacters "unusual-characters" "A name has characters other than letters, digits, `_`, `-`.";
    Warning PerceptOfNobody "percept-of-nobody" "A role that never has a choice sees something.";
    Warning SeesInBody "sees-in-body" "`sees` is in a body, so it says nothing about what roles see.";
    Warning CyclicUse "cyclic-use" "A file uses itself, by way of others or not.";
    Warning GoalValue "goal-value" "A goal value is no number of points.";
    Note OddGoal "odd-goal" "A goal value that comes through a variable may be no number of points.";
    Note ImperfectInformation "imperfect-information" "There are `sees` rules.";
    Note NeverTrue "never-true" "No `init` or `next` gives a fact that is in `true`.";
    Note NeverLegal "never-legal" "No `legal` gives a move that is in `does`.";
    Note DrawingHint "drawing-hint" "A comment about drawing is not followed: an unknown word, or two that contradict each other.";
    Note SimilarVariable "similar-variable" "A variable occurs once in its rule, and its name is like another's.";
    Note SingleVariable "single-variable" "Variables occur once in their rule.";
    Note DuplicateRole "duplicate-role" "A role is stated twice.";
    Note NotARole "not-a-role" "A constant where a role belongs is no role.";
    Note DomainDerived "domain-derived" "`base` or `input` is missing and will be derived.";
}

impl Code {
    /// The severity under these options.
    pub fn severity(self, options: &Options) -> Severity {
        match self {
            Code::Capitalisation
            | Code::LargeGoal
            | Code::LenientAnd
            | Code::LenientNot
            | Code::LenientDomain
            | Code::LenientRange
            | Code::LenientTuple
            | Code::LenientPercept
            | Code::LenientNext
            | Code::LenientNone
            | Code::LenientArity
            | Code::LenientNever
            | Code::LenientRecursion
            | Code::LenientCall
            | Code::LenientOutcome
                if options.lenient =>
            {
                Severity::Warning
            }
            Code::UnusualGoal if options.lenient => Severity::Note,
            Code::ImperfectInformation if options.assume_perfect_information => Severity::Warning,
            _ if options.as_validators => self.strict_severity(),
            Code::GoalValue => Severity::Error,
            Code::SimilarVariable | Code::DrawingHint => Severity::Warning,
            // Published games have such rules, so they are read.
            Code::Unproduced | Code::NeverTrue | Code::NeverLegal | Code::NotARole => {
                if options.lenient {
                    Severity::Warning
                } else {
                    Severity::Error
                }
            }
            _ => self.strict_severity(),
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The help for goal values over 100.
pub(crate) const HELP_FOR_LARGE_GOALS: &str = "other programs take 0 to 100 points; here 100 and more count as a win, and the objective `points` is their mean";

/// The help for other goal values that are no whole numbers from 0 to 100.
pub(crate) const HELP_FOR_UNUSUAL_GOALS: &str = "other programs take whole numbers from 0 to 100; here the objective `points` is the mean of any numbers";

/// One thing to say about a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    /// How bad it is under the options used. The code knows the strict severity.
    pub severity: Severity,
    /// The place in the text; nothing when it is about the file as a whole.
    pub span: Option<Span>,
    pub message: String,
    /// Advice on the problem; may be empty.
    pub hint: String,
    /// A second place in the text that has to do with it, and its description.
    pub related: Option<(Span, String)>,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, span: Span, message: String, hint: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: code.strict_severity(),
            span: Some(span),
            message,
            hint: hint.into(),
            related: None,
        }
    }

    pub(crate) fn of_file(code: Code, message: String, hint: impl Into<String>) -> Self {
        Diagnostic {
            span: None,
            ..Diagnostic::new(code, Span::new(0, 0), message, hint)
        }
    }

    pub(crate) fn with_related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related = Some((span, message.into()));
        self
    }
}

/// The verdict of a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Neither errors nor warnings.
    Accept,
    /// Warnings, no errors.
    Warn,
    /// At least one error.
    Reject,
}

/// The most diagnostics that are kept; reading stops soon after.
const MAX_KEPT: usize = 1000;

/// Everything said about one description, errors first, then by place.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    has_errors: bool,
}

impl Diagnostics {
    /// Adds one, unless very many are there already. The first error and the message that
    /// reading was given up always find room.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        let first_error = is_error && !self.has_errors;
        self.has_errors |= is_error;
        if !self.is_full() || first_error || diagnostic.code == Code::TooManyErrors {
            self.list.push(diagnostic);
        }
    }

    pub(crate) fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        more.into_iter()
            .for_each(|diagnostic| self.push(diagnostic));
    }

    /// Adds all of another list.
    pub(crate) fn append(&mut self, other: Diagnostics) {
        self.extend(other.list);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MAX_KEPT
    }

    /// The places of messages with one of these codes.
    pub(crate) fn places_of(&self, codes: &[Code]) -> Vec<Span> {
        let of_codes = self.list.iter().filter(|d| codes.contains(&d.code));
        of_codes.filter_map(|d| d.span).collect()
    }

    /// Applies the options' severities and sorts.
    pub(crate) fn finish(&mut self, options: &Options) {
        for diagnostic in &mut self.list {
            diagnostic.severity = diagnostic.code.severity(options);
        }
        self.has_errors = self.count(Severity::Error) > 0;
        self.list
            .sort_by_key(|d| (std::cmp::Reverse(d.severity), d.span, d.code));
        // Several forms that were written as one give the same diagnostics.
        self.list.dedup();
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|d| d.severity == severity).count()
    }

    /// Whether the description is refused under the options used.
    pub fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// The verdict under the options used.
    pub fn verdict(&self) -> Verdict {
        match self.list.iter().map(|d| d.severity).max() {
            Some(Severity::Error) => Verdict::Reject,
            Some(Severity::Warning) => Verdict::Warn,
            _ => Verdict::Accept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_kebab_case() {
        let mut seen = std::collections::HashSet::new();
        for code in Code::ALL {
            let text = code.as_str();
            assert!(seen.insert(text), "{text} twice");
            assert!(text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
        }
    }

    #[test]
    fn leniency_changes_the_verdict() {
        let verdict = |options| {
            let mut diagnostics = Diagnostics::default();
            let span = Span::new(0, 1);
            let spelling = Diagnostic::new(Code::Capitalisation, span, String::new(), "");
            diagnostics.push(spelling);
            diagnostics.finish(&options);
            diagnostics.verdict()
        };
        assert_eq!(verdict(Options::default()), Verdict::Warn);
        assert_eq!(verdict(Options::strict()), Verdict::Reject);
    }
}
