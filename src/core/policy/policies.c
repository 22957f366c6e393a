/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default policies, what they say about slots that wait, and the names of catch-up modes.
 */
#include "core/policy/policies.h"

#include "base/must.h"

static const char *const names[CATCHUP_COUNT] = {
    [CATCHUP_ALL] = "all",
    [CATCHUP_LATEST] = "latest",
    [CATCHUP_OLDEST] = "oldest",
    [CATCHUP_NONE] = "none",
};

struct policies policies_default(void)
{
    return (struct policies){
        .overlap = OVERLAP_SKIP,
        .catchup = CATCHUP_LATEST,
        .buffer_limit = BUFFER_LIMIT_DEFAULT,
        .catchup_window = CATCHUP_WINDOW_NONE,
        .priority = PRIORITY_DEFAULT,
        .remaining_runs = -1,
        .retry = {.attempts = 1,
                  .backoff = BACKOFF_EXPONENTIAL,
                  .delay = SPAN_S,
                  .max = SPAN_H},
        .max_run_time = 24 * SPAN_H,
        .lease = 90 * SPAN_S,
        .heartbeat = 30 * SPAN_S,
        .grace = 30 * SPAN_S,
        .retention_age = 90 * SPAN_DAY,
    };
}

int64_t policies_buffer_room(const struct policies *p, int64_t waiting, int64_t most)
{
    bool queues_up = p->overlap == OVERLAP_BUFFER_ALL || p->overlap == OVERLAP_CANCEL_OTHER ||
                     p->overlap == OVERLAP_TERMINATE_OTHER;

    if (p->buffer_limit == 0 || !(queues_up || p->drop_when_full))
        return most;
    return p->buffer_limit - waiting < most ? p->buffer_limit - waiting : most;
}

bool policies_is_too_late(const struct policies *p, instant due, instant now)
{
    return p->catchup_window != CATCHUP_WINDOW_NONE && now - due > p->catchup_window;
}

const char *catchup_text(enum catchup mode)
{
    must(mode >= 0 && mode < CATCHUP_COUNT);
    return names[mode];
}

enum rc catchup_parse(struct str text, enum catchup *ret, struct err *reterr)
{
    for (int i = 0; i < CATCHUP_COUNT; i++)
        if (str_eq(text, str_of(names[i]))) {
            *ret = (enum catchup)i;
            return RC_OK;
        }
    return err_set(
        reterr, RC_INVALID, 0, (int)text.len,
        "\"%.*s\" is not a catch-up mode; use \"all\", \"latest\", \"oldest\" or \"none\"",
        STR_ARG(text));
}
