/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the query of a batch line: with a fast scanner for flat objects, else from parsed JSON.
 */
#include "cli/time/batch_query.h"

#include "cli/time/spec_argument.h"
#include "core/limits.h"
#include "core/time/text.h"

enum { DIGITS_MAX = 18 }; /* always fits into 64 bits */

/* A value from the scanner or from parsed JSON. */
struct value {
    enum { VALUE_TEXT, VALUE_NUMBER, VALUE_OTHER } kind;
    struct str text; /* VALUE_TEXT                       */
    int64_t number;  /* VALUE_NUMBER                     */
    struct str raw;  /* its bytes, from the scanner only */
    const json_t *json;
};

/* For a value of the scanner the text is unused: batch_query_read() then reads the line. */
static enum rc wrong_type(const struct value *value, const char *what, struct err *reterr)
{
    if (!value->json)
        return err_set(reterr, RC_INVALID, -1, 0, "must be %s", what);
    return json_wrong_type(value->json, what, reterr);
}

static enum rc read_text(const struct value *value, struct str *ret, struct err *reterr)
{
    if (value->kind != VALUE_TEXT)
        return wrong_type(value, "a string", reterr);
    *ret = value->text;
    return RC_OK;
}

static enum rc read_id(const struct value *value, struct batch_query *q, struct err *reterr)
{
    (void)reterr;
    if (!value->json) /* batch_query_read() stores the id of parsed JSON */
        q->id = value->raw;
    return RC_OK;
}

static enum rc read_expr(const struct value *value, struct batch_query *q, struct err *reterr)
{
    q->has_expr = true;
    return read_text(value, &q->expr, reterr);
}

static enum rc read_spec(const struct value *value, struct batch_query *q, struct err *reterr)
{
    if (!value->json)
        return wrong_type(value, "an object", reterr);
    q->spec = value->json;
    return RC_OK;
}

static enum rc read_dialect(const struct value *value, struct batch_query *q,
                            struct err *reterr)
{
    struct str text = {0};
    enum rc rc = read_text(value, &text, reterr);

    return rc == RC_OK ? dialect_parse(text, &q->dialect, reterr) : rc;
}

static enum rc read_tz(const struct value *value, struct batch_query *q, struct err *reterr)
{
    return read_text(value, &q->zone, reterr);
}

static enum rc read_seed(const struct value *value, struct batch_query *q, struct err *reterr)
{
    enum rc rc = read_text(value, &q->seed, reterr);

    if (rc == RC_OK && q->seed.len > SEED_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "is %zu bytes; the limit is %d", q->seed.len,
                       SEED_MAX);
    return rc;
}

static enum rc read_after(const struct value *value, struct batch_query *q, struct err *reterr)
{
    struct str text = {0};
    enum rc rc = read_text(value, &text, reterr);

    return rc == RC_OK ? instant_parse(text, &q->after, reterr) : rc;
}

static enum rc read_n(const struct value *value, struct batch_query *q, struct err *reterr)
{
    if (value->json && json_is_real(value->json))
        return err_set(reterr, RC_INVALID, -1, 0, "must be a whole number");
    if (value->kind != VALUE_NUMBER)
        return wrong_type(value, "a whole number", reterr);
    if (value->number < 1 || value->number > BATCH_QUERY_N_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "must be from 1 to %d", BATCH_QUERY_N_MAX);
    q->n = (int)value->number;
    return RC_OK;
}

static enum rc read_gap(const json_t *value, void *to, struct err *reterr)
{
    struct batch_query *q = to;
    struct str text;
    enum gap gap;
    enum rc rc = json_take_str(value, ZONE_NAME_MAX, &text, reterr);

    rc = rc == RC_OK ? gap_parse(text, &gap, reterr) : rc;
    if (rc == RC_OK)
        q->dst.custom.gap = (unsigned char)gap;
    return rc;
}

static enum rc read_fold(const json_t *value, void *to, struct err *reterr)
{
    struct batch_query *q = to;
    struct str text;
    enum fold fold;
    enum rc rc = json_take_str(value, ZONE_NAME_MAX, &text, reterr);

    rc = rc == RC_OK ? fold_parse(text, &fold, reterr) : rc;
    if (rc == RC_OK)
        q->dst.custom.fold = (unsigned char)fold;
    return rc;
}

static enum rc read_dst(const struct value *value, struct batch_query *q, struct err *reterr)
{
    static const struct json_field members[] = {{"gap", read_gap}, {"fold", read_fold}};

    if (value->kind == VALUE_TEXT)
        return spec_argument_dst(value->text, &q->dst, reterr);
    if (!value->json || !json_is_object(value->json))
        return wrong_type(value, "a rule's name or an object with gap and fold", reterr);
    if (!json_is_string(json_object_get(value->json, "gap")) ||
        !json_is_string(json_object_get(value->json, "fold")))
        return err_set(reterr, RC_INVALID, -1, 0, "needs both gap and fold");
    q->dst.name = DST_CUSTOM;
    return json_take_object(value->json, JSON_SHAPE(members), q, reterr);
}

static const struct field {
    const char *name;
    enum rc (*read)(const struct value *value, struct batch_query *q, struct err *reterr);
} fields[] = {
    {"id", read_id},     {"expr", read_expr},
    {"tz", read_tz},     {"after", read_after},
    {"n", read_n},       {"spec", read_spec},
    {"dst", read_dst},   {"dialect", read_dialect},
    {"seed", read_seed}, {"jitterSeed", read_seed},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static int find_field(struct str key)
{
    for (int i = 0; i < FIELDS; i++)
        if (str_eq(key, str_of(fields[i].name)))
            return i;
    return -1;
}

/* Ignores unknown fields, except those that look like a misspelt known field. */
static enum rc check_unknown_field(struct str key, struct err *reterr)
{
    const char *names[FIELDS + 1];
    int near;

    for (int i = 0; i < FIELDS; i++)
        names[i] = fields[i].name;
    names[FIELDS] = "timezone"; /* the name in a spec */
    near = str_nearest(key, names, FIELDS + 1);
    if (near < 0)
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0, "unknown field \"%.*s\"; did you mean \"%s\"?",
                   STR_ARG(key), near == FIELDS ? "tz" : names[near]);
}

static enum rc read_member(struct str key, const json_t *json, struct batch_query *q,
                           struct err *reterr)
{
    struct value value = {.kind = VALUE_OTHER, .json = json};
    int i = find_field(key);
    enum rc rc;

    if (i < 0)
        return check_unknown_field(key, reterr);
    if (json_is_null(json))
        return RC_OK;
    if (json_is_string(json)) {
        value.kind = VALUE_TEXT;
        value.text = (struct str){json_string_value(json), json_string_length(json)};
    } else if (json_is_integer(json)) {
        value.kind = VALUE_NUMBER;
        value.number = json_integer_value(json);
    }
    rc = fields[i].read(&value, q, reterr);
    if (rc != RC_OK)
        err_in(reterr, "%s", fields[i].name);
    return rc;
}

static enum rc check_complete(const struct batch_query *q, struct err *reterr)
{
    if (q->has_expr != (q->spec != NULL))
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0,
                   q->spec ? "give expr or spec, not both" : "missing expr or spec");
}

enum rc batch_query_read(const json_t *object, char *id_room, struct batch_query *q,
                         struct err *reterr)
{
    struct buf id = {.ptr = id_room, .cap = BATCH_QUERY_ID_MAX};
    json_t *all = (json_t *)(uintptr_t)object; /* jansson's iterators do not take const */
    const json_t *given = json_object_get(object, "id");
    enum rc rc = RC_OK;

    if (given)
        json_print(given, JSON_STYLE_LINE, &id);
    if (id.cut)
        return err_set(reterr, RC_LIMIT, -1, 0, "id is too long; the limit is %d bytes",
                       BATCH_QUERY_ID_MAX - 1);
    q->id = buf_as_str(&id);
    for (void *at = json_object_iter(all); at && rc == RC_OK;
         at = json_object_iter_next(all, at))
        rc = read_member(str_of(json_object_iter_key(at)), json_object_iter_value(at), q,
                         reterr);
    return rc == RC_OK ? check_complete(q, reterr) : rc;
}

static void skip_blanks(struct str *s)
{
    while (s->len > 0 && (s->ptr[0] == ' ' || s->ptr[0] == '\t' || s->ptr[0] == '\r'))
        *s = str_from(*s, 1);
}

static bool take_char(struct str *s, char c)
{
    skip_blanks(s);
    if (s->len == 0 || s->ptr[0] != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

/* Accepts only printable ASCII without escapes, which needs no decoding. */
static bool scan_text(struct str *s, struct str *ret)
{
    size_t n = 0;

    if (!take_char(s, '"'))
        return false;
    while (n < s->len && s->ptr[n] >= 0x20 && s->ptr[n] < 0x7f && s->ptr[n] != '"' &&
           s->ptr[n] != '\\')
        n++;
    if (n == s->len || s->ptr[n] != '"')
        return false;
    *ret = (struct str){s->ptr, n};
    *s = str_from(*s, n + 1);
    return true;
}

static bool scan_number(struct str *s, int64_t *ret)
{
    bool leading_zero = s->len > 0 && s->ptr[0] == '0';
    size_t digits = str_take_number(s, INT64_MAX / 10, ret);

    return digits > 0 && digits <= DIGITS_MAX && !(leading_zero && digits > 1) &&
           (s->len == 0 || (s->ptr[0] != '.' && char_lower(s->ptr[0]) != 'e'));
}

static bool scan_value(struct str *s, struct value *ret)
{
    const char *from;

    skip_blanks(s);
    from = s->ptr;
    if (s->len > 0 && s->ptr[0] == '"') {
        ret->kind = VALUE_TEXT;
        if (!scan_text(s, &ret->text))
            return false;
    } else {
        ret->kind = VALUE_NUMBER;
        if (!scan_number(s, &ret->number))
            return false;
    }
    ret->raw = (struct str){from, (size_t)(s->ptr - from)};
    return true;
}

static bool scan_member(struct str *s, unsigned *seen, struct batch_query *q)
{
    struct value value = {.json = NULL};
    struct str key;
    struct err ignored;
    int i;

    if (!scan_text(s, &key) || !take_char(s, ':') || !scan_value(s, &value))
        return false;
    i = find_field(key);
    if (i < 0 || (*seen >> i & 1))
        return false;
    *seen |= 1u << i;
    return fields[i].read(&value, q, &ignored) == RC_OK;
}

bool batch_query_scan(struct str line, struct batch_query *q)
{
    struct batch_query found = *q;
    unsigned seen = 0;

    if (!take_char(&line, '{'))
        return false;
    do {
        if (!scan_member(&line, &seen, &found))
            return false;
    } while (take_char(&line, ','));
    if (!take_char(&line, '}'))
        return false;
    skip_blanks(&line);
    if (line.len > 0 || !found.has_expr || found.id.len >= BATCH_QUERY_ID_MAX)
        return false;
    *q = found;
    return true;
}
