/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sources of a move, and the options of the commands that read them.
 */
#pragma once

#include "cli/frame/args.h"
#include "cli/import/move.h"

/* The two sources: open reads the operand and the options; an exit status. */
int from_temporal_open(const struct args *args, struct move *move);
void from_temporal_close(struct move *move);
int from_conductor_open(const struct args *args, struct move *move);
void from_conductor_close(struct move *move);

/* Options of both commands. */
enum move_option {
    MOVE_DRY_RUN = REMOTE_OPTIONS,
    MOVE_TAKE_OVER,
    MOVE_ACCEPT,
    MOVE_SOURCE_CA,
    MOVE_OPTIONS
};
enum temporal_option {
    TEMPORAL_NAMESPACE = MOVE_OPTIONS,
    TEMPORAL_TLS,
    TEMPORAL_CERT,
    TEMPORAL_KEY,
    TEMPORAL_SERVER_NAME,
    TEMPORAL_OPTIONS
};
