/* SPDX-License-Identifier: Apache-2.0 */
#include "api/temporal/temporal_query.h"

#include "api/temporal/temporal_query_parts.h"
#include "wire/json/json.h"

enum { VALUES_MAX = 128 }; /* of one list */

enum token { TOKEN_END, TOKEN_WORD, TOKEN_TEXT, TOKEN_NUMBER, TOKEN_SIGN, TOKEN_WRONG };

struct reading {
    struct str text, rest;
    struct arena *arena;
    int nodes, depth;
    /* The next token. */
    enum token token;
    struct str value;
    struct err *err;
};

/* ---- tokens ---- */

static bool is_of_word(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_' || c == '.' || c == '-';
}

static void take(struct reading *r, enum token token, size_t skip, size_t len, size_t end)
{
    r->token = token;
    r->value = (struct str){r->rest.ptr + skip, len};
    r->rest = str_from(r->rest, end);
}

/* 'it' or "it" or `it`; there is no way to write the quote itself. */
static void take_quoted(struct reading *r)
{
    char quote = r->rest.ptr[0];
    const char *end = memchr(r->rest.ptr + 1, quote, r->rest.len - 1);
    size_t len = end ? (size_t)(end - r->rest.ptr) - 1 : 0;

    take(r,
         !end           ? TOKEN_WRONG
         : quote == '`' ? TOKEN_WORD
                        : TOKEN_TEXT,
         1, len, end ? len + 2 : 1);
}

static void take_sign(struct reading *r)
{
    static const char *const signs[] = {"<=", ">=", "!=", "<>", "=", "<", ">", "(", ")", ","};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (str_starts(r->rest, str_of(signs[i]))) {
            take(r, TOKEN_SIGN, 0, strlen(signs[i]), strlen(signs[i]));
            return;
        }
    take(r, TOKEN_WRONG, 0, 1, 1);
}

static void next(struct reading *r)
{
    size_t n = 1;
    char c;

    while (r->rest.len > 0 && memchr(" \t\r\n", r->rest.ptr[0], 4))
        r->rest = str_from(r->rest, 1);
    r->value = (struct str){r->rest.ptr, 0};
    r->token = TOKEN_END;
    if (r->rest.len == 0)
        return;
    c = r->rest.ptr[0];
    while (n < r->rest.len && is_of_word(r->rest.ptr[n]))
        n++;
    if (char_is_alpha(c) || c == '_')
        take(r, TOKEN_WORD, 0, n, n);
    else if (char_is_digit(c) || c == '-' || c == '.')
        take(r, TOKEN_NUMBER, 0, n, n);
    else if (c == '\'' || c == '"' || c == '`')
        take_quoted(r);
    else
        take_sign(r);
}

static bool is_word(const struct reading *r, const char *word)
{
    return r->token == TOKEN_WORD && str_eq_nocase(r->value, str_of(word));
}

static bool is_sign(const struct reading *r, const char *sign)
{
    return r->token == TOKEN_SIGN && str_eq(r->value, str_of(sign));
}

static bool skip_word(struct reading *r, const char *word)
{
    if (!is_word(r, word))
        return false;
    next(r);
    return true;
}

static bool skip_sign(struct reading *r, const char *sign)
{
    if (!is_sign(r, sign))
        return false;
    next(r);
    return true;
}

static bool fail(struct reading *r, const char *expected)
{
    int at = (int)(r->value.ptr - r->text.ptr);

    if (r->token == TOKEN_END)
        err_set(r->err, RC_INVALID, at, 0, "invalid query: %s is missing at its end", expected);
    else
        err_set(r->err, RC_INVALID, at, (int)r->value.len,
                "invalid query: `%.*s` stands where %s should", STR_ARG(r->value), expected);
    return false;
}

/* ---- comparisons ---- */

/* As JSON has them. */
static bool read_number(struct reading *r, struct query_value *ret)
{
    json_auto_t *json = NULL;
    struct err err;

    if (json_read(r->value, &json, &err) != RC_OK || !json_is_number(json))
        return false;
    ret->type = VALUE_NUMBER;
    ret->number = json_number_value(json);
    return true;
}

static bool read_value(struct reading *r, struct query_value *ret)
{
    *ret = (struct query_value){.type = VALUE_TEXT, .text = r->value};
    if (is_word(r, "true") || is_word(r, "false"))
        *ret = (struct query_value){.type = VALUE_BOOL, .is_true = is_word(r, "true")};
    else if (r->token == TOKEN_NUMBER ? !read_number(r, ret) : r->token != TOKEN_TEXT)
        return fail(r, "a value");
    next(r);
    return true;
}

static bool read_list(struct reading *r, struct temporal_query *node)
{
    node->values = arena_array(r->arena, VALUES_MAX, sizeof *node->values);
    if (!skip_sign(r, "("))
        return fail(r, "(");
    do {
        if (node->value_count == VALUES_MAX)
            return fail(r, "the end of a list");
        if (!read_value(r, &node->values[node->value_count]))
            return false;
        node->value_count++;
    } while (skip_sign(r, ","));
    return skip_sign(r, ")") || fail(r, ")");
}

static bool read_values(struct reading *r, struct temporal_query *node, int count)
{
    node->values = arena_array(r->arena, (size_t)count, sizeof *node->values);
    for (; node->value_count < count; node->value_count++) {
        if (node->value_count > 0 && !skip_word(r, "AND"))
            return fail(r, "AND");
        if (!read_value(r, &node->values[node->value_count]))
            return false;
    }
    return true;
}

static bool read_op(struct reading *r, struct temporal_query *node)
{
    static const struct {
        const char *sign;
        enum query_op op;
    } signs[] = {{"=", OP_EQ},  {"!=", OP_NE}, {"<>", OP_NE}, {"<", OP_LT},
                 {"<=", OP_LE}, {">", OP_GT},  {">=", OP_GE}};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (skip_sign(r, signs[i].sign)) {
            node->op = signs[i].op;
            return read_values(r, node, 1);
        }
    if (skip_word(r, "IS")) {
        node->op = OP_IS_NULL;
        node->is_not = skip_word(r, "NOT");
        return skip_word(r, "NULL") || fail(r, "NULL");
    }
    node->is_not = skip_word(r, "NOT");
    if (skip_word(r, "IN")) {
        node->op = OP_IN;
        return read_list(r, node);
    }
    node->op = is_word(r, "BETWEEN") ? OP_BETWEEN : OP_STARTS_WITH;
    if (!skip_word(r, "BETWEEN") && !skip_word(r, "STARTS_WITH"))
        return fail(r, "a comparison");
    return read_values(r, node, node->op == OP_BETWEEN ? 2 : 1);
}

/* Those of the server that schedules have, and none of its others. */
static bool read_name(struct reading *r, struct temporal_query *node)
{
    static const struct {
        const char *text;
        enum query_name name;
    } names[] = {{"ScheduleId", NAME_ID},
                 {"TemporalSchedulePaused", NAME_PAUSED},
                 {"ScheduleNextActionTime", NAME_NEXT},
                 {"ScheduleRunningWorkflowCount", NAME_RUNNING},
                 {"ScheduleBufferedStartsCount", NAME_BUFFERED}};
    static const char *const others[] = {
        "WorkflowId", "RunId",     "WorkflowType",  "ExecutionStatus",   "TaskQueue",
        "StartTime",  "CloseTime", "ExecutionTime", "ExecutionDuration", "HistoryLength"};
    bool is_other;

    if (r->token != TOKEN_WORD)
        return fail(r, "the name of an attribute");
    node->custom = r->value;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(r->value, str_of(names[i].text)))
            node->name = names[i].name;
    is_other = node->name == NAME_CUSTOM && str_starts(r->value, STR("Temporal"));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        is_other |= str_eq(r->value, str_of(others[i]));
    if (is_other) {
        err_set(r->err, RC_INVALID, -1, 0,
                "invalid query filter for schedules: cannot filter on \"%.*s\"",
                STR_ARG(r->value));
        return false;
    }
    next(r);
    return true;
}

/* ---- what joins them ---- */

static struct temporal_query *node_new(struct reading *r, enum query_kind kind)
{
    struct temporal_query *node;

    if (r->nodes++ == QUERY_NODES_MAX) {
        err_set(r->err, RC_INVALID, -1, 0, "invalid query: it has more than %d parts",
                QUERY_NODES_MAX);
        return NULL;
    }
    node = arena_take(r->arena, sizeof *node);
    node->kind = kind;
    return node;
}

static struct temporal_query *read_any(struct reading *r);

static struct temporal_query *read_one(struct reading *r)
{
    struct temporal_query *node;

    if (r->depth++ == QUERY_DEPTH_MAX) {
        fail(r, "less depth");
        return NULL;
    }
    if (skip_sign(r, "(")) {
        node = read_any(r);
        if (node && !skip_sign(r, ")")) {
            fail(r, ")");
            node = NULL;
        }
    } else if (skip_word(r, "NOT")) {
        node = node_new(r, QUERY_NOT);
        if (node && !(node->left = read_one(r)))
            node = NULL;
    } else {
        node = node_new(r, QUERY_COMPARE);
        if (node && (!read_name(r, node) || !read_op(r, node)))
            node = NULL;
    }
    r->depth--;
    return node;
}

/* One, or several with the word between them. */
static struct temporal_query *read_joined(struct reading *r, enum query_kind kind)
{
    const char *word = kind == QUERY_AND ? "AND" : "OR";
    struct temporal_query *left = kind == QUERY_AND ? read_one(r) : read_joined(r, QUERY_AND);

    while (left && skip_word(r, word)) {
        struct temporal_query *node = node_new(r, kind);

        if (!node)
            return NULL;
        node->left = left;
        node->right = kind == QUERY_AND ? read_one(r) : read_joined(r, QUERY_AND);
        left = node->right ? node : NULL;
    }
    return left;
}

static struct temporal_query *read_any(struct reading *r)
{
    return read_joined(r, QUERY_OR);
}

enum rc temporal_query_parse(struct str text, struct arena *arena, struct temporal_query **ret,
                             struct err *reterr)
{
    struct reading r = {.text = text, .rest = text, .arena = arena, .err = reterr};
    struct temporal_query *query;

    if (text.len > QUERY_BYTES_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "invalid query: %d bytes are the most",
                       QUERY_BYTES_MAX);
    next(&r);
    query = r.token == TOKEN_END ? node_new(&r, QUERY_ALL) : read_any(&r);
    if (query && r.token != TOKEN_END) {
        fail(&r, "the end, AND or OR");
        query = NULL;
    }
    if (!query)
        return RC_INVALID;
    *ret = query;
    return RC_OK;
}
