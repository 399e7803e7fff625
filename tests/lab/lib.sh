# shellcheck shell=bash
# shellcheck disable=SC2034 # the tests use what is set here
# Checks of the lab: one line each, and a closing line with the sum.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
LAB_CACHE=${KUBEXM_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubexm-lab}
PASSED=0 FAILED=0
WORK=$(mktemp -d)

lab() { "$ROOT/scripts/lab" "$@"; }

pass() {
  PASSED=$((PASSED + 1))
  echo "ok   $1"
}

fail() {
  FAILED=$((FAILED + 1))
  echo "FAIL $1"
  if [ -s "$WORK/output" ]; then sed 's/^/       /' "$WORK/output" | tail -n 20; fi
}

# check TEXT COMMAND...: passes when the command does.
check() {
  local text=$1
  shift
  if "$@" > "$WORK/output" 2>&1; then pass "$text"; else fail "$text"; fi
}

# refuse TEXT COMMAND...: passes when the command fails, within 10 seconds.
refuse() {
  local text=$1
  shift
  if "$@" > "$WORK/output" 2>&1; then fail "$text"; else pass "$text"; fi
}

# need TEXT COMMAND...: a check without which the rest makes no sense.
need() {
  local before=$FAILED
  check "$@"
  [ "$FAILED" = "$before" ] || finish
}

require_root() {
  [ "$(id -u)" = 0 ] && return 0
  echo "FAIL the lab needs root: network namespaces, mounts and machines cannot be made without it"
  FAILED=1
  finish
}

finish() {
  rm -rf "$WORK"
  echo "$PASSED passed, $FAILED failed"
  [ "$FAILED" = 0 ]
  exit
}

# eventually SECONDS COMMAND...
eventually() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.5
  done
}
