/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How schedules and runs are shown.
 */
#pragma once

#include "cli/remote/request_commands.h"

extern const struct view schedule_view;
extern const struct view run_view;
extern const struct view slot_view;

/* Several lines: when it runs next, and what is worth knowing. */
request_command_print_fn print_next, print_explained, print_health, print_preview;

/* "nightly: DONE" with what the schedule's state adds to it. */
void print_schedule(const char *done, const json_t *schedule, const struct when *when,
                    struct printer *out);
