#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: test/e2e/operations.sh BELFRY TREE
#
# What docs/operations.md says of keys and defaults is what `belfry config` says as the
# service runs it, and the unit keeps its score.
set -eu

belfry=$1 tree=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

env -i STATE_DIRECTORY=/var/lib/belfry "$belfry" config |
    sed 's/^\([a-z_]*\) *= \(.*[^ ]\) *# default$/\1 \2/' >"$dir/program"
sed -n 's/^| `\([a-z_]*\)` | `\([^`]*\)` | .*/\1 \2/p' "$tree/docs/operations.md" >"$dir/page"
diff "$dir/program" "$dir/page"
[ "$(wc -l <"$dir/program")" -gt 30 ]

# Each of them is turned by a test, or said not to be.
sed 's/ .*//' "$dir/program" >"$dir/keys"
sed -n 's/^[0-9]* `\([a-z_]*\)`: .*/\1/p' "$tree/test/mission/knobs.txt" | diff "$dir/keys" -

# 15 is 1.5; the machine may have no systemd.
if command -v systemd-analyze >/dev/null; then
    systemd-analyze security --offline=yes --threshold=15 --no-pager \
        "$tree/packaging/belfry.service" >"$dir/score" || { cat "$dir/score"; exit 1; }
    tail -n 1 "$dir/score"
fi
