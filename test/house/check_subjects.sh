#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: check_subjects.sh ROOT [BASE]
#
# The subjects of the commits after BASE read "area: verb ...", in the imperative and in at most
# 60 characters: "engine: ignore pauses that have already expired".  An area is the name of a
# folder or of a document in lower case, or several of them with commas.  Merges are
# ignored.  The check is skipped (77) if there is no history, or if it does not contain BASE.
set -eu
export LC_ALL=C
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

root=$1 base=${2:-9e0d83aec866f2061cd8f3adaa39de2049ce6277}

[ -e "$root/.git" ] && command -v git >/dev/null || exit 77
cd "$root"
git merge-base --is-ancestor "$base" HEAD 2>/dev/null || exit 77

# Names of all folders and documents that ever existed, so that old subjects stay valid: one on
# each line, "core" and "core/time" and "changelog".
areas() {
    {
        git ls-tree -r --name-only "$base"
        git log --no-merges --name-only --format= "$base..HEAD"
    } | awk -F / '
        {
            path = ""
            for (i = 1; i < NF; i++) {
                name = $i
                sub(/^\./, "", name)
                seen[name]
                if (i == 1 && name == "src") continue
                path = path (path == "" ? "" : "/") name
                seen[path]
            }
        }
        $NF ~ /\.md$/ {
            sub(/\.md$/, "", $NF)
            seen[tolower($NF)]
        }
        END { for (name in seen) print name }'
}

{
    areas
    echo tree  # everything
    echo build # meson.build
    echo metrics # what GET /metrics prints, wherever its code is
    echo --
    git log --no-merges --reverse --format=%s "$base..HEAD"
} | awk -v max=60 '
    function complain(what) {
        printf "\"%s\": %s\n", $0, what
        found++
    }
    function put(list, set,    words, n) {
        n = split(list, words, " ")
        while (n > 0) set[words[n--]]
    }
    # The forms of a verb that are not its imperative.
    function put_forms(list,    words, n, stem) {
        n = split(list, words, " ")
        for (; n > 0; n--) {
            stem = words[n]
            wrong[stem "s"]; wrong[stem "es"]
            sub(/e$/, "", stem)
            wrong[stem "ed"]; wrong[stem "ing"]
        }
    }
    BEGIN {
        put("a an the what where who which that there it this these", wrong)
        put("cases figures names rules tests words", wrong)
        put("made splitting wrote written rewrote rewritten dropped dropping kept gave given", wrong)
        put("shown took taken told stopped stopping letting", wrong)
        put_forms("accept add allow answer avoid change check clarify clean correct count create")
        put_forms("delete document drop extend fail fix give handle hold ignore implement improve")
        put_forms("introduce keep let limit make mark measure merge mention move name note print")
        put_forms("prove read refactor reject remove rename replace report return rewrite say show")
        put_forms("split start state stop support take tell test treat update use want warn write")
    }
    !listed && $0 == "--" { listed = 1; next }
    !listed { area[$0]; next }
    {
        colon = index($0, ": ")
        if (colon < 2) {
            complain("write it as \"area: verb ...\"")
            next
        }
        n = split(substr($0, 1, colon - 1), names, ", ")
        for (i = 1; i <= n; i++)
            if (!(names[i] in area))
                complain("\"" names[i] "\" is not a folder or a document")
        rest = substr($0, colon + 2)
        word = rest
        sub(/[^a-zA-Z].*/, "", word)
        if (word !~ /^[a-z]+$/)
            complain("begin with a verb in lower case")
        else if (word in wrong)
            complain("\"" word "\" is not an imperative")
        if ($0 ~ /\.$/) complain("no full stop at the end")
        if (length($0) > max) complain(length($0) " characters, at most " max)
    }
    END { exit found > 0 }'
