/* SPDX-License-Identifier: Apache-2.0 */
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

/* Nothing was done, and the same request may be sent again as it is. */
static bool is_worth_repeating(int status)
{
    return status == 429 || status == 503;
}

/* The words of the message are all that clients show: the field is among them. */
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
    json_put(object, "retryable", is_worth_repeating(status) ? json_true() : json_false());
    if (status == 401)
        put_text(object, "error", "INVALID_TOKEN"); /* its clients then ask for a new one */
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

/* The API says nothing of the body of its errors; this is the form that NestJS gives them. */
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

/* Clients that know no preconditions know neither 412 nor 422. */
static int plain_status(int status)
{
    return status == 412 ? 409 : status == 422 ? 400 : status;
}

struct error_reply error_reply_of(enum dialects dialect, const struct problem *problem,
                                  char *room)
{
    struct buf out = {.ptr = room, .cap = ERROR_REPLY_BYTES_MAX};
    struct error_reply refusal = {.status = problem->status};

    if (dialect == DIALECTS_CONDUCTOR || dialect == DIALECTS_JOBS) {
        refusal.status = plain_status(problem->status);
        refusal.content_type = "application/json";
        (dialect == DIALECTS_JOBS ? print_jobs : print_conductor)(problem, refusal.status,
                                                                  &out);
    } else if (dialect == DIALECTS_TEMPORAL) {
        temporal_refusal(problem, &out, &refusal);
    } else {
        struct problem said = *problem;

        if (dialect == DIALECTS_AGENTS && problem->status == 412)
            said.status = refusal.status = 409; /* what is stale is a conflict there */
        refusal.content_type = "application/problem+json";
        problem_print(&said, &out);
    }
    must(!out.cut);
    if (dialect != DIALECTS_TEMPORAL)
        refusal.body = buf_as_str(&out);
    if (refusal.status == 503)
        refusal.fields[refusal.field_count++] = (struct http1_field){STR("Retry-After"),
                                                                     STR("1")};
    return refusal;
}
