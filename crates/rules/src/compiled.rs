//! Rules as the reasoner compiles them, with numbers for names, and their evaluation: for the crate `step`, which
//! joins the same compiled rules in another order. No other crate needs it.

pub use crate::effort::Effort;
pub use crate::evaluate::Evaluator;
pub use crate::index::{Columns, END, Index};
pub use crate::plan::{
    Matcher, for_each_variable, is_known, known_columns, matcher, split_columns, take_cheapest,
};
pub use crate::program::{
    CompiledRule, Condition, Level, Pattern, Predicate, PredicateId, Program, RuleId, Subject,
    Variable, subjects,
};
pub use crate::relation::Relation;
pub use crate::rows::matches;
pub use crate::terms::{NameId, TermId, TermStore};
