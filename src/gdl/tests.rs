//! Tests of reading as a whole.
