# shellcheck shell=bash
# Network namespaces of the lab. Every link of it lives inside one of them; the machine's own namespace gets none.

netns() { echo "$NETNS_PREFIX-$1"; }
in_netns() {
  local name=$1
  shift
  ip netns exec "$(netns "$name")" "$@"
}
has_netns() { [ -e "/run/netns/$(netns "$1")" ]; }

# add_netns NAME: with its own hosts file and resolver, which `ip netns exec` puts over /etc.
add_netns() {
  has_netns "$1" && return 0
  mkdir -p "/etc/netns/$(netns "$1")"
  echo "$LAB_CACHE" > "/etc/netns/$(netns "$1").cache"
  ip netns add "$(netns "$1")"
  ip -n "$(netns "$1")" link set lo up
}

remove_netns() {
  if has_netns "$1"; then ip netns delete "$(netns "$1")"; fi
  rm -rf "/etc/netns/$(netns "$1")" "/etc/netns/$(netns "$1").cache"
  rmdir /etc/netns 2> /dev/null || true
}

# The first `ip netns add` makes /run/netns a mount point; the last one to go takes it away again.
remove_netns_mount() {
  [ -d /run/netns ] && [ -z "$(ls -A /run/netns)" ] || return 0
  if mountpoint -q /run/netns; then umount /run/netns; fi
  rmdir /run/netns 2> /dev/null || true
}

# Two labs on one machine would take each other's namespaces for their own.
refuse_foreign_lab() {
  local name owner
  for name in $(lab_namespaces); do
    owner=$(cat "/etc/netns/$(netns "$name").cache" 2> /dev/null || echo "$LAB_CACHE")
    [ "$owner" = "$LAB_CACHE" ] || die "a lab with another cache is up; first: KUBEXM_LAB_CACHE=$owner scripts/lab down"
  done
}

# Every namespace of the lab that exists, without the prefix.
lab_namespaces() {
  local path
  for path in /run/netns/"$NETNS_PREFIX"-*; do
    [ -e "$path" ] && echo "${path#/run/netns/"$NETNS_PREFIX"-}"
  done
  return 0
}

# connect_to_bridge NAME ADDRESS: eth0 of a namespace, its other end named after it in the site's bridge.
connect_to_bridge() {
  local site namespace
  site=$(netns site) namespace=$(netns "$1")
  # deleting a namespace frees its links a moment later: remove a remaining end by name
  ip -n "$site" link delete "$1" 2> /dev/null || true
  # the same hardware address every time, so that the neighbours' tables stay true over a reset
  ip -n "$site" link add "$1" type veth peer name eth0 address "$(printf '02:6b:78:6d:00:%02x' "${2##*.}")" netns "$namespace"
  ip -n "$site" link set "$1" master site0 up
  ip -n "$namespace" address add "$2/24" dev eth0
  ip -n "$namespace" link set eth0 up
}

# write_names NAMESPACE HOSTS RESOLVER: what names mean inside it.
write_names() {
  mkdir -p "/etc/netns/$(netns "$1")"
  printf '%s\n' "$2" > "/etc/netns/$(netns "$1")/hosts"
  printf '%s\n' "$3" > "/etc/netns/$(netns "$1")/resolv.conf"
}
