# shellcheck shell=bash
# What every part of the lab uses: where things are, how it speaks, how it gets what it needs.

LAB_CACHE=${KUBEXM_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kubexm-lab}
LAB_RUN=$LAB_CACHE/run
LAB_STARTED=${LAB_STARTED:-$EPOCHREALTIME}

# The site's plan: a /24 in which the gateway (a dead end) is .1, the deploy host .2 and the nodes .11 and up.
SITE_NET=${KUBEXM_LAB_NET:-10.89.0}
WORLD_ADDRESS=10.88.0.2
NETNS_PREFIX=kxlab

elapsed() { awk -v a="$LAB_STARTED" -v b="$EPOCHREALTIME" 'BEGIN { printf "%7.1fs", b - a }'; }
say() { printf '[%s] %s\n' "$(elapsed)" "$*" >&2; }
warn() { say "warning: $*"; }
die() {
  printf 'lab: error: %s\n' "$*" >&2
  exit 1
}
usage_error() {
  printf 'lab: %s\nTry: scripts/lab help\n' "$*" >&2
  exit 2
}

need_root() {
  [ "$(id -u)" = 0 ] || die "this needs root (network namespaces, mounts, machines); run it with sudo"
}

# One command at a time may change the lab; a second one waits for it.
lock_lab() {
  mkdir -p "$LAB_RUN"
  exec {LAB_LOCK}> "$LAB_CACHE/lock"
  flock -n "$LAB_LOCK" && return
  say "waiting for another lab command to finish"
  flock -w 3600 "$LAB_LOCK" || die "another lab command holds $LAB_CACHE/lock"
}

# need_packages PROGRAM=PACKAGE...: installs the packages whose programs (or files) are missing.
need_packages() {
  local pair missing=()
  for pair in "$@"; do
    local program=${pair%%=*}
    case $program in
      /*) [ -e "$program" ] || missing+=("${pair#*=}") ;;
      *) command -v "$program" > /dev/null || missing+=("${pair#*=}") ;;
    esac
  done
  [ ${#missing[@]} = 0 ] && return
  need_root
  say "installing ${missing[*]}"
  install_packages "${missing[@]}"
}

install_packages() {
  local log=$LAB_CACHE/log/apt
  mkdir -p "$LAB_CACHE/log"
  export DEBIAN_FRONTEND=noninteractive
  # services that come with a package (nginx, …) must not start on this machine: policy-rc.d would be a file outside the cache
  if ! RUNLEVEL=1 apt-get -q -y --no-install-recommends install "$@" > "$log" 2>&1; then
    apt-get -q update >> "$log" 2>&1 || true
    RUNLEVEL=1 apt-get -q -y --no-install-recommends install "$@" >> "$log" 2>&1 ||
      die "cannot install $*: see $log"
  fi
}
