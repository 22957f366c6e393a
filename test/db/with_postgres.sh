#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: with_postgres.sh PROGRAM [ARGUMENT...]
#
# Runs PROGRAM with a PostgreSQL of its own: in a new directory, reached only through a
# socket in it, and gone when the program ends, however it ends.  The program finds it by
# BELFRY_TEST_URL.  The server does not run as root; fsync is off, since nothing here
# survives.
#
# BELFRY_PG_TEMPLATE names where to keep what initdb makes, for later calls: a copy takes less
# than half of its processor time.
set -eu

fail() {
    printf 'with_postgres: %s\n' "$*" >&2
    exit 1
}

[ $# -gt 0 ] || fail 'usage: with_postgres.sh PROGRAM [ARGUMENT...]'

# Debian keeps the server out of PATH, one directory for each version; take the newest.
bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
[ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb || echo /nowhere/initdb)")
[ -x "$bin/initdb" ] && [ -x "$bin/postgres" ] ||
    fail 'PostgreSQL is not installed; run script/bootstrap'

dir=$(mktemp -d /tmp/belfry-pg.XXXXXX)
server=
clean_up() {
    trap - EXIT INT TERM HUP
    if [ -n "$server" ]; then
        kill -QUIT "$server" 2>/dev/null || true # at once, without a last checkpoint
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# PostgreSQL refuses to run as root.  When this script dies, its server gets SIGQUIT.
drop='setpriv --pdeathsig QUIT --'
if [ "$(id -u)" -eq 0 ]; then
    user=$(id -un postgres 2>/dev/null || echo nobody)
    drop="setpriv --reuid=$user --regid=$(id -gn "$user") --clear-groups --pdeathsig QUIT --"
    chown "$user" "$dir"
fi
chmod 711 "$dir"
export LC_ALL=C TZ=UTC

make_data() {
    $drop "$bin/initdb" -D "$dir/data" -U belfry -A trust -E UTF8 --locale=C --no-sync \
        >"$dir/log" 2>&1 || {
        cat "$dir/log" >&2
        fail 'initdb failed'
    }
}

if [ -z "${BELFRY_PG_TEMPLATE:-}" ]; then
    make_data
else
    # Programs run at the same time: one makes the template, the others wait for it.  It gets its
    # name when it is complete and does not change afterwards.
    template=$BELFRY_PG_TEMPLATE-$("$bin/postgres" --version | cut -d ' ' -f 3)
    (
        flock 9
        [ ! -d "$template" ] || exit 0
        make_data
        rm -rf "$template.new"
        mv "$dir/data" "$template.new"
        mv "$template.new" "$template"
    ) 9>"$template.lock"
    cp -a "$template" "$dir/data"
fi

(
    cd "$dir"
    exec $drop "$bin/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= -c fsync=off \
        -c full_page_writes=off -c shared_buffers=16MB -c max_connections=20 \
        -c autovacuum=off -c logging_collector=off -c log_min_messages=fatal
) >>"$dir/log" 2>&1 </dev/null &
server=$!

tries=0
until "$bin/pg_isready" -q -h "$dir" -U belfry -d postgres; do
    tries=$((tries + 1))
    if [ $tries -gt 900 ] || ! kill -0 "$server" 2>/dev/null; then
        cat "$dir/log" >&2
        fail 'the server did not start'
    fi
    sleep 0.1
done

BELFRY_TEST_URL="postgresql://belfry@/postgres?host=$dir"
export BELFRY_TEST_URL
status=0
"$@" || status=$?
exit "$status"
