/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of the jobs API, which does not document their body: this is the form that NestJS
 * uses.
 */
#include "api/jobs/jobs.h"
#include "base/buf.h"
#include "model/member.h"
#include "wire/http1/http1_write.h"

void jobs_error_reply(const struct problem *problem, struct buf *out, struct error_reply *ret)
{
    int status = error_reply_plain_status(problem->status);
    json_auto_t *object = json_new_object();

    json_put(object, "statusCode", json_new_int(status));
    json_put(object, "message", error_reply_message(problem));
    json_put(object, "error", json_of_word(http1_write_reason(status)));
    json_put(object, "code", json_of_word(problem->code));
    if (error_reply_has_field(problem))
        json_put(object, "field", json_of_word(problem->field));
    if (problem->request_id.len > 0)
        json_put(object, "requestId", json_new_str(problem->request_id));
    json_print(object, JSON_STYLE_LINE, out);
    ret->status = status;
    ret->content_type = "application/json";
    ret->body = buf_as_str(out);
}
