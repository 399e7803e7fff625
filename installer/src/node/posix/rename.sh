# shellcheck shell=sh
# Arguments: from, to.
if [ -d "$2" ] && [ ! -L "$2" ]; then
  echo "$2: Is a directory" >&2
  exit 1
fi
exec mv -f -T -- "$1" "$2"
