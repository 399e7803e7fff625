# shellcheck shell=bash
# Settings that all nodes share with this machine's kernel: systemd and kubelet change some of them. They are remembered
# before the first node starts (put back on down) and again when all have started (put back on reset).

KERNEL_SETTINGS=(kernel.panic kernel.panic_on_oops kernel.keys.root_maxbytes kernel.keys.root_maxkeys kernel.pid_max kernel.threads-max
  kernel.printk kernel.core_pattern kernel.sysrq kernel.dmesg_restrict kernel.kptr_restrict kernel.unprivileged_bpf_disabled vm.overcommit_memory
  vm.panic_on_oom vm.swappiness vm.max_map_count vm.overcommit_ratio vm.min_free_kbytes vm.dirty_ratio vm.dirty_background_ratio fs.file-max
  fs.nr_open fs.inotify.max_user_watches fs.inotify.max_user_instances fs.aio-max-nr fs.protected_regular fs.protected_fifos
  fs.protected_hardlinks fs.protected_symlinks fs.suid_dumpable)

# save_kernel_settings WHEN
save_kernel_settings() { kernel_settings > "$LAB_RUN/kernel-$1"; }

kernel_settings() { sysctl -e "${KERNEL_SETTINGS[@]}" 2> /dev/null || true; }

# restore_kernel_settings WHEN: touches only those that differ.
restore_kernel_settings() {
  local line
  [ -s "$LAB_RUN/kernel-$1" ] || return 0
  while IFS= read -r line; do
    sysctl -q -w "${line/ = /=}" || warn "cannot put back $line"
  done < <(diff <(kernel_settings) "$LAB_RUN/kernel-$1" | sed -n 's/^> //p')
}
