# shellcheck shell=sh
# Starts a unit (start, restart, reload) and keeps what it was started with for as long as this very start lasts.
# Arguments: verb, unit, digest or "-".
kept=/run/kubexm/started
set -e
if [ "$1" = start ] && systemctl is-active --quiet -- "$2"; then exit 0; fi
rm -f -- "$kept/$2"
systemctl "$1" -- "$2"
[ "$3" != - ] || exit 0
mkdir -p -- "$kept"
echo "$(systemctl show --property=InvocationID --value -- "$2") $3" > "$kept/$2"
