//! Stands in for the runner's module of this name: the codecs and types are the
//! runner's, and criterion is what times them.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::hint::black_box;
use std::marker::PhantomData;
use std::rc::Rc;
use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::Criterion;

pub type Documents = Rc<[Box<[u8]>]>;

pub trait Root {
    type Object;
    fn leaf(object: &Self::Object) -> u32;
    fn visit(object: &Self::Object) -> u32;
}

pub trait Codec<R: Root> {
    type Error: Display;
    fn decode(document: &[u8]) -> Result<R::Object, Self::Error>;
    fn encode(object: &R::Object) -> Result<Vec<u8>, Self::Error>;
    fn enter() {}
}

/// A codec that is ready for documents.
pub trait Case {
    /// The nanoseconds of one operation, by criterion, in about so many operations.
    fn measure(&self, operation: &str, warm: u64, iterations: u64) -> Result<f64, String>;
}

pub struct Prepared<C, R: Root> {
    documents: Documents,
    objects: Result<Vec<R::Object>, String>,
    codec: PhantomData<C>,
}

impl<C: Codec<R>, R: Root> Prepared<C, R> {
    pub fn new(documents: Documents) -> Self {
        C::enter();
        let decode = |document: &Box<[u8]>| C::decode(document).map_err(|e| e.to_string());
        let objects = documents.iter().map(decode).collect();
        Prepared { documents, objects, codec: PhantomData }
    }
}

impl<C: Codec<R>, R: Root> Case for Prepared<C, R> {
    fn measure(&self, operation: &str, warm: u64, iterations: u64) -> Result<f64, String> {
        C::enter();
        let objects = self.objects.as_ref().map_err(String::clone)?;
        Ok(match operation {
            "encode" => bench(objects, warm, iterations, |object| C::encode(object)),
            _ => bench(&self.documents, warm, iterations, |document| C::decode(document)),
        })
    }
}

/// Runs criterion over the items in turn.
fn bench<T, O>(items: &[T], warm: u64, iterations: u64, operation: impl Fn(&T) -> O) -> f64 {
    let (next, rounds) = (Cell::new(0), Cell::new(0));
    let one = || {
        let item = black_box(&items[next.get()]);
        next.set(next.get() + 1);
        if next.get() == items.len() {
            next.set(0);
            rounds.set(rounds.get() + 1);
        }
        operation(item)
    };
    let start = Instant::now();
    for _ in 0..warm {
        black_box(one());
    }
    let each = start.elapsed().as_secs_f64() / warm as f64;
    let done = || rounds.get() * items.len() + next.get();
    let recorder = Recorder::default();
    let mut counts = Vec::new();
    let mut criterion = Criterion::default()
        .with_measurement(recorder.clone())
        .without_plots()
        .sample_size(SAMPLES)
        .nresamples(1000) // its own statistics are not used
        .warm_up_time(Duration::from_secs_f64(each * warm as f64))
        .measurement_time(Duration::from_secs_f64(each * iterations as f64));
    criterion.bench_function("codec", |bencher| {
        let before = done();
        bencher.iter(one);
        counts.push(done() - before);
    });
    // The last samples are those that criterion reports on; others warmed up.
    let times = recorder.times.borrow();
    let time: f64 = times[times.len() - SAMPLES..].iter().map(|t| t.as_nanos() as f64).sum();
    let count: usize = counts[counts.len() - SAMPLES..].iter().sum();
    time / count as f64
}

/// The least that criterion takes.
const SAMPLES: usize = 10;

/// criterion's wall time, which keeps what it measured.
#[derive(Clone, Default)]
struct Recorder {
    times: Rc<RefCell<Vec<Duration>>>,
}

impl Measurement for Recorder {
    type Intermediate = Instant;
    type Value = Duration;

    fn start(&self) -> Instant {
        WallTime.start()
    }

    fn end(&self, start: Instant) -> Duration {
        let time = WallTime.end(start);
        self.times.borrow_mut().push(time);
        time
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        WallTime.add(a, b)
    }

    fn zero(&self) -> Duration {
        WallTime.zero()
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        (&WallTime).formatter()
    }
}
