/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output lines of a program that the server has not stored yet.  For the worker's files.
 *
 * The cost of a line is at least what the server counts for it: its bytes as JSON, the line
 * break and LINES_LINE_HEAD.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/worker/worker_text.h"

enum {
    LINES_LINE_MAX = 16 << 10,  /* bytes of a line as JSON; the server stores no more      */
    LINES_LINE_HEAD = 16,       /* upper bound of a line's overhead in the server          */
    LINES_PART_MAX = 200 << 10, /* cost per request; the server's limit is 256 KiB         */
    LINES_RUN_MAX = 1 << 20,    /* cost per run: what the server stores, and the most held */
};

struct lines {
    struct text text;   /* escaped for a JSON string, except the line breaks */
    int64_t cost;       /* of the lines in `text`                            */
    int64_t total_cost; /* of all lines ever added                           */
    int64_t dropped;    /* lines beyond LINES_RUN_MAX                        */
    size_t sent;        /* bytes in the current request                      */
    int64_t sent_cost;
};

/* Adds a line of any bytes; beyond LINES_RUN_MAX it is only counted. */
void lines_add(struct lines *lines, struct str line);

/* After the last line: adds a note about the dropped lines, if any. */
void lines_close(struct lines *lines);

/* True if the lines exceed one request. */
bool lines_exceed_request(const struct lines *lines);

/* Appends `,"log":"…"` with as many lines as fit; nothing when there are none. */
void lines_send(struct lines *lines, struct text *body);

/* Removes the lines of the last lines_send(): the server has stored them. */
void lines_drop_sent(struct lines *lines);

void lines_clear(struct lines *lines);
