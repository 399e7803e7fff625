# shellcheck shell=bash
# Control groups of a node: one in every hierarchy, below the group that this command runs in.

# add_cgroups NODE FILE: makes them and lists them in FILE, one path a line, for node-run and for the way back.
add_cgroups() {
  local controller path tree group
  : > "$2"
  while IFS=: read -r _ controller path; do
    case $controller in "") tree=unified ;; name=*) tree=${controller#name=} ;; *) tree=$controller ;; esac
    [ -d "/sys/fs/cgroup/$tree" ] || continue
    group=/sys/fs/cgroup/$tree${path%/}/$NETNS_PREFIX-$1
    echo "$group" >> "$2" # first, so that an interrupted start can be cleaned up too
    mkdir -p "$group"
    # a group of cpuset is unusable until it has been given its processors and memory
    if [ "$tree" = cpuset ]; then
      cat "$group/../cpuset.cpus" > "$group/cpuset.cpus"
      cat "$group/../cpuset.mems" > "$group/cpuset.mems"
      echo 1 > "$group/cgroup.clone_children"
    fi
  done < /proc/self/cgroup
}

# remove_cgroups FILE: bottom up; the last process of a group may take a moment to be gone.
remove_cgroups() {
  local group
  [ -f "$1" ] || return 0
  while read -r group; do
    if [ -d "$group" ]; then wait_until 5 remove_group "$group" || warn "cannot remove the control group $group"; fi
  done < "$1"
  rm -f "$1"
}

remove_group() {
  find "$1" -depth -type d -exec rmdir {} + 2> /dev/null
  [ ! -d "$1" ]
}
