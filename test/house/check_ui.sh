#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: test/house/check_ui.sh ROOT
#
# Checks that ui/meson.build lists each file below ui/ once.
set -eu

root=$1
found=0
list=$(sed -n "s/^  '\([^']*\)',\$/\1/p" "$root/ui/meson.build" | sort)
files=$(cd "$root/ui" && find . -type f ! -name meson.build | sed 's|^\./||' | sort)
for name in $(printf '%s\n' "$list" | uniq -d); do
    echo "ui/meson.build: $name is listed twice"
    found=1
done
for name in $files; do
    printf '%s\n' "$list" | grep -qxF -- "$name" || {
        echo "ui/$name: not listed in ui/meson.build"
        found=1
    }
done
for name in $(printf "%s\n" "$list" | uniq); do
    [ -f "$root/ui/$name" ] || {
        echo "ui/meson.build: $name does not exist"
        found=1
    }
done
exit $found
