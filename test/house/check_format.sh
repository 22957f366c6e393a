#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_format.sh CLANG_FORMAT ROOT
#
# Every C file must be formatted by .clang-format, so that no diff is about layout.
set -eu

clang_format=$1 root=$2
cd "$root"

files=$(for folder in src sim test fuzz bench; do
    [ -d "$folder" ] && find "$folder" \
        \( -path test/house/bad -o -path test/house/good -o -name node_modules \) -prune \
        -o -name '*.[ch]' -print
done | LC_ALL=C sort)
[ -n "$files" ] || {
    echo "$root: no C file below it; give the root of the tree"
    exit 2
}

# One line per file: where it begins to differ.  No name in the tree has a blank, so the
# list may be split.
findings=$("$clang_format" --dry-run -Werror $files 2>&1 | awk -F : '
    / error: / && !seen[$1]++ { print $1 ":" $2 ": not in the house format; run script/format" }')
[ -z "$findings" ] || {
    printf '%s\n' "$findings"
    exit 1
}
