#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: control_folders.sh CHECK_FOLDERS
#
# Tests the limit of files in a folder from both sides, and a list of exceptions that no folder
# needs.
set -eu

check=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/src/core/deep" "$root/sim"
failed=0

# try NAME WANTED OPTION...: WANTED is part of the output, or empty if there must be none.
try() {
    name=$1 wanted=$2
    shift 2
    got=$("$check" "$@" "$root") && status=0 || status=$?
    case "$status:$wanted:$got" in
    0::) return ;;
    1:?*:*"$wanted"*) return ;;
    esac
    printf '%s: wanted "%s", got status %d: %s\n' "$name" "$wanted" "$status" "$got"
    failed=1
}

n=0
while [ "$n" -lt 60 ]; do
    n=$((n + 1))
    : >"$root/src/core/f$n.c"
    : >"$root/src/core/deep/f$n.h"
    : >"$root/sim/f$n.c"
done
: >"$root/src/core/README.md"
: >"$root/sim/f61.c"
try 'folder at the limit' ''
try 'unneeded exception' 'check_folders.c: test/e2e needs no exception' --whole
: >"$root/src/core/f61.h"
try 'folder over the limit' 'src/core: 61 C files, at most 60; make a folder of one subject'
exit "$failed"
