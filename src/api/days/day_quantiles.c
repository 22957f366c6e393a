/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantiles of the lateness and of the duration of runs, from the histograms of days.
 */
#include "api/days/day_date.h"
#include "api/days/days.h"
#include "api/days/uncounted.h"
#include "api/schedules/view.h"
#include "core/time/civil.h"
#include "store/key.h"
#include "store/named_objects.h"
#include "store/schedules.h"

enum {
    DAYS_DEFAULT = 7,
    DAYS_MAX = DAYS_KEPT,
    ROWS_MAX = DB_ROWS_MAX - 1, /* rows of table days that one answer reads, about 2 MB */
    GROUPS_MAX = 1000,          /* queues or schedules; days are limited by DAYS_MAX    */
};

enum by { BY_NONE, BY_DAY, BY_QUEUE, BY_SCHEDULE, BY_COUNT };
static const char *const by_names[BY_COUNT] = {"none", "day", "queue", "schedule"};

struct group {
    struct group *next;
    int64_t key; /* a day, or a subject */
    struct str name;
    struct histogram values;
};

struct quantiles {
    bool is_late; /* else durations */
    enum by by;
    struct str schedule, queue, label; /* at most one; empty: all */
    int64_t from, until;               /* days, both inclusive */
    struct histogram total;
    struct group *groups; /* by day, or subjects in the order of their keys */
    struct group *last;
    int group_count;
    instant as_of;
    struct day_sums sums; /* of one row */
};

/* ---- parameters ---- */

static enum rc read_by(const struct call *call, enum by *ret, struct err *reterr)
{
    struct str word = request_query(call, "by");

    for (int i = 0; i < BY_COUNT; i++)
        if (word.len == 0 || str_eq(word, str_of(by_names[i]))) {
            *ret = (enum by)i;
            return RC_OK;
        }
    return err_field(reterr, "by", "must be none, day, queue or schedule");
}

static enum rc read_range(const struct call *call, struct quantiles *q, struct err *reterr)
{
    enum rc rc;

    q->until = floor_div(call->now, SPAN_DAY) + 1; /* in some zones it is already tomorrow */
    rc = day_date_query(call, "to", &q->until, reterr);
    q->from = q->until - DAYS_DEFAULT + 1;
    if (rc == RC_OK)
        rc = day_date_query(call, "from", &q->from, reterr);
    if (rc != RC_OK)
        return rc;
    if (q->from > q->until)
        return err_field(reterr, "from", "must not be after to");
    if (q->until - q->from < DAYS_MAX)
        return RC_OK;
    err_set(reterr, RC_LIMIT, -1, 0, "the range is too long; the limit is %d days", DAYS_MAX);
    return err_in(reterr, "from");
}

static enum rc read_filter(const struct call *call, struct quantiles *q, struct err *reterr)
{
    q->schedule = request_query(call, "schedule");
    q->queue = request_query(call, "queue");
    q->label = request_query(call, "label");
    if ((q->schedule.len > 0) + (q->queue.len > 0) + (q->label.len > 0) > 1)
        return err_field(reterr, q->label.len > 0 ? "label" : "queue",
                         "only one of schedule, queue and label is possible");
    if (q->by == BY_QUEUE && (q->schedule.len > 0 || q->label.len > 0))
        return err_field(reterr, "by", "runs of a schedule are not known by queue");
    if (q->by == BY_SCHEDULE && q->queue.len > 0)
        return err_field(reterr, "by", "runs of a queue are not known by schedule");
    return RC_OK;
}

static enum call_step begin_quantiles(struct call *call, bool is_late)
{
    static const char *const names[] = {"by", "from", "to", "schedule", "queue", "label"};
    struct quantiles *q = arena_take(call->arena, sizeof *q);
    struct err err;

    q->is_late = is_late;
    if (request_query_check(call, names, 6, &err) != RC_OK ||
        read_by(call, &q->by, &err) != RC_OK || read_range(call, q, &err) != RC_OK ||
        read_filter(call, q, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = q;
    return CALL_READ;
}

enum call_step lateness_begin(struct call *call)
{
    return begin_quantiles(call, true);
}

enum call_step durations_begin(struct call *call)
{
    return begin_quantiles(call, false);
}

/* ---- groups ---- */

/* Days come in any order, subjects one after the other. */
static struct group *find_group(struct arena *arena, struct quantiles *q, int64_t key)
{
    struct group **at = &q->groups, *group;

    if (q->last && q->last->key <= key)
        at = q->last->key == key ? &q->last : &q->last->next;
    else
        while (*at && (*at)->key < key)
            at = &(*at)->next;
    if (*at && (*at)->key == key)
        return *at;
    group = arena_take(arena, sizeof *group);
    group->key = key;
    group->next = *at;
    histogram_clear(&group->values);
    *at = group;
    if (!group->next)
        q->last = group;
    q->group_count++;
    return group;
}

static const struct histogram *values_of(const struct quantiles *q)
{
    return q->is_late ? &q->sums.late : &q->sums.took;
}

/* Adds q->sums, which are of one day of one subject. */
static enum rc add_sums(const struct call *call, struct quantiles *q, const struct day_row *row,
                        struct err *reterr)
{
    struct group *group;

    if (values_of(q)->total == 0)
        return RC_OK;
    histogram_merge(&q->total, values_of(q));
    if (q->by == BY_NONE)
        return RC_OK;
    group = find_group(call->arena, q, q->by == BY_DAY ? row->day : row->subject);
    group->name = row->name;
    histogram_merge(&group->values, values_of(q));
    if (q->by == BY_DAY || q->group_count <= GROUPS_MAX)
        return RC_OK;
    return err_set(reterr, RC_LIMIT, -1, 0, "too many groups; the limit is %d; use a label",
                   GROUPS_MAX);
}

struct target {
    const struct call *call;
    struct quantiles *q;
};

static void add_sample(void *arg, const struct day_sample *sample)
{
    const struct target *to = arg;
    struct day_row row = {
        .subject = sample->subject, .day = sample->day, .name = to->q->schedule};
    struct err err;

    if (sample->day < to->q->from || sample->day > to->q->until)
        return;
    day_sums_clear(&to->q->sums);
    day_sums_add(&to->q->sums, sample);
    must(add_sums(to->call, to->q, &row, &err) == RC_OK); /* its groups are days, or itself */
}

static enum rc add_rows(const struct call *call, struct quantiles *q,
                        const struct db_result *rows, struct err *reterr)
{
    if (rows->rows > ROWS_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the answer needs more than %d days of schedules or queues; use fewer "
                       "days, a schedule, a queue or a label",
                       ROWS_MAX);
    for (int i = 0; i < rows->rows; i++) {
        struct day_row row;

        days_read(rows, i, &row);
        if (q->schedule.len > 0)
            row.name = q->schedule;
        day_sums_clear(&q->sums);
        if (!day_sums_unpack(&q->sums, row.body))
            return err_set(reterr, RC_CORRUPT, -1, 0, "a row of table days is damaged");
        if (add_sums(call, q, &row, reterr) != RC_OK)
            return reterr->rc;
    }
    return RC_OK;
}

/* ---- reading ---- */

static enum rc read_schedule(const struct call *call, struct db *db, struct days_query *query,
                             struct err *reterr)
{
    struct quantiles *q = call->arg;
    struct target target = {call, q};
    struct db_result found = {0}, rows = {0};
    enum rc rc;

    schedules_find(db, call->namespace, q->schedule, &found);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (found.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "schedule \"%.*s\" does not exist",
                       STR_ARG(q->schedule));
    query->subject = db_int_at(&found, 0, 0);
    days_of(db, query, &rows);
    rc = uncounted_read(call, db, &(struct uncounted){query->subject, add_sample, &target},
                        &q->as_of, reterr);
    return rc == RC_OK ? add_rows(call, q, &rows, reterr) : rc;
}

static enum rc read_queue(const struct call *call, struct db *db, struct days_query *query,
                          struct err *reterr)
{
    const struct quantiles *q = call->arg;
    struct db_result found = {0};
    enum rc rc;

    queues_find(db, call->namespace, q->queue, &found);
    rc = db_flush(db, call->arena, reterr);
    if (rc == RC_OK && found.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "queue \"%.*s\" does not exist",
                       STR_ARG(q->queue));
    if (rc == RC_OK)
        query->subject = db_int_at(&found, 0, 0);
    return rc;
}

/* "team=web" as a part of JSON; without a value, only the name. */
static struct str label_part(struct arena *arena, struct str label)
{
    struct answer part = answer_new(arena);
    struct str name = label, value = {NULL, 0};
    bool has_value = str_cut(label, '=', &name, &value) || str_cut(label, ':', &name, &value);

    answer_quoted(&part, has_value ? name : label);
    answer_text(&part, ":");
    if (has_value)
        answer_quoted(&part, value);
    return answer_done(&part);
}

/* Rows that are not counted yet are missing: the answer says since when. */
static enum rc read_many(const struct call *call, struct db *db, struct days_query *query,
                         struct err *reterr)
{
    struct quantiles *q = call->arg;
    struct db_result rows = {0}, counted = {0};
    enum rc rc = q->queue.len > 0 ? read_queue(call, db, query, reterr) : RC_OK;
    instant at;

    if (rc != RC_OK)
        return rc;
    if (q->label.len > 0)
        query->label = label_part(call->arena, q->label);
    if (q->queue.len > 0)
        days_of(db, query, &rows);
    else if (q->label.len > 0 || q->by == BY_SCHEDULE)
        days_of_schedules(db, query, &rows);
    else
        days_of_queues(db, query, &rows);
    days_counted(db, &counted);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    at = key_time(db_int_at(&counted, 0, 0));
    if (at < q->as_of)
        q->as_of = at;
    return add_rows(call, q, &rows, reterr);
}

/* ---- printing ---- */

static void print_ms(struct answer *out, const char *name, span value)
{
    answer_name(out, name);
    answer_reserve(out, 32);
    if (value < 0)
        value = 0;
    buf_printf(&out->buf, "%lld.%03lld", (long long)(value / SPAN_MS),
               (long long)(value % SPAN_MS));
}

static void print_values(struct answer *out, const struct histogram *values)
{
    static const struct {
        const char *name;
        int per_mille;
    } list[] = {{"p50Ms", 500}, {"p95Ms", 950}, {"p99Ms", 990}};

    answer_put_int(out, "count", values->total);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (values->total == 0)
            answer_put_word(out, list[i].name, NULL);
        else
            print_ms(out, list[i].name, histogram_quantile(values, list[i].per_mille));
    }
    if (values->total == 0)
        answer_put_word(out, "maxMs", NULL);
    else
        print_ms(out, "maxMs", values->most);
}

static void print_group(struct answer *out, const struct quantiles *q,
                        const struct group *group)
{
    answer_open(out);
    if (q->by == BY_DAY)
        day_date_print(out, by_names[BY_DAY], group->key);
    else if (q->queue.len > 0)
        answer_put_text(out, by_names[q->by], q->queue);
    else
        answer_put_some(out, by_names[q->by], group->name);
    print_values(out, &group->values);
    answer_text(out, "}");
}

enum call_step day_quantiles_read(struct call *call, struct db *db)
{
    struct quantiles *q = call->arg;
    struct answer out = answer_new(call->arena);
    struct days_query query = {.namespace = call->namespace,
                               .from = q->from,
                               .until = q->until,
                               .limit = ROWS_MAX + 1};
    struct err err;
    enum rc rc;

    q->as_of = call->now;
    q->groups = q->last = NULL;
    q->group_count = 0;
    histogram_clear(&q->total);
    rc = q->schedule.len > 0 ? read_schedule(call, db, &query, &err)
                             : read_many(call, db, &query, &err);
    if (rc == RC_LIMIT)
        return call_refuse(call, "limit", &err);
    if (rc != RC_OK)
        return view_failed(call, &err);
    answer_open(&out);
    answer_put_word(&out, "by", by_names[q->by]);
    day_date_print(&out, "from", q->from);
    day_date_print(&out, "to", q->until);
    answer_put_instant(&out, "asOf", q->as_of);
    answer_text(&out, ",\"total\":{");
    print_values(&out, &q->total);
    answer_text(&out, "},\"groups\":[");
    for (const struct group *group = q->groups; group; group = group->next)
        print_group(&out, q, group);
    answer_text(&out, "]}");
    return call_answer(call, 200, answer_done(&out));
}
