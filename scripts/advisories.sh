#!/usr/bin/env bash
# Compares Cargo.lock with the advisories of the RustSec database. The database is a repository of
# its own: it is fetched, or taken from the folder that WIREWAIT_ADVISORIES names (a copy, or the
# package cargo-audit-advisory-db of openSUSE), without a network then. No crate, Debian package or
# other registry has it. Where it cannot be had, this says so loudly and exits with 77.
# Usage: advisories.sh
set -euo pipefail
cd "$(dirname "$0")/.."

unchecked() {
    cat >&2 <<END
******************************************************************************
NOT CHECKED: whether there are security advisories for the libraries of this
program: $1.
Run scripts/advisories.sh where the database can be fetched, or name a copy of
it: WIREWAIT_ADVISORIES=/path/to/advisory-db scripts/advisories.sh
******************************************************************************
END
    exit 77
}

if [ -n "${WIREWAIT_ADVISORIES:-}" ]; then
    command -v cargo-audit >/dev/null || unchecked "there is no cargo-audit to read the copy with"
    [ -d "$WIREWAIT_ADVISORIES/crates" ] || unchecked "$WIREWAIT_ADVISORIES is no copy of the database"
    exec cargo audit --db "$WIREWAIT_ADVISORIES" --no-fetch --stale
fi
command -v cargo-deny >/dev/null || unchecked "there is no cargo-deny"
# A host that does not answer is not to hold everything up.
timeout 120 cargo deny --log-level error fetch db >/dev/null 2>&1 ||
    unchecked "the database cannot be fetched from here"
cargo deny --log-level error check --disable-fetch advisories
