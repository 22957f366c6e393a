# SPDX-License-Identifier: Apache-2.0
#
# Raw figures of bench-api to tables and the goals of the API.
# database NAME
# read NAME BYTES TRIVIAL/S BELFRY/S P50-US P99-US CPU-US
# create BARE/S BELFRY/S P50-US P99-US CPU-US
# paced idle|load PER-S P50-US P99-US                   fires PER-S
BEGIN {
    FS = "\t"
    READ_MIN = 0.30
    READ_GOAL = 0.50
    CREATE_MIN = 0.50
    P99_MAX = 3
    FIRES_MIN = 1900 # of 2,000 a second: less is another load
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

function keep(key, limit, own, p50, p99, cpu) {
    if (!(key in seen)) {
        seen[key] = 1
        order[++count] = key
    }
    add(key " limit", limit)
    add(key " own", own)
    add(key " p50", p50)
    add(key " p99", p99)
    add(key " cpu", cpu)
    if (limit > 0)
        add(key " ratio", own / limit)
}

$1 == "database" { database = $2; databases[++database_count] = $2 }
$1 == "read" { keep(database SUBSEP $2, $4, $5, $6, $7, $8); bytes[database, $2] = $3 }
$1 == "create" { keep(database SUBSEP "create", $2, $3, $4, $5, $6) }
$1 == "paced" { add(database " " $2 " p50", $4); add(database " " $2 " p99", $5) }
$1 == "fires" { fires[database] = $2 }

function goal(text, verdict) {
    printf "  %-8s %s\n", verdict, text
}

function name_of(what) {
    return what == "list" ? "list of 100" : what == "create" ? "create" : what
}

function judge(key, part,    ratio) {
    ratio = median(key " ratio")
    if (part[1] != "sqlite")
        return
    if (part[2] == "create")
        goal(sprintf("creates: %.0f%% of the bare loop (goal %.0f%%)", 100 * ratio,
            100 * CREATE_MIN), ratio >= CREATE_MIN ? "met" : "not met")
    else
        goal(sprintf("%s: %.0f%% of the trivial handler (goal %.0f%%, least %.0f%%)",
            name_of(part[2]), 100 * ratio, 100 * READ_GOAL, 100 * READ_MIN),
            ratio >= READ_GOAL ? "met" : ratio >= READ_MIN ? "least" : "not met")
}

END {
    if (count == 0 && !database_count) {
        print "no figures"
        exit 1
    }
    if (count > 0)
        printf "\n%-9s %-12s %8s %12s %11s %6s %8s %8s %8s\n", "database", "64 clients", "bytes",
            "limit /s", "belfry /s", "ratio", "p50 ms", "p99 ms", "cpu us"
    for (i = 1; i <= count; i++) {
        split(order[i], part, SUBSEP)
        key = order[i]
        printf "%-9s %-12s %8s %12s %11.0f %6s %8.2f %8.2f %8.0f\n", part[1], name_of(part[2]),
            (part[1], part[2]) in bytes ? bytes[part[1], part[2]] : "-",
            sizes[key " ratio"] ? sprintf("%.0f", median(key " limit")) : "-",
            median(key " own"),
            sizes[key " ratio"] ? sprintf("%.0f%%", 100 * median(key " ratio")) : "-",
            median(key " p50") / 1000, median(key " p99") / 1000, median(key " cpu")
    }
    for (i = 1; i <= database_count; i++) {
        db = databases[i]
        if (!(db in fires))
            continue
        if (!headed++)
            printf "\n%-9s %-24s %10s %10s %12s\n", "database", "1,000 reads a second",
                "p50 ms", "p99 ms", "fires/s"
        printf "%-9s %-24s %10.2f %10.2f %12s\n", db, "idle", median(db " idle p50") / 1000,
            median(db " idle p99") / 1000, "-"
        printf "%-9s %-24s %10.2f %10.2f %12.0f\n", db, "under fire",
            median(db " load p50") / 1000, median(db " load p99") / 1000, fires[db]
    }
    printf "\ngoals\n"
    for (i = 1; i <= count; i++) {
        split(order[i], part, SUBSEP)
        judge(order[i], part)
    }
    if ("sqlite" in fires) {
        times = median("sqlite load p99") / median("sqlite idle p99")
        goal(sprintf("p99 of reads under %.0f fires/s: %.1f times that without (goal %d)",
            fires["sqlite"], times, P99_MAX),
            fires["sqlite"] < FIRES_MIN ? "no load" : times <= P99_MAX ? "met" : "not met")
    }
}
