/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the harness tell each other; not for tests.
 */
#pragma once

#include "harness.h"

/* What goes into the next turn beside the ends of calls. */
struct parts {
    const struct command *commands;
    int command_count;
    const struct report *report;
    struct poll *polls;
    int poll_count;
};
extern struct parts parts;

void parts_begin(void);
struct bench *first_up(void);

/* harness_say.c */
void take_work(struct bench *bench, const struct assignment *work, bool is_granted);
int64_t key_of(const char *name);      /* must be known */
const char *name_of(int64_t schedule); /* "?" when it is not */

/* harness_read.c */
void read_begin(void);
void event_start(const struct call *call);
void event_stop(const struct call *call);
const char *clock_text(instant t); /* until the next call but three */
