# shellcheck shell=sh
# Replaces a file or symlink by a symlink, at once. Arguments: path, temporary name, target.
set -e
rm -f -- "$2"
ln -s -- "$3" "$2"
mv -f -T -- "$2" "$1" || { rm -f -- "$2"; exit 1; }
