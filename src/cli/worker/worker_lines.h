/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that a program wrote and that its server has yet to take.  For the worker's own files.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/worker/worker_text.h"

enum {
    LINES_LINE_MAX = 16 << 10,  /* bytes of one, as JSON: a server keeps no more of it       */
    LINES_LINE_HEAD = 16,       /* what a line costs a server beside its text, or more       */
    LINES_PART_MAX = 200 << 10, /* of one request; a server takes 256 KiB                    */
    LINES_RUN_MAX = 1 << 20,    /* of a run: what a server keeps; so this much may wait here */
};

struct lines {
    struct text text;   /* inside of a JSON string, but that a line ends with a line break */
    int64_t cost;       /* of all that wait                   */
    int64_t total_cost; /* cost of all that ever were added   */
    int64_t dropped;    /* lines that were not                */
    size_t sent;        /* bytes under way                    */
    int64_t sent_cost;
};

/* Any bytes; counted, and no more, when the run has enough. */
void lines_add(struct lines *lines, struct str line);

/* After the last one: says how many were left out. */
void lines_close(struct lines *lines);

/* More wait than one request may have. */
bool lines_are_many(const struct lines *lines);

/* Adds `,"log":"…"` with as many as fit, which are under way now; nothing when none wait. */
void lines_send(struct lines *lines, struct text *body);

/* What was under way was taken. */
void lines_drop_sent(struct lines *lines);

void lines_clear(struct lines *lines);
