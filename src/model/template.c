/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses templates and checks the texts of actions.
 */
#include "model/template.h"

#include "base/must.h"
#include "model/template_parts.h"

/* ---- reading ---- */

static const char *const value_names[VALUE_COUNT] = {
    [VALUE_SCHEDULED_TIME] = "scheduledTime",
    [VALUE_EXECUTION_TIME] = "executionTime",
    [VALUE_SCHEDULED_MS] = "scheduledTimeMs",
    [VALUE_EXECUTION_MS] = "executionTimeMs",
    [VALUE_SCHEDULE] = "schedule",
    [VALUE_NAMESPACE] = "namespace",
    [VALUE_RUN] = "run",
    [VALUE_ATTEMPT] = "attempt",
    [VALUE_FENCE] = "fence",
    [VALUE_INPUT] = "input",
    [VALUE_LAST_RESULT] = "lastResult",
    [VALUE_LAST_FAILURE] = "lastFailure",
};

static bool is_key_char(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_' || c == '-' ||
           (unsigned char)c >= 0x80;
}

bool template_step(struct str *path, struct str *ret_key, int64_t *ret_index)
{
    struct str rest = str_from(*path, 1);
    size_t n = 0;

    *ret_key = (struct str){0};
    if (path->ptr[0] == '.') {
        while (n < rest.len && is_key_char(rest.ptr[n]))
            n++;
        *ret_key = (struct str){rest.ptr, n};
        *path = str_from(rest, n);
        return n > 0;
    }
    if (path->ptr[0] != '[' || str_take_number(&rest, INT32_MAX, ret_index) == 0 ||
        rest.len == 0 || rest.ptr[0] != ']')
        return false;
    *path = str_from(rest, 1);
    return true;
}

static enum rc check_path(struct str path, size_t at, struct err *reterr)
{
    struct str rest = path, key;
    int64_t index;
    int steps = 0;

    while (rest.len > 0) {
        size_t from = at + (size_t)(rest.ptr - path.ptr);

        if (++steps > TEMPLATE_DEPTH_MAX)
            return err_set(reterr, RC_LIMIT, (int)from, (int)rest.len,
                           "a path has at most %d steps", TEMPLATE_DEPTH_MAX);
        if (!template_step(&rest, &key, &index))
            return err_set(reterr, RC_INVALID, (int)from, (int)(at + path.len - from),
                           "`%.*s` is not a path; write one such as .user.name or .items[0], "
                           "with letters, digits, _ and -",
                           STR_ARG(path));
    }
    return RC_OK;
}

static enum rc set_unknown_name(struct str name, size_t at, struct err *reterr)
{
    int near = str_nearest(name, value_names, VALUE_COUNT);

    if (near >= 0)
        return err_set(reterr, RC_INVALID, (int)at, (int)name.len,
                       "`%.*s` is not known; did you mean `%s`?", STR_ARG(name),
                       value_names[near]);
    return err_set(reterr, RC_INVALID, (int)at, (int)name.len,
                   "`%.*s` is not known; use scheduledTime, executionTime, "
                   "scheduledTimeMs, executionTimeMs, schedule, namespace, run, attempt, "
                   "fence, input, lastResult or lastFailure",
                   STR_ARG(name));
}

/* Reads the text between the braces, from byte `at` of the whole. */
static enum rc read_value(struct str inside, size_t at, struct piece *ret, struct err *reterr)
{
    size_t n = 0;
    struct str name;

    while (n < inside.len && inside.ptr[n] != '.' && inside.ptr[n] != '[')
        n++;
    name = (struct str){inside.ptr, n};
    *ret = (struct piece){.is_value = true, .path = str_from(inside, n)};
    while (ret->value < VALUE_COUNT && !str_eq(name, str_of(value_names[ret->value])))
        ret->value++;
    if (ret->value == VALUE_COUNT)
        return set_unknown_name(name, at, reterr);
    if (ret->path.len > 0 && ret->value < VALUE_INPUT)
        return err_set(reterr, RC_INVALID, (int)(at + n), (int)ret->path.len,
                       "`%.*s` has no parts; only input, lastResult and lastFailure do",
                       STR_ARG(name));
    return check_path(ret->path, at + n, reterr);
}

static enum rc read_template(struct reader *r, struct piece *ret, struct err *reterr)
{
    struct str inside, rest = str_from(r->text, r->at + 2);
    enum rc rc;

    if (!str_cut(rest, '}', &inside, &rest))
        return err_set(reterr, RC_INVALID, (int)r->at, 2,
                       "`${` has no `}`; write `$${` for the characters themselves");
    if (inside.len > TEMPLATE_NAME_MAX)
        return err_set(reterr, RC_LIMIT, (int)r->at, (int)inside.len + 3,
                       "a template has at most %d bytes", TEMPLATE_NAME_MAX);
    rc = read_value(inside, r->at + 2, ret, reterr);
    if (rc == RC_OK)
        r->at += inside.len + 3;
    return rc;
}

enum rc template_piece(struct reader *r, struct piece *ret, struct err *reterr)
{
    struct str rest = str_from(r->text, r->at);
    const char *dollar;
    size_t n;

    if (str_starts(rest, STR("${")))
        return read_template(r, ret, reterr);
    if (str_starts(rest, STR("$${"))) {
        *ret = (struct piece){.text = STR("${")};
        r->at += 3;
        return RC_OK;
    }
    dollar = memchr(rest.ptr + 1, '$', rest.len - 1);
    n = dollar ? (size_t)(dollar - rest.ptr) : rest.len;
    *ret = (struct piece){.text = {rest.ptr, n}};
    r->at += n;
    return RC_OK;
}

enum rc template_check(struct str text, struct err *reterr)
{
    struct reader r = {.text = text};
    struct piece piece;
    enum rc rc = RC_OK;

    while (r.at < r.text.len && rc == RC_OK)
        rc = template_piece(&r, &piece, reterr);
    return rc;
}

/* ---- an action ---- */

static enum rc check_field(struct str text, const char *field, struct err *reterr)
{
    if (template_check(text, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "%s", field);
}

static enum rc check_pairs(const struct pairs *pairs, const char *field, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < pairs->count && rc == RC_OK; i++) {
        rc = template_check(pairs->list[i].value, reterr);
        if (rc != RC_OK) {
            err_in_key(reterr, pairs->list[i].name);
            err_in(reterr, "%s", field);
        }
    }
    return rc;
}

bool template_is_in(struct str text)
{
    return text.len > 0 && memmem(text.ptr, text.len, "${", 2) != NULL;
}

static enum rc check_value(const json_t *value, struct err *reterr);

static enum rc check_item(const json_t *item, int i, void *to, struct err *reterr)
{
    (void)i;
    (void)to;
    return check_value(item, reterr);
}

static enum rc check_members(const json_t *value, struct err *reterr)
{
    /* jansson iterates only over mutable objects */
    json_t *object = (json_t *)(uintptr_t)value;
    enum rc rc = RC_OK;

    for (void *i = json_object_iter(object); i && rc == RC_OK;
         i = json_object_iter_next(object, i)) {
        rc = check_value(json_object_iter_value(i), reterr);
        if (rc != RC_OK)
            err_in_key(reterr, str_of(json_object_iter_key(i)));
    }
    return rc;
}

/* Recursion is as deep as json_read() allows. */
static enum rc check_value(const json_t *value, struct err *reterr)
{
    if (json_is_object(value))
        return check_members(value, reterr);
    if (json_is_array(value))
        return json_take_items(value, check_item, NULL, reterr);
    if (!json_is_string(value))
        return RC_OK;
    return template_check((struct str){json_string_value(value), json_string_length(value)},
                          reterr);
}

static enum rc check_body(struct str body, struct err *reterr)
{
    json_auto_t *json = NULL;
    enum rc rc = RC_OK;

    if (!template_is_in(body))
        return RC_OK;
    json = json_of_kept(body);
    must(json != NULL);
    rc = check_value(json, reterr);
    return rc == RC_OK ? RC_OK : err_in(reterr, "body");
}

static enum rc check_http(const struct http_action *http, struct err *reterr)
{
    enum rc rc = check_field(http->url, "url", reterr);

    if (rc == RC_OK)
        rc = check_pairs(&http->headers, "headers", reterr);
    return rc == RC_OK ? check_body(http->body, reterr) : rc;
}

static enum rc check_exec(const struct exec_action *exec, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < exec->argv.count && rc == RC_OK; i++) {
        rc = template_check(exec->argv.list[i], reterr);
        if (rc != RC_OK)
            err_in(reterr, "argv[%d]", i);
    }
    return rc == RC_OK ? check_pairs(&exec->env, "env", reterr) : rc;
}

enum rc template_check_action(const struct action *action, struct err *reterr)
{
    switch (action->type) {
    case ACTION_HTTP:
        return check_http(&action->http, reterr);
    case ACTION_EXEC:
        return check_exec(&action->exec, reterr);
    case ACTION_QUEUE:
    case ACTION_WORKFLOW:
    case ACTION_COUNT:
        break;
    }
    return RC_OK;
}

/* Recursion is as deep as json_read() allows. */
static bool has_braces(const json_t *value)
{
    /* jansson iterates only over mutable objects */
    json_t *object = (json_t *)(uintptr_t)value;

    if (json_is_string(value))
        return strstr(json_string_value(value), "{{") != NULL;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (has_braces(json_array_get(value, i)))
            return true;
    for (void *i = json_is_object(value) ? json_object_iter(object) : NULL; i;
         i = json_object_iter_next(object, i))
        if (has_braces(json_object_iter_value(i)))
            return true;
    return false;
}

bool template_is_foreign(struct str action)
{
    static const char *const members[] = {"url", "headers", "body", "argv", "env"};
    json_auto_t *json = NULL;
    bool is_filled = str_starts(action, STR("{\"type\":\"http\"")) ||
                     str_starts(action, STR("{\"type\":\"exec\""));
    bool is_foreign = false;

    if (!is_filled || !memmem(action.ptr, action.len, "{{", 2))
        return false;
    json = json_of_kept(action);
    for (size_t i = 0; json && i < sizeof members / sizeof *members && !is_foreign; i++)
        is_foreign = has_braces(json_object_get(json, members[i]));
    return is_foreign;
}

bool template_names_last(struct str action)
{
    return memmem(action.ptr, action.len, "${lastResult", strlen("${lastResult")) ||
           memmem(action.ptr, action.len, "${lastFailure", strlen("${lastFailure"));
}
