/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports why the catalogue cannot be read.
 */
#include "api/catalogue/catalogue_visit.h"

#include <inttypes.h>

bool catalogue_visit(struct call *call, struct catalogue_visit *visit, enum call_step *ret_step)
{
    const struct api_context *context = call->context;

    if (!context->visit_catalogue) {
        *ret_step = call_problem(
            call, 409, "bad_state",
            "this server has no catalogue of schedules; set catalogue = true");
        return false;
    }
    if (!context->visit_catalogue(context->arg, visit, call->budget)) {
        *ret_step = call_limit_budget(call);
        return false;
    }
    if (visit->is_loaded)
        return true;
    call_field(call, STR("Retry-After"), STR("1"));
    *ret_step = call_problem(call, 503, "unavailable",
                             "the server is still reading the schedules (%" PRId64
                             " so far); try again soon",
                             visit->loaded);
    return false;
}
