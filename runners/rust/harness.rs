//! What every codec is measured by: the same documents, the same loop, the same
//! clock.

use std::fmt::Display;
use std::hint::black_box;
use std::marker::PhantomData;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The documents of a sample in one form.
pub type Documents = Rc<[Box<[u8]>]>;

/// What whole documents are: the type that a codec makes of them, and what an
/// object adds to checksums.
pub trait Root {
    type Object;
    fn leaf(object: &Self::Object) -> u32;
    fn visit(object: &Self::Object) -> u32;
}

/// A library in one mode. Objects own what they hold.
pub trait Codec<R: Root> {
    type Error: Display;
    fn decode(document: &[u8]) -> Result<R::Object, Self::Error>;
    fn encode(object: &R::Object) -> Result<Vec<u8>, Self::Error>;
    /// Is called before a batch, outside of its time.
    fn enter() {}
}

#[derive(Clone, Copy, PartialEq)]
pub enum Operation {
    Encode,
    Decode,
    Visit,
}

impl Operation {
    pub fn named(name: &str) -> Option<Operation> {
        match name {
            "encode" => Some(Operation::Encode),
            "decode" => Some(Operation::Decode),
            "visit" => Some(Operation::Visit),
            _ => None,
        }
    }
}

/// A batch: its wall time, and the sum of what its operations returned.
pub struct Timed {
    pub wall: Duration,
    pub sum: u32,
}

/// Does n operations on the items in turn, and times the whole loop. What an
/// operation makes is freed within it, as a program frees what it is done with.
/// The compiler sees neither where an item comes from nor, thanks to black_box
/// inside of operations, that what they make is not used further.
#[inline(never)]
pub fn timed<T, E>(items: &[T], n: u64, operation: impl Fn(&T) -> Result<u32, E>) -> Result<Timed, E> {
    let (mut sum, mut next) = (0u32, 0);
    let start = Instant::now();
    for _ in 0..n {
        sum = sum.wrapping_add(operation(black_box(&items[next]))?);
        next += 1;
        if next == items.len() {
            next = 0;
        }
    }
    Ok(Timed { wall: start.elapsed(), sum })
}

// The operations are functions of their own: what a compiler makes of a codec does
// not depend on the loop around it.

#[inline(never)]
fn encode<C: Codec<R>, R: Root>(object: &&R::Object) -> Result<u32, C::Error> {
    Ok(black_box(C::encode(object)?).len() as u32)
}

#[inline(never)]
fn decode<C: Codec<R>, R: Root>(document: &Box<[u8]>) -> Result<u32, C::Error> {
    Ok(R::leaf(black_box(&C::decode(document)?)))
}

#[inline(never)]
fn visit<C: Codec<R>, R: Root>(document: &Box<[u8]>) -> Result<u32, C::Error> {
    Ok(R::visit(black_box(&C::decode(document)?)))
}

/// The operation that does nothing.
#[inline(never)]
pub fn nothing(_: &()) -> Result<u32, String> {
    Ok(black_box(1))
}

/// A codec that is ready for the documents of a sample. Its type is known where it
/// is made only, so that timed operations are direct calls.
pub trait Case {
    fn documents(&self) -> usize;
    /// Makes the objects that encode starts from, those that are not there yet.
    fn ready(&mut self, window: Range<usize>) -> Result<(), String>;
    /// Times n operations on the documents of the window. Encode needs ready.
    fn run(&self, operation: Operation, window: Range<usize>, n: u64) -> Result<Timed, String>;
    /// Decodes a document and encodes it again.
    fn verify(&self, document: usize) -> Result<Verified, String>;
}

pub struct Verified {
    pub leaf: u32,
    pub visit: u32,
    pub encoded: Vec<u8>,
}

/// The codec C on documents of the root R.
pub struct Prepared<C, R: Root> {
    documents: Documents,
    objects: Vec<Option<R::Object>>, // what C decoded, where encode needs it
    codec: PhantomData<C>,
}

impl<C: Codec<R>, R: Root> Prepared<C, R> {
    pub fn new(documents: Documents) -> Self {
        let objects = documents.iter().map(|_| None).collect();
        Prepared { documents, objects, codec: PhantomData }
    }
}

impl<C: Codec<R>, R: Root> Case for Prepared<C, R> {
    fn documents(&self) -> usize {
        self.documents.len()
    }

    fn ready(&mut self, window: Range<usize>) -> Result<(), String> {
        C::enter();
        for i in window.filter(|i| self.objects[*i].is_none()).collect::<Vec<_>>() {
            let object = C::decode(&self.documents[i]).map_err(|e| format!("document {i}: decode: {e}"))?;
            self.objects[i] = Some(object);
        }
        Ok(())
    }

    fn run(&self, operation: Operation, window: Range<usize>, n: u64) -> Result<Timed, String> {
        C::enter();
        let outcome = match operation {
            Operation::Encode => {
                let objects: Vec<&R::Object> = self.objects[window].iter().flatten().collect();
                timed(&objects, n, encode::<C, R>)
            }
            Operation::Decode => timed(&self.documents[window], n, decode::<C, R>),
            Operation::Visit => timed(&self.documents[window], n, visit::<C, R>),
        };
        outcome.map_err(|e: C::Error| e.to_string())
    }

    fn verify(&self, document: usize) -> Result<Verified, String> {
        C::enter();
        let object = C::decode(&self.documents[document]).map_err(|e| format!("decode: {e}"))?;
        let encoded = C::encode(&object).map_err(|e| format!("encode: {e}"))?;
        Ok(Verified { leaf: R::leaf(&object), visit: R::visit(&object), encoded })
    }
}
