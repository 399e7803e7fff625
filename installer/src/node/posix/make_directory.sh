# shellcheck shell=sh
# Arguments: path, mode, user:group.
set -e
if [ -L "$1" ] || [ ! -d "$1" ]; then mkdir -m 0700 -- "$1"; fi
chown -- "$3" "$1"
chmod -- "$2" "$1"
