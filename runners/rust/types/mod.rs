//! Typed objects of the documents' JSON form, for every library that reads and
//! writes through serde.

mod members;
mod messages;
mod number;
mod spelling;
mod times;
mod value;

pub use messages::*;
pub use number::*;
