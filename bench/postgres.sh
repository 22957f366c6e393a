# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# A PostgreSQL of a benchmark's own, for the scripts that source this; they have fail().
#
# As it comes, fsync and vacuum included; only the network is shut.  It ends with the script,
# at the latest.

# Debian keeps the server out of PATH, one directory for each version; take the newest.
bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
[ -x "$bin/initdb" ] && [ -x "$bin/postgres" ] ||
    fail 'PostgreSQL is not installed; run script/bootstrap'
server=

# start_server DIR LOG: its files and its socket are in DIR, which may be anybody's to pass.
start_server() {
    # PostgreSQL refuses to run as root.
    drop='setpriv --pdeathsig QUIT --'
    if [ "$(id -u)" -eq 0 ]; then
        user=$(id -un postgres 2>/dev/null || echo nobody)
        drop="setpriv --reuid=$user --regid=$(id -gn "$user") --clear-groups --pdeathsig QUIT --"
        chown "$user" "$1"
    fi
    chmod 711 "$1"
    $drop "$bin/initdb" -D "$1/data" -U belfry -A trust -E UTF8 --locale=C >"$2" 2>&1 || {
        cat "$2" >&2
        fail 'initdb failed'
    }
    (
        cd "$1" || exit
        exec $drop "$bin/postgres" -D "$1/data" -k "$1" -c listen_addresses= \
            -c shared_buffers=128MB -c log_min_messages=fatal
    ) >>"$2" 2>&1 </dev/null &
    server=$!
    tries=0
    until "$bin/pg_isready" -q -h "$1" -U belfry -d postgres; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] && kill -0 "$server" 2>/dev/null || fail 'the server did not start'
        sleep 0.1
    done
}

stop_server() {
    if [ -n "$server" ]; then
        kill -QUIT "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    server=
}
