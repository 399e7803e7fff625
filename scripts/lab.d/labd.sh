# shellcheck shell=bash
# The lab's own small servers (labd/), compiled once per source.

labd() {
  local stamp program
  stamp=$(cat "$LAB_PARTS"/labd/*.go | sha256sum | cut -c1-12)
  program=$LAB_CACHE/tools/labd-$stamp
  if [ ! -x "$program" ]; then
    mkdir -p "$LAB_CACHE/tools"
    (cd "$LAB_PARTS/labd" && GOFLAGS=-buildvcs=false CGO_ENABLED=0 go build -o "$program.new" .) || die "cannot compile labd"
    mv "$program.new" "$program"
  fi
  echo "$program"
}

start_dns() {
  start_process dns "$LAB_CACHE/log/dns" ip netns exec "$(netns site)" "$(labd)" dns -listen "$SITE_NET.1:53" -hosts "$LAB_RUN/hosts"
}
