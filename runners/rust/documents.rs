//! Reads documents files: for each document its length, little-endian in 32 bits,
//! and that many bytes.

use std::fs::File;
use std::io::{BufReader, Read};

use crate::harness::Documents;

pub fn read(file: &str) -> Result<Documents, String> {
    let problem = |e: std::io::Error| format!("{file}: {e}");
    let input = File::open(file).map_err(problem)?;
    let mut left = input.metadata().map_err(problem)?.len();
    let mut input = BufReader::new(input);
    let mut documents = Vec::new();
    while left >= 4 {
        let mut head = [0; 4];
        input.read_exact(&mut head).map_err(problem)?;
        let length = u32::from_le_bytes(head);
        left -= 4;
        if u64::from(length) > left {
            return Err(format!("{file}: document {} has {length} bytes, and {left} are left", documents.len()));
        }
        let mut document = vec![0; length as usize];
        input.read_exact(&mut document).map_err(problem)?;
        left -= u64::from(length);
        documents.push(document.into_boxed_slice());
    }
    if left != 0 {
        return Err(format!("{file}: {left} more bytes follow {} documents", documents.len()));
    }
    Ok(documents.into())
}
