# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034
#
# Shared by bench/*/run, which source it: `. "$(dirname "$0")/../lib.sh"`.  Sets `here`, `root`,
# `build`, `work` (below the build directory) and `results` (the raw figures, in `work`).
#
# In smoke mode (`smoke=yes`) a benchmark takes a few seconds.  It shows that every subject still
# runs and prints its figures, which mean nothing.  A test runs it, so it builds nothing.

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
name=$(basename "$here")
build=${BELFRY_BENCH_BUILD:-$root/build}
work=$build/bench-$name
results=$work/results.tsv
smoke=no
dir='' child='' server='' keep=''

fail() {
    printf 'bench/%s/run: %s\n' "$name" "$*" >&2
    exit 1
}

# need TOOL [OPTION OF SCRIPT/BOOTSTRAP]: in smoke mode the test is skipped (exit status 77) if
# the tool is not installed.
need() {
    ! command -v "$1" >/dev/null 2>&1 || return 0
    [ "$smoke" = no ] || {
        echo "skipped: $1 is not installed"
        exit 77
    }
    fail "$1 is not installed; run script/bootstrap ${2:-}"
}

# build_programs TARGETS OF NINJA...
build_programs() {
    [ -f "$build/build.ninja" ] || fail "$build is not a build directory; run script/build"
    mkdir -p "$work"
    if [ "$smoke" = yes ]; then
        echo 'smoke mode: the figures mean nothing'
        return 0
    fi
    ninja --quiet -C "$build" "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail 'the build failed'
    }
}

clean_up() {
    trap - EXIT INT TERM HUP
    if [ -n "$child" ]; then
        kill "$child" 2>/dev/null || true # its children end with it
        wait "$child" 2>/dev/null || true
    fi
    stop_server
    [ -z "$keep" ] || printf 'the files are in %s\n' "$dir"
    [ -n "$keep" ] || rm -rf "$dir"
}

# make_dir: creates `dir` for databases and logs; it is removed at the end, unless `keep` is set.
make_dir() {
    dir=$(mktemp -d "${TMPDIR:-/tmp}/belfry-bench.XXXXXX")
    trap clean_up EXIT
    trap 'exit 130' INT TERM HUP
    chmod 711 "$dir"
}

# run_child COMMAND...: in the background, so that a signal to this script is acted upon at once.
run_child() {
    "$@" &
    child=$!
    child_status=0
    wait "$child" || child_status=$?
    child=
    return "$child_status"
}

# ---- PostgreSQL, with its default settings, fsync and vacuum included; only the network is off

# find_postgres: sets `bin`.  Debian keeps the server out of PATH, one directory for each version.
find_postgres() {
    bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    [ -x "$bin/initdb" ] && [ -x "$bin/postgres" ] ||
        fail 'PostgreSQL is not installed; run script/bootstrap'
}

# start_server DIR: its files and its socket are in DIR; it ends with this script at the latest.
start_server() {
    find_postgres
    # PostgreSQL refuses to run as root.
    drop='setpriv --pdeathsig QUIT --'
    if [ "$(id -u)" -eq 0 ]; then
        user=$(id -un postgres 2>/dev/null || echo nobody)
        drop="setpriv --reuid=$user --regid=$(id -gn "$user") --clear-groups --pdeathsig QUIT --"
        chown "$user" "$1"
    fi
    chmod 711 "$1"
    $drop "$bin/initdb" -D "$1/data" -U belfry -A trust -E UTF8 --locale=C >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail 'initdb failed'
    }
    (
        cd "$1" || exit
        exec $drop "$bin/postgres" -D "$1/data" -k "$1" -c listen_addresses= \
            -c shared_buffers=128MB -c log_min_messages=fatal
    ) >>"$work/log" 2>&1 </dev/null &
    server=$!
    tries=0
    until "$bin/pg_isready" -q -h "$1" -U belfry -d postgres; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] && kill -0 "$server" 2>/dev/null || fail 'PostgreSQL did not start'
        sleep 0.1
    done
}

# make_database: starts the server and sets `url` to a new database.
make_database() {
    mkdir "$dir/server"
    start_server "$dir/server"
    "$bin/createdb" -h "$dir/server" -U belfry belfry
    url="postgresql://belfry@/belfry?host=$dir/server"
}

stop_server() {
    if [ -n "$server" ]; then
        kill -QUIT "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    server=
}

# ---- output

print_machine() {
    printf '%s, %s, %s cores; load %s\n' "$(uname -m)" \
        "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" \
        "$(cut -d ' ' -f 1 /proc/loadavg)"
}

# expect FIELDS...: in smoke mode, fails unless each argument, words separated by spaces, begins a
# line of the raw figures.
expect() {
    [ "$smoke" = yes ] || return 0
    for fields in "$@"; do
        tr '\t' ' ' <"$results" | awk -v fields="$fields " '
            index($0, fields) == 1 { found = 1 }
            END { exit !found }' || fail "no figures of: $fields"
    done
}
