# shellcheck shell=bash
# The pristine root: one Debian 12 that every node has below its own changes.

ROOT_SUITE=bookworm
ROOT_PACKAGES=systemd,systemd-sysv,dbus,libpam-systemd,openssh-server,sudo,iproute2,iputils-ping,nftables,procps,kmod,netbase,tzdata,less
# Raised when prepare_root changes, so that an older root is made anew.
ROOT_GENERATION=2
# overlayfs cannot lie on overlayfs: what container runtimes, kubelet and etcd write comes from plain directories.
PLAIN_DIRECTORIES=(/var/lib/containerd /var/lib/kubelet /var/lib/etcd /var/lib/docker /var/lib/containers)

root_path() {
  local stamp
  stamp=$(printf '%s' "$ROOT_SUITE $ROOT_PACKAGES $ROOT_GENERATION ${PLAIN_DIRECTORIES[*]}" | sha256sum | cut -c1-12)
  echo "$LAB_CACHE/roots/$ROOT_SUITE-$stamp"
}

# The first archive of this machine that has the suite.
root_archive() { apt_archives | awk -v suite="$ROOT_SUITE" '$2 == suite { sub(/\/$/, "", $1); print $1; exit }'; }

make_root() {
  local root work
  root=$(root_path)
  [ -d "$root" ] && return 0
  need_packages debootstrap=debootstrap
  say "making the pristine Debian 12 root (about a minute)"
  mkdir -p "$LAB_CACHE/roots" "$LAB_CACHE/log"
  work=$(mktemp -d "$LAB_CACHE/roots/building.XXXXXX")
  debootstrap --variant=minbase --include="$ROOT_PACKAGES" "$ROOT_SUITE" "$work" "$(root_archive)" > "$LAB_CACHE/log/debootstrap" 2>&1 ||
    die "debootstrap failed: see $LAB_CACHE/log/debootstrap"
  prepare_root "$work"
  chmod 755 "$work"
  mv -T "$work" "$root"
  say "the pristine root is ready"
}

# Takes out what belongs to the machine that made the root, and what only makes noise in a lab.
prepare_root() {
  local root=$1 unit directory
  rm -f "$root"/etc/ssh/ssh_host_* "$root"/var/log/*.log "$root"/etc/machine-id "$root"/var/lib/dbus/machine-id "$root"/var/cache/apt/*.bin
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  : > "$root/etc/apt/sources.list"
  : > "$root/etc/machine-id"
  ln -sf /etc/machine-id "$root/var/lib/dbus/machine-id"
  for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer console-getty.service getty@.service \
    systemd-firstboot.service systemd-network-generator.service; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
  done
  for directory in "${PLAIN_DIRECTORIES[@]}"; do mkdir -p "$root$directory"; done
  # what the first start would write
  mkdir -p "$root/var/lib/systemd/linger" "$root/var/lib/systemd/coredump"
}
