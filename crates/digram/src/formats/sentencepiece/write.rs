//! Writing a `.model`.

use crate::error::Error;
use crate::formats::Contents;
use crate::model::Model;

/// Writes a model.
pub(in crate::formats) fn write(_: &Model, _: Option<&serde_json::Value>) -> Contents {
    Err(Error::Format("not yet".into()))
}
