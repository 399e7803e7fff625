# shellcheck shell=bash
# The world: a namespace with no link at all, in which the upstream's hosts answer on an address of its loopback. The one
# way out of it is a socket to the pass-through, which fetches Debian packages from where this machine gets its own.

FILES_HOST=files.world.test
REGISTRY_HOST=registry.world.test
APT_HOST=apt.world.test

world_is_up() { has_netns world && process_id files > /dev/null && process_id registry > /dev/null && process_id apt > /dev/null; }

world_up() {
  if world_is_up; then
    push_images
    say "the upstream is up already"
    return 0
  fi
  world_down
  on_interrupt world_down
  make_certificate world "$FILES_HOST" "$REGISTRY_HOST" "$APT_HOST"
  add_netns world
  ip -n "$(netns world)" address add "$WORLD_ADDRESS/32" dev lo
  write_names world "127.0.0.1 localhost"$'\n'"$WORLD_ADDRESS $FILES_HOST $REGISTRY_HOST $APT_HOST" "# the world has no DNS server"
  trust_lab_ca
  start_apt
  start_files
  start_registry
  wait_until 20 world_answers || die "the upstream does not answer: see $LAB_CACHE/log/{files,registry,apt}"
  push_images
  on_interrupt ""
  say "the upstream is up: https://$FILES_HOST, https://$APT_HOST, $REGISTRY_HOST:5000 (CA $CA/ca.crt)"
}

# Programs in the world trust the lab's CA beside those of this machine, as on a host behind a company's mirror.
trust_lab_ca() {
  local certificates
  certificates=/etc/netns/$(netns world)/ssl/certs
  mkdir -p "$certificates"
  cat /etc/ssl/certs/ca-certificates.crt "$CA/ca.crt" > "$certificates/ca-certificates.crt"
  cp "$CA/ca.crt" "$certificates/$(openssl x509 -in "$CA/ca.crt" -noout -subject_hash).0"
  if [ -e /etc/ssl/openssl.cnf ]; then cp /etc/ssl/openssl.cnf "$certificates/.."; fi
}

world_down() {
  local name
  for name in files registry apt; do stop_process "$name"; done
  rm -f "$LAB_RUN/apt.sock" "$LAB_RUN/registry.yml"
  remove_netns world
  remove_netns_mount
}

world_answers() {
  [ -S "$LAB_RUN/apt.sock" ] && in_netns world bash -c ": < /dev/tcp/$WORLD_ADDRESS/443 && : < /dev/tcp/$WORLD_ADDRESS/5000"
}

# The archives are handed over in the environment: their names stand in no file and no argument.
start_apt() {
  local program
  program=$(labd)
  rm -f "$LAB_RUN/apt.sock"
  LAB_ARCHIVES=$(apt_archives) start_process apt "$LAB_CACHE/log/apt-pass-through" "$program" apt -socket "$LAB_RUN/apt.sock"
}

start_files() {
  start_process files "$LAB_CACHE/log/files" ip netns exec "$(netns world)" "$(labd)" files -listen "$WORLD_ADDRESS:443" -root "$LAB_CACHE/www" \
    -cert "$CA/world.crt" -key "$CA/world.key" -apt-host "$APT_HOST" -apt-socket "$LAB_RUN/apt.sock"
}

# The registry that was built here, on its own storage in the cache.
start_registry() {
  local program
  program=$(find "$LAB_CACHE/built" -path '*/registry-*/amd64-*/registry' | head -n 1)
  [ -n "$program" ] || die "the registry has not been built: scripts/lab upstream build registry"
  mkdir -p "$LAB_CACHE/registry"
  cat > "$LAB_RUN/registry.yml" << CONFIG
version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage:
  filesystem: {rootdirectory: $LAB_CACHE/registry}
  delete: {enabled: true}
http:
  addr: $WORLD_ADDRESS:5000
  tls: {certificate: $CA/world.crt, key: $CA/world.key}
CONFIG
  OTEL_TRACES_EXPORTER=none start_process registry "$LAB_CACHE/log/registry" ip netns exec "$(netns world)" "$program" serve "$LAB_RUN/registry.yml"
}

push_images() {
  LAB_STARTED=$LAB_STARTED PYTHONDONTWRITEBYTECODE=1 in_netns world python3 "$LAB_PARTS/upstream" --cache "$LAB_CACHE" push "$REGISTRY_HOST:5000" "$CA/ca.crt"
}
