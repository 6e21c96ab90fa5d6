//! How members of objects are absent.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sums::{Sum, Unset};

/// Null stands for an unset member where the type itself has no null.
pub fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(d: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(d)?.unwrap_or_default())
}

/// Null is a value here. Option alone would take it for a missing member.
pub fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<Option<T>, D::Error> {
    T::deserialize(d).map(Some)
}

/// Writes null for an unset member.
pub fn null_if_unset<S: Serializer, T: Serialize + Unset>(member: &T, s: S) -> Result<S::Ok, S::Error> {
    if member.unset() {
        s.serialize_none()
    } else {
        member.serialize(s)
    }
}

impl<T> Unset for Vec<T>
where
    Vec<T>: Sum,
{
    fn unset(&self) -> bool {
        self.is_empty()
    }
}

impl<K, V> Unset for HashMap<K, V>
where
    HashMap<K, V>: Sum,
{
    fn unset(&self) -> bool {
        self.is_empty()
    }
}
