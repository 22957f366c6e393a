/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts a crontab line into a schedule: its document and its verified times; and the
 * command that converts crontabs.
 */
#pragma once

#include "cli/import/crontab.h"
#include "cli/remote/remote.h"
#include "core/spec/spec.h"
#include "io/zoneinfo.h"
#include "wire/json/json.h"

enum {
    IMPORT_PROVED = 1000, /* times that are verified; of rare lines those of IMPORT_YEARS     */
    IMPORT_YEARS = 100,   /* weekdays and leap years repeat after 28, but not around 2100     */
    IMPORT_SHOWN = 5,
    IMPORT_PREFIX_MAX = 80,
    IMPORT_ID_MAX = 200, /* a prefix, a name and a number */
};

struct import_options {
    struct zoneinfo *zones;
    struct str zone;  /* of lines without CRON_TZ                              */
    struct str queue; /* the commands go to this queue; empty: exec runs them  */
    instant now;
};

struct imported {
    const struct crontab_line *line;
    char id[IMPORT_ID_MAX];
    struct str zone;
    struct spec spec;
    struct slot next[IMPORT_SHOWN];
    int next_count;
    int proved; /* verified times; fewer than IMPORT_PROVED if IMPORT_YEARS have no more */
    json_t *document;
};

/*
 * Sets everything except `line` and `id`, which the caller has set.  RC_INVALID if the line
 * cannot be converted, or its times would differ from cron's.
 */
MUST_USE enum rc import_line(const struct import_options *options, struct arena *arena,
                             struct imported *imported, struct err *reterr);

/* True for lines that cron starts when the system does, not at a time. */
bool import_is_reboot(const struct crontab_line *line);

/* ---- belfry import crontab ---- */

enum crontab_option {
    CRONTAB_OPT_SYSTEM = REMOTE_OPTIONS,
    CRONTAB_OPT_TZ,
    CRONTAB_OPT_PREFIX,
    CRONTAB_OPT_AS,
    CRONTAB_OPT_QUEUE,
    CRONTAB_OPT_TO,
    CRONTAB_OPT_APPLY,
    CRONTAB_OPT_ZONEINFO,
    CRONTAB_OPTIONS
};

int import_crontab_run(const struct args *args);
