/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A manifest: the schedules, calendars and gates that a namespace should contain, read from
 * YAML or JSON files before any request is sent.
 *
 * A file is one entry, a list, several documents, or an export.  Each entry keeps its position,
 * so that errors name file, line and field.
 */
#pragma once

#include "base/arena.h"
#include "wire/json/json.h"

enum {
    MANIFEST_FILES_MAX = 10000,
    MANIFEST_ENTRIES_MAX = 1000 * 1000,
    MANIFEST_DEPTH_MAX = 16,      /* nested directories                              */
    MANIFEST_ERRORS_MAX = 10000,  /* errors that are printed; the rest are counted   */
    MANIFEST_ENTRY_MAX = 8000000, /* bytes of an entry as JSON: it must fit into a request */
};

/* Bytes of all files together. */
#define MANIFEST_BYTES_MAX ((size_t)1 << 30)

enum manifest_kind { MANIFEST_CALENDAR, MANIFEST_GATE, MANIFEST_SCHEDULE, MANIFEST_KINDS };

const char *manifest_kind_text(enum manifest_kind kind); /* "schedule" */

/* The result of comparing an entry with the server. */
enum manifest_diff { DIFF_UNKNOWN, DIFF_CREATE, DIFF_CHANGE, DIFF_SAME, DIFF_INVALID };

struct manifest_entry {
    enum manifest_kind kind;
    struct str id;
    struct str json; /* the whole entry on one line                              */
    struct {
        const char *file;
        int document;    /* from 1                                               */
        int line;        /* where `text` begins                                  */
        struct str text; /* the document, or the part of it that has the entry   */
        char path[24];   /* of the entry in `text`: "", "[3]" or "items[3]"      */
    } place;
    int order;         /* position among all entries of the files               */
    bool has_wrong_id; /* reported; the server checks the rest of the schedule  */
    enum manifest_diff diff;
    json_t *changes; /* DIFF_CHANGE: a list of {field, from, to}, or NULL */
    int64_t version; /* of the server's schedule in the comparison; 0: none */
};

struct manifest {
    struct arena *arena;
    struct manifest_entry *entries; /* calendars, then gates, then schedules */
    int count, room;
    size_t bytes; /* of the texts, at most MANIFEST_BYTES_MAX */
    int errors;   /* all, of which MANIFEST_ERRORS_MAX are printed */
};

/*
 * Reads files, directories (recursively; *.yaml, *.yml and *.json, in the order of their names)
 * and "-".  Reports all errors; STATUS_OK only if there are none.
 */
int manifest_read(const char *const *paths, int count, struct manifest *ret);
/* The same for a text in memory. */
int manifest_parse(const char *name, struct str text, struct manifest *ret);
void manifest_free(struct manifest *manifest);

/* Prints `FILE:LINE: document N, schedule "x": FIELD: TEXT` and counts the error. */
void manifest_error(struct manifest *manifest, const struct manifest_entry *entry,
                    const char *field, const char *text);

/* Prints how many errors were counted but not printed, if any. */
void manifest_print_rest(const struct manifest *manifest);
