/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the harness; not for tests.
 */
#pragma once

#include "harness.h"

/* The input of the next turn, without the ends of calls. */
struct next_input {
    const struct command *commands;
    int command_count;
    const struct report *report;
    struct poll *polls;
    int poll_count;
};
extern struct next_input next_input;

void next_input_begin(void);
struct test_node *first_up(void);

/* harness_commands.c */
void add_call(struct test_node *node, const struct assignment *work, bool is_granted);
int64_t key_of(const char *name);      /* fails when no schedule has this name */
const char *name_of(int64_t schedule); /* "?": not created by this test */

/* harness_read.c */
void read_begin(void);
void event_start(const struct call *call);
void event_stop(const struct call *call);
const char *clock_text(instant t); /* valid for the next three calls */
