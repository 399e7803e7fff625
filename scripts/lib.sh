# shellcheck shell=bash
# What the scripts share: words on the terminal with the elapsed time, and packages that are installed once.

KUBEXM_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export KUBEXM_ROOT

# say WORDS...: one line of progress on standard error, with the minutes and seconds since the script began.
say() {
  printf '[%02d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2
}

# fail WORDS...: the last line of a script that cannot go on.
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# need_commands NAME=PACKAGE...: installs the Debian packages of those commands that are missing.
need_commands() {
  local pair missing=()
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "root must install ${missing[*]}: apt-get install ${missing[*]}"
  say "installing ${missing[*]}"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# need_rust: cargo with a compiler that is new enough.
need_rust() {
  command -v cargo >/dev/null || fail "cargo is missing: install Rust $(rust_version) or newer from https://rustup.rs"
  local have
  have=$(rustc --version | cut -d' ' -f2)
  [ "$(printf '%s\n' "$(rust_version)" "$have" | sort -V | head -n1)" = "$(rust_version)" ] ||
    fail "Rust $have is too old: $(rust_version) or newer is needed"
}

rust_version() {
  sed -n 's/^rust-version = "\(.*\)"/\1/p' "$KUBEXM_ROOT/Cargo.toml"
}
