//! Answers benchmark requests besides the protocol's: the same operations on the same
//! documents and objects, timed by criterion, in the same process. Where a linker puts
//! code, and what an object lies beside, differ from program to program. A request is the
//! word, and fields separated by tabs: sample, codec, operation, warm-up iterations,
//! iterations. The answer is the nanoseconds of all iterations, or "error" and what went
//! wrong.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::hint::black_box;
use std::io::{stdout, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::Criterion;

use crate::control::Json;
use crate::harness::{Operation, Timed};
use crate::server::{Failure, Server};

thread_local! {
    /// What the next batch is to be, when criterion is to time it: warm-up iterations.
    static ASKED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The answer to a line that is a benchmark request.
pub fn answer(server: &mut Server, line: &[u8]) -> Option<String> {
    let fields = std::str::from_utf8(line).ok()?.trim_end().strip_prefix("benchmark\t")?;
    let fields: Vec<&str> = fields.split('\t').collect();
    Some(match measure(server, &fields) {
        Ok(wall) => format!("{}\n", wall.as_nanos()),
        Err(problem) => format!("error\t{}\n", problem.replace('\n', " ")),
    })
}

fn measure(server: &mut Server, fields: &[&str]) -> Result<Duration, String> {
    let [sample, codec, operation, warm, iterations] = fields else {
        return Err(format!("{} fields; want 5", fields.len()));
    };
    let number = |field: &str| field.parse::<u64>().map_err(|e| format!("{field}: {e}"));
    let name = format!("{{\"sample\":\"{sample}\",\"codec\":\"{codec}\"}}");
    let request = Json::parse(name.as_bytes()).ok_or("the names are not JSON")?;
    let case = server.find_mut(&request).map_err(|f| match f {
        Failure::Failed(why) | Failure::Skipped(why) => why,
    })?;
    let operation = Operation::named(operation).ok_or("there is no such operation")?;
    let all = 0..case.documents();
    case.ready(all.clone())?;
    ASKED.set(Some(number(warm)?));
    let timed = silent(|| case.run(operation, all, number(iterations)?));
    ASKED.set(None);
    Ok(timed?.wall)
}

/// Runs work with standard output turned off: criterion reports there.
fn silent<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let null = File::options().write(true).open("/dev/null").map_err(|e| e.to_string())?;
    stdout().flush().map_err(|e| e.to_string())?;
    // SAFETY: both are open files of this process, and the copy is closed once.
    let kept = unsafe { libc::dup(1) };
    unsafe { libc::dup2(null.as_raw_fd(), 1) };
    let done = work();
    let flushed = stdout().flush().map_err(|e| e.to_string());
    unsafe { libc::dup2(kept, 1) };
    unsafe { libc::close(kept) };
    flushed.and(done)
}

/// Times a batch by criterion, if that was asked for.
#[inline(never)]
pub fn instead<T, E>(items: &[T], n: u64, operation: &impl Fn(&T) -> Result<u32, E>) -> Option<Timed> {
    let warm = ASKED.get()?;
    let mut counts = Vec::new();
    let recorder = Recorder::default();
    let start = Instant::now();
    for i in 0..warm as usize {
        let _ = black_box(operation(black_box(&items[i % items.len()])));
    }
    let each = start.elapsed().as_secs_f64() / warm as f64;
    let mut criterion = Criterion::default()
        .with_measurement(recorder.clone())
        .without_plots()
        .output_directory(Path::new("criterion"))
        .sample_size(SAMPLES)
        .nresamples(1000) // its own statistics are not used
        .warm_up_time(Duration::from_secs_f64(each * warm as f64))
        .measurement_time(Duration::from_secs_f64(each * n as f64));
    criterion.bench_function("codec", |bencher| {
        // An iteration goes round the documents: what criterion does for one is as long as
        // a tenth of the smallest operations.
        let mut rounds = 0;
        bencher.iter(|| {
            rounds += 1;
            items.iter().fold(0u32, |sum, item| sum.wrapping_add(operation(black_box(item)).unwrap_or(0)))
        });
        counts.push(rounds * items.len());
    });
    // The last samples are those that criterion reports on; others warmed up.
    let times = recorder.times.borrow();
    let time: Duration = times[times.len() - SAMPLES..].iter().sum();
    let count: usize = counts[counts.len() - SAMPLES..].iter().sum();
    Some(Timed { wall: time.mul_f64(n as f64 / count as f64), sum: 0 })
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
