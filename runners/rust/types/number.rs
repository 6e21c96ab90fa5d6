//! Numbers kept as their text, which serde has no word for: each library has types
//! of its own.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue; // which the second copy of serde_json knows as well

use crate::sums::{Sum, Total, Unset};

/// A JSON number as it was written; empty, where it is unset, it is written as 0.
#[derive(Clone, Default)]
pub struct Number(pub String);

impl Sum for Number {
    fn sum(&self) -> Total {
        self.0.sum()
    }
}

impl Unset for Number {
    fn unset(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = read_raw(d)?;
        match text.as_bytes() {
            [b'-' | b'0'..=b'9', ..] => Ok(Number(text)),
            _ => Err(D::Error::custom("want a number")),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let text = if self.unset() { "0" } else { &self.0 };
        #[cfg(feature = "sonic-rs")]
        if SONIC.load(Relaxed) {
            let number: sonic_rs::RawNumber = sonic_rs::from_str(text).map_err(serde::ser::Error::custom)?;
            return number.serialize(s);
        }
        let raw: &RawValue = serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
        raw.serialize(s)
    }
}

/// Whether it is sonic-rs that reads and writes objects now.
static SONIC: AtomicBool = AtomicBool::new(false);

/// Says which library reads and writes objects from now on.
pub fn use_sonic(yes: bool) {
    SONIC.store(yes, Relaxed);
}

/// The text of a JSON value.
pub fn read_raw<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    #[cfg(feature = "sonic-rs")]
    if SONIC.load(Relaxed) {
        return Ok(sonic_rs::LazyValue::deserialize(d)?.as_raw_str().into());
    }
    Ok(Box::<RawValue>::deserialize(d)?.get().into())
}

/// Reads a JSON value's text.
pub fn parse_raw<T: DeserializeOwned, E: Error>(text: &str) -> Result<T, E> {
    #[cfg(feature = "sonic-rs")]
    if SONIC.load(Relaxed) {
        return sonic_rs::from_str(text).map_err(E::custom);
    }
    serde_json::from_str(text).map_err(E::custom)
}
