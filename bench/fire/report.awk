# SPDX-License-Identifier: Apache-2.0
#
# Raw figures of main.mjs to a table and the goals.
# sync US
# cell MODE NAME TOTAL MISSING FIRES-PER-S P50 P99 MAX CREATES-PER-S CPU-SERVER CPU-WORKERS
#   SETTINGS; lateness in ms, processor time in us per fire
BEGIN {
    FS = "\t"
    MORE = 10       # times the fires per second of the best peer
    MORE_LEAST = 5
}

$1 == "sync" { printf "one write and fdatasync takes %.2f ms (median)\n", $2 / 1000 }

$1 == "cell" {
    key = $2 SUBSEP $3
    if (!(key in rounds))
        order[++count] = key
    round = ++rounds[key]
    total[key] = $4
    missing[key] += $5
    for (field = 6; field <= 12; field++)
        figure[key, field, round] = $field
    if (!($3 in settings))
        names[++name_count] = $3
    settings[$3] = $13
}

function median(key, field,    n, i, j, kept, sorted) {
    n = rounds[key]
    for (i = 1; i <= n; i++) {
        kept = figure[key, field, i] + 0
        for (j = i - 1; j >= 1 && sorted[j] > kept; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = kept
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function table(mode, title,    i, part) {
    for (i = 1; i <= count && index(order[i], mode SUBSEP) != 1; i++)
        continue
    if (i > count)
        return
    printf "\n%-16s %7s %7s %8s %9s %9s %9s %9s %9s %9s\n", title, "fires", "missing",
        "fires/s", "p50 ms", "p99 ms", "max ms", "creates/s", "server us", "worker us"
    for (i = 1; i <= count; i++) {
        split(order[i], part, SUBSEP)
        if (part[1] == mode)
            printf "%-16s %7d %7d %8.0f %9.1f %9.1f %9.1f %9.0f %9.0f %9.0f\n", part[2],
                total[order[i]], missing[order[i]], median(order[i], 6), median(order[i], 7),
                median(order[i], 8), median(order[i], 9), median(order[i], 10),
                median(order[i], 11), median(order[i], 12)
    }
}

# The best value of a field among the peers of a mode, and whose it is.  Redis with everysec
# may lose a second of starts, unlike all others here: it is shown but not compared.
function best(mode, field, is_more, leave,    i, part, value, found) {
    best_name = ""
    for (i = 1; i <= count; i++) {
        split(order[i], part, SUBSEP)
        if (part[1] != mode || part[2] ~ /^belfry/ || part[2] ~ /everysec/ || part[2] == leave)
            continue
        value = median(order[i], field)
        if (best_name == "" || (is_more ? value > found : value < found)) {
            found = value
            best_name = part[2]
        }
    }
    return found
}

function goal(is_met, text, is_least) {
    printf "  %-7s %s\n", is_met ? "met" : is_least ? "least" : "not met", text
}

function burst_goals(own, leave, what,    peer, rate, late) {
    rate = median(own, 6)
    late = median(own, 8)
    peer = best("burst", 6, 1, leave)
    if (best_name != "")
        goal(rate >= MORE * peer, sprintf(\
            "at once: %.1f times the fires/s of the best %s, %s (goal %d, least %d)",
            rate / peer, what, best_name, MORE, MORE_LEAST), rate >= MORE_LEAST * peer)
    peer = best("burst", 8, 0, leave)
    if (best_name != "")
        goal(late * MORE <= peer, sprintf(\
            "at once: p99 lateness 1/%.1f of that of the best %s, %s (goal 1/%d, least 1/%d)",
            peer / late, what, best_name, MORE, MORE_LEAST), late * MORE_LEAST <= peer)
}

END {
    if (count == 0) {
        print "no figures"
        exit 1
    }
    table("burst", "all at once")
    table("steady", "1,000 a second")
    printf "\nsettings\n"
    for (i = 1; i <= name_count; i++)
        printf "  %-16s %s\n", names[i], settings[names[i]]
    printf "\ngoals of belfry-sqlite\n"
    own = "burst" SUBSEP "belfry-sqlite"
    if (own in rounds) {
        burst_goals(own, "graphile-run_at", "peer that repeats")
        burst_goals(own, "", "peer, single jobs included")
    }
    own = "steady" SUBSEP "belfry-sqlite"
    if (own in rounds) {
        peer = best("steady", 8, 0, "")
        if (best_name != "")
            goal(median(own, 8) <= peer, sprintf(\
                "1,000 a second: p99 lateness %.1f ms, the best peer's %.1f, %s (goal: no worse)",
                median(own, 8), peer, best_name))
    }
}
