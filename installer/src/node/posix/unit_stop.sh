# shellcheck shell=sh
# Arguments: unit.
set -e
systemctl stop -- "$1"
rm -f -- "/run/kubexm/started/$1"
