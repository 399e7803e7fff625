# shellcheck shell=bash
# shellcheck disable=SC2034 # the other parts use what is set here
# What every part of the lab uses: where things are, how it speaks, how it gets what it needs.

LAB_CACHE=${KUBEXM_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubexm-lab}
LAB_RUN=$LAB_CACHE/run
LAB_STARTED=${LAB_STARTED:-$EPOCHREALTIME}

# The site's plan: a /24 in which the gateway (a dead end) is .1, the deploy host .2 and the nodes .11 and up.
SITE_NET=${KUBEXM_LAB_NET:-10.89.0}
WORLD_ADDRESS=10.88.0.2
NETNS_PREFIX=kxlab

elapsed() { awk -v a="$LAB_STARTED" -v b="$EPOCHREALTIME" 'BEGIN { printf "%7.1fs", b - a }'; }
# The lab's own line to the terminal: an interruption may come while a command's output is being thrown away.
exec {LAB_STDERR}>&2
say() { printf '[%s] %s\n' "$(elapsed)" "$*" >&"$LAB_STDERR"; }
warn() { say "warning: $*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
usage_error() {
  printf 'lab: %s\nTry: scripts/lab help\n' "$*" >&2
  exit 2
}

need_root() {
  [ "$(id -u)" = 0 ] || die "this needs root (network namespaces, mounts, machines); run it with sudo"
}

# take_lock build|lab: one command at a time may fill the cache, one may change what runs; a second one waits for it.
declare -A LAB_LOCKS=()
take_lock() {
  local fd
  [ -z "${LAB_LOCKS[$1]:-}" ] || return 0
  mkdir -p "$LAB_CACHE" "$LAB_RUN"
  exec {fd}> "$LAB_CACHE/lock-$1"
  LAB_LOCKS[$1]=$fd
  [ "$1" != lab ] || refuse_foreign_lab
  flock -n "$fd" && return 0
  say "waiting for another lab command to finish"
  flock -w 3600 "$fd" || die "another lab command holds $LAB_CACHE/lock-$1"
}

# What is started to stay must not hold the locks, or the terminal, of the command that started it.
let_go() {
  local fd
  for fd in "${LAB_LOCKS[@]}" "$LAB_STDERR"; do exec {fd}>&-; done
}
