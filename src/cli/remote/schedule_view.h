/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The views of schedules, runs and slots, and functions that print results as text.
 */
#pragma once

#include "cli/remote/request_commands.h"

extern const struct view schedule_view;
extern const struct view run_view;
extern const struct view slot_view;

/* Print the answers of `next`, `explain`, `health`, `show-hint` and `create --dry-run`. */
request_command_print_fn print_next, print_explained, print_health, print_hint, print_preview;

/* Prints a run and its ended attempts. */
request_command_print_fn run_print;

/* Prints "nightly: DONE" with the next run or the end of the pause, and warnings. */
void print_schedule_done(const char *done, const json_t *schedule, const struct when *when,
                         struct printer *out);
