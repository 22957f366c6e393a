/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of a crontab as a schedule: its document, its times, and the proof of them.
 */
#pragma once

#include "cli/import/crontab.h"
#include "core/spec/spec.h"
#include "io/zoneinfo.h"
#include "wire/json/json.h"

enum {
    IMPORT_PROVED = 1000, /* times that must be the same */
    IMPORT_SHOWN = 5,
    IMPORT_ID_MAX = 200,
};

struct import_options {
    struct zoneinfo *zones;
    struct str zone; /* of lines without CRON_TZ */
    instant now;
};

struct imported {
    const struct crontab_line *line;
    char id[IMPORT_ID_MAX];
    struct str zone;
    struct spec spec;
    struct slot next[IMPORT_SHOWN];
    int next_count;
    int proved; /* times that are as cron(8) has them; less than IMPORT_PROVED: all there are */
    json_t *document;
};

/*
 * Everything but the id, which the caller has set.  RC_INVALID: the line cannot be expressed,
 * or its times would not be the same; the text says why.
 */
MUST_USE enum rc import_line(const struct import_options *options, struct arena *arena,
                             struct imported *imported, struct err *reterr);

/* A name out of the command: its program, without its folder. */
void import_name(struct str command, struct buf *out);
