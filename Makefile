# The two commands of the README, and what CI runs.

.PHONY: demo test check

# Sets up, builds, and solves one game. The first build compiles clingo, which takes some minutes.
demo:
	scripts/setup --build
	@echo 'Compiling sqasp and clingo: 4 to 10 minutes the first time, on two cores.'
	@cargo build --release || { echo 'The build failed. Was a compiler killed? Then memory ran out: CARGO_BUILD_JOBS=1 make demo' >&2; exit 1; }
	@cargo run --release --quiet -- solve games/stochastic_ttt.gdl --depth 9 --quant dep
	@echo 'Next: ./target/release/sqasp explore games/stochastic_ttt.gdl'

# Sets up and runs the tests, in the release profile, so that the build is shared with `demo`. Says at the end
# which tests were ignored because something is missing.
test:
	scripts/setup --test
	scripts/test

# What CI runs on Linux: the tests, and also the page in a browser (3 means that something is missing, which was said), the
# Python package in an environment of its own, the tables that threads share under Miri and the proofs in Rocq where these are installed, and the
# form of the source.
# Random tests of whole games have three times as many rounds as with `make test`.
check: export SQASP_TEST_ROUNDS ?= 1
check: test
	scripts/setup --check
	scripts/browser-test || [ $$? -eq 3 ]
	scripts/check-python
	scripts/miri
	if command -v coqc && command -v ocamlopt; then $(MAKE) -C proofs test; else echo 'proofs: Rocq is not installed, so they were not checked: scripts/setup --proofs'; fi
	cargo test --release -p sqasp -p sqasp-cluster --test all -- packets:: processes::
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	cargo clippy --release --no-default-features --lib -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps
	scripts/facade
