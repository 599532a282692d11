//! Values of models of other programs.

use crate::report::ModelReport;
use engines::{Error, ErrorKind};
use limits::Limits;
use umb::{Model, ModelError, ModelValue, Reach};

/// The probability with which players of a model in a UMB file can guarantee to reach a label.
///
/// # Errors
/// If this is no such file, or has no such label or player.
pub fn solve_model(file: &[u8], objective: &Reach, limits: &Limits) -> Result<ModelReport, Error> {
    let model = match Model::read_within(file, &limits.for_engine()) {
        Err(ModelError::Stopped(reason)) => {
            let found = ModelValue::unknown(reason);
            return Ok(ModelReport::new(None, objective, found));
        }
        model => model.map_err(model_error)?,
    };
    let found = model
        .solve(objective, &limits.for_engine())
        .map_err(model_error)?;
    Ok(ModelReport::new(Some(&model), objective, found))
}

fn model_error(error: ModelError) -> Error {
    let kind = match &error {
        ModelError::Question(_) => ErrorKind::Question,
        ModelError::Format(_) | ModelError::Unsupported(_) => ErrorKind::Game,
        ModelError::Stopped(reason) => ErrorKind::Stopped(*reason),
    };
    Error::from_part(kind, error)
}
