//! Tells the runner which compiler made it, and for which processor.

use std::env::var;
use std::process::Command;

fn main() {
    let rustc = Command::new(var("RUSTC").unwrap()).arg("--version").output().unwrap();
    let rustc = String::from_utf8(rustc.stdout).unwrap();
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let cpu = flags.split(['\x1f', '=']).skip_while(|word| !word.ends_with("target-cpu")).nth(1);
    println!(
        "cargo::rustc-env=RUNNER_VERSION={} {}, target-cpu {} ({}), opt-level {}",
        rustc.split(" (").next().unwrap().trim(),
        var("TARGET").unwrap(),
        cpu.unwrap_or("default"),
        var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default(),
        var("OPT_LEVEL").unwrap(),
    );
    println!("cargo::rerun-if-changed=build.rs");
}
