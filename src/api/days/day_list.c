/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists what became of the slots of a schedule on each day of a year.
 *
 * Rows of history and ledger that are not counted yet are added here, so that the answer
 * contains everything that was committed, unless there are more than DAYS_SCAN.
 */
#include <string.h>

#include "api/days/day_date.h"
#include "api/days/days.h"
#include "api/days/uncounted.h"
#include "api/schedules/schedule_times.h"
#include "core/spec/local.h"
#include "core/time/civil.h"

enum {
    YEAR_FIRST = 1970,
    YEAR_LAST = 9999,
    YEAR_DAYS_MAX = 366,
    YEAR_ROWS_MAX = 16384, /* of all nodes that have counted days of the year */
};

struct year {
    int64_t number; /* 0: the current one in the zone of the schedule */
    int64_t first, last;
    struct day_sums *days[YEAR_DAYS_MAX]; /* NULL: nothing happened */
};

enum call_step day_list_begin(struct call *call)
{
    static const char *const names[] = {"year"};
    struct year *year = arena_take(call->arena, sizeof *year);
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, names, 1, &err) != RC_OK ||
        request_query_int(call, "year", YEAR_FIRST, YEAR_LAST, &year->number, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = year;
    return CALL_READ;
}

static struct day_sums *find_day(struct arena *arena, struct year *year, int64_t day)
{
    struct day_sums **at;

    if (day < year->first || day > year->last)
        return NULL;
    at = &year->days[day - year->first];
    if (!*at) {
        *at = arena_take(arena, sizeof **at);
        day_sums_clear(*at);
    }
    return *at;
}

struct sample_target {
    struct arena *arena;
    struct year *year;
};

static void add_sample(void *arg, const struct day_sample *sample)
{
    const struct sample_target *to = arg;
    struct day_sums *sums = find_day(to->arena, to->year, sample->day);

    if (sums)
        day_sums_add(sums, sample);
}

static enum rc read_year(const struct call *call, struct db *db, int64_t schedule,
                         instant *ret_as_of, struct err *reterr)
{
    struct year *year = call->arg;
    struct sample_target target = {call->arena, year};
    struct days_query query = {
        .subject = schedule, .from = year->first, .until = year->last, .limit = YEAR_ROWS_MAX};
    struct db_result rows = {0};
    enum rc rc;

    days_of(db, &query, &rows);
    rc = uncounted_read(call, db, &(struct uncounted){schedule, add_sample, &target}, ret_as_of,
                        reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
        struct day_row row;

        days_read(&rows, i, &row);
        if (!day_sums_unpack(find_day(call->arena, year, row.day), row.body))
            rc = err_set(reterr, RC_CORRUPT, -1, 0, "a row of table days is damaged");
    }
    return rc;
}

/* ---- printing ---- */

static bool has_counts(const int64_t counts[static DAY_COUNTS])
{
    for (int i = 0; i < DAY_COUNTS; i++)
        if (counts[i] > 0)
            return true;
    return false;
}

static void print_counts(struct answer *out, const char *name,
                         const int64_t counts[static DAY_COUNTS])
{
    static const char *const names[] = {
        [DAY_SUCCEEDED] = "succeeded", [DAY_FAILED] = "failed",
        [DAY_TIMED_OUT] = "timedOut",  [DAY_CANCELLED] = "cancelled",
        [DAY_SKIPPED] = "skipped",     [DAY_MISSED] = "missed",
        [DAY_DROPPED] = "dropped",     [DAY_WITHDRAWN] = "withdrawn",
    };

    answer_name(out, name);
    answer_text(out, "{");
    for (int i = 0; i < DAY_COUNTS; i++)
        answer_put_int(out, names[i], counts[i]);
    answer_text(out, "}");
}

static void print_day(struct answer *out, int64_t day, const struct day_sums *sums)
{
    answer_open(out);
    day_date_print(out, "date", day);
    print_counts(out, "slots", sums->counts[DAY_SLOT]);
    if (has_counts(sums->counts[DAY_TRIGGER]))
        print_counts(out, "triggers", sums->counts[DAY_TRIGGER]);
    if (has_counts(sums->counts[DAY_BACKFILL]))
        print_counts(out, "backfills", sums->counts[DAY_BACKFILL]);
    answer_text(out, "}");
}

static bool is_empty(const struct day_sums *sums)
{
    for (int kind = 0; kind < DAY_KINDS; kind++)
        if (has_counts(sums->counts[kind]))
            return false;
    return true;
}

static void print_year(struct answer *out, const struct year *year, struct str zone,
                       instant as_of)
{
    answer_open(out);
    answer_put_int(out, "year", year->number);
    answer_put_text(out, "timeZone", zone);
    answer_put_instant(out, "asOf", as_of);
    answer_text(out, ",\"days\":[");
    for (int64_t day = year->first; day <= year->last; day++) {
        const struct day_sums *sums = year->days[day - year->first];

        if (sums && !is_empty(sums))
            print_day(out, day, sums);
    }
    answer_text(out, "]}");
}

enum call_step day_list_read(struct call *call, struct db *db)
{
    struct schedule_times *p = arena_take(call->arena, sizeof *p);
    struct answer out = answer_new(call->arena);
    struct year *year = call->arg;
    const struct spec_zone *zone;
    instant as_of = call->now;
    struct err err;

    if (schedule_times_read(call, db, p, &err) != RC_OK)
        return view_failed(call, &err);
    zone = &p->plan.spec.zones[0];
    if (year->number == 0)
        year->number = date_of_day(local_day(zone->tz, call->now)).year;
    memset(year->days, 0, sizeof year->days); /* a read may be repeated */
    year->first = day_of_date((int)year->number, 1, 1);
    year->last = day_of_date((int)year->number, MONTHS, 31);
    if (read_year(call, db, p->view.cursor.id, &as_of, &err) != RC_OK)
        return view_failed(call, &err);
    print_year(&out, year, zone->name, as_of);
    return call_answer(call, 200, answer_done(&out));
}
