//! What the tests over the shared captures have in common.

use std::path::{Path, PathBuf};

/// The folder of the shared captures, if it is there.
pub(crate) fn captures() -> Option<PathBuf> {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/captures"
    ));
    if folder.is_dir() {
        return Some(folder.to_path_buf());
    }
    let required = std::env::var_os("WIREWAIT_REQUIRE_CAPTURES").is_some_and(|v| v == "1");
    assert!(!required, "the shared captures are missing");
    eprintln!("SKIPPED: the shared captures are missing, nothing was compared");
    None
}
