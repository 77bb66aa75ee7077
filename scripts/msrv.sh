#!/usr/bin/env bash
# The oldest Rust that Cargo.toml names compiles the workspace. Usage: msrv.sh
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if ! command -v rustup >/dev/null || ! {
    rustup run "$version" rustc --version >/dev/null 2>&1 ||
        rustup toolchain install "$version" --profile minimal >/dev/null 2>&1
}; then
    echo "SKIPPED: Rust $version is not to be had here" >&2
    exit 77
fi
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/msrv cargo "+$version" check --workspace --locked --quiet
echo "Rust $version compiles the workspace"
