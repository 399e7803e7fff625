# shellcheck shell=sh
# Says what is at a path and what an earlier attempt left in the temporary file.
# Arguments: path, temporary file, wanted size. Two lines, each "none" or "mode|uid|gid|user|group|size|digest".
# The digest of the path is computed only when its size is the wanted one; that of the temporary file when it is not longer.
describe() {
  if [ -L "$1" ] || [ ! -f "$1" ]; then
    echo none
    return
  fi
  size=$(stat -c %s -- "$1") || exit 1
  digest=-
  if [ "$size" -eq "$2" ] || { [ "$3" = prefix ] && [ "$size" -lt "$2" ]; }; then
    digest=$(sha256sum < "$1") || exit 1
  fi
  echo "$(stat -c '%a|%u|%g|%U|%G|%s' -- "$1")|${digest%% *}"
}
if [ -d "$1" ] && [ ! -L "$1" ]; then
  echo "$1: Is a directory" >&2
  exit 1
fi
describe "$1" "$3" whole
describe "$2" "$3" prefix
