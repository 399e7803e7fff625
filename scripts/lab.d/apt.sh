# shellcheck shell=bash
# Debian packages: what the lab itself needs, and where this machine gets them.

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
  [ ${#missing[@]} = 0 ] && return 0
  need_root
  say "installing ${missing[*]}"
  install_packages "${missing[@]}"
}

install_packages() {
  mkdir -p "$LAB_CACHE/log"
  update_package_lists
  # RUNLEVEL=1: services that come with a package must not start on this machine
  DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -q -y --no-install-recommends install "$@" > "$LAB_CACHE/log/apt" 2>&1 ||
    die "cannot install $*: see $LAB_CACHE/log/apt"
}

# apt_archives: "ADDRESS SUITE" of every archive that apt on this machine is set up for. Read at run time, written nowhere.
apt_archives() {
  update_package_lists
  known_archives
}

# shellcheck disable=SC2016 # apt's own placeholders
known_archives() { apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' | sort -u; }

# A new machine has no lists yet, and apt then knows neither packages nor archives.
update_package_lists() {
  [ -z "$(known_archives)" ] || return 0
  say "fetching the lists of Debian packages"
  mkdir -p "$LAB_CACHE/log"
  apt-get -q update > "$LAB_CACHE/log/apt" 2>&1 || die "apt-get update fails: see $LAB_CACHE/log/apt"
}
