# shellcheck shell=sh
# Says which version of a package is installed; nothing when none is. Arguments: name.
if command -v dpkg-query > /dev/null 2>&1; then
  # shellcheck disable=SC2016 # dpkg's own placeholders
  dpkg-query -W -f '${db:Status-Status} ${Version}\n' -- "$1" 2> /dev/null | sed -n 's/^installed //p'
elif command -v rpm > /dev/null 2>&1; then
  rpm -q --qf '%{EVR}\n' -- "$1" 2> /dev/null | grep -v ' '
else
  echo "neither dpkg nor rpm is there" >&2
  exit 1
fi
exit 0
