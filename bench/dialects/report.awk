# SPDX-License-Identifier: Apache-2.0
#
# Raw figures of bench-dialects to a table and the goals of gRPC.
# database NAME
# call SHAPE NAME BYTES PER-S P50-US P99-US CPU-US           bare SHAPE PER-S
# Within a round and a shape: empty, describe, bare (SQLite only), create.
BEGIN {
    FS = "\t"
    CREATE_MIN = 0.50
    DESCRIBE_MIN["multiplexed"] = 0.15
    DESCRIBE_MIN["one stream"] = 0.40
}

# Medians are over rounds, also of ratios: a disturbance affects both sides of a ratio.
function add(list, value) { values[list, ++sizes[list]] = value }

function median(list,    i, j, n, v, sorted) {
    n = sizes[list]
    for (i = 1; i <= n; i++) {
        v = values[list, i]
        for (j = i - 1; j >= 1 && sorted[j] > v; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = v
    }
    if (n == 0)
        return 0
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

$1 == "database" { database = $2 }
$1 == "bare" {
    limit = $3
    add(database SUBSEP $2 SUBSEP "create limit", limit)
}
$1 == "call" {
    key = database SUBSEP $2 SUBSEP $3
    if (!(key in bytes))
        order[++count] = key
    bytes[key] = $4
    add(key " own", $5)
    add(key " p50", $6)
    add(key " p99", $7)
    add(key " cpu", $8)
    if ($3 == "empty") {
        empty = $5
        limit = 0
    } else if ($3 == "describe") {
        add(key " limit", empty)
        add(key " ratio", $5 / empty)
    } else if (limit > 0) {
        add(key " ratio", $5 / limit)
    }
}

function goal(what, shape, ratio, of, least) {
    printf "  %-8s %s, %s: %.0f%% of %s (goal %.0f%%)\n", (ratio >= least ? "met" : "not met"),
        what, shape, 100 * ratio, of, 100 * least
}

END {
    if (count == 0) {
        print "no figures"
        exit 1
    }
    printf "\n%-9s %-12s %-9s %6s %10s %10s %6s %8s %8s %8s\n", "database", "64 calls", "",
        "bytes", "limit /s", "belfry /s", "ratio", "p50 ms", "p99 ms", "cpu us"
    for (i = 1; i <= count; i++) {
        key = order[i]
        split(key, part, SUBSEP)
        has = sizes[key " ratio"] > 0
        printf "%-9s %-12s %-9s %6d %10s %10.0f %6s %8.2f %8.2f %8.1f\n", part[1], part[2],
            part[3], bytes[key], has ? sprintf("%.0f", median(key " limit")) : "-",
            median(key " own"), has ? sprintf("%.0f%%", 100 * median(key " ratio")) : "-",
            median(key " p50") / 1000, median(key " p99") / 1000, median(key " cpu")
    }
    printf "\ngoals\n"
    for (i = 1; i <= count; i++) {
        key = order[i]
        split(key, part, SUBSEP)
        if (part[1] != "sqlite" || part[3] == "empty")
            continue
        if (part[3] == "create")
            goal("create", part[2], median(key " ratio"), "the bare loop", CREATE_MIN)
        else
            goal("describe", part[2], median(key " ratio"), "the empty call",
                DESCRIBE_MIN[part[2]])
    }
}
