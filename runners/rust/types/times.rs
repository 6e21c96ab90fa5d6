//! Timestamps and durations.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::spelling::{read_text, Text};
use crate::sums::{Sum, Total, ONE};

/// A time in RFC 3339, by chrono's own serde.
pub type Timestamp = DateTime<Utc>;

impl Sum for Timestamp {
    fn sum(&self) -> Total {
        ONE
    }
}

/// Seconds with nanoseconds of the same sign, as "1.5s" in JSON.
#[derive(Clone, Copy)]
pub struct Duration {
    seconds: i64,
    nanos: i32,
}

impl Sum for Duration {
    fn sum(&self) -> Total {
        ONE
    }
}

impl Text for Duration {
    const WHAT: &'static str = "a duration as \"1.5s\"";
    fn read(text: &str) -> Option<Self> {
        let number = text.strip_suffix('s')?;
        let (sign, digits) = number.strip_prefix('-').map_or((1, number), |digits| (-1, digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let numeric = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
        if !numeric(whole) || !numeric(fraction) || fraction.len() > 9 {
            return None;
        }
        let seconds: i64 = whole.parse().ok()?;
        let nanos = fraction.parse::<i32>().ok()? * 10_i32.pow(9 - fraction.len() as u32);
        Some(Duration { seconds: sign * seconds, nanos: sign as i32 * nanos })
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let sign = if self.seconds < 0 || self.nanos < 0 { "-" } else { "" };
        write!(f, "{sign}{}", self.seconds.unsigned_abs())?;
        match self.nanos.unsigned_abs() {
            0 => f.write_str("s"),
            n if n % 1_000_000 == 0 => write!(f, ".{:03}s", n / 1_000_000),
            n if n % 1000 == 0 => write!(f, ".{:06}s", n / 1000),
            n => write!(f, ".{n:09}s"),
        }
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        read_text(d)
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}
