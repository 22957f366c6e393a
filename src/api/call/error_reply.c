/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats a problem as an error answer: by the function of its API, or as RFC 9457 says.
 */
#include "api/call/error_reply.h"

#include <stdio.h>

#include "api/call/api_dialect.h"
#include "base/must.h"

enum { MESSAGE_MAX = ERR_TEXT_MAX + ERR_FIELD_MAX + 4 };

bool error_reply_has_field(const struct problem *problem)
{
    return problem->field && problem->field[0] != '\0';
}

json_t *error_reply_message(const struct problem *problem)
{
    bool has_field = error_reply_has_field(problem);
    char message[MESSAGE_MAX];

    snprintf(message, sizeof message, "%s%s%s", has_field ? problem->field : "",
             has_field ? ": " : "", problem->detail);
    return json_new_str(str_of(message));
}

int error_reply_plain_status(int status)
{
    return status == 412 ? 409 : status == 422 ? 400 : status;
}

void error_reply_print(const struct problem *problem, struct buf *out, struct error_reply *ret)
{
    ret->status = problem->status;
    ret->content_type = "application/problem+json";
    problem_print(problem, out);
    ret->body = buf_as_str(out);
}

struct error_reply error_reply_of(enum dialects dialect, const struct problem *problem,
                                  char *room)
{
    const struct api_dialect *api = &api_dialects[dialect];
    struct buf out = {.ptr = room, .cap = ERROR_REPLY_BYTES_MAX};
    struct error_reply reply = {.status = problem->status};

    (api->refuse ? api->refuse : error_reply_print)(problem, &out, &reply);
    must(!out.cut);
    if (reply.status == 503)
        reply.fields[reply.field_count++] = (struct http1_field){STR("Retry-After"), STR("1")};
    return reply;
}
