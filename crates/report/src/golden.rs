//! Outputs as they are meant to be, in `golden/`.

use std::path::PathBuf;

/// Compares `text` with the golden file of this name. With WIREWAIT_BLESS=1 in the
/// environment the file is written instead; read the difference before committing it.
pub(crate) fn check(name: &str, text: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "golden", name]
        .iter()
        .collect();
    if std::env::var_os("WIREWAIT_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    let differs = text
        .lines()
        .zip(expected.lines())
        .enumerate()
        .find(|(_, (one, other))| one != other);
    assert!(
        text == expected,
        "{} differs, first in {differs:?}",
        path.display()
    );
}
