//! Measures codecs by criterion. It reads a request per line, fields separated by
//! tabs (codec, operation, root, file, warm-up iterations, iterations), and answers
//! with a line of "wirecost" and the nanoseconds of all iterations, or of "error"
//! and what went wrong. Other lines are criterion's own.

#![allow(dead_code)]

#[path = "../codecs/mod.rs"]
mod codecs;
#[path = "../documents.rs"]
mod documents;
mod harness;
#[path = "../sums.rs"]
mod sums;
#[cfg(feature = "json")]
#[path = "../types/mod.rs"]
mod types;

use std::collections::HashMap;
use std::io;

use harness::Case;

/// Codecs with their documents, as the runner keeps them, by the first fields.
type Prepared = HashMap<String, Box<dyn Case>>;

fn main() -> io::Result<()> {
    let mut prepared = Prepared::new();
    for line in io::stdin().lines() {
        match answer(&mut prepared, &line?.split('\t').collect::<Vec<_>>()) {
            Ok(ns) => println!("wirecost\t{ns:.0}"),
            Err(problem) => println!("error\t{}", problem.replace('\n', " ")),
        }
    }
    Ok(())
}

fn answer(prepared: &mut Prepared, fields: &[&str]) -> Result<f64, String> {
    let [codec, operation, root, file, warm, iterations] = fields else {
        return Err(format!("{} fields; want 6", fields.len()));
    };
    let number = |field: &str| field.parse::<u64>().map_err(|e| format!("{field}: {e}"));
    let key = format!("{codec}\t{root}\t{file}");
    if !prepared.contains_key(&key) {
        let case = codecs::case(codec, number(root)? as usize, documents::read(file)?);
        prepared.insert(key.clone(), case.ok_or_else(|| format!("there is no codec {codec} with root {root}"))?);
    }
    let iterations = number(iterations)?;
    Ok(prepared[&key].measure(operation, number(warm)?, iterations)? * iterations as f64)
}
