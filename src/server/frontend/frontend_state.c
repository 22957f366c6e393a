/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers questions about the state of the frontend: whether it is ready, and why not.
 */
#include <string.h>

#include "server/frontend/frontend_parts.h"

const char *frontend_unready_reason(const struct frontend *frontend)
{
    if (frontend->closing)
        return frontend->closing;
    return frontend->why[0] != '\0' ? frontend->why : NULL;
}

int frontend_reasons(const struct frontend *frontend,
                     struct context_reason reasons[static CONTEXT_REASONS_MAX])
{
    bool is_starting = strcmp(frontend->why, "starting") == 0;
    int n = 0;

    if (frontend->closing)
        reasons[n++] = (struct context_reason){.code = "closing", .text = frontend->closing};
    if (frontend->is_db_away && frontend->why[0] != '\0')
        reasons[n++] = (struct context_reason){.code = is_starting ? "starting" : "database",
                                               .text = frontend->why};
    if (frontend->is_full)
        reasons[n++] = (struct context_reason){.code = "disk_full", .text = WRITER_FULL_TEXT};
    if (frontend->is_held)
        reasons[n++] = (struct context_reason){.code = "clock", .text = WRITER_HELD_TEXT};
    if (frontend->has_late_reads)
        reasons[n++] = (struct context_reason){.code = "reads_queued",
                                               .text = "reads wait for more than a second",
                                               .is_ready = true};
    return n;
}

bool frontend_is_drained(const struct frontend *frontend)
{
    return frontend->is_drained || frontend->is_db_away;
}

int frontend_count(const struct frontend *frontend)
{
    return frontend->count;
}

bool frontend_has_database(const struct frontend *frontend)
{
    return frontend->has_started && !frontend->is_db_away;
}
