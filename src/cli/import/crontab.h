/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a crontab as crontab(5) describes it: settings, comments, and lines that start a
 * command.
 *
 * The five time fields are not checked here: core does that and, independently,
 * cli/import/crontab_clock.h.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
    CRONTAB_BYTES_MAX = 1 << 20,
    CRONTAB_LINES_MAX = 10000,   /* lines with a command; cron's own limit is 1,000 */
    CRONTAB_ENV_MAX = 256,       /* settings of one crontab                         */
    CRONTAB_COPY_MAX = 64 << 20, /* bytes of settings, counted for each line that gets them */
};

struct crontab_env {
    struct str name, value;
};

struct crontab_line {
    int line;           /* from 1                                           */
    struct str when;    /* "30 2 * * *" with single spaces, or "@daily"     */
    struct str user;    /* the sixth column; empty: none                    */
    struct str command; /* up to the first %                                */
    struct str input;   /* the text after it, with a line break for each %  */
    bool has_input;
    struct str comment;            /* the lines directly above                 */
    struct str zone;               /* CRON_TZ above the line; empty: none      */
    const struct crontab_env *env; /* settings above the line, the last of each */
    int env_count;
};

struct crontab {
    struct crontab_line *lines;
    int count;
    bool is_system; /* lines have a user column */
};

struct crontab_options {
    bool is_system; /* with a column for the user, like /etc/crontab */
    /* Called for each invalid line; reading continues. */
    void (*on_error)(void *arg, int line, const char *text);
    void *arg;
};

/*
 * *ret points into `arena`.  RC_LIMIT if it is too large, or its settings are, since each line
 * gets those above it; RC_INVALID if it is not UTF-8.
 */
MUST_USE enum rc crontab_read(struct str text, const struct crontab_options *options,
                              struct arena *arena, struct crontab *ret, struct err *reterr);

/* The value of a setting above the line; empty if it is not set. */
struct str crontab_setting(const struct crontab_line *line, struct str name);
