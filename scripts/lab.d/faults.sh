# shellcheck shell=bash
# What happens to machines: they lose power, and they lose each other.

# poweroff NODE [--hard]: in good order, or by pulling the plug.
poweroff_command() {
  local node=${1:-}
  check_node "$node"
  need_root
  take_lock lab
  if [ "${2:-}" != --hard ] && process_id "node-$node" > /dev/null; then
    in_node "$node" systemctl poweroff --no-wall || true
    wait_until 90 node_is_off "$node" || warn "$node does not power off within 90 s: pulling the plug"
  fi
  stop_node "$node"
  say "$node is off"
}

node_is_off() { ! process_id "node-$1"; }

# poweron NODE: with everything that was on its disk.
poweron_command() {
  check_node "${1:-}"
  need_root
  take_lock lab
  # a machine that was off has lost what lay in memory: addresses, rules, links
  if node_is_off "$1"; then
    remove_netns "$1"
    rm -f "$LAB_RUN/cut-$1"
  fi
  start_node "$1"
  await_node "$1"
  say "$1 is on"
}

# cut NODE [OTHER]: from the whole site, or from one other node only.
cut_command() {
  check_node "${1:-}"
  need_root
  if [ -n "${2:-}" ]; then
    in_netns site nft add element bridge lab cut "{ \"$1\" . \"$2\", \"$2\" . \"$1\" }"
    say "$1 and $2 cannot reach each other"
  else
    ip -n "$(netns site)" link set "$1" down
    touch "$LAB_RUN/cut-$1"
    say "$1 is cut off"
  fi
}

# heal [NODE]: undoes the cuts of one node, or all of them.
heal_command() {
  local node
  need_root
  in_netns site nft flush set bridge lab cut
  for node in ${1:-$(site_nodes)}; do
    check_node "$node"
    ip -n "$(netns site)" link set "$node" up
    rm -f "$LAB_RUN/cut-$node"
  done
  say "healed ${1:-all nodes}"
}
