/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A crontab as crontab(5) describes it: settings, comments, and lines that start something.
 *
 * Read, not judged: what the five fields mean is the business of core and, a second time and
 * independently, of cli/import/crontab_clock.h.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
    CRONTAB_BYTES_MAX = 1 << 20,
    CRONTAB_LINES_MAX = 10000, /* that start something; cron itself takes 1,000 */
    CRONTAB_ENV_MAX = 256,     /* settings of one crontab                      */
};

struct crontab_env {
    struct str name, value;
};

struct crontab_line {
    int line;           /* from 1                                             */
    struct str when;    /* "30 2 * * *", blanks as one, or "@daily"           */
    struct str user;    /* of the sixth column; empty: there is none           */
    struct str command; /* up to the first %                                  */
    struct str input;   /* what is behind it, a line for each %               */
    bool has_input;
    struct str comment;            /* the lines right above it                           */
    struct str zone;               /* of CRON_TZ above it; empty: none                   */
    const struct crontab_env *env; /* that were set above it, the last of each */
    int env_count;
};

struct crontab {
    struct crontab_line *lines;
    int count;
};

struct crontab_options {
    bool is_system; /* with a column for the user, as /etc/crontab has */
    /* Told for each line that is none; the rest is read all the same. */
    void (*on_error)(void *arg, int line, const char *text);
    void *arg;
};

/* All that *ret points to is in `arena`.  RC_LIMIT, or RC_INVALID when it is no text. */
MUST_USE enum rc crontab_read(struct str text, const struct crontab_options *options,
                              struct arena *arena, struct crontab *ret, struct err *reterr);

/* The value of a setting above the line; empty: it is not set. */
struct str crontab_setting(const struct crontab_line *line, struct str name);
