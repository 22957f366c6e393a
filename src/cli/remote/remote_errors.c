/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error messages for refused requests and for failed connections.
 */
#include <stdio.h>

#include "cli/frame/report.h"
#include "cli/remote/remote_parts.h"

enum { STEP_MAX = 256, SHOWN_MAX = 120 };

int remote_report_error(const struct remote *remote, const struct remote_request *request,
                        const struct err *err)
{
    if (err->rc == RC_INVALID) {
        report_note("%s: %s", remote->server, err->text);
        return STATUS_USAGE;
    }
    if (err->rc == RC_CONFLICT) {
        report_note("certificate of %s is not trusted: %s", remote->server, err->text);
        report_note("name the trusted certificates with --cacert FILE or BELFRY_CACERT");
        return STATUS_UNREACHABLE;
    }
    if (err->rc == RC_LOST && !remote->has_begun) {
        report_note("cannot connect to %s: %s", remote->server, err->text);
        report_note("start a server with `belfry serve`, or set --server or BELFRY_SERVER");
        return STATUS_UNREACHABLE;
    }
    if (err->rc == RC_CORRUPT) {
        report_note("%s is not a Belfry server: %s", remote->server, err->text);
        return STATUS_PROTOCOL;
    }
    if (remote->has_begun)
        return STATUS_UNREACHABLE; /* remote_stream() resumes, and reports if it cannot */
    report_note("%s did not answer: %s", remote->server, err->text);
    if (request->method && !request->only_reads)
        report_note("the server may have made the change; check before you repeat the command");
    return STATUS_UNREACHABLE;
}

static int report_not_json(const struct remote *remote, const struct remote_answer *answer)
{
    struct str text = {answer->text, answer->len > SHOWN_MAX ? SHOWN_MAX : answer->len};

    report_note("%s answered %d with a body that is not JSON; is it a Belfry server?",
                remote->server, answer->status);
    if (text.len > 0)
        report_note("the body begins with: %.*s", (int)text.len, text.ptr);
    return STATUS_PROTOCOL;
}

/* ---- position of an error in the request ---- */

/* The value at a path such as "spec.cron[0].expr"; a path into a string gives the string. */
static const json_t *find_value(const json_t *value, struct str path)
{
    while (value && path.len > 0 && !json_is_string(value)) {
        char name[STEP_MAX];
        size_t n = 0;
        int64_t i = 0;

        if (path.ptr[0] == '.')
            path = str_from(path, 1);
        if (path.len > 0 && path.ptr[0] == '[') {
            path = str_from(path, 1);
            if (str_take_number(&path, INT32_MAX, &i) == 0 || path.len == 0)
                return NULL;
            path = str_from(path, 1);
            value = json_array_get(value, (size_t)i);
            continue;
        }
        while (n < path.len && path.ptr[n] != '.' && path.ptr[n] != '[')
            n++;
        if (n == 0)
            return NULL;
        snprintf(name, sizeof name, "%.*s", (int)n, path.ptr);
        value = json_object_get(value, name);
        path = str_from(path, n);
    }
    return value;
}

/* The string in the request that an error is about; "" if it is not a string. */
static struct str sent_text(const json_t *body, const char *field)
{
    const json_t *value = body ? find_value(body, str_of(field)) : NULL;

    if (!json_is_string(value))
        return STR("");
    return (struct str){json_string_value(value), json_string_length(value)};
}

static void report_problem(const json_t *problem, const json_t *body)
{
    const char *detail = member_text(problem, "detail"), *field = member_text(problem, "field");
    const json_t *at = json_object_get(problem, "at");
    struct err err;

    if (detail[0] == '\0')
        detail = member_text(problem, "title");
    err_set(&err, RC_INVALID, -1, 0, "%s", detail);
    snprintf(err.field, sizeof err.field, "%s", field);
    if (json_is_integer(at) && json_integer_value(at) >= 0 &&
        json_integer_value(at) <= INT32_MAX)
        err.at = (int)json_integer_value(at);
    report_err(&err, sent_text(body, field));
}

static int exit_status(int status)
{
    switch (status) {
    case 401:
    case 403:
        return STATUS_NO_RIGHT;
    case 429:
    case 503:
        return STATUS_LATER;
    default:
        return STATUS_FAILED;
    }
}

/* The answer is not a problem document: a proxy's page, or another kind of server. */
static int report_no_reason(const struct remote *remote, const struct remote_request *request,
                            const struct remote_answer *answer)
{
    report_note("%s answered %d to %s %s without a reason; is it a Belfry server?",
                remote->server, answer->status, request->method ? request->method : "GET",
                request->path);
    return STATUS_PROTOCOL;
}

int remote_check(const struct remote *remote, const struct remote_request *request,
                 const struct remote_answer *answer)
{
    bool is_success = answer->status >= 200 && answer->status <= 299;

    if (is_success && (answer->len == 0 || answer->json))
        return STATUS_OK;
    if (is_success)
        return report_not_json(remote, answer);
    if (member_text(answer->json, "detail")[0] == '\0' &&
        member_text(answer->json, "title")[0] == '\0')
        return report_no_reason(remote, request, answer);
    report_problem(answer->json, request->body);
    if (answer->status == 401 && remote->authorization[0] == '\0')
        report_note("set a token with BELFRY_TOKEN, ~/.config/belfry/token or --token");
    return exit_status(answer->status);
}
