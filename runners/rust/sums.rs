//! What values add to a checksum, as the protocol has it.

use std::collections::HashMap;
use std::num::Wrapping;

/// Checksums are modulo 2³².
pub type Total = Wrapping<u32>;

pub const ZERO: Total = Wrapping(0);
pub const ONE: Total = Wrapping(1);

/// A value, or what holds values.
pub trait Sum {
    fn sum(&self) -> Total;
}

/// A value that stands for an unset field when it is the default.
pub trait Unset: Sum {
    fn unset(&self) -> bool;

    /// What a field without presence adds.
    fn implicit(&self) -> Total {
        if self.unset() {
            ZERO
        } else {
            self.sum()
        }
    }
}

impl Sum for bool {
    fn sum(&self) -> Total {
        ONE + present(*self)
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Sum for $type {
            fn sum(&self) -> Total {
                Wrapping(*self as u32) + ONE
            }
        }
    )*};
}

integers!(i32 i64 u32 u64);

impl Sum for f64 {
    fn sum(&self) -> Total {
        const LIMIT: f64 = 2147483648.0;
        if -LIMIT < *self && *self < LIMIT {
            ONE + Wrapping(*self as i64 as u32)
        } else {
            ONE
        }
    }
}

impl Sum for f32 {
    fn sum(&self) -> Total {
        f64::from(*self).sum()
    }
}

impl Sum for String {
    fn sum(&self) -> Total {
        length(self) + ONE
    }
}

/// What a text adds for its length.
pub fn length(text: &str) -> Total {
    Wrapping(text.len() as u32)
}

macro_rules! defaults {
    ($($type:ty)*) => {$(
        impl Unset for $type {
            fn unset(&self) -> bool {
                *self == <$type>::default() // 0 equals -0
            }
        }
    )*};
}

defaults!(bool i32 i64 u32 u64 f32 f64 String);

impl<T: Sum> Sum for Box<T> {
    fn sum(&self) -> Total {
        (**self).sum()
    }
}

impl<T: Sum> Sum for Option<T> {
    fn sum(&self) -> Total {
        self.as_ref().map_or(ZERO, T::sum)
    }
}

impl<T: Sum> Sum for Vec<T> {
    fn sum(&self) -> Total {
        let elements: Total = self.iter().map(T::sum).sum();
        elements + present(!self.is_empty())
    }
}

impl<K: Key, V: Sum, S> Sum for HashMap<K, V, S> {
    fn sum(&self) -> Total {
        entries(self, V::sum)
    }
}

/// What a map adds, where its values are not summed by their type.
pub fn entries<K: Key, V, S>(map: &HashMap<K, V, S>, value: impl Fn(&V) -> Total) -> Total {
    let entries: Total = map.iter().map(|(k, v)| ONE + k.size() + value(v)).sum();
    entries + present(!map.is_empty())
}

/// A map's key.
pub trait Key {
    fn size(&self) -> Total {
        ZERO
    }
}

impl Key for bool {}
impl Key for i32 {}
impl Key for i64 {}
impl Key for u32 {}
impl Key for u64 {}

impl Key for String {
    fn size(&self) -> Total {
        length(self)
    }
}

/// What a list adds of which only the number of elements counts.
pub fn elements(n: usize) -> Total {
    Wrapping(n as u32) + present(n > 0)
}

/// What a value adds of which only the presence counts.
pub fn present(set: bool) -> Total {
    Wrapping(u32::from(set))
}

/// Whether a value is not the default of its type.
pub fn differs<T: Default + PartialEq>(value: &T) -> bool {
    *value != T::default()
}
