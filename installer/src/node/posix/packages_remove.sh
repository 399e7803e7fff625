# shellcheck shell=sh
# Removes packages with their configuration, and nothing else. Arguments: names.
if command -v dpkg > /dev/null 2>&1; then
  DEBIAN_FRONTEND=noninteractive exec dpkg --purge -- "$@"
elif command -v rpm > /dev/null 2>&1; then
  for name in "$@"; do
    shift
    if rpm -q --quiet -- "$name"; then set -- "$@" "$name"; fi
  done
  [ $# -eq 0 ] || exec rpm -e -- "$@"
else
  echo "neither dpkg nor rpm is there" >&2
  exit 1
fi
