//! Makes the Protobuf messages of the selected codecs from set.binpb, in the
//! build's own folder: `generate CODEC,CODEC…`

mod names;

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use buffa::Message as _;
use buffa_descriptor::generated::descriptor::FileDescriptorSet;
use prost::Message as _;

const SET: &str = "generated/set.binpb";

fn main() -> ExitCode {
    let codecs = std::env::args().nth(1).unwrap_or_default();
    match run(&codecs.split(',').collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("generate: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(codecs: &[&str]) -> Result<(), Box<dyn Error>> {
    let (prost, buffa) = (codecs.contains(&"prost"), codecs.contains(&"buffa"));
    if !prost && !buffa {
        return Ok(());
    }
    let mut set = FileDescriptorSet::decode_from_slice(&fs::read("set.binpb")?)?;
    names::rename(&mut set, &fs::read_to_string("generate/messages.txt")?);
    fs::create_dir_all("generated")?;
    fs::write(SET, set.encode_to_vec())?;
    if prost {
        make_prost()?;
    }
    if buffa {
        make_buffa(&set)?;
    }
    Ok(())
}

/// The line with which a generator gives up a codec.
fn drop_codec(codec: &str, reason: &str) {
    println!("wirecost:drop {codec} {reason}");
}

fn make_prost() -> Result<(), Box<dyn Error>> {
    let set = prost_types::FileDescriptorSet::decode(&*fs::read(SET)?)?;
    if set.file.iter().any(|f| f.syntax() == "editions") {
        drop_codec("prost", "prost-build knows proto2 without groups and proto3 only, and this schema uses an edition or groups");
        return Ok(());
    }
    fs::create_dir_all("generated/prost")?;
    prost_build::Config::new().out_dir("generated/prost").compile_fds(set)?;
    Ok(())
}

fn make_buffa(set: &FileDescriptorSet) -> Result<(), Box<dyn Error>> {
    let files: Vec<&str> = set.file.iter().filter(|f| names::ours(f)).filter_map(|f| f.name.as_deref()).collect();
    fs::create_dir_all("generated/buffa")?;
    buffa_build::Config::new()
        .descriptor_set(SET)
        .files(&files)
        .out_dir("generated/buffa")
        .file_per_package(true)
        .generate_views(false) // the codec uses owned messages only
        .generate_with_setters(false)
        .compile()?;
    Ok(())
}
