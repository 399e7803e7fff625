# shellcheck shell=sh
# Installs packages from files, without any network. Arguments: files.
if command -v apt-get > /dev/null 2>&1; then
  DEBIAN_FRONTEND=noninteractive exec apt-get -q -y --no-download --no-install-recommends --no-remove \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold install "$@"
elif command -v dnf > /dev/null 2>&1; then
  exec dnf -y --disablerepo='*' --setopt=install_weak_deps=False install "$@"
elif command -v yum > /dev/null 2>&1; then
  exec yum -y --disablerepo='*' install "$@"
elif command -v rpm > /dev/null 2>&1; then
  exec rpm -U --replacepkgs "$@"
else
  echo "no package manager that is known here" >&2
  exit 1
fi
