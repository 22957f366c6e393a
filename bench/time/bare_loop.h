/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The baseline: the minimum that a search for the next time with bit masks must do.
 *
 * It has five masks and the clock changes of one zone.  It leaves out what a scheduler
 * needs but this benchmark does not use: seconds, years, L W # H, the OR of the two day
 * fields, fold rules, times after the table, errors.  It shares no code with Belfry, so
 * that it cannot inherit a mistake.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    BARE_SEGMENTS_MAX = 2048, /* the largest zone of tzdata has fewer than 250 */
    BARE_BUCKETS = 4096,
    BARE_BUCKET_BITS = 21, /* 2^21 s is 24 days: no two changes of New York share one */
};

static const int64_t BARE_NEVER = INT64_MAX;

struct bare_segment {
    int64_t start; /* first second with this offset */
    int64_t end;   /* first second after it         */
    int64_t offset;
};

struct bare_zone {
    uint16_t bucket[BARE_BUCKETS]; /* segment at the start of each bucket */
    struct bare_segment segment[BARE_SEGMENTS_MAX];
    int count;
};

struct bare {
    uint64_t minute; /* bit n: minute n */
    uint32_t hour;
    uint32_t day;      /* bits 1..31                                              */
    uint32_t month;    /* bits 1..12                                              */
    uint32_t dow31[7]; /* by weekday of the 1st: the days of the month that match */
    int64_t first;     /* first matching minute of a day                          */
    bool fixed;        /* a time in a gap fires once, after the gap               */
    const struct bare_zone *zone;
};

/* Fills in dow31 and first.  `weekday`: bit 0 is Sunday. */
void bare_compile(struct bare *bare, uint32_t weekday);

/* Reads a TZif file of version 2 or later.  False: missing or another format. */
bool bare_zone_read(const char *path, struct bare_zone *zone);

/* Seconds; strictly later than `after`; BARE_NEVER if 400 years have no match. */
int64_t bare_next_utc(const void *bare, int64_t after);
int64_t bare_next_zone(const void *bare, int64_t after);
