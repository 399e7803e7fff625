# shellcheck shell=bash
# Keys of the lab, made once and kept in the cache, so that pinned host keys and certificates stay true.

CA=$LAB_CACHE/ca
SSH=$LAB_CACHE/ssh

make_ca() {
  [ -f "$CA/ca.crt" ] && return 0
  need_packages openssl=openssl
  say "making the lab's certificate authority"
  mkdir -p "$CA"
  chmod 700 "$CA"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=KubeXM lab CA" \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" \
    -keyout "$CA/ca.key" -out "$CA/ca.crt.new" 2> /dev/null
  mv "$CA/ca.crt.new" "$CA/ca.crt"
}

# make_certificate NAME HOST...: a server certificate for the hosts.
make_certificate() {
  local name=$1 sans
  shift
  sans=$(printf 'DNS:%s,' "$@")
  make_ca
  if [ -f "$CA/$name.crt" ] && openssl x509 -in "$CA/$name.crt" -noout -checkend 86400 > /dev/null; then return 0; fi
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$CA/$name.key" -out "$CA/$name.csr" 2> /dev/null
  openssl x509 -req -in "$CA/$name.csr" -CA "$CA/ca.crt" -CAkey "$CA/ca.key" -CAcreateserial -days 825 -out "$CA/$name.crt.new" \
    -extfile <(printf 'subjectAltName=%sIP:%s\nextendedKeyUsage=serverAuth\n' "$sans" "$WORLD_ADDRESS") 2> /dev/null
  mv "$CA/$name.crt.new" "$CA/$name.crt"
}

make_client_key() {
  mkdir -p "$SSH"
  chmod 700 "$SSH"
  [ -f "$SSH/id_ed25519" ] || ssh-keygen -q -t ed25519 -N "" -C kubexm-lab -f "$SSH/id_ed25519"
  [ -f "$SSH/password" ] || (umask 077 && openssl rand -hex 12 > "$SSH/password")
}

# make_host_key NODE
make_host_key() {
  mkdir -p "$SSH/hosts/$1"
  [ -f "$SSH/hosts/$1/ssh_host_ed25519_key" ] || ssh-keygen -q -t ed25519 -N "" -C "root@$1" -f "$SSH/hosts/$1/ssh_host_ed25519_key"
}

# write_ssh_config USER NODE=ADDRESS...: what `lab ssh` and the tests use; hosts are pinned.
write_ssh_config() {
  local user=$1 pair key
  shift
  : > "$SSH/known_hosts"
  printf 'Host *\n  User %s\n  IdentityFile %s\n  IdentitiesOnly yes\n  UserKnownHostsFile %s\n  StrictHostKeyChecking yes\n  LogLevel ERROR\n' \
    "$user" "$SSH/id_ed25519" "$SSH/known_hosts" > "$SSH/config"
  for pair in "$@"; do
    key=$(cut -d' ' -f1,2 "$SSH/hosts/${pair%%=*}/ssh_host_ed25519_key.pub")
    printf '%s,%s %s\n' "${pair%%=*}" "${pair#*=}" "$key" >> "$SSH/known_hosts"
    printf 'Host %s\n  HostName %s\n' "${pair%%=*}" "${pair#*=}" >> "$SSH/config"
  done
}
