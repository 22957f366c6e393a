#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_prose.sh manuals ROOT [PAGES]
#        check_prose.sh scripts ROOT
#        check_prose.sh spelling ROOT
#
# Lints what people read and run: the manual pages of ROOT/man and of the directory PAGES with
# mandoc, all shell scripts with shellcheck, and the words of all files with codespell.
#
# Exit status 77 (skipped) if the tool is not installed, 1 after findings.
set -eu

what=$1 root=$2 pages=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
cd "$root"

need() {
    command -v "$1" >/dev/null 2>&1 || {
        printf '%s is not installed; run script/bootstrap\n' "$1"
        exit 77
    }
}

# All files but generated ones and foreign data.  No name in the tree has a blank, so the list
# may be split.
list() {
    find . \( -name .git -o -name node_modules -o -path './build*' -o -path ./test/data \
        -o -path ./fuzz/corpus -o -path ./test/house/bad -o -path ./ui/vendor \) -prune \
        -o -type f ! -name package-lock.json ! -name LICENSE "$@" -print |
        sed 's#^\./##' | LC_ALL=C sort
}

# some FILES: fails if there is nothing to check, which would mean that ROOT is wrong.
some() {
    [ -n "$1" ] || {
        printf '%s: nothing to check; give the root of the tree\n' "$root"
        exit 2
    }
}

manuals() {
    need mandoc
    files=$(ls man/*.[1-8] ${pages:+"$pages"/*.[1-8]} 2>/dev/null)
    some "$files"
    # shellcheck disable=SC2086
    mandoc -Tlint -Wwarning $files | sed 's/^mandoc: //'
}

# A script is named *.sh, or has a shell in its first line.
scripts() {
    need shellcheck
    files=$({
        list -name '*.sh'
        list | xargs awk 'FNR == 1 && /^#! ?\/.*\/(env )?(ba)?sh( |$)/ { print FILENAME }
                          { nextfile }'
    } | LC_ALL=C sort -u)
    some "$files"
    # shellcheck disable=SC2086
    shellcheck --severity=warning --format=gcc $files || :
}

# spell FILES OPTION...: codespell, with the words that it does not know.
spell() {
    files=$1
    shift
    printf '%s\n' "$files" |
        xargs codespell --quiet-level=2 --ignore-words="$here/spelling/names.txt" "$@" || :
}

spelling() {
    need codespell
    some "$(list)"
    spell "$(list | grep -v '^test/')"
    spell "$(list | grep '^test/')" --ignore-words="$here/spelling/tests.txt"
}

case $what in
manuals | scripts | spelling) ;;
*)
    printf 'check_prose.sh: %s: expected manuals, scripts or spelling\n' "$what" >&2
    exit 2
    ;;
esac
status=0
findings=$("$what") || status=$?
[ -z "$findings" ] || printf '%s\n' "$findings"
case $status in
2 | 77) exit "$status" ;;
esac
[ -z "$findings" ]
