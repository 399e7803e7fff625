# shellcheck shell=sh
# Installs packages from files, without any network: nothing but these files and what is installed exists for the package
# manager, so that what is not complete is refused before anything is unpacked. Arguments: files.
if command -v apt-get > /dev/null 2>&1; then
  own=$(mktemp -d /run/kubexm-apt.XXXXXX) || exit 1
  # A list of packages without any source, and notes of its own: what apt remembers of its sources stays as it is.
  DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends --no-remove \
    -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$own" -o Dir::Cache="$own" \
    -o Dir::State::extended_states="$own/extended_states" -o Dir::Log="$own" -o APT::Sandbox::User=root \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold install "$@"
  status=$?
  rm -rf -- "$own"
  exit $status
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
