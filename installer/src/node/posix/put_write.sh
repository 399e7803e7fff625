# shellcheck shell=sh
# Gathers content in a temporary file, checks it, and gives it its name.
# Arguments: path, temporary file, mode, user:group, offset, size, digest. Reads the content from the offset on.
# Exit codes: 75 the temporary file is not as long as thought, 76 the content was cut off (what came is kept),
# 77 the content is another one (its digest is on standard output).
path=$1 part=$2 mode=$3 owner=$4 offset=$5 size=$6 digest=$7
set -e
umask 077
if [ "$offset" -eq 0 ]; then
  rm -f -- "$part"
  (set -C && : > "$part")
  # Owner and mode come before the first byte: nobody else ever reads it.
  chown -- "$owner" "$part"
  chmod -- "$mode" "$part"
elif [ "$(stat -c %s -- "$part")" -ne "$offset" ]; then
  exit 75
fi
if [ "$offset" -eq 0 ]; then
  # Written and hashed at the same time; the answer is the status of the one and the digest of the other, in any order.
  found=$({ { tee -a -- "$part"; echo "written $?" >&3; } | sha256sum; } 3>&1)
  case $found in *"written 0"*) ;; *) exit 1 ;; esac
  found=${found#written 0
}
else
  cat >> "$part"
  found=$(sha256sum < "$part")
fi
[ "$(stat -c %s -- "$part")" -ge "$size" ] || exit 76
if [ "${found%% *}" != "$digest" ]; then
  rm -f -- "$part"
  echo "${found%% *}"
  exit 77
fi
# Again: writing takes away special bits, and an earlier attempt may have wanted others.
chown -- "$owner" "$part"
chmod -- "$mode" "$part"
sync -- "$part" 2> /dev/null || sync
mv -f -T -- "$part" "$path" || { rm -f -- "$part"; exit 1; }
sync -- "${path%/*}/" 2> /dev/null || sync
