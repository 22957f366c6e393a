/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors in the format of Conductor's server.
 */
#include "api/conductor/conductor.h"
#include "base/buf.h"
#include "model/member.h"

void conductor_error_reply(const struct problem *problem, struct buf *out,
                           struct error_reply *ret)
{
    int status = error_reply_plain_status(problem->status);
    json_auto_t *object = json_new_object();

    json_put(object, "status", json_new_int(status));
    json_put(object, "message", error_reply_message(problem));
    json_put(object, "code", json_of_word(problem->code));
    if (problem->node && problem->node[0] != '\0')
        json_put(object, "instance", json_of_word(problem->node));
    /* With these statuses nothing was changed: the client may repeat the request. */
    json_put(object, "retryable", json_boolean(status == 429 || status == 503));
    if (status == 401) /* makes clients request a new token */
        json_put(object, "error", json_of_word("INVALID_TOKEN"));
    if (error_reply_has_field(problem)) {
        json_t *list = json_new_list(), *one = json_new_object();

        json_put(one, "path", json_of_word(problem->field));
        json_put(one, "message", json_of_word(problem->detail));
        json_add(list, one);
        json_put(object, "validationErrors", list);
    }
    if (problem->request_id.len > 0) {
        json_t *metadata = json_new_object();

        json_put(metadata, "requestId", json_new_str(problem->request_id));
        json_put(object, "metadata", metadata);
    }
    json_print(object, JSON_STYLE_LINE, out);
    ret->status = status;
    ret->content_type = "application/json";
    ret->body = buf_as_str(out);
}
