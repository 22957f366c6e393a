/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that say what a namespace should hold: schedules, calendars and gates, as YAML or
 * JSON, read whole before anything is asked of a server.
 *
 * A file is a list of them, or several documents, or what an export holds.  Each knows where
 * it stands, so that whatever is wrong with it is told with file, line and field.
 */
#pragma once

#include "base/arena.h"
#include "wire/json/json.h"

enum {
    MANIFEST_FILES_MAX = 10000,
    MANIFEST_ENTRIES_MAX = 1000 * 1000,
    MANIFEST_DEPTH_MAX = 16,      /* folders in folders                              */
    MANIFEST_ERRORS_MAX = 20,     /* that are told; the rest is counted              */
    MANIFEST_ENTRY_MAX = 1000000, /* bytes of one as JSON: what a request may carry  */
};

/* Bytes of all files together. */
#define MANIFEST_BYTES_MAX ((size_t)1 << 30)

enum manifest_kind { MANIFEST_CALENDAR, MANIFEST_GATE, MANIFEST_SCHEDULE, MANIFEST_KINDS };

const char *manifest_kind_text(enum manifest_kind kind); /* "schedule" */

/* What becomes of it, when the server was asked. */
enum manifest_diff { DIFF_UNKNOWN, DIFF_CREATE, DIFF_CHANGE, DIFF_SAME, DIFF_INVALID };

struct manifest_entry {
    enum manifest_kind kind;
    struct str id;
    struct str json; /* all of it, in one line                                  */
    struct {
        const char *file;
        int document;    /* from 1                                              */
        int line;        /* of the text below                                   */
        struct str text; /* the bytes that it stands in                         */
        char path[24];   /* where in them: "", "[3]" or "items[3]"              */
    } place;
    int order; /* as it stands among all of them */
    enum manifest_diff diff;
    json_t *changes; /* FATE_CHANGE: a list of {field, from, to}, or NULL */
    int64_t version; /* of the schedule that it was compared with; 0: none */
};

struct manifest {
    struct arena *arena;
    struct manifest_entry *entries; /* calendars, then gates, then schedules, as they stand */
    int count, room;
    int errors; /* told and not told */
};

/*
 * Reads files, folders (with those in them, *.yaml, *.yml and *.json, in the order of their
 * names) and "-".  What is wrong is told, all of it; STATUS_OK only when nothing is.
 */
int manifest_read(const char *const *paths, int count, struct manifest *ret);
/* The same for a text that is in memory. */
int manifest_parse(const char *name, struct str text, struct manifest *ret);
void manifest_free(struct manifest *manifest);

/* Tells "FILE:LINE: schedule "x": FIELD: TEXT" and counts it. */
void manifest_error(struct manifest *manifest, const struct manifest_entry *entry,
                    const char *field, const char *text);
