/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schedule languages that Belfry reads: their names and their rules for clock changes.
 *
 * Pure.  A dialect is always explicit and stored; it is never guessed.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/time/dst.h"

enum dialect {
    DIALECT_BELFRY,
    DIALECT_POSIX,
    DIALECT_VIXIE,
    DIALECT_CRONIE,
    DIALECT_ROBFIG,
    DIALECT_ROBFIG_SECONDS,
    DIALECT_K8S,
    DIALECT_GITHUB,
    DIALECT_CLOUDSCHEDULER,
    DIALECT_SPRING,
    DIALECT_QUARTZ,
    DIALECT_AWS,
    DIALECT_JENKINS,
    DIALECT_TEMPORAL,
    DIALECT_SYSTEMD, /* OnCalendar: core/oncalendar/oncalendar.h */
    DIALECT_RRULE,   /* iCalendar: core/rrule/rrule.h            */
    DIALECT_COUNT
};

const char *dialect_text(enum dialect dialect);
MUST_USE enum rc dialect_parse(struct str text, enum dialect *ret, struct err *reterr);

/* The rule for clock changes of the original software. */
enum dst_name dialect_dst(enum dialect dialect);
