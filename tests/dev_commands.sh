#!/usr/bin/env bash
# ./dev answers for every command that it lists, and refuses what it does not know by name, before it sets anything up.
cd "$(dirname "$0")/.." || exit 1
failures=0
wrong() { echo "$*"; failures=$((failures + 1)); }

# expect <exit status> <text> <argument...>: how ./dev ends and what it says.
expect() {
  local said status
  said=$(PATH=$nowhere:$PATH ./dev "${@:3}" 2>&1)
  status=$?
  if [ "$status" != "$1" ] || ! grep -qF -e "$2" <<<"$said"; then wrong "./dev ${*:3}: $status, not $1 with '$2': $said"; fi
}

# No command may come to install anything here.
nowhere=$(mktemp -d)
trap 'rm -r "$nowhere"' EXIT
printf '#!/bin/sh\necho "dev installs: $*"; exit 9\n' | tee "$nowhere/apt-get" >"$nowhere/sudo"
chmod +x "$nowhere"/*

commands=$(./dev help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | sort -u)
[ "$(wc -w <<<"$commands")" -ge 12 ] || wrong "./dev help lists too few commands: $commands"
for command in $commands; do
  expect 0 "  $command " "$command" --help
done
expect 2 "nonsense" nonsense
expect 2 "nonsense" nonsense --help
for command in test gpu survey tune concurrent draws build-cuda sanitize cost format demo; do
  expect 2 "--nonsense" "$command" --nonsense
done
for command in gpu build-cuda sanitize cost format demo; do
  expect 2 "nonsense" "$command" nonsense
done
expect 2 "--nonsense" demo scan-vector --nonsense
GIMBAL_CCCL_INCLUDE_DIR=$nowhere expect 1 "no thrust/version.h in $nowhere" test nonsense
echo "$failures failures"
[ "$failures" = 0 ]
