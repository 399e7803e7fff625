# shellcheck shell=bash
# Processes the lab started, by id and start time: an id that was given to somebody else since is never touched.

start_time() { awk '{ sub(/^.*\) /, ""); print $20 }' "/proc/$1/stat" 2> /dev/null; }

# record_process NAME PID
record_process() {
  mkdir -p "$LAB_RUN/process"
  printf '%s %s\n' "$2" "$(start_time "$2")" > "$LAB_RUN/process/$1"
}

# process_id NAME: prints the id if that very process is still alive.
process_id() {
  local pid started
  [ -f "$LAB_RUN/process/$1" ] || return 1
  read -r pid started < "$LAB_RUN/process/$1"
  [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ] || return 1
  [ "$(awk '{ sub(/^.*\) /, ""); print $1 }' "/proc/$pid/stat" 2> /dev/null)" != Z ] || return 1
  echo "$pid"
}

# stop_process NAME [SIGNAL]: ends it, and waits until it has gone; after 5 s by force.
stop_process() {
  local pid tries
  if pid=$(process_id "$1"); then
    kill -s "${2:-TERM}" "$pid" 2> /dev/null || true
    for ((tries = 0; tries < 250; tries++)); do
      process_id "$1" > /dev/null || break
      [ $tries != 100 ] || kill -s KILL "$pid" 2> /dev/null || true
      sleep 0.02
    done
  fi
  rm -f "$LAB_RUN/process/$1"
}

# start_process NAME LOG COMMAND...: in a session of its own, so that Ctrl-C in the terminal does not reach it.
start_process() {
  local name=$1 log=$2
  shift 2
  mkdir -p "$(dirname "$log")"
  (
    let_go
    exec setsid "$@" > "$log" 2>&1 < /dev/null
  ) &
  record_process "$name" $!
  disown $!
}

# wait_until SECONDS COMMAND...: polls; fails when the time is over.
wait_until() {
  local tries=$(($1 * 20)) i
  shift
  for ((i = 0; i < tries; i++)); do
    "$@" > /dev/null 2>&1 && return 0
    sleep 0.05
  done
  return 1
}
