/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends one query to the oracle and to the subject.  See compare_case.h.
 */
#include "compare_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "oracle_civil.h"
#include "subject.h"

#define SECOND_US INT64_C(1000000)

static bool is_spoilt(struct compare_tally *tally, enum compare_spoil what)
{
    return tally->spoil == what && ++tally->spoil_turn == COMPARE_SPOIL_TURN;
}

static void print_instant(int64_t us)
{
    int64_t second = oracle_floor_div(us, SECOND_US);
    int64_t day = oracle_floor_div(second, ORACLE_DAY_SECONDS);
    struct oracle_date date = oracle_date_of(day);
    int of_day = (int)(second - day * ORACLE_DAY_SECONDS);

    printf(" %04d-%02d-%02dT%02d:%02d:%02d", date.year, date.month, date.day, of_day / 3600,
           of_day / 60 % 60, of_day % 60);
    if (us != second * SECOND_US)
        printf(".%06d", (int)(us - second * SECOND_US));
    printf("Z");
}

static void print_list(const char *title, int count, const int64_t *us)
{
    printf(" | %s", title);
    if (count < 0)
        printf(" rejected");
    else if (count == 0)
        printf(" none");
    for (int i = 0; i < count; i++)
        print_instant(us[i]);
}

/* Counts a difference, and whether it is the deliberate one. */
static void count_difference(struct compare_tally *tally, enum compare_spoil kind)
{
    tally->failures++;
    if (tally->spoil == kind && tally->spoil_turn == COMPARE_SPOIL_TURN)
        tally->noticed = kind;
}

static void report_difference(struct compare_tally *tally, const struct compare_case *query,
                              enum compare_spoil kind)
{
    static const char *const names[] = {"verdict", "next", "prev", "count"};

    count_difference(tally, kind);
    printf("%s differs: --case '%s|%s|%s|%s|%" PRId64 "|%d'", names[kind], query->dialect,
           query->expr, query->zone, query->dst == NULL ? "" : query->dst, query->after_us,
           query->count);
}

void compare_rejected(struct compare_tally *tally, const struct compare_case *query,
                      const char *by_whom)
{
    report_difference(tally, query, COMPARE_SPOIL_NOTHING);
    printf(" | rejected by %s\n", by_whom);
}

static struct subject_query query_of(const struct compare_case *query)
{
    return (struct subject_query){query->dialect, query->expr, query->zone, query->dst};
}

/* Removes one element of a list, like an implementation that misses a slot. */
static int drop_one(int count, int64_t *list)
{
    if (count < 1)
        return count; /* rejected: different anyway */
    memmove(list + count / 2, list + count / 2 + 1,
            (size_t)(count - 1 - count / 2) * sizeof *list);
    return count - 1;
}

static bool same_list(int count, const int64_t *one, int other_count, const int64_t *other)
{
    return count == other_count && memcmp(one, other, (size_t)count * sizeof *one) == 0;
}

/* The state of one comparison. */
struct run {
    struct compare_tally *tally;
    struct compare_case query;
    struct oracle_rule *rule;
    struct oracle_clock *clock;
    struct oracle_policy policy;
    int count; /* slots by the oracle, in microseconds */
    int64_t slot[COMPARE_SLOTS_MAX];
};

static bool check_next(struct run *run)
{
    int64_t got[COMPARE_SLOTS_MAX];
    struct subject_query asked = query_of(&run->query);
    int found = subject_next(&asked, run->query.after_us, run->query.count, got);

    if (run->count > 0 && is_spoilt(run->tally, COMPARE_SPOIL_NEXT))
        found = drop_one(found, got);
    run->tally->answers++;
    run->tally->slots += (uint64_t)run->count;
    if (found >= 0 && same_list(run->count, run->slot, found, got))
        return true;
    report_difference(run->tally, &run->query, COMPARE_SPOIL_NEXT);
    print_list("wanted", run->count, run->slot);
    print_list("got", found, got);
    printf("\n");
    return false;
}

/*
 * Checks the slot that the subject reports before the first one (NULL: none): it must not be
 * after the instant at which the list began, and the first one must follow it.  If there is
 * none, there must be none for a year.  Before 1970 no year can be written: not checked.
 */
static bool is_before_first(struct run *run, const int64_t *before_us)
{
    int64_t first = run->slot[0] / SECOND_US;
    int64_t after = oracle_floor_div(run->query.after_us, SECOND_US);
    int64_t from = before_us == NULL ? after - 366 * ORACLE_DAY_SECONDS
                                     : oracle_floor_div(*before_us, SECOND_US);
    int64_t start, end, next;

    oracle_horizon(run->rule, &start, &end);
    if (from < 366 * ORACLE_DAY_SECONDS &&
        (run->rule->field[ORACLE_YEAR].written || start == 0))
        return true;
    if (!oracle_next(run->clock, run->rule, run->policy, from, &next) || next != first)
        return false;
    if (before_us == NULL)
        return true;
    return *before_us <= run->query.after_us && *before_us == from * SECOND_US &&
           oracle_next(run->clock, run->rule, run->policy, from - 1, &next) && next == from;
}

/* Backwards from the last slot, or from just after it, the slots must be the same. */
static bool check_prev(struct run *run)
{
    int64_t want[COMPARE_SLOTS_MAX];
    int64_t got[COMPARE_SLOTS_MAX + 1];
    struct subject_query asked = query_of(&run->query);
    bool with_last = run->query.after_us % 2 != 0;
    int64_t before = run->slot[run->count - 1] + with_last;
    int wanted = with_last ? run->count : run->count - 1;

    for (int i = 0; i < wanted; i++)
        want[i] = run->slot[wanted - 1 - i];
    int found = subject_prev(&asked, before, wanted + 1, got);
    if (is_spoilt(run->tally, COMPARE_SPOIL_PREV))
        found = drop_one(found, got);
    run->tally->answers++;
    run->tally->slots += (uint64_t)wanted + 1;
    if (found >= wanted && same_list(wanted, want, wanted, got) &&
        is_before_first(run, found > wanted ? &got[wanted] : NULL))
        return true;
    report_difference(run->tally, &run->query, COMPARE_SPOIL_PREV);
    print_list("before", 1, &before);
    print_list("wanted", wanted, want);
    print_list("got", found, got);
    printf("\n");
    return false;
}

static void check_count(struct run *run)
{
    struct subject_query asked = query_of(&run->query);
    bool with_last = run->query.after_us % 3 != 0;
    int64_t to = run->slot[run->count - 1] - !with_last;
    int64_t want = with_last ? run->count : run->count - 1;
    int64_t got = subject_count(&asked, run->query.after_us, to);

    if (is_spoilt(run->tally, COMPARE_SPOIL_COUNT))
        got++;
    run->tally->answers++;
    if (got == want)
        return;
    report_difference(run->tally, &run->query, COMPARE_SPOIL_COUNT);
    print_list("up to", 1, &to);
    printf(" | wanted %" PRId64 " | got %" PRId64 "\n", want, got);
}

/*
 * How many slots to compare: none from 2199-12-30 on if the rule allows any year, because the
 * documents do not say what it means in years that cannot be written.
 */
static int count_to_compare(const struct run *run)
{
    const struct oracle_field *year = &run->rule->field[ORACLE_YEAR];
    int64_t limit = oracle_day_number(2199, 12, 30) * ORACLE_DAY_SECONDS;
    int clear = run->count;

    if (year->written && !year->is_any)
        return run->query.count;
    while (year->written && clear > 0 && run->slot[clear - 1] >= limit * SECOND_US)
        clear--;
    return clear < run->count ? clear : run->query.count;
}

void compare_case(struct compare_tally *tally, const struct compare_case *query,
                  struct oracle_rule *rule, struct oracle_clock *clock)
{
    struct run run = {.tally = tally, .query = *query, .rule = rule, .clock = clock};

    oracle_need(query->count <= COMPARE_SLOTS_MAX);
    oracle_need(oracle_policy_of(rule, query->dst, &run.policy) == 0);
    int64_t after = oracle_floor_div(query->after_us, SECOND_US);
    run.count = oracle_list(clock, rule, run.policy, after, query->count, run.slot);
    for (int i = 0; i < run.count; i++)
        run.slot[i] *= SECOND_US;
    run.query.count = count_to_compare(&run);
    if (run.query.count == 0)
        return;
    if (run.count > run.query.count)
        run.count = run.query.count;

    tally->cases++;
    /* A rule that counts from the argument has no earlier slots. */
    if (!check_next(&run) || run.count == 0 || rule->from_after)
        return;
    if (check_prev(&run) && tally->cases % COMPARE_COUNT_EACH == 1)
        check_count(&run);
}

void compare_offset(struct compare_tally *tally, const char *zone, const struct oracle_tz *tz,
                    int64_t instant)
{
    int32_t want = oracle_tz_offset(tz, instant);
    int32_t got = 0;
    int result = subject_offset(zone, instant, &got);

    if (is_spoilt(tally, COMPARE_SPOIL_OFFSET))
        got++;
    tally->offsets++;
    if (result == 0 && got == want)
        return;
    count_difference(tally, COMPARE_SPOIL_OFFSET);
    printf("offset differs: --offset '%s|%" PRId64 "' | at", zone, instant);
    print_instant(instant * SECOND_US);
    printf(" | wanted %d | got %d%s\n", want, got, result == 0 ? "" : " (no such zone)");
}
