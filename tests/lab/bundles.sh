# shellcheck shell=bash
# What the tests of bundles share: the builder in the lab's world, and a cluster.yaml for its upstream.

BUNDLE=${CARGO_TARGET_DIR:-$ROOT/target}/debug/kubexm-bundle

# world_bundle ARGUMENTS...: the builder where the upstream is.
world_bundle() { lab exec world "$BUNDLE" "$@"; }

# cluster FILE [SED-EXPRESSION]: one master, one worker, flannel, from the lab's mirrors.
cluster() {
  {
    cat << 'YAML'
apiVersion: kubexm.io/v1alpha1
kind: Cluster
metadata: {name: demo}
spec:
  hosts:
  - {name: node1, address: 10.89.0.11, roles: [master, etcd]}
  - {name: node2, address: 10.89.0.12, roles: [worker, registry], arch: amd64}
  kubernetes: {version: v1.34.4}
YAML
    lab upstream mirrors | sed 's/^/  /'
  } | sed "${2:-}" > "$1"
}

build() { world_bundle build -f "$WORK/cluster.yaml" --lock "$WORK/cluster.lock" --key "$WORK/key" "$@"; }

# exits CODE COMMAND...
exits() {
  local wanted=$1 code=0
  shift
  "$@" || code=$?
  [ "$code" = "$wanted" ]
}

# What must be there before any bundle: the programs, the upstream, a cluster.yaml and a key.
need_bundles() {
  trap 'lab upstream down > /dev/null 2>&1 || true' EXIT
  need "the programs are built" cargo build --quiet --manifest-path "$ROOT/Cargo.toml" --workspace
  need "the upstream is up" lab upstream up
  need "a cluster.yaml for it" cluster "$WORK/cluster.yaml"
  need "a key" "$BUNDLE" keygen --no-passphrase "$WORK/key"
}
