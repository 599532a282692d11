# The two commands of the README, and what CI runs.

.PHONY: demo test check

# Sets up, builds, and solves one game. The first build compiles clingo, which takes some minutes.
demo:
	scripts/setup --build
	cargo build --release
	@cargo run --release --quiet -- solve games/stochastic_ttt.gdl --depth 9 --quant dep

# Sets up and runs all tests, in the release profile, so that the build is shared with `demo`. Says at the end
# which tests were ignored because something is missing. The Python package is tested last, in an environment of its own.
test:
	scripts/setup --test
	scripts/test
	scripts/check-python

# What CI runs, nothing more or less.
check: test
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	cargo clippy --release --no-default-features --lib -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps
