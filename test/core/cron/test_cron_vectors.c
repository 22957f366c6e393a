/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published vectors: the instants that real implementations compute for expressions.
 *
 * The files are in test/data/vectors, or in the directory BELFRY_VECTORS.
 */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/cron/cron_parse.h"
#include "core/spec/local.h"
#include "core/time/text.h"
#include "zones.h"

enum {
    TIMES_MAX = 16,
    LINE_BYTES_MAX = 16384, /* bytes of one line */
};

/* One row: an expression and its expected times. */
struct vector {
    const char *id;
    struct str expr, zone, seed;
    enum dialect dialect;
    enum dst_name dst;
    int64_t after; /* UTC second; slots are later */
    int64_t expected[TIMES_MAX];
    int count;
    bool is_complete; /* nothing follows */
};

/* ---- reading the files ---- */

static const char *vector_path(const char *name)
{
    static char path[512];
    const char *dir = getenv("BELFRY_VECTORS");

    snprintf(path, sizeof path, "%s/%s", dir ? dir : "test/data/vectors", name);
    return path;
}

static json_t *load_json(const char *name)
{
    json_error_t error;
    json_t *root = json_load_file(vector_path(name), 0, &error);

    if (!root)
        fail_msg("%s: %s", vector_path(name), error.text);
    return root;
}

static struct str get_text(const json_t *object, const char *key)
{
    return str_of(json_string_value(json_object_get(object, key)));
}

static int64_t second_of(struct str text)
{
    struct err err;
    instant t;

    if (instant_parse(text, &t, &err) != RC_OK)
        fail_msg("%.*s: %s", STR_ARG(text), err.text);
    return instant_seconds(t);
}

static const struct tz *zone_of(struct str name)
{
    struct err err;
    const struct tz *tz = zone_find(NULL, name.len > 0 ? name : STR("UTC"), &err);

    if (!tz)
        fail_msg("%s", err.text);
    return tz;
}

static int read_times(const json_t *list, int64_t *ret)
{
    size_t count = json_array_size(list);

    assert_true(count <= TIMES_MAX);
    for (size_t i = 0; i < count; i++)
        ret[i] = second_of(str_of(json_string_value(json_array_get(list, i))));
    return (int)count;
}

/* ---- checking a row ---- */

static void expect(const struct vector *q, int i, int64_t found)
{
    if (i < q->count && found != q->expected[i])
        fail_msg("%s: %s \"%.*s\" in %.*s: time %d is %lld, expected %lld", q->id,
                 dialect_text(q->dialect), STR_ARG(q->expr), STR_ARG(q->zone), i,
                 (long long)found, (long long)q->expected[i]);
    if (i == q->count && found != LOCAL_NEVER)
        fail_msg("%s: %s \"%.*s\": %lld comes after the last", q->id, dialect_text(q->dialect),
                 STR_ARG(q->expr), (long long)found);
}

static void check_cron(const struct vector *q, const struct cron *cron, struct str zone)
{
    enum dst_name name = q->dst == DST_DEFAULT ? dialect_dst(q->dialect) : q->dst;
    struct dst_choice dst = dst_resolve((struct dst_rule){.name = name},
                                        cron->flags & CRON_INTERVAL);
    const struct tz *tz = zone_of(zone);
    int64_t at = q->after;

    for (int i = 0; i < q->count + q->is_complete; i++) {
        at = cron_next(cron, tz, dst, at + 1);
        expect(q, i, at);
    }
}

static void check_vector(const struct vector *q)
{
    struct cron_text text;
    struct err err;

    if (cron_parse(q->expr, q->dialect, q->seed, &text, &err) != RC_OK)
        fail_msg("%s: %s \"%.*s\": %s", q->id, dialect_text(q->dialect), STR_ARG(q->expr),
                 err.text);
    if (!text.is_every) {
        check_cron(q, &text.cron, text.zone.len > 0 ? text.zone : q->zone);
        return;
    }
    for (int i = 0; i < q->count; i++)
        expect(q, i, q->after + (i + 1) * (text.every / SPAN_S));
}

/* Rejected, with a position inside the text and a message. */
static void check_refused(const char *id, struct str expr, enum dialect dialect)
{
    struct cron_text text;
    struct err err;

    if (cron_parse(expr, dialect, STR(""), &text, &err) != RC_INVALID)
        fail_msg("%s: %s \"%.*s\" is accepted", id, dialect_text(dialect), STR_ARG(expr));
    assert_in_range(err.at, 0, expr.len);
    assert_true((size_t)(err.at + err.len) <= expr.len);
    assert_true(strlen(err.text) > 10);
}

/* ---- cron-public.json ---- */

static struct vector vector_of(const json_t *row)
{
    struct str dst = get_text(row, "dst");
    struct vector q = {
        .id = json_string_value(json_object_get(row, "id")),
        .expr = get_text(row, "expr"),
        .zone = get_text(row, "tz"),
        .seed = get_text(row, "seed"),
        .is_complete = json_is_true(json_object_get(row, "complete")),
    };
    struct err err;

    assert_int_equal(dialect_parse(get_text(row, "dialect"), &q.dialect, &err), RC_OK);
    if (dst.len > 0)
        assert_int_equal(dst_parse(dst, &q.dst, &err), RC_OK);
    if (!json_is_true(json_object_get(row, "error"))) {
        q.after = second_of(get_text(row, "after"));
        q.count = read_times(json_object_get(row, "expect"), q.expected);
    }
    return q;
}

static void every_public_vector_of_cron_is_right(void **state)
{
    json_t *rows = load_json("cron-public.json"), *row;
    int checked = 0;
    size_t i;

    (void)state;
    json_array_foreach(rows, i, row)
    {
        struct vector q = vector_of(row);

        if (q.dialect == DIALECT_SYSTEMD || q.dialect == DIALECT_RRULE)
            continue;
        checked++;
        if (json_is_true(json_object_get(row, "error")))
            check_refused(q.id, q.expr, q.dialect);
        else
            check_vector(&q);
    }
    assert_true(checked > 600);
    json_decref(rows);
}

/* ---- spring-cron.tsv, spring-cron-named.txt ---- */

/* Calls `fn` for each line that is not a comment. */
static void each_line(const char *name, bool (*fn)(const char *line), int least)
{
    static char line[LINE_BYTES_MAX];
    FILE *file = fopen(vector_path(name), "r");
    int used = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#')
            used += fn(line);
    }
    fclose(file);
    assert_true(used >= least);
}

/* The text up to `sep`; moves *rest after it. */
static struct str cut_before(struct str *rest, const char *sep)
{
    const char *at = strstr(rest->ptr, sep);
    size_t len = at ? (size_t)(at - rest->ptr) : rest->len;
    struct str head = {rest->ptr, len};

    *rest = str_from(*rest, at ? len + strlen(sep) : len);
    return head;
}

/* The second that contains an instant in milliseconds; slots are later than this second. */
static int64_t second_of_ms(struct str text)
{
    char *end;
    long long ms = strtoll(text.ptr, &end, 10);

    assert_ptr_equal(end, text.ptr + text.len);
    return floor_div(ms, 1000);
}

static bool check_tsv_line(const char *line)
{
    struct str rest = str_of(line);
    struct vector q = {.id = "spring-cron.tsv", .dialect = DIALECT_SPRING};

    q.expr = cut_before(&rest, "\t");
    q.zone = cut_before(&rest, "\t");
    q.after = second_of_ms(cut_before(&rest, "\t"));
    while (rest.len > 0) {
        struct str next = cut_before(&rest, "\t");

        if (str_eq(next, STR("-")))
            q.is_complete = true;
        else
            q.expected[q.count++] = second_of_ms(next);
    }
    check_vector(&q);
    return true;
}

static void every_random_vector_of_spring_is_right(void **state)
{
    (void)state;
    each_line("spring-cron.tsv", check_tsv_line, 1000);
}

/* "expr" | ACCEPT */
static bool check_accept_line(const char *line)
{
    struct str rest = str_of(line), expr;
    struct cron_text text;
    struct err err;

    if (line[0] != '"')
        return false;
    expr = cut_before(&rest, "\" | ");
    expr = str_from(expr, 1);
    if (str_eq(rest, STR("REJECT")))
        check_refused("spring-cron-named.txt", expr, DIALECT_SPRING);
    else if (cron_parse(expr, DIALECT_SPRING, STR(""), &text, &err) != RC_OK)
        fail_msg("spring \"%.*s\": %s", STR_ARG(expr), err.text);
    return true;
}

static void spring_expressions_are_accepted_or_refused_as_in_spring(void **state)
{
    (void)state;
    each_line("spring-cron-named.txt", check_accept_line, 100);
}

/* expr | zone | from | instant(local) instant(local) ..., or null */
static bool check_named_line(const char *line)
{
    struct str rest = str_of(line);
    struct vector q = {.id = "spring-cron-named.txt", .dialect = DIALECT_SPRING};

    if (line[0] == '"' || strstr(line, "[SPRING-BUG]"))
        return false;
    q.expr = cut_before(&rest, " | ");
    q.zone = cut_before(&rest, " | ");
    q.after = second_of(cut_before(&rest, " | "));
    q.is_complete = str_eq(rest, STR("null"));
    while (!q.is_complete && rest.len > 0) {
        q.expected[q.count++] = second_of(cut_before(&rest, "("));
        (void)cut_before(&rest, ") ");
    }
    check_vector(&q);
    return true;
}

static void every_named_vector_of_spring_is_right_except_its_bugs(void **state)
{
    (void)state;
    each_line("spring-cron-named.txt", check_named_line, 60);
}

/* ---- temporal-spec.json ---- */

static struct calendar_text calendar_of(const json_t *entry)
{
    return (struct calendar_text){
        .second = get_text(entry, "second"),
        .minute = get_text(entry, "minute"),
        .hour = get_text(entry, "hour"),
        .day = get_text(entry, "dayOfMonth"),
        .month = get_text(entry, "month"),
        .year = get_text(entry, "year"),
        .weekday = get_text(entry, "dayOfWeek"),
    };
}

/* True for a spec with one entry, a cron string or a calendar, and at most a zone. */
static bool is_single(const json_t *spec)
{
    json_t *crons = json_object_get(spec, "cronString");
    json_t *calendars = json_object_get(spec, "calendar");
    size_t others = json_object_size(spec) - (crons != NULL) - (calendars != NULL) -
                    (json_object_get(spec, "timezoneName") != NULL);

    return others == 0 && json_array_size(crons) + json_array_size(calendars) == 1;
}

static void check_calendar(const struct vector *q, const json_t *entry, bool is_wrong)
{
    struct calendar_text text = calendar_of(entry);
    struct cron cron;
    struct err err;
    enum rc rc = calendar_parse(&text, DIALECT_TEMPORAL, &cron, &err);

    if (is_wrong != (rc == RC_INVALID))
        fail_msg("%s: %s", q->id, rc == RC_OK ? "accepted" : err.text);
    if (rc == RC_OK)
        check_cron(q, &cron, q->zone);
}

static bool check_temporal(const json_t *row)
{
    const json_t *spec = json_object_get(row, "spec");
    const json_t *cron = json_array_get(json_object_get(spec, "cronString"), 0);
    const json_t *calendar = json_array_get(json_object_get(spec, "calendar"), 0);
    bool is_wrong = json_is_true(json_object_get(row, "error"));
    const json_t *times = json_object_get(row, "documented");
    struct vector q = {
        .id = json_string_value(json_object_get(row, "name")),
        .expr = str_of(json_string_value(cron)),
        .zone = get_text(spec, "timezoneName"),
        .dialect = DIALECT_TEMPORAL,
    };

    if (!is_single(spec))
        return false;
    if (!is_wrong) {
        q.after = second_of(get_text(row, "after"));
        q.count = read_times(times ? times : json_object_get(row, "expect"), q.expected);
    }
    if (calendar)
        check_calendar(&q, calendar, is_wrong);
    else if (is_wrong)
        check_refused(q.id, q.expr, DIALECT_TEMPORAL);
    else if (str_starts(q.expr, STR("@every")))
        return false; /* counts from 1970: test_interval.c */
    else
        check_vector(&q);
    return true;
}

static void every_temporal_spec_of_one_entry_is_right(void **state)
{
    static const char *const lists[] = {"vectors", "quirkVectors"};
    json_t *root = load_json("temporal-spec.json"), *row;
    int checked = 0;

    (void)state;
    for (int k = 0; k < 2; k++) {
        size_t i;

        json_array_foreach(json_object_get(root, lists[k]), i, row)
            checked += check_temporal(row);
    }
    assert_true(checked > 80);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_vector_of_cron_is_right),
        cmocka_unit_test(every_random_vector_of_spring_is_right),
        cmocka_unit_test(spring_expressions_are_accepted_or_refused_as_in_spring),
        cmocka_unit_test(every_named_vector_of_spring_is_right_except_its_bugs),
        cmocka_unit_test(every_temporal_spec_of_one_entry_is_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
