/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lists of schedules sort and filter by, of all schedules, in memory.
 *
 * A row takes at most CATALOGUE_ROW_MAX bytes with its place in the index; names and shared
 * words come in addition.  No locks: the owner lets either one caller change the catalogue, or
 * several read it.  Running out of memory ends the process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "base/str.h"

enum {
    CATALOGUE_ROW_MAX = 128,
    CATALOGUE_DESCRIPTION_MAX = 256, /* bytes of a description that are searched             */
    CATALOGUE_LABELS_MAX = 64,       /* LABELS_MAX                                           */
    CATALOGUE_NAME_MAX = 4096,       /* bytes; longer than any name                          */
};

enum catalogue_status { STATUS_ACTIVE, STATUS_PAUSED, STATUS_CLOSED, STATUS_COUNT };

enum catalogue_flag {
    CATALOGUE_QUARANTINED = 1 << 0,
    CATALOGUE_MISSED = 1 << 1, /* its last slots were missed: not by a pause or an edit */
    CATALOGUE_ZONES = 1 << 2,  /* its spec may have several time zones; from the texts  */
};

struct catalogue_label {
    struct str name, value;
};

/* A schedule as it is put into the catalogue. */
struct catalogue_entry {
    int64_t id;
    /* From the cursor. */
    int64_t version;
    instant next_at;    /* INSTANT_NEVER: no run is planned                          */
    instant last_start; /* INSTANT_NONE: never                                       */
    instant late_at;    /* late if nothing has changed by then; INSTANT_NEVER: never */
    span lateness;      /* of the last automatic run that ended, see struct cursor   */
    int64_t failures;
    uint8_t status, outcome; /* enum catalogue_status, enum outcome */
    uint8_t flags;           /* enum catalogue_flag                 */
    /* From the schedule. */
    bool has_texts; /* false: the rest is as the catalogue has it */
    int64_t namespace;
    uint8_t action; /* enum action_type */
    struct str name, description;
    struct str queue, zone; /* empty: none */
    struct catalogue_label *labels;
    int label_count;
};

/* A schedule in the catalogue. */
struct catalogue_row {
    int64_t id; /* 0: unused; then `namespace` is the next unused row */
    int64_t namespace, version;
    instant next_at, last_start, late_at;
    span lateness;
    char *text; /* the numbers of its labels' words, its name, its description */
    uint32_t failures;
    uint32_t queue, zone; /* words */
    uint16_t name_len, description_len;
    uint8_t label_words; /* two for each label */
    uint8_t status, outcome, action, flags;
    uint8_t pass; /* see catalogue_begin_pass() */
};

struct catalogue; /* opaque */
struct catalogue_words;

/* `seed`: see catalogue_words_new(). */
struct catalogue *catalogue_new(uint64_t seed);
struct catalogue *catalogue_free(struct catalogue *catalogue); /* accepts NULL, returns NULL */

/* Adds or replaces a schedule.  Without texts it must be known already, else it is ignored. */
void catalogue_put(struct catalogue *catalogue, const struct catalogue_entry *entry);
void catalogue_remove(struct catalogue *catalogue, int64_t id);

/* NULL: it is not in the catalogue.  The row is valid until the next change. */
const struct catalogue_row *catalogue_find(const struct catalogue *catalogue, int64_t id);

/* Moves texts to free memory, a bounded number; for after a batch of changes. */
void catalogue_tidy(struct catalogue *catalogue);

/*
 * A pass puts every schedule of the database once more.  Afterwards those that it did not put,
 * at most `most`, are listed in `ret`; returns how many, after `*from`, which it advances.
 */
void catalogue_begin_pass(struct catalogue *catalogue);
int catalogue_missed(const struct catalogue *catalogue, uint32_t *from, int64_t *ret, int most);

/* For queries: rows 0 to catalogue_rows() - 1, of which some are unused. */
uint32_t catalogue_rows(const struct catalogue *catalogue);
const struct catalogue_row *catalogue_row_at(const struct catalogue *catalogue, uint32_t row);
const struct catalogue_words *catalogue_words_of(const struct catalogue *catalogue);

static inline struct str catalogue_name(const struct catalogue_row *row)
{
    return (struct str){row->text + row->label_words * sizeof(uint32_t), row->name_len};
}

static inline struct str catalogue_description(const struct catalogue_row *row)
{
    struct str name = catalogue_name(row);

    return (struct str){name.ptr + name.len, row->description_len};
}

static inline const uint32_t *catalogue_labels(const struct catalogue_row *row)
{
    return (const void *)row->text;
}

struct catalogue_size {
    int64_t entries;
    size_t row_bytes;  /* rows and index                       */
    size_t text_bytes; /* names, descriptions and shared words */
};
struct catalogue_size catalogue_size(const struct catalogue *catalogue);
