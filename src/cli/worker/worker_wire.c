/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the server's answers to claims and batches, and writes results.
 */
#include "cli/worker/worker_wire.h"

#include <stddef.h>

#include "model/json_time.h"

/* ---- scanning: finds the end of a value without parsing it ---- */

static struct str skip_blank(struct str s)
{
    while (s.len > 0 && memchr(" \t\r\n", s.ptr[0], 4))
        s = str_from(s, 1);
    return s;
}

struct extent {
    size_t len; /* 0: no value */
    int depth, values;
};

static bool is_open(char c)
{
    return c == '[' || c == '{';
}

static bool is_close(char c)
{
    return c == ']' || c == '}';
}

/* The extent of the value at the start of `s`. */
static struct extent value_extent(struct str s)
{
    struct extent e = {.values = 1};
    int depth = 0;

    for (size_t i = 0; i < s.len;) {
        char c = s.ptr[i];
        size_t n = c == '"' ? str_quoted_length(str_from(s, i)) : 1;

        if (n == 0)
            return (struct extent){0};
        e.len = i;
        if (depth == 0 && (c == ',' || is_close(c)))
            return e;
        i += n;
        e.len = i;
        depth += is_open(c) - is_close(c);
        e.depth = depth > e.depth ? depth : e.depth;
        e.values += is_open(c) || c == ',';
        if (depth == 0 && (c == '"' || is_close(c)))
            return e;
    }
    return depth == 0 ? e : (struct extent){0};
}

static enum rc not_a_claim(struct err *reterr)
{
    return err_set(reterr, RC_INVALID, -1, 0,
                   "the answer has no list of runs; is --server a Belfry server?");
}

enum rc grants_read(struct str answer, struct grants *ret, struct err *reterr)
{
    struct str s = skip_blank(answer);

    if (!str_starts(s, STR("{")))
        return not_a_claim(reterr);
    s = skip_blank(str_from(s, 1));
    while (str_starts(s, STR("\""))) {
        size_t key_len = str_quoted_length(s);
        struct str key = {s.ptr, key_len};
        struct extent e;

        s = skip_blank(str_from(s, key_len));
        if (key_len == 0 || !str_starts(s, STR(":")))
            return not_a_claim(reterr);
        s = skip_blank(str_from(s, 1));
        e = value_extent(s);
        if (e.len == 0)
            return not_a_claim(reterr);
        if (str_eq(key, STR("\"runs\"")) && s.ptr[0] == '[') {
            ret->rest = (struct str){s.ptr + 1, e.len - 2};
            return RC_OK;
        }
        s = skip_blank(str_from(s, e.len));
        if (str_starts(s, STR(",")))
            s = skip_blank(str_from(s, 1));
    }
    return not_a_claim(reterr);
}

bool grants_next(struct grants *grants, struct str *ret_run)
{
    struct str s = skip_blank(grants->rest);
    struct extent e = value_extent(s);

    if (e.len == 0)
        return false;
    *ret_run = (struct str){s.ptr, e.len};
    s = skip_blank(str_from(s, e.len));
    grants->rest = str_starts(s, STR(",")) ? str_from(s, 1) : STR("");
    return true;
}

/* ---- one run ---- */

static const struct grant_member {
    const char *name;
    enum { GRANT_TEXT, GRANT_NUMBER, GRANT_TIME } kind;
    int max; /* bytes of a text */
    size_t offset;
} grant_members[] = {
    {"id", GRANT_TEXT, WIRE_ID_MAX, offsetof(struct grant, id)},
    {"fence", GRANT_NUMBER, 0, offsetof(struct grant, fence)},
    {"namespace", GRANT_TEXT, WIRE_NAME_MAX, offsetof(struct grant, namespace)},
    {"schedule", GRANT_TEXT, WIRE_NAME_MAX, offsetof(struct grant, schedule)},
    {"queue", GRANT_TEXT, WIRE_NAME_MAX, offsetof(struct grant, queue)},
    {"slot", GRANT_TEXT, WIRE_NAME_MAX, offsetof(struct grant, slot)},
    {"attempt", GRANT_NUMBER, 0, offsetof(struct grant, attempt)},
    {"leaseUntil", GRANT_TIME, 0, offsetof(struct grant, lease_until)},
};

static enum rc read_member(const struct grant_member *m, const json_t *value, void *to,
                           struct err *reterr)
{
    if (m->kind == GRANT_TEXT)
        return json_take_str(value, m->max, to, reterr);
    if (m->kind == GRANT_TIME)
        return json_take_instant(value, to, reterr);
    if (!json_is_integer(value))
        return json_wrong_type(value, "a whole number", reterr);
    *(int64_t *)to = json_integer_value(value);
    return RC_OK;
}

enum rc grant_read(struct str run, struct grant *ret, struct err *reterr)
{
    struct grant grant = {.lease_until = INSTANT_NONE};
    enum rc rc = json_read(run, &grant.json, reterr);

    if (rc)
        return rc;
    if (!json_is_object(grant.json))
        rc = json_wrong_type(grant.json, "an object", reterr);
    for (size_t i = 0; !rc && i < sizeof grant_members / sizeof grant_members[0]; i++) {
        const struct grant_member *m = &grant_members[i];
        const json_t *value = json_object_get(grant.json, m->name);

        if (value && !json_is_null(value))
            rc = read_member(m, value, (char *)&grant + m->offset, reterr);
        if (rc)
            err_in(reterr, "%s", m->name);
    }
    if (!rc)
        rc = json_require(grant.json, "id", reterr);
    if (!rc)
        rc = json_require(grant.json, "fence", reterr);
    if (rc) {
        json_decref(grant.json);
        return rc;
    }
    *ret = grant;
    return RC_OK;
}

void grant_free(struct grant *grant)
{
    json_decref(grant->json);
}

/* ---- answers to batches ---- */

/* Expands the reported results to `count`; all others are ok.  NULL when they do not fit. */
static json_t *fill_results(const json_t *reported, int64_t ok, int count)
{
    json_auto_t *fine = json_pack("{s:s}", "status", "ok");
    json_t *all = json_new_list();
    int64_t placed = 0;

    for (int i = 0; i < count; i++)
        json_add(all, json_incref(fine));
    for (size_t i = 0; i < json_array_size(reported); i++) {
        json_t *result = json_array_get(reported, i);
        json_t *index = json_object_get(result, "index");
        int64_t at = json_is_integer(index) ? json_integer_value(index) : -1;

        if (at >= 0 && at < count && json_array_get(all, (size_t)at) == fine) {
            json_array_set(all, (size_t)at, result);
            placed++;
        }
    }
    if (placed == (int64_t)json_array_size(reported) && ok == count - placed)
        return all;
    json_decref(all);
    return NULL;
}

json_t *results_read(struct str answer, int count, struct err *reterr)
{
    json_auto_t *json = NULL;
    json_t *reported, *ok, *all = NULL;

    if (json_read(answer, &json, reterr) != RC_OK)
        return NULL;
    reported = json_object_get(json, "results");
    ok = json_object_get(json, "ok");
    if (json_is_array(reported) && json_is_integer(ok))
        all = fill_results(reported, json_integer_value(ok), count);
    else if (json_array_size(reported) == (size_t)count && json_is_array(reported))
        all = json_incref(reported);
    if (!all)
        err_set(reterr, RC_INVALID, -1, 0, "the answer does not have %d results", count);
    return all;
}

static struct str json_to_str(const json_t *value)
{
    return (struct str){json_string_value(value), json_string_length(value)};
}

/* The error message of a refused item or of a problem document. */
static struct str message_of(const json_t *value)
{
    const json_t *error = json_object_get(value, "error");
    const json_t *candidates[] = {json_object_get(error, "message"),
                                  json_object_get(error, "detail"),
                                  json_object_get(value, "detail"),
                                  json_object_get(value, "message"),
                                  error,
                                  json_object_get(value, "status")};

    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (json_is_string(candidates[i]))
            return json_to_str(candidates[i]);
    return STR("");
}

struct item_answer results_at(const json_t *results, int i)
{
    const json_t *item = json_array_get(results, (size_t)i);
    struct str status = json_to_str(json_object_get(item, "status"));
    struct item_answer answer = {.verdict = VERDICT_REFUSED, .text = message_of(item)};

    answer.is_cancelled = json_is_true(json_object_get(item, "cancelled"));
    if (str_eq(status, STR("ok")))
        answer.verdict = VERDICT_OK;
    else if (str_eq(status, STR("stale")))
        answer.verdict = VERDICT_STALE;
    else if (str_eq(status, STR("busy")) || str_eq(status, STR("unknown")))
        answer.verdict = VERDICT_AGAIN;
    return answer;
}

void problem_text(struct str answer, struct buf *text)
{
    json_auto_t *json = NULL;
    struct err err;

    if (json_read(answer, &json, &err) == RC_OK)
        buf_str(text, message_of(json));
}

/* ---- results ---- */

static bool is_blank(struct str s)
{
    return skip_blank(s).len == 0;
}

/* Prints the value in the compact form whose length the server limits. */
static bool add_value(struct text *text, struct str output)
{
    static char room[WIRE_RESULT_MAX + 1];
    struct buf printed = BUF(room);
    json_auto_t *json = NULL;
    struct err err;

    if (json_read(output, &json, &err) != RC_OK)
        return false;
    json_print(json, JSON_STYLE_LINE, &printed);
    if (printed.cut)
        return false;
    text_add(text, buf_as_str(&printed));
    return true;
}

int result_add(struct text *text, struct str output, bool is_whole)
{
    struct extent e = value_extent(skip_blank(output));

    if (is_blank(output) && is_whole)
        return 0;
    if (is_whole && output.len <= WIRE_RESULT_MAX && e.depth <= WIRE_RESULT_DEPTH &&
        e.values <= WIRE_RESULT_VALUES && add_value(text, output))
        return e.values;
    if (output.len > WIRE_OUTPUT_MAX) {
        output = str_head(output, WIRE_OUTPUT_MAX);
        is_whole = false;
    }
    text_add(text, STR("{\"output\":"));
    is_whole &= text_add_json(text, output,
                              WIRE_RESULT_MAX - sizeof "{\"output\":,\"truncated\":true}");
    text_add(text, is_whole ? STR("}") : STR(",\"truncated\":true}"));
    return 3;
}
