#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: test/e2e/quickstart.sh BELFRY README [SECTION]
#
# Runs the commands in the section "Quick start", or SECTION, of a README in order, with an
# empty directory for the server's files, and compares their output with the README:
#
#   ```sh             commands that a shell runs to their end
#   ```sh terminal=1  one command in a terminal of its own that runs until the end of the
#                     section; then it gets Ctrl-C and must exit with status 0
#   ```text           lines that the block before it prints, in this order, with others in
#                     between; … matches any text
#
# Only the port, the path of the program and the build differ from the README.
set -eu

belfry=$1 readme=$2 section=${3:-Quick start}
dir=$(mktemp -d)
port=7227
terminals=

say() {
    printf '%s\n' "$*"
}

# Ends the terminals that did not end with Ctrl-C.
clean_up() {
    for n in $terminals; do
        kill "$(cat "$dir/$n.pid")" 2>/dev/null || :
        wait "$(cat "$dir/$n.pid")" || :
    done
    rm -rf "$dir"
}
trap clean_up EXIT

fail() {
    say "FAILED: $1"
    [ ! -f "$2" ] || cat "$2"
    exit 1
}

# Writes N.sh, N.terminal or N.text for each block of the section, N from 1.
split() {
    awk -v dir="$dir" -v section="$section" '
        /^```/ && out { close(out); out = ""; next }
        /^## /        { inside = ($0 == "## " section); next }
        !inside       { next }
        /^```sh terminal=/ { out = dir "/" ++n ".terminal"; next }
        /^```sh$/     { out = dir "/" ++n ".sh"; next }
        /^```text$/   { out = dir "/" ++n ".text"; next }
        /^```/        { print "a block of an unknown kind: " $0; exit 1 }
        out           { print > out }
        END           { print n + 0 > (dir "/count") }' "$readme"
}

# Replaces the paths and the port of the README by those of the test.
localize() {
    sed -e "s#^script/server#build/belfry serve#" -e "s#build/belfry#$belfry#g" \
        -e "s#:7227#:$port#g" "$1"
}

# shows EXPECTED ACTUAL: succeeds if ACTUAL has the lines of EXPECTED in this order.
shows() {
    localize "$1" | awk -v actual="$2" '
        { gsub(/[][\\.*^$+?(){}|]/, "\\\\&"); gsub(/…/, ".*"); want[++n] = "^" $0 "$" }
        END {
            at = 1
            while (at <= n && (getline line < actual) > 0) {
                sub(/\r$/, "", line)
                if (line ~ want[at])
                    at++
            }
            if (at <= n)
                print "no line is " want[at]
            exit at <= n
        }'
}

# A pseudo terminal with a pipe as its keyboard; opened for reading and writing, the pipe
# never ends.
start_terminal() {
    mkfifo "$dir/$1.keys"
    : >"$dir/$1.out"
    localize "$dir/$1.terminal" >"$dir/$1.command"
    script -qfec "exec $(cat "$dir/$1.command")" /dev/null \
        <>"$dir/$1.keys" >"$dir/$1.out" 2>&1 &
    echo $! >"$dir/$1.pid"
    terminals="$1 $terminals"
}

# Reads the server's port from its log.
learn_port() {
    [ "$port" != 7227 ] ||
        port=$(sed -n 's/.*msg=listening.* port=\([0-9]*\).*/\1/p' "$1")
    [ -n "$port" ] || port=7227
    export BELFRY_SERVER="http://127.0.0.1:$port"
}

# Waits at least 90 seconds.
await_terminal() {
    tries=0
    until learn_port "$dir/$2.out" && shows "$dir/$1.text" "$dir/$2.out" >"$dir/why"; do
        tries=$((tries + 1))
        if [ "$tries" -gt 900 ]; then
            cat "$dir/why"
            fail "the terminal does not show $1.text" "$dir/$2.out"
        fi
        sleep 0.1
    done
}

end_terminal() {
    printf '\003' >"$dir/$1.keys"
    wait "$(cat "$dir/$1.pid")" || fail "the command did not end with status 0 after Ctrl-C" "$dir/$1.out"
}

export HOME="$dir" BELFRY_STATE_DIR="$dir/state" BELFRY_LISTEN=127.0.0.1:0 BELFRY_GRPC=none
unset XDG_STATE_HOME XDG_CONFIG_HOME BELFRY_SERVER BELFRY_TOKEN BELFRY_NAMESPACE
"$belfry" config | grep -q "^db  *= sqlite:$dir/state/" ||
    fail "the server would use a database outside the directory of this test" /dev/null
split
count=$(cat "$dir/count")
[ "$count" -gt 5 ] || fail "the section has hardly any blocks" "$readme"
begin=$(date +%s) n=0 last=
while [ "$n" -lt "$count" ]; do
    n=$((n + 1))
    if [ -f "$dir/$n.terminal" ]; then
        say "terminal: $(cat "$dir/$n.terminal")"
        start_terminal "$n"
        last=terminal
    elif [ -f "$dir/$n.sh" ]; then
        say "$(cat "$dir/$n.sh")"
        localize "$dir/$n.sh" >"$dir/$n.command"
        sh -e "$dir/$n.command" >"$dir/$n.out" 2>&1 || fail "status $?" "$dir/$n.out"
        last=commands
    elif [ "$last" = terminal ]; then
        await_terminal "$n" $((n - 1))
    else
        shows "$dir/$n.text" "$dir/$((n - 1)).out" || fail "the output differs from $n.text" "$dir/$((n - 1)).out"
    fi
done
for n in $terminals; do
    end_terminal "$n"
done
terminals=
say "$count blocks in $(($(date +%s) - begin)) seconds"
