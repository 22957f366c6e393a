/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One question to the oracle and to the subject.  See compare_case.h.
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

/* Counts a difference, and whether it is the one that was made. */
static void note(struct compare_tally *tally, enum compare_spoil kind)
{
    tally->failures++;
    if (tally->spoil == kind && tally->spoil_turn == COMPARE_SPOIL_TURN)
        tally->noticed = kind;
}

static void print_query(struct compare_tally *tally, const struct compare_case *query,
                        enum compare_spoil kind)
{
    static const char *const names[] = {"verdict", "next", "prev", "count"};

    note(tally, kind);
    printf("%s differs: --case '%s|%s|%s|%s|%" PRId64 "|%d'", names[kind], query->dialect,
           query->expr, query->zone, query->dst == NULL ? "" : query->dst, query->after_us,
           query->count);
}

void compare_rejected(struct compare_tally *tally, const struct compare_case *query,
                      const char *by_whom)
{
    print_query(tally, query, COMPARE_SPOIL_NOTHING);
    printf(" | rejected by %s\n", by_whom);
}

static struct subject_query query_of(const struct compare_case *query)
{
    return (struct subject_query){query->dialect, query->expr, query->zone, query->dst};
}

/* Takes one element out of a list, as an implementation that overlooks a slot would. */
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

static bool check_next(struct compare_tally *tally, const struct compare_case *query, int count,
                       const int64_t *want)
{
    int64_t got[COMPARE_SLOTS_MAX];
    struct subject_query asked = query_of(query);
    int found = subject_next(&asked, query->after_us, query->count, got);

    if (count > 0 && is_spoilt(tally, COMPARE_SPOIL_NEXT))
        found = drop_one(found, got);
    tally->answers++;
    tally->slots += (uint64_t)count;
    if (found >= 0 && same_list(count, want, found, got))
        return true;
    print_query(tally, query, COMPARE_SPOIL_NEXT);
    print_list("wanted", count, want);
    print_list("got", found, got);
    printf("\n");
    return false;
}

/*
 * Backwards from the last slot (or from just behind it) the same slots come, and whatever
 * comes before them is not after the instant that the list began at.
 */
static bool check_prev(struct compare_tally *tally, const struct compare_case *query, int count,
                       const int64_t *slots)
{
    int64_t want[COMPARE_SLOTS_MAX];
    int64_t got[COMPARE_SLOTS_MAX + 1];
    struct subject_query asked = query_of(query);
    bool with_last = query->after_us % 2 != 0;
    int wanted = with_last ? count : count - 1;

    for (int i = 0; i < wanted; i++)
        want[i] = slots[wanted - 1 - i];
    int found = subject_prev(&asked, slots[count - 1] + with_last, wanted + 1, got);
    if (wanted > 0 && is_spoilt(tally, COMPARE_SPOIL_PREV))
        found = drop_one(found, got);
    tally->answers++;
    tally->slots += (uint64_t)wanted;
    bool is_bounded = found == wanted ||
                      (found == wanted + 1 && got[wanted] <= query->after_us);
    if (is_bounded && same_list(wanted, want, wanted, got))
        return true;
    print_query(tally, query, COMPARE_SPOIL_PREV);
    print_list("before", 1, (int64_t[]){slots[count - 1] + with_last});
    print_list("wanted", wanted, want);
    print_list("got", found, got);
    printf("\n");
    return false;
}

static void check_count(struct compare_tally *tally, const struct compare_case *query,
                        int count, const int64_t *slots)
{
    struct subject_query asked = query_of(query);
    bool with_last = query->after_us % 3 != 0;
    int64_t to = slots[count - 1] - !with_last;
    int64_t want = with_last ? count : count - 1;
    int64_t got = subject_count(&asked, query->after_us, to);

    if (is_spoilt(tally, COMPARE_SPOIL_COUNT))
        got++;
    tally->answers++;
    if (got == want)
        return;
    print_query(tally, query, COMPARE_SPOIL_COUNT);
    print_list("up to", 1, &to);
    printf(" | wanted %" PRId64 " | got %" PRId64 "\n", want, got);
}

/*
 * How many slots are asked for.  A rule for any year says nothing about years that cannot be
 * named (2200 and on), nor does a dialect that knows no later year than 2100 (temporal) about
 * what follows there: that belongs to its specs, which have their own tests.
 */
static int clear_count(const struct oracle_rule *rule, int asked, int count,
                       const int64_t *slots)
{
    const struct oracle_field *year = &rule->field[ORACLE_YEAR];
    int64_t limit = oracle_day_number(2199, 12, 30) * ORACLE_DAY_SECONDS * SECOND_US;
    int64_t from, to;

    if (year->written && !year->is_any)
        return asked;
    oracle_horizon(rule, &from, &to);
    if (to < limit / SECOND_US)
        return count;
    int clear = count;
    while (year->written && clear > 0 && slots[clear - 1] >= limit)
        clear--;
    return clear < count ? clear : asked;
}

void compare_case(struct compare_tally *tally, const struct compare_case *query,
                  struct oracle_rule *rule, struct oracle_clock *clock)
{
    int64_t want[COMPARE_SLOTS_MAX];
    struct oracle_policy policy;
    struct compare_case asked = *query;

    oracle_need(query->count <= COMPARE_SLOTS_MAX);
    oracle_need(oracle_policy_of(rule, query->dst, &policy) == 0);
    int64_t after = oracle_floor_div(query->after_us, SECOND_US);
    int count = oracle_list(clock, rule, policy, after, query->count, want);
    for (int i = 0; i < count; i++)
        want[i] *= SECOND_US;
    asked.count = clear_count(rule, query->count, count, want);
    if (asked.count == 0)
        return;
    if (count > asked.count)
        count = asked.count;

    tally->cases++;
    if (!check_next(tally, &asked, count, want))
        return;
    /* What counts from the argument has no past. */
    if (count == 0 || rule->from_after)
        return;
    bool is_counted = tally->cases % COMPARE_COUNT_EACH == 1;
    if (check_prev(tally, &asked, count, want) && is_counted)
        check_count(tally, &asked, count, want);
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
    note(tally, COMPARE_SPOIL_OFFSET);
    printf("offset differs: --offset '%s|%" PRId64 "' | at", zone, instant);
    print_instant(instant * SECOND_US);
    printf(" | wanted %d | got %d%s\n", want, got, result == 0 ? "" : " (no such zone)");
}
