# The two commands of the README: `make demo` and `make test`. Both do all the set-up.

.PHONY: demo install test docs setup check bench instructions memory fuzz python release dist dist-check image image-check package reproducible offline

# The main job on a shipped capture. Named, so that `make install` finds the same crates compiled.
demo: setup
	cargo run --release --package wirewait-cli -- report captures/demo.pcapng

# The program on the path: in cargo's folder of programs (~/.cargo/bin).
install: setup
	cargo install --path . --locked

# The documentation as a site: target/book/index.html.
docs:
	@command -v mdbook >/dev/null || cargo install mdbook --locked
	mdbook build

# All tests.
test: setup
	cargo test --workspace --quiet

# A C compiler and libpcap's headers, if they are missing.
setup:
	@./scripts/setup.sh

# The Python package: a wheel in python/target/wheels, installed and tested in a virtual environment.
python: setup
	./scripts/python.sh

# What a change must pass besides the tests.
check: setup
	cargo fmt --all --check
	rustfmt --edition 2024 --check $$(find dissectors/src -name "*.rs")
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --no-default-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

# Side by side with tshark and with a libpcap loop that does nothing.
bench: setup
	./benches/side-by-side.sh

# Instructions per frame; fails where there are more than before.
instructions: setup
	./benches/instructions.sh
	./benches/attacks.sh

# Memory for 20,000 connections at once, and over a hundred million frames of clients that come
# and go.
memory: setup
	./benches/connections.sh
	./benches/memory.sh

# Every fuzz target for a minute.
fuzz: setup
	./fuzz/run.sh 60

# The program for others: no paths of this machine, no symbols (target/dist/wirewait).
release: setup
	./scripts/release.sh

# Packages: deb, rpm and a static tar archive (target/dist).
dist: setup
	./scripts/dist.sh

# Installs the packages in roots of their own, and runs what they brought (as root).
dist-check:
	./scripts/dist-check.sh

# A container image of the static program, as an archive (target/dist; as root, buildah).
image: setup
	./scripts/image.sh

# Runs the image: a report, and a capture that is scraped (as root).
image-check:
	./scripts/image-check.sh

# Packs each crate as for a registry, and compiles the library from its archives (target/package).
package: setup
	./scripts/package.sh

# Two builds in two folders, compared byte for byte.
reproducible: setup
	./scripts/reproducible.sh

# A build from vendored libraries, without a network.
offline: setup
	./scripts/offline-build.sh
