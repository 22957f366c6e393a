/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the answer: the schedules, those that lose most first, their sum, and the load.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/answer.h"
#include "api/what_if/what_if_parts.h"
#include "core/time/text.h"

enum {
    TEXT_MAX = 512,
    BUCKETS_MAX = 240, /* of the load: about one for each pixel column of a small chart */
};

static int64_t missed_of(const struct what_if_counts *c)
{
    return c->window + c->coalesced;
}

static int compare_ids(struct str a, struct str b)
{
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_loss(const void *a, const void *b)
{
    const struct what_if_row *x = a, *y = b;
    int64_t lost_x = missed_of(&x->counts) + x->counts.dropped + x->counts.skipped;
    int64_t lost_y = missed_of(&y->counts) + y->counts.dropped + y->counts.skipped;

    if (lost_x != lost_y)
        return lost_x > lost_y ? -1 : 1;
    if (x->counts.caught_up != y->counts.caught_up)
        return x->counts.caught_up > y->counts.caught_up ? -1 : 1;
    return compare_ids(x->id, y->id);
}

static void print_counts(const struct what_if_counts *c, struct answer *out)
{
    answer_put_int(out, "due", c->due);
    answer_put_int(out, "started", c->started);
    answer_put_int(out, "missed", missed_of(c));
    answer_put_int(out, "window", c->window);
    answer_put_int(out, "coalesced", c->coalesced);
    answer_put_int(out, "dropped", c->dropped);
    answer_put_int(out, "caughtUp", c->caught_up);
    answer_put_int(out, "skipped", c->skipped);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_outage_text(const struct what_if_row *row, struct buf *out)
{
    const struct what_if_counts *c = &row->counts;
    int64_t in_time = c->due - missed_of(c) - c->dropped - c->caught_up;

    buf_printf(out, "%" PRId64 " slot%s due until the server is back", c->due, plural(c->due));
    if (c->caught_up > 0)
        buf_printf(out, "; %" PRId64 " caught up (%s)", c->caught_up,
                   catchup_text(row->catchup));
    if (c->coalesced > 0)
        buf_printf(out, "; %" PRId64 " missed, replaced by the one that starts", c->coalesced);
    if (c->window > 0)
        buf_printf(out, "; %" PRId64 " missed, too late to start", c->window);
    if (c->dropped > 0)
        buf_printf(out, "; %" PRId64 " dropped, no room in the buffer", c->dropped);
    if (in_time > 0)
        buf_printf(out, "; %" PRId64 " in time or waiting for room", in_time);
    if (c->skipped > 0)
        buf_printf(out, "; %" PRId64 " would probably not run (overlap %s)", c->skipped,
                   overlap_text(row->overlap));
}

static void print_edit_text(const struct what_if_row *row, struct buf *out)
{
    const struct what_if_counts *c = &row->counts;

    buf_printf(out, "%" PRId64 " slot%s instead of %" PRId64, c->due, plural(c->due),
               row->before.due);
    if (c->skipped > 0)
        buf_printf(out, "; %" PRId64 " would probably not run (overlap %s)", c->skipped,
                   overlap_text(row->overlap));
}

static void print_row_text(const struct what_if *w, const struct what_if_row *row,
                           struct answer *out)
{
    char room[TEXT_MAX];
    struct buf text = BUF(room);

    if (w->body->kind == WHAT_IF_DOWN)
        print_outage_text(row, &text);
    else
        print_edit_text(row, &text);
    if (row->depends_on_runs)
        buf_text(&text, "; its slots depend on its runs, so all numbers are estimates");
    answer_put_text(out, "text", buf_as_str(&text));
}

static void print_fate(const struct what_if_fate *fate, struct answer *out)
{
    bool has_outcome = fate->outcome != OUTCOME_NONE;

    answer_open(out);
    answer_put_instant(out, "slot", fate->slot);
    if (fate->count > 1) {
        answer_put_instant(out, "last", fate->last);
        answer_put_int(out, "count", fate->count);
    }
    answer_put_word(out, "outcome", has_outcome ? outcome_text(fate->outcome) : NULL);
    answer_put_word(out, "reason",
                    has_outcome && fate->reason != REASON_NONE ? reason_text(fate->reason)
                                                               : NULL);
    answer_put_instant(out, "startsAt", fate->starts);
    answer_text(out, "}");
}

static const char *source_word(enum duration_source source)
{
    static const char *const words[DURATION_SOURCES] = {
        [DURATION_NONE] = "none", [DURATION_P50] = "p50", [DURATION_GIVEN] = "given"};

    return words[source];
}

static void print_duration(const struct what_if_row *row, struct answer *out)
{
    char room[DURATION_TEXT_MAX];
    struct buf text = BUF(room);

    if (row->source != DURATION_NONE)
        duration_format(row->duration, &text);
    answer_put_some(out, "duration", buf_as_str(&text));
    answer_put_word(out, "durationFrom", source_word(row->source));
}

static void print_row(const struct what_if *w, const struct what_if_row *row,
                      struct answer *out)
{
    const struct what_if_counts *c = &row->counts;

    answer_open(out);
    answer_put_text(out, "id", row->id);
    print_counts(c, out);
    if (w->body->kind != WHAT_IF_DOWN) {
        answer_text(out, ",\"before\":{");
        print_counts(&row->before, out);
        answer_text(out, "}");
    }
    answer_put_instant(out, "first", c->due > 0 ? c->first : INSTANT_NONE);
    answer_put_instant(out, "last", c->due > 0 ? c->last : INSTANT_NONE);
    answer_put_word(out, "catchup", catchup_text(row->catchup));
    answer_put_word(out, "overlap", overlap_text(row->overlap));
    print_duration(row, out);
    answer_put_bool(out, "isEstimate", row->depends_on_runs || row->is_cut);
    print_row_text(w, row, out);
    answer_text(out, ",\"slots\":[");
    for (int i = 0; i < row->fate_count; i++)
        print_fate(&row->fates[i], out);
    answer_text(out, "]}");
}

static void print_total(const struct what_if *w, struct answer *out)
{
    struct what_if_counts sum = {0};

    for (int i = 0; i < w->row_count; i++) {
        const struct what_if_counts *c = &w->rows[i].counts;

        sum.due += c->due;
        sum.started += c->started;
        sum.caught_up += c->caught_up;
        sum.skipped += c->skipped;
        sum.window += c->window;
        sum.coalesced += c->coalesced;
        sum.dropped += c->dropped;
    }
    answer_text(out, ",\"total\":{");
    answer_put_int(out, "schedules", w->row_count);
    print_counts(&sum, out);
    answer_text(out, "}");
}

/* ---- the load ---- */

static instant minute_at(const struct what_if_load *load, int minute)
{
    return load->from + minute * SPAN_MIN;
}

static void print_peak(const struct what_if_load *load, const char *name, const int32_t *starts,
                       struct answer *out)
{
    int most = 0;

    for (int i = 1; i < load->minutes; i++)
        if (starts[i] > starts[most])
            most = i;
    answer_name(out, name);
    answer_text(out, "{");
    answer_put_int(out, "peak", starts[most]);
    answer_put_instant(out, "at", starts[most] > 0 ? minute_at(load, most) : INSTANT_NONE);
    answer_text(out, "}");
}

/* The shortest whole width with which there are at most BUCKETS_MAX. */
static int find_step(int minutes)
{
    static const int steps[] = {1, 5, 10, 15, 30, 60};
    size_t i = 0;

    while (i + 1 < sizeof steps / sizeof *steps && minutes > steps[i] * BUCKETS_MAX)
        i++;
    return steps[i];
}

/* Minutes whose time is a multiple of the step begin a bucket. */
static int bucket_end(const struct what_if_load *load, int minute, int step)
{
    int64_t at = minute_at(load, minute) / SPAN_MIN;
    int end = minute + (int)(step - at % step);

    return end < load->minutes ? end : load->minutes;
}

static int most_of(const int32_t *starts, int from, int end)
{
    int most = starts[from];

    for (int i = from + 1; i < end; i++)
        most = starts[i] > most ? starts[i] : most;
    return most;
}

static void print_buckets(const struct what_if_load *load, int step, struct answer *out)
{
    answer_text(out, ",\"buckets\":[");
    for (int i = 0, end; i < load->minutes; i = end) {
        int before, after;

        end = bucket_end(load, i, step);
        before = most_of(load->before, i, end);
        after = most_of(load->after, i, end);
        if (before == 0 && after == 0)
            continue;
        answer_open(out);
        answer_put_instant(out, "at", minute_at(load, i));
        answer_put_int(out, "before", before);
        answer_put_int(out, "after", after);
        answer_text(out, "}");
    }
    answer_text(out, "]");
}

static void print_load(const struct what_if *w, struct answer *out)
{
    const struct what_if_load *load = &w->load;
    int step = find_step(load->minutes);
    char room[DURATION_TEXT_MAX];
    struct buf text = BUF(room);

    duration_format(step * SPAN_MIN, &text);
    answer_text(out, ",\"load\":{");
    answer_put_instant(out, "from", load->from);
    answer_put_instant(out, "to", minute_at(load, load->minutes));
    answer_put_text(out, "step", buf_as_str(&text));
    answer_put_word(out, "per", "1m");
    print_peak(load, "before", load->before, out);
    print_peak(load, "after", load->after, out);
    print_buckets(load, step, out);
    answer_text(out, "}");
}

/* ---- the estimate ---- */

static void print_estimate(const struct what_if *w, struct answer *out)
{
    const int *count = w->sources;
    enum duration_source source = count[DURATION_P50] > 0     ? DURATION_P50
                                  : count[DURATION_GIVEN] > 0 ? DURATION_GIVEN
                                                              : DURATION_NONE;
    char room[TEXT_MAX];
    struct buf text = BUF(room);

    buf_text(&text,
             "due, missed, dropped and caughtUp are exact; started, skipped and the load "
             "depend on durations of runs and are estimates");
    if (count[DURATION_GIVEN] > 0)
        buf_printf(&text, "; given: %d schedule%s", count[DURATION_GIVEN],
                   plural(count[DURATION_GIVEN]));
    if (count[DURATION_P50] > 0)
        buf_printf(&text, "; median of the last 7 days: %d schedule%s", count[DURATION_P50],
                   plural(count[DURATION_P50]));
    if (count[DURATION_NONE] > 0)
        buf_printf(&text, "; unknown, taken as 0: %d schedule%s", count[DURATION_NONE],
                   plural(count[DURATION_NONE]));
    answer_text(out, ",\"estimate\":{");
    answer_put_word(out, "durations", source_word(source));
    answer_put_text(out, "text", buf_as_str(&text));
    answer_text(out, "}");
}

static void print_cut(const struct what_if *w, int listed, struct answer *out)
{
    char room[TEXT_MAX];
    struct buf text = BUF(room);

    if (listed < w->row_count)
        buf_printf(&text, "%d more schedules are affected; use limit or filter",
                   w->row_count - listed);
    if (w->unknown > 0)
        buf_printf(&text,
                   "%s%d schedule%s left out, because a time zone is missing on this "
                   "server",
                   text.len > 0 ? "; " : "", w->unknown, w->unknown == 1 ? " is" : "s are");
    answer_put_some(out, "cut", buf_as_str(&text));
}

enum call_step what_if_answer(struct what_if *w)
{
    int listed = w->row_count < w->body->limit ? w->row_count : w->body->limit;
    struct answer out = answer_new(w->call->arena);

    if (w->row_count > 1)
        qsort(w->rows, (size_t)w->row_count, sizeof *w->rows, by_loss);
    answer_open(&out);
    answer_put_instant(&out, "from", w->body->from);
    answer_put_instant(&out, "to", w->body->to);
    answer_put_int(&out, "considered", w->schedules);
    answer_text(&out, ",\"schedules\":[");
    for (int i = 0; i < listed; i++)
        print_row(w, &w->rows[i], &out);
    answer_text(&out, "]");
    print_total(w, &out);
    print_load(w, &out);
    print_estimate(w, &out);
    print_cut(w, listed, &out);
    answer_text(&out, "}");
    return call_answer(w->call, 200, answer_done(&out));
}
