# shellcheck shell=bash
# The site: a switch with a dead end as gateway, a deploy host and the nodes. No link leads out of its namespace.

site_command() {
  local action=${1:-status}
  [ $# = 0 ] || shift
  case $action in
    up) site_up "$@" ;;
    down) site_down ;;
    status) site_status ;;
    *) usage_error "site: no action '$action'" ;;
  esac
}

site_is_up() { has_netns site; }

site_up() {
  local count=3 variants=""
  while [ $# -gt 0 ]; do
    case $1 in
      --variant) variants=${2:?--variant needs a list} && shift ;;
      --variant=*) variants=${1#*=} ;;
      [1-9] | [1-9][0-9]) count=$1 ;;
      *) usage_error "site up: unexpected '$1'" ;;
    esac
    shift
  done
  check_variants "$variants"
  need_root
  need_packages ip=iproute2 systemd-nspawn=systemd-container ssh=openssh-client nft=nftables openssl=openssl
  take_lock lab
  if site_is_up && site_is_as_wanted "$count" "$variants"; then
    say "the site is up already"
    if has_variant dns && ! process_id dns > /dev/null; then start_dns; fi
    start_nodes
    return 0
  fi
  site_take_down
  make_root
  on_interrupt site_take_down
  say "starting $count nodes${variants:+ with $variants}"
  mkdir -p "$LAB_RUN"
  echo "$variants" > "$LAB_RUN/variants"
  seq -f 'node%g' "$count" > "$LAB_RUN/nodes"
  site_hosts > "$LAB_RUN/hosts"
  save_kernel_settings before
  make_client_key
  lay_network
  prepare_nodes
  start_nodes
  record_baselines
  save_kernel_settings started
  empty_discarded
  on_interrupt ""
  say "the site is up: $(site_nodes | tr '\n' ' ')"
}

site_is_as_wanted() { [ "$(site_nodes | wc -l)" = "$1" ] && [ "$(cat "$LAB_RUN/variants")" = "$2" ]; }

site_hosts() {
  local node
  printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n%s.2 deploy\n' "$SITE_NET"
  for node in $(site_nodes); do printf '%s %s\n' "$(node_address "$node")" "$node"; done
}

lay_network() {
  local resolver="# no DNS server at this site"
  add_netns site
  ip -n "$(netns site)" link add site0 type bridge forward_delay 0
  ip -n "$(netns site)" address add "$SITE_NET.1/24" dev site0
  ip -n "$(netns site)" link set site0 up
  # the gateway is a dead end: it forwards nothing, whatever the machine's own setting is
  in_netns site sysctl -q -w net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=0
  watch_packets
  add_netns deploy
  connect_to_bridge deploy "$SITE_NET.2"
  if has_variant route; then ip -n "$(netns deploy)" route add default via "$SITE_NET.1"; fi
  if has_variant dns; then
    resolver="nameserver $SITE_NET.1"
    start_dns
  fi
  write_names deploy "$(cat "$LAB_RUN/hosts")" "$resolver"
  write_names site "$(cat "$LAB_RUN/hosts")" "$resolver"
}

prepare_nodes() {
  local node pairs=() user=root
  for node in $(site_nodes); do
    prepare_node "$node" "$(cat "$LAB_RUN/hosts")"
    pairs+=("$node=$(node_address "$node")")
  done
  if has_variant sudo; then user=$SUDO_USER_NAME; fi
  write_ssh_config "$user" "${pairs[@]}"
}

start_nodes() {
  local node
  for node in $(site_nodes); do start_node "$node"; done
  for node in $(site_nodes); do await_node "$node"; done
}

site_down() {
  need_root
  take_lock lab
  site_take_down
  say "the site is down"
}

# Everything that this lab may have made, whether the site came up whole or not.
site_take_down() {
  local node name
  for node in $(site_nodes); do stop_node "$node"; done
  stop_process dns
  for name in $(lab_namespaces); do
    [ "$name" = world ] || remove_netns "$name"
  done
  remove_netns_mount
  restore_kernel_settings before
  discard "$LAB_CACHE/site"
  empty_discarded
  rm -f "$LAB_RUN"/{nodes,variants,hosts,baseline-*,cut-*,kernel-*}
}

site_status() {
  local node state
  if ! site_is_up; then
    echo "site: down"
    return 0
  fi
  echo "site: up, network $SITE_NET.0/24, variants: $(cat "$LAB_RUN/variants")"
  for node in $(site_nodes); do
    state=off
    if process_id "node-$node" > /dev/null; then state=running; fi
    if [ -e "$LAB_RUN/cut-$node" ]; then state+=", cut off"; fi
    printf '%-8s %-12s %s\n' "$node" "$(node_address "$node")" "$state"
  done
}
