#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: control_subjects.sh CHECK_SUBJECTS CONTROL FOLDER
#
# Runs the check on temporary repositories: one with the subjects of FOLDER/subjects.txt, which it
# must reject with the messages of FOLDER/expected.txt, one with good subjects, and directories
# without a history.
set -eu

command -v git >/dev/null || exit 77
check=$1 control=$2 folder=$3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export HOME="$root" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org
export GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org

# repository NAME: creates it with one commit, whose subject does not count.
repository() {
    mkdir -p "$root/$1/src/core/time" "$root/$1/docs" "$root/$1/.ci"
    : >"$root/$1/src/core/time/tz.c"
    : >"$root/$1/docs/API.md"
    : >"$root/$1/.ci/run"
    git -C "$root/$1" init -q
    git -C "$root/$1" add .
    git -C "$root/$1" commit -q -m 'What came before is not looked at.'
    git -C "$root/$1" rev-parse HEAD
}

# commit NAME: makes a commit for each line of standard input.
commit() {
    while read -r subject; do
        git -C "$root/$1" commit -q --allow-empty -m "$subject"
    done
}

expect() { # STATUS CHECK_ARGUMENT...
    wanted=$1
    shift
    status=0
    got=$("$check" "$@") || status=$?
    [ "$status" -eq "$wanted" ] || {
        printf 'exit status %d where %d was expected; output:\n%s\n' "$status" "$wanted" "$got"
        exit 1
    }
}

base=$(repository bad)
commit bad <"$folder/subjects.txt"
"$control" "$folder/expected.txt" "$check" "$root/bad" "$base"

base=$(repository good)
commit good <<'EOF'
core: ignore pauses that have already expired
core/time, docs: split the search for the next slot
time: address an overflow in years before 1900
ci: run the fuzzers
tree: move files into folders by subject
api: process the page and pass it on, in sixty characters ok
EOF
git -C "$root/good" checkout -q -b side
git -C "$root/good" commit -q --allow-empty -m 'docs: add a page'
git -C "$root/good" checkout -q -
git -C "$root/good" merge -q --no-ff -m 'Merge branch side.' side
expect 0 "$root/good" "$base"

expect 77 "$root/good" 9e0d83aec866f2061cd8f3adaa39de2049ce6277
mkdir "$root/plain"
expect 77 "$root/plain"
