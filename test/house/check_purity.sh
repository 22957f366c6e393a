#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_purity.sh NM LIBCORE LIBBASE
#
# The core takes values and returns values.  This check reads the symbols of its object files: a
# function that they call must be in the core, in the first list below, or in a file of base that
# itself calls only the second list; and no object may have a writable variable.  The check of
# layers sees includes; this one sees calls, regardless of the header that declares them.
set -eu

nm=$1 core=$2 base=$3

# Functions on memory that the caller owns; then symbols that compilers add.
core_may="memcpy memmove memset memcmp memchr strlen \
bcmp __memcpy_chk __memmove_chk __memset_chk __popcountdi2 __stack_chk_fail _GLOBAL_OFFSET_TABLE_"
# In base: formatting into fixed buffers, abort() on a broken invariant, and the heap that an
# arena uses.
base_may="$core_may vsnprintf snprintf __vsnprintf_chk __snprintf_chk \
fprintf __fprintf_chk fwrite stderr abort malloc calloc free"
# The core allocates from the arena of its caller; it creates none.
core_may_not="arena_new arena_free"

# One line per symbol, separated by blanks: library, object, name, class, section, file:line.
symbols() {
    LC_ALL=C "$nm" -A -l --format=sysv "$2" | awk -F '|' -v library="$1" '
        NF == 7 {
            n = split($1, name, ":")
            sub(/ +$/, "", name[n])
            gsub(/ /, "", $3)
            split($7, at, "\t")
            where = at[2]
            if (!sub(/^.*\/src\//, "src/", where)) {
                where = name[n - 1]
                sub(/^.*\//, "src/" library "/", where)
                sub(/\.o$/, "", where)
            }
            print library, name[n - 1], name[n], $3, at[1], where
        }'
}

{
    symbols base "$base"
    symbols core "$core"
} | awk -v core_may="$core_may" -v base_may="$base_may" -v core_may_not="$core_may_not" '
    function put(list, set,    words, n) {
        n = split(list, words, " ")
        while (n > 0) set[words[n--]]
    }
    function complain(where, what) {
        print where ": " what
        found++
    }
    # Follows an object of base that the core calls, and the objects that it calls.
    function follow(object, where,    i, n, names, name) {
        if (object in seen) return
        seen[object]
        n = split(calls[object], names, " ")
        for (i = 1; i <= n; i++) {
            name = names[i]
            if (name in home) follow(home[name], where)
            else if (!(name in in_base))
                complain(where, "reaches " name "() through " spot[object, name] why)
        }
    }
    BEGIN {
        put(core_may, in_core)
        put(base_may, in_base)
        put(core_may_not, denied)
        why = ": the core has no heap, clock or I/O; take the value as a parameter"
    }
    $1 == "base" && $4 == "U" { calls[$2] = calls[$2] " " $3; spot[$2, $3] = $6; next }
    $1 == "base" && $4 ~ /[A-Z]/ { home[$3] = $2 }
    $1 == "base" { next }
    { core_symbols++ }
    $4 == "U" { wanted[++wants] = $3; place[wants] = $6; next }
    $4 ~ /[A-Z]/ { own[$3] }
    $5 ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $5 !~ /^\.data\.rel\.ro/ {
        complain($6, "writable variable " $3 ": the core keeps no state; make it const, " \
            "or let the caller own it")
    }
    END {
        for (i = 1; i <= wants; i++) {
            name = wanted[i]
            if (name in own || name in in_core) continue
            if (name in home && !(name in denied)) follow(home[name], place[i])
            else complain(place[i], "calls " name "()" why)
        }
        if (core_symbols == 0) complain("check_purity.sh", "the core has no symbol; is it built?")
        exit found > 0
    }'
