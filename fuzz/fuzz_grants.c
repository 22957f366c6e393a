/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as an answer of a server to a worker: every run that is cut out of an answer lies
 * inside it, and the runs of an answer that is JSON are those that a JSON parser finds.
 */
#include <stdint.h>

#include "base/must.h"
#include "cli/worker/worker_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Compares the runs that were cut out, each parsed alone, with those of the whole answer. */
static void compare(struct str answer, const json_t *whole)
{
    const json_t *list = json_object_get(whole, "runs");
    struct grants grants;
    struct str run;
    struct err err;
    size_t i = 0;

    if (!json_is_array(list) || grants_read(answer, &grants, &err) != RC_OK)
        return;
    for (; grants_next(&grants, &run); i++) {
        json_auto_t *one = NULL;

        must(run.ptr >= answer.ptr && run.ptr + run.len <= answer.ptr + answer.len);
        must(json_read(run, &one, &err) == RC_OK);
        must(json_equal(one, json_array_get(list, i)));
    }
    must(i == json_array_size(list));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str answer = {(const char *)data, size}, run;
    json_auto_t *whole = NULL, *results = NULL;
    struct text text = {0};
    struct grants grants;
    struct grant grant;
    struct err err;

    if (grants_read(answer, &grants, &err) == RC_OK) {
        while (grants_next(&grants, &run)) {
            must(run.ptr >= answer.ptr && run.ptr + run.len <= answer.ptr + size);
            if (grant_read(run, &grant, &err) == RC_OK)
                grant_free(&grant);
        }
    }
    if (json_read(answer, &whole, &err) == RC_OK)
        compare(answer, whole);
    results = results_read(answer, 2, &err);
    must(!results || json_array_size(results) == 2);
    for (int i = 0; results && i < 2; i++)
        results_at(results, i);
    result_add(&text, answer, true);
    must(text.len <= WIRE_RESULT_MAX);
    if (text.len > 0) {
        json_auto_t *result = NULL;

        must(json_read(text_as_str(&text), &result, &err) == RC_OK);
    }
    text_clear(&text);
    return 0;
}
