//! Components from JSON: nothing that the file says about one is dropped.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::limits::Limits;

/// A slot of the file, and the field that its sequences keep their parts in.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub name: &'static str,
    pub parts: &'static str,
}

impl Slot {
    /// The component of this slot. Fails where its type, or a field, is not supported.
    pub fn read<T: DeserializeOwned + Serialize>(
        self,
        described: Option<&RawValue>,
        limits: &Limits,
    ) -> Result<Option<T>> {
        let Some(described) = described else { return Ok(None) };
        limits.check_json(described.get(), self.name)?;
        let described: Value = serde_json::from_str(described.get())
            .map_err(|error| Error::Format(format!("{}: {error}", self.name)))?;
        let component: T = self.component(&described)?;
        let understood = serde_json::to_value(&component).expect("plain data has a JSON form");
        match dropped(&described, &understood) {
            None => Ok(Some(component)),
            Some(field) => {
                Err(Error::Format(format!("{}: the field {field:?} is not supported", self.name)))
            }
        }
    }

    fn component<T: DeserializeOwned>(self, described: &Value) -> Result<T> {
        let Some(kind) = described.get("type").and_then(Value::as_str) else {
            return Err(Error::Format(format!("{}: it has no type", self.name)));
        };
        if kind == "Sequence" {
            let parts = described.get(self.parts).and_then(Value::as_array);
            for part in parts.into_iter().flatten() {
                self.component::<T>(part)?;
            }
        }
        T::deserialize(described).map_err(|error| {
            let message = error.to_string();
            let slot = self.name;
            Error::Format(if message.starts_with(&format!("unknown variant `{kind}`")) {
                format!("{slot} of type '{kind}' is not supported")
            } else {
                format!("{slot} of type '{kind}': {message}")
            })
        })
    }
}

/// Whether a field says in an older way what another says.
fn is_legacy(described: &serde_json::Map<String, Value>, field: &str) -> bool {
    described.get("type").is_some_and(|kind| kind == "Metaspace")
        && ["add_prefix_space", "str_rep"].contains(&field)
}

/// A field of `described` that is not in `understood`.
fn dropped(described: &Value, understood: &Value) -> Option<String> {
    match (described, understood) {
        (Value::Object(described), Value::Object(understood)) => {
            described.iter().find_map(|(field, value)| match understood.get(field) {
                None if is_legacy(described, field) => None,
                None => Some(field.clone()),
                Some(understood) => dropped(value, understood),
            })
        }
        (Value::Array(described), Value::Array(understood)) => {
            described.iter().zip(understood).find_map(|(a, b)| dropped(a, b))
        }
        _ => None,
    }
}
