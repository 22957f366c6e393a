# SPDX-License-Identifier: Apache-2.0
#
# Turns the raw figures of bench-engine into a table, and checks the goals of the engine.
# cell DATABASE PATTERN SCHEDULES BARE-FIRES BARE-US ENGINE-FIRES ENGINE-US CREATE-US
# idle DATABASE KB      first DATABASE US
BEGIN {
    FS = "\t"
    RATIO_MIN = 0.60
    GROWTH_MAX = 1.5      # cost at 1M relative to 1k, on the minute
    GROWTH_RANDOM = 1.3   # times the bare loop's own growth, at random instants
    IDLE_MAX_KB = 200000
    FIRST_MAX_US = 1000000
    printf "\n%-9s %-7s %10s %12s %14s %7s %12s\n", "database", "slots", "schedules",
        "bare fires/s", "engine fires/s", "ratio", "creates/s"
}

$1 == "cell" {
    bare = 1e6 * $5 / $6
    engine = 1e6 * $7 / $8
    ratio = engine / bare
    printf "%-9s %-7s %10d %12.0f %14.0f %6.0f%% %12.0f\n", $2, $3, $4, bare, engine,
        100 * ratio, 1e6 * $4 / $9
    key = $2 SUBSEP $3
    if (!(key in seen)) {
        seen[key] = 1
        order[++count] = key
    }
    bare_cost[key, $4] = 1e6 / bare
    engine_cost[key, $4] = 1e6 / engine
    if (!(key in worst) || ratio < worst[key])
        worst[key] = ratio
}

$1 == "idle" { idle[$2] = $3 }
$1 == "first" { first[$2] = $3 }

function goal(text, is_met) {
    printf "  %-7s %s\n", is_met ? "met" : "not met", text
}

function growth_goal(key, part,    engine, bare) {
    if (!((key, 1000000) in engine_cost))
        return
    engine = engine_cost[key, 1000000] / engine_cost[key, 1000]
    bare = bare_cost[key, 1000000] / bare_cost[key, 1000]
    if (part[2] == "minute")
        goal(sprintf("%s, %s: a fire at 1M costs %.2f times that at 1k (goal %.1f; bare loop %.2f)",
            part[1], part[2], engine, GROWTH_MAX, bare), engine <= GROWTH_MAX)
    else
        goal(sprintf("%s, %s: a fire at 1M costs %.2f times that at 1k, the bare loop %.2f: %.2f times (goal %.1f)",
            part[1], part[2], engine, bare, engine / bare, GROWTH_RANDOM),
            engine <= GROWTH_RANDOM * bare)
}

END {
    if (count == 0) {
        print "no figures"
        exit 1
    }
    printf "\ngoals\n"
    for (i = 1; i <= count; i++) {
        split(order[i], part, SUBSEP)
        goal(sprintf("%s, %s: at least %.0f%% of the bare loop (goal %.0f%%)", part[1], part[2],
            100 * worst[order[i]], 100 * RATIO_MIN), worst[order[i]] >= RATIO_MIN)
        growth_goal(order[i], part)
    }
    for (name in idle)
        goal(sprintf("%s: %.0f MB resident with idle schedules (goal %.0f with 1M)", name,
            idle[name] / 1000, IDLE_MAX_KB / 1000), idle[name] <= IDLE_MAX_KB)
    for (name in first)
        goal(sprintf("%s: first call %.0f ms after the start of a process (goal %.0f with 1M schedules)",
            name, first[name] / 1000, FIRST_MAX_US / 1000), first[name] <= FIRST_MAX_US)
}
