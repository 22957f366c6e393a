#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_cuts.sh ROOT
#
# "%.100s" cuts a text at a byte, possibly within a character: the rest is not UTF-8, and JSON,
# protobuf and PostgreSQL reject it.  err_set() and err_in() repair their text, and a terminal
# shows the byte; everywhere else a text is cut by STR_ARG(), str_head() or a struct buf.
set -eu

cd "$1"

# A number as text; a path that does not fit gives an error of its own.
exempt="src/io/process/children.c src/cli/remote/schedule_change.c"

find src -name '*.c' | LC_ALL=C sort | while read -r file; do
    case " $exempt " in
    *" $file "*) continue ;;
    esac
    awk -v file="$file" '
        /(snprintf|buf_printf)\(/ { at = NR; call = "" }
        at > 0 { call = call $0 }
        at > 0 && /[;{]$/ {
            if (call ~ /%\.[0-9]+s/)
                print file ":" at ": cuts a text at a byte; use STR_ARG() or str_head()"
            at = 0
        }' "$file"
done | {
    status=0
    while read -r line; do
        printf '%s\n' "$line"
        status=1
    done
    exit $status
}
