/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the query of Temporal's lists by recursive descent.
 */
#include "api/temporal/temporal_query.h"

#include "api/temporal/temporal_query_parts.h"
#include "wire/json/json.h"

enum { VALUES_MAX = 128 }; /* values of one list; an error message has the number too */

enum token { TOKEN_END, TOKEN_WORD, TOKEN_TEXT, TOKEN_NUMBER, TOKEN_SIGN, TOKEN_INVALID };

struct parser {
    struct str text, rest;
    struct arena *arena;
    int nodes, depth;
    /* The next token. */
    enum token token;
    struct str value;
    struct err *err;
};

/* ---- tokens ---- */

static bool is_word_char(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_' || c == '.' || c == '-';
}

static void set_token(struct parser *r, enum token token, size_t skip, size_t len, size_t end)
{
    r->token = token;
    r->value = (struct str){r->rest.ptr + skip, len};
    r->rest = str_from(r->rest, end);
}

/* 'text' or "text" or `name`; the quote itself cannot be escaped. */
static void read_quoted(struct parser *r)
{
    char quote = r->rest.ptr[0];
    const char *end = memchr(r->rest.ptr + 1, quote, r->rest.len - 1);
    size_t len = end ? (size_t)(end - r->rest.ptr) - 1 : 0;

    set_token(r,
              !end           ? TOKEN_INVALID
              : quote == '`' ? TOKEN_WORD
                             : TOKEN_TEXT,
              1, len, end ? len + 2 : 1);
}

static void read_sign(struct parser *r)
{
    static const char *const signs[] = {"<=", ">=", "!=", "<>", "=", "<", ">", "(", ")", ","};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (str_starts(r->rest, str_of(signs[i]))) {
            set_token(r, TOKEN_SIGN, 0, strlen(signs[i]), strlen(signs[i]));
            return;
        }
    set_token(r, TOKEN_INVALID, 0, 1, 1);
}

static void next_token(struct parser *r)
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
    while (n < r->rest.len && is_word_char(r->rest.ptr[n]))
        n++;
    if (char_is_alpha(c) || c == '_')
        set_token(r, TOKEN_WORD, 0, n, n);
    else if (char_is_digit(c) || c == '-' || c == '.')
        set_token(r, TOKEN_NUMBER, 0, n, n);
    else if (c == '\'' || c == '"' || c == '`')
        read_quoted(r);
    else
        read_sign(r);
}

static bool is_word(const struct parser *r, const char *word)
{
    return r->token == TOKEN_WORD && str_eq_nocase(r->value, str_of(word));
}

static bool is_sign(const struct parser *r, const char *sign)
{
    return r->token == TOKEN_SIGN && str_eq(r->value, str_of(sign));
}

static bool skip_word(struct parser *r, const char *word)
{
    if (!is_word(r, word))
        return false;
    next_token(r);
    return true;
}

static bool skip_sign(struct parser *r, const char *sign)
{
    if (!is_sign(r, sign))
        return false;
    next_token(r);
    return true;
}

static bool fail(struct parser *r, const char *expected)
{
    int at = (int)(r->value.ptr - r->text.ptr);

    if (r->token == TOKEN_END)
        err_set(r->err, RC_INVALID, at, 0, "invalid query: expected %s at the end", expected);
    else
        err_set(r->err, RC_INVALID, at, (int)r->value.len,
                "invalid query: expected %s, found \"%.*s\"", expected, STR_ARG(r->value));
    return false;
}

/* ---- comparisons ---- */

/* Numbers have the syntax of JSON. */
static bool read_number(struct parser *r, struct query_value *ret)
{
    json_auto_t *json = NULL;
    struct err err;

    if (json_read(r->value, &json, &err) != RC_OK || !json_is_number(json))
        return false;
    ret->type = VALUE_NUMBER;
    ret->number = json_number_value(json);
    return true;
}

static bool read_value(struct parser *r, struct query_value *ret)
{
    *ret = (struct query_value){.type = VALUE_TEXT, .text = r->value};
    if (is_word(r, "true") || is_word(r, "false"))
        *ret = (struct query_value){.type = VALUE_BOOL, .is_true = is_word(r, "true")};
    else if (r->token == TOKEN_NUMBER ? !read_number(r, ret) : r->token != TOKEN_TEXT)
        return fail(r, "a value");
    next_token(r);
    return true;
}

static bool read_list(struct parser *r, struct temporal_query *node)
{
    node->values = arena_array(r->arena, VALUES_MAX, sizeof *node->values);
    if (!skip_sign(r, "("))
        return fail(r, "(");
    do {
        if (node->value_count == VALUES_MAX)
            return fail(r, "the end of the list, after 128 values");
        if (!read_value(r, &node->values[node->value_count]))
            return false;
        node->value_count++;
    } while (skip_sign(r, ","));
    return skip_sign(r, ")") || fail(r, ")");
}

static bool read_values(struct parser *r, struct temporal_query *node, int count)
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

static bool read_op(struct parser *r, struct temporal_query *node)
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

/* Accepts the system attributes that schedules have, and custom ones; refuses the others. */
static bool read_name(struct parser *r, struct temporal_query *node)
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
    next_token(r);
    return true;
}

/* ---- operators ---- */

static struct temporal_query *node_new(struct parser *r, enum query_kind kind)
{
    struct temporal_query *node;

    if (r->nodes++ == QUERY_NODES_MAX) {
        err_set(r->err, RC_INVALID, -1, 0,
                "invalid query: more than %d comparisons and operators", QUERY_NODES_MAX);
        return NULL;
    }
    node = arena_take(r->arena, sizeof *node);
    node->kind = kind;
    return node;
}

static struct temporal_query *read_query(struct parser *r);

static struct temporal_query *read_term(struct parser *r)
{
    struct temporal_query *node;

    if (r->depth++ == QUERY_DEPTH_MAX) {
        err_set(r->err, RC_INVALID, -1, 0, "invalid query: nested deeper than %d levels",
                QUERY_DEPTH_MAX);
        return NULL;
    }
    if (skip_sign(r, "(")) {
        node = read_query(r);
        if (node && !skip_sign(r, ")")) {
            fail(r, ")");
            node = NULL;
        }
    } else if (skip_word(r, "NOT")) {
        node = node_new(r, QUERY_NOT);
        if (node && !(node->left = read_term(r)))
            node = NULL;
    } else {
        node = node_new(r, QUERY_COMPARE);
        if (node && (!read_name(r, node) || !read_op(r, node)))
            node = NULL;
    }
    r->depth--;
    return node;
}

/* One term, or several joined by AND or OR. */
static struct temporal_query *read_joined(struct parser *r, enum query_kind kind)
{
    const char *word = kind == QUERY_AND ? "AND" : "OR";
    struct temporal_query *left = kind == QUERY_AND ? read_term(r) : read_joined(r, QUERY_AND);

    while (left && skip_word(r, word)) {
        struct temporal_query *node = node_new(r, kind);

        if (!node)
            return NULL;
        node->left = left;
        node->right = kind == QUERY_AND ? read_term(r) : read_joined(r, QUERY_AND);
        left = node->right ? node : NULL;
    }
    return left;
}

static struct temporal_query *read_query(struct parser *r)
{
    return read_joined(r, QUERY_OR);
}

enum rc temporal_query_parse(struct str text, struct arena *arena, struct temporal_query **ret,
                             struct err *reterr)
{
    struct parser r = {.text = text, .rest = text, .arena = arena, .err = reterr};
    struct temporal_query *query;

    if (text.len > QUERY_BYTES_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "invalid query: it is %zu bytes; the limit is %d", text.len,
                       QUERY_BYTES_MAX);
    next_token(&r);
    query = r.token == TOKEN_END ? node_new(&r, QUERY_ALL) : read_query(&r);
    if (query && r.token != TOKEN_END) {
        fail(&r, "the end, AND or OR");
        query = NULL;
    }
    if (!query)
        return RC_INVALID;
    *ret = query;
    return RC_OK;
}
