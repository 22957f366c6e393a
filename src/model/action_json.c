/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints actions by tables of members, one table per type.
 */
#include "model/action_json.h"

#include "base/must.h"
#include "model/action_check.h"
#include "model/template.h"

#define AT(member) .offset = offsetof(struct action, member)
#define NAME       .high = ACTION_NAME_MAX, .check = name_check
#define QUEUE_NAME .high = ACTION_NAME_MAX, .check = path_name_check
#define BYTES      .low = 1, .high = EXEC_BYTES_MAX, .has_none = true, .show = SHOW_CHANGED
#define NUMBER     .low = 1, .high = EXEC_COUNT_MAX, .has_none = true, .show = SHOW_CHANGED

#define PAYLOADS .high = WORKFLOW_INPUT_MAX, .show = SHOW_CHANGED

static const char *const type_names[ACTION_COUNT] = {
    [ACTION_HTTP] = "http",
    [ACTION_EXEC] = "exec",
    [ACTION_QUEUE] = "queue",
    [ACTION_WORKFLOW] = "workflow",
};

const char *action_type_text(enum action_type type)
{
    must(type >= 0 && type < ACTION_COUNT);
    return type_names[type];
}

static enum rc parse_type(struct str word, void *to, struct err *reterr)
{
    for (int i = 0; i < ACTION_COUNT; i++)
        if (str_eq(word, str_of(type_names[i]))) {
            *(enum action_type *)to = (enum action_type)i;
            return RC_OK;
        }
    return err_set(reterr, RC_INVALID, 0, (int)word.len,
                   "`%.*s` is not a type of action; use `http`, `exec`, `queue` or `workflow`",
                   STR_ARG(word));
}

static const char *type_word(const void *from)
{
    return action_type_text(*(const enum action_type *)from);
}

/* Every type begins and ends with these. */
#define TYPE_MEMBER                                                            \
    {                                                                          \
        "type", MEMBER_WORD, AT(type), .parse = parse_type, .text = type_word, \
                                       .show = SHOW_ALWAYS                     \
    }
#define INPUT_MEMBER(most)                           \
    {                                                \
        "input", MEMBER_MAP, AT(input), .high = most \
    }

/* http */

static enum rc read_headers(const json_t *value, const struct reading *r, struct err *reterr)
{
    static const struct pairs_rule rule = {HTTP_HEADERS_MAX, HTTP_HEADER_NAME_MAX,
                                           HTTP_HEADER_VALUE_MAX, http_header_name_check,
                                           http_header_value_check};
    struct pairs *headers = &((struct action *)r->to)->http.headers;
    enum rc rc = pairs_read(value, &rule, r->arena, headers, reterr);

    for (int i = 0; i < headers->count && rc == RC_OK; i++)
        for (int j = 0; j < i && rc == RC_OK; j++)
            if (str_eq_nocase(headers->list[i].name, headers->list[j].name))
                rc = err_set(reterr, RC_INVALID, -1, 0,
                             "`%.*s` occurs twice; header names are case-insensitive",
                             STR_ARG(headers->list[i].name));
    return rc;
}

static json_t *print_headers(const void *from, enum spec_form form)
{
    (void)form;
    return pairs_print(&((const struct action *)from)->http.headers);
}

/* "200-299" or "304". */
static bool parse_range(struct str s, struct status_range *ret)
{
    enum { STATUS_MIN = 100, STATUS_MAX = 599 };
    int64_t low, high;

    if (str_take_number(&s, STATUS_MAX, &low) == 0)
        return false;
    high = low;
    if (s.len > 0 && s.ptr[0] == '-') {
        s = str_from(s, 1);
        if (str_take_number(&s, STATUS_MAX, &high) == 0)
            return false;
    }
    if (s.len > 0 || low < STATUS_MIN || high > STATUS_MAX || low > high)
        return false;
    *ret = (struct status_range){(int16_t)low, (int16_t)high};
    return true;
}

static enum rc read_success(const json_t *value, const struct reading *r, struct err *reterr)
{
    enum { SUCCESS_TEXT_MAX = 16 * HTTP_SUCCESS_MAX }; /* "200-299," with blanks is shorter */
    struct http_action *http = &((struct action *)r->to)->http;
    struct str rest, part;
    bool is_more = true;
    enum rc rc = json_take_str(value, SUCCESS_TEXT_MAX, &rest, reterr);

    http->success_count = 0;
    while (rc == RC_OK && is_more) {
        is_more = str_cut(rest, ',', &part, &rest);
        if (!is_more)
            part = rest;
        if (http->success_count == HTTP_SUCCESS_MAX)
            return err_set(reterr, RC_LIMIT, -1, 0, "has more than %d ranges",
                           HTTP_SUCCESS_MAX);
        part = str_trim(part);
        if (!parse_range(part, &http->success[http->success_count++]))
            rc = err_set(reterr, RC_INVALID, (int)(part.ptr - json_string_value(value)),
                         (int)part.len,
                         "`%.*s` is not a range of status codes; write one such as 200-299,304",
                         STR_ARG(part));
    }
    return rc;
}

static json_t *print_success(const void *from, enum spec_form form)
{
    const struct http_action *http = &((const struct action *)from)->http;
    char text[16 * HTTP_SUCCESS_MAX];
    struct buf out = BUF(text);

    (void)form;
    for (int i = 0; i < http->success_count; i++) {
        struct status_range range = http->success[i];

        buf_printf(&out, "%s%d", i == 0 ? "" : ",", range.low);
        if (range.high > range.low)
            buf_printf(&out, "-%d", range.high);
    }
    return json_new_str(buf_as_str(&out));
}

bool http_action_succeeds(const struct http_action *http, int status)
{
    for (int i = 0; i < http->success_count; i++)
        if (status >= http->success[i].low && status <= http->success[i].high)
            return true;
    return false;
}

static enum rc read_keep_headers(const json_t *value, const struct reading *r,
                                 struct err *reterr)
{
    static const struct texts_rule rule = {HTTP_KEEP_HEADERS_MAX, HTTP_HEADER_NAME_MAX,
                                           http_field_check};

    return texts_read(value, &rule, r->arena, &((struct action *)r->to)->http.keep_headers,
                      reterr);
}

static json_t *print_keep_headers(const void *from, enum spec_form form)
{
    (void)form;
    return texts_print(&((const struct action *)from)->http.keep_headers);
}

static const struct member http_list[] = {
    TYPE_MEMBER,
    {"method", MEMBER_TEXT, AT(http.method), .high = HTTP_METHOD_MAX,
     .check = http_method_check},
    {"url", MEMBER_TEXT, AT(http.url), .high = HTTP_URL_MAX, .check = http_url_check,
     .is_required = true, .show = SHOW_ALWAYS},
    {"headers", MEMBER_OTHER, .read = read_headers, .print = print_headers},
    {"body", MEMBER_JSON, AT(http.body), .high = ACTION_INPUT_MAX, .has_none = true},
    {"timeout", MEMBER_SPAN, AT(http.timeout), .low = HTTP_TIMEOUT_MIN,
     .high = HTTP_TIMEOUT_MAX},
    {"connectTimeout", MEMBER_SPAN, AT(http.connect_timeout), .low = HTTP_CONNECT_TIMEOUT_MIN,
     .high = HTTP_CONNECT_TIMEOUT_MAX},
    {"success", MEMBER_OTHER, .read = read_success, .print = print_success},
    {"redirects", MEMBER_INT32, AT(http.redirects), .high = HTTP_REDIRECTS_MAX},
    {"sign", MEMBER_TEXT, AT(http.sign), NAME, .has_none = true},
    {"keepBytes", MEMBER_INT32, AT(http.keep_bytes), .high = HTTP_KEEP_BYTES_MAX},
    {"keepHeaders", MEMBER_OTHER, .read = read_keep_headers, .print = print_keep_headers},
    INPUT_MEMBER(ACTION_INPUT_MAX),
};

/* exec */

static enum rc read_argv(const json_t *value, const struct reading *r, struct err *reterr)
{
    static const struct texts_rule rule = {EXEC_ARGS_MAX, EXEC_ARG_BYTES_MAX, NULL};
    struct texts *argv = &((struct action *)r->to)->exec.argv;
    enum rc rc = texts_read(value, &rule, r->arena, argv, reterr);

    if (rc != RC_OK)
        return rc;
    if (argv->count == 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "is empty; begin with the program, such as [\"/bin/true\"]");
    rc = exec_path_check(argv->list[0], reterr);
    return rc == RC_OK ? RC_OK : err_in(reterr, "[0]");
}

static json_t *print_argv(const void *from, enum spec_form form)
{
    (void)form;
    return texts_print(&((const struct action *)from)->exec.argv);
}

static enum rc read_env(const json_t *value, const struct reading *r, struct err *reterr)
{
    static const struct pairs_rule rule = {EXEC_ENV_MAX, EXEC_ENV_NAME_MAX, EXEC_ARG_BYTES_MAX,
                                           exec_env_name_check, NULL};

    return pairs_read(value, &rule, r->arena, &((struct action *)r->to)->exec.env, reterr);
}

static json_t *print_env(const void *from, enum spec_form form)
{
    (void)form;
    return pairs_print(&((const struct action *)from)->exec.env);
}

static const struct member limits_list[] = {
    {"cpu", MEMBER_SPAN, AT(exec.limits.cpu), .low = EXEC_CPU_MIN, .high = EXEC_CPU_MAX,
     .or_zero = true, .has_none = true, .show = SHOW_CHANGED},
    {"memory", MEMBER_INT64, AT(exec.limits.memory), BYTES},
    {"fileSize", MEMBER_INT64, AT(exec.limits.file_size), BYTES},
    {"openFiles", MEMBER_INT64, AT(exec.limits.open_files), NUMBER},
    {"processes", MEMBER_INT64, AT(exec.limits.processes), NUMBER},
};

static const struct members limits_members = MEMBERS(limits_list);

static const struct member exec_list[] = {
    TYPE_MEMBER,
    {"argv", MEMBER_OTHER, .read = read_argv, .print = print_argv, .is_required = true,
     .show = SHOW_ALWAYS},
    {"cwd", MEMBER_TEXT, AT(exec.cwd), .high = EXEC_PATH_MAX, .check = exec_path_check,
     .has_none = true},
    {"env", MEMBER_OTHER, .read = read_env, .print = print_env},
    {"user", MEMBER_TEXT, AT(exec.user), .high = EXEC_USER_MAX, .check = exec_user_check,
     .has_none = true},
    {"limits", MEMBER_OBJECT, .members = &limits_members},
    {"killAfter", MEMBER_SPAN, AT(exec.kill_after), .high = EXEC_KILL_AFTER_MAX},
    INPUT_MEMBER(ACTION_INPUT_MAX),
};

/* queue and workflow */

static const struct member queue_list[] = {
    TYPE_MEMBER,
    {"queue", MEMBER_TEXT, AT(queue.queue), QUEUE_NAME, .is_required = true,
     .show = SHOW_ALWAYS},
    {"kind", MEMBER_TEXT, AT(queue.kind), NAME, .has_none = true},
    INPUT_MEMBER(ACTION_INPUT_MAX),
};

/* The characters that base64_read() accepts; the position of padding is not checked. */
static enum rc base64_check(struct str s, struct err *reterr)
{
    for (size_t i = 0; i < s.len; i++)
        if (!char_is_alpha(s.ptr[i]) && !char_is_digit(s.ptr[i]) &&
            (s.ptr[i] == '\0' || !strchr("+/=", s.ptr[i])))
            return err_set(reterr, RC_INVALID, -1, 0, "is not valid base64");
    return RC_OK;
}

static const struct member workflow_list[] = {
    TYPE_MEMBER,
    {"name", MEMBER_TEXT, AT(workflow.name), QUEUE_NAME, .is_required = true,
     .show = SHOW_ALWAYS},
    {"version", MEMBER_INT32, AT(workflow.version), .low = 1, .high = INT32_MAX,
     .has_none = true},
    {"workflowId", MEMBER_TEXT, AT(workflow.workflow_id), .high = ACTION_ID_MAX,
     .check = name_check, .has_none = true},
    {"queue", MEMBER_TEXT, AT(workflow.queue), QUEUE_NAME, .has_none = true},
    {"correlationId", MEMBER_TEXT, AT(workflow.correlation_id), .high = ACTION_ID_MAX,
     .check = name_check, .has_none = true},
    {"upstream", MEMBER_TEXT, AT(workflow.upstream), NAME, .has_none = true},
    {"header", MEMBER_MAP, AT(workflow.header), PAYLOADS},
    {"memo", MEMBER_MAP, AT(workflow.memo), PAYLOADS},
    {"searchAttributes", MEMBER_MAP, AT(workflow.search_attributes), PAYLOADS},
    {"temporal", MEMBER_TEXT, AT(workflow.temporal), .high = WORKFLOW_INPUT_MAX,
     .check = base64_check, .has_none = true, .show = SHOW_CHANGED},
    {"conductor", MEMBER_MAP, AT(workflow.conductor), PAYLOADS},
    INPUT_MEMBER(WORKFLOW_INPUT_MAX),
};

static const struct members type_members[ACTION_COUNT] = {
    [ACTION_HTTP] = MEMBERS(http_list),
    [ACTION_EXEC] = MEMBERS(exec_list),
    [ACTION_QUEUE] = MEMBERS(queue_list),
    [ACTION_WORKFLOW] = MEMBERS(workflow_list),
};

struct action action_default(enum action_type type)
{
    struct action action = {.type = type};

    action.http.method = STR("POST");
    action.http.timeout = 30 * SPAN_S;
    action.http.connect_timeout = 10 * SPAN_S;
    action.http.success[0] = (struct status_range){200, 299};
    action.http.success_count = 1;
    action.http.keep_bytes = HTTP_KEEP_BYTES;
    action.exec.kill_after = 10 * SPAN_S;
    return action;
}

/* The type comes first: it decides which fields there are. */
static enum rc read_type(const json_t *json, enum action_type *ret, struct err *reterr)
{
    const json_t *value = json_object_get(json, "type");
    struct str word;
    enum rc rc;

    if (!json_is_object(json))
        return json_wrong_type(json, "an object", reterr);
    if (!value || json_is_null(value))
        return json_require(json, "type", reterr);
    rc = json_take_str(value, MEMBER_WORD_MAX, &word, reterr);
    if (rc == RC_OK)
        rc = parse_type(word, ret, reterr);
    return rc == RC_OK ? RC_OK : err_in(reterr, "type");
}

enum rc action_from_json(const json_t *json, struct arena *arena, bool is_lenient,
                         struct action *ret, struct err *reterr)
{
    struct action action;
    const struct reading reading = {arena, is_lenient, &action};
    enum action_type type = ACTION_HTTP;
    enum rc rc = read_type(json, &type, reterr);

    if (rc != RC_OK)
        return rc;
    action = action_default(type);
    rc = members_read(&type_members[type], json, &reading, reterr);
    if (rc == RC_OK)
        rc = template_check_action(&action, reterr);
    if (rc == RC_OK)
        *ret = action;
    return rc;
}

json_t *action_to_json(const struct action *action, enum spec_form form)
{
    struct action initial = action_default(action->type);

    return members_print(&type_members[action->type], action, &initial, form);
}

struct str action_keep(const struct action *action, struct arena *arena)
{
    struct action initial = action_default(action->type);

    return members_keep(&type_members[action->type], action, &initial, arena);
}
