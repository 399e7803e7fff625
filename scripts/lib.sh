# shellcheck shell=bash
# What `demo`, `test` and `bench` share; words on the terminal and packages come from the lab's own parts.

KUBEXM_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export KUBEXM_ROOT
# shellcheck source=scripts/lab.d/common.sh
. "$KUBEXM_ROOT/scripts/lab.d/common.sh"
# shellcheck source=scripts/lab.d/apt.sh
. "$KUBEXM_ROOT/scripts/lab.d/apt.sh"

# shellcheck source=scripts/lab.d/process.sh
. "$KUBEXM_ROOT/scripts/lab.d/process.sh"

# need_rust: cargo with a compiler that is new enough.
need_rust() {
  command -v cargo > /dev/null || die "cargo is missing: install Rust $(rust_version) or newer from https://rustup.rs"
  local have
  have=$(rustc --version | cut -d' ' -f2)
  [ "$(printf '%s\n' "$(rust_version)" "$have" | sort -V | head -n1)" = "$(rust_version)" ] ||
    die "Rust $have is too old: $(rust_version) or newer is needed"
}

rust_version() { sed -n 's/^rust-version = "\(.*\)"/\1/p' "$KUBEXM_ROOT/Cargo.toml"; }
