/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read position in the text of one cron field, and the functions that read values there.
 *
 * Pure.  For core/cron/cron_field.c only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/cron/cron_field.h"

enum { WORD_SHOWN_MAX = 40 }; /* bytes of a wrong word that a message quotes */

struct cron_reader {
    const struct cron_context *ctx;
    enum cron_unit unit;
    int min, max; /* range of the unit in this dialect             */
    int count;    /* number of different values: 7 weekdays, not 8 */
    const char *start, *at, *end;
    const char *item; /* where the current item starts */
    struct cron *out;
    uint64_t bits[4]; /* bit n: value n; for years 1970 + n */
    unsigned marks;   /* FIELD_*                            */
    struct err *reterr;
};

struct cron_value {
    int number;
    bool is_name;
};

static inline bool reader_may(const struct cron_reader *r, unsigned flag)
{
    return (r->ctx->grammar->may & flag) != 0;
}

static inline char reader_peek(const struct cron_reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static inline bool reader_item_ends(const struct cron_reader *r)
{
    return r->at == r->end || *r->at == ',';
}

static inline int reader_column(const struct cron_reader *r, const char *p)
{
    return (int)(p - r->ctx->origin);
}

/* Bytes from `p` to the read position. */
static inline int reader_length_from(const struct cron_reader *r, const char *p)
{
    return (int)(r->at - p);
}

struct cron_reader cron_reader(const struct cron_context *ctx, enum cron_unit unit,
                               struct str text, struct cron *out, struct err *reterr);

/* True if this letter comes next, in upper case or, where allowed, in lower case. */
bool reader_is_letter(const struct cron_reader *r, char capital);

/* Reads digits, at most as INT32_MAX; false if there are none. */
bool reader_number(struct cron_reader *r, int *ret);

/* Reads a number or name in the range of the unit. */
MUST_USE enum rc reader_value(struct cron_reader *r, struct cron_value *ret);

/* Length of the word at `p`, up to the next separator. */
int reader_word_length(const struct cron_reader *r, const char *p);

/* Errors that several functions report. */
enum rc reader_unexpected(const struct cron_reader *r);
enum rc reader_backwards(const struct cron_reader *r, int from, int to);
