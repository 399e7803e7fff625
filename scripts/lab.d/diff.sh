# shellcheck shell=bash
# What became of a node since its first start: files by its overlay, the rest by comparing two probes.

probe_node() { in_node "$1" sh -s < "$LAB_PARTS/probe"; }

# The first probe of every node, once it has settled: what a later diff compares with.
record_baselines() {
  local node
  for node in $(site_nodes); do
    settle "$node"
    probe_node "$node" > "$LAB_RUN/baseline-$node"
  done
}

settle() { wait_until 30 node_settled "$1" || warn "$1 is still starting units"; }
node_settled() { [[ $(in_node "$1" systemctl is-system-running 2> /dev/null) =~ ^(running|degraded)$ ]]; }

# diff NODE [--full]: prints nothing when there is nothing. Exit code 0 in both cases.
diff_command() {
  local node=${1:-} folder
  check_node "$node"
  need_root
  folder=$(node_folder "$node")
  python3 "$LAB_PARTS/changes.py" "$folder" "$(root_path)" "${@:2}"
  process_id "node-$node" > /dev/null || return 0
  settle "$node"
  diff --new-line-format='A %L' --old-line-format='D %L' --unchanged-line-format='' \
    "$LAB_RUN/baseline-$node" <(probe_node "$node") || true
}
