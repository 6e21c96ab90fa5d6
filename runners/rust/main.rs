//! Holds codecs and times them. It speaks wirecost's runner protocol: requests on
//! standard input, replies on standard output.

mod allocation;
mod codecs;
mod control;
mod describe;
mod documents;
mod harness;
mod measure;
mod server;
mod sums;
#[cfg(feature = "json")]
mod types;
mod usage;

use std::io::{self, BufRead, Read, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::ExitCode;

use control::{Json, Reply};
use server::{Failure, Server};

#[global_allocator]
static ALLOCATOR: allocation::Counting = allocation::Counting;

/// The longest request that is read.
const MAX_LINE: u64 = 16 << 20;

fn main() -> ExitCode {
    match serve(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("runner: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers requests until one asks to stop or the input ends.
fn serve(mut requests: impl BufRead, mut replies: impl Write) -> io::Result<()> {
    let mut server = Server::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        requests.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        if line.len() as u64 > MAX_LINE {
            return Err(io::Error::other("a request is longer than 16 MB"));
        }
        let request = Json::parse(&line);
        replies.write_all(answer(&mut server, request.as_ref()).as_bytes())?;
        replies.flush()?;
        if request.is_some_and(|r| r.get("request").text() == "stop") {
            return Ok(());
        }
    }
}

/// The reply to one request. A panic inside a codec is an error of that request
/// only.
fn answer(server: &mut Server, request: Option<&Json>) -> String {
    let Some(request) = request else {
        return failure(0, Failure::Failed("the request is not JSON".into()));
    };
    let id = request.get("id").integer();
    let mut reply = Reply::new(id);
    let handled = catch_unwind(AssertUnwindSafe(|| handle(server, request, &mut reply)));
    match handled {
        Ok(Ok(())) => reply.end(),
        Ok(Err(problem)) => failure(id, problem),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            failure(id, Failure::Failed(format!("panic: {}", words.unwrap_or("no message"))))
        }
    }
}

fn handle(server: &mut Server, request: &Json, reply: &mut Reply) -> Result<(), Failure> {
    match request.get("request").text() {
        "describe" => describe::describe(reply),
        "prepare" => server.prepare(request, reply)?,
        "verify" => server.verify(request, reply)?,
        "cold" => server.cold(request, reply)?,
        "measure" => server.measure(request, reply)?,
        "memory" => server.memory(request, reply)?,
        "empty" => measure::empty(request, reply)?,
        "stop" => {}
        other => return Err(Failure::Failed(format!("unknown request {other:?}"))),
    }
    Ok(())
}

fn failure(id: i64, problem: Failure) -> String {
    let mut reply = Reply::new(id);
    match problem {
        Failure::Failed(words) => reply.text("error", &words),
        Failure::Skipped(words) => reply.text("skipped", &words),
    }
    reply.end()
}
