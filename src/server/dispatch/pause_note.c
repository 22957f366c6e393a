/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of Temporal's scheduler, which people and scripts search for.
 */
#include "server/dispatch/pause_note.h"

#include "model/payload.h"
#include "model/temporal_codec.h"
#include "model/temporal_failure.h"

enum {
    ARENA_MAX = 64 << 20, /* an action with its input, and a failure */
    MESSAGE_MAX = 500,    /* bytes: a note is a sentence or two      */
};

/* The workflow's id without the time; false: not an action of Temporal. */
static bool find_base(struct str action, struct arena *arena, struct str *ret)
{
    json_auto_t *json = json_of_kept(action);
    const char *id = json_string_value(json_object_get(json, "workflowId"));

    if (!id || !json_object_get(json, "temporal"))
        return false;
    *ret = arena_str(arena, str_of(id));
    return true;
}

void pause_note(const struct pause_cause *cause, struct buf *out)
{
    struct arena *arena = arena_new(ARENA_MAX);
    const Temporal__Failure *failure;
    struct str base;

    if (find_base(cause->action, arena, &base)) {
        bool is_timeout = cause->outcome == OUTCOME_TIMED_OUT;

        buf_text(out, is_timeout ? "paused due to workflow timeout: "
                                 : "paused due to workflow failure: ");
        payload_workflow_id(base, cause->slot, out);
        failure = temporal_failure_of(cause->failure.len > 0 ? cause->failure : cause->error,
                                      arena);
        if (!is_timeout) {
            buf_text(out, ": ");
            buf_str(out, str_head(str_of(failure ? failure->message : ""), MESSAGE_MAX));
        }
    }
    arena_free(arena);
}
