/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands about schedules that struct request_command cannot describe.
 */
#pragma once

#include "cli/remote/request_commands.h"

enum { CREATE_OPTION_COUNT = REMOTE_OPTIONS + 33 };

extern const struct option create_options[CREATE_OPTION_COUNT];

enum resume_option {
    RESUME_FROM = REMOTE_OPTIONS,
    RESUME_DRY_RUN,
    RESUME_YES,
    RESUME_OPTION_COUNT
};
enum backfill_option {
    BACKFILL_FROM = REMOTE_OPTIONS,
    BACKFILL_TO,
    BACKFILL_OVERLAP,
    BACKFILL_ONLY,
    BACKFILL_INCLUDE,
    BACKFILL_DRY_RUN,
    BACKFILL_YES,
    BACKFILL_WAIT,
    BACKFILL_OPTION_COUNT
};

int create_call(struct remote *remote, const struct args *args);
int edit_call(struct remote *remote, const struct args *args);
int resume_call(struct remote *remote, const struct args *args);
int backfill_call(struct remote *remote, const struct args *args);
