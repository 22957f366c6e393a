#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: control_sizes.sh CHECK_SIZES
#
# Tests each limit from both sides: code of exactly the limit passes, one more does not.
set -eu

check=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/src"
failed=0

# try NAME FILE WANTED: reads the file from standard input; WANTED is part of the finding,
# or empty if there must be none.
try() {
    rm -f "$root"/src/*
    cat >"$root/src/$2"
    got=$("$check" "$root") && status=0 || status=$?
    case "$status:$3:$got" in
    0::) return ;;
    1:?*:*"$3"*) return ;;
    esac
    printf '%s: wanted "%s", got status %d: %s\n' "$1" "$3" "$status" "$got"
    failed=1
}

repeat() { # COUNT LINE
    awk -v n="$1" -v line="$2" 'BEGIN { while (n-- > 0) print line }'
}

function_of() { # LINES, at least 4
    echo 'static int f(int x)'
    echo '{'
    repeat $(($1 - 4)) '    x++;'
    echo '    return x;'
    echo '}'
}

nested() { # DEPTH
    echo 'void f(int x)'
    echo '{'
    repeat "$1" 'if (x) {'
    echo 'x++;'
    repeat "$1" '}'
    echo '}'
}

function_of 70 | try 'function at the limit' a.c ''
function_of 71 | try 'function over the limit' a.c 'a.c:1: f() has 71 lines'
repeat 600 'int x;' | try 'file at the limit' a.c ''
repeat 601 'int x;' | try 'file over the limit' a.c 'a.c:601: 601 lines'
repeat 150 'int x;' | try 'header at the limit' a.h ''
repeat 151 'int x;' | try 'header over the limit' a.h 'a.h:151: 151 lines'
nested 3 | try 'nesting at the limit' a.c ''
nested 4 | try 'nesting over the limit' a.c "a.c:6: 'if' nested deeper than 3"
printf '/* %090d */\n' 0 | try 'line at the limit' a.c ''
printf '/* %091d */\n' 0 | try 'line over the limit' a.c 'a.c:1: 97 columns'
echo 'int f(int a, int b, int c, int d, int e, int g);' |
    try 'parameters at the limit' a.h ''
echo 'int f(int a, int b, int c, int d, int e, int g, int h);' |
    try 'parameters over the limit' a.h 'a.h:1: f() has 7 parameters'
exit "$failed"
