/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts by bucket, and prints them.
 */
#include "api/timeline/timeline_buckets.h"

#include <string.h>

#include "api/catalogue/catalogue_read.h"
#include "core/time/text.h"

static const char *const names[TIMELINE_COUNTS] = {
    [TIMELINE_PLANNED] = "planned",     [TIMELINE_OPEN] = "open",
    [TIMELINE_SUCCEEDED] = "succeeded", [TIMELINE_FAILED] = "failed",
    [TIMELINE_TIMED_OUT] = "timedOut",  [TIMELINE_CANCELLED] = "cancelled",
    [TIMELINE_SKIPPED] = "skipped",     [TIMELINE_MISSED] = "missed",
    [TIMELINE_DROPPED] = "dropped",     [TIMELINE_LATE] = "late",
};

/* As in the statistics of days. */
static enum timeline_count count_of(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_NONE:
        return TIMELINE_PLANNED;
    case OUTCOME_SKIPPED:
        return TIMELINE_SKIPPED;
    case OUTCOME_MISSED:
        return TIMELINE_MISSED;
    case OUTCOME_DROPPED:
        return TIMELINE_DROPPED;
    case OUTCOME_SLOT_CANCELLED:
    case OUTCOME_CANCELLED:
    case OUTCOME_TERMINATED:
        return TIMELINE_CANCELLED;
    case OUTCOME_SUCCEEDED:
        return TIMELINE_SUCCEEDED;
    case OUTCOME_TIMED_OUT:
        return TIMELINE_TIMED_OUT;
    case OUTCOME_STARTED:
    case OUTCOME_FAILED:
    case OUTCOME_UNKNOWN:
        break;
    }
    return TIMELINE_FAILED;
}

struct timeline_buckets timeline_buckets_new(const struct timeline_window *window, instant now,
                                             struct arena *arena)
{
    struct timeline_buckets b = {.window = window, .now = now, .low = window->buckets};

    b.at = arena_array(arena, (size_t)window->buckets, sizeof *b.at);
    return b;
}

void timeline_buckets_clear(struct timeline_buckets *b)
{
    if (b->low < b->high)
        memset(&b->at[b->low], 0, (size_t)(b->high - b->low) * sizeof *b->at);
    b->low = b->window->buckets;
    b->high = 0;
}

bool timeline_buckets_are_empty(const struct timeline_buckets *b)
{
    return b->low >= b->high;
}

static struct timeline_bucket *touch(struct timeline_buckets *b, int bucket)
{
    must(bucket >= 0 && bucket < b->window->buckets);
    b->low = bucket < b->low ? bucket : b->low;
    b->high = bucket >= b->high ? bucket + 1 : b->high;
    return &b->at[bucket];
}

/* ---- runs ---- */

static bool is_claimed(const struct slot_attempt *a)
{
    return a->is_open && run_is_claimed(a->run.state);
}

instant timeline_start_of(const struct slot_attempt *a)
{
    bool is_first = a->run.attempt == 1 && (!a->is_open || is_claimed(a));

    return is_first ? a->attempt_at : INSTANT_NONE;
}

bool timeline_is_late(const struct slot_attempt *a, instant now)
{
    instant start = timeline_start_of(a);

    if (a->is_open && a->run.started_at == INSTANT_NONE)
        start = now;
    return start != INSTANT_NONE && start - a->run.due > CATALOGUE_LATE_AFTER;
}

static span busy_time(const struct slot_attempt *a, instant now)
{
    instant end = a->is_open ? now : a->run.ended_at;
    bool has_begun = a->attempt_at != INSTANT_NONE && (!a->is_open || is_claimed(a));

    return has_begun && end > a->attempt_at ? end - a->attempt_at : 0;
}

void timeline_buckets_attempt(struct timeline_buckets *b, const struct slot_attempt *a)
{
    struct timeline_bucket *bucket;

    if (!timeline_window_has(b->window, a->run.slot))
        return;
    bucket = touch(b, timeline_window_bucket(b->window, a->run.slot));
    bucket->busy += busy_time(a, b->now);
    bucket->counts[TIMELINE_LATE] += timeline_is_late(a, b->now);
    if (a->is_open)
        bucket->counts[TIMELINE_OPEN]++;
    else if (a->is_last)
        bucket->counts[count_of(a->run.outcome)]++;
}

/* ---- slots without runs ---- */

struct series_target {
    struct timeline_buckets *buckets;
    enum timeline_count count;
};

static void add_count(void *arg, int bucket, int64_t count)
{
    const struct series_target *to = arg;

    touch(to->buckets, bucket)->counts[to->count] += count;
}

void timeline_buckets_series(struct timeline_buckets *b, const struct timeline_series *series)
{
    struct series_target target = {b, count_of(series->outcome)};

    timeline_series_spread(series, b->window, add_count, &target);
}

void timeline_buckets_lump(struct timeline_buckets *b, const struct account *range)
{
    instant at = range->first > b->window->from ? range->first : b->window->from;

    if (range->last < b->window->from || !timeline_window_has(b->window, at))
        return;
    touch(b, timeline_window_bucket(b->window, at))->counts[count_of(range->outcome)] +=
        range->count;
}

/* ---- printing ---- */

static bool is_empty(const struct timeline_bucket *bucket)
{
    for (int i = 0; i < TIMELINE_COUNTS; i++)
        if (bucket->counts[i] > 0)
            return false;
    return bucket->busy == 0;
}

static void print_bucket(const struct timeline_bucket *bucket, instant at, struct answer *out)
{
    char text[DURATION_TEXT_MAX];
    struct buf busy = BUF(text);

    answer_open(out);
    answer_put_instant(out, "at", at);
    for (int i = 0; i < TIMELINE_COUNTS; i++)
        if (bucket->counts[i] > 0)
            answer_put_int(out, names[i], bucket->counts[i]);
    if (bucket->busy > 0) {
        duration_format(bucket->busy / SPAN_MS * SPAN_MS, &busy);
        answer_put_text(out, "busy", buf_as_str(&busy));
    }
    answer_text(out, "}");
}

void timeline_buckets_print(const struct timeline_buckets *b, struct answer *out)
{
    answer_text(out, "[");
    for (int i = b->low; i < b->high; i++)
        if (!is_empty(&b->at[i]))
            print_bucket(&b->at[i], timeline_window_start(b->window, i), out);
    answer_text(out, "]");
}
