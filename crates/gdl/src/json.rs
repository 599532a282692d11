//! Names, terms, sentences, objectives and severities in JSON: their text.

use crate::game::{Aim, Objective};
use crate::{Name, Sentence, Severity, Term};
use serde::{Serialize, Serializer};

macro_rules! as_text {
    ($($what:ty),*) => {$(
        impl Serialize for $what {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
    )*};
}

as_text!(Aim, Name, Objective, Sentence, Severity, Term);
