# The two commands of the README, and what CI runs.

.PHONY: demo test check check-python check-page check-source check-proofs

# Sets up, builds, and solves one game. The first build compiles clingo, which takes some minutes.
demo:
	scripts/setup --build
	@echo 'Compiling sqasp and clingo: 4 to 10 minutes the first time, on two cores.'
	@cargo build --release || { echo 'The build failed. Was a compiler killed? Then memory ran out: CARGO_BUILD_JOBS=1 make demo' >&2; exit 1; }
	@cargo run --release --quiet -- solve games/stochastic_ttt.gdl --depth 9 --quant dep
	@echo 'Next: ./target/release/sqasp explore games/stochastic_ttt.gdl'

# Sets up and runs the tests from outside of the crates, in the release profile, so that the build is shared with
# `demo`. Says at the end which were ignored because something is missing.
test:
	scripts/setup --test
	scripts/test

# What CI runs on Linux: the tests, and then, two at a time, what stands below. With the variable unit tests run, too, and
# random tests of whole games have three times as many rounds as with `make test`.
check: export SQASP_TEST_ROUNDS ?= 1
check: test
	scripts/setup --check
	$(MAKE) --jobs=2 --output-sync=target check-python check-page check-source check-proofs

# The Python package in an environment of its own.
check-python:
	scripts/check-python

# The page in a browser (3 means that something is missing, which was said).
check-page:
	scripts/browser-test || [ $$? -eq 3 ]

# The tables that threads share under Miri, tests of what the program can do without, and the form of the source; the last
# one documents all packages, too.
check-source:
	scripts/miri
	cargo test --release -p sqasp -p sqasp-cluster --test all -- packets:: processes::
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	cargo clippy --release --no-default-features --lib -- -D warnings
	scripts/facade

# The proofs in Rocq, where it is installed.
check-proofs:
	if command -v coqc && command -v ocamlopt; then $(MAKE) -C proofs test; else echo 'proofs: Rocq is not installed, so they were not checked: scripts/setup --proofs'; fi
