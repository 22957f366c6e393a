/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats a problem as the error answer of each API: native, agents, Conductor, jobs, Temporal.
 */
#include "api/call/error_reply.h"

#include <stdio.h>

#include "api/temporal/temporal.h"
#include "base/must.h"
#include "wire/http1/http1_write.h"
#include "wire/json/json.h"

enum { MESSAGE_MAX = ERR_TEXT_MAX + ERR_FIELD_MAX + 4 };

static bool has_field(const struct problem *problem)
{
    return problem->field && problem->field[0] != '\0';
}

static void put_text(json_t *object, const char *key, const char *text)
{
    json_put(object, key, json_new_str(str_of(text)));
}

/* Nothing was changed; the client may send the same request again. */
static bool is_retryable(int status)
{
    return status == 429 || status == 503;
}

/* Clients show only the message, so it includes the field. */
static void put_message(json_t *object, const struct problem *problem)
{
    char message[MESSAGE_MAX];

    snprintf(message, sizeof message, "%s%s%s", has_field(problem) ? problem->field : "",
             has_field(problem) ? ": " : "", problem->detail);
    put_text(object, "message", message);
}

static void print_conductor(const struct problem *problem, int status, struct buf *out)
{
    json_auto_t *object = json_new_object();

    json_put(object, "status", json_new_int(status));
    put_message(object, problem);
    put_text(object, "code", problem->code);
    if (problem->node && problem->node[0] != '\0')
        put_text(object, "instance", problem->node);
    json_put(object, "retryable", is_retryable(status) ? json_true() : json_false());
    if (status == 401)
        put_text(object, "error", "INVALID_TOKEN"); /* makes clients request a new token */
    if (has_field(problem)) {
        json_t *list = json_new_list(), *one = json_new_object();

        put_text(one, "path", problem->field);
        put_text(one, "message", problem->detail);
        json_add(list, one);
        json_put(object, "validationErrors", list);
    }
    if (problem->request_id.len > 0) {
        json_t *metadata = json_new_object();

        json_put(metadata, "requestId", json_new_str(problem->request_id));
        json_put(object, "metadata", metadata);
    }
    json_print(object, JSON_STYLE_LINE, out);
}

/* The API does not document the body of its errors; this is the form that NestJS uses. */
static void print_jobs(const struct problem *problem, int status, struct buf *out)
{
    json_auto_t *object = json_new_object();

    json_put(object, "statusCode", json_new_int(status));
    put_message(object, problem);
    put_text(object, "error", http1_write_reason(status));
    put_text(object, "code", problem->code);
    if (has_field(problem))
        put_text(object, "field", problem->field);
    if (problem->request_id.len > 0)
        json_put(object, "requestId", json_new_str(problem->request_id));
    json_print(object, JSON_STYLE_LINE, out);
}

/* Clients of APIs without preconditions expect neither 412 nor 422. */
static int plain_status(int status)
{
    return status == 412 ? 409 : status == 422 ? 400 : status;
}

struct error_reply error_reply_of(enum dialects dialect, const struct problem *problem,
                                  char *room)
{
    struct buf out = {.ptr = room, .cap = ERROR_REPLY_BYTES_MAX};
    struct error_reply reply = {.status = problem->status};

    if (dialect == DIALECTS_CONDUCTOR || dialect == DIALECTS_JOBS) {
        reply.status = plain_status(problem->status);
        reply.content_type = "application/json";
        (dialect == DIALECTS_JOBS ? print_jobs : print_conductor)(problem, reply.status, &out);
    } else if (dialect == DIALECTS_TEMPORAL) {
        temporal_error_reply(problem, &out, &reply);
    } else {
        struct problem shown = *problem;

        if (dialect == DIALECTS_AGENTS && problem->status == 412)
            shown.status = reply.status = 409; /* agents use 409 for a stale version */
        reply.content_type = "application/problem+json";
        problem_print(&shown, &out);
    }
    must(!out.cut);
    if (dialect != DIALECTS_TEMPORAL)
        reply.body = buf_as_str(&out);
    if (reply.status == 503)
        reply.fields[reply.field_count++] = (struct http1_field){STR("Retry-After"), STR("1")};
    return reply;
}
