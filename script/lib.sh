# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What the scripts share.  Sourced, not run: `. "$(dirname "$0")/lib.sh"` leaves the caller
# in the root of the tree.

cd "$(dirname "$0")/.." || exit

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Runs a command silently; its output matters only when it fails.
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

# configure DIR [MESON OPTIONS]: makes the build directory unless it is there; Ninja itself
# sees to it when a meson.build changes later.
configure() {
    [ -f "$1/build.ninja" ] || quietly meson setup "$@"
}

# compile DIR [TARGETS]: first what a changed meson.build asks for, so that its long report
# does not stand above an error of the compiler.
compile() {
    quietly ninja --quiet -C "$1" build.ninja && quietly ninja --quiet -C "$@"
}
