# shellcheck shell=bash
# The upstream: built into the cache by the programs in upstream/, served by world.sh.

upstream_command() {
  local action=${1:-status}
  [ $# = 0 ] || shift
  case $action in
    build) upstream_build "$@" ;;
    up) upstream_up "$@" ;;
    down) upstream_down ;;
    status) upstream_status ;;
    list) upstream_program list ;;
    export) upstream_program export "$@" ;;
    mirrors) upstream_mirrors ;;
    *) usage_error "upstream: no action '$action'" ;;
  esac
}

upstream_program() { LAB_STARTED=$LAB_STARTED PYTHONDONTWRITEBYTECODE=1 python3 "$LAB_PARTS/upstream" --cache "$LAB_CACHE" "$@"; }

upstream_build() {
  # nothing to do is the usual case, and must not wait for somebody else's build
  if upstream_program ready "$@"; then
    say "the upstream is built"
    return 0
  fi
  mkdir -p "$LAB_CACHE"
  need_go
  need_packages python3=python3 gcc=gcc /usr/include/seccomp.h=libseccomp-dev pkg-config=pkg-config \
    aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/include/stdio.h=libc6-dev-arm64-cross
  take_lock build
  update_package_lists
  # left by a build that was killed
  rm -rf "$LAB_CACHE"/building-*
  upstream_program build "$@"
}

# Debian's own Go is too old for what is built here, so that it is not installed as the other tools are.
need_go() {
  command -v go > /dev/null || PATH=$PATH:/usr/local/go/bin
  command -v go > /dev/null || die "the upstream is compiled with Go 1.26 or newer: install it and put it on the PATH"
  [ "$(df --output=avail -B1G "$LAB_CACHE" | tail -n 1)" -ge 20 ] || warn "less than 20 GB are free; Go's caches and the upstream take up to 30 GB"
}

upstream_up() {
  need_root
  upstream_build "$@" || warn "the upstream is incomplete: see above for what is skipped"
  take_lock lab
  world_up
}

upstream_down() {
  need_root
  take_lock lab
  world_down
}

upstream_status() {
  if world_is_up; then
    echo "upstream: up, https://$FILES_HOST and $REGISTRY_HOST:5000 in the namespace $(netns world)"
  else
    echo "upstream: down"
  fi
}

# What a user would write into cluster.yaml for a mirror: the builder does not know that this one is a lab.
upstream_mirrors() {
  local path
  echo "mirrors:"
  echo "  files:"
  for path in "$LAB_CACHE"/www/*/; do echo "    $(basename "$path"): https://$FILES_HOST/$(basename "$path")"; done
  echo "  images:"
  for path in "$LAB_CACHE"/images/references/*/; do echo "    $(basename "$path"): $REGISTRY_HOST:5000/$(basename "$path")"; done
  echo "  packages:"
  debian_archives | while read -r path; do echo "    $path: https://$APT_HOST/$(basename "$path")"; done
}

# The archives as the catalogue names them: what it would fetch from there comes through the pass-through.
debian_archives() {
  sed -nE 's#.*url: "?https?://([^",]+[^",/])/?".*#\1#p' "$LAB_PARTS/../../manifests/os/debian.yaml" | sort -u
}
