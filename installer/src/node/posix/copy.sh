# shellcheck shell=sh
# Copies what is at a path, with all below; it gets its name when it is whole. Arguments: from, to, temporary name.
set -e
if [ -e "$2" ] || [ -L "$2" ]; then
  echo "$2: File exists" >&2
  exit 1
fi
rm -rf -- "$3"
{ cp -a -T -- "$1" "$3" && mv -T -- "$3" "$2"; } || { rm -rf -- "$3"; exit 1; }
