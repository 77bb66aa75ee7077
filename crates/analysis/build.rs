//! Tells the sources apart whose state a checkpoint holds: state that was written by others
//! is not read back.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for folder in ["src", "../wire/src"] {
        println!("cargo::rerun-if-changed={folder}");
        gather(&here.join(folder), &mut files)?;
    }
    files.sort();
    // FNV-1a: nobody tries to make two sources look alike.
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        for byte in fs::read(file)? {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=WIREWAIT_STATE={digest:016x}");
    Ok(())
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
