//! The requests that run codecs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;

use crate::allocation;
use crate::control::{Json, Reply};
use crate::harness::{nothing, timed, Operation};
use crate::server::{operation, Failure, Server};
use crate::usage::Usage;

const MAX_ITERATIONS: i64 = 1 << 40;
const MAX_COLD: i64 = 1 << 20;

fn iterations(request: &Json) -> Result<u64, Failure> {
    match request.get("iterations").integer() {
        n @ 1..=MAX_ITERATIONS => Ok(n as u64),
        n => Err(Failure::Failed(format!("{n} iterations"))),
    }
}

/// The documents of a batch.
fn window(request: &Json, documents: usize) -> Result<Range<usize>, Failure> {
    let (first, window) = (request.get("document").integer(), request.get("window").integer());
    let documents = documents as i64;
    if first < 0 || window < 1 || first > documents || window > documents - first {
        let last = first.saturating_add(window).saturating_sub(1);
        return Err(Failure::Failed(format!("documents {first} to {last}; the sample has {documents}")));
    }
    Ok(first as usize..(first + window) as usize)
}

impl Server {
    /// One turn. To settle there is nothing to do: without a collector the heap is
    /// at rest whenever no operation runs.
    pub fn measure(&mut self, request: &Json, reply: &mut Reply) -> Result<(), Failure> {
        let turn = request.get("turn").list();
        // The objects that encode starts from are made first, so that the turn's CPU
        // time holds nothing of that.
        for batch in turn.iter().filter(|b| b.get("operation").text() == "encode") {
            let case = self.find_mut(batch)?;
            let window = window(batch, case.documents())?;
            case.ready(window)?;
        }
        let mut batches = Vec::with_capacity(turn.len());
        for batch in turn {
            let case = self.find(batch)?;
            batches.push((case, operation(batch)?, window(batch, case.documents())?, iterations(batch)?));
        }
        let (mut wall, mut sums) = (vec![0; turn.len()], vec![0; turn.len()]);
        let before = Usage::read();
        for (i, (case, operation, window, iterations)) in batches.into_iter().enumerate() {
            let batch = case.run(operation, window, iterations)?;
            (wall[i], sums[i]) = (batch.wall.as_nanos(), batch.sum);
        }
        let used = before.zip(Usage::read()).map(|(b, a)| (a.cpu - b.cpu, a.preemptions - b.preemptions));
        let (cpu, preemptions) = used.unwrap_or((-1, -1));
        reply.numbers("wall_ns", &wall);
        reply.numbers("checksum", &sums);
        reply.number("cpu_ns", cpu);
        reply.number("preemptions", preemptions);
        reply.number("collections", 0); // there is no collector
        Ok(())
    }

    pub fn cold(&mut self, request: &Json, reply: &mut Reply) -> Result<(), Failure> {
        let case = self.find_mut(request)?;
        let operation = operation(request)?;
        let count = request.get("count").integer();
        if !(1..=MAX_COLD).contains(&count) {
            return Err(Failure::Failed(format!("count is {count}; want 1 to {MAX_COLD}")));
        }
        let mut ns = vec![0; count as usize];
        for (i, ns) in ns.iter_mut().enumerate() {
            let document = i % case.documents();
            let one = document..document + 1;
            if operation == Operation::Encode {
                case.ready(one.clone())?;
            }
            *ns = case.run(operation, one, 1)?.wall.as_nanos();
        }
        reply.numbers("ns", &ns);
        Ok(())
    }

    /// Counts allocations. The first round over the documents is left out: what
    /// libraries keep from then on fills then.
    pub fn memory(&mut self, request: &Json, reply: &mut Reply) -> Result<(), Failure> {
        let case = self.find_mut(request)?;
        let (operation, n) = (operation(request)?, iterations(request)?);
        let all = 0..case.documents();
        if operation == Operation::Encode {
            case.ready(all.clone())?;
        }
        case.run(operation, all.clone(), n.min(all.len() as u64))?;
        // What the runner itself allocates for a batch does not grow with it.
        let (first, own_objects, own_bytes) = allocation::counted(|| case.run(operation, all.clone(), 0));
        first?;
        let (run, objects, bytes) = allocation::counted(|| case.run(operation, all, n));
        run?;
        reply.number("allocations", objects - own_objects);
        reply.number("bytes", bytes - own_bytes);
        Ok(())
    }

    /// Decodes every document, and writes what the codec encodes again.
    pub fn verify(&mut self, request: &Json, reply: &mut Reply) -> Result<(), Failure> {
        let case = self.find(request)?;
        let path = request.get("out").text();
        let problem = |e: std::io::Error| format!("{path}: {e}");
        let mut out = BufWriter::new(File::create(path).map_err(problem)?);
        let (mut leaf, mut visit) = (Vec::new(), Vec::new());
        for i in 0..case.documents() {
            let verified = case.verify(i).map_err(|e| format!("document {i}: {e}"))?;
            leaf.push(verified.leaf);
            visit.push(verified.visit);
            out.write_all(&(verified.encoded.len() as u32).to_le_bytes()).map_err(problem)?;
            out.write_all(&verified.encoded).map_err(problem)?;
        }
        out.flush().map_err(problem)?;
        reply.numbers("leaf", &leaf);
        reply.numbers("visit", &visit);
        Ok(())
    }
}

/// Times the loop around nothing.
pub fn empty(request: &Json, reply: &mut Reply) -> Result<(), Failure> {
    let batch = timed(&[(); 16], iterations(request)?, nothing)?;
    reply.number("wall_ns", batch.wall.as_nanos());
    Ok(())
}
