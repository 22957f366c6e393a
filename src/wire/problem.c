/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints error responses.
 */
#include "wire/problem.h"

#include "wire/http1/http1_write.h"
#include "wire/json/json.h"

static void put_text(json_t *object, const char *key, const char *text)
{
    json_put(object, key, json_new_str(str_of(text)));
}

void problem_print(const struct problem *problem, struct buf *out)
{
    json_auto_t *object = json_new_object();

    put_text(object, "type", "about:blank");
    put_text(object, "title", http1_write_reason(problem->status));
    json_put(object, "status", json_new_int(problem->status));
    put_text(object, "detail", problem->detail);
    put_text(object, "code", problem->code);
    if (problem->field && problem->field[0] != '\0')
        put_text(object, "field", problem->field);
    if (problem->at >= 0)
        json_put(object, "at", json_new_int(problem->at));
    if (problem->request_id.len > 0)
        json_put(object, "requestId", json_new_str(problem->request_id));
    json_print(object, JSON_STYLE_LINE, out);
}
