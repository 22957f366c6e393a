# SPDX-License-Identifier: Apache-2.0
#
# Reads the lines of all rounds (round, who, what, zone, expression, value, sum; tabs)
# and prints the tables, the comparison of sums, and the goals.  The exit status is 1 if
# answers differ that must be equal.

BEGIN {
    FS = "\t"
    split("bare belfry croner cron-parser croniter", names, " ")
    split("UTC America/New_York", zones, " ")
    own = "belfry"
    fixed_daily = "30 2 * * *"
}

{
    key = $2 SUBSEP $3 SUBSEP $4 SUBSEP $5
    value[key, count[key]++] = $6
    if ($7 != "-")
        sum[key] = $7 "" # text: a double would lose the low digits
    if (count[key] == 1)
        order[++key_count] = key
    if ($3 == "next" && !($5 in seen)) {
        seen[$5] = 1
        exprs[++expr_count] = $5
    }
}

function median(who, what, zone, expr,    key, n, i, j, x, sorted) {
    key = who SUBSEP what SUBSEP zone SUBSEP expr
    n = count[key] + 0
    if (n == 0)
        return ""
    for (i = 0; i < n; i++) {
        x = value[key, i] + 0
        for (j = i - 1; j >= 0 && sorted[j] > x; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = x
    }
    return n % 2 ? sorted[(n - 1) / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2
}

function lowest(who, what, zone, expr,    key, i, low) {
    key = who SUBSEP what SUBSEP zone SUBSEP expr
    low = value[key, 0] + 0
    for (i = 1; i < count[key]; i++)
        if (value[key, i] + 0 < low)
            low = value[key, i] + 0
    return low
}

function head(title,    i) {
    printf "\n%-40s", title
    for (i = 1; i <= expr_count; i++)
        printf " %18s", exprs[i]
    printf "\n"
}

function row(label, who, what, zone,    i, x) {
    if (median(who, what, zone, exprs[1]) == "")
        return
    printf "  %-38s", label
    for (i = 1; i <= expr_count; i++) {
        x = median(who, what, zone, exprs[i])
        printf " %18s", sprintf(x < 1000 ? "%.1f" : "%.0f", x)
    }
    printf "\n"
}

# how many times longer `who` takes than Belfry, or Belfry than `who`
function ratio_row(label, who, what, zone, inverse,    i, a, b, r) {
    if (median(who, what, zone, exprs[1]) == "")
        return
    printf "  %-38s", label
    for (i = 1; i <= expr_count; i++) {
        a = median(own, what, zone, exprs[i])
        b = median(who, what, zone, exprs[i])
        r = inverse ? b / a : a / b
        printf " %18s", sprintf(inverse ? "%.0f x" : "%.2f", r)
        note(inverse ? who : "bare " what, r, inverse)
    }
    printf "\n"
}

# keeps the worst value of a goal; values that were not measured are ignored
function note(what, x, high_is_good) {
    if (x == "")
        return
    if (!(what in worst) || (high_is_good ? x < worst[what] : x > worst[what]))
        worst[what] = x
}

function fastest_row(zone,    i, j, x, best, who) {
    printf "  %-38s", "fastest peer takes, times Belfry"
    for (i = 1; i <= expr_count; i++) {
        best = 0
        for (j = 3; j in names; j++) {
            x = median(names[j], "next", zone, exprs[i])
            if (x && (!best || x < best)) {
                best = x
                who = names[j]
            }
        }
        if (!best) {
            printf " %18s", "none ran"
            continue
        }
        x = best / median(own, "next", zone, exprs[i])
        note("fastest", x, 1)
        printf " %18s", sprintf("%.0f x %s", x, substr(who, 1, 11))
    }
    printf "\n"
}

# the same ratio of the least disturbed rounds
function lowest_row(zone,    i) {
    printf "  %-38s", "Belfry / bare, best rounds"
    for (i = 1; i <= expr_count; i++)
        printf " %18.2f", lowest(own, "next", zone, exprs[i]) / \
            lowest("bare", "next", zone, exprs[i])
    printf "\n"
}

function next_table(zone,    i) {
    head("Next slot, ns, " zone)
    row("bare loop", "bare", "next", zone)
    row("Belfry spec_next", own, "next", zone)
    row("Belfry cron_next", own, "inner", zone)
    for (i = 3; i in names; i++)
        row(names[i], names[i], "next", zone)
    ratio_row("Belfry / bare", "bare", "next", zone, 0)
    lowest_row(zone)
    fastest_row(zone)
    ratio_row("croner takes, times Belfry", "croner", "next", zone, 1)
    for (i = 1; i <= expr_count; i++)
        note("next " zone, median(own, "next", zone, exprs[i]), 0)
}

function chain_table(zone,    i) {
    head("Slot after slot, ns, " zone)
    row("bare loop", "bare", "chain", zone)
    row("Belfry spec_walk", own, "chain", zone)
    for (i = 1; i <= 2; i++)
        note("dense chain", median(own, "chain", zone, exprs[i]), 0)
}

function text_table(    i) {
    head("From text, ns")
    row("Belfry cron_parse", own, "parse", "UTC")
    row("Belfry spec_compile", own, "compile", "UTC")
    for (i = 1; i <= expr_count; i++)
        note("parse", median(own, "parse", "UTC", exprs[i]), 0)
}

function single_rows(    i, key, part) {
    printf "\nProofs of never, us\n"
    for (i = 1; i <= key_count; i++) {
        split(order[i], part, SUBSEP)
        if (part[1] != own || part[2] != "never")
            continue
        printf "  %-38s Belfry %.2f, bare loop %.2f\n", part[4],
            median(own, "never", part[3], part[4]) / 1000,
            median("bare", "never", part[3], part[4]) / 1000
        if (sum[order[i]] != sum["bare", "never", part[3], part[4]]) {
            wrong++
            printf "  Belfry does NOT say never from every instant\n"
        }
    }
    for (i = 1; i <= key_count; i++) {
        key = order[i]
        split(key, part, SUBSEP)
        if (part[2] == "count") {
            worst["count"] = median(own, "count", part[3], part[4]) / 1e6
            printf "\nCount of %s with exclusions: %.0f slots in %.3f ms\n", part[4],
                sum[key], worst["count"]
        }
    }
    printf "\nAllocations per call\n"
    for (i = 1; i <= key_count; i++) {
        key = order[i]
        split(key, part, SUBSEP)
        if (part[2] == "allocations") {
            printf "  %-38s %s\n", part[4], sum[key] == 0 ? "none" : "some: " sum[key]
            note("allocations", sum[key], 0)
        }
    }
}

# why a different answer is not a fault of Belfry; "" if it is one
function excuse(who, what, zone, expr) {
    if (zone == "UTC")
        return ""
    if (who == "croniter")
        return "it can be an hour off when a clock change lies between"
    if (who == "bare")
        return what == "chain" ? "it has no rule for repeated hours" : ""
    return expr == fixed_daily ? "its rule for skipped times is another one" : ""
}

# prints who differs on one expression; true if all agree
function agree(what, title, zone, expr,    i, key, why, same) {
    same = 1
    for (i = 1; i in names; i++) {
        key = names[i] SUBSEP what SUBSEP zone SUBSEP expr
        if (!(key in sum) || sum[key] == sum[own, what, zone, expr])
            continue
        same = 0
        why = excuse(names[i], what, zone, expr)
        wrong += why == ""
        printf "  %s, %s, %s: %s differs (%s)\n", title, zone, expr, names[i],
            why == "" ? "NOT EXPLAINED" : why
    }
    return same
}

function sums(what, title, zone,    i, good) {
    for (i = 1; i <= expr_count; i++)
        good += agree(what, title, zone, exprs[i])
    printf "  %s, %s: all agree on %d of %d expressions\n", title, zone, good, expr_count
}

function goal(label, what, limit, high_is_good, unit,    x) {
    if (!(what in worst)) {
        printf "  %-50s not measured\n", label
        return
    }
    x = worst[what]
    printf "  %-50s %-7s worst %.2f%s\n", label,
        (high_is_good ? x >= limit : x <= limit) ? "met" : "MISSED", x, unit
}

END {
    for (z = 1; z in zones; z++)
        next_table(zones[z])
    for (z = 1; z in zones; z++)
        chain_table(zones[z])
    text_table()
    single_rows()
    printf "\nSums of the answers, compared with Belfry's\n"
    for (z = 1; z in zones; z++) {
        sums("next", "next slot", zones[z])
        sums("chain", "chains", zones[z])
    }
    printf "  %s\n", wrong ? "NOT EXPLAINED: " wrong : "OK: nothing is unexplained"
    printf "\nGoals\n"
    goal("next: at most 2.0 times the bare loop", "bare next", 2.0, 0, "")
    goal("next: 20 million a second in UTC", "next UTC", 50, 0, " ns")
    goal("next: 15 million a second in New York", "next America/New_York", 66.7, 0, " ns")
    goal("next: 5 times the fastest peer that ran", "fastest", 5, 1, " x")
    goal("next: 500 times croner", "croner", 500, 1, " x")
    goal("chains, the two dense ones: 60 million a second", "dense chain", 16.7, 0, " ns")
    goal("parse and compile to masks: 300 ns", "parse", 300, 0, " ns")
    goal("ten years of seconds counted in 200 ms", "count", 200, 0, " ms")
    goal("no allocation per call", "allocations", 0, 0, "")
    exit wrong > 0
}
