/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits of the domain, each with its reason.
 */
#pragma once

enum {
    YEAR_MIN = 1,
    YEAR_MAX = 9999, /* what RFC 3339 can write */

    DURATION_DAYS_MAX = 365250, /* 1,000 years: sums with an instant cannot overflow */

    CRON_TEXT_MAX = 1024, /* bytes of one expression; the longest sensible list has < 400 */
    CRON_YEAR_MIN = 1970, /* the year field of every dialect that has one                 */
    CRON_YEAR_MAX = 2199,
    ZONE_NAME_MAX = 64,      /* bytes of a zone name; the longest of tzdata has 32 */
    RRULE_TEXT_MAX = 4096,   /* BYYEARDAY may list every day                       */
    RRULE_COUNT_MAX = 10000, /* compiling a rule walks over its COUNT once         */

    TZ_FILE_MAX = 1 << 17,  /* bytes of one TZif file; the largest of tzdata is below 4 KiB */
    TZ_SEGMENTS_MAX = 4096, /* spans of constant offset; a footer adds 800 for 400 years  */
    TZ_OFFSET_MAX = 26 * 3600, /* seconds from UTC that RFC 9636 allows, either sign         */

    GAP_SHORT_MAX = 3 * 3600, /* a longer gap is a skipped date, not a clock change */

    SPEC_ENTRIES_MAX = 256,     /* cron, calendar and interval entries and times of day    */
    SPEC_AT_MAX = 4096,         /* one-off instants of one schedule                        */
    SPEC_DATES_MAX = 4096,      /* excluded dates: ten years of every day                  */
    SPEC_ZONES_MAX = 32,        /* different zones in one spec                             */
    SPEC_NAMED_MAX = 16,        /* named calendars that one spec excludes                  */
    SPEC_NAME_MAX = 128,        /* bytes of a named calendar's name                        */
    SPEC_COMMENT_MAX = 200,     /* bytes of a calendar's comment                           */
    SPEC_SHIFT_DAYS_MAX = 366,  /* how far an excluded day may move its slots              */
    SPEC_STEPS_MAX = 500000,    /* excluded candidates after which a search gives up       */
    SPEC_EVERY_MIN_MS = 1000,   /* a shorter interval is a loop, not a schedule            */
    SPEC_JITTER_DAYS_MAX = 366, /* of the setting; delays are below 2^32 ms, 49 days */
    /* Bytes of arena to read any spec: 512 calendars with 7 texts of CRON_TEXT_MAX take 4 MiB,
       and 7 MiB more as ranges. */
    SPEC_DEF_BYTES_MAX = 16 << 20,
    SPEC_PACKED_MAX = 512 * 1024, /* bytes of a packed spec, with every list full */
    SEED_MAX = 2048, /* bytes of a seed for H and jitter: the longest namespace and id */

    FOLLOWED_MAX = 200 * 1000, /* workflows that one node follows: 1 KiB of memory each */
};
