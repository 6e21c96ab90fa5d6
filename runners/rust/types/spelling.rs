//! Values that JSON holds in a spelling of their own.

use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::str::FromStr;

use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::Engine;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sums::{Sum, Total, Unset, ONE};

/// What a JSON string can be read as, without a copy of it.
pub trait Text: Sized {
    const WHAT: &'static str;
    fn read(text: &str) -> Option<Self>;
}

pub fn read_text<'de, D: Deserializer<'de>, T: Text>(d: D) -> Result<T, D::Error> {
    struct Reader<T>(PhantomData<T>);
    impl<T: Text> Visitor<'_> for Reader<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str(T::WHAT)
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            T::read(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
        }
    }
    d.deserialize_str(Reader(PhantomData))
}

/// A number that JSON holds as a string.
#[derive(Clone, Copy, Default)]
pub struct Quoted<T>(pub T);

impl<T: FromStr> Text for Quoted<T> {
    const WHAT: &'static str = "a number in a string";
    fn read(text: &str) -> Option<Self> {
        text.parse().ok().map(Quoted)
    }
}

impl<'de, T: FromStr> Deserialize<'de> for Quoted<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        read_text(d)
    }
}

impl<T: Debug> Serialize for Quoted<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&format_args!("{:?}", self.0)) // Debug knows exponents, Display does not
    }
}

impl<T: Sum> Sum for Quoted<T> {
    fn sum(&self) -> Total {
        self.0.sum()
    }
}

impl<T: Unset> Unset for Quoted<T> {
    fn unset(&self) -> bool {
        self.0.unset()
    }
}

/// An enum's value that JSON holds as its number.
#[derive(Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct EnumNumber(pub i32);

impl FromStr for EnumNumber {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(EnumNumber)
    }
}

impl Debug for EnumNumber {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

/// An enum's value by its number, as Protobuf keeps it, that JSON holds as its
/// name. A number without a name stays a number.
pub trait Named: Sized {
    fn from_number(number: i32) -> Self;
    fn number(&self) -> i32;
    fn from_name(name: &str) -> Option<Self>;
    fn name(&self) -> Option<&'static str>;
}

pub fn read_enum<'de, D: Deserializer<'de>, T: Named>(d: D) -> Result<T, D::Error> {
    struct Reader<T>(PhantomData<T>);
    impl<T: Named> Visitor<'_> for Reader<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("the name of an enum's value")
        }
        fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
            T::from_name(name).ok_or_else(|| E::invalid_value(Unexpected::Str(name), &self))
        }
        fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
            let number = i32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))?;
            Ok(T::from_number(number))
        }
        fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
            self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
        }
    }
    d.deserialize_any(Reader(PhantomData))
}

pub fn write_enum<S: Serializer>(value: &impl Named, s: S) -> Result<S::Ok, S::Error> {
    match value.name() {
        Some(name) => s.serialize_str(name),
        None => s.serialize_i32(value.number()),
    }
}

/// Bytes in base64.
#[derive(Clone, Default)]
pub struct Base64(pub Vec<u8>);

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

impl Text for Base64 {
    const WHAT: &'static str = "bytes in base64";
    fn read(text: &str) -> Option<Self> {
        BASE64.decode(text).or_else(|_| BASE64_URL.decode(text)).ok().map(Base64)
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        read_text(d)
    }
}

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&BASE64.encode(&self.0))
    }
}

/// Bytes in hexadecimal.
#[derive(Clone, Default)]
pub struct Hex(pub Vec<u8>);

impl Text for Hex {
    const WHAT: &'static str = "bytes in hexadecimal";
    fn read(text: &str) -> Option<Self> {
        hex::decode(text).ok().map(Hex)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        read_text(d)
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&hex::encode(&self.0))
    }
}

pub use uuid::Uuid;

/// Values of which only the presence counts.
macro_rules! present {
    ($($type:ty: $unset:expr;)*) => {$(
        impl Sum for $type {
            fn sum(&self) -> Total {
                ONE
            }
        }
        impl Unset for $type {
            fn unset(&self) -> bool {
                let unset: fn(&$type) -> bool = $unset;
                unset(self)
            }
        }
    )*};
}

present! {
    EnumNumber: |e| e.0 == 0;
    Base64: |b| b.0.is_empty();
    Hex: |b| b.0.is_empty();
    Uuid: |u| u.is_nil();
    (): |_| true; // null without presence
}
