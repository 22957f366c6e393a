#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: control.sh EXPECTED COMMAND...
#
# The negative control of a check: COMMAND must fail, and print exactly the text of EXPECTED.
# A check that has never been seen to fail proves nothing.
set -eu

expected=$1
shift
status=0
got=$("$@" 2>&1) || status=$?
if [ "$status" -ne 1 ]; then
    printf 'exit status %d where 1 was expected; output:\n%s\n' "$status" "$got"
    exit 1
fi
printf '%s\n' "$got" | diff -u "$expected" -
