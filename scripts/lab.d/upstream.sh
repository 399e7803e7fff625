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
  need_packages go=golang-go gcc=gcc python3=python3 /usr/include/seccomp.h=libseccomp-dev pkg-config=pkg-config \
    aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/include/stdio.h=libc6-dev-arm64-cross
  lock_lab
  # left by a build that was killed
  rm -rf "$LAB_CACHE"/building-*
  upstream_program build "$@"
}

upstream_up() {
  need_root
  upstream_build "$@" || warn "the upstream is incomplete: see above for what is skipped"
  world_up
}

upstream_down() {
  need_root
  lock_lab
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
