# shellcheck shell=sh
# Says whether the kernel has a module: loaded, builtin, absent. Arguments: name with underscores.
if [ -e "/sys/module/$1/initstate" ]; then
  echo loaded
elif [ -d "/sys/module/$1" ]; then
  echo builtin
elif tr - _ 2> /dev/null < "/lib/modules/$(uname -r)/modules.builtin" | grep -q "/$1\.ko"; then
  echo builtin
else
  echo absent
fi
