# shellcheck shell=sh
# Says how a unit is. Arguments: unit.
systemctl show --property=LoadState,ActiveState,UnitFileState,NeedDaemonReload,InvocationID -- "$1" || exit 1
if [ -f "/run/kubexm/started/$1" ]; then
  read -r invocation digest < "/run/kubexm/started/$1"
  echo "StartedAs=$invocation"
  echo "StartedWith=$digest"
fi
