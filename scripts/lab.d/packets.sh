# shellcheck shell=bash
# Counts what tries to leave the site: on the bridge, so that nothing on a node can hide from it or change it.

# Pods and services are part of a site; their packets cross the bridge in the open with some network plugins.
SITE_INSIDE=${KUBEXM_LAB_INSIDE:-$SITE_NET.0/24, 10.244.0.0/16, 10.96.0.0/12}

watch_packets() {
  in_netns site nft -f - << RULES
table bridge lab {
  set inside { type ipv4_addr; flags interval; elements = { $SITE_INSIDE, 127.0.0.0/8, 169.254.0.0/16, 224.0.0.0/4, 255.255.255.255, 0.0.0.0 } }
  set targets { type ipv4_addr . inet_proto . inet_service; flags dynamic; size 65535; counter; }
  set cut { type ifname . ifname; }
  counter leaving { }
  counter questions { }
  counter searches { }
  chain watch {
    type filter hook prerouting priority -10;
    ether type arp arp daddr ip != @inside counter name searches
    ether type ip ip daddr != @inside jump account
    ether type ip6 ip6 daddr != { fe80::/10, ff00::/8 } counter name leaving
  }
  chain account {
    counter name leaving
    udp dport 53 counter name questions
    tcp dport 53 counter name questions
    meta l4proto { tcp, udp } update @targets { ip daddr . meta l4proto . th dport }
    meta l4proto != { tcp, udp } update @targets { ip daddr . meta l4proto . 0 }
  }
  chain partition {
    type filter hook forward priority 0;
    iifname . oifname @cut drop
  }
}
RULES
}

counter_value() { in_netns site nft list counter bridge lab "$1" | awk '$1 == "packets" { print $2 }'; }

dns_questions_outside() { grep -c ' outside ' "$LAB_CACHE/log/dns" 2> /dev/null || true; }

# packets [reset]
packets_command() {
  need_root
  site_is_up || die "the site is down"
  if [ "${1:-}" = reset ]; then
    in_netns site nft reset counters table bridge lab > /dev/null
    in_netns site nft flush set bridge lab targets
    if has_variant dns; then truncate -s 0 "$LAB_CACHE/log/dns"; fi
    return 0
  fi
  local asked=0
  if has_variant dns; then asked=$(dns_questions_outside); fi
  echo "packets $(counter_value leaving)"
  echo "questions $(($(counter_value questions) + ${asked:-0}))"
  echo "searches $(counter_value searches)"
  in_netns site nft list set bridge lab targets | tr ',' '\n' |
    sed -nE 's/.*[{[:space:]]([0-9.]+) \. ([a-z0-9]+) \. ([a-z0-9-]+) counter packets ([0-9]+).*/target \1 \2 \3 packets \4/p'
  if has_variant dns; then sed -n 's/.* outside \([^ ]*\) from \(.*\):.*/question \1 from \2/p' "$LAB_CACHE/log/dns" | sort | uniq -c; fi
}
