# shellcheck shell=bash
# The seed: what makes a node this node (name, keys, addresses, variant). It lies between the pristine root and the
# node's own changes, so that these hold nothing but what happened after the first start.

VARIANTS=(route dns sudo password swap firewall leftovers timezone)
SUDO_USER_NAME="admin"

has_variant() { [[ ",$(cat "$LAB_RUN/variants" 2> /dev/null)," == *",$1,"* ]]; }

check_variants() {
  local variant
  for variant in ${1//,/ }; do
    [[ " ${VARIANTS[*]} " == *" $variant "* ]] || usage_error "no variant '$variant'; there are: ${VARIANTS[*]}"
  done
}

# make_seed NODE ADDRESS FOLDER HOSTS
make_seed() {
  local seed=$3/seed root variant
  root=$(root_path)
  rm -rf "$seed"
  mkdir -p "$seed"/{etc/ssh/sshd_config.d,root/.ssh}
  chmod 700 "$seed/root" "$seed/root/.ssh"
  write_init "$seed/lab-init"
  echo "$1" > "$seed/etc/hostname"
  md5sum <<< "kubexm lab $1" | cut -c1-32 > "$seed/etc/machine-id"
  printf '%s\n' "$4" > "$seed/etc/hosts"
  echo "# no DNS server at this site" > "$seed/etc/resolv.conf"
  cp "$SSH/hosts/$1"/ssh_host_ed25519_key{,.pub} "$seed/etc/ssh/"
  cp "$SSH/id_ed25519.pub" "$seed/root/.ssh/authorized_keys"
  printf 'PasswordAuthentication no\nPermitRootLogin prohibit-password\nUseDNS no\n' > "$seed/etc/ssh/sshd_config.d/10-lab.conf"
  for variant in "${VARIANTS[@]}"; do
    if has_variant "$variant"; then "seed_$variant" "$seed" "$root" "$3"; fi
  done
}

# PID 1 of a node: the v1 controllers arrive read-only, and kubelet and runc must write them.
write_init() {
  cat > "$1" << 'INIT'
#!/bin/sh
for group in /sys/fs/cgroup/*; do mount -o remount,rw,bind "$group" 2> /dev/null; done
mount --make-rshared /
exec /lib/systemd/systemd
INIT
  chmod 755 "$1"
}

seed_route() { :; } # a matter of the network, see node.sh

seed_dns() { printf 'nameserver %s.1\nsearch lab.test\n' "$SITE_NET" > "$1/etc/resolv.conf"; }

# Root cannot log in; an ordinary user with the lab's key may become root.
seed_sudo() {
  local file
  for file in passwd group shadow gshadow; do [ -e "$1/etc/$file" ] || cp -p "$2/etc/$file" "$1/etc/$file"; done
  echo "$SUDO_USER_NAME:x:1000:1000::/home/$SUDO_USER_NAME:/bin/bash" >> "$1/etc/passwd"
  echo "$SUDO_USER_NAME:x:1000:" >> "$1/etc/group"
  echo "$SUDO_USER_NAME:!::" >> "$1/etc/gshadow"
  echo "$SUDO_USER_NAME:$(password_hash):20000:0:99999:7:::" >> "$1/etc/shadow"
  mkdir -p "$1/home/$SUDO_USER_NAME/.ssh" "$1/etc/sudoers.d"
  mv "$1/root/.ssh/authorized_keys" "$1/home/$SUDO_USER_NAME/.ssh/"
  chmod 700 "$1/home/$SUDO_USER_NAME/.ssh"
  chown -R 1000:1000 "$1/home/$SUDO_USER_NAME"
  echo "$SUDO_USER_NAME ALL=(ALL) NOPASSWD: ALL" > "$1/etc/sudoers.d/lab"
  chmod 440 "$1/etc/sudoers.d/lab"
  echo "PermitRootLogin no" > "$1/etc/ssh/sshd_config.d/05-sudo.conf"
}

# Whoever may log in may do so by the password in the cache; keys work too.
seed_password() {
  [ -e "$1/etc/shadow" ] || cp -p "$2/etc/shadow" "$1/etc/shadow"
  sed -i "s|^root:[^:]*:|root:$(password_hash):|" "$1/etc/shadow"
  printf 'PasswordAuthentication yes\nPermitRootLogin yes\n' > "$1/etc/ssh/sshd_config.d/07-password.conf"
}

password_hash() { openssl passwd -6 -salt kubexmlab -stdin < "$SSH/password"; }

# A swap file in fstab. It lies on plain ext4, since swapon refuses overlayfs, and is bound into the node (see node.sh).
seed_swap() {
  mkdir -p "$3/swap"
  [ -e "$3/swap/swapfile" ] || (umask 077 && fallocate -l 64M "$3/swap/swapfile" && mkswap "$3/swap/swapfile" > /dev/null)
  (umask 077 && : > "$1/swapfile")
  echo "/swapfile none swap sw 0 0" > "$1/etc/fstab"
}

seed_firewall() {
  mkdir -p "$1/etc/systemd/system/sysinit.target.wants"
  ln -sf /lib/systemd/system/nftables.service "$1/etc/systemd/system/sysinit.target.wants/nftables.service"
  cp "$LAB_PARTS/variants/nftables.conf" "$1/etc/nftables.conf"
  chmod 755 "$1/etc/nftables.conf"
}

seed_timezone() {
  ln -sf /usr/share/zoneinfo/Asia/Shanghai "$1/etc/localtime"
  echo Asia/Shanghai > "$1/etc/timezone"
}

# An older installation that somebody abandoned: files, a unit that fails, data of an etcd member.
seed_leftovers() {
  cp -a "$LAB_PARTS/variants/leftovers/." "$1/"
  mkdir -p "$3/plain-seed/var/lib/etcd/member/snap" "$3/plain-seed/var/lib/kubelet/pki" "$1/etc/systemd/system/multi-user.target.wants"
  echo "left by v1.27" > "$3/plain-seed/var/lib/etcd/member/snap/db"
  echo "left by v1.27" > "$3/plain-seed/var/lib/kubelet/pki/kubelet.crt"
  ln -sf /etc/systemd/system/kubelet.service "$1/etc/systemd/system/multi-user.target.wants/kubelet.service"
}
