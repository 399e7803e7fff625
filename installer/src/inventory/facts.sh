# shellcheck shell=sh
# Says what a node is like, without changing anything. Arguments: directories whose free space is wanted.
# Every line is a key, a tab and a value, so that no value can be taken for something else. A tool that is missing leaves
# its lines out. Plain POSIX and busybox are enough.
LC_ALL=C
export LC_ALL
tab=$(printf '\t')
has() { command -v "$1" > /dev/null 2>&1; }
value() { printf '%s\t%s\n' "$1" "$2"; }
lines() { tr -d '\000\r' | sed "s/^/$1$tab/"; }
first_line() { head -n 1 "$1" 2> /dev/null; }
file() { if [ -r "$2" ]; then head -c 262144 "$2" 2> /dev/null | lines "$1"; fi; }
patiently() { if has timeout; then timeout 10 "$@"; else "$@"; fi; }
now() {
  time=$(date +%s.%N)
  case $time in *[!0-9.]*) time=$(date +%s) ;; esac
  value "$1" "$time"
}

value kubexm-facts 1
now begin

file os /etc/os-release
value kernel "$(uname -r)"
value machine "$(uname -m)"
value hostname "$(uname -n)"
value machine-id "$(first_line /etc/machine-id)"
value product-uuid "$(first_line /sys/class/dmi/id/product_uuid)"
value boot-id "$(first_line /proc/sys/kernel/random/boot_id)"
value uptime "$(first_line /proc/uptime)"
value init "$(first_line /proc/1/comm)"
if has systemd-detect-virt; then value virtualisation "$(patiently systemd-detect-virt 2> /dev/null)"; fi
value uid "$(id -u)"

value cpus "$(grep -c '^processor' /proc/cpuinfo 2> /dev/null)"
file memory /proc/meminfo
file swap /proc/swaps
file mount /proc/self/mountinfo
value cgroup-controllers "$(first_line /sys/fs/cgroup/cgroup.controllers)"
for disk in /sys/block/*; do
  case $disk in */loop* | */ram* | */zram* | */sr* | */\*) continue ;; esac
  value disk "${disk##*/}|$(first_line "$disk/size")|$(first_line "$disk/queue/rotational")"
done
number=0
for place in "$@"; do
  while [ ! -d "$place" ]; do
    place=${place%/*}
    [ -n "$place" ] || place=/
  done
  # The number of the argument, since a path may hold anything.
  room=$(stat -f -c '%S %b %a %c %d' -- "$place" 2> /dev/null) && value space "$number $room"
  number=$((number + 1))
done

if has ip; then
  ip -o link show 2> /dev/null | lines link
  ip -o addr show 2> /dev/null | lines address
fi
file route4 /proc/net/route
file route6 /proc/net/ipv6_route
file resolver /etc/resolv.conf
# Not ss: it makes the kernel load modules.
for table in tcp tcp6 udp udp6; do file "socket-$table" "/proc/net/$table"; done
# shellcheck disable=SC2012 # names of descriptors are numbers
ls -l /proc/[0-9]*/fd/ 2> /dev/null |
  sed -n -e 's#^/proc/\([0-9]*\)/fd.*#process \1#p' -e 's#.* -> socket:\[\([0-9]*\)]$#socket \1#p' | lines holder
for process in /proc/[0-9]*; do
  { read -r name < "$process/comm"; } 2> /dev/null && value process "${process#/proc/} $name"
done

# Not timedatectl: it starts a service.
zone=$(readlink /etc/localtime 2> /dev/null)
value zone "${zone##*/zoneinfo/}"
if [ -e /run/systemd/timesync/synchronized ]; then
  value synchronised yes
elif has chronyc && tracking=$(patiently chronyc -n tracking 2> /dev/null); then
  case $tracking in *'Leap status'*Normal*) value synchronised yes ;; *) value synchronised no ;; esac
elif [ -d /run/systemd/timesync ]; then
  value synchronised no
fi
if [ -d /run/systemd/system ]; then
  patiently systemctl show --property=Id,LoadState,ActiveState,UnitFileState -- \
    apparmor.service chrony.service chronyd.service cloud-init.service containerd.service crio.service cri-docker.service \
    docker.service etcd.service firewalld.service haproxy.service iptables.service isulad.service k0scontroller.service \
    k0sworker.service k3s.service k3s-agent.service keepalived.service kube-apiserver.service \
    kube-controller-manager.service kube-proxy.service kube-scheduler.service kubelet.service NetworkManager.service \
    nftables.service nginx.service nm-cloud-setup.service ntpd.service ntpsec.service podman.service rke2-agent.service \
    rke2-server.service snap.microk8s.daemon-kubelite.service systemd-networkd.service systemd-resolved.service \
    systemd-timesyncd.service ufw.service unattended-upgrades.service 2> /dev/null | lines unit
fi

for manager in apt-get dnf yum zypper apk; do
  if has "$manager"; then value package-manager "$manager"; fi
done
if has dpkg-query; then
  # shellcheck disable=SC2016 # dpkg's own placeholders
  dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' 2> /dev/null | sed -n 's/^installed //p' | lines package
elif has rpm; then
  rpm -qa --qf '%{NAME} %{EVR}\n' 2> /dev/null | lines package
fi

value selinux "$(first_line /sys/fs/selinux/enforce)"
value apparmor "$(first_line /sys/module/apparmor/parameters/enabled)"
# Without the kernel's part there are no rules, and asking would load it.
if has nft && [ -d /sys/module/nf_tables ]; then
  rules=$(nft list ruleset 2> /dev/null) && value nft-rules "$(printf '%s\n' "$rules" |
    grep -cE '(accept|drop|reject|jump|goto|masquerade|[sd]nat|return|queue)')"
fi
if has iptables-save && { [ -d /sys/module/nf_tables ] || [ -d /sys/module/ip_tables ]; }; then
  rules=$(iptables-save 2> /dev/null) && value iptables-rules "$(printf '%s\n' "$rules" | grep -c '^-A')"
fi
if [ -r /etc/ufw/ufw.conf ]; then sed -n 's/^ENABLED=//p' /etc/ufw/ufw.conf | lines ufw; fi

file module /proc/modules
for key in fs/file-max fs/inotify/max_user_instances fs/inotify/max_user_watches fs/may_detach_mounts kernel/panic \
  kernel/panic_on_oops kernel/pid_max net/bridge/bridge-nf-call-ip6tables net/bridge/bridge-nf-call-iptables \
  net/core/somaxconn net/ipv4/conf/all/rp_filter net/ipv4/conf/default/rp_filter net/ipv4/ip_forward \
  net/ipv4/ip_local_port_range net/ipv4/ip_nonlocal_bind net/ipv6/conf/all/disable_ipv6 net/ipv6/conf/all/forwarding \
  net/netfilter/nf_conntrack_max user/max_user_namespaces vm/max_map_count vm/overcommit_memory vm/panic_on_oom \
  vm/swappiness; do
  if [ -r "/proc/sys/$key" ]; then value sysctl "$key $(first_line "/proc/sys/$key")"; fi
done

for tool in bash conntrack containerd containerd-shim-runc-v2 crictl crio ctr curl dockerd ebtables etcd etcdctl ethtool \
  getent gzip haproxy helm ip ip6tables ipset iptables ipvsadm isulad k0s k3s kata-runtime keepalived kubeadm kubectl \
  kubelet modprobe mount nerdctl nft nginx podman python3 rke2 runc sha256sum socat ss sudo swapoff sysctl systemctl tar \
  timeout useradd xz zstd; do
  place=$(command -v "$tool" 2> /dev/null) && value tool "$tool $place"
done
for place in /etc/cni/net.d /etc/containerd /etc/crio /etc/docker /etc/etcd /etc/kubernetes /etc/kubexm /etc/rancher \
  /opt/cni/bin /opt/containerd /run/containerd/containerd.sock /run/crio/crio.sock /run/docker.sock /run/flannel \
  /run/k0s /var/lib/calico /var/lib/cni /var/lib/containerd /var/lib/docker /var/lib/etcd /var/lib/isulad /var/lib/k0s \
  /var/lib/kubelet /var/lib/kubexm /var/lib/rancher /var/snap/microk8s; do
  if [ -d "$place" ]; then
    if [ -n "$(ls -A -- "$place" 2> /dev/null)" ]; then value found "full $place"; else value found "empty $place"; fi
  elif [ -e "$place" ]; then
    value found "file $place"
  fi
done

# Passwords in proxy addresses stay on the node.
env | grep -iE '^(https?|ftp|all|no)_proxy=' | sed 's#//[^/@]*@#//***@#' | lines proxy-environment
for place in /etc/environment /etc/profile.d/*.sh /etc/profile; do
  [ -r "$place" ] || continue
  sed -n 's/^[[:space:]]*//; s/^export[[:space:]]*//; /^[A-Za-z]*_[Pp][Rr][Oo][Xx][Yy]=/p' "$place" |
    sed "s#//[^/@]*@#//***@#; s#^#$place #" | lines proxy-file
done

now end
