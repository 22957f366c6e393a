# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Shared by the scripts, which source it: `. "$(dirname "$0")/lib.sh"` also changes to the
# root of the tree.

cd "$(dirname "$0")/.." || exit

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Runs a command; prints its output only if it fails.
quietly() {
    log=$(mktemp)
    if "$@" >"$log" 2>&1; then
        rm -f "$log"
    else
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
}

# configure DIR [MESON OPTIONS]: creates the build directory if it does not exist; Ninja
# updates it when a meson.build changes.
configure() {
    [ -f "$1/build.ninja" ] || quietly meson setup "$@"
}

# compile DIR [TARGETS]: runs Meson separately first if needed, so that its long output does
# not precede compiler errors.
compile() {
    quietly ninja --quiet -C "$1" build.ninja && quietly ninja --quiet -C "$@"
}
