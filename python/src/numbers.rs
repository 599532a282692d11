//! Numbers from Python: one out of range is a `QuestionError` with the numbers to write.

use crate::asked;
use engines::MAX_STEPS;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use std::time::Duration;

/// A number of steps.
pub(crate) struct Steps(pub(crate) u32);

/// A number of threads.
pub(crate) struct Threads(pub(crate) usize);

/// A size of memory in bytes.
pub(crate) struct Bytes(pub(crate) u64);

/// Something to count, such as points, states or positions.
pub(crate) struct Count(pub(crate) u64);

/// A time; none if it is too long to be a limit.
pub(crate) struct Seconds(Option<Duration>);

/// The limit that was given, if one was.
pub(crate) fn duration(time: Option<Seconds>) -> Option<Duration> {
    time.and_then(|time| time.0)
}

/// A whole number from `least` to `most`; `what` it is, for messages.
fn whole(number: &Bound<'_, PyAny>, what: &str, least: u64, most: u64) -> PyResult<u64> {
    match number.extract::<u64>() {
        Ok(number) if (least..=most).contains(&number) => return Ok(number),
        Ok(_) => {}
        Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => {}
        Err(error) => return Err(error),
    }
    Err(asked(format!(
        "{number} is no {what}: use {least} to {most}"
    )))
}

impl<'py> FromPyObject<'_, 'py> for Steps {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let steps = whole(&number, "number of steps", 0, MAX_STEPS.into())?;
        Ok(Steps(steps as u32))
    }
}

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let threads = whole(&number, "number of threads", 0, u64::MAX)?;
        let threads = engines::check_threads(threads).map_err(asked)?;
        Ok(Threads(threads))
    }
}

impl<'py> FromPyObject<'_, 'py> for Bytes {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        whole(&number, "number of bytes", 1, u64::MAX).map(Bytes)
    }
}

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        whole(&number, "number here", 0, u64::MAX).map(Count)
    }
}

impl<'py> FromPyObject<'_, 'py> for Seconds {
    type Error = PyErr;

    fn extract(number: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let seconds: f64 = number.extract()?;
        match seconds >= 0.0 {
            true => Ok(Seconds(Duration::try_from_secs_f64(seconds).ok())),
            false => Err(asked(format!(
                "{seconds} is no number of seconds: use 0 or more"
            ))),
        }
    }
}
