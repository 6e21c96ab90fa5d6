//! Any JSON value.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::sums::{length, Sum, Total, ONE};

/// What the libraries' own values are like, and none of theirs: a map in order of
/// keys, and integers apart from other numbers.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Value {
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

impl Sum for Value {
    fn sum(&self) -> Total {
        match self {
            Value::Null => ONE,
            Value::Bool(v) => v.sum(),
            Value::Signed(v) => (*v as f64).sum(), // google.protobuf.Value has doubles only
            Value::Unsigned(v) => (*v as f64).sum(),
            Value::Float(v) => v.sum(),
            Value::Text(v) => v.sum(),
            Value::List(elements) => ONE + elements.iter().map(Value::sum).sum::<Total>(),
            Value::Object(members) => ONE + members.iter().map(|(k, v)| length(k) + ONE + v.sum()).sum::<Total>(),
        }
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Value, E> {
        Ok(Value::Signed(v))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Value, E> {
        Ok(Value::Unsigned(v))
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Value, E> {
        Ok(Value::Float(v))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Value, E> {
        Ok(Value::Text(v.into()))
    }

    fn visit_string<E: Error>(self, v: String) -> Result<Value, E> {
        Ok(Value::Text(v))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = sequence.next_element()? {
            elements.push(element);
        }
        Ok(Value::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((key, value)) = map.next_entry()? {
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
        d.deserialize_any(Reader)
    }
}
