# shellcheck shell=bash
# One node: its folder in the cache, its start, its end, and the way back to the state of the first start.

node_folder() { echo "$LAB_CACHE/site/$1"; }
node_address() { echo "$SITE_NET.$((10 + ${1#node}))"; }
site_nodes() { cat "$LAB_RUN/nodes" 2> /dev/null || true; }

check_node() {
  [[ $'\n'$(site_nodes)$'\n' == *$'\n'"$1"$'\n'* ]] || die "no node '$1' in the site; there are: $(site_nodes | tr '\n' ' ')"
}

# prepare_node NODE HOSTS: an empty node; what an earlier site left in its folder is thrown away.
prepare_node() {
  local folder
  folder=$(node_folder "$1")
  make_host_key "$1"
  discard "$folder"
  mkdir -p "$folder"/{upper,work,merged}
  make_seed "$1" "$(node_address "$1")" "$folder" "$2"
  make_plain_directories "$folder"
}

make_plain_directories() {
  local directory
  for directory in "${PLAIN_DIRECTORIES[@]}"; do mkdir -p "$1/plain$directory"; done
  if [ -d "$1/plain-seed" ]; then cp -a "$1/plain-seed/." "$1/plain/"; fi
}

# discard PATH...: out of the way at once; the deletion itself, which may take long, goes on in the background.
discard() {
  local path bin
  for path in "$@"; do
    [ -e "$path" ] || continue
    mkdir -p "$LAB_CACHE/discarded"
    bin=$(mktemp -d "$LAB_CACHE/discarded/XXXXXXXX")
    mv "$path" "$bin/"
  done
}

empty_discarded() {
  [ -d "$LAB_CACHE/discarded" ] || return 0
  chattr -R -i "$LAB_CACHE/discarded" 2> /dev/null || true
  rm -rf "$LAB_CACHE/discarded"
}

# start_node NODE: its network and its processes; returns before it has booted.
start_node() {
  local node=$1 folder cgroups options=() directory
  process_id "node-$node" > /dev/null && return 0
  folder=$(node_folder "$node") cgroups=$LAB_RUN/cgroups-$node
  connect_node "$node"
  add_cgroups "$node" "$cgroups"
  for directory in "${PLAIN_DIRECTORIES[@]}"; do options+=("--bind=$folder/plain$directory:$directory"); done
  if has_variant swap; then options+=("--bind=$folder/swap/swapfile:/swapfile"); fi
  start_process "node-$node" "$LAB_CACHE/log/$node" unshare --mount --propagation private \
    "$LAB_PARTS/node-run" "$folder" "$node" "$(root_path)" "$(netns "$node")" "$cgroups" "${options[@]}"
}

connect_node() {
  has_netns "$1" && return 0
  add_netns "$1"
  connect_to_bridge "$1" "$(node_address "$1")"
  if has_variant route; then ip -n "$(netns "$1")" route add default via "$SITE_NET.1"; fi
}

# await_node NODE: until sshd answers.
await_node() {
  wait_until 60 ssh_answers "$1" || die "$1 does not answer within 60 s: see $LAB_CACHE/log/$1"
  if has_variant swap && [ "$1" = node1 ]; then in_node node1 swapon /swapfile || warn "swapon is impossible here: the swap file stays unused"; fi
}

ssh_answers() { in_netns deploy timeout 1 bash -c "read -r line < /dev/tcp/$(node_address "$1")/22 && [[ \$line == SSH-* ]]"; }

# node_leader NODE: the id, on this machine, of the node's PID 1.
node_leader() {
  local pid
  pid=$(process_id "node-$1") || return 1
  awk '{ print $1 }' "/proc/$pid/task/$pid/children"
}

# in_node NODE COMMAND...: inside all its namespaces, as its root.
in_node() {
  local leader
  leader=$(node_leader "$1") || die "$1 is not running"
  shift
  nsenter --target "$leader" --all --wdns=/ env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    TERM="${TERM:-dumb}" LANG=C.UTF-8 "$@"
}

# stop_node NODE: like pulling the plug. Killing PID 1 of a process namespace takes everything in it along.
stop_node() {
  local leader
  if leader=$(node_leader "$1") && [ -n "$leader" ]; then kill -s KILL "$leader" 2> /dev/null || true; fi
  stop_process "node-$1" KILL
  if [ -e "$(node_folder "$1")/swap/swapfile" ]; then swapoff "$(node_folder "$1")/swap/swapfile" 2> /dev/null || true; fi
  remove_cgroups "$LAB_RUN/cgroups-$1"
}

# reset_node NODE: back to the first start. The seed stays, so that keys and names do.
reset_node() {
  local folder
  folder=$(node_folder "$1")
  stop_node "$1"
  remove_netns "$1"
  discard "$folder/upper" "$folder/work" "$folder/plain"
  mkdir -p "$folder"/{upper,work}
  make_plain_directories "$folder"
  start_node "$1"
}
