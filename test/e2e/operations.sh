#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: test/e2e/operations.sh BELFRY TREE
#
# Checks that docs/operations.md lists the same keys and defaults as `belfry config` in the
# service's environment, and that the systemd unit keeps its security score.
set -eu

belfry=$1 tree=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

env -i STATE_DIRECTORY=/var/lib/belfry "$belfry" config |
    sed 's/^\([a-z_]*\) *= \(.*[^ ]\) *# default$/\1 \2/' >"$dir/program"
sed -n 's/^| `\([a-z_]*\)` | `\([^`]*\)` | .*/\1 \2/p' "$tree/docs/operations.md" >"$dir/page"
diff "$dir/program" "$dir/page"
[ "$(wc -l <"$dir/program")" -gt 30 ]

# test/mission/knobs.txt lists every key, with its test or the reason why it has none.
sed 's/ .*//' "$dir/program" >"$dir/keys"
sed -n 's/^[0-9]* `\([a-z_]*\)`: .*/\1/p' "$tree/test/mission/knobs.txt" | diff "$dir/keys" -

# A threshold of 15 means 1.5.  Skipped on machines without systemd.
if command -v systemd-analyze >/dev/null; then
    systemd-analyze security --offline=yes --threshold=15 --no-pager \
        "$tree/packaging/belfry.service" >"$dir/score" || { cat "$dir/score"; exit 1; }
    tail -n 1 "$dir/score"
fi
