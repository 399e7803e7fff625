# shellcheck shell=bash
# Ways into the lab: commands inside a node, on the deploy host or in the world, and ssh as the installer would.

# exec WHERE COMMAND...
exec_command() {
  local where=${1:-}
  [ $# -ge 2 ] || usage_error "exec: WHERE COMMAND..."
  shift
  need_root
  case $where in
    deploy | site | world)
      has_netns "$where" || die "$where is not up"
      exec ip netns exec "$(netns "$where")" "$@"
      ;;
    *)
      check_node "$where"
      in_node "$where" "$@"
      ;;
  esac
}

# ssh NODE [COMMAND...]: from the deploy host, with the lab's key and pinned host keys.
ssh_command() {
  need_root
  has_netns deploy || die "the site is down"
  exec ip netns exec "$(netns deploy)" ssh -F "$SSH/config" "$@"
}
